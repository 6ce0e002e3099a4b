//! The next move of a change, from where its lines say that it is. Each is written before the next is thought of; what cannot be
//! written, or fails by no fault of the change, is tried again later.

use std::{
    collections::{BTreeMap, HashSet},
    future::Future,
    sync::PoisonError,
};

use abide_domain::{
    AgentId, EpochId, EvolutionId,
    event::{
        ComparedPair, EvolutionAborted, EvolutionBackedUp, EvolutionCheckpointed, EvolutionDecided,
        EvolutionDecision, EvolutionEvent, EvolutionReloaded, EvolutionShadowStarted,
        EvolutionValidated,
    },
    evolution::{CANARY_PERCENTS, EvolutionState, EvolutionTarget},
};
use abide_engine::state::EvolutionRecord;
use abide_evolution::{ComparisonProgress, is_in_share, limits::LOOKS, seed_of};
use abide_wire::{Decision, EvolutionMetrics, EvolutionResult, Extra};
use sha2::{Digest as _, Sha256};

use super::{
    judging::{fail_alike, judge_trial},
    mind_costs::ExpectedCosts,
    own_checks, own_uses, recorded,
    trial::Trial,
    work::{CheckedProposal, EvolutionWork, MoveError, PAIRS_A_LINE, Progress, Refused},
};

/// Pairs without an answer of the candidate after which its trial ends: what never answers is not asked two hundred times.
const DEAD_AFTER: usize = 10;

/// What came of a look at an agent's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing is to be done until something happens.
    Waits,
    /// It could not be done now.
    Failed,
}

impl EvolutionWork {
    /// Makes moves of an agent's oldest open change until it waits.
    pub(super) async fn advance(&self, agent: &AgentId) -> Step {
        loop {
            let record =
                self.keeper.state().evolutions.of(agent).and_then(|of| of.current().cloned());
            let Some(record) = record else { return Step::Waits };
            match self.next_move(&record).await {
                Ok(Progress::Moved) => {}
                Ok(Progress::Waits) => return Step::Waits,
                Err(error) => {
                    tracing::warn!(%agent, evolution = %record.id, event = "evolution_move_failed",
                        state = record.state.as_str(), error, "a change could not be moved on; it is tried again");
                    return Step::Failed;
                }
            }
        }
    }

    async fn next_move(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        // A proposal is rejected, with the key to set; what is under way ends, and what is kept stays.
        let is_under_way = matches!(
            record.state,
            EvolutionState::Validated
                | EvolutionState::Checkpointed
                | EvolutionState::Shadowing { .. }
                | EvolutionState::Accepted
        );
        let is_in_force = matches!(record.state, EvolutionState::Watching { .. });
        if !self.settings.evolution.enabled && (is_under_way || is_in_force) {
            let why = "changes of agents were switched off".to_owned();
            return if is_in_force {
                self.roll_back(record, why).await
            } else {
                self.abort(record, why).await
            };
        }
        match record.state {
            EvolutionState::Proposed => self.validate(record).await,
            EvolutionState::Validated => self.checkpoint(record).await,
            EvolutionState::Checkpointed => self.start_trial(record).await,
            EvolutionState::Shadowing { .. } => self.try_out(record).await,
            EvolutionState::Accepted => self.back_up(record).await,
            EvolutionState::BackedUp => self.load(record).await,
            EvolutionState::Watching { .. } if record.is_of_program() => {
                self.watch_program(record).await
            }
            EvolutionState::Watching { percent, .. } => self.watch(record, percent).await,
            EvolutionState::AwaitsPerson
            | EvolutionState::Kept
            | EvolutionState::Rejected
            | EvolutionState::Reported
            | EvolutionState::RolledBack
            | EvolutionState::Aborted => Ok(Progress::Waits),
        }
    }

    async fn validate(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        if let Some(why) = self.cannot_try(record) {
            return self.reject(record, why).await;
        }
        let proposed = recorded::proposal(self.keeper.ledger(), record).await?;
        if self.is_of_program(record) {
            return self.validate_program(record, &proposed).await;
        }
        let checked = match record.target().and_then(own_checks::kind_of) {
            None => self.check_mind(record, &proposed).await.map(CheckedProposal::with_notes),
            Some(kind) => self.check_module(record, (kind, &proposed)).await,
        };
        match checked {
            Ok(CheckedProposal { adds, notes }) => {
                let code_sha256 = hex::encode(Sha256::digest(proposed.code.as_bytes()));
                let evolution_id = record.id;
                let event = EvolutionValidated { evolution_id, adds, code_sha256, notes };
                self.write(EvolutionEvent::Validated(event)).await
            }
            Err(Refused::Rejected(why)) => self.reject(record, why).await,
            Err(Refused::CannotTry(why)) => {
                self.abort(record, format!("it cannot be tried: {why}")).await
            }
        }
    }

    async fn checkpoint(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        if self.is_of_program(record) {
            return self.checkpoint_program(record).await;
        }
        let record_seq = self.keeper.ledger().head().seq;
        let event =
            EvolutionCheckpointed { evolution_id: record.id, record_seq, checkpoint_id: None };
        self.write(EvolutionEvent::Checkpointed(event)).await
    }

    async fn start_trial(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        let target = record.target().unwrap_or(EvolutionTarget::MemorySystem);
        let attempt = {
            let state = self.keeper.state();
            let of = state.evolutions.of(&record.agent);
            of.map_or(1, |of| of.next_attempt(target))
        };
        let requests = self.requests(record).await?.len();
        let event = EvolutionShadowStarted {
            evolution_id: record.id,
            // Of its id, so that no choice can be made again with another outcome.
            seed: seed_of(&record.id.to_string()),
            requests: u32::try_from(requests).unwrap_or(u32::MAX),
            attempt,
        };
        let event = EvolutionEvent::ShadowStarted(event);
        if record.is_of_program() {
            return self.start_program_trial(record, event).await;
        }
        self.write(event).await
    }

    /// The newest requests of the record that it is tried on.
    pub(super) async fn requests(
        &self,
        record: &EvolutionRecord,
    ) -> Result<Vec<EpochId>, MoveError> {
        match record.target() {
            Some(target @ (EvolutionTarget::ToolFramework | EvolutionTarget::Dsl))
                if !self.is_of_program(record) =>
            {
                let of = (&record.agent, target);
                own_uses::epochs_with_uses(&self.keeper, of, self.newest(record)).await
            }
            _ => Ok(self.newest_epochs(record)),
        }
    }

    /// The newest conversations of the record, whatever happened in them.
    pub(super) fn newest_epochs(&self, record: &EvolutionRecord) -> Vec<EpochId> {
        let (up_to, count) = self.newest(record);
        self.keeper.committed_epochs(&record.agent, up_to, count)
    }

    /// What a program was asked since its trial began, as far as a trial that lacks requests is given it too; oldest first.
    fn later_requests(&self, record: &EvolutionRecord) -> Vec<EpochId> {
        let evolution = &self.settings.evolution;
        let (Some(since), Some((seed, _))) = (record.record_seq, record.seed) else {
            return Vec::new();
        };
        if record.only_compares() || evolution.mirror_percent == 0 {
            return Vec::new();
        }
        let last = usize::try_from(evolution.last).unwrap_or(usize::MAX);
        let mut epochs = self.keeper.committed_epochs(&record.agent, u64::MAX, last);
        let state = self.keeper.state();
        epochs.retain(|epoch| {
            state.epochs.get(epoch).is_some_and(|span| span.first_seq > since)
                && is_in_share(seed, &epoch.to_string(), evolution.mirror_percent)
        });
        epochs.reverse();
        epochs
    }

    /// Up to which line of the ledger, and how many.
    fn newest(&self, record: &EvolutionRecord) -> (u64, usize) {
        let last = record.trial.as_ref().map_or(self.settings.evolution.last, |trial| {
            trial.last.clamp(1, 10 * self.settings.evolution.last)
        });
        // Before its trial begins, all that there is.
        let up_to = record.record_seq.unwrap_or(u64::MAX);
        (up_to, usize::try_from(last).unwrap_or(usize::MAX))
    }

    /// Gives both the requests that are left, and looks at the pairs where that is due.
    async fn try_out(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        let mut pairs = recorded::pairs(self.keeper.ledger(), record).await?.trial;
        let known: HashSet<String> = pairs.iter().map(|pair| pair.request.clone()).collect();
        let mut requests = self.requests(record).await?;
        let live = if record.is_of_program() {
            self.later_requests(record)
        } else {
            self.ended_live(record)
        };
        let live = live.into_iter().filter(|epoch| !requests.contains(epoch));
        let live: Vec<EpochId> = live.collect();
        let live_from = requests.len();
        requests.extend(live);
        let unusable = self.unusable_of(record.id);
        let is_left = |(_, epoch): &(usize, &EpochId)| {
            !unusable.contains(epoch) && !known.contains(&epoch.to_string())
        };
        let left = requests.iter().enumerate().filter(is_left);
        let mut trial = Trial::of(record);
        let mut new = Vec::new();
        let costs = match record.target() {
            Some(EvolutionTarget::Mind) => self.costs_of(record).await?,
            _ => ExpectedCosts::default(),
        };
        let mut cut = None;
        for (place, epoch) in left {
            let is_judged = !record.only_compares() && is_look(pairs.len());
            if is_judged && self.judged(record, &pairs, (ComparisonProgress::Running, None)).await?
            {
                return Ok(Progress::Moved);
            }
            cut = costs.ends_before(*epoch, &pairs);
            if cut.is_some() || is_dead(&pairs) {
                break;
            }
            if live_from <= place {
                self.until_quiet(&record.agent).await;
            }
            let asked = trial.compare(self, record, (*epoch, &requests));
            // Where a person ends the trial, nothing more is asked.
            let Some(compared) = self.while_open(record, asked).await else {
                return Ok(Progress::Moved);
            };
            let Some(pair) = compared? else {
                self.note_unusable(record, *epoch);
                continue;
            };
            // What costs is written down at once: a death must not pay for it twice.
            let has_cost = [&pair.main, &pair.candidate].iter().any(|leg| leg.tokens.is_some());
            pairs.push(pair.clone());
            new.push(pair);
            if has_cost || new.len() >= PAIRS_A_LINE || is_look(pairs.len()) {
                self.write_pairs(record, &mut new).await?;
            }
        }
        self.write_pairs(record, &mut new).await?;
        if self.lacks_requests(record, &pairs) {
            trial.keep(self, record);
            return Ok(Progress::Waits);
        }
        self.judged(record, &pairs, (ComparisonProgress::Complete, cut)).await?;
        Ok(Progress::Moved)
    }

    /// Waits for some work of a trial, unless the trial ends meanwhile.
    async fn while_open<T>(
        &self,
        record: &EvolutionRecord,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let mut applied = self.keeper.services().view.applications();
        let is_open = || {
            let state = self.keeper.state();
            let record = state.evolutions.get(record.id);
            record.is_some_and(|record| matches!(record.state, EvolutionState::Shadowing { .. }))
        };
        let mut work = std::pin::pin!(work);
        while is_open() {
            tokio::select! {
                done = &mut work => return Some(done),
                changed = applied.changed() => if changed.is_err() { return None },
            }
        }
        None
    }

    fn unusable_of(&self, id: EvolutionId) -> HashSet<EpochId> {
        let unusable = self.unusable.lock().unwrap_or_else(PoisonError::into_inner);
        unusable.get(&id).cloned().unwrap_or_default()
    }

    /// Keeps that a request of the record found nothing, or cannot be asked again. Those of changes that have ended are let go.
    fn note_unusable(&self, record: &EvolutionRecord, epoch: EpochId) {
        let is_open = |id: &EvolutionId| {
            let state = self.keeper.state();
            state.evolutions.get(*id).is_some_and(|record| !record.state.is_ended())
        };
        let mut unusable = self.unusable.lock().unwrap_or_else(PoisonError::into_inner);
        unusable.retain(|id, _| is_open(id));
        unusable.entry(record.id).or_default().insert(epoch);
        tracing::debug!(agent = %record.agent, evolution = %record.id, %epoch, event = "request_unusable",
            "a request of the record cannot be given again");
    }

    /// Whether a live request waits to be given to both.
    pub(super) fn has_live_request(&self, agent: &AgentId) -> bool {
        let state = self.keeper.state();
        let has_ended = |epoch| state.epochs.get(&epoch).is_some_and(|span| span.end.is_some());
        self.modules.live.has_ended(agent, has_ended)
    }

    /// Whether a trial waits for live requests before anything is said.
    fn lacks_requests(&self, record: &EvolutionRecord, pairs: &[ComparedPair]) -> bool {
        let evolution = &self.settings.evolution;
        let age = self.keeper.services().ledger.now().since(record.moved_at);
        // Who never had a tool never called it: there is nothing to wait for.
        let has_requests =
            record.is_of_program() || record.target() == Some(EvolutionTarget::MemorySystem);
        !record.only_compares()
            && has_requests
            && evolution.mirror_percent > 0
            && pairs.len() < abide_evolution::limits::PAIRS_MIN
            && !is_dead(pairs)
            && age < evolution.stage_limit.0
    }

    /// Decides where the pairs say what comes of the change; whether they did. `cut`: why there are no more.
    async fn judged(
        &self,
        record: &EvolutionRecord,
        pairs: &[ComparedPair],
        (progress, cut): (ComparisonProgress, Option<String>),
    ) -> Result<bool, MoveError> {
        let asks = (progress, self.needs_person(record));
        let Some(mut decided) = judge_trial(record, pairs, asks) else { return Ok(false) };
        if let Some(cut) = cut {
            decided.reason = format!("{cut}; {}", decided.reason);
        }
        self.decide(record, decided).await?;
        Ok(true)
    }

    pub(super) fn needs_person(&self, record: &EvolutionRecord) -> bool {
        let named = &self.settings.evolution.approve;
        named.iter().any(|name| name.parse().ok() == record.target())
    }

    async fn back_up(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        if record.is_of_program() {
            return self.back_up_program(record).await;
        }
        let previous = self.in_force(record);
        // What a rollback would bring back must be there and run, or nothing is put in its place.
        let code = self.code_in_force(record).await?;
        let old = (own_checks::kind_or_memory(record), &*code);
        if let Err(error) = self.modules.pool.load(&record.agent, old).await {
            let why =
                format!("the code from before does not run, so nothing could be restored: {error}");
            return self.abort(record, why).await;
        }
        let event = EvolutionBackedUp { evolution_id: record.id, previous, checkpoint_id: None };
        self.write(EvolutionEvent::BackedUp(event)).await
    }

    async fn load(&self, record: &EvolutionRecord) -> Result<Progress, MoveError> {
        if record.is_of_program() {
            return self.load_program(record).await;
        }
        let proposed = recorded::proposal(self.keeper.ledger(), record).await?;
        let code_sha256 = hex::encode(Sha256::digest(proposed.code.as_bytes()));
        if record.code_sha256.as_ref() != Some(&code_sha256) {
            return self.roll_back(record, "its code is not what was checked".into()).await;
        }
        let new = (own_checks::kind_or_memory(record), &*proposed.code);
        if let Err(error) = self.modules.pool.load(&record.agent, new).await {
            return self.roll_back(record, format!("it cannot be loaded: {error}")).await;
        }
        let percent = first_stage(record);
        let event = EvolutionReloaded { evolution_id: record.id, code_sha256, percent };
        self.modules.live.forget(&record.agent);
        self.write(EvolutionEvent::Reloaded(event)).await
    }

    pub(super) async fn reject(
        &self,
        record: &EvolutionRecord,
        reason: String,
    ) -> Result<Progress, MoveError> {
        let decided = EvolutionDecided {
            evolution_id: record.id,
            decision: EvolutionDecision::Rejected,
            reason,
            measured: BTreeMap::new(),
            needs_person: false,
        };
        self.decide(record, decided).await
    }

    async fn decide(
        &self,
        record: &EvolutionRecord,
        decided: EvolutionDecided,
    ) -> Result<Progress, MoveError> {
        let result = evolution_result(&decided);
        let moved = self.write(EvolutionEvent::Decided(decided)).await?;
        if let Some(result) = result {
            self.say(record, result).await;
        }
        Ok(moved)
    }

    async fn abort(&self, record: &EvolutionRecord, reason: String) -> Result<Progress, MoveError> {
        self.write(EvolutionEvent::Aborted(EvolutionAborted { evolution_id: record.id, reason }))
            .await
    }
}

/// The share of requests that a change begins with. A tool that is there in one conversation and not in the next would help nobody, so
/// tools and commands are there at once, and watched.
fn first_stage(record: &EvolutionRecord) -> u8 {
    let [first, .., last] = CANARY_PERCENTS;
    if record.target() == Some(EvolutionTarget::MemorySystem) { first } else { last }
}

/// Whether a trial is looked at after so many pairs.
fn is_look(pairs: usize) -> bool {
    LOOKS.iter().any(|(look, _)| *look == pairs)
}

/// Whether the candidate has answered nothing at all, though it was asked often enough. What the code in force fails at in the same way
/// is hard, and says nothing of the candidate.
fn is_dead(pairs: &[ComparedPair]) -> bool {
    let fails_alone = |pair: &ComparedPair| pair.candidate.error.is_some() && !fail_alike(pair);
    pairs.len() >= DEAD_AFTER && pairs.iter().all(fails_alone)
}

/// What the proposer hears; nothing where a person decides first.
fn evolution_result(decided: &EvolutionDecided) -> Option<EvolutionResult> {
    let success = match decided.decision {
        EvolutionDecision::Promoted if !decided.needs_person => true,
        EvolutionDecision::Rejected => false,
        EvolutionDecision::Promoted | EvolutionDecision::Marginal | EvolutionDecision::Reported => {
            return None;
        }
    };
    let measured = |name: &str| decided.measured.get(name).copied();
    let metrics = (!decided.measured.is_empty()).then(|| EvolutionMetrics {
        latency_improvement: measured("latency"),
        error_rate_change: measured("errors"),
        memory_increase: measured("memory"),
        extra: Extra::default(),
    });
    let decision = if success { Decision::Promoted } else { Decision::Rejected };
    Some(EvolutionResult { success, decision, metrics, reason: decided.reason.clone() })
}

#[cfg(test)]
mod tests {
    use abide_domain::event::{ComparedLeg, ComparedPair};

    use super::{DEAD_AFTER, is_dead};

    fn pair(main: Option<&str>, candidate: Option<&str>) -> ComparedPair {
        let leg = |error: Option<&str>| ComparedLeg {
            error: error.map(str::to_owned),
            ..ComparedLeg::default()
        };
        ComparedPair {
            request: "r".into(),
            candidate_first: false,
            main: leg(main),
            candidate: leg(candidate),
            agrees: None,
            divergence: None,
            judge: None,
        }
    }

    #[test]
    fn who_fails_at_all_that_the_other_can_do_is_dead_and_what_both_fail_at_alike_is_hard() {
        let all = |pair: ComparedPair| vec![pair; DEAD_AFTER];
        assert!(is_dead(&all(pair(None, Some("it ended")))));
        assert!(is_dead(&all(pair(Some("late"), Some("it ended")))));
        assert!(!is_dead(&all(pair(None, Some("it ended")))[1..]));
        assert!(!is_dead(&all(pair(Some("missed"), Some("missed")))));
        let mut mixed = all(pair(None, Some("it ended")));
        mixed[3] = pair(None, None);
        assert!(!is_dead(&mixed));
    }
}
