//! Search for text ignoring case, by Unicode's simple folding: one character becomes one character, without the rules of
//! any language (so `ß` is not `ss`, and `İ` not `i`).

use std::fmt;

use memchr::memmem;

/// The form of a character in which those that differ by case alone are equal.
pub(crate) fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    match c {
        // The standard library's mapping is wrong for these: it gives an ASCII letter, or several characters.
        'ı' | 'İ' => c,
        '\u{1fd3}' => '\u{390}',
        '\u{1fe3}' => '\u{3b0}',
        '\u{fb05}' => '\u{fb06}',
        c => lower(upper(c)),
    }
}

fn upper(c: char) -> char {
    single(c, c.to_uppercase())
}

fn lower(c: char) -> char {
    single(c, c.to_lowercase())
}

/// The mapped character, or `c` where it becomes several.
fn single(c: char, mut mapped: impl ExactSizeIterator<Item = char>) -> char {
    if mapped.len() == 1 { mapped.next().unwrap_or(c) } else { c }
}

/// A search text, prepared for use on many texts. Equality is that of the text as it was given.
#[derive(Clone)]
pub struct FoldedNeedle {
    text: Box<str>,
    finder: Box<memmem::Finder<'static>>,
}

impl FoldedNeedle {
    /// Prepares the search for `text`.
    pub fn new(text: &str) -> Self {
        let folded: String = text.chars().map(fold).collect();
        let finder = Box::new(memmem::Finder::new(folded.as_bytes()).into_owned());
        Self { text: text.into(), finder }
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text in folded form, in UTF-8, for a prefilter over bytes.
    pub fn folded(&self) -> &[u8] {
        self.finder.needle()
    }

    /// Whether `haystack` contains the text, ignoring case. In time linear in both; the empty text is everywhere.
    pub fn found_in(&self, haystack: &str) -> bool {
        if haystack.is_ascii() {
            return self.finder.find(haystack.to_ascii_lowercase().as_bytes()).is_some();
        }
        let folded: String = haystack.chars().map(fold).collect();
        self.finder.find(folded.as_bytes()).is_some()
    }
}

impl PartialEq for FoldedNeedle {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for FoldedNeedle {}

impl fmt::Debug for FoldedNeedle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// Whether `haystack` contains `needle`, ignoring case; see [`FoldedNeedle`].
pub fn contains_fold(haystack: &str, needle: &str) -> bool {
    FoldedNeedle::new(needle).found_in(haystack)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::{contains_fold, fold, lower, upper};

    /// The characters that Unicode's table makes equal to `c`, the first of them first.
    fn folds_with(c: char) -> Vec<char> {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        class.case_fold_simple();
        class.iter().flat_map(|range| range.start()..=range.end()).collect()
    }

    #[test]
    fn folding_is_that_of_unicode() {
        // The standard library may know a later Unicode than the table: pairs with a new character are left out.
        let unassigned = regex::Regex::new(r"\p{Cn}").unwrap();
        let is_new = |c: char| unassigned.is_match(&format!("{c}{}{}", upper(c), lower(c)));
        let mut wrong = Vec::new();
        let mut classes = HashMap::new();
        for c in '\0'..=char::MAX {
            let equal = folds_with(c);
            let class = *classes.entry(fold(c)).or_insert(equal[0]);
            let is_right = class == equal[0] && equal.iter().all(|&other| fold(other) == fold(c));
            if !is_right && !is_new(c) {
                wrong.push((c, equal));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn case_is_ignored_in_every_script() {
        let cases = [
            ("An Error occurred", "ERROR", true),
            ("ЁЛКА", "ёлка", true),
            ("ΣΊΣΥΦΟΣ", "σίσυφος", true),
            ("300 \u{212a}", "300 k", true),
            ("\u{17f}ay", "SAY", true),
            ("STRASSE", "straße", false),
            ("GRO\u{1e9e}", "groß", true),
            ("ISTANBUL", "ıstanbul", false),
            ("x", "", true),
            ("", "x", false),
        ];
        for (haystack, needle, found) in cases {
            assert_eq!(contains_fold(haystack, needle), found, "{haystack} {needle}");
        }
    }

    proptest! {
        #[test]
        fn a_part_in_another_case_is_found(
            before in ".{0,20}",
            part in "[a-zäöüéλжб]{1,9}",
            after in ".{0,20}",
        ) {
            let text = format!("{before}{part}{after}");
            prop_assert!(contains_fold(&text, &part.to_uppercase()));
            let text = format!("{before}{}{after}", part.to_uppercase());
            prop_assert!(contains_fold(&text, &part));
        }
    }
}
