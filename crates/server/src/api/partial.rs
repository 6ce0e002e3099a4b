//! Answers as far as they have grown, for `/snapshot`: a page that is opened in mid-answer sees what others see.
//! Nothing here is durable or true until the turn is completed.

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
pub(crate) struct Partials {
    by_agent: Mutex<HashMap<AgentId, Partial>>,
}

#[derive(Debug)]
struct Partial {
    asking: Asking,
    text: String,
}

/// One asking of a mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asking {
    epoch: EpochId,
    turn: u32,
    attempt: u32,
}

impl Partials {
    /// What the running attempt of an agent has said so far.
    pub(crate) fn of(&self, house: &State, agent: &AgentId) -> Option<String> {
        let asking = asking_of(house, agent)?;
        let by_agent = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        let partial = by_agent.get(agent).filter(|partial| partial.asking == asking)?;
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
                Ok(delta) => self.grow(&keeper.house(), delta),
                // Pieces were lost: a text with a hole is worse than none.
                Err(RecvError::Lagged(_)) => self.lock().clear(),
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn grow(&self, house: &State, delta: TurnDelta) {
        let shown = asking_of(house, &delta.agent);
        // The first piece may come before the house shows that its turn was begun.
        let asking =
            shown.filter(|asking| asking.epoch == delta.epoch && asking.turn == delta.turn);
        let asking = asking.unwrap_or_else(|| self.next_of(&delta));
        if delta.thought {
            return;
        }
        let mut by_agent = self.lock();
        let partial =
            by_agent.entry(delta.agent).or_insert_with(|| Partial { asking, text: String::new() });
        if partial.asking != asking {
            *partial = Partial { asking, text: String::new() };
        }
        if partial.text.len() + delta.text.len() <= PARTIAL_BYTES_MAX {
            partial.text.push_str(&delta.text);
        }
    }

    /// The asking that a piece belongs to where the house does not show one yet: the next of its turn.
    fn next_of(&self, delta: &TurnDelta) -> Asking {
        let (epoch, turn) = (delta.epoch, delta.turn);
        let is_same =
            |partial: &&Partial| partial.asking.epoch == epoch && partial.asking.turn == turn;
        let by_agent = self.lock();
        match by_agent.get(&delta.agent).filter(is_same) {
            Some(partial) => partial.asking,
            None => Asking { epoch, turn, attempt: 1 },
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AgentId, Partial>> {
        self.by_agent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn asking_of(house: &State, agent: &AgentId) -> Option<Asking> {
    let record = house.open_epoch(agent)?;
    match record.state {
        EpochState::Thinking { turn, attempt } => Some(Asking { epoch: record.id, turn, attempt }),
        _ => None,
    }
}
