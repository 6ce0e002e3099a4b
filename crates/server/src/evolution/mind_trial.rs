//! One epoch of the record asked of two minds, and in what they differ.
//!
//! Both are asked what the agent was asked then, one right behind the other. What the record has no answer to is the first thing in
//! which they differ. On some epochs the mind in force is asked once more: two answers of one mind differ as well, and that is the
//! floor of every agreement.

use std::sync::Arc;

use abide_domain::{
    Clock,
    event::{AskedJudge, ComparedLeg, ComparedPair},
};
use abide_engine::keeper::RecordedEpoch;
use abide_evolution::{Leg, LegRole, Measure, first_leg};

use super::{
    mind_change::MindBounds,
    mind_differences::{agree, divergence},
    mind_judge::MindJudge,
    mind_leg::{MindLeg, ask},
    pairs::measured_leg,
    recorded_calls::{LostResultError, RecordedCalls},
};
use crate::agents::TrialMind;

/// Requests on which the mind in force is asked once more.
pub(super) const FLOOR_REQUESTS: usize = 10;

/// A mind with the bounds of its conversations.
#[derive(Clone, Debug)]
pub(super) struct BoundedMind {
    pub(super) mind: TrialMind,
    pub(super) bounds: MindBounds,
}

/// Both minds of a trial.
#[derive(Clone, Debug)]
pub(super) struct MindTrial {
    pub(super) main: BoundedMind,
    pub(super) candidate: BoundedMind,
    pub(super) judge: Option<MindJudge>,
    /// How often each is asked each request.
    pub(super) repeat: u32,
    pub(super) clock: Arc<dyn Clock>,
}

impl MindTrial {
    /// Asks both, in an order by hash; with `has_floor` the mind in force once more. Errors: the record lacks what the epoch's tools
    /// gave.
    pub(super) async fn compare(
        &self,
        recorded: (&RecordedEpoch, &RecordedEpoch),
        seed: u64,
        has_floor: bool,
    ) -> Result<ComparedPair, LostResultError> {
        let (shown_main, shown_candidate) = recorded;
        let calls = RecordedCalls::of(&shown_main.turns)?;
        let request = shown_main.id.to_string();
        let candidate_first = first_leg(seed, &request) == LegRole::Candidate;
        let ask_main = || self.ask(&self.main, shown_main, &calls);
        let ask_candidate = || self.ask(&self.candidate, shown_candidate, &calls);
        let (mut mains, mut candidates) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat.max(1) {
            if candidate_first {
                candidates.push(ask_candidate().await);
                mains.push(ask_main().await);
            } else {
                mains.push(ask_main().await);
                candidates.push(ask_candidate().await);
            }
        }
        let (mut main, mut candidate) = (of_runs(mains), of_runs(candidates));
        if has_floor {
            let again = ask_main().await;
            main.leg.again_agrees = main.leg.error.is_none().then(|| agree(&main, &again));
            main.leg.spent_microusd = sum(main.leg.spent_in_all(), again.leg.cost_microusd);
        }
        let mut asked_judge = None;
        if let Some(judge) = &self.judge {
            let judged = judge.compare(&shown_main.request, &main, &candidate).await;
            candidate.leg.judged = judged.said;
            asked_judge = judged.has_asked.then(|| AskedJudge {
                cost_microusd: judged.usage.cost_microusd,
                is_unread: judged.said.is_none(),
            });
        }
        let divergence = divergence(&main, &candidate);
        let is_comparable = main.leg.error.is_none();
        Ok(ComparedPair {
            request,
            candidate_first,
            agrees: is_comparable.then(|| agree(&main, &candidate)),
            main: main.leg,
            candidate: candidate.leg,
            divergence,
            judge: asked_judge,
        })
    }

    /// What one of them does with an epoch.
    pub(super) async fn ask(
        &self,
        mind: &BoundedMind,
        recorded: &RecordedEpoch,
        calls: &RecordedCalls,
    ) -> MindLeg {
        let asked = (&*mind.mind.mind, mind.bounds);
        ask(asked, recorded, calls.clone(), &*self.clock).await
    }
}

/// Several runs of one request as one: what the first one did, with the medians of what was measured.
fn of_runs(runs: Vec<MindLeg>) -> MindLeg {
    let legs: Vec<ComparedLeg> = runs.iter().map(|run| run.leg.clone()).collect();
    let mut first = runs.into_iter().next().unwrap_or_default();
    if legs.len() < 2 {
        return first;
    }
    let measured: Vec<Leg> = legs.iter().map(measured_leg).collect();
    let median = |measure| {
        let middle = Leg::of_runs(&measured)?.measured(measure)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a measurement is positive and bounded"
        )]
        let whole = middle.round() as u64;
        Some(whole)
    };
    first.leg.runs = u32::try_from(legs.len()).ok();
    first.leg.wall_us = median(Measure::Wall).unwrap_or(first.leg.wall_us);
    first.leg.tokens = first.leg.tokens.map(|tokens| median(Measure::Tokens).unwrap_or(tokens));
    let cost = first.leg.cost_microusd;
    first.leg.cost_microusd = cost.map(|cost| median(Measure::Cost).unwrap_or(cost));
    first.leg.spent_microusd = legs.iter().map(|leg| leg.cost_microusd).reduce(sum).flatten();
    first
}

/// What is known of two costs; none where nothing is.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (known, None) | (None, known) => known,
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::event::ComparedLeg;

    use super::{MindLeg, of_runs};

    fn run(wall_us: u64, cost: u64, reply: &str) -> MindLeg {
        let leg = ComparedLeg { wall_us, cost_microusd: Some(cost), ..ComparedLeg::default() };
        MindLeg { leg, reply: reply.into(), ..MindLeg::default() }
    }

    #[test]
    fn three_runs_have_the_median_the_first_reply_and_the_cost_of_all() {
        let leg = of_runs(vec![run(900, 5, "one"), run(100, 7, "two"), run(200, 9, "three")]);
        assert_eq!((leg.reply.as_str(), leg.leg.runs), ("one", Some(3)));
        assert_eq!((leg.leg.wall_us, leg.leg.cost_microusd), (200, Some(7)));
        assert_eq!(leg.leg.spent_in_all(), Some(21));
        let once = of_runs(vec![run(900, 5, "one")]);
        assert_eq!((once.leg.runs, once.leg.spent_in_all()), (None, Some(5)));
    }
}
