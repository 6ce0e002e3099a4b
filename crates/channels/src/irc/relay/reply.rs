//! An answer as lines of IRC: split on words where possible, between characters always, with an end to it.

use crate::irc::limits::{REST_BYTES_MAX, TEXT_BYTES_MAX};

/// Fewest bytes of a line, however long its frame is.
const LINE_BYTES_MIN: usize = 32;
/// Bytes of the frame of an action, `ACTION ` and two control characters.
const ACTION_BYTES: usize = 9;

/// How many bytes of text one line may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineBudget(usize);

impl LineBudget {
    /// The budget of lines that others get as `:source PRIVMSG target :text`.
    pub fn new(source: &str, target: &str) -> Self {
        let frame = ": PRIVMSG  :\r\n".len().saturating_add(ACTION_BYTES);
        let frame = frame.saturating_add(source.len()).saturating_add(target.len());
        let room = REST_BYTES_MAX.saturating_sub(frame);
        Self(room.clamp(LINE_BYTES_MIN, TEXT_BYTES_MAX))
    }

    /// Bytes of text.
    pub const fn bytes(self) -> usize {
        self.0
    }
}

/// Splits an answer into at most `lines_max` lines. Where it has more, the last line is `… (rest: HINT)`.
///
/// What is hidden in it is made visible: a model's `\x01` is no CTCP request, and no mark of direction turns a line.
/// Empty lines are left out, for IRC has none. No line is empty, and none is longer than the budget, but for a hint that
/// is longer by itself and is cut.
pub fn reply_lines(text: &str, budget: LineBudget, lines_max: usize, hint: &str) -> Vec<String> {
    let text = abide_domain::visible(text);
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r', '\0']) {
        let mut rest = line.trim_end();
        while !rest.trim().is_empty() {
            if lines.len() >= lines_max {
                lines.truncate(lines_max.saturating_sub(1));
                lines.push(shortened(&format!("… (rest: {hint})"), budget));
                return lines;
            }
            let (head, tail) = split(rest, budget.0);
            if !head.trim().is_empty() {
                lines.push(head.trim_end().to_owned());
            }
            rest = tail;
        }
    }
    lines
}

/// Some of an answer's lines, and where the next ones begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyPage {
    /// What is said now.
    pub lines: Vec<String>,
    /// The first line that is not said yet; none where all are.
    pub next: Option<usize>,
}

/// The lines of an answer from one on, at most so many. Where more follow, the last line says how many and how to see them.
pub fn reply_page(text: &str, budget: LineBudget, from: usize, lines_max: usize) -> ReplyPage {
    let mut lines = reply_lines(text, budget, usize::MAX, "");
    let mut lines = lines.split_off(from.min(lines.len()));
    if lines.len() <= lines_max {
        return ReplyPage { lines, next: None };
    }
    let shown = lines_max.saturating_sub(1);
    let left = lines.len().saturating_sub(shown);
    lines.truncate(shown);
    lines.push(shortened(&format!("… ({left} more lines: !more)"), budget));
    ReplyPage { lines, next: Some(from.saturating_add(shown)) }
}

fn shortened(line: &str, budget: LineBudget) -> String {
    split_hard(line, budget.0).0.to_owned()
}

/// The part that fits, and the rest without the space between them.
fn split(text: &str, bytes: usize) -> (&str, &str) {
    if text.len() <= bytes {
        return (text, "");
    }
    let (head, _) = split_hard(text, bytes);
    let fits_whole = text.get(head.len()..).is_some_and(|rest| rest.starts_with(' '));
    let space = if fits_whole { Some(head.len()) } else { head.rfind(' ') };
    // A word that fills most of the line is better broken than a line of a few letters sent.
    match space.filter(|space| space.saturating_mul(2) > bytes) {
        Some(space) => {
            let (head, tail) = text.split_at_checked(space).unwrap_or((text, ""));
            (head, tail.trim_start_matches(' '))
        }
        None => text.split_at_checked(head.len()).unwrap_or((text, "")),
    }
}

/// The longest beginning within the bytes that ends between characters; at least one character.
fn split_hard(text: &str, bytes: usize) -> (&str, &str) {
    let end = text.floor_char_boundary(bytes);
    let first = text.chars().next().map_or(0, char::len_utf8);
    text.split_at_checked(end.max(first)).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LineBudget, reply_lines, reply_page};

    #[test]
    fn what_a_model_hides_in_its_words_is_seen_and_commands_nothing() {
        let text = "\u{1}DCC SEND x 1 2\u{1}\r\nQUIT :bye\0 \u{202e}gpj";
        let lines = reply_lines(text, LineBudget(200), 9, "");
        assert_eq!(lines, ["⟦U+0001⟧DCC SEND x 1 2⟦U+0001⟧", "QUIT :bye⟦U+0000⟧ ⟦U+202E⟧gpj"]);
    }

    #[test]
    fn an_answer_is_split_on_words_and_lines() {
        let budget = LineBudget(12);
        let cases: [(&str, &[&str]); 8] = [
            ("hello", &["hello"]),
            ("", &[]),
            ("\n \n", &[]),
            ("one\n\ntwo\r\nthree", &["one", "two", "three"]),
            ("a bc def ghij klm", &["a bc def", "ghij klm"]),
            ("abcdefghijkl mno", &["abcdefghijkl", "mno"]),
            ("abcdefghijklmnopqrstuv", &["abcdefghijkl", "mnopqrstuv"]),
            ("  indented code", &["  indented", "code"]),
        ];
        for (text, expected) in cases {
            assert_eq!(reply_lines(text, budget, 99, ""), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_answer_says_where_the_rest_is() {
        let budget = LineBudget::new("felix!agent@agents.abide", "#abide");
        let lines = reply_lines("1\n2\n3\n4\n", budget, 3, "abide epochs show 0198");
        assert_eq!(lines, ["1", "2", "… (rest: abide epochs show 0198)"]);
        assert_eq!(reply_lines("1\n2\n3\n", budget, 3, "x"), ["1", "2", "3"]);
    }

    #[test]
    fn a_long_answer_is_read_page_by_page_to_its_end() {
        let budget = LineBudget::new("felix!agent@agents.abide", "#abide");
        let text: Vec<_> = (1..=9).map(|n| n.to_string()).collect();
        let text = text.join("\n");
        let (mut from, mut read) = (0, Vec::new());
        loop {
            let page = reply_page(&text, budget, from, 4);
            assert!(page.lines.len() <= 4, "{page:?}");
            let Some(next) = page.next else {
                read.extend(page.lines);
                break;
            };
            let (hint, lines) = page.lines.split_last().unwrap();
            assert_eq!(*hint, format!("… ({} more lines: !more)", 9 - next));
            read.extend(lines.to_vec());
            from = next;
        }
        assert_eq!(read.join("\n"), text);
        assert_eq!(reply_page(&text, budget, 99, 4).lines, Vec::<String>::new());
    }

    #[test]
    fn the_budget_leaves_room_for_the_frame() {
        assert_eq!(LineBudget::new("a!b@c", "#c").bytes(), 400);
        let long = "n".repeat(64);
        let budget = LineBudget::new(&format!("{long}!agent@agents.abide"), &format!("#{long}"));
        let frame = format!(":{long}!agent@agents.abide PRIVMSG #{long} :\r\n").len();
        assert!(budget.bytes() + frame <= 512 && budget.bytes() > 300, "{budget:?}");
    }

    proptest! {
        #[test]
        fn no_line_is_empty_or_too_long_and_no_word_is_lost(text in "[a-zäöü€😀 \n]{0,400}", bytes in 4_usize..60, max in 1_usize..60) {
            let lines = reply_lines(&text, LineBudget(bytes), usize::MAX, "");
            for line in &lines {
                prop_assert!(!line.trim().is_empty() && line.len() <= bytes && !line.contains('\n'));
            }
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            prop_assert!(reply_lines(&text, LineBudget(bytes), max, "x").len() <= max);
        }
    }
}
