//! Valve's text format of names, values and blocks: `"a" "1" "b" { "c" "2" }`. Read without recursion.

use std::{fs::File, io::Read as _, path::Path};

use crate::limits::VDF_DEPTH_MAX;

/// A block: its names in order, each with a text or a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VdfBlock {
    entries: Vec<(String, VdfValue)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum VdfValue {
    Text(String),
    Block(VdfBlock),
}

enum Token {
    Text(String),
    Open,
    Close,
}

impl VdfBlock {
    /// Reads a file of at most so many bytes; none where it is longer or not of this format. Blocking.
    pub(super) fn read(path: &Path, bytes_max: u64) -> Option<Self> {
        let file = File::open(path).ok()?;
        let mut bytes = Vec::new();
        file.take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > bytes_max {
            return None;
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Reads a whole text; none where it is not of this format.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim_start_matches('\u{feff}');
        // The blocks that are open, each with the name that it will stand under.
        let mut open: Vec<(String, Self)> = vec![(String::new(), Self::default())];
        let mut name: Option<String> = None;
        while let Some((token, after)) = next_token(rest)? {
            rest = after;
            match (token, name.take()) {
                (Token::Text(text), None) => name = Some(text),
                (Token::Text(text), Some(name)) => {
                    open.last_mut()?.1.entries.push((name, VdfValue::Text(text)));
                }
                (Token::Open, Some(name)) if open.len() <= VDF_DEPTH_MAX => {
                    open.push((name, Self::default()));
                }
                (Token::Close, None) if open.len() > 1 => {
                    let (name, block) = open.pop()?;
                    open.last_mut()?.1.entries.push((name, VdfValue::Block(block)));
                }
                _ => return None,
            }
        }
        let (_, root) = open.pop().filter(|_| open.is_empty() && name.is_none())?;
        Some(root)
    }

    /// The text under a name, whatever its case.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.entries.iter().find_map(|(own, value)| match value {
            VdfValue::Text(text) if own.eq_ignore_ascii_case(name) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The block under a name, whatever its case.
    pub(super) fn block(&self, name: &str) -> Option<&Self> {
        self.blocks().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, block)| block)
    }

    /// All blocks with their names.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.entries.iter().filter_map(|(name, value)| match value {
            VdfValue::Block(block) => Some((name.as_str(), block)),
            VdfValue::Text(_) => None,
        })
    }
}

/// The next token and what follows it; `Some(None)` at the end, `None` where the text is not of this format.
#[expect(clippy::option_option, reason = "the end of the text is not the same as an error in it")]
fn next_token(text: &str) -> Option<Option<(Token, &str)>> {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.split_once('\n').map_or("", |(_, after)| after).trim_start();
    }
    let mut chars = rest.chars();
    match chars.next() {
        None => Some(None),
        Some('{') => Some(Some((Token::Open, chars.as_str()))),
        Some('}') => Some(Some((Token::Close, chars.as_str()))),
        Some('"') => quoted(chars.as_str()).map(|(text, after)| Some((Token::Text(text), after))),
        Some(_) => {
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '"'));
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            Some(Some((Token::Text(word.to_owned()), after)))
        }
    }
}

fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some((value, chars.as_str())),
            '\\' => value.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            c => value.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::VdfBlock;

    #[test]
    fn names_values_and_blocks_are_read() {
        let text = "\u{feff}// made by hand\n\"Root\"\n{\n\t\"Path\"\t\t\"C:\\\\Games \\\"x\\\"\" plain word\n\t\"apps\" { \"10\" \"5\" }\n}\n";
        let root = VdfBlock::parse(text).unwrap();
        let block = root.block("root").unwrap();
        assert_eq!(block.text("path"), Some("C:\\Games \"x\""));
        assert_eq!(block.text("plain"), Some("word"));
        assert_eq!(block.block("apps").unwrap().text("10"), Some("5"));
        assert_eq!(VdfBlock::parse(""), Some(VdfBlock::default()));
    }

    #[test]
    fn what_is_not_of_the_format_is_nothing() {
        let deep = "\"a\" {".repeat(100_000);
        for text in
            ["{", "}", "\"a\"", "\"a\" {", "\"a\" { } }", "\"a", "\"a\" \"b\\", "{ }", &deep]
        {
            assert_eq!(VdfBlock::parse(text), None, "{}", &text[..text.len().min(20)]);
        }
    }
}
