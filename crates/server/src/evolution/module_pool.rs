//! The processes that serve agents' code, one for each code that is in force, and how often each failed. A process that is asked is not
//! here meanwhile; one that cannot be asked any more is never put back.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, EvolutionId};
use abide_modules::{ModuleDeclarations, ModuleKind};
use tokio::sync::Notify;

use super::module_metrics::ModuleMetrics;
use crate::agents::{ModuleProcess, SandboxedModules};

/// How long a module may take to be loaded.
pub(super) const LOAD_LIMIT: Duration = Duration::from_secs(20);
/// Calls in a row without an answer after which a code is taken back, also one that was kept.
pub(super) const FAILURES_MAX: u32 = 20;

/// Which code of which agent a process serves.
pub(super) type Served = (AgentId, EvolutionId);

/// Processes of modules.
#[derive(Debug)]
pub(super) struct ModulePool {
    launcher: Arc<SandboxedModules>,
    idle: Mutex<HashMap<Served, ModuleProcess>>,
    /// Calls in a row that a code gave no answer to.
    failures: Mutex<HashMap<Served, u32>>,
    /// Notified where a process is missing, or a code is to be taken back.
    pub(super) missing: Notify,
    pub(super) metrics: ModuleMetrics,
}

impl ModulePool {
    /// Starts with none.
    pub(super) fn new(launcher: Arc<SandboxedModules>) -> Self {
        Self {
            launcher,
            idle: Mutex::default(),
            failures: Mutex::default(),
            missing: Notify::new(),
            metrics: ModuleMetrics::new(),
        }
    }

    pub(super) const fn launcher(&self) -> &Arc<SandboxedModules> {
        &self.launcher
    }

    /// Starts a process with a code. The error is in words for people.
    pub(super) async fn load(
        &self,
        agent: &AgentId,
        (kind, code): (ModuleKind, &str),
    ) -> Result<(ModuleProcess, ModuleDeclarations), String> {
        let mut process = self.launcher.start(agent).await.map_err(|error| error.to_string())?;
        let loaded = process.client.load(kind, code, LOAD_LIMIT).await;
        let loaded = loaded.map_err(|error| error.to_string())?;
        Ok((process, loaded.value))
    }

    pub(super) fn take(&self, served: &Served) -> Option<ModuleProcess> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).remove(served)
    }

    /// Takes a process back, unless it can be asked no more.
    pub(super) fn put_back(&self, served: Served, process: ModuleProcess) {
        if process.client.ended().is_none() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).insert(served, process);
        }
    }

    /// Lets those go that serve nothing that is wanted, or can be asked no more.
    pub(super) fn retain(&self, is_wanted: impl Fn(&Served) -> bool) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|served, process| is_wanted(served) && process.client.ended().is_none());
    }

    pub(super) fn has(&self, served: &Served) -> bool {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).contains_key(served)
    }

    pub(super) fn count_failure(&self, served: &Served, has_failed: bool) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if !has_failed {
            failures.remove(served);
            return;
        }
        let count = failures.entry(served.clone()).or_default();
        *count += 1;
        if *count >= FAILURES_MAX {
            self.missing.notify_one();
        }
    }

    /// Changes whose code gave no answer so many times in a row that it is taken back; each is given once.
    pub(super) fn failing(&self) -> Vec<EvolutionId> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<EvolutionId> = failures
            .iter()
            .filter(|(_, count)| **count >= FAILURES_MAX)
            .map(|((_, id), _)| *id)
            .collect();
        failures.retain(|_, count| *count < FAILURES_MAX);
        found
    }
}
