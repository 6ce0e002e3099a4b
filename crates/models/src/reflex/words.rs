//! The words of a sentence that carry its meaning, as far as that can be found without a model.

use std::collections::BTreeSet;

/// Words that say nothing about what a sentence is about.
const STOP_WORDS: &str = "a about again all also am an and any are as at be been but by can could did do does else for from \
    get give had has have he her him his how i if in into is it its just know let like me mean mentioned \
    might my no not now of on one or our out please recall remember remind said say she should so some \
    tell than that the their them then there these they thing this those to told too up us was we were \
    what when where which who whom whose why will with would you your call called name named";

/// The meaningful words of a text, lower case, without a plural's or possessive's `s`.
pub(super) fn meaningful(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .map(|word| word.trim_matches('\''))
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .filter(|word| !word.is_empty() && !STOP_WORDS.split_whitespace().any(|stop| stop == *word))
        .map(|word| match word.strip_suffix('s') {
            Some(stem) if stem.chars().count() > 2 && !stem.ends_with('s') => stem.to_owned(),
            _ => word.to_owned(),
        })
        .collect()
}

/// The words that a question asks for; bare numbers of few digits ask for nothing that could be remembered.
pub(super) fn asked(text: &str) -> BTreeSet<String> {
    let is_small = |word: &String| word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    meaningful(text).into_iter().filter(|word| !is_small(word)).collect()
}

/// How many of `words` a text has.
pub(super) fn overlap(words: &BTreeSet<String>, text: &str) -> usize {
    let own = meaningful(text);
    words.iter().filter(|word| own.contains(*word)).count()
}
