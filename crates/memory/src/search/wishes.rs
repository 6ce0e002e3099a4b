//! Words by which people say how they want things done, once and for later: "always", "from now on", "I prefer".
//!
//! Such a line answers many later questions and shares no word with them. In English, German, French and Spanish; works on
//! the words of [`tokens`](super::words::tokens).

/// Words that say it by themselves.
const WORDS: [&str; 19] = [
    "always",
    "bevorzuge",
    "desormais",
    "immer",
    "jamais",
    "jedesmal",
    "kunftig",
    "never",
    "niemals",
    "nie",
    "nunca",
    "prefer",
    "prefere",
    "prefiero",
    "siempre",
    "stets",
    "toujours",
    "whenever",
    "zukunftig",
];
/// And words that say it together.
const PHRASES: [&[&str]; 9] = [
    &["from", "now", "on"],
    &["every", "time"],
    &["each", "time"],
    &["make", "sure"],
    &["by", "default"],
    &["in", "future"],
    &["ab", "jetzt"],
    &["ab", "sofort"],
    &["a", "partir", "de"],
];

/// Whether the words of a text say how somebody wants things done.
pub(super) fn tells_a_wish(tokens: &[String]) -> bool {
    tokens.iter().any(|word| WORDS.contains(&word.as_str()))
        || PHRASES.iter().any(|phrase| {
            tokens.windows(phrase.len()).any(|at| at.iter().zip(*phrase).all(|(a, b)| a == b))
        })
}

#[cfg(test)]
mod tests {
    use super::{super::words::tokens, tells_a_wish};

    #[test]
    fn wishes_are_told_from_other_lines_in_four_languages() {
        for text in [
            "Please always answer in bullet points.",
            "From now on, metric units only",
            "I'd prefer tea",
            "Antworte ab jetzt bitte kurz",
            "Réponds toujours en français",
            "Prefiero los trenes",
        ] {
            assert!(tells_a_wish(&tokens(text)), "{text}");
        }
        for text in ["We moved on from now defunct tools", "Two sugars, please", "a part of it"] {
            assert!(!tells_a_wish(&tokens(text)), "{text}");
        }
    }
}
