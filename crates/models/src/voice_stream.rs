//! Reads `final_response` out of a JSON voice while it is still being written, so that people see words grow and not
//! JSON. A display only: the voice itself is read from the whole text at the end.

/// An incremental scanner over the characters of one JSON object.
#[derive(Debug, Default)]
pub(crate) struct VoiceStream {
    depth: u32,
    expects: Expects,
    string: Option<StringRole>,
    escape: Escape,
    key: String,
    surrogate: Option<u32>,
    is_done: bool,
}

/// What comes next at the top level of the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expects {
    #[default]
    Key,
    Value,
}

/// The string that the scanner is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringRole {
    Key,
    Response,
    Other,
}

/// Where in an escape the scanner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    Unicode {
        digits: u8,
        code: u32,
    },
}

/// Longest key that is looked at; a longer one is not a field of a voice.
const KEY_CHARS_MAX: usize = 32;

impl VoiceStream {
    /// Takes the next piece in and gives what it adds to the response.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for letter in piece.chars() {
            if self.string.is_some() {
                self.in_string(letter, &mut out);
            } else {
                self.between(letter);
            }
        }
        out
    }

    fn between(&mut self, letter: char) {
        match letter {
            '{' | '[' => self.depth = self.depth.saturating_add(1),
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ':' if self.depth == 1 => self.expects = Expects::Value,
            ',' if self.depth == 1 => self.expects = Expects::Key,
            '"' => {
                let kind = match (self.depth, self.expects) {
                    (1, Expects::Key) => StringRole::Key,
                    (1, Expects::Value) if self.key == "final_response" && !self.is_done => {
                        StringRole::Response
                    }
                    _ => StringRole::Other,
                };
                if kind == StringRole::Key {
                    self.key.clear();
                }
                self.string = Some(kind);
            }
            _ => {}
        }
    }

    fn in_string(&mut self, letter: char, out: &mut String) {
        match self.escape {
            Escape::None if letter == '\\' => self.escape = Escape::Begun,
            Escape::None if letter == '"' => {
                self.is_done |= self.string == Some(StringRole::Response);
                self.string = None;
                self.surrogate = None;
            }
            Escape::None => self.add(letter, out),
            Escape::Begun if letter == 'u' => {
                self.escape = Escape::Unicode { digits: 0, code: 0 };
            }
            Escape::Begun => {
                self.escape = Escape::None;
                let letter = match letter {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    other => other,
                };
                self.add(letter, out);
            }
            Escape::Unicode { digits, code } => {
                let code = code * 16 + letter.to_digit(16).unwrap_or(0);
                if digits == 3 {
                    self.escape = Escape::None;
                    self.code(code, out);
                } else {
                    self.escape = Escape::Unicode { digits: digits + 1, code };
                }
            }
        }
    }

    /// Adds an escaped code unit; a character beyond the first 65,536 comes as two.
    fn code(&mut self, code: u32, out: &mut String) {
        if (0xD800..0xDC00).contains(&code) {
            self.surrogate = Some(code);
            return;
        }
        let code = match self.surrogate.take() {
            Some(high) if (0xDC00..0xE000).contains(&code) => {
                0x1_0000 + ((high - 0xD800) << 10) + (code - 0xDC00)
            }
            _ => code,
        };
        self.add(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), out);
    }

    fn add(&mut self, letter: char, out: &mut String) {
        match self.string {
            Some(StringRole::Key) if self.key.len() < KEY_CHARS_MAX => self.key.push(letter),
            Some(StringRole::Response) => out.push(letter),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::VoiceStream;

    fn stream(text: &str, letters: usize) -> String {
        let mut stream = VoiceStream::default();
        let all: Vec<char> = text.chars().collect();
        all.chunks(letters).map(|piece| stream.push(&piece.iter().collect::<String>())).collect()
    }

    #[test]
    fn only_the_response_is_shown() {
        let cases = [
            (r#"{"thought":"no","final_response":"yes"}"#, "yes"),
            (r#"{"thought":"\"final_response\":\"no\"","final_response":null}"#, ""),
            (r#"{"tool_calls":[{"final_response":"no"}],"final_response":"yes"}"#, "yes"),
            (
                "```json\n{\"final_response\" : \"a\\n\\\"b\\\" \\u00e9\\uD83D\\uDE00\"}\n```",
                "a\n\"b\" é😀",
            ),
            (r#"{"final_response":"unfinis"#, "unfinis"),
            (r#"{"final_response":"one","final_response":"two"}"#, "one"),
            ("no json at all", ""),
        ];
        for (text, expected) in cases {
            for letters in [1, 3, 1000] {
                assert_eq!(stream(text, letters), expected, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_what_is_said(thought in "\\PC{0,20}", said in "(\\PC|\n|\t|\"|\\\\){0,40}", size in 1_usize..9) {
            let voice = json!({"thought": thought, "tool_calls": [{"name": thought}], "final_response": said});
            prop_assert_eq!(stream(&voice.to_string(), size), said);
        }
    }
}
