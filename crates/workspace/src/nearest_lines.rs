//! Where the text of an edit is not found: the lines of the file that are most like it, with their numbers.

use std::{collections::HashMap, fmt::Write as _};

use abide_domain::visible_line;

use crate::{
    limits::{NEAREST_LINE_BYTES_MAX, NEAREST_LINES_COMPARED_MAX, NEAREST_LINES_MAX},
    shorten::shorten,
};

/// How alike two lines must be to be named, in thousandths.
const LIKENESS_MIN: usize = 400;
/// How alike they are where only white space differs.
const LIKENESS_MAX: usize = 1_000;
/// Bytes of a line that are shown.
const SHOWN_BYTES: usize = 160;

/// Names the nearest lines, as the rest of a sentence; empty where none is near.
pub(crate) fn describe_nearest(text: &str, wanted: &str) -> String {
    // The longest line says the most about where the text should be.
    let Some(anchor) = wanted.lines().map(str::trim).max_by_key(|line| line.len()) else {
        return String::new();
    };
    let anchor = Bigrams::of(anchor);
    let mut nearest: Vec<(usize, usize, &str)> = text
        .lines()
        .take(NEAREST_LINES_COMPARED_MAX)
        .enumerate()
        .map(|(index, line)| (anchor.likeness(line.trim()), index + 1, line))
        .filter(|(likeness, ..)| *likeness >= LIKENESS_MIN)
        .collect();
    nearest.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    nearest.truncate(NEAREST_LINES_MAX);
    if nearest.is_empty() {
        return String::new();
    }
    let mut out = "; the nearest are".to_owned();
    for (likeness, number, line) in nearest {
        let hint = if likeness == LIKENESS_MAX {
            " (white space or the lines around it differ)"
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ =
            write!(out, "\n  line {number}: {}{hint}", visible_line(shorten(line, SHOWN_BYTES)));
    }
    out.push('\n');
    out
}

/// The pairs of neighbouring bytes of a line.
struct Bigrams<'a> {
    line: &'a str,
    counts: HashMap<[u8; 2], usize>,
    total: usize,
}

impl<'a> Bigrams<'a> {
    fn of(line: &'a str) -> Self {
        let line = shorten(line, NEAREST_LINE_BYTES_MAX);
        let mut counts = HashMap::new();
        for pair in line.as_bytes().array_windows::<2>() {
            *counts.entry(*pair).or_default() += 1;
        }
        Self { line, counts, total: line.len().saturating_sub(1) }
    }

    /// Dice's coefficient in thousandths.
    fn likeness(&self, line: &str) -> usize {
        let line = shorten(line, NEAREST_LINE_BYTES_MAX);
        if line == self.line {
            return LIKENESS_MAX;
        }
        let mut left = self.counts.clone();
        let shared =
            line.as_bytes().array_windows::<2>().filter(|pair| match left.get_mut(*pair) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    true
                }
                _ => false,
            });
        let total = self.total + line.len().saturating_sub(1);
        (shared.count() * 2 * LIKENESS_MAX).checked_div(total).unwrap_or(0).min(LIKENESS_MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::describe_nearest;

    #[test]
    fn the_most_alike_lines_are_named_with_their_numbers() {
        let text = "let total = 0;\nfor item in items {\n    total += item.price;\n}\n";
        let told = describe_nearest(text, "total += item.cost;\n}");
        assert!(told.contains("line 3:     total += item.price;"), "{told}");
        let told = describe_nearest(text, "\t\ttotal += item.price;");
        assert!(told.contains("line 3") && told.contains("white space"), "{told}");
        assert_eq!(describe_nearest(text, "völlig anders"), "");
        assert_eq!(describe_nearest("", "x"), "");
    }
}
