//! What a change is tried with, by what it would replace: processes of a module, shadows of a program, or two minds. One request at a time.

use std::{collections::HashMap, sync::Arc};

use super::{
    memory_trial::{TrialProcesses, failed_alone},
    mind_change::MindChange,
    mind_checks::{AskedMinds, repeat_of},
    mind_trial::{FLOOR_REQUESTS, MindTrial},
    own_trial::{OwnSide, OwnTrial},
    own_uses::uses_of,
    program_trial::ProgramTrial,
    recorded,
    work::{EvolutionWork, MoveError},
};
use abide_domain::{EpochId, event::ComparedPair, evolution::EvolutionTarget};
use abide_engine::{
    keeper::{RecordedEpoch, RecordedRanking, ShownInstead},
    state::EvolutionRecord,
};
use abide_modules::{ModuleDeclarations, ModuleKind};

use crate::agents::ModuleProcess;

/// Both sides of a trial, as far as they were needed.
pub(super) enum Trial {
    Memory(Option<Box<TrialProcesses>>),
    /// Tools or commands of the agent's own.
    Own(ModuleKind, Option<Box<OwnTrial>>),
    Mind(Option<Box<LoadedMinds>>),
    Program(Option<Box<ProgramTrial>>),
}

/// Two minds, and the epochs that they are asked.
pub(super) struct LoadedMinds {
    trial: MindTrial,
    /// Each as it was shown, and as the candidate is shown it.
    epochs: HashMap<EpochId, (RecordedEpoch, RecordedEpoch)>,
}

impl Trial {
    pub(super) fn of(record: &EvolutionRecord) -> Self {
        match record.target() {
            Some(EvolutionTarget::Mind) => Self::Mind(None),
            _ if record.is_of_program() => Self::Program(None),
            Some(EvolutionTarget::ToolFramework) => Self::Own(ModuleKind::Tools, None),
            Some(EvolutionTarget::Dsl) => Self::Own(ModuleKind::Dsl, None),
            _ => Self::Memory(None),
        }
    }

    /// Keeps the processes of a module for the next live request.
    pub(super) fn keep(self, work: &EvolutionWork, record: &EvolutionRecord) {
        if let Self::Memory(Some(processes)) = self {
            work.kept_processes.put(record.id, processes, work.monotonic());
        }
    }

    /// Gives one request to both; none where it cannot be given again. `requests` are all of the trial.
    pub(super) async fn compare(
        &mut self,
        work: &EvolutionWork,
        record: &EvolutionRecord,
        (epoch, requests): (EpochId, &[EpochId]),
    ) -> Result<Option<ComparedPair>, MoveError> {
        let seed = record.seed.map_or(0, |(seed, _)| seed);
        match self {
            Self::Memory(processes) => {
                let recorded = work.keeper.recorded_ranking(epoch).await;
                let Some(recorded) = recorded.map_err(|error| error.to_string())? else {
                    return Ok(None);
                };
                if processes.is_none() {
                    *processes = work.kept_processes.take(record.id);
                }
                let mut pair =
                    running(work, record, processes).await?.compare(&recorded, seed).await;
                if failed_alone(&pair) {
                    let again = fails_each_time(work, record, (processes, &recorded)).await?;
                    pair.candidate.repeats = Some(again);
                }
                Ok(Some(pair))
            }
            Self::Own(kind, loaded) => compare_uses(work, record, (*kind, loaded), epoch).await,
            Self::Program(running) => {
                let trial = match running {
                    Some(trial) => trial,
                    None => {
                        running.insert(Box::new(ProgramTrial::of(work, record, requests).await?))
                    }
                };
                Ok(trial.compare(record.id, (epoch, seed)).await)
            }
            Self::Mind(minds) => {
                let loaded = match minds {
                    Some(loaded) => loaded,
                    None => minds.insert(Box::new(LoadedMinds::of(work, record, requests).await?)),
                };
                let Some((shown, instead)) = loaded.epochs.get(&epoch) else { return Ok(None) };
                let place = requests.iter().position(|request| *request == epoch);
                let has_floor = place.is_some_and(|place| place < FLOOR_REQUESTS);
                match loaded.trial.compare((shown, instead), seed, has_floor).await {
                    Ok(pair) => Ok(Some(pair)),
                    Err(error) => {
                        tracing::info!(agent = %record.agent, evolution = %record.id, %epoch, event = "request_unusable", %error,
                            "an epoch cannot be asked again");
                        Ok(None)
                    }
                }
            }
        }
    }
}

/// The processes of a memory module's trial; those that can be asked no more are started anew.
async fn running<'p>(
    work: &EvolutionWork,
    record: &EvolutionRecord,
    processes: &'p mut Option<Box<TrialProcesses>>,
) -> Result<&'p mut TrialProcesses, MoveError> {
    if processes.as_ref().is_none_or(|running| running.have_ended()) {
        let (main, candidate) = start_both(work, record, ModuleKind::Memory).await?;
        let (main, candidate) = (main.0, candidate.0);
        *processes = Some(Box::new(TrialProcesses { main, candidate }));
    }
    processes.as_deref_mut().ok_or_else(|| "no process of the module runs".to_owned())
}

/// Whether the candidate fails on a request twice more, in a process that can answer: one that was late was ended, and a busy machine makes
/// anybody late.
async fn fails_each_time(
    work: &EvolutionWork,
    record: &EvolutionRecord,
    (processes, recorded): (&mut Option<Box<TrialProcesses>>, &RecordedRanking),
) -> Result<bool, MoveError> {
    for _ in 0..2 {
        if !running(work, record, processes).await?.fails_again(recorded).await {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives the uses of tools or commands in an epoch to both codes; none where there are none, or they cannot be given again.
async fn compare_uses(
    work: &EvolutionWork,
    record: &EvolutionRecord,
    (kind, loaded): (ModuleKind, &mut Option<Box<OwnTrial>>),
    epoch: EpochId,
) -> Result<Option<ComparedPair>, MoveError> {
    let seed = record.seed.map_or(0, |(seed, _)| seed);
    let recorded = work.keeper.epoch(epoch).await.map_err(|error| error.to_string())?;
    let Some(recorded) = recorded else { return Ok(None) };
    if loaded.as_ref().is_some_and(|trial| trial.has_ended()) {
        *loaded = None;
    }
    let trial = if let Some(trial) = loaded {
        trial
    } else {
        let (main, candidate) = start_both(work, record, kind).await?;
        let (main, candidate) = (OwnSide::new(main), OwnSide::new(candidate));
        loaded.insert(Box::new(OwnTrial { main, candidate }))
    };
    let Some(uses) = uses_of(kind, &recorded, &|name| trial.has(name)) else { return Ok(None) };
    Ok(trial.compare((epoch, &uses), seed).await)
}

/// A process with a code, and what the code declared.
type LoadedCode = (ModuleProcess, ModuleDeclarations);

/// Starts the code that the change would replace, and the candidate.
async fn start_both(
    work: &EvolutionWork,
    record: &EvolutionRecord,
    kind: ModuleKind,
) -> Result<(LoadedCode, LoadedCode), MoveError> {
    let main = work.code_in_force(record).await?;
    let candidate = work.code_of(kind, Some(record.id)).await?;
    let pool = &work.modules.pool;
    let main = pool.load(&record.agent, (kind, &main)).await?;
    Ok((main, pool.load(&record.agent, (kind, &candidate)).await?))
}

impl LoadedMinds {
    async fn of(
        work: &EvolutionWork,
        record: &EvolutionRecord,
        requests: &[EpochId],
    ) -> Result<Self, MoveError> {
        let proposed = recorded::proposal(work.keeper.ledger(), record).await?;
        let change = MindChange::read(&proposed.change)?;
        let AskedMinds { main, candidate, judge } = work.minds_of(record, &change)?;
        let (keeper, agent) = (&work.keeper, &record.agent);
        let read = async |instead: ShownInstead| {
            let epochs = keeper.recorded_epochs(agent, requests, instead).await;
            epochs.map_err(|error| error.to_string())
        };
        let shown = read(ShownInstead::default()).await?;
        let instead = match change.shown_instead() {
            nothing if nothing == ShownInstead::default() => shown.clone(),
            instead => read(instead).await?,
        };
        let pairs = shown.into_iter().zip(instead);
        let epochs = pairs.map(|(shown, instead)| (shown.id, (shown, instead))).collect();
        let clock = Arc::clone(&work.keeper.services().clock);
        let repeat = repeat_of(record);
        Ok(Self { trial: MindTrial { main, candidate, judge, repeat, clock }, epochs })
    }
}
