//! One epoch of the record asked of two processes of an agent's program: one with the code in force, one with the candidate, each begun
//! from the same checkpoint. The live process has no part in it, tools are answered from the record, and what the shadows say is
//! compared and told to nobody.
//!
//! A program may answer the same request otherwise each time. In the first pairs a third process, which runs the code in force as well,
//! shows how often that is so.

use std::{collections::HashMap, sync::Arc};

use abide_domain::{
    CheckpointId, Clock, EpochId, EvolutionId,
    event::{ComparedPair, EvolutionEvent},
};
use abide_engine::{
    keeper::{RecordedEpoch, ShownInstead},
    state::EvolutionRecord,
};
use abide_evolution::{LegRole, first_leg};
use abide_supervisor::ProcessCommandError;

use super::{
    judging::PAIRS_WITH_ITSELF,
    mind_change::MindBounds,
    mind_differences::{agree, divergence},
    mind_leg::{MindLeg, ask},
    programs::program_code,
    recorded,
    recorded_calls::RecordedCalls,
    work::{EvolutionWork, MoveError, Progress},
};
use crate::agents::ProgramShadow;

/// The processes of a trial, and the epochs that they are asked.
pub(super) struct ProgramTrial {
    main: ProgramShadow,
    candidate: ProgramShadow,
    /// The code in force once more, for the first pairs.
    again: Option<ProgramShadow>,
    clock: Arc<dyn Clock>,
    bounds: MindBounds,
    epochs: HashMap<EpochId, RecordedEpoch>,
    pairs: usize,
}

/// Why the candidate's process could not be made.
enum NoCandidate {
    /// It refused the code, or died of it.
    Refused(String),
    /// By no fault of the code.
    Failed(MoveError),
}

impl EvolutionWork {
    /// Whether the candidate can be loaded at all, before anything is asked. None: it can.
    pub(super) async fn refused_by_program(
        &self,
        record: &EvolutionRecord,
    ) -> Result<Option<String>, MoveError> {
        match self.candidate_of(record).await {
            Ok(_) => Ok(None),
            Err(NoCandidate::Refused(why)) => Ok(Some(format!("it cannot be loaded: {why}"))),
            Err(NoCandidate::Failed(error)) => Err(error),
        }
    }

    async fn shadow_of(&self, record: &EvolutionRecord) -> Result<ProgramShadow, MoveError> {
        let checkpoint = trial_checkpoint(record)?;
        let shadow = self.processes.shadows().start(&record.agent, checkpoint).await?;
        let codes = self.program_codes(&record.agent).await?;
        shadow.run_code(codes).await.map_err(|error| error.to_string())?;
        Ok(shadow)
    }

    async fn candidate_of(&self, record: &EvolutionRecord) -> Result<ProgramShadow, NoCandidate> {
        let shadow = self.shadow_of(record).await.map_err(NoCandidate::Failed)?;
        let proposed = recorded::proposal(self.keeper.ledger(), record).await;
        let code = proposed.and_then(|proposed| program_code(record, proposed.code));
        match shadow.load(code.map_err(NoCandidate::Failed)?).await {
            Ok(()) => Ok(shadow),
            Err(ProcessCommandError::Failed { reason }) => Err(NoCandidate::Refused(reason)),
            Err(error) => Err(NoCandidate::Failed(error.to_string())),
        }
    }

    /// Begins the trial of a program's change, unless its code cannot even be loaded.
    pub(super) async fn start_program_trial(
        &self,
        record: &EvolutionRecord,
        begin: EvolutionEvent,
    ) -> Result<Progress, MoveError> {
        match self.refused_by_program(record).await? {
            Some(why) => self.reject(record, why).await,
            None => self.write(begin).await,
        }
    }
}

fn trial_checkpoint(record: &EvolutionRecord) -> Result<CheckpointId, MoveError> {
    record.trial_checkpoint.ok_or_else(|| "the trial has no checkpoint to begin from".to_owned())
}

impl ProgramTrial {
    /// Starts the processes of a trial and reads its epochs.
    pub(super) async fn of(
        work: &EvolutionWork,
        record: &EvolutionRecord,
        requests: &[EpochId],
    ) -> Result<Self, MoveError> {
        let shown = ShownInstead::default();
        let epochs = work.keeper.recorded_epochs(&record.agent, requests, shown).await;
        let epochs = epochs.map_err(|error| error.to_string())?;
        let candidate = match work.candidate_of(record).await {
            Ok(candidate) => candidate,
            Err(NoCandidate::Refused(error) | NoCandidate::Failed(error)) => return Err(error),
        };
        let main = work.shadow_of(record).await?;
        let pairs = usize::try_from(record.trial_pairs).unwrap_or(usize::MAX);
        let again =
            if pairs < PAIRS_WITH_ITSELF { Some(work.shadow_of(record).await?) } else { None };
        let clock = Arc::clone(&work.keeper.services().clock);
        let epochs = epochs.into_iter().map(|epoch| (epoch.id, epoch)).collect();
        let bounds = MindBounds::of(&work.settings);
        Ok(Self { main, candidate, again, clock, bounds, epochs, pairs })
    }

    /// Asks one epoch of both; none where it cannot be asked again.
    pub(super) async fn compare(
        &mut self,
        evolution: EvolutionId,
        (epoch, seed): (EpochId, u64),
    ) -> Option<ComparedPair> {
        let recorded = self.epochs.get(&epoch)?;
        let calls = match RecordedCalls::of(&recorded.turns) {
            Ok(calls) => calls,
            Err(error) => {
                tracing::info!(%evolution, %epoch, event = "request_unusable", %error, "an epoch cannot be asked again");
                return None;
            }
        };
        let request = epoch.to_string();
        let candidate_first = first_leg(seed, &request) == LegRole::Candidate;
        let (mut main, mut candidate) = if candidate_first {
            let candidate = self.ask(&self.candidate, recorded, calls.clone()).await;
            (self.ask(&self.main, recorded, calls.clone()).await, candidate)
        } else {
            let main = self.ask(&self.main, recorded, calls.clone()).await;
            (main, self.ask(&self.candidate, recorded, calls.clone()).await)
        };
        if self.pairs >= PAIRS_WITH_ITSELF {
            self.again = None;
        }
        if let Some(again) = &self.again {
            let again = self.ask(again, recorded, calls).await;
            main.leg.again_agrees = main.leg.error.is_none().then(|| agree(&main, &again));
        }
        self.pairs += 1;
        let divergence = divergence(&main, &candidate);
        let agrees = main.leg.error.is_none().then(|| agree(&main, &candidate));
        // What nobody counts is not zero.
        for leg in [&mut main.leg, &mut candidate.leg] {
            leg.tokens = leg.tokens.filter(|count| *count > 0);
        }
        let (main, candidate) = (main.leg, candidate.leg);
        Some(ComparedPair {
            request,
            candidate_first,
            main,
            candidate,
            agrees,
            divergence,
            judge: None,
        })
    }

    async fn ask(
        &self,
        shadow: &ProgramShadow,
        recorded: &RecordedEpoch,
        calls: RecordedCalls,
    ) -> MindLeg {
        let mind = shadow.mind();
        let asked = (&*mind, self.bounds);
        let mut leg = ask(asked, recorded, calls, &*self.clock).await;
        leg.leg.memory_bytes = shadow.memory_bytes().unwrap_or(0);
        leg
    }
}
