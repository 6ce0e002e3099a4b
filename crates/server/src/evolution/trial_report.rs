//! The report of a trial, made again from the ledger: the same lines give the same figures, whenever and wherever that is. It decides
//! nothing; what was decided stands in the ledger.

use abide_domain::{
    event::{AskedJudge, ComparedPair, EvolutionDecision, EvolutionProposed, JudgedAnswer},
    evolution::EvolutionState,
};
use abide_engine::state::EvolutionRecord;
use abide_evolution::{ComparisonProgress, ComparisonReport, report, statistics::mcnemar};
use abide_ledger::Ledger;

use super::{
    judging::{MindFloor, rule_of},
    pairs::measured_pairs,
    recorded,
};

/// What the ledger says of a trial.
#[derive(Clone, Debug)]
pub(crate) struct TrialReport {
    /// What was proposed.
    pub(crate) proposed: EvolutionProposed,
    /// Its pairs, in the order in which they were made.
    pub(crate) pairs: Vec<ComparedPair>,
    /// Pairs since it was loaded.
    pub(crate) watched: Vec<ComparedPair>,
    /// Every figure of the trial; none before it began.
    pub(crate) comparison: Option<ComparisonReport>,
    /// How often the mind in force agrees with itself; none where it was not asked twice.
    pub(crate) floor: Option<MindFloor>,
    /// What a judge said; none where none was asked.
    pub(crate) judged: Option<JudgeFigures>,
}

/// What a judge said of all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JudgeFigures {
    /// Pairs in which the candidate's reply is better.
    pub(crate) better: usize,
    /// Pairs in which it is worse.
    pub(crate) worse: usize,
    /// Pairs in which neither is.
    pub(crate) tie: usize,
    /// Pairs about which it gave no answer that can be read.
    pub(crate) unread: usize,
    /// What it cost, in millionths of a US dollar; none where no price is known.
    pub(crate) spent_microusd: Option<u64>,
    /// How likely so many more on one side are without a difference: an exact sign test over those that are no tie, two-sided.
    pub(crate) p: f64,
}

/// Makes it. Errors are words for people.
pub(crate) async fn trial_report(
    ledger: &Ledger,
    record: &EvolutionRecord,
) -> Result<TrialReport, String> {
    let proposed = recorded::proposal(ledger, record).await?;
    let pairs = recorded::pairs(ledger, record).await?;
    let (trial, watched) = (pairs.trial, pairs.watch);
    let record = record.clone();
    let work = move || {
        let comparison = record.seed.map(|(seed, _)| {
            let rule = rule_of(&record, &trial);
            report(&measured_pairs(&trial), &rule, progress_of(&record), seed)
        });
        let (floor, judged) = (MindFloor::of(&trial), JudgeFigures::of(&trial));
        TrialReport { proposed, pairs: trial, watched, comparison, floor, judged }
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| "the making of the report ended".to_owned())
}

/// Whether more pairs were to come when it ended, as far as it has.
const fn progress_of(record: &EvolutionRecord) -> ComparisonProgress {
    match (record.decision, record.state) {
        (
            Some(
                EvolutionDecision::Promoted
                | EvolutionDecision::Rejected
                | EvolutionDecision::Marginal
                | EvolutionDecision::Reported,
            ),
            _,
        ) => ComparisonProgress::Complete,
        (None, EvolutionState::Aborted) => ComparisonProgress::Aborted,
        (None, _) => ComparisonProgress::Running,
    }
}

impl JudgeFigures {
    fn of(pairs: &[ComparedPair]) -> Option<Self> {
        let count = |said| pairs.iter().filter(|pair| pair.candidate.judged == Some(said)).count();
        let [better, worse, tie] =
            [JudgedAnswer::Better, JudgedAnswer::Worse, JudgedAnswer::Tie].map(count);
        let p = (2.0 * mcnemar(better.max(worse), better.min(worse))).min(1.0);
        let asked: Vec<AskedJudge> = pairs.iter().filter_map(|pair| pair.judge).collect();
        let unread = asked.iter().filter(|asked| asked.is_unread).count();
        let costs = asked.iter().filter_map(|asked| asked.cost_microusd);
        let spent_microusd = costs.reduce(u64::saturating_add);
        let was_asked = better + worse + tie + unread > 0;
        was_asked.then_some(Self { better, worse, tie, unread, spent_microusd, p })
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::event::{AskedJudge, ComparedLeg, ComparedPair, JudgedAnswer};

    use super::JudgeFigures;

    #[test]
    fn a_judge_is_counted_with_how_likely_that_is_without_a_difference() {
        let pair = |judged| ComparedPair {
            request: "e".into(),
            candidate_first: false,
            main: ComparedLeg::default(),
            candidate: ComparedLeg { judged, ..ComparedLeg::default() },
            agrees: None,
            divergence: None,
            judge: None,
        };
        assert_eq!(JudgeFigures::of(&[pair(None)]), None);
        let mut pairs = vec![pair(Some(JudgedAnswer::Better)); 5];
        pairs.push(pair(Some(JudgedAnswer::Tie)));
        for cost_microusd in [Some(3), None, Some(4)] {
            let asked = AskedJudge { cost_microusd, is_unread: true };
            pairs.push(ComparedPair { judge: Some(asked), ..pair(None) });
        }
        let found = JudgeFigures::of(&pairs).unwrap();
        assert_eq!((found.better, found.worse, found.tie, found.unread), (5, 0, 1, 3));
        assert_eq!(found.spent_microusd, Some(7));
        assert!((found.p - 2.0 / 32.0).abs() < 1e-9, "{found:?}");
    }
}
