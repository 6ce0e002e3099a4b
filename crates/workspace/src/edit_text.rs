//! Replaces parts of a text: each stands in it exactly once, or nothing changes.
//!
//! A text that is looked for is taken as it is, except for line ends: `\n` also finds `\r\n`, and what takes its place ends
//! its lines as those did that it replaces, so that a file keeps its line ends, mixed ones too.

use std::{borrow::Cow, ops::Range};

use abide_tools::{ToolError, ToolErrorKind};

use crate::{
    elision::elision_mark,
    limits::{FILE_BYTES_MAX, MATCHES_NAMED_MAX, PLACES_MAX},
    nearest_lines::describe_nearest,
};

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextEdit {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Whether every place is meant where the old text stands.
    pub(crate) all: bool,
}

/// Applies edits one after another, each to what the ones before it left; all or none.
pub(crate) fn apply_edits(text: &str, edits: &[TextEdit]) -> Result<String, ToolError> {
    let mut text = text.to_owned();
    for (index, edit) in edits.iter().enumerate() {
        let which = if edits.len() > 1 { format!("edit {}: ", index + 1) } else { String::new() };
        text = apply(&text, edit).map_err(|error| ToolError {
            message: format!("{which}{}; nothing was changed", error.message),
            ..error
        })?;
    }
    Ok(text)
}

fn apply(text: &str, edit: &TextEdit) -> Result<String, ToolError> {
    let TextEdit { old, new, all } = edit;
    if old.is_empty() {
        return Err(ToolError::new("the text to replace is empty; files.write makes new files"));
    }
    if old == new {
        return Err(ToolError::new("the new text is the same as the old one"));
    }
    if let Some(mark) = elision_mark(old, new) {
        let message = format!(
            "the new text leaves something out (`{}`); write it in full, or replace less",
            mark.trim()
        );
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    // Whoever writes returns means bytes; they are tried as such first.
    if old.contains('\r') && text.contains(old.as_str()) {
        let found = places(text, old, *all);
        check_one(text, &found, *all)?;
        return replace(text, &found, |_| Cow::Borrowed(new.as_str()));
    }
    let plain = PlainLines::of(text);
    let old = old.replace("\r\n", "\n");
    let new = if edit.old.contains('\r') { new.replace("\r\n", "\n") } else { new.clone() };
    let found = places(&plain.text, &old, *all);
    if found.is_empty() {
        return Err(ToolError::of(
            ToolErrorKind::NotFound,
            format!(
                "the text to replace is not in the file{}",
                describe_nearest(&plain.text, &old)
            ),
        ));
    }
    check_one(&plain.text, &found, *all)?;
    let raw: Vec<Range<usize>> =
        found.iter().map(|place| plain.raw(place.start)..plain.raw(place.end)).collect();
    replace(text, &raw, |index| {
        found.get(index).map(|place| plain.with_ends(place, &new)).unwrap_or_default()
    })
}

/// Where a text stands: all places that do not overlap, or, where one is wanted, also those that do.
fn places(text: &str, old: &str, all: bool) -> Vec<Range<usize>> {
    if all {
        return text.match_indices(old).map(|(at, _)| at..at + old.len()).collect();
    }
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old)) {
        found.push(from + at..from + at + old.len());
        from += at + step;
        if found.len() > MATCHES_NAMED_MAX {
            break;
        }
    }
    found
}

fn check_one(text: &str, found: &[Range<usize>], all: bool) -> Result<(), ToolError> {
    if all && found.len() > PLACES_MAX {
        let message = format!(
            "the text to replace is in the file {} times; at most {PLACES_MAX} are replaced at once",
            found.len()
        );
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    if all || found.len() == 1 {
        return Ok(());
    }
    let line_of = |place: &Range<usize>| {
        text.as_bytes().iter().take(place.start).filter(|byte| **byte == b'\n').count() + 1
    };
    let lines: Vec<String> =
        found.iter().take(MATCHES_NAMED_MAX).map(|place| line_of(place).to_string()).collect();
    let more = if found.len() > MATCHES_NAMED_MAX { " and more" } else { "" };
    let message = format!(
        "the text to replace is in the file more than once (lines {}{more}); give more of what is around it, or `all: true`",
        lines.join(", ")
    );
    Err(ToolError::of(ToolErrorKind::Ambiguous, message))
}

/// The text with each place replaced; refused before it grows beyond what a file may have.
fn replace<'a>(
    text: &str,
    found: &[Range<usize>],
    new: impl Fn(usize) -> Cow<'a, str>,
) -> Result<String, ToolError> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (index, place) in found.iter().enumerate() {
        out.push_str(text.get(from..place.start).unwrap_or_default());
        out.push_str(&new(index));
        from = place.end;
        if out.len() > FILE_BYTES_MAX {
            return Err(too_long());
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    if out.len() > FILE_BYTES_MAX { Err(too_long()) } else { Ok(out) }
}

fn too_long() -> ToolError {
    let message = format!("the file would have more than {FILE_BYTES_MAX} bytes");
    ToolError::of(ToolErrorKind::Blocked, message)
}

/// A text with `\n` at the end of each line, and where there was a return before it.
struct PlainLines {
    text: String,
    /// Positions in `text` of the line ends that had a return, ascending.
    with_return: Vec<usize>,
}

impl PlainLines {
    fn of(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut with_return = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(line) => {
                    plain.push_str(line);
                    with_return.push(plain.len());
                    plain.push('\n');
                }
                None => plain.push_str(line),
            }
        }
        Self { text: plain, with_return }
    }

    /// Where a position of the plain text is in the text as it was: before a return, not after it.
    fn raw(&self, at: usize) -> usize {
        at + self.with_return.partition_point(|end| *end < at)
    }

    fn line_end(&self, at: usize) -> &'static str {
        if self.with_return.binary_search(&at).is_ok() { "\r\n" } else { "\n" }
    }

    /// A new text with the line ends of the place that it takes: the first line end is that of the first one there, and so on.
    fn with_ends<'a>(&self, place: &Range<usize>, new: &'a str) -> Cow<'a, str> {
        if !new.contains('\n') {
            return Cow::Borrowed(new);
        }
        let there: Vec<&str> = self
            .text
            .get(place.clone())
            .unwrap_or_default()
            .match_indices('\n')
            .map(|(at, _)| self.line_end(place.start + at))
            .collect();
        let around = || {
            let after = self.text.get(place.end..).and_then(|rest| rest.find('\n'));
            let before = || self.text.get(..place.start).and_then(|rest| rest.rfind('\n'));
            after.map(|at| place.end + at).or_else(before).map_or("\n", |at| self.line_end(at))
        };
        let beyond = there.last().copied().unwrap_or_else(around);
        let mut there = there.into_iter();
        let mut out = String::with_capacity(new.len());
        for line in new.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                // A return that was written is meant.
                Some(text) if text.ends_with('\r') => {
                    there.next();
                    out.push_str(line);
                }
                Some(text) => {
                    out.push_str(text);
                    out.push_str(there.next().unwrap_or(beyond));
                }
                None => out.push_str(line),
            }
        }
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    use abide_tools::ToolErrorKind;
    use proptest::prelude::*;

    use super::{TextEdit, apply_edits};

    fn edit(old: &str, new: &str) -> TextEdit {
        TextEdit { old: old.to_owned(), new: new.to_owned(), all: false }
    }

    fn all(old: &str, new: &str) -> TextEdit {
        TextEdit { all: true, ..edit(old, new) }
    }

    #[test]
    fn edits_that_double_a_text_end_before_it_fills_the_memory() {
        let edits = vec![all("a", "aa"); 64];
        let error = apply_edits("a", &edits).unwrap_err();
        assert!(
            error.message.contains("edit 18: the text") || error.message.contains("bytes"),
            "{error}"
        );
        assert_eq!(error.kind, ToolErrorKind::Blocked);
    }

    #[test]
    fn line_ends_and_a_missing_last_one_are_kept() {
        for (text, edit, expected) in [
            ("a\nb\nc", edit("b", "x"), "a\nx\nc"),
            ("a\r\nb\r\nc", edit("a\nb", "x\ny"), "x\r\ny\r\nc"),
            ("a\r\nb\r\nc", edit("b", "x\ny"), "a\r\nx\r\ny\r\nc"),
            ("a\r\nb\r\nc", edit("c", "c\nd"), "a\r\nb\r\nc\r\nd"),
            ("a\r\nb\r\n", edit("\nb", "\nx\ny"), "a\r\nx\r\ny\r\n"),
            ("a\r\nb\r\n", edit("\nb", ""), "a\r\n"),
            ("a\r\nb\nc\r\n", edit("a\nb\nc\n", "1\n2\n3\n4\n"), "1\r\n2\n3\r\n4\r\n"),
            ("a\r\nb\nc\r\n", edit("b", "x"), "a\r\nx\nc\r\n"),
            ("a\nb\n", edit("a\r\nb", "x\r\ny"), "x\ny\n"),
            ("a\r\nb\n", edit("a\r\nb", "x\ny"), "x\ny\n"),
            ("a\n", edit("a", "a\r\nb"), "a\r\nb\n"),
            ("a\rb\r", edit("a\rb", "x"), "x\r"),
            ("ab", edit("ab", "ab\n"), "ab\n"),
            ("a a a", all("a", "bb"), "bb bb bb"),
            ("a\r\na\n", all("a\n", "b\n"), "b\r\nb\n"),
            ("aaa", all("aa", "b"), "ba"),
        ] {
            assert_eq!(
                apply_edits(text, std::slice::from_ref(&edit)).unwrap(),
                expected,
                "{text:?} {edit:?}"
            );
        }
    }

    #[test]
    fn what_is_not_there_exactly_once_changes_nothing() {
        let text = "fn a() {\n    one();\n}\nfn b() {\n        one();\n}\n";
        for (edit, kind, words) in [
            (edit("\tone();", "x"), ToolErrorKind::NotFound, "line 2"),
            (edit("one();", "x"), ToolErrorKind::Ambiguous, "lines 2, 5"),
            (edit("", "x"), ToolErrorKind::Invalid, "empty"),
            (edit("x", "x"), ToolErrorKind::Invalid, "the same"),
            (edit("fn c", "x"), ToolErrorKind::NotFound, "line 1"),
            (all("two", "x"), ToolErrorKind::NotFound, "not in the file"),
        ] {
            let error = apply_edits(text, std::slice::from_ref(&edit)).unwrap_err();
            assert_eq!(error.kind, kind, "{edit:?}: {error}");
            assert!(error.message.contains(words), "{edit:?}: {error}");
        }
        let error = apply_edits("aaa", &[edit("aa", "b")]).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Ambiguous, "places that overlap are two");
    }

    #[test]
    fn two_blocks_that_differ_in_indentation_alone_are_not_taken_for_each_other() {
        let text = "if a {\n    go();\n}\nif b {\n  go();\n}\n";
        assert!(apply_edits(text, &[edit("{\n      go();\n}", "{}")]).is_err());
        let changed = apply_edits(text, &[edit("{\n  go();\n}", "{}")]).unwrap();
        assert_eq!(changed, "if a {\n    go();\n}\nif b {}\n");
    }

    #[test]
    fn of_several_edits_all_are_made_or_none() {
        assert_eq!(apply_edits("a b", &[edit("a", "c"), edit("c b", "d")]).unwrap(), "d");
        let error = apply_edits("a b", &[edit("a", "c"), edit("a", "d")]).unwrap_err();
        assert!(
            error.message.starts_with("edit 2: ") && error.message.ends_with("nothing was changed"),
            "{error}"
        );
    }

    #[test]
    fn an_edit_that_leaves_something_out_is_refused() {
        let old = "a\nb\nc\nd\ne\n";
        let error = apply_edits(old, &[edit(old, "a\n// ... existing code ...\n")]).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Blocked);
    }

    proptest! {
        #[test]
        fn bytes_outside_of_the_place_stay(
            before in "[a\r\n]{0,12}", after in "[a\r\n]{0,12}", new in "[bc]{1,4}",
        ) {
            // Where the place itself holds no line end, what is around it is as it was.
            let text = format!("{before}XY{after}");
            let changed = apply_edits(&text, &[edit("XY", &new)]).unwrap();
            prop_assert_eq!(changed, format!("{before}{new}{after}"));
        }

        #[test]
        fn in_a_file_with_returns_an_edit_does_what_it_does_without(
            lines in prop::collection::vec("[ab]{0,3}", 1..8), old in "[ab\n]{1,4}", new in "[cd\n]{0,4}",
        ) {
            let text = lines.join("\n");
            let change = |text: &str| apply_edits(text, &[edit(&old, &new)]);
            let (plain, with_returns) = (change(&text), change(&text.replace('\n', "\r\n")));
            match (plain, with_returns) {
                (Ok(plain), Ok(with_returns)) if text.contains('\n') => {
                    prop_assert_eq!(plain.replace('\n', "\r\n"), with_returns);
                }
                (plain, with_returns) => prop_assert_eq!(plain, with_returns),
            }
        }
    }
}
