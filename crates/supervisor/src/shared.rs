//! What the actors of all supervised agents share.

use std::path::PathBuf;

use abide_ledger::Ledger;
use tokio_util::sync::CancellationToken;

use crate::{lifecycle::LifecycleParts, supervisor::SupervisorSettings};

/// Made once by the supervisor; it goes with the last actor.
#[derive(Debug)]
pub(crate) struct SharedResources {
    /// The home folder: private states are in `agents/<id>/` under it.
    pub(crate) home: PathBuf,
    /// Where it is looked up how the last run ended; none for a shadow.
    pub(crate) ledger: Option<Ledger>,
    pub(crate) lifecycle: LifecycleParts,
    pub(crate) settings: SupervisorSettings,
    /// Cancelled when the keeper stops.
    pub(crate) stop: CancellationToken,
}
