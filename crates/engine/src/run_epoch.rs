//! The walk: one epoch from its stimulus to its commit, readable from top to bottom.
//!
//! ```text
//! open → dream, assemble the context → ( ask the mind → act on its calls )* → commit
//! ```
//!
//! Each station looks at what the record already holds and does only what is missing, so that resuming after a crash is
//! the same code as running undisturbed. Nothing here decides what may follow what: the epoch machine does
//! ([`abide_domain::epoch`]), and `Walk::record` asks it before anything is written.
//!
//! An `Err` from [`run_epoch`] is an end without a reply, or a keeper that stops; the lane turns it into
//! `epoch.aborted` or leaves the epoch open for the next start.

use abide_domain::{
    epoch::EpochState,
    event::{
        AbortCode, DecidedBy, EpochAborted, EpochCommitted, EpochOpened, Exploration, OwnEntries,
        StimulusCause,
    },
};
use abide_ledger::AppendError;

mod act;
mod approve;
mod ask;
mod desk;
mod request;
mod walk;

use crate::{
    context::{self, Context, ContextInput, ContextScope},
    dreaming::{References, dream},
    failpoint::{Failpoint, InjectedError},
    services::{AgentSetup, Services},
    state::{AgentState, EpochRecord},
};
use walk::Walk;
pub use walk::{Controls, DecideError, DecisionOrder, Interrupt, InterruptSignal};

/// Why a walk ends without a commit.
#[derive(Debug, thiserror::Error)]
pub enum EpochError {
    /// The epoch is to be aborted.
    #[error("{message}")]
    Abort {
        /// Why, for programs.
        code: AbortCode,
        /// Why, for people.
        message: String,
    },
    /// The ledger takes nothing more: the epoch stays as it is until a keeper can write again.
    #[error("the ledger took no more events")]
    Ledger(#[from] AppendError),
    /// A test said so; the epoch is aborted.
    #[error(transparent)]
    Failpoint(#[from] InjectedError),
    /// The machine refused a move: a defect of the engine, never written.
    #[error(transparent)]
    Illegal(#[from] abide_domain::epoch::IllegalMoveError),
}

impl EpochError {
    fn abort(code: AbortCode, message: impl Into<String>) -> Self {
        Self::Abort { code, message: message.into() }
    }
}

/// How an epoch ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The sequence of `epoch.committed`.
    pub seq: u64,
}

/// Walks one epoch to its end, from wherever `record` says that it stands. An error is an end too, and durable unless
/// it is the ledger's.
pub async fn run_epoch(
    services: &Services,
    agent: &AgentSetup,
    record: EpochRecord,
    controls: &mut Controls,
) -> Result<Committed, EpochError> {
    let was_cut = record.opened_at.is_some();
    let mut walk = Walk::new(services, agent, record, controls);
    let ended = walk_on(&mut walk).await;
    if let Err(stop) = &ended {
        abort(&mut walk, stop).await?;
    }
    let is_over = !matches!(ended, Err(EpochError::Ledger(_)));
    // A cut epoch may have kept a result whose outcome was lost with the process.
    if is_over && (was_cut || walk.record.has_ethereal()) {
        services.blobs.remove(walk.record.id).await;
    }
    ended
}

/// The stations in their order.
async fn walk_on(walk: &mut Walk<'_>) -> Result<Committed, EpochError> {
    open(walk)?;
    let mut context = show(walk).await?;
    loop {
        match walk.record.state {
            EpochState::Acting { .. } => act::act(walk).await?,
            EpochState::Answered { turn } => return commit(walk, turn).await,
            _ => {
                show_own(walk, &mut context)?;
                ask::ask(walk, &mut context).await?;
            }
        }
    }
}

/// Takes the stimulus up.
fn open(walk: &mut Walk<'_>) -> Result<(), EpochError> {
    if walk.record.state != EpochState::Queued {
        return Ok(());
    }
    let house = walk.services.view.read();
    let last_output = house.agents.get(&walk.agent.id).and_then(|state| {
        state.short_term.last_reply(&walk.record.stimulus.session_id).map(|(epoch, _)| epoch)
    });
    drop(house);
    walk.record_keeper(EpochOpened { last_output })
}

/// Dreams and assembles the context; a resumed epoch only renders again what was found then.
async fn show(walk: &mut Walk<'_>) -> Result<Context, EpochError> {
    let exploration = match &walk.record.context {
        Some(known) => known.exploration.clone(),
        None => Some(explored(walk).await),
    };
    let own = match &walk.record.context {
        Some(known) => known.own,
        None => own_entries(walk),
    };
    let context = render(walk, None, own, exploration.as_ref());
    if walk.record.state == EpochState::Open {
        walk.record_keeper(context.assembled.clone())?;
    }
    Ok(context)
}

async fn explored(walk: &Walk<'_>) -> Exploration {
    let last = {
        let house = walk.services.view.read();
        context::last_output(house.agents.get(&walk.agent.id), &walk.record.stimulus)
    };
    let envelope = context::envelope_of(&walk.record, last.map(|(_, output)| output));
    dream(walk.agent, &envelope, &*walk.services.clock).await
}

/// Halves what the mind rejected as too long: the results of this epoch's calls as well as the history.
fn show_less(walk: &mut Walk<'_>, rejected_tokens: u64) -> Result<Context, EpochError> {
    walk.tokens_cap = Some(rejected_tokens / 2);
    let exploration = walk.record.context.as_ref().and_then(|known| known.exploration.clone());
    // What it cost is counted once.
    let exploration = exploration.map(|found| Exploration { usage: None, ..found });
    let own = walk.record.context.as_ref().and_then(|known| known.own);
    let shorter = render(walk, walk.tokens_cap, own, exploration.as_ref());
    if walk.record.context.as_ref() != Some(&shorter.assembled) {
        walk.record_keeper(shorter.assembled.clone())?;
    }
    Ok(shorter)
}

/// The agent's own newest entries, if this is its first epoch after a wake, a start or a reset (decision 10).
fn own_entries(walk: &Walk<'_>) -> Option<OwnEntries> {
    let house = walk.services.view.read();
    let state = house.agents.get(&walk.agent.id)?;
    let is_woken = matches!(walk.record.stimulus.cause, Some(StimulusCause::Wake { .. }));
    let is_first = state.is_fresh(walk.services.begun_after);
    state.own_log.newest().filter(|_| is_woken || is_first)
}

/// Shows a mind that goes on after a crash what it wrote down up to there: its log is what a broken epoch is recovered from.
fn show_own(walk: &mut Walk<'_>, context: &mut Context) -> Result<(), EpochError> {
    if !std::mem::take(&mut walk.was_cut) {
        return Ok(());
    }
    let newest = {
        let house = walk.services.view.read();
        house.agents.get(&walk.agent.id).and_then(|state| state.own_log.newest())
    };
    if newest.is_none() || newest == context.assembled.own {
        return Ok(());
    }
    let exploration = context.assembled.exploration.clone();
    let exploration = exploration.map(|found| Exploration { usage: None, ..found });
    let shown = render(walk, walk.tokens_cap, newest, exploration.as_ref());
    if shown.assembled.sha256 == context.assembled.sha256 {
        return Ok(());
    }
    *context = shown;
    walk.record_keeper(context.assembled.clone())
}

fn render(
    walk: &Walk<'_>,
    tokens_cap: Option<u64>,
    own: Option<OwnEntries>,
    exploration: Option<&Exploration>,
) -> Context {
    let settings = &walk.services.settings;
    let ground = {
        let house = walk.services.view.read();
        let known = house.agents.get(&walk.agent.id);
        let learnt_cap = known.and_then(|state| state.tokens_cap);
        let caps = [Some(settings.context_tokens_max), learnt_cap, tokens_cap];
        let tokens_max = caps.into_iter().flatten().min().unwrap_or(settings.context_tokens_max);
        let scope = ContextScope { tokens_max, history: settings.history, own };
        match known {
            Some(state) => ContextInput::of(state, &walk.record, scope, exploration),
            None => {
                ContextInput::of(&AgentState::new(&walk.agent.id), &walk.record, scope, exploration)
            }
        }
    };
    ground.show(exploration, &References(Some(walk.agent.facts.clone())))
}

/// Makes the reply and all staged state stand, durably, before anybody is told.
async fn commit(walk: &mut Walk<'_>, turn: u32) -> Result<Committed, EpochError> {
    walk.pass(Failpoint::CommitBefore).await?;
    approve::leave_none_undecided(walk, DecidedBy::EpochEnded)?;
    walk.record_agent(EpochCommitted { turn })?;
    walk.deliver();
    let appended = walk.settle().await?;
    walk.pass(Failpoint::CommitAfter).await?;
    Ok(Committed { seq: appended.last_seq })
}

/// Ends the epoch without a reply, durably, with what was recorded up to here.
async fn abort(walk: &mut Walk<'_>, stop: &EpochError) -> Result<(), EpochError> {
    // After a sending was lost, nothing may follow it in this epoch, not even its end: there would be a gap. The lane
    // takes the epoch up again from what is durable.
    if walk.record.state.is_ended() || matches!(stop, EpochError::Ledger(_)) {
        return Ok(());
    }
    let (code, message) = match stop {
        EpochError::Abort { code, message } => (*code, message.clone()),
        other => (AbortCode::TurnFailed, other.to_string()),
    };
    tracing::info!(epoch = %walk.record.id, code = code.as_str(), "epoch aborted: {message}");
    act::leave_unknown(walk)?;
    approve::leave_none_undecided(walk, DecidedBy::EpochEnded)?;
    walk.record_keeper(EpochAborted { code, message })?;
    walk.settle().await?;
    Ok(())
}
