//! How a remembered text comes onto a line of the context object: as data, on one line, with its source.
//!
//! What was said or recorded may hold anything: headings, fences, names of sections. On one line behind a dash it can open
//! nothing; only the stimulus stands whole, inside a fence that it cannot close.

use abide_domain::{Timestamp, event::MemoryRef};

/// Marks of a fence at least.
const MARKS_MIN: usize = 3;

/// Longest text of one field on a line, in Unicode scalar values.
pub(super) const FIELD_CHARS_MAX: usize = 240;
/// Longest quotation, in Unicode scalar values.
pub(super) const QUOTE_CHARS_MAX: usize = 320;
/// Longest name, role or file, in Unicode scalar values.
pub(super) const NAME_CHARS_MAX: usize = 100;

/// A text on one line, cut to so many characters.
pub(super) fn one_line(text: &str, chars_max: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= chars_max {
                line.push('…');
                return line;
            }
            line.push(c);
            count += 1;
        }
    }
    line
}

/// A field on one line, without the full stop at its end: the sentence around it has its own.
pub(super) fn field(text: &str) -> String {
    let mut line = one_line(text, FIELD_CHARS_MAX);
    if line.ends_with('.') {
        line.pop();
    }
    line
}

/// A name on one line.
pub(super) fn name(text: &str) -> String {
    one_line(text, NAME_CHARS_MAX)
}

/// A quotation on one line.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", one_line(text, QUOTE_CHARS_MAX))
}

/// The first few of a list, on one line.
pub(super) fn list(items: &[String], count_max: usize, between: &str) -> String {
    let shown: Vec<String> = items.iter().take(count_max).map(|item| field(item)).collect();
    let shown = shown.join(between);
    if items.len() > count_max { format!("{shown}{between}…") } else { shown }
}

/// A line of the object: a statement and where it comes from.
pub(super) fn sourced_line(statement: &str, source: impl std::fmt::Display) -> String {
    format!("- {} [{source}]", statement.trim_end())
}

/// The same with two sources.
pub(super) fn line_of_two_sources(statement: &str, sources: (MemoryRef, MemoryRef)) -> String {
    format!("- {} [{}] [{}]", statement.trim_end(), sources.0, sources.1)
}

/// A point in time to the second; more would be noise.
pub(super) fn seconds(at: Timestamp) -> String {
    let text = at.to_string();
    text.split_once('.').map_or_else(|| text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

/// The text byte for byte inside a fence that it cannot close: longer than any run of the fence's mark in it. Of the two
/// marks the one with the shorter runs is taken, so that a text of one alone does not grow by its own length.
pub(super) fn fenced(text: &str) -> String {
    let longest = |mark: char| text.split(|c| c != mark).map(str::len).max().unwrap_or(0);
    let mark = if longest('`') <= longest('~').max(MARKS_MIN) { '`' } else { '~' };
    let fence = mark.to_string().repeat((longest(mark) + 1).max(MARKS_MIN));
    format!("{fence}text\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::{fenced, field, list, one_line};

    #[test]
    fn a_text_comes_onto_one_line_and_is_cut() {
        assert_eq!(one_line("# a\n\n## b\u{2028}c\t\u{7}d", 100), "# a ## b c d");
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("abc", 3), "abc");
        assert_eq!(one_line("ab c", 3), "ab …");
        assert_eq!(field("It ends."), "It ends");
        assert_eq!(list(&["a".into(), "b.".into(), "c".into()], 2, "; "), "a; b; …");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("x"), "```text\nx\n```");
        assert_eq!(fenced("a\n```\n## b"), "````text\na\n```\n## b\n````");
        assert_eq!(fenced("a\n````\n## b"), "~~~text\na\n````\n## b\n~~~");
        assert_eq!(fenced("`````\n~~~~"), "~~~~~text\n`````\n~~~~\n~~~~~");
    }
}
