//! Answers as far as they have grown, for `/snapshot`: a page that is opened in mid-answer shows what others show.
//! Nothing here counts before the turn is completed.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use abide_domain::{AgentId, EpochId, epoch::EpochState, limits::RESPONSE_CHARS_MAX};
use abide_engine::{Keeper, TurnDelta, state::State};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// Longest partial answer that is kept, in bytes: four for each character of the longest reply.
const PARTIAL_BYTES_MAX: usize = 4 * RESPONSE_CHARS_MAX;

/// The growing answers, by agent: an agent has one at most.
#[derive(Debug, Default)]
pub(crate) struct PartialAnswers {
    by_agent: Mutex<HashMap<AgentId, PartialAnswer>>,
}

#[derive(Debug)]
struct PartialAnswer {
    attempt_key: AttemptKey,
    text: String,
}

/// One attempt of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AttemptKey {
    epoch: EpochId,
    turn: u32,
    attempt: u32,
}

impl PartialAnswers {
    /// What the running attempt of an agent has said so far.
    pub(crate) fn of(&self, state: &State, agent: &AgentId) -> Option<String> {
        let attempt_key = running_attempt(state, agent)?;
        let by_agent = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        let partial = by_agent.get(agent).filter(|partial| partial.attempt_key == attempt_key)?;
        Some(partial.text.clone())
    }

    /// Follows the growing answers until told to stop.
    pub(crate) async fn follow(&self, keeper: &Keeper, stop: CancellationToken) {
        let mut deltas = keeper.deltas();
        loop {
            let delta = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                delta = deltas.recv() => delta,
            };
            match delta {
                Ok(delta) => self.grow(&keeper.state(), delta),
                // Pieces were lost: a text with a hole is worse than none.
                Err(RecvError::Lagged(_)) => self.lock().clear(),
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn grow(&self, state: &State, delta: TurnDelta) {
        let running = running_attempt(state, &delta.agent);
        // The first piece may come before the state shows that its turn was begun.
        let attempt_key = running.filter(|attempt_key| {
            attempt_key.epoch == delta.epoch && attempt_key.turn == delta.turn
        });
        let attempt_key = attempt_key.unwrap_or_else(|| self.next_attempt(&delta));
        if delta.thought {
            return;
        }
        let mut by_agent = self.lock();
        let partial = by_agent
            .entry(delta.agent)
            .or_insert_with(|| PartialAnswer { attempt_key, text: String::new() });
        if partial.attempt_key != attempt_key {
            *partial = PartialAnswer { attempt_key, text: String::new() };
        }
        if partial.text.len() + delta.text.len() <= PARTIAL_BYTES_MAX {
            partial.text.push_str(&delta.text);
        }
    }

    /// The attempt that a piece belongs to where the state does not show one yet: the next of its turn.
    fn next_attempt(&self, delta: &TurnDelta) -> AttemptKey {
        let (epoch, turn) = (delta.epoch, delta.turn);
        let is_same = |partial: &&PartialAnswer| {
            partial.attempt_key.epoch == epoch && partial.attempt_key.turn == turn
        };
        let by_agent = self.lock();
        match by_agent.get(&delta.agent).filter(is_same) {
            Some(partial) => partial.attempt_key,
            None => AttemptKey { epoch, turn, attempt: 1 },
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AgentId, PartialAnswer>> {
        self.by_agent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn running_attempt(state: &State, agent: &AgentId) -> Option<AttemptKey> {
    let record = state.open_epoch(agent)?;
    match record.state {
        EpochState::Thinking { turn, attempt } => {
            Some(AttemptKey { epoch: record.id, turn, attempt })
        }
        _ => None,
    }
}
