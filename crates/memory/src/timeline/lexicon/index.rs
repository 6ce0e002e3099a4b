//! The lists by word: one look-up instead of hundreds of comparisons for each word of what is judged.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::{
    AGAINST, AT, ATTRIBUTES, Attribute, CALLED, CHANGE, CORRECTION, CORRECTION_PHRASES, DENIAL,
    DESIGNATORS, FILLERS, FOR, HEDGE, HOMES, MISTAKE, MONEY, MONTHS, NEAR_DAYS, NOW, NOW_PHRASES,
    NUMBERS, OF, OTHERS, PERCENT, PLANS, PRONOUNS, ROLES, RULE, SINCE, SLOTS, SPEAKER, STATES,
    TIMES, TITLES, TOGETHER, VERBS, WEEKDAYS, WORKING,
};

/// A list of so many words is looked through.
const SHORT_MAX: usize = 12;

/// Lists of words that are longer.
static LONG: &[&[&str]] = &[
    AGAINST,
    AT,
    CHANGE,
    CORRECTION,
    DENIAL,
    FILLERS,
    HEDGE,
    MISTAKE,
    NOW,
    OF,
    OTHERS,
    ROLES,
    RULE,
    SPEAKER,
    TIMES,
    VERBS,
    WORKING,
    CALLED,
    FOR,
    HOMES,
    MONEY,
    PERCENT,
    PLANS,
    PRONOUNS,
    TITLES,
    TOGETHER,
    DESIGNATORS,
    SINCE,
];
/// Lists of phrases.
static PHRASES: [&[&str]; 2] = [CORRECTION_PHRASES, NOW_PHRASES];

/// The long lists that hold a word.
static LISTS_OF: LazyLock<HashMap<&str, Vec<&[&str]>>> = LazyLock::new(|| {
    by_word(LONG.iter().flat_map(|list| list.iter().map(move |word| (*word, *list))))
});
/// The phrases that begin with a word, each with the place in [`PHRASES`] of its list.
static PHRASES_OF: LazyLock<HashMap<&str, Vec<(usize, &str)>>> = LazyLock::new(|| {
    let all = PHRASES
        .iter()
        .enumerate()
        .flat_map(|(at, list)| list.iter().map(move |phrase| (at, *phrase)));
    by_word(all.map(|(at, phrase)| (first_word(phrase), (at, phrase))))
});
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
        let words = attribute.words.split(' ').map(|word| (word, false));
        let words = words.chain(attribute.around.split(' ').map(|word| (word, true)));
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

fn first_word(phrase: &'static str) -> &'static str {
    phrase.split(' ').next().unwrap_or(phrase)
}

/// Whether two lists are one, by what tells them apart here: where a list lies in memory may differ between uses of it.
fn is_same(one: &[&str], other: &[&str]) -> bool {
    one.len() == other.len() && one.first() == other.first()
}

/// Whether a list holds a word.
pub(in crate::timeline) fn is_in(list: &[&str], word: &str) -> bool {
    if list.len() <= SHORT_MAX {
        return list.contains(&word);
    }
    debug_assert!(
        LONG.iter().any(|long| is_same(long, list)),
        "a long list stands in LONG: {list:?}"
    );
    LISTS_OF.get(word).is_some_and(|lists| lists.iter().any(|long| is_same(long, list)))
}

/// Whether one of a list of phrases stands in a text, of which these are the words; the text with a space around each word.
pub(in crate::timeline) fn has_phrase<'a>(
    list: &[&str],
    words: impl Iterator<Item = &'a str>,
    spaced: &str,
) -> bool {
    let Some(at) = PHRASES.iter().position(|phrases| is_same(phrases, list)) else {
        return list.iter().any(|phrase| stands_in(phrase, spaced));
    };
    let mut phrases = words.filter_map(|word| PHRASES_OF.get(word)).flatten();
    phrases.any(|(of, phrase)| *of == at && stands_in(phrase, spaced))
}

/// The attributes of which so many words stand in a text, by their own words or by those around them.
pub(in crate::timeline) fn attributes_of<'a>(
    words: impl Iterator<Item = &'a str>,
    spaced: &str,
    around_min: usize,
) -> Vec<&'static Attribute> {
    let mut counts = vec![0; ATTRIBUTES.len()];
    for AttributeWord { at, phrase, is_around } in
        words.filter_map(|word| ATTRIBUTES_OF.get(word)).flatten()
    {
        let is_said = !phrase.contains(' ') || stands_in(phrase, spaced);
        if let Some(count) = counts.get_mut(*at).filter(|_| is_said) {
            *count += if *is_around { 1 } else { around_min };
        }
    }
    let all = ATTRIBUTES.iter().zip(counts);
    all.filter(|(_, count)| *count >= around_min).map(|(attribute, _)| attribute).collect()
}

fn stands_in(phrase: &str, spaced: &str) -> bool {
    spaced.match_indices(phrase).any(|(at, found)| {
        let (before, behind) = (spaced.get(..at), spaced.get(at + found.len()..));
        before.is_some_and(|text| text.ends_with(' '))
            && behind.is_some_and(|text| text.starts_with(' '))
    })
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
    use super::{LONG, PHRASES, is_same};

    #[test]
    fn every_list_is_told_from_every_other() {
        for lists in [LONG, &PHRASES] {
            for (at, list) in lists.iter().enumerate() {
                assert_eq!(lists.iter().position(|one| is_same(one, list)), Some(at), "{list:?}");
            }
        }
    }
}
