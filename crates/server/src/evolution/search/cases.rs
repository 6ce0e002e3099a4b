//! What an agent was asked before, as cases of a search: what was found, how today's code orders it, and which of it the reply rested
//! on. Nothing that was said leaves this file.

use std::collections::HashMap;

use abide_domain::evolution::EvolutionTarget;
use abide_engine::keeper::RecordedRanking;
use abide_evolution::{
    limits::{CASE_PASSAGES_MAX, SEARCH_CASES_MAX},
    search::{FeatureRow, RankedCase},
};
use abide_modules::ModuleKind;
use tokio_util::sync::CancellationToken;

use super::{parts::SearchesParts, record::SearchRecord};
use crate::{
    agents::ModuleProcess,
    evolution::{
        memory_trial::{TRIAL_LIMIT, recorded_request, seconds},
        recorded,
    },
};

/// Conversations of the record that are looked at for cases, the newest.
const EPOCHS_MAX: usize = 2_000;

/// The cases of the record, the oldest first; none where the reading was stopped. Errors are words for people.
pub(super) async fn read_cases(
    parts: &SearchesParts,
    record: &SearchRecord,
    stop: &CancellationToken,
) -> Result<Option<Vec<RankedCase>>, String> {
    let mut today = TodaysOrder::of(parts, record).await?;
    let (mut cases, mut unreadable) = (Vec::new(), None);
    for epoch in epochs(parts, record) {
        if stop.is_cancelled() {
            return Ok(None);
        }
        if cases.len() >= SEARCH_CASES_MAX {
            break;
        }
        let recorded = match parts.keeper.recorded_ranking(epoch).await {
            Ok(Some(recorded)) => recorded,
            Ok(None) => continue,
            Err(error) => {
                tracing::debug!(agent = %record.agent, %epoch, event = "search_epoch_unreadable", %error,
                    "an epoch of the record cannot be used by a search");
                unreadable = Some(error.to_string());
                continue;
            }
        };
        if let Some(case) = case_of(&recorded) {
            cases.push(today.add(case, &recorded).await?);
        }
    }
    cases.reverse();
    match unreadable {
        Some(error) if cases.is_empty() => Err(format!("the record cannot be read: {error}")),
        _ => Ok(Some(cases)),
    }
}

/// The epochs that a search may take cases from, the newest first.
pub(super) fn epochs(parts: &SearchesParts, record: &SearchRecord) -> Vec<abide_domain::EpochId> {
    parts.keeper.committed_epochs(&record.agent, record.record_seq, EPOCHS_MAX)
}

/// A case; none where the reply does not tell what it rests on.
fn case_of(recorded: &RecordedRanking) -> Option<RankedCase> {
    let passages = || recorded.passages.iter().take(CASE_PASSAGES_MAX);
    let needed = passages().enumerate().filter(|(_, found)| recorded.needed.contains(&found.row));
    let rows = passages().map(|found| FeatureRow::named(&found.features.named())).collect();
    let needed = needed.map(|(place, _)| place).collect();
    RankedCase::new(seconds(recorded.now.as_micros()), rows, needed).ok()
}

/// How an agent's passages are ordered today: as the search found them, or by the code that it has in force.
struct TodaysOrder<'a> {
    parts: &'a SearchesParts,
    record: &'a SearchRecord,
    code: Option<String>,
    process: Option<ModuleProcess>,
}

impl<'a> TodaysOrder<'a> {
    async fn of(parts: &'a SearchesParts, record: &'a SearchRecord) -> Result<Self, String> {
        let current = {
            let state = parts.keeper.state();
            state.evolutions.in_force(&record.agent, EvolutionTarget::MemorySystem).current
        };
        let code = match current {
            Some(id) => {
                let change = parts.keeper.evolution(id).map_err(|error| error.to_string())?;
                Some(recorded::proposal(parts.keeper.ledger(), &change).await?.code)
            }
            None => None,
        };
        Ok(Self { parts, record, code, process: None })
    }

    /// The case with today's order. Where the code gives none, the order of the search holds, as it does for a live question.
    async fn add(
        &mut self,
        case: RankedCase,
        recorded: &RecordedRanking,
    ) -> Result<RankedCase, String> {
        let Some(code) = &self.code else { return Ok(case) };
        if self.process.as_ref().is_some_and(|process| process.client.ended().is_some()) {
            self.process = None;
        }
        let process = if let Some(process) = &mut self.process {
            process
        } else {
            let code = (ModuleKind::Memory, code.as_str());
            let (process, _) = self.parts.modules.pool.load(&self.record.agent, code).await?;
            self.process.insert(process)
        };
        let mut request = recorded_request(recorded);
        request.passages.truncate(CASE_PASSAGES_MAX);
        let Ok(reply) = process.client.rank(request, TRIAL_LIMIT).await else { return Ok(case) };
        let places: HashMap<u64, usize> =
            recorded.passages.iter().enumerate().map(|(place, found)| (found.row, place)).collect();
        let order = reply.value.iter().filter_map(|row| places.get(row).copied()).collect();
        Ok(case.clone().with_today(order).unwrap_or(case))
    }
}
