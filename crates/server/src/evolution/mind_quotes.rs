//! Whether an identity quotes the conversations that it is tried on: it would know the answers beforehand, and be better for that alone.
//! Pure.

use std::collections::HashSet;

/// Words in a row that are compared.
const QUOTE_WORDS: usize = 5;
/// Runs of so many words that an identity shares with the record and that are new in it, from which it counts as a quote: six words in a
/// row, or two phrases.
const QUOTES_MIN: usize = 2;

/// What an identity quotes of the record and the identity in force does not say, where that is a quote.
pub(super) fn quoted<'a>(
    identity: &str,
    in_force: &str,
    record: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let known: HashSet<String> = runs(in_force).into_iter().collect();
    let new: Vec<String> = runs(identity).into_iter().filter(|run| !known.contains(run)).collect();
    let said: HashSet<String> = record.into_iter().flat_map(runs).collect();
    let mut shared: Vec<&String> = new.iter().filter(|run| said.contains(*run)).collect();
    shared.dedup();
    (shared.len() >= QUOTES_MIN).then(|| shared.first().map(|run| (*run).clone())).flatten()
}

fn runs(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    words.windows(QUOTE_WORDS).map(|run| run.join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::quoted;

    const RECORD: [&str; 2] =
        ["Which number opens the locker by the pool?", "The locker by the pool opens with 4711."];

    /// EV-14.
    #[test]
    fn an_identity_that_quotes_what_it_is_tried_on_is_known_by_its_runs_of_words() {
        let quotes = "You are Felix. Remember: the locker by the pool opens with 4711.";
        assert_eq!(
            quoted(quotes, "You are Felix.", RECORD).as_deref(),
            Some("the locker by the pool")
        );
        // What stands in the identity already was no secret.
        assert_eq!(quoted(quotes, "The locker by the pool opens with 4711", RECORD), None);
        let other =
            "You are Felix, and you know which lockers open with which numbers at the pool.";
        assert_eq!(quoted(other, "You are Felix.", RECORD), None);
        assert_eq!(quoted("", "", RECORD), None);
    }
}
