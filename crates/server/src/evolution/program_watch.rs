//! A program's code that is in force and watched: one process answers all requests, so that the code from before cannot be asked the
//! same. What fails since is set against what failed in as many requests before it.
//!
//! A request has failed where an attempt at one of its turns failed by the process's own doing; a process that ends unasked between
//! turns counts as one more. The evidence is an e-value over the requests in which only one of the two failed, and may be looked at
//! at any time.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{
    AgentId, EpochId,
    event::{AgentEvent, EpochEvent, Event, EvolutionEvent, EvolutionKept, ExitReason, TurnEvent},
    evolution::CANARY_PERCENTS,
};
use abide_engine::state::EvolutionRecord;
use abide_evolution::{e_value, limits::E_VALUE_ERRORS};
use abide_ledger::{Entry, Ledger, Query, QueryOrder};

use super::{
    recorded, report,
    work::{EvolutionWork, MoveError, Progress},
};

/// Why attempts fail by the doing of a process; what people, the keeper or a provider do is not among it.
const OWN_FAILURES: [&str; 6] =
    ["crashed", "deadline", "bad_voice", "process_failed", "rejected", "outcome_unknown"];
/// Lines that are looked at in either direction: some for each attempt at each turn of the requests of a watch.
const LINES_MAX: usize = 50_000;
/// The kinds of lines that say how requests went.
const KINDS: [&str; 7] = [
    "epoch.committed",
    "epoch.aborted",
    "turn.failed",
    "agent.exited",
    "evolution.backed_up",
    "evolution.reloaded",
    "evolution.rolled_back",
];
/// How likely so many more failures at the end of a watch may be by chance alone, where it is not kept: as at the stages of a module.
const WORSE_LEVEL: f64 = 0.05;

/// How requests went: in their order, whether each failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct WatchedRequests(Vec<bool>);

/// What follows of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WatchStep {
    Continue,
    Keep,
    RollBack(String),
}

impl EvolutionWork {
    /// Looks how requests went since the code was loaded.
    pub(super) async fn watch_program(
        &self,
        record: &EvolutionRecord,
    ) -> Result<Progress, MoveError> {
        let evolution = &self.settings.evolution;
        let needed = usize::try_from(evolution.canary_pairs).unwrap_or(usize::MAX);
        let needed = needed.saturating_mul(CANARY_PERCENTS.len());
        let (since, before) = self.watched(record, needed).await?;
        match judge(&since, &before, needed) {
            WatchStep::Keep => {
                let (new, old) = (since.failures(needed), before.failures(needed));
                let reason = format!(
                    "{needed} live requests were answered with {new} that failed, after {old} of as many before"
                );
                let report = report::kept(record, &reason, self.keeper.services().now());
                let event = EvolutionKept { evolution_id: record.id, reason };
                self.write_with(EvolutionEvent::Kept(event), report).await
            }
            WatchStep::RollBack(why) => self.roll_back(record, why).await,
            WatchStep::Continue => {
                let age = self.keeper.services().ledger.now().since(record.moved_at);
                if age < evolution.stage_limit.0 {
                    return Ok(Progress::Waits);
                }
                let why = format!(
                    "only {} of {needed} requests came within {}: the code from before stays",
                    since.0.len(),
                    evolution.stage_limit
                );
                self.roll_back(record, why).await
            }
        }
    }

    /// The requests since the code was loaded, and at most as many of those before it as the watch needs.
    async fn watched(
        &self,
        record: &EvolutionRecord,
        needed: usize,
    ) -> Result<(WatchedRequests, WatchedRequests), MoveError> {
        let ledger = self.keeper.ledger().clone();
        let seq = recorded::loaded_seq(&ledger, record).await?;
        let agent = record.agent.clone();
        let read = move || -> Result<_, String> {
            let since = Query { after: seq, ..of(&agent) };
            let before = Query { before: Some(seq), order: QueryOrder::NewestFirst, ..of(&agent) };
            let since = WatchedRequests::of(&lines(&ledger, since, usize::MAX)?);
            let mut older = lines(&ledger, before, needed)?;
            older.reverse();
            Ok((since, WatchedRequests::of(&older)))
        };
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|_| "the reading of the ledger ended".to_owned())?
    }
}

fn of(agent: &AgentId) -> Query {
    Query {
        entity: Some(agent.entity()),
        kinds: KINDS.map(str::to_owned).to_vec(),
        limit: LINES_MAX,
        ..Query::default()
    }
}

/// The lines of a query, up to so many ends of epochs.
fn lines(ledger: &Ledger, query: Query, ends_max: usize) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    let mut ends = 0_usize;
    for line in ledger.query(query) {
        let entry = line.map_err(|error| error.to_string())?;
        let entry = entry.entry().map_err(|error| error.to_string())?;
        ends += usize::from(matches!(entry.event, Event::Epoch(_)));
        if ends > ends_max {
            break;
        }
        entries.push(entry);
    }
    Ok(entries)
}

impl WatchedRequests {
    /// Reads lines in their order.
    fn of(entries: &[Entry]) -> Self {
        let mut failed: BTreeSet<EpochId> = BTreeSet::new();
        let mut crashes = 0_usize;
        // The end of a process that is about to load code says nothing of the code that answers.
        let mut is_loading = false;
        let mut requests: BTreeMap<u64, bool> = BTreeMap::new();
        for entry in entries {
            match (&entry.event, entry.epoch) {
                (Event::Turn(TurnEvent::Failed(turn)), Some(epoch)) => {
                    crashes += usize::from(turn.code == "crashed");
                    if OWN_FAILURES.contains(&turn.code.as_str()) {
                        failed.insert(epoch);
                    }
                }
                (Event::Epoch(EpochEvent::Committed(_) | EpochEvent::Aborted(_)), Some(epoch)) => {
                    requests.insert(entry.seq, failed.contains(&epoch));
                }
                (Event::Evolution(event), _) => {
                    is_loading = matches!(event, EvolutionEvent::BackedUp(_));
                }
                (Event::Agent(AgentEvent::Exited(exited)), _)
                    if is_own_end(exited.reason) && !is_loading =>
                {
                    // The end of a process that was asked is a failed attempt as well: it counts once.
                    if crashes > 0 {
                        crashes -= 1;
                    } else {
                        requests.insert(entry.seq, true);
                    }
                }
                _ => {}
            }
        }
        Self(requests.into_values().collect())
    }

    fn failures(&self, of: usize) -> usize {
        self.0.iter().take(of).filter(|failed| **failed).count()
    }
}

const fn is_own_end(reason: ExitReason) -> bool {
    !matches!(
        reason,
        ExitReason::Person
            | ExitReason::Hibernated
            | ExitReason::Shutdown
            | ExitReason::KeeperLost
            | ExitReason::NotStarted
    )
}

/// Judges a watch: `before` are the newest requests from before the code was loaded. What has no counterpart is set against none that failed.
fn judge(since: &WatchedRequests, before: &WatchedRequests, needed: usize) -> WatchStep {
    let old = before.0.iter().rev().copied().chain(std::iter::repeat(false));
    let pairs: Vec<(bool, bool)> = since.0.iter().copied().zip(old).take(needed).collect();
    let worse = pairs.iter().filter(|(new, old)| *new && !old).count();
    let better = pairs.iter().filter(|(new, old)| !new && *old).count();
    if e_value(worse, better) >= E_VALUE_ERRORS {
        let failures = since.failures(needed);
        return WatchStep::RollBack(format!(
            "it fails more often: {failures} of {} live requests, after {} of as many before",
            pairs.len(),
            pairs.iter().filter(|(_, old)| *old).count()
        ));
    }
    if pairs.len() < needed {
        return WatchStep::Continue;
    }
    if chance(worse, better) < WORSE_LEVEL {
        let (new, old) = (since.failures(needed), pairs.iter().filter(|(_, old)| *old).count());
        return WatchStep::RollBack(format!(
            "it fails more often: {new} of {needed} live requests, after {old} of as many before"
        ));
    }
    WatchStep::Keep
}

/// How likely at least so many of the requests in which one of the two failed are the new code's, where both fail as often: the exact
/// one-sided test of pairs.
fn chance(worse: usize, better: usize) -> f64 {
    let all = worse + better;
    // Of all ways in which these may fall, the share that has `count` of one kind, from the one that has all.
    let mut share = 0.5_f64.powi(i32::try_from(all).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for others in 0..=better {
        sum += share;
        #[expect(clippy::cast_precision_loss, reason = "requests of one watch")]
        let (left, next) = ((all - others) as f64, (others + 1) as f64);
        share *= left / next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::{WatchStep, WatchedRequests, chance, judge};

    fn requests(count: usize, failed: impl Fn(usize) -> bool) -> WatchedRequests {
        WatchedRequests((0..count).map(failed).collect())
    }

    #[test]
    fn code_that_fails_turn_after_turn_is_taken_back_after_a_few() {
        let before = requests(90, |_| false);
        assert_eq!(judge(&requests(4, |_| true), &before, 90), WatchStep::Continue);
        let WatchStep::RollBack(why) = judge(&requests(9, |_| true), &before, 90) else {
            panic!("it goes on");
        };
        assert!(why.contains("9 of 9"), "{why}");
    }

    /// A watch may be too short for an e-value to say anything.
    #[test]
    fn code_that_fails_always_is_not_kept_by_the_shortest_watch() {
        let verdict = judge(&requests(6, |_| true), &requests(6, |_| false), 6);
        assert!(matches!(verdict, WatchStep::RollBack(_)), "{verdict:?}");
        assert!((chance(6, 0) - 1.0 / 64.0).abs() < 1e-12);
        assert!((chance(6, 2) - 37.0 / 256.0).abs() < 1e-12);
        assert!((chance(0, 0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn code_that_fails_as_often_as_before_is_kept() {
        let (since, before) = (requests(90, |n| n % 4 == 0), requests(90, |n| n % 4 == 1));
        assert_eq!(judge(&since, &before, 90), WatchStep::Keep);
        assert_eq!(judge(&requests(90, |_| false), &requests(0, |_| false), 90), WatchStep::Keep);
        assert_eq!(judge(&requests(89, |_| false), &before, 90), WatchStep::Continue);
    }
}
