//! How names and texts are cut: stems of words, as memory cuts them, with `camelCase` taken apart.

use std::collections::BTreeSet;

use abide_memory::words;

use super::query::QUERY_BYTES_MAX;

/// The stems of a text, repeated as they are repeated.
pub(super) fn terms(text: &str) -> Vec<String> {
    words(&split_camel(text))
}

/// The different stems of a question, in their order; of a long one its beginning and its end.
pub(super) fn question_terms(text: &str, terms_max: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found: Vec<String> = Vec::new();
    for part in ends(text) {
        found.extend(terms(part).into_iter().filter(|term| seen.insert(term.clone())));
    }
    found.truncate(terms_max);
    found
}

/// The server of a name and the name that the tool has there: `mcp.mail.send` is `send` of `mail`.
pub(super) fn split_name(name: &str) -> (&str, &str) {
    let inner = name.strip_prefix("mcp.").unwrap_or(name);
    inner.split_once('.').unwrap_or((inner, inner))
}

/// Puts a space where a small letter or a digit meets a capital one.
fn split_camel(text: &str) -> String {
    let mut split = String::with_capacity(text.len() + 8);
    let mut previous = ' ';
    for c in text.chars() {
        if c.is_uppercase() && (previous.is_lowercase() || previous.is_ascii_digit()) {
            split.push(' ');
        }
        split.push(if c == '_' { ' ' } else { c });
        previous = c;
    }
    split
}

/// The whole of a short text; beginning and end of a long one.
fn ends(text: &str) -> Vec<&str> {
    if text.len() <= QUERY_BYTES_MAX {
        return vec![text];
    }
    let half = QUERY_BYTES_MAX / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - half)..).unwrap_or_default();
    vec![head, tail]
}

/// The pairs and triples by which two words are alike although one is misspelt or of a related language.
pub(super) fn trigrams(term: &str) -> BTreeSet<[char; 3]> {
    let padded: Vec<char> = std::iter::once(' ').chain(term.chars()).chain([' ']).collect();
    padded
        .windows(3)
        .filter_map(|three| match three {
            [a, b, c] => Some([*a, *b, *c]),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{QUERY_BYTES_MAX, question_terms, split_name, terms};

    #[test]
    fn names_are_cut_into_their_words() {
        assert_eq!(terms("createPullRequest"), ["creat", "pull", "request"]);
        assert_eq!(terms("get_sun_times"), ["get", "sun", "time"]);
    }

    #[test]
    fn a_name_has_a_server() {
        assert_eq!(split_name("mcp.mail.send"), ("mail", "send"));
        assert_eq!(split_name("rss.fetch"), ("rss", "fetch"));
        assert_eq!(split_name("stdout"), ("stdout", "stdout"));
    }

    #[test]
    fn of_a_long_question_both_ends_count() {
        let text = format!("mail {} weather", "é".repeat(QUERY_BYTES_MAX));
        let found = question_terms(&text, 9);
        assert!(found.contains(&"mail".to_owned()) && found.contains(&"weather".to_owned()));
    }
}
