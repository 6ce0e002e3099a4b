//! What a word means: the attributes that it is a word of, its month, its number. One look-up each.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::{
    ATTRIBUTES, Attribute, MONTHS, NEAR_DAYS, NUMBERS, SLOTS, STATES, WEEKDAYS,
    word_list::stands_in,
};

/// Words around an attribute from which on it is spoken of without a word of its own.
const AROUND_MIN: usize = 2;

/// A word or a phrase of an attribute.
struct AttributeWord {
    /// The place of the attribute.
    at: usize,
    phrase: String,
    /// Whether it only stands around the attribute.
    is_around: bool,
}

/// The attributes of which a word or a phrase that begins with it is one.
static ATTRIBUTES_OF: LazyLock<HashMap<&str, Vec<AttributeWord>>> = LazyLock::new(|| {
    let own = |(at, attribute): (usize, &'static Attribute)| {
        let words = attribute.words.split_whitespace().map(|word| (word, false));
        let words = words.chain(attribute.around.split_whitespace().map(|word| (word, true)));
        words.map(move |(word, is_around)| {
            let first = word.split('_').next().unwrap_or(word);
            (first, AttributeWord { at, phrase: word.replace('_', " "), is_around })
        })
    };
    by_word(ATTRIBUTES.iter().enumerate().flat_map(own))
});
/// The stems of the words of each attribute, in their order.
static STEMS: LazyLock<Vec<HashSet<String>>> = LazyLock::new(|| {
    ATTRIBUTES.iter().map(|attribute| attribute.all_words().map(stem).collect()).collect()
});
static SLOT_OF: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    SLOTS.iter().flat_map(|(slot, names)| names.iter().map(move |name| (*name, *slot))).collect()
});
static MONTH_OF: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| places(&MONTHS));
static WEEKDAY_OF: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| places(&WEEKDAYS));
static NEAR_DAY_OF: LazyLock<HashMap<&str, i64>> =
    LazyLock::new(|| NEAR_DAYS.iter().copied().collect());
static NUMBER_OF: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| NUMBERS.iter().copied().collect());
static STATE_OF: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| STATES.iter().copied().collect());

fn by_word<T>(all: impl Iterator<Item = (&'static str, T)>) -> HashMap<&'static str, Vec<T>> {
    let mut found: HashMap<&str, Vec<T>> = HashMap::new();
    for (word, one) in all {
        found.entry(word).or_default().push(one);
    }
    found
}

fn places(lists: &[&[&'static str]]) -> HashMap<&'static str, usize> {
    lists
        .iter()
        .enumerate()
        .flat_map(|(at, names)| names.iter().map(move |name| (*name, at)))
        .collect()
}

/// The attributes of which a text speaks: by a word of its own, or by several that stand around it.
pub(in crate::timeline) fn attributes_of<'a>(
    words: impl Iterator<Item = &'a str>,
    spaced: &str,
) -> Vec<&'static Attribute> {
    let mut counts = vec![0; ATTRIBUTES.len()];
    for AttributeWord { at, phrase, is_around } in
        words.filter_map(|word| ATTRIBUTES_OF.get(word)).flatten()
    {
        let is_said = !phrase.contains(' ') || stands_in(phrase, spaced);
        if let Some(count) = counts.get_mut(*at).filter(|_| is_said) {
            *count += if *is_around { 1 } else { AROUND_MIN };
        }
    }
    let all = ATTRIBUTES.iter().zip(counts);
    all.filter(|(_, count)| *count >= AROUND_MIN).map(|(attribute, _)| attribute).collect()
}

/// The stems of an attribute's words.
pub(in crate::timeline) fn own_stems(attribute: &Attribute) -> Option<&'static HashSet<String>> {
    STEMS.get(ATTRIBUTES.iter().position(|one| std::ptr::eq(one, attribute))?)
}

/// A word as it is compared: one of several names for one matter, without the ending of a plural.
pub(in crate::timeline) fn stem(word: &str) -> String {
    if let Some(slot) = SLOT_OF.get(word) {
        return (*slot).to_owned();
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.chars().count() > 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// The month of a name, from 0.
pub(in crate::timeline) fn month(word: &str) -> Option<usize> {
    MONTH_OF.get(word).copied()
}

/// The day of the week of a name, from 0 for Monday.
pub(in crate::timeline) fn weekday(word: &str) -> Option<usize> {
    WEEKDAY_OF.get(word).copied()
}

/// How many days away from the day of the words a day is.
pub(in crate::timeline) fn day_near(word: &str) -> Option<i64> {
    NEAR_DAY_OF.get(word).copied()
}

/// The number of a word.
pub(in crate::timeline) fn number_of(word: &str) -> Option<&'static str> {
    NUMBER_OF.get(word).copied()
}

/// The state of a word.
pub(in crate::timeline) fn state_of(word: &str) -> Option<&'static str> {
    STATE_OF.get(word).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::ATTRIBUTES;

    #[test]
    fn no_word_is_an_attributes_own_and_around_it_as_well() {
        for attribute in ATTRIBUTES {
            let own: HashSet<&str> = attribute.words.split_whitespace().collect();
            let both: Vec<_> =
                attribute.around.split_whitespace().filter(|word| own.contains(word)).collect();
            assert!(both.is_empty(), "{both:?}");
        }
    }
}
