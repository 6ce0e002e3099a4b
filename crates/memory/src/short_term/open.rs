//! What is known of an epoch before it ends: its stimulus and the answers of its turns.
//!
//! Dropped at the epoch's end, whichever it is; bounded by the queue and the turns of an epoch. It must never become
//! memory without a commit.

use std::sync::Arc;

use abide_domain::{
    EpochId, Timestamp,
    envelope::Channel,
    event::{StimulusAccepted, TurnCompleted},
    turn::Exchange,
};

/// An epoch between acceptance and end.
#[derive(Clone, Debug)]
pub(super) struct OpenEpoch {
    accepted_at: Timestamp,
    stimulus: Arc<str>,
    sender: String,
    channel: Channel,
    sent_at: Timestamp,
    session: Arc<str>,
    /// By turn; a later attempt's answer replaces an earlier one's.
    answers: Vec<(u32, Arc<str>)>,
}

impl OpenEpoch {
    pub(super) fn new(stimulus: &StimulusAccepted, accepted_at: Timestamp) -> Self {
        Self {
            accepted_at,
            stimulus: stimulus.content.clone(),
            sender: stimulus.sender.clone(),
            channel: stimulus.channel,
            sent_at: stimulus.sent_at,
            session: stimulus.session_id.as_str().into(),
            answers: Vec::new(),
        }
    }

    pub(super) fn answer(&mut self, turn: &TurnCompleted) {
        self.answers.retain(|(number, _)| *number != turn.turn);
        if let Some(response) = &turn.voice.final_response {
            self.answers.push((turn.turn, response.as_str().into()));
        }
    }

    /// The exchange that a commit makes of it, and its session. None where the committed turn has no answer, which no
    /// legal ledger holds.
    pub(super) fn exchange(
        self,
        epoch: EpochId,
        turn: u32,
        committed_at: Timestamp,
    ) -> Option<(Arc<str>, Exchange)> {
        let (_, reply) = self.answers.into_iter().find(|(number, _)| *number == turn)?;
        let exchange = Exchange {
            epoch,
            sender: self.sender,
            channel: self.channel,
            sent_at: self.sent_at,
            stimulus: self.stimulus,
            reply,
            replied_at: self.sent_at.plus(committed_at.since(self.accepted_at)),
        };
        Some((self.session, exchange))
    }
}
