//! Markdown at a terminal while it comes in: headings, lists, quotations, stress and code look as they are meant. Pure.
//!
//! Only what is sure is changed: a mark that is not closed on its line stays a character, so that `*args` and `2 * 3` are
//! what they were. What waits for its closing mark is bounded; everything else is given on at once.

use super::style::{Piece, Tone};

/// Longest text that waits for its closing mark, in bytes.
const HELD_MAX: usize = 400;
const FENCE: &str = "```";
/// Most `#` of a heading.
const HEADING_LEVELS: usize = 6;

/// A text that comes in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct MarkdownStream {
    /// Came in, and not given on yet.
    held: String,
    /// Whether the line has begun; its tone, and what stood before what is held.
    line: Option<Tone>,
    before: Option<char>,
    in_code: bool,
}

/// What is to be done with the beginning of what is held.
enum Next {
    /// These pieces stand for so many bytes.
    Take(usize, Vec<Piece>),
    /// More must come first.
    Wait,
}

impl MarkdownStream {
    /// Takes the next piece; gives what can be shown.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.held.push_str(text);
        self.advance(false)
    }

    /// Ends the text; gives the rest.
    pub(crate) fn finish(&mut self) -> Vec<Piece> {
        let rest = self.advance(true);
        *self = Self::default();
        rest
    }

    fn advance(&mut self, is_end: bool) -> Vec<Piece> {
        let mut out = Vec::new();
        while !self.held.is_empty() {
            let next = match self.line {
                None => self.begin_line(is_end),
                Some(tone) => self.within_line(tone, is_end),
            };
            let Next::Take(bytes, pieces) = next else { break };
            self.before = self.held.get(..bytes).and_then(|taken| taken.chars().next_back());
            self.held.drain(..bytes);
            out.extend(pieces);
        }
        out
    }

    /// The mark at the beginning of a line, if there is one.
    fn begin_line(&mut self, is_end: bool) -> Next {
        let indent = self.held.len() - self.held.trim_start_matches(' ').len();
        let (blank, rest) = self.held.split_at(indent);
        let blank = (Tone::Plain, blank.to_owned());
        if rest.starts_with(FENCE) {
            let Some(end) = rest.find('\n').or_else(|| is_end.then_some(rest.len())) else {
                return Next::Wait;
            };
            self.in_code = !self.in_code;
            self.line = Some(Tone::Dim);
            let fence = rest.get(..end).unwrap_or_default().to_owned();
            return Next::Take(indent + end, vec![blank, (Tone::Dim, fence)]);
        }
        // It may become a mark with what comes next.
        let mark_end = rest.find(|c: char| !is_mark(c)).unwrap_or(rest.len());
        if !is_end && mark_end == rest.len() && rest.len() <= FENCE.len() + HEADING_LEVELS {
            return Next::Wait;
        }
        let mark = rest.get(..mark_end).unwrap_or_default();
        let is_followed = rest.get(mark_end..).is_some_and(|behind| behind.starts_with(' '));
        let (tone, shown) = match mark {
            _ if self.in_code => (Tone::Code, None),
            hashes if is_followed && is_heading(hashes) => (Tone::Strong, Some((mark_end + 1, ""))),
            "-" | "*" | "+" if is_followed => (Tone::Plain, Some((mark_end, "•"))),
            ">" => (Tone::Dim, Some((mark_end, "│"))),
            _ => (Tone::Plain, None),
        };
        self.line = Some(tone);
        match shown {
            Some((bytes, mark)) => {
                Next::Take(indent + bytes, vec![blank, (Tone::Dim, mark.to_owned())])
            }
            None => Next::Take(indent, vec![blank]),
        }
    }

    fn within_line(&mut self, tone: Tone, is_end: bool) -> Next {
        if self.held.starts_with('\n') {
            self.line = None;
            return Next::Take(1, vec![(Tone::Plain, "\n".to_owned())]);
        }
        let plain = self.held.find(['\n', '*', '`']).unwrap_or(self.held.len());
        let is_literal = tone == Tone::Code || tone == Tone::Dim;
        if plain > 0 || is_literal {
            let end = if is_literal { self.held.find('\n') } else { Some(plain) };
            let text = self.held.get(..end.unwrap_or(self.held.len())).unwrap_or_default();
            return Next::Take(text.len(), vec![(tone, text.to_owned())]);
        }
        self.stressed(tone, is_end)
    }

    /// What begins with a mark of stress or code.
    fn stressed(&self, tone: Tone, is_end: bool) -> Next {
        let line_end = self.held.find('\n');
        let line = self.held.get(..line_end.unwrap_or(self.held.len())).unwrap_or_default();
        let is_whole = is_end || line_end.is_some() || line.len() > HELD_MAX;
        let (mark, inner) = match line {
            "*" if !is_whole => return Next::Wait,
            _ if line.starts_with("**") => ("**", Tone::Strong),
            _ if line.starts_with('*') => ("*", Tone::Slanted),
            _ => ("`", Tone::Code),
        };
        let rest = line.get(mark.len()..).unwrap_or_default();
        let opens = mark == "`"
            || !self.before.is_some_and(char::is_alphanumeric)
                && !rest.starts_with([' ', '*'])
                && (!rest.is_empty() || !is_whole);
        let closing = rest.match_indices(mark).map(|(at, _)| at).find(|at| {
            let text = rest.get(..*at).unwrap_or_default();
            !text.is_empty() && (mark == "`" || !text.ends_with([' ', '*']))
        });
        let is_near = |at: &usize| at + 2 * mark.len() <= HELD_MAX;
        match closing.filter(|at| opens && is_near(at)) {
            Some(at) => {
                let text = rest.get(..at).unwrap_or_default();
                Next::Take(at + 2 * mark.len(), vec![(inner, text.to_owned())])
            }
            None if opens && !is_whole => Next::Wait,
            None => Next::Take(mark.len(), vec![(tone, mark.to_owned())]),
        }
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '#' | '-' | '*' | '+' | '>' | '`')
}

fn is_heading(mark: &str) -> bool {
    (1..=HEADING_LEVELS).contains(&mark.len()) && mark.chars().all(|c| c == '#')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MarkdownStream, Piece, Tone};

    fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
        let mut out: Vec<Piece> = Vec::new();
        for (tone, text) in pieces.into_iter().filter(|(_, text)| !text.is_empty()) {
            match out.last_mut() {
                Some((last, before)) if *last == tone => before.push_str(&text),
                _ => out.push((tone, text)),
            }
        }
        out
    }

    fn whole(text: &str) -> Vec<Piece> {
        let mut stream = MarkdownStream::default();
        let mut pieces = stream.push(text);
        pieces.extend(stream.finish());
        joined(pieces)
    }

    fn shown(text: &str) -> String {
        whole(text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn what_is_meant_is_shown() {
        let piece = |tone: Tone, text: &str| (tone, text.to_owned());
        assert_eq!(
            whole("## The heron\nIt is **grey** and `tall`, *very*.\n- one\n> so they say\n"),
            [
                piece(Tone::Strong, "The heron"),
                piece(Tone::Plain, "\nIt is "),
                piece(Tone::Strong, "grey"),
                piece(Tone::Plain, " and "),
                piece(Tone::Code, "tall"),
                piece(Tone::Plain, ", "),
                piece(Tone::Slanted, "very"),
                piece(Tone::Plain, ".\n"),
                piece(Tone::Dim, "•"),
                piece(Tone::Plain, " one\n"),
                piece(Tone::Dim, "│ so they say"),
                piece(Tone::Plain, "\n"),
            ]
        );
        assert_eq!(
            whole("```python\n# no heading, **args\n```\nafter"),
            [
                piece(Tone::Dim, "```python"),
                piece(Tone::Plain, "\n"),
                piece(Tone::Code, "# no heading, **args"),
                piece(Tone::Plain, "\n"),
                piece(Tone::Dim, "```"),
                piece(Tone::Plain, "\nafter"),
            ]
        );
    }

    #[test]
    fn what_is_no_mark_stays_what_it_is() {
        for text in [
            "2 * 3 * 4 = 24",
            "f(*args, **kwargs)",
            "#5 is fixed",
            "a*b*c",
            "-1",
            "snake_case_name",
            "a ` alone",
            "**not closed",
            "***",
            "* ",
            "x",
            "----",
            "#######",
            "5 > 4",
            "** a **",
        ] {
            let stays = shown(text);
            assert!(stays == text || text.starts_with("* "), "{text:?} became {stays:?}");
        }
    }

    proptest! {
        /// However the text is cut, the same is shown, and nothing waits for ever.
        #[test]
        fn the_size_of_pieces_changes_nothing(
            parts in prop::collection::vec("[ab*`#>\\- \n]{0,6}|é|\\*\\*a\\*\\*|```\n", 0..14),
        ) {
            let text = parts.concat();
            let mut stream = MarkdownStream::default();
            let mut pieces: Vec<Piece> = parts.iter().flat_map(|part| stream.push(part)).collect();
            pieces.extend(stream.finish());
            prop_assert_eq!(joined(pieces), whole(&text));
        }

        /// Words are never lost: only marks are.
        #[test]
        fn words_are_all_there(text in "[abc *`#>\\-\n]{0,60}") {
            let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            prop_assert_eq!(letters(&shown(&text)), letters(&text));
        }
    }
}
