//! Whether a proposal of new code is valid: its size, its target, and that there is any code (decision 35).
//!
//! Pure. The code is data in a language that only its kit knows: it is never read or run here. Whether it can be loaded is found out where it
//! is loaded, and what comes of a proposal that passes is not decided here.

use abide_domain::limits::EVOLUTION_CODE_BYTES_MAX as CODE_BYTES_MAX;
use abide_wire::Hypothesis;

/// What may be changed, and the module that it belongs to.
const TARGETS: [&str; 3] = ["memory_system", "tool_framework", "dsl"];
/// Longest reason, in bytes.
const REASON_BYTES_MAX: usize = 8 * 1024;

/// Says why a proposal is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EvolutionIntentError {
    /// A part is too long.
    #[error("the {part} has {bytes} bytes, and at most {max} are allowed")]
    TooLarge { part: &'static str, bytes: usize, max: usize },
    /// The target is not known.
    #[error("`{target}` cannot be changed; {} can", TARGETS.join(", "))]
    UnknownTarget { target: String },
    /// There is no code.
    #[error("the proposal has no code")]
    Empty,
}

/// Checks a proposal.
pub(crate) fn check(hypothesis: &Hypothesis) -> Result<(), EvolutionIntentError> {
    let parts = [
        ("code", hypothesis.new_code.len(), CODE_BYTES_MAX),
        ("reason", hypothesis.reason.len(), REASON_BYTES_MAX),
    ];
    if let Some((part, bytes, max)) = parts.into_iter().find(|(_, bytes, max)| bytes > max) {
        return Err(EvolutionIntentError::TooLarge { part, bytes, max });
    }
    if !TARGETS.contains(&hypothesis.target.as_str()) {
        let target = hypothesis.target.chars().take(64).collect();
        return Err(EvolutionIntentError::UnknownTarget { target });
    }
    if hypothesis.new_code.trim().is_empty() { Err(EvolutionIntentError::Empty) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use abide_wire::Hypothesis;

    use super::{CODE_BYTES_MAX, EvolutionIntentError, check};

    fn proposal(target: &str, code: &str) -> Hypothesis {
        Hypothesis {
            reason: "faster".into(),
            target: target.into(),
            new_code: code.into(),
            expected_improvement: None,
        }
    }

    #[test]
    fn code_of_any_language_passes() {
        for code in [
            "(def (memory-search query) ...)",
            "def rank(question, passages):\n    return [p['id'] for p in passages if p['score'] > 0]\n",
            "return passages.map((p) => p.id); // :-)",
            "0.25 1.0 -3",
        ] {
            assert_eq!(check(&proposal("memory_system", code)), Ok(()), "{code}");
        }
    }

    #[test]
    fn size_target_and_emptiness_are_looked_at() {
        let refused = |target: &str, code: &str| check(&proposal(target, code)).unwrap_err();
        assert_eq!(
            refused("kernel", "(a)").to_string(),
            "`kernel` cannot be changed; memory_system, tool_framework, dsl can"
        );
        assert_eq!(refused("dsl", " \n\t"), EvolutionIntentError::Empty);
        let long = "a".repeat(CODE_BYTES_MAX + 1);
        assert!(matches!(
            refused("dsl", &long),
            EvolutionIntentError::TooLarge { part: "code", .. }
        ));
    }
}
