//! One request given to both codes of a memory module, and what of it counts.
//!
//! An order that leaves none of what the reply rested on among the first ten is an error of its own: the mind would not have seen it.
//! Whether the answers agree is whether the candidate shows of that as much as the code in force does, among the first five and the
//! first ten. Neither is compared with what was measured at another time: both run, one right behind the other.

use std::{collections::HashSet, time::Duration};

use abide_domain::event::{ComparedLeg, ComparedPair};
use abide_engine::{RankingTask, keeper::RecordedRanking};
use abide_evolution::{LegRole, first_leg};
use abide_memory::RankablePassage;
use abide_modules::{
    ModuleCallError, ModuleCost, ModuleEndedError, PassageFeatures, PassageRole, RankRequest,
    RankedPassage,
};

use crate::agents::ModuleProcess;

/// How long either may take. A live question waits less; what is slower than that is an error here as well.
pub(super) const TRIAL_LIMIT: Duration = Duration::from_millis(50);
/// The kind of an error: nothing of what was needed among the first ten.
const MISSED: &str = "missed what the reply rests on";
/// Places of an order that the mind is shown at best, and those at the top.
const SHOWN: [usize; 2] = [5, 10];

/// What a live question asks of a module.
pub(super) fn rank_request(task: &RankingTask<'_>) -> RankRequest {
    RankRequest {
        question: task.question.to_owned(),
        asker: Some(task.asker.to_owned()).filter(|asker| !asker.is_empty()),
        now: seconds(task.now.as_micros()),
        passages: task.passages.iter().map(ranked_passage).collect(),
    }
}

/// What the same asks again of the record.
pub(super) fn recorded_request(recorded: &RecordedRanking) -> RankRequest {
    RankRequest {
        question: recorded.question.clone(),
        asker: Some(recorded.asker.clone()).filter(|asker| !asker.is_empty()),
        now: seconds(recorded.now.as_micros()),
        passages: recorded.passages.iter().map(ranked_passage).collect(),
    }
}

fn ranked_passage(found: &RankablePassage) -> RankedPassage {
    RankedPassage {
        id: found.row,
        text: found.passage.text.clone(),
        speaker: found.passage.speaker.clone(),
        role: if found.passage.by_agent { PassageRole::Agent } else { PassageRole::Person },
        at: seconds(found.passage.at.as_micros()),
        features: features(found),
    }
}

/// The search's numbers by the names that modules know.
fn features(found: &RankablePassage) -> PassageFeatures {
    let named = found.features.named();
    let value = |name: &&str| {
        let found = named.iter().find(|(known, _)| known == name);
        found.map_or(0.0, |(_, value)| f64::from(*value))
    };
    PassageFeatures::from_values(PassageFeatures::NAMES.each_ref().map(value))
}

/// Unix seconds, as modules are given them.
#[expect(clippy::cast_precision_loss, reason = "microseconds of this age are far below 2^53")]
pub(super) fn seconds(micros: i64) -> f64 {
    micros as f64 / 1_000_000.0
}

/// Both processes of a trial.
#[derive(Debug)]
pub(super) struct TrialProcesses {
    pub(super) main: ModuleProcess,
    pub(super) candidate: ModuleProcess,
}

/// What one of them did, with its order where it gave one.
struct RankedLeg {
    leg: ComparedLeg,
    order: Option<Vec<u64>>,
}

impl TrialProcesses {
    /// Whether one of them can be asked no more.
    pub(super) fn have_ended(&self) -> bool {
        self.main.client.ended().is_some() || self.candidate.client.ended().is_some()
    }

    /// Gives a request to both, in an order by hash.
    pub(super) async fn compare(&mut self, recorded: &RecordedRanking, seed: u64) -> ComparedPair {
        let request = recorded.epoch.to_string();
        let asked = recorded_request(recorded);
        let candidate_first = first_leg(seed, &request) == LegRole::Candidate;
        let (main, candidate) = if candidate_first {
            let candidate = rank(&mut self.candidate, &asked).await;
            (rank(&mut self.main, &asked).await, candidate)
        } else {
            let main = rank(&mut self.main, &asked).await;
            (main, rank(&mut self.candidate, &asked).await)
        };
        let needed: HashSet<u64> = recorded.needed.iter().copied().collect();
        let agrees = agreement(&needed, &main, &candidate);
        let divergence = divergence(recorded, &main, &candidate);
        ComparedPair {
            request,
            candidate_first,
            main: missed(main, &needed),
            candidate: missed(candidate, &needed),
            agrees,
            divergence,
            judge: None,
        }
    }

    /// Whether the candidate fails once more on a request.
    pub(super) async fn fails_again(&mut self, recorded: &RecordedRanking) -> bool {
        rank(&mut self.candidate, &recorded_request(recorded)).await.leg.error.is_some()
    }
}

async fn rank(process: &mut ModuleProcess, asked: &RankRequest) -> RankedLeg {
    let had_ended = process.client.ended().is_some();
    match process.client.rank(asked.clone(), TRIAL_LIMIT).await {
        Ok(reply) => RankedLeg { leg: leg(reply.cost, None), order: Some(reply.value) },
        Err(ModuleCallError::Script { error, cost }) => {
            RankedLeg { leg: leg(cost, Some(error.to_string())), order: None }
        }
        Err(error) => {
            let mut words = error.to_string();
            let is_gone = matches!(process.client.ended(), Some(ModuleEndedError::Gone(_)));
            if !had_ended && is_gone {
                let how = process.how_it_ended().await.unwrap_or_else(|words| words);
                words = format!("{words}: {how}");
            }
            RankedLeg { leg: leg(ModuleCost::default(), Some(words)), order: None }
        }
    }
}

fn leg(cost: ModuleCost, error: Option<String>) -> ComparedLeg {
    let ModuleCost { wall_us, cpu_us, memory_bytes } = cost;
    let error = error.map(|words| abide_domain::text::shortened(&words, 200));
    ComparedLeg { error, wall_us, cpu_us, memory_bytes, ..ComparedLeg::default() }
}

/// An order that shows nothing of what was needed counts as an error. It is not asked again: it would be the same.
fn missed(ranked: RankedLeg, needed: &HashSet<u64>) -> ComparedLeg {
    let RankedLeg { mut leg, order } = ranked;
    if let Some(order) = order
        && !needed.is_empty()
        && found(&order, needed, SHOWN[1]) == 0
    {
        leg.error = Some(MISSED.to_owned());
        // A miss weighs as an error among others. What repeats is a failure to answer at all.
        leg.repeats = Some(false);
    }
    leg
}

/// Whether the candidate gave no order and the code in force gave one, good or not.
pub(super) fn failed_alone(pair: &ComparedPair) -> bool {
    let main_answered = pair.main.error.as_deref().is_none_or(|error| error == MISSED);
    main_answered && pair.candidate.error.is_some() && pair.candidate.repeats.is_none()
}

/// How many of what was needed stand among the first so many.
fn found(order: &[u64], needed: &HashSet<u64>, places: usize) -> usize {
    order.iter().take(places).filter(|id| needed.contains(id)).count()
}

fn agreement(needed: &HashSet<u64>, main: &RankedLeg, candidate: &RankedLeg) -> Option<bool> {
    let (main, candidate) = (main.order.as_ref()?, candidate.order.as_ref());
    if needed.is_empty() {
        return None;
    }
    let Some(candidate) = candidate else { return Some(false) };
    let is_as_good = |places| found(candidate, needed, places) >= found(main, needed, places);
    Some(SHOWN.into_iter().all(is_as_good))
}

/// The first place at which the orders differ among those that are shown, for people; without what was said.
fn divergence(
    recorded: &RecordedRanking,
    main: &RankedLeg,
    candidate: &RankedLeg,
) -> Option<String> {
    let (main, candidate) = (main.order.as_ref()?, candidate.order.as_ref()?);
    let shown = main.iter().zip(candidate).take(SHOWN[1]);
    let place = shown.enumerate().find(|(_, (one, other))| one != other)?.0;
    let at = |order: &[u64]| {
        let row = order.get(place)?;
        let found = recorded.passages.iter().find(|found| found.row == *row)?;
        Some(format!("{} on {}", found.passage.speaker, found.passage.at))
    };
    Some(format!("place {}: {} in place of {}", place + 1, at(candidate)?, at(main)?))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use abide_domain::event::ComparedLeg;

    use super::{MISSED, RankedLeg, agreement, missed};

    fn ranked(order: &[u64]) -> RankedLeg {
        RankedLeg { leg: ComparedLeg::default(), order: Some(order.to_vec()) }
    }

    fn failed() -> RankedLeg {
        let leg = ComparedLeg { error: Some("runtime".into()), ..ComparedLeg::default() };
        RankedLeg { leg, order: None }
    }

    #[test]
    fn an_order_without_what_was_needed_among_the_first_ten_is_an_error() {
        let needed = HashSet::from([11]);
        let order: Vec<u64> = (0..12).collect();
        assert_eq!(missed(ranked(&order), &needed).error.as_deref(), Some(MISSED));
        assert_eq!(missed(ranked(&order), &HashSet::from([9, 11])).error, None);
        assert_eq!(missed(ranked(&order), &HashSet::new()).error, None, "nothing is known");
        assert_eq!(missed(failed(), &needed).error.as_deref(), Some("runtime"));
    }

    #[test]
    fn answers_agree_where_the_candidate_shows_as_much_of_what_was_needed() {
        let needed = HashSet::from([3, 7]);
        let base = ranked(&[1, 3, 2, 4, 5, 7]);
        assert_eq!(agreement(&needed, &base, &ranked(&[3, 7, 1, 2, 4, 5])), Some(true));
        assert_eq!(agreement(&needed, &base, &ranked(&[1, 2, 4, 5, 7, 3])), Some(true));
        assert_eq!(agreement(&needed, &base, &ranked(&[1, 2, 4, 5, 6, 7])), Some(false));
        assert_eq!(agreement(&needed, &base, &failed()), Some(false));
        assert_eq!(agreement(&HashSet::new(), &base, &base), None);
        assert_eq!(agreement(&needed, &failed(), &base), None);
    }
}
