//! Separates a thought that a model wrote into its text (`<think>…</think>` at its very beginning, as many open models do)
//! from the text itself: thoughts are stored and never sent to people (decision 16).
//!
//! Some templates open the thought in the prompt, so that the closing tag comes alone: what stands before it is thought. That
//! shows only at the end of an answer ([`lone_close`]); of a model that was seen to do so, nothing is taken for text before it.

use crate::RequestForm;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// An incremental splitter. Holds back at most a tag's length of text.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplitter {
    section: Section,
    held: String,
    /// Whether an answer is asked for as JSON, in whose texts a tag is no tag.
    is_json: bool,
    /// Whether a tag told a thought from the text.
    has_split: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Start,
    /// A thought, if a closing tag comes; else text.
    PerhapsThought,
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

/// The thought and the text of a whole answer whose thought is closed and nowhere opened. One that only speaks of the tag has
/// none.
pub(crate) fn lone_close(text: &str) -> Option<(&str, &str)> {
    let (before, after) = text.split_once(CLOSE)?;
    let is_code = before.matches('`').count() % 2 == 1;
    let is_quoted = before.ends_with(['"', '\'', '“', '‘', '«']);
    let is_mentioned =
        before.ends_with(' ') && after.starts_with([' ', ',', '.', ')', ':', ';', '?', '!']);
    let is_thought = !(before.contains(OPEN) || is_code || is_quoted || is_mentioned);
    is_thought.then(|| (before, after.trim_start()))
}

/// Whether a text is an object of JSON from its first letter on: then a tag stands in one of its texts and ends no thought.
pub(crate) fn begins_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

impl ThinkSplitter {
    /// A splitter for the answer of a model whose template opens the thought.
    pub(crate) fn beginning_in_thought(form: RequestForm) -> Self {
        let is_json = form == RequestForm::Json;
        Self { section: Section::PerhapsThought, is_json, ..Self::default() }
    }

    /// Whether it waits for the end of a thought that nothing opened.
    pub(crate) fn waits_for_close(&self) -> bool {
        self.section == Section::PerhapsThought
    }

    /// Whether a tag told a thought from the text.
    pub(crate) fn has_split(&self) -> bool {
        self.has_split
    }

    /// Takes the next piece in.
    pub(crate) fn push(&mut self, piece: &str) -> Split {
        let mut split = Split::default();
        if self.section == Section::Text {
            piece.clone_into(&mut split.text);
            return split;
        }
        // What came before was searched: a tag that is new ends in this piece.
        let searched = self.held.floor_char_boundary(self.held.len().saturating_sub(CLOSE.len()));
        self.held.push_str(piece);
        if matches!(self.section, Section::Start | Section::PerhapsThought) {
            self.start();
        }
        let is_closed = || self.held.get(searched..).is_some_and(|new| new.contains(CLOSE));
        if self.section == Section::PerhapsThought && is_closed() {
            self.section = Section::Thought;
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

    /// Ends the text: what was held back is given out as what it was taken for. What may have been a thought is text only in an
    /// answer that is whole.
    pub(crate) fn finish(&mut self, is_whole: bool) -> Split {
        let held = std::mem::take(&mut self.held);
        let thought = |held| Split { thought: held, text: String::new() };
        match std::mem::replace(&mut self.section, Section::Text) {
            Section::Thought => thought(held),
            Section::PerhapsThought if !is_whole => thought(held),
            Section::AfterThought => Split::default(),
            Section::PerhapsThought | Section::Start | Section::Text => {
                Split { thought: String::new(), text: held }
            }
        }
    }

    fn start(&mut self) {
        let text = self.held.trim_start();
        if let Some(rest) = text.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.section = Section::Thought;
            self.has_split = true;
        } else if match self.section {
            Section::Start => !OPEN.starts_with(text),
            _ => self.is_json && begins_object(text),
        } {
            self.section = Section::Text;
        }
    }

    fn thought(&mut self, split: &mut Split) {
        if let Some((thought, rest)) = self.held.split_once(CLOSE) {
            thought.clone_into(&mut split.thought);
            self.held = rest.to_owned();
            self.section = Section::AfterThought;
            self.has_split = true;
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

    use super::{Split, ThinkSplitter, lone_close};
    use crate::RequestForm;

    fn begins() -> ThinkSplitter {
        ThinkSplitter::beginning_in_thought(RequestForm::Native)
    }

    fn split(pieces: &[&str]) -> Split {
        split_by(ThinkSplitter::default(), pieces)
    }

    fn split_by(mut splitter: ThinkSplitter, pieces: &[&str]) -> Split {
        let mut whole = Split::default();
        let mut add = |split: Split| {
            whole.thought.push_str(&split.thought);
            whole.text.push_str(&split.text);
        };
        for piece in pieces {
            add(splitter.push(piece));
        }
        add(splitter.finish(true));
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

    #[test]
    fn what_a_lone_closing_tag_ends_is_a_thought() {
        let cases = [
            ("secret plan</think>\n\nThe answer is 5.", Some(("secret plan", "The answer is 5."))),
            ("a\n</think>b", Some(("a\n", "b"))),
            ("</think>\n\nb", Some(("", "b"))),
            ("a</think>", Some(("a", ""))),
            ("no tag", None),
            ("It ends with `</think>`.", None),
            ("```\na</think>\n```", None),
            ("It ends with \"</think>\".", None),
            ("The tag </think> ends it.", None),
            ("hello <think>x</think>", None),
        ];
        for (text, expected) in cases {
            assert_eq!(lone_close(text), expected, "{text:?}");
        }
    }

    #[test]
    fn of_a_model_that_begins_in_thought_nothing_is_text_before_its_end() {
        let mut splitter = begins();
        assert_eq!(splitter.push("secret plan"), Split::default());
        let shown = splitter.push("</think>\n\nThe answer");
        let expected = Split { thought: "secret plan".into(), text: "The answer".into() };
        assert_eq!(shown, expected);
        let cases = [
            ("plan</think>answer", "plan", "answer"),
            ("<think>plan</think>answer", "plan", "answer"),
            ("answer", "", "answer"),
        ];
        for (text, thought, rest) in cases {
            let expected = Split { thought: thought.into(), text: rest.into() };
            assert_eq!(split_by(begins(), &[text]), expected, "{text:?}");
        }
        let mut cut = begins();
        cut.push("a plan that was cut");
        assert_eq!(cut.finish(false).text, "");
    }

    #[test]
    fn an_object_that_was_asked_for_holds_no_thought_before_it() {
        let json = || ThinkSplitter::beginning_in_thought(RequestForm::Json);
        let object = r#" {"thought":"plan</think>","final_response":"5"}"#;
        let whole = Split { thought: String::new(), text: object.into() };
        assert_eq!(split_by(json(), &[object]), whole);
        assert_eq!(json().push(object), whole, "nor is it held back");
        let after = Split { thought: "plan {".into(), text: "{}".into() };
        assert_eq!(split_by(json(), &["plan {", "</think>", "{}"]), after);
    }

    #[test]
    fn the_end_of_a_long_thought_is_found_though_only_what_is_new_is_searched() {
        let mut splitter = begins();
        for _ in 0..200_000 {
            assert_eq!(splitter.push("hm é "), Split::default());
        }
        for piece in ["é<", "/thi", "nk"] {
            splitter.push(piece);
        }
        assert_eq!(splitter.push(">so").text, "so");
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
            prop_assert_eq!(split_by(begins(), &letters), split_by(begins(), &[&text]));
        }
    }
}
