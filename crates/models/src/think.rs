//! Separates a thought that a model wrote into its text (`<think>…</think>` at its very beginning, as many open models do)
//! from the text itself: thoughts are stored and never sent to people (decision 16).

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// An incremental splitter. Holds back at most a tag's length of text.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplitter {
    section: Section,
    held: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Start,
    Thought,
    AfterThought,
    Text,
}

/// What a piece of text turned out to be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) thought: String,
    pub(crate) text: String,
}

impl ThinkSplitter {
    /// Takes the next piece in.
    pub(crate) fn push(&mut self, piece: &str) -> Split {
        let mut split = Split::default();
        if self.section == Section::Text {
            piece.clone_into(&mut split.text);
            return split;
        }
        self.held.push_str(piece);
        if self.section == Section::Start {
            self.start();
        }
        if self.section == Section::Thought {
            self.thought(&mut split);
        }
        if self.section == Section::AfterThought {
            let text = self.held.trim_start();
            if !text.is_empty() {
                self.held = text.to_owned();
                self.section = Section::Text;
            }
        }
        if self.section == Section::Text {
            split.text = std::mem::take(&mut self.held);
        }
        split
    }

    /// Ends the text: what was held back is given out as what it was taken for.
    pub(crate) fn finish(&mut self) -> Split {
        let held = std::mem::take(&mut self.held);
        match std::mem::replace(&mut self.section, Section::Text) {
            Section::Thought => Split { thought: held, text: String::new() },
            Section::AfterThought => Split::default(),
            Section::Start | Section::Text => Split { thought: String::new(), text: held },
        }
    }

    fn start(&mut self) {
        let text = self.held.trim_start();
        if let Some(rest) = text.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.section = Section::Thought;
        } else if !OPEN.starts_with(text) {
            self.section = Section::Text;
        }
    }

    fn thought(&mut self, split: &mut Split) {
        if let Some((thought, rest)) = self.held.split_once(CLOSE) {
            thought.clone_into(&mut split.thought);
            self.held = rest.to_owned();
            self.section = Section::AfterThought;
            return;
        }
        // The end of what is held may be the beginning of the closing tag.
        let kept = (1..CLOSE.len())
            .rev()
            .find(|&length| CLOSE.get(..length).is_some_and(|tag| self.held.ends_with(tag)));
        let cut = self.held.len() - kept.unwrap_or(0);
        let rest = self.held.split_off(cut);
        split.thought = std::mem::replace(&mut self.held, rest);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Split, ThinkSplitter};

    fn split(pieces: &[&str]) -> Split {
        let mut splitter = ThinkSplitter::default();
        let mut whole = Split::default();
        let mut add = |split: Split| {
            whole.thought.push_str(&split.thought);
            whole.text.push_str(&split.text);
        };
        for piece in pieces {
            add(splitter.push(piece));
        }
        add(splitter.finish());
        whole
    }

    #[test]
    fn a_leading_thought_is_told_from_the_text() {
        let cases = [
            ("<think>hm</think>\n\nhello", "hm", "hello"),
            ("\n<think>\nhm\n</think>hello", "\nhm\n", "hello"),
            ("hello <think>x</think>", "", "hello <think>x</think>"),
            ("<thin", "", "<thin"),
            ("<thinking>", "", "<thinking>"),
            ("<think>a < b </thin", "a < b </thin", ""),
            ("<think></think>", "", ""),
            ("  hello", "", "  hello"),
            ("{\"a\":1}", "", "{\"a\":1}"),
        ];
        for (text, thought, rest) in cases {
            let expected = Split { thought: thought.into(), text: rest.into() };
            assert_eq!(split(&[text]), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_split(
            parts in proptest::collection::vec(
                prop_oneof![Just("<think>"), Just("</think>"), Just("</"), Just("é"), Just(" "), Just("a")], 0..8),
        ) {
            let text = parts.concat();
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            prop_assert_eq!(split(&letters), split(&[&text]));
        }
    }
}
