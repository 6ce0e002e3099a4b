//! From a person's words to full text.
//!
//! Untrusted text is data: it is cut into words, each word is quoted, and nothing of it can be full-text syntax. All
//! words without the stop words must match; if no fact has them all, any word may; words that the index cannot hold
//! (signs, scripts without spaces) are looked for as they stand. Only then is there nothing. Between a query and the
//! tables on the walk.

use std::fmt::Write as _;

use rusqlite::Connection;

/// Longest query that is looked at, in Unicode scalar values; the rest is cut.
pub const QUERY_CHARS_MAX: usize = 2_000;
/// Most words of a query that are looked for; further ones are left out.
pub const QUERY_TERMS_MAX: usize = 32;

/// Words that say nothing about what is sought. Sorted, for binary search. Single letters are stop words too.
const STOP_WORDS: &[&str] = &[
    "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his",
    "how", "if", "in", "into", "is", "it", "its", "know", "ll", "many", "me", "much", "my", "no",
    "not", "of", "on", "or", "our", "please", "re", "she", "should", "so", "tell", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "ve",
    "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will",
    "with", "would", "you", "your",
];

/// How facts are picked for a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// By a full-text expression.
    FullText(String),
    /// By any of these texts inside the content: a JSON list of lower-case strings.
    Inside(String),
    /// Nothing was asked.
    Blank,
}

/// Picks the narrowest way that matches at least one fact, or the widest there is.
pub(super) fn choose(connection: &Connection, text: &str) -> rusqlite::Result<Matching> {
    let text: String = text.chars().take(QUERY_CHARS_MAX).collect();
    let terms = terms(&text);
    let sought: Vec<&str> =
        terms.iter().map(String::as_str).filter(|term| !is_stop_word(term)).collect();
    let all: Vec<&str> = terms.iter().map(String::as_str).collect();
    let mut expressions = Vec::new();
    if !sought.is_empty() {
        expressions.push(expression(&sought, " "));
        expressions.push(expression(&sought, " OR "));
    }
    if sought.is_empty() && !all.is_empty() {
        expressions.push(expression(&all, " OR "));
    }
    for expression in &expressions {
        if matches_any(connection, expression)? {
            return Ok(Matching::FullText(expression.clone()));
        }
    }
    let needles = needles(&text, &all);
    if !needles.is_empty() {
        return Ok(Matching::Inside(serde_json::Value::from(needles).to_string()));
    }
    Ok(expressions.pop().map_or(Matching::Blank, Matching::FullText))
}

/// What is looked for as it stands: the whole text where it has no words, else what is not ASCII. The index cuts scripts
/// without spaces into sentences, and takes some signs for letters.
fn needles(text: &str, terms: &[&str]) -> Vec<String> {
    let whole = Some(text.trim()).filter(|text| terms.is_empty() && !text.is_empty());
    let words =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
    let foreign = words.chain(terms.iter().copied()).filter(|word| !word.is_ascii());
    whole.into_iter().chain(foreign).take(QUERY_TERMS_MAX).map(str::to_ascii_lowercase).collect()
}

/// The words of a text, lower case, in order, without repetitions.
fn terms(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let term = word.to_lowercase();
        if terms.len() == QUERY_TERMS_MAX {
            break;
        }
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}

fn is_stop_word(term: &str) -> bool {
    (term.len() == 1 && term.bytes().all(|b| b.is_ascii_alphabetic()))
        || STOP_WORDS.binary_search(&term).is_ok()
}

/// A full-text expression of quoted words. Words hold only letters and digits, so that no quote needs doubling; it is
/// doubled all the same.
fn expression(terms: &[&str], operator: &str) -> String {
    let mut expression = String::new();
    for (index, term) in terms.iter().enumerate() {
        let operator = if index == 0 { "" } else { operator };
        let written = write!(expression, "{operator}\"{}\"", term.replace('"', "\"\""));
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    expression
}

fn matches_any(connection: &Connection, expression: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM facts_fts WHERE facts_fts MATCH ?1)")?
        .query_row([expression], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::{QUERY_TERMS_MAX, STOP_WORDS, expression, is_stop_word, terms};

    #[test]
    fn stop_words_are_sorted_and_single_letters_count_as_such() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("what") && is_stop_word("s"));
        assert!(!is_stop_word("staging") && !is_stop_word("7") && !is_stop_word("é"));
    }

    #[test]
    fn words_are_lower_case_unique_and_bounded() {
        assert_eq!(terms("The staging-server, THE \"server\"!"), ["the", "staging", "server"]);
        assert_eq!(terms("🦀 -- ** "), Vec::<String>::new());
        let many = (0..100).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(terms(&many).len(), QUERY_TERMS_MAX);
    }

    #[test]
    fn syntax_becomes_quoted_words() {
        let hostile = terms("a\" OR content:* NEAR(b, 2) ^x {tags} -y + z;DROP");
        let hostile: Vec<_> = hostile.iter().map(String::as_str).collect();
        let written = expression(&hostile, " ");
        let unquoted: String = written.split('"').step_by(2).collect();
        assert!(unquoted.chars().all(|c| c == ' '), "{written}");
    }
}
