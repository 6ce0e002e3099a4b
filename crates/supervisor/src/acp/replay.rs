//! Looks through what an agent replays of a session that it was told to load: what became of our prompt there.
//!
//! Pure. The end of a replay is no end of work: version 1 of the protocol marks no turn as finished there, and an agent
//! that was killed while it wrote a long file has "I will write it now" as its last message. So it must never take the
//! last message for the answer; it only finds what the agent is to be reminded of.

use std::time::Duration;

use abide_domain::EpochId;
use agent_client_protocol::v1::schema::SessionUpdate;

use super::{evidence::Evidence, gather, prompt};

/// Unfinished calls that are named to the agent.
const NAMED_MAX: usize = 16;
/// Bytes of one replayed message that are looked at for our mark, from its end.
const MESSAGE_BYTES_MAX: usize = 256 * 1024;

/// A replay as it is heard.
#[derive(Debug)]
pub(super) struct Replay {
    mark: String,
    message: String,
    is_in_message: bool,
    is_ours: bool,
    calls: Evidence,
}

/// What became of our prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Traces {
    /// Whether our prompt is the last one there.
    pub(super) is_there: bool,
    /// Titles of the calls after it whose end is not there.
    pub(super) unfinished: Vec<String>,
}

impl Replay {
    /// For the prompt of this epoch.
    pub(super) fn new(epoch: EpochId) -> Self {
        Self {
            mark: prompt::mark(epoch),
            message: String::new(),
            is_in_message: false,
            is_ours: false,
            calls: Evidence::default(),
        }
    }

    /// The next update of it.
    pub(super) fn hear(&mut self, update: &SessionUpdate) {
        let SessionUpdate::UserMessageChunk(chunk) = update else {
            self.is_in_message = false;
            match update {
                SessionUpdate::ToolCall(call) => drop(self.calls.began(call, Duration::ZERO)),
                SessionUpdate::ToolCallUpdate(update) => {
                    drop(self.calls.went_on(update, Duration::ZERO));
                }
                _ => {}
            }
            return;
        };
        if !self.is_in_message {
            self.is_in_message = true;
            self.is_ours = false;
            self.message.clear();
            self.calls = Evidence::default();
        }
        self.message.push_str(&gather::text(&chunk.content));
        self.is_ours |= self.message.contains(&self.mark);
        // A mark may lie across two pieces.
        if self.message.len() > MESSAGE_BYTES_MAX {
            let kept = self.message.len() - self.mark.len();
            self.message = self.message.split_off(self.message.ceil_char_boundary(kept));
        }
    }

    /// What was found.
    pub(super) fn traces(&self) -> Traces {
        let unfinished = self.calls.unfinished().take(NAMED_MAX).map(str::to_owned);
        Traces {
            is_there: self.is_ours,
            unfinished: if self.is_ours { unfinished.collect() } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::EpochId;
    use agent_client_protocol::v1::schema::{
        ContentChunk, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
    };
    use uuid::Uuid;

    use super::{Replay, Traces};
    use crate::acp::prompt;

    fn user(text: &str) -> SessionUpdate {
        SessionUpdate::UserMessageChunk(ContentChunk::new(text.into()))
    }

    fn agent(text: &str) -> SessionUpdate {
        SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into()))
    }

    fn call(id: &'static str, title: &str) -> SessionUpdate {
        SessionUpdate::ToolCall(ToolCall::new(id, title))
    }

    fn ended(id: &'static str) -> SessionUpdate {
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))
    }

    fn traces(updates: &[SessionUpdate]) -> Traces {
        let mut replay = Replay::new(EpochId::from_uuid(Uuid::from_u128(7)));
        for update in updates {
            replay.hear(update);
        }
        replay.traces()
    }

    #[test]
    fn calls_after_our_prompt_that_did_not_end_are_found() {
        let mark = prompt::mark(EpochId::from_uuid(Uuid::from_u128(7)));
        let (first, second) = mark.split_at(12);
        let updates = [
            user("hello"),
            call("0", "of another turn"),
            agent("hi"),
            user(first),
            user(second),
            agent("on it"),
            call("1", "sweep"),
            call("2", "burn"),
            ended("1"),
        ];
        assert_eq!(traces(&updates), Traces { is_there: true, unfinished: vec!["burn".into()] });
        assert_eq!(traces(&updates[..3]), Traces::default());
        let later = [updates.as_slice(), &[user("and now?"), call("3", "x")]].concat();
        assert_eq!(traces(&later), Traces::default());
    }
}
