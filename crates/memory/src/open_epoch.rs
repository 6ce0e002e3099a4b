//! What an epoch says before it ends: its stimulus and the answers of its turns.
//!
//! Dropped at the epoch's end, whichever it is; bounded by the queue and the turns of an epoch. It must never become
//! memory without a commit. Short-term memory and knowledge share it.

use std::{collections::HashMap, sync::Arc};

use abide_domain::{
    EpochId, Timestamp,
    envelope::Channel,
    event::{Event, StimulusAccepted, StimulusEvent, TurnCompleted, TurnEvent},
    turn::Exchange,
};
use serde::{Deserialize, Serialize};

use crate::DurableEvent;

/// The epochs between acceptance and end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenEpochs {
    open: HashMap<EpochId, OpenEpoch>,
}

/// An epoch between acceptance and end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenEpoch {
    /// Where its stimulus stands in the ledger.
    seq: u64,
    accepted_at: Timestamp,
    stimulus: Arc<str>,
    sender: String,
    channel: Channel,
    sent_at: Timestamp,
    sender_zone: Option<String>,
    session: Arc<str>,
    /// By turn; a later attempt's answer replaces an earlier one's.
    answers: Vec<TurnAnswer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TurnAnswer {
    turn: u32,
    response: Arc<str>,
    emotive_state: String,
}

/// What a commit makes of an epoch.
#[derive(Clone, Debug)]
pub(crate) struct EndedEpoch {
    pub(crate) session: Arc<str>,
    /// Where the sender was, as far as that was said.
    pub(crate) sender_zone: Option<String>,
    pub(crate) exchange: Exchange,
    pub(crate) emotive_state: String,
}

impl OpenEpochs {
    /// Notes what a stimulus or a turn says. Doing it again changes nothing.
    pub(crate) fn collect(&mut self, applied: &DurableEvent<'_>) {
        let Some(epoch) = applied.epoch else { return };
        match applied.event {
            Event::Stimulus(StimulusEvent::Accepted(stimulus)) => {
                self.open.insert(epoch, OpenEpoch::new(stimulus, applied));
            }
            Event::Turn(TurnEvent::Completed(turn)) => {
                if let Some(open) = self.open.get_mut(&epoch) {
                    open.answer(turn);
                }
            }
            _ => {}
        }
    }

    /// What a commit makes of an epoch. None where the committed turn has no answer, which no legal ledger holds.
    pub(crate) fn ended(&self, epoch: EpochId, turn: u32, at: Timestamp) -> Option<EndedEpoch> {
        self.open.get(&epoch)?.ended(epoch, turn, at)
    }

    /// Whether an epoch has begun and not ended.
    pub(crate) fn is_open(&self, epoch: EpochId) -> bool {
        self.open.contains_key(&epoch)
    }

    /// Forgets an epoch that ended.
    pub(crate) fn drop_epoch(&mut self, epoch: EpochId) {
        self.open.remove(&epoch);
    }

    /// Where the oldest stimulus stands among the epochs that are open, without some that just ended.
    pub(crate) fn first_seq_without(&self, ended: &[EpochId]) -> Option<u64> {
        let open = self.open.iter().filter(|(epoch, _)| !ended.contains(epoch));
        open.map(|(_, open)| open.seq).min()
    }
}

impl OpenEpoch {
    fn new(stimulus: &StimulusAccepted, applied: &DurableEvent<'_>) -> Self {
        Self {
            seq: applied.seq,
            accepted_at: applied.at,
            stimulus: stimulus.content.clone(),
            sender: stimulus.sender.clone(),
            channel: stimulus.channel,
            sent_at: stimulus.sent_at,
            sender_zone: stimulus.sender_zone.clone(),
            session: stimulus.session_id.as_str().into(),
            answers: Vec::new(),
        }
    }

    fn answer(&mut self, turn: &TurnCompleted) {
        self.answers.retain(|answer| answer.turn != turn.turn);
        if let Some(response) = &turn.voice.final_response {
            let emotive_state = turn.voice.emotive_state.clone();
            let response = response.as_str().into();
            self.answers.push(TurnAnswer { turn: turn.turn, response, emotive_state });
        }
    }

    fn ended(&self, epoch: EpochId, turn: u32, committed_at: Timestamp) -> Option<EndedEpoch> {
        let answer = self.answers.iter().find(|answer| answer.turn == turn)?;
        let exchange = Exchange {
            epoch,
            sender: self.sender.clone(),
            channel: self.channel,
            sent_at: self.sent_at,
            stimulus: self.stimulus.clone(),
            reply: answer.response.clone(),
            replied_at: self.sent_at.plus(committed_at.since(self.accepted_at)),
        };
        let emotive_state = answer.emotive_state.clone();
        let (session, sender_zone) = (self.session.clone(), self.sender_zone.clone());
        Some(EndedEpoch { session, sender_zone, exchange, emotive_state })
    }
}
