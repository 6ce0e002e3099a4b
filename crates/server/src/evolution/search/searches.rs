//! All searches: which run, how far they are, and how they are started and stopped. One an agent.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::{AgentId, EntityName};
use abide_evolution::{
    limits::SEARCH_CASES_MIN,
    search::{SearchBudget, SearchBudgetError},
};
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{
    cases,
    folder::SearchFileContent,
    job::{blocking, carry_on},
    parts::{SearchControl, SearchesParts},
    record::{SearchEnd, SearchPhase, SearchRecord, SearchStatus, too_few},
};

/// Searches that were started and not begun yet.
const WAITING_MAX: usize = 64;

/// All searches. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Searches {
    parts: Arc<SearchesParts>,
    known: Arc<Mutex<BTreeMap<AgentId, Arc<SearchControl>>>>,
    started: mpsc::Sender<SearchRecord>,
    stop: CancellationToken,
}

/// Searches that are to be run.
#[derive(Debug)]
pub(crate) struct SearchQueue {
    left_over: Vec<SearchRecord>,
    orders: mpsc::Receiver<SearchRecord>,
}

/// Why a search was not started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SearchStartError {
    /// Changes of agents are off.
    #[error("changes of agents are off")]
    Off,
    /// The agent has one.
    #[error("a search for {0} runs already: `abide evolve search` shows how far it is")]
    Runs(AgentId),
    /// There is too little to search by.
    #[error("{}", too_few(*.0))]
    TooFew(usize),
    /// It would take too much or too little.
    #[error(transparent)]
    Budget(#[from] SearchBudgetError),
    /// Too many wait.
    #[error("{WAITING_MAX} searches wait already")]
    TooMany,
    /// It could not be written.
    #[error("the search cannot be written")]
    Write(#[source] io::Error),
}

impl Searches {
    /// Those that a stop or a death interrupted are known, and what is to be run until `stop` waits for [`Searches::run`].
    pub(crate) async fn open(parts: SearchesParts, stop: CancellationToken) -> (Self, SearchQueue) {
        let (started, orders) = mpsc::channel(WAITING_MAX);
        let searches = Self { parts: Arc::new(parts), known: Arc::default(), started, stop };
        // Before anybody can start one, which would take the place of what is not read yet.
        let left_over = searches.left_over().await;
        (searches, SearchQueue { left_over, orders })
    }

    /// Starts a search of an agent's record. It is written when this returns.
    pub(crate) async fn start(
        &self,
        (agent, budget): (AgentId, SearchBudget),
        by: EntityName,
    ) -> Result<SearchStatus, SearchStartError> {
        if !self.parts.is_enabled {
            return Err(SearchStartError::Off);
        }
        budget.check()?;
        let keeper = &self.parts.keeper;
        let record = SearchRecord {
            agent: agent.clone(),
            by,
            started_at: keeper.services().now(),
            budget,
            record_seq: keeper.ledger().head().seq,
            cases: None,
            run: None,
            worked_ms: 0,
            report: None,
            outcome: None,
        };
        let epochs = cases::epochs(&self.parts, &record).len();
        if epochs < SEARCH_CASES_MIN {
            return Err(SearchStartError::TooFew(epochs));
        }
        let place = self.started.try_reserve().map_err(|_| SearchStartError::TooMany)?;
        let control = self.control_of(&record, SearchPhase::Reading);
        let before = {
            let mut known = self.known();
            if known.get(&agent).is_some_and(|known| !known.has_ended()) {
                return Err(SearchStartError::Runs(agent));
            }
            known.insert(agent.clone(), Arc::clone(&control))
        };
        let (folder, written) = (self.parts.folder.clone(), record.clone());
        let write = blocking(move || folder.write_search(&written)).await;
        if let Err(error) = write.map_err(io::Error::other).and_then(|written| written) {
            let mut known = self.known();
            match before {
                Some(before) => known.insert(agent, before),
                None => known.remove(&agent),
            };
            return Err(SearchStartError::Write(error));
        }
        let status = control.status();
        place.send(record);
        Ok(status)
    }

    /// Stops an agent's search. It is still to be seen; none where none runs.
    pub(crate) fn stop(&self, agent: &AgentId) -> Option<SearchStatus> {
        let control = self.known().get(agent).filter(|known| !known.has_ended()).cloned()?;
        control.stop_by_person();
        Some(control.status())
    }

    /// How far each agent's last search is, in the order of agents.
    pub(crate) fn list(&self) -> Vec<SearchStatus> {
        self.known().values().map(|control| control.status()).collect()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<AgentId, Arc<SearchControl>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn control_of(&self, record: &SearchRecord, phase: SearchPhase) -> Arc<SearchControl> {
        Arc::new(SearchControl::new(record.status(phase), self.stop.child_token()))
    }

    /// Carries on what is left over, and what is started, until it is told to stop.
    pub(crate) async fn run(self, queue: SearchQueue) {
        let SearchQueue { left_over, mut orders } = queue;
        let mut jobs = JoinSet::new();
        let begin = |jobs: &mut JoinSet<()>, record: SearchRecord| {
            let control = self.known().get(&record.agent).cloned();
            if let Some(control) = control {
                jobs.spawn(carry_on(Arc::clone(&self.parts), control, record));
            }
        };
        for record in left_over {
            begin(&mut jobs, record);
        }
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                order = orders.recv() => match order {
                    Some(record) => begin(&mut jobs, record),
                    None => break,
                },
                Some(ended) = jobs.join_next() => if let Err(error) = ended {
                    tracing::error!(event = "search_broke_off", %error, "a search ended unexpectedly; it goes on after the next start");
                },
            }
        }
        // Each looks at the stop signal; what it measured is written.
        while jobs.join_next().await.is_some() {}
    }

    /// Searches of before that have not ended; those that have are shown. While changes are off, nothing is carried on.
    async fn left_over(&self) -> Vec<SearchRecord> {
        let folder = self.parts.folder.clone();
        let read = blocking(move || {
            let agents = folder.agents().into_iter();
            agents.map(|agent| (agent.clone(), folder.read_search(&agent))).collect::<Vec<_>>()
        });
        let mut left = Vec::new();
        for (agent, content) in read.await.unwrap_or_default() {
            if let SearchFileContent::Whole(record) = content
                && self.parts.keeper.has_agent(&agent)
            {
                let has_ended = record.outcome.is_some();
                let phase = if has_ended { SearchPhase::Ended } else { SearchPhase::Waiting };
                let control = self.control_of(&record, phase);
                if !has_ended && !self.parts.is_enabled {
                    let why = "changes of agents are off; it goes on once they are on again";
                    let outcome = Some(SearchEnd::Failed(why.to_owned()));
                    control.show(SearchStatus { outcome, ..record.status(SearchPhase::Ended) });
                } else if !has_ended {
                    left.push(record);
                }
                self.known().insert(agent, control);
            }
        }
        left
    }
}

impl std::fmt::Debug for Searches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searches").finish_non_exhaustive()
    }
}
