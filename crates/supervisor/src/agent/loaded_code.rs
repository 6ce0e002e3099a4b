//! Code that a process runs beside its own, as its actor and each of its runs know it. Plain state; what is done with it is in `code`.

use std::{collections::VecDeque, time::Duration};

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::supervisor::{LoadedCandidate, ProgramCode, ProgramCodes, Reply};

/// The code of one agent over all its runs.
#[derive(Debug)]
pub(super) struct AgentCode {
    /// None until somebody has said it.
    pub(super) in_force: Option<ProgramCodes>,
    /// What is to be loaded next, and who waits for that.
    pub(super) candidate: Option<(ProgramCode, Reply<LoadedCandidate>)>,
    /// A candidate could not be loaded: nothing is answered until it is known what is in force now.
    pub(super) is_held: bool,
    /// Runs in a row that could not load the code in force.
    pub(super) failures: u32,
}

/// The code of one run.
#[derive(Debug, Default)]
pub(super) struct RunCode {
    /// What it has acknowledged.
    pub(super) loaded: Vec<ProgramCode>,
    /// What it is still to be sent of the code in force; none before it was ready.
    pub(super) waiting: Option<VecDeque<ProgramCode>>,
    pub(super) open: Option<OpenReload>,
    pub(super) confirmation: Option<oneshot::Receiver<()>>,
}

/// Code that was sent and not acknowledged yet.
#[derive(Debug)]
pub(super) struct OpenReload {
    pub(super) code: ProgramCode,
    /// On the monotonic clock.
    pub(super) until: Duration,
    /// Who waits for it; none for code in force.
    pub(super) candidate: Option<Reply<LoadedCandidate>>,
}

impl AgentCode {
    pub(super) fn new(awaits_code: bool) -> Self {
        let in_force = (!awaits_code).then(ProgramCodes::default);
        Self { in_force, candidate: None, is_held: false, failures: 0 }
    }

    /// Checkpoints that are not to go.
    pub(super) fn kept(&self) -> Vec<Uuid> {
        self.in_force.as_ref().map(|codes| codes.kept.clone()).unwrap_or_default()
    }
}

impl RunCode {
    /// When an answer to what was sent is late.
    pub(super) fn due(&self) -> Option<Duration> {
        self.open.as_ref().map(|open| open.until)
    }

    /// Waits until a candidate that was loaded is in force, or never will be. May be cancelled.
    pub(super) async fn confirmed(&mut self) -> bool {
        match &mut self.confirmation {
            Some(confirmation) => confirmation.await.is_ok(),
            None => std::future::pending().await,
        }
    }

    /// Whether the run has loaded, or is about to load, exactly this.
    pub(super) fn comes_to(&self, modules: &[ProgramCode]) -> bool {
        let Some(waiting) = &self.waiting else { return true };
        let is_candidate = self.open.as_ref().is_some_and(|open| open.candidate.is_some());
        let open = self.open.iter().map(|open| &open.code);
        let all: Vec<_> = self.loaded.iter().chain(open).chain(waiting).collect();
        !is_candidate && are_same(&all, &modules.iter().collect::<Vec<_>>())
    }

    pub(super) fn take_over(&mut self, code: ProgramCode) {
        match self.loaded.iter_mut().find(|loaded| loaded.module == code.module) {
            Some(loaded) => *loaded = code,
            None => self.loaded.push(code),
        }
    }
}

/// Whether two lists hold the same, whatever their order: a module is in each once.
fn are_same(some: &[&ProgramCode], others: &[&ProgramCode]) -> bool {
    some.len() == others.len() && some.iter().all(|code| others.contains(code))
}
