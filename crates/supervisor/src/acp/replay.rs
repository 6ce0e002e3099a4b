//! Looks through what an agent replays of a session that it was told to load: what became of our prompt there.
//!
//! Pure. The end of a replay is no end of work: version 1 of the protocol marks no turn as finished there, and an agent
//! that was killed while it wrote a long file has "I will write it now" as its last message. So it must never take the
//! last message for the answer; it only finds what the agent is to be reminded of.

use std::time::Duration;

use abide_domain::EpochId;
use agent_client_protocol::v1::schema::SessionUpdate;

use super::{answer, evidence::PromptEvidence};

/// Unfinished calls that are named to the agent.
const NAMED_MAX: usize = 16;
/// Bytes of one replayed message that are looked at for our mark, from its end.
const MESSAGE_BYTES_MAX: usize = 256 * 1024;

/// A replay as far as it was read.
#[derive(Debug)]
pub(super) struct SessionReplay {
    mark: String,
    message: String,
    is_in_message: bool,
    is_ours: bool,
    calls: PromptEvidence,
}

/// What became of our prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReplayFindings {
    /// Whether our prompt is the last one there.
    pub(super) is_found: bool,
    /// Titles of the calls after it whose end is not there.
    pub(super) unfinished: Vec<String>,
}

/// What marks a prompt as one of this epoch, in it and in its replay.
pub(super) fn epoch_mark(epoch: EpochId) -> String {
    format!("epoch {epoch}]")
}

impl SessionReplay {
    /// For the prompt of this epoch.
    pub(super) fn new(epoch: EpochId) -> Self {
        Self {
            mark: epoch_mark(epoch),
            message: String::new(),
            is_in_message: false,
            is_ours: false,
            calls: PromptEvidence::default(),
        }
    }

    /// Reads the next update.
    pub(super) fn push(&mut self, update: &SessionUpdate) {
        let SessionUpdate::UserMessageChunk(chunk) = update else {
            self.is_in_message = false;
            match update {
                SessionUpdate::ToolCall(call) => drop(self.calls.start_call(call, Duration::ZERO)),
                SessionUpdate::ToolCallUpdate(update) => {
                    drop(self.calls.update_call(update, Duration::ZERO));
                }
                _ => {}
            }
            return;
        };
        if !self.is_in_message {
            self.is_in_message = true;
            self.is_ours = false;
            self.message.clear();
            self.calls = PromptEvidence::default();
        }
        self.message.push_str(&answer::block_text(&chunk.content));
        self.is_ours |= self.message.contains(&self.mark);
        // A mark may lie across two pieces.
        if self.message.len() > MESSAGE_BYTES_MAX {
            let kept = self.message.len() - self.mark.len();
            self.message = self.message.split_off(self.message.ceil_char_boundary(kept));
        }
    }

    /// What was found.
    pub(super) fn findings(&self) -> ReplayFindings {
        let unfinished = self.calls.unfinished().take(NAMED_MAX).map(str::to_owned);
        ReplayFindings {
            is_found: self.is_ours,
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

    use super::{ReplayFindings, SessionReplay, epoch_mark};

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

    fn findings(updates: &[SessionUpdate]) -> ReplayFindings {
        let mut replay = SessionReplay::new(EpochId::from_uuid(Uuid::from_u128(7)));
        for update in updates {
            replay.push(update);
        }
        replay.findings()
    }

    #[test]
    fn calls_after_our_prompt_that_did_not_end_are_found() {
        let mark = epoch_mark(EpochId::from_uuid(Uuid::from_u128(7)));
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
        assert_eq!(
            findings(&updates),
            ReplayFindings { is_found: true, unfinished: vec!["burn".into()] }
        );
        assert_eq!(findings(&updates[..3]), ReplayFindings::default());
        let later = [updates.as_slice(), &[user("and now?"), call("3", "x")]].concat();
        assert_eq!(findings(&later), ReplayFindings::default());
    }
}
