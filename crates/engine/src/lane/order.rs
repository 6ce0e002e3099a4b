//! What a lane may be ordered to do, and how it refuses while the ledger cannot be written.
//!
//! An order is carried out by the lane alone; whoever gave it gets the reply once the outcome is durable.

use abide_domain::{EntityName, EpochId, event::SleepStarted};
use abide_ledger::AppendError;
use tokio::sync::oneshot;

use crate::{
    run_epoch::{DecideError, DecisionOrder, PageOrder},
    sleep::{SleepError, SleepRequest},
};

/// An order to a lane.
#[derive(Debug)]
pub enum LaneOrder {
    /// End an epoch, running or waiting.
    Abort {
        /// The epoch to end.
        epoch: EpochId,
        /// Why, for people.
        reason: String,
        /// Gets the reply once the end is durable; false when it had ended before.
        reply: oneshot::Sender<Result<bool, AppendError>>,
    },
    /// Decide on an approval.
    Decide(DecisionOrder),
    /// Give up the attempt under way and ask its turn again: a page for an agent that does not move (decision 40).
    AskAgain(PageOrder),
    /// End the short-term window after the running epoch.
    Reset {
        /// End the running epoch first.
        force: bool,
        /// The entity that asked for it.
        by: EntityName,
        /// Gets the reply once it is durable.
        reply: oneshot::Sender<Option<ResetResult>>,
    },
    /// Sleep after the running epoch: nothing is taken up until the sleep has ended.
    Sleep {
        /// Why, and who wants it.
        request: SleepRequest,
        /// The name of the distiller, for the ledger.
        distiller: String,
        /// Gets the reply once it is durable.
        reply: oneshot::Sender<Result<SleepStarted, SleepError>>,
    },
}

/// A reset that is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetResult {
    /// The sequence of `memory.reset`.
    pub seq: u64,
    /// The segment that was sealed.
    pub sealed_segment: u64,
    /// How many epochs left the window.
    pub epochs: u64,
}

/// Answers an order that the ledger cannot be written: it may be given again.
pub(super) fn refuse(order: LaneOrder, error: AppendError) {
    match order {
        LaneOrder::Abort { reply, .. } => drop(reply.send(Err(error))),
        LaneOrder::Decide(order) => drop(order.reply.send(Err(DecideError::Unavailable))),
        LaneOrder::AskAgain(page) => _ = page.reply.send(false),
        LaneOrder::Reset { reply, .. } => _ = reply.send(None),
        LaneOrder::Sleep { reply, .. } => drop(reply.send(Err(SleepError::Unavailable))),
    }
}
