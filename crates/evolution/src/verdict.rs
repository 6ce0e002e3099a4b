//! The verdict: what pairs say about a candidate, by one fixed rule.
//!
//! A candidate is promoted if it is a tenth smaller by its size measure or has a fifth fewer errors, if that is no chance, and if no
//! guard refuses it. Pure: the same pairs give the same verdict, and how often somebody looks changes nothing. It never promotes
//! what was not measured, and never on fewer than [`PAIRS_ALONE`] pairs without a person.
//!
//! **Levels.** The looks of [`LOOKS`] keep a comparison's error below 5 % though it is looked at three times. The j-th proposal since
//! the last one that was kept may use 1 / (j (j + 1)) of that: these shares sum up to 1 over any number of proposals, so that
//! trying long enough promotes nothing. The share scales the level of every look: then each look spends the same part of the
//! proposal's error as it does for a single one. By the plain sum of the two looks that can promote (0.0617), which
//! no dependence between looks exceeds, all proposals together stay below 6.2 %, and the thresholds of size, which the levels do
//! not count on, take it below 5 % (see the simulations in `tests/`).

mod reason;

use serde::{Deserialize, Serialize};

pub use reason::Reason;

use crate::{
    limits::{
        ERRORS_CHANGE, LOOKS, MEMORY_CHANGE, PAIRS_ALONE, PAIRS_MIN, SIZE_CHANGE, WORSE_LEVEL,
    },
    pair::{Measure, Pair},
    sample::{ComparedTarget, Figures, Sample, UsablePair},
    statistics::holm,
};

/// What a comparison is judged by. The keeper sets it; a proposal has no say in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Whose codes are compared.
    pub target: ComparedTarget,
    /// What must become smaller: time for modules; time, tokens or cost for minds.
    pub size: Measure,
    /// The number of this proposal since the last one that was kept, from 1.
    pub attempt: u32,
    /// The least share of agreeing pairs; see [`agreement_floor`](crate::agreement_floor). NaN is reached by none.
    pub agreement_floor: f64,
}

/// Whether more pairs will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonProgress {
    /// They will.
    Running,
    /// All that there are have been run.
    Complete,
    /// It ended before its time.
    Aborted,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgementState {
    /// Nothing can be said yet.
    NotEnough,
    /// A person decides.
    Marginal,
    /// The candidate is better.
    Promote,
    /// It is not, or a guard refuses it.
    Reject,
}

/// What pairs say about a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// What follows.
    pub state: JudgementState,
    /// Why, the most important first; never empty.
    pub reasons: Vec<Reason>,
    /// The level that p values had to stay below, shared out between looks and proposals.
    pub level: f64,
    /// The figures of the pairs that were looked at.
    pub figures: Figures,
}

impl Rule {
    /// The part of the error that this proposal may use: 1 / (j (j + 1)).
    pub fn share(&self) -> f64 {
        let attempt = f64::from(self.attempt.max(1));
        1.0 / (attempt * (attempt + 1.0))
    }

    /// The level at `pairs` pairs: that of the last look that they reach, shared out.
    fn level(&self, pairs: usize) -> f64 {
        let [first, ..] = LOOKS;
        let reached = LOOKS.iter().rev().find(|(look, _)| *look <= pairs);
        reached.map_or(first.1, |(_, level)| *level) * self.share()
    }
}

/// Judges the pairs of a comparison, in the order in which they were run.
pub fn judge(pairs: &[Pair], rule: &Rule, progress: ComparisonProgress) -> Judgement {
    let sample = Sample::of(pairs, rule.target, rule.size);
    let judgement = judge_sample(&sample, rule, progress);
    let is_yes = matches!(judgement.state, JudgementState::Promote | JudgementState::Marginal);
    if progress == ComparisonProgress::Aborted && is_yes {
        return judgement.instead(JudgementState::NotEnough, Reason::Aborted);
    }
    judgement
}

fn judge_sample(sample: &Sample<'_>, rule: &Rule, progress: ComparisonProgress) -> Judgement {
    let usable = sample.usable.len();
    let all = Look::at(&sample.usable, rule);
    if usable > 0 && !sample.usable.iter().any(UsablePair::is_measured) {
        return all.judgement(JudgementState::NotEnough, vec![Reason::NeverMeasured]);
    }
    let repeated = sample.usable.iter().filter(|pair| pair.repeats() == Some(true)).count();
    if repeated > 0 {
        let reason = Reason::RepeatedErrors { errors: repeated };
        return all.judgement(JudgementState::Reject, vec![reason]);
    }
    if usable < PAIRS_MIN {
        let reason = Reason::TooFewPairs { pairs: usable };
        return all.judgement(JudgementState::NotEnough, vec![reason]);
    }
    if usable < PAIRS_ALONE {
        return judge_few(sample, rule, progress);
    }
    judge_looks(sample, rule, progress)
}

/// Between [`PAIRS_MIN`] and [`PAIRS_ALONE`] pairs a person decides, unless a guard has refused at the end.
fn judge_few(sample: &Sample<'_>, rule: &Rule, progress: ComparisonProgress) -> Judgement {
    let [(first_look, _), ..] = LOOKS;
    let usable = sample.usable.len();
    let is_running = progress == ComparisonProgress::Running;
    let examined = match is_running {
        // Guards are not looked at again with every pair: each look refuses some equals by chance.
        true if usable < first_look => PAIRS_MIN,
        true => first_look,
        false => usable,
    };
    let look = Look::at(sample.first(examined), rule);
    let refusals = look.refusals();
    if !refusals.is_empty() && !is_running {
        return look.judgement(JudgementState::Reject, refusals);
    }
    let mut reasons = vec![Reason::PersonDecides { pairs: examined }];
    reasons.extend(refusals);
    reasons.extend(look.unknowns());
    reasons.extend(look.gains());
    look.judgement(JudgementState::Marginal, reasons)
}

/// From [`PAIRS_ALONE`] pairs on the first look that decides counts, whenever somebody asks.
fn judge_looks(sample: &Sample<'_>, rule: &Rule, progress: ComparisonProgress) -> Judgement {
    let usable = sample.usable.len();
    let looks = LOOKS.into_iter().filter(|(pairs, _)| (PAIRS_ALONE..=usable).contains(pairs));
    let mut open = None;
    for (pairs, _) in looks {
        match Look::at(sample.first(pairs), rule).decision() {
            LookDecision::Final(judgement) => return judgement,
            LookDecision::Open(judgement) => open = Some((pairs, judgement)),
        }
    }
    let Some((pairs, judgement)) = open else {
        let reason = Reason::TooFewPairs { pairs: usable };
        return Look::at(&sample.usable, rule).judgement(JudgementState::NotEnough, vec![reason]);
    };
    let is_last = LOOKS.iter().all(|(later, _)| *later <= pairs);
    if progress == ComparisonProgress::Running && !is_last {
        return judgement.instead(JudgementState::NotEnough, Reason::NextLook { pairs });
    }
    judgement
}

/// What a look from [`PAIRS_ALONE`] pairs on says.
enum LookDecision {
    /// Whatever comes later, this.
    Final(Judgement),
    /// This, unless more pairs come: nothing was shown, or a guard lacks knowledge that they may bring.
    Open(Judgement),
}

/// One look at some pairs.
struct Look<'a> {
    rule: &'a Rule,
    level: f64,
    /// Errors of the candidate alone that were not run again.
    not_run_again: usize,
    figures: Figures,
}

impl<'a> Look<'a> {
    fn at(pairs: &[UsablePair<'_>], rule: &'a Rule) -> Self {
        let is_open =
            |pair: &&UsablePair<'_>| pair.is_candidate_error() && pair.repeats().is_none();
        Self {
            rule,
            level: rule.level(pairs.len()),
            not_run_again: pairs.iter().filter(is_open).count(),
            figures: Figures::of(pairs, rule.size),
        }
    }

    /// What this look decides.
    fn decision(&self) -> LookDecision {
        let refusals = self.refusals();
        if !refusals.is_empty() {
            return LookDecision::Final(self.judgement(JudgementState::Reject, refusals));
        }
        if !self.holds().contains(&true) {
            return LookDecision::Open(self.judgement(JudgementState::Reject, self.gains()));
        }
        let mut reasons = self.unknowns();
        let is_known = reasons.is_empty();
        reasons.extend(self.gains());
        match (self.not_run_again, is_known) {
            (0, true) => LookDecision::Final(self.judgement(JudgementState::Promote, reasons)),
            (0, false) => LookDecision::Open(self.judgement(JudgementState::Marginal, reasons)),
            _ => LookDecision::Final(self.judgement(JudgementState::NotEnough, reasons)),
        }
    }

    /// Which of the two ways to be better is shown: smaller, fewer errors.
    fn holds(&self) -> [bool; 2] {
        let figures = &self.figures;
        let [smaller, fewer] = holm([figures.size_p, figures.errors_p], self.level);
        let is_past = |change: Option<f64>, threshold| change.is_some_and(|it| it < threshold);
        [
            smaller && figures.measured >= PAIRS_MIN && is_past(figures.size_change, SIZE_CHANGE),
            fewer && is_past(figures.errors_change, ERRORS_CHANGE),
        ]
    }

    /// The figures of both ways, shown or not.
    fn gains(&self) -> Vec<Reason> {
        let figures = &self.figures;
        let [smaller, fewer] = self.holds();
        let size = figures.size_change.map(|change| {
            let (measure, p) = (self.rule.size, figures.size_p);
            if smaller {
                Reason::Smaller { measure, change, p }
            } else {
                Reason::NotSmaller { measure, change, p, level: self.level }
            }
        });
        let errors = fewer.then_some(Reason::FewerErrors {
            main: figures.main_errors,
            candidate: figures.candidate_errors,
            p: figures.errors_p,
        });
        let mut gains: Vec<Reason> = size.into_iter().chain(errors).collect();
        if fewer && !smaller {
            gains.reverse();
        }
        if gains.is_empty() {
            gains.push(Reason::NothingToCompare);
        }
        gains
    }

    /// The guards that refuse the candidate.
    fn refusals(&self) -> Vec<Reason> {
        let figures = &self.figures;
        let mut refusals = Vec::new();
        if figures.worse_p < WORSE_LEVEL {
            refusals.push(Reason::MoreErrors {
                main: figures.main_errors,
                candidate: figures.candidate_errors,
                p: figures.worse_p,
            });
        }
        let memory = [figures.memory_change, figures.memory_late_change];
        let most = memory.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
        if self.rule.target.guard() == Some(Measure::Memory) && most >= MEMORY_CHANGE {
            refusals.push(Reason::MoreMemory { change: most });
        }
        let floor = self.rule.agreement_floor;
        if let Some(share) = figures.agreement.filter(|_| figures.agreement_judged >= PAIRS_MIN)
            && (share < floor || floor.is_nan())
        {
            refusals.push(Reason::LessAgreement { share, floor });
        }
        refusals
    }

    /// The guards of which nothing is known; they have not passed.
    fn unknowns(&self) -> Vec<Reason> {
        let figures = &self.figures;
        let mut unknowns = Vec::new();
        if self.not_run_again > 0 {
            unknowns.push(Reason::NotRunAgain { errors: self.not_run_again });
        }
        if figures.agreement_judged < PAIRS_MIN {
            unknowns.push(Reason::AgreementUnknown { judged: figures.agreement_judged });
        }
        unknowns
    }

    fn judgement(&self, state: JudgementState, reasons: Vec<Reason>) -> Judgement {
        Judgement { state, reasons, level: self.level, figures: self.figures.clone() }
    }
}

impl Judgement {
    /// The same figures with another state, for a reason that comes first.
    fn instead(mut self, state: JudgementState, reason: Reason) -> Self {
        self.state = state;
        self.reasons.insert(0, reason);
        self
    }
}
