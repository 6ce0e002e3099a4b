//! How a remembered text comes onto a line of the context object: as data, on one line, with its source.
//!
//! What was said or recorded may hold anything: headings, fences, names of sections. On one line behind a dash it can open
//! nothing. The message itself stands outside of the object, once.

use abide_domain::{context_object::source_mark, event::MemoryRef};

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
    format!("- {} {}", statement.trim_end(), source_mark(source))
}

/// The same with two sources.
pub(super) fn line_of_two_sources(statement: &str, sources: (MemoryRef, MemoryRef)) -> String {
    let (first, second) = (source_mark(sources.0), source_mark(sources.1));
    format!("- {} {first} {second}", statement.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{field, list, one_line};

    #[test]
    fn a_text_comes_onto_one_line_and_is_cut() {
        assert_eq!(one_line("# a\n\n## b\u{2028}c\t\u{7}d", 100), "# a ## b c d");
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("abc", 3), "abc");
        assert_eq!(one_line("ab c", 3), "ab …");
        assert_eq!(field("It ends."), "It ends");
        assert_eq!(list(&["a".into(), "b.".into(), "c".into()], 2, "; "), "a; b; …");
    }
}
