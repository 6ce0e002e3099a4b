//! Sentences and clauses of a person's words. Knows nothing of what they mean.

use super::own_words::GAP;

/// Longest sentence that is looked at, in bytes: facts are short.
const SENTENCE_BYTES_MAX: usize = 400;

/// What may stand before what is said.
const LEAD_INS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "ok",
    "okay",
    "yes",
    "yeah",
    "well",
    "oh",
    "ah",
    "so",
    "also",
    "and",
    "btw",
    "by the way",
    "actually",
    "fyi",
    "for your information",
    "just so you know",
    "good morning",
    "good evening",
    "thanks",
    "thank you",
    "please",
    "update",
    "correction",
    "one more thing",
    "reminder",
    "new",
    "now",
    "as of today",
    "from now on",
];

/// Words with which a new statement of the same speaker begins.
const OPENERS: &[&str] = &["i ", "i'm ", "i've ", "my ", "we ", "we're ", "our ", "the deadline "];

/// A sentence that begins so says under what circumstances the rest holds: it stays whole.
const CIRCUMSTANCES: &[&str] = &[
    "after", "although", "as", "assume", "assuming", "at", "because", "before", "for", "given",
    "he", "if", "imagine", "in", "let", "let's", "on", "once", "pretend", "say", "she", "since",
    "suppose", "they", "though", "unless", "when", "while",
];

/// The statements of a text: whole clauses without their lead-ins; questions are none.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let statements = sentences(text).into_iter().filter(|sentence| !sentence.ends_with('?'));
    statements
        .flat_map(split_clauses)
        .map(without_lead_in)
        .filter(|clause| !clause.is_empty())
        .collect()
}

fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.split(['\n', GAP]) {
        let mut rest = line.trim_start_matches(['-', '*', '\u{2022}', ' ', '\t']);
        while let Some(end) = sentence_end(rest) {
            let (sentence, behind) = rest.split_at(end);
            found.push(sentence.trim());
            rest = behind.trim_start();
        }
        found.push(rest.trim());
    }
    found.retain(|sentence| !sentence.is_empty() && sentence.len() <= SENTENCE_BYTES_MAX);
    found
}

/// Where the first sentence ends: behind a mark that a space and no lower-case letter follows.
fn sentence_end(text: &str) -> Option<usize> {
    for (at, mark) in text.match_indices(['.', '!', '?']) {
        let end = at + mark.len();
        let behind = text.get(end..)?;
        let mut letters = behind.chars();
        let is_end = letters.next().is_none_or(char::is_whitespace)
            && (mark != "." || !letters.next().is_some_and(char::is_lowercase));
        if is_end && !behind.is_empty() {
            return Some(end);
        }
    }
    None
}

/// Cuts a sentence where the speaker begins anew: `my name is Ada and I live in Paris`.
fn split_clauses(sentence: &str) -> Vec<&str> {
    let lower = sentence.to_ascii_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    if CIRCUMSTANCES.contains(&first) {
        return vec![sentence];
    }
    let mut cuts = Vec::new();
    for joint in [", and ", ", but ", "; ", " and ", ", ", " - ", " \u{2014} "] {
        for (at, _) in lower.match_indices(joint) {
            let begin = at + joint.len();
            let is_new = lower
                .get(begin..)
                .is_some_and(|rest| OPENERS.iter().any(|word| rest.starts_with(word)));
            if is_new {
                cuts.push((at, begin));
            }
        }
    }
    cuts.sort_unstable();
    let mut clauses = Vec::new();
    let mut from = 0;
    for (end, begin) in cuts {
        if let Some(clause) = sentence.get(from..end) {
            clauses.push(clause.trim());
            from = begin;
        }
    }
    clauses.extend(sentence.get(from..).map(str::trim));
    clauses
}

/// Takes greetings and the like off the front.
fn without_lead_in(clause: &str) -> &str {
    let mut rest = clause.trim_end_matches(['.', '!', ' ', ',', ';', ':']);
    loop {
        let lower = rest.to_ascii_lowercase();
        let lead = LEAD_INS.iter().filter_map(|lead| {
            let behind = lower.strip_prefix(lead)?;
            let is_word = behind.starts_with([' ', ',', ':', '!', '-']);
            is_word.then(|| behind.trim_start_matches([' ', ',', ':', '!', '-']).len())
        });
        let Some(left) = lead.min() else { return rest };
        let Some(shorter) = rest.get(rest.len() - left..) else { return rest };
        if shorter.len() == rest.len() {
            return rest;
        }
        rest = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::clauses;

    #[test]
    fn statements_are_cut_out_whole() {
        let cases: &[(&str, &[&str])] = &[
            ("My name is Ada and I live in Paris.", &["My name is Ada", "I live in Paris"]),
            ("Hi, by the way: my name is Ada!", &["my name is Ada"]),
            ("Do I live in Rome? I live in St. Ives.", &["I live in St", "Ives"]),
            (
                "The host is db-3.example.com. We use it for v1.2 only.",
                &["The host is db-3.example.com", "We use it for v1.2 only"],
            ),
            ("- I prefer tea\n- I live in Oslo", &["I prefer tea", "I live in Oslo"]),
            ("We use Rust and Postgres for billing.", &["We use Rust and Postgres for billing"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(clauses(text), *expected, "{text}");
        }
    }
}
