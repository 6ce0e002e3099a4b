//! What searches are made with, and what is known of one while the keeper runs.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use abide_engine::Keeper;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{
    folder::SearchFolder,
    record::{SearchPhase, SearchStatus},
};
use crate::{evolution::own_modules::OwnModules, home::Home};

/// The folder of searches in that of the cache.
const FOLDER: &str = "searches";
/// Searches at work at the same time: one takes a core.
const AT_WORK_MAX: usize = 1;

/// What searches are made with.
pub(crate) struct SearchesParts {
    pub(super) keeper: Keeper,
    pub(super) modules: Arc<OwnModules>,
    pub(super) folder: SearchFolder,
    /// Whose turn it is to be at work.
    pub(super) turn: Semaphore,
    /// Whether changes of agents are on.
    pub(super) is_enabled: bool,
}

/// One search while the keeper runs.
pub(super) struct SearchControl {
    status: Mutex<SearchStatus>,
    /// Ends it, by whoever.
    pub(super) stop: CancellationToken,
    /// Whether a person did.
    has_person_stopped: AtomicBool,
}

impl SearchesParts {
    /// What searches are made with; `is_enabled` is whether changes of agents are on.
    pub(crate) fn new(
        (keeper, modules): (Keeper, Arc<OwnModules>),
        home: &Home,
        is_enabled: bool,
    ) -> Self {
        let folder = SearchFolder::new(home.cache_folder().join(FOLDER));
        Self { keeper, modules, folder, turn: Semaphore::new(AT_WORK_MAX), is_enabled }
    }
}

impl SearchControl {
    pub(super) fn new(status: SearchStatus, stop: CancellationToken) -> Self {
        Self { status: Mutex::new(status), stop, has_person_stopped: AtomicBool::new(false) }
    }

    pub(super) fn show(&self, status: SearchStatus) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }

    pub(super) fn status(&self) -> SearchStatus {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).phase == SearchPhase::Ended
    }

    /// Ends it because a person said so.
    pub(super) fn stop_by_person(&self) {
        self.has_person_stopped.store(true, Ordering::SeqCst);
        self.stop.cancel();
    }

    pub(super) fn is_stopped_by_person(&self) -> bool {
        self.has_person_stopped.load(Ordering::SeqCst)
    }
}
