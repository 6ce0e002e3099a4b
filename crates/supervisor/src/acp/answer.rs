//! Puts the pieces of an agent's answer together: its last message is the reply, what came before is thought.
//!
//! An agent talks between its tool calls; what it said there was shown as it came and is not the reply. Pure, and bounded:
//! a reply that is too long is kept to one character more than is allowed, so that it is refused and not cut unseen.

use std::mem;

use abide_domain::{
    limits::{RESPONSE_CHARS_MAX, THOUGHT_BYTES_MAX},
    turn::{Thought, Usage},
    voice::Voice,
};
use agent_client_protocol::v1::schema::{ContentBlock, ContentChunk, MessageId};
use serde_json::Value;

use super::record::RecordedAnswer;

/// An answer under construction.
#[derive(Debug, Default)]
pub(super) struct AnswerBuilder {
    thought: String,
    message: String,
    message_chars: usize,
    message_id: Option<MessageId>,
    /// Whether the agent did something since its last word.
    is_interrupted: bool,
}

impl AnswerBuilder {
    /// More of what it says. Gives so much of it as is kept.
    pub(super) fn say(&mut self, chunk: &ContentChunk) -> String {
        let is_other = chunk.message_id.is_some() && chunk.message_id != self.message_id;
        if (self.is_interrupted || is_other) && !self.message.trim().is_empty() {
            let earlier = mem::take(&mut self.message);
            self.message_chars = 0;
            self.push_message(&earlier);
        }
        self.is_interrupted = false;
        self.message_id.clone_from(&chunk.message_id);
        let text = block_text(&chunk.content);
        let room = (RESPONSE_CHARS_MAX + 1).saturating_sub(self.message_chars);
        let kept: String = text.chars().take(room).collect();
        self.message_chars += kept.chars().count();
        self.message.push_str(&kept);
        kept
    }

    /// More of what it thinks. Gives so much of it as is kept.
    pub(super) fn think(&mut self, chunk: &ContentChunk) -> String {
        let before = self.thought.len();
        self.push_thought(&block_text(&chunk.content));
        self.thought.get(before..).unwrap_or_default().to_owned()
    }

    /// The agent did something: its next word begins another message.
    pub(super) fn interrupt(&mut self) {
        self.is_interrupted = true;
    }

    /// The whole answer.
    pub(super) fn finish(self, usage: &Usage) -> RecordedAnswer {
        RecordedAnswer {
            thought: self.thought,
            response: self.message.trim().to_owned(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.cached_tokens,
            cost_microusd: usage.cost_microusd,
        }
    }

    fn push_message(&mut self, text: &str) {
        if !self.thought.is_empty() && !self.thought.ends_with('\n') {
            self.push_thought("\n");
        }
        self.push_thought(text.trim());
        self.push_thought("\n");
    }

    fn push_thought(&mut self, text: &str) {
        for character in text.chars() {
            if self.thought.len() + character.len_utf8() > THOUGHT_BYTES_MAX {
                return;
            }
            self.thought.push(character);
        }
    }
}

impl RecordedAnswer {
    /// As the answer of a mind.
    pub(super) fn into_thought(self) -> Thought {
        let usage = Usage {
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cached_tokens: self.cached_tokens,
            model: String::new(),
            cost_microusd: self.cost_microusd,
        };
        Thought::new(Voice::native(self.thought, self.response, Vec::new()), usage)
    }
}

/// A block as text; what cannot be shown as text is named.
pub(super) fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::ResourceLink(link) => link.uri.clone(),
        ContentBlock::Image(image) => format!("[{}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[{}]", audio.mime_type),
        _ => "[resource]".into(),
    }
}

/// The tokens that an answer says it took. Not yet a settled part of the protocol: read where it is there.
pub(super) fn read_usage(response: &Value) -> Usage {
    let count = |name: &str| {
        response.pointer(&format!("/usage/{name}")).and_then(Value::as_u64).unwrap_or_default()
    };
    let cached = count("cachedReadTokens");
    Usage {
        input_tokens: count("inputTokens")
            .saturating_add(cached)
            .saturating_add(count("cachedWriteTokens")),
        output_tokens: count("outputTokens").saturating_add(count("thoughtTokens")),
        cached_tokens: cached,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        limits::{RESPONSE_CHARS_MAX, THOUGHT_BYTES_MAX},
        turn::Usage,
    };
    use agent_client_protocol::v1::schema::{ContentChunk, MessageId};
    use serde_json::json;

    use super::{AnswerBuilder, read_usage};

    fn chunk(text: &str) -> ContentChunk {
        ContentChunk::new(text.into())
    }

    #[test]
    fn the_last_message_is_the_reply_and_the_rest_is_thought() {
        let mut answer = AnswerBuilder::default();
        answer.think(&chunk("Hm."));
        answer.say(&chunk("I will "));
        answer.say(&chunk("look."));
        answer.interrupt();
        answer.say(&chunk("It is "));
        answer.say(&chunk("tidy."));
        answer.interrupt();
        let answer = answer.finish(&Usage::default());
        assert_eq!(
            (answer.thought.as_str(), answer.response.as_str()),
            ("Hm.\nI will look.\n", "It is tidy.")
        );
    }

    #[test]
    fn another_message_id_begins_another_message() {
        let mut answer = AnswerBuilder::default();
        answer.say(&chunk("one").message_id(MessageId::new("1")));
        answer.say(&chunk("two").message_id(MessageId::new("2")));
        let answer = answer.finish(&Usage::default());
        assert_eq!((answer.thought.as_str(), answer.response.as_str()), ("one\n", "two"));
    }

    #[test]
    fn an_answer_takes_no_more_room_than_it_may_have() {
        let (mut answer, mut shown) = (AnswerBuilder::default(), 0);
        for _ in 0..100 {
            shown += answer.say(&chunk(&"é".repeat(1_000))).chars().count();
            answer.think(&chunk(&"é".repeat(10_000)));
        }
        assert_eq!(shown, RESPONSE_CHARS_MAX + 1);
        assert_eq!(answer.think(&chunk("more")), "");
        let answer = answer.finish(&Usage::default());
        assert_eq!(answer.response.chars().count(), RESPONSE_CHARS_MAX + 1);
        assert!(answer.thought.len() <= THOUGHT_BYTES_MAX);
        assert!(answer.into_thought().voice.check(0).is_err());
    }

    #[test]
    fn tokens_are_read_where_they_are_given() {
        let response =
            json!({"usage": {"inputTokens": 10, "cachedReadTokens": 5, "outputTokens": 3}});
        let usage = read_usage(&response);
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (15, 5, 3));
        assert_eq!(read_usage(&json!({"usage": "many"})), Usage::default());
    }
}
