//! What of the keeper's environment an agent may see: what any program needs, and what the configuration names.
//!
//! A pure function. Keys and tokens in the keeper's environment never reach an agent by themselves, nor do the keeper's own
//! variables (`ABIDE_…`) by a pattern.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

/// Names the run in the environment of its tree; how leftovers of a lost shim are found.
pub(super) const RUN_VARIABLE: &str = "ABIDE_RUN";
/// Names the agent in the environment of its tree.
pub(super) const AGENT_VARIABLE: &str = "ABIDE_AGENT";

/// Passed to every agent.
const ALWAYS: [&str; 6] = ["HOME", "LANG", "LC_*", "PATH", "TMPDIR", "TZ"];
/// The keeper's own.
const OURS: &str = "ABIDE_";

/// The environment of an agent: of `own`, what every agent gets (`HOME`, `LANG`, `LC_*`, `PATH`, `TMPDIR`, `TZ`) and what
/// `allowed` names, where a trailing `*` stands for any ending; then `more`, which wins. Sorted by name.
pub fn environment(
    own: &[(OsString, OsString)],
    allowed: &[String],
    more: &[(&str, OsString)],
) -> Vec<(OsString, OsString)> {
    let passes = |name: &OsStr| {
        let mut patterns = ALWAYS.into_iter().chain(allowed.iter().map(String::as_str));
        patterns.any(|pattern| matches(name, pattern))
    };
    let mut environment: BTreeMap<OsString, OsString> =
        own.iter().filter(|(name, _)| passes(name)).cloned().collect();
    environment.extend(more.iter().map(|(name, value)| (OsString::from(name), value.clone())));
    environment.into_iter().collect()
}

fn matches(name: &OsStr, pattern: &str) -> bool {
    let bytes = name.as_encoded_bytes();
    match pattern.strip_suffix('*') {
        Some(start) => bytes.starts_with(start.as_bytes()) && !bytes.starts_with(OURS.as_bytes()),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::environment;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn an_agent_sees_what_it_needs_and_what_is_allowed_and_nothing_else() {
        let own = pairs(&[
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("LCX", "no"),
            ("ABIDE_TOKEN", "secret"),
            ("OPENAI_API_KEY", "secret"),
            ("OPENAI_API_KEYS", "secret"),
            ("FELIX_MOOD", "curious"),
            ("LD_PRELOAD", "evil.so"),
        ]);
        let allowed = ["OPENAI_API_KEY".into(), "FELIX_*".into(), "MISSING".into()];
        let more = [("ABIDE_RUN", "r1".into()), ("PATH", "/agent/bin".into())];
        assert_eq!(
            environment(&own, &allowed, &more),
            pairs(&[
                ("ABIDE_RUN", "r1"),
                ("FELIX_MOOD", "curious"),
                ("LC_ALL", "C"),
                ("OPENAI_API_KEY", "secret"),
                ("PATH", "/agent/bin"),
            ])
        );
    }

    #[test]
    fn no_pattern_passes_the_keepers_own_variables() {
        let own = pairs(&[("ABIDE_TOKEN", "secret"), ("OTHER", "1")]);
        for pattern in ["*", "A*", "ABIDE_*", "ABIDE_TOKEN*"] {
            let seen = environment(&own, &[pattern.into()], &[]);
            assert!(!seen.iter().any(|(name, _)| name == "ABIDE_TOKEN"), "{pattern}");
        }
        let named = environment(&own, &["ABIDE_TOKEN".into()], &[]);
        assert_eq!(named, pairs(&[("ABIDE_TOKEN", "secret")]));
    }
}
