//! The walk: one epoch from its stimulus to its commit, readable from top to bottom.
//!
//! ```text
//! open → explore memory, assemble the context → ( ask the mind → act on its calls )* → commit
//! ```
//!
//! Each station looks at what the record already holds and does only what is missing, so that resuming after a crash is
//! the same code as running undisturbed. Nothing here decides what may follow what: the epoch machine does
//! ([`abide_domain::epoch`]), and `Walk::record` asks it before anything is written.
//!
//! An `Err` from [`run_epoch`] is an end without a reply, or a keeper that stops; the lane turns it into
//! `epoch.aborted` or leaves the epoch open for the next start.

use std::time::Duration;

use abide_domain::{
    epoch::EpochState,
    event::{AbortCode, DecidedBy, EpochAborted, EpochCommitted, EpochOpened},
};

mod act;
mod approve;
mod ask;
mod attempt_clock;
mod attempt_cost;
mod attempt_count;
mod budget;
mod call_reports;
mod controls;
mod error;
mod hand_back;
mod host;
mod inner_calls;
mod offer;
mod request;
mod show;
mod standstill;
mod walk;

use crate::{
    agent_setup::AgentSetup, failpoint::Failpoint, services::Services, state::EpochRecord,
};
pub(crate) use approve::{preview, preview_words};
pub use controls::{Controls, DecideError, DecisionOrder, Interrupt, InterruptSignal, PageOrder};
pub use error::EpochError;
pub(crate) use offer::{ShownTools, ToolOffer};
use walk::Walk;

/// How long an epoch waits, right after a start, for the tools that its agent made.
const OWN_TOOLS_WITHIN: Duration = Duration::from_secs(15);

/// An epoch that is committed, durably.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommittedEpoch {
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
) -> Result<CommittedEpoch, EpochError> {
    let was_cut = record.opened_at.is_some();
    agent.tools.settled(OWN_TOOLS_WITHIN).await;
    let mut walk = Walk::new(services, agent, record, controls);
    walk.liken_tools().await;
    let ended = walk_on(&mut walk).await;
    if let Err(error) = &ended {
        abort(&mut walk, error).await?;
    }
    let is_over = !matches!(ended, Err(EpochError::Ledger(_)));
    // A cut epoch may have kept a result whose outcome was lost with the process.
    if is_over && (was_cut || walk.record.has_ethereal() || walk.hand_back.is_stored) {
        services.blobs.remove(walk.record.id).await;
    }
    ended
}

/// The stations in their order.
async fn walk_on(walk: &mut Walk<'_>) -> Result<CommittedEpoch, EpochError> {
    open(walk)?;
    let mut context = show::assemble(walk).await?;
    loop {
        match walk.record.state {
            EpochState::Acting { .. } => act::act(walk).await?,
            EpochState::Answered { turn } => return commit(walk, turn).await,
            _ => {
                show::add_own_entries(walk, &mut context)?;
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
    let state = walk.services.view.read();
    let last_output = state.agents.get(&walk.agent.id).and_then(|agent_state| {
        agent_state.short_term.last_reply(&walk.record.stimulus.session_id).map(|(epoch, _)| epoch)
    });
    drop(state);
    walk.record_keeper(EpochOpened { last_output })
}

/// Commits the reply and all that is staged, durably, before anybody is answered.
async fn commit(walk: &mut Walk<'_>, turn: u32) -> Result<CommittedEpoch, EpochError> {
    walk.pass(Failpoint::CommitBefore).await?;
    approve::deny_undecided(walk, DecidedBy::EpochEnded)?;
    walk.record_agent(EpochCommitted { turn })?;
    walk.deliver();
    let appended = walk.settle().await?;
    walk.pass(Failpoint::CommitAfter).await?;
    Ok(CommittedEpoch { seq: appended.last_seq })
}

/// Ends the epoch without a reply, durably, with what was recorded up to here.
async fn abort(walk: &mut Walk<'_>, error: &EpochError) -> Result<(), EpochError> {
    // After a batch was lost, nothing may follow it in this epoch, not even its end: there would be a gap. The lane takes
    // the epoch up again from what is durable.
    if walk.record.state.is_ended() || matches!(error, EpochError::Ledger(_)) {
        return Ok(());
    }
    let (code, message) = match error {
        EpochError::Abort { code, message } => (*code, message.clone()),
        other => (AbortCode::TurnFailed, other.to_string()),
    };
    let (agent, epoch) = (&walk.agent.id, walk.record.id);
    tracing::info!(%agent, %epoch, event = "epoch_aborted", code = code.as_str(), reason = message, "epoch aborted");
    act::leave_unknown(walk)?;
    approve::deny_undecided(walk, DecidedBy::EpochEnded)?;
    walk.record_keeper(EpochAborted { code, message })?;
    walk.settle().await?;
    Ok(())
}
