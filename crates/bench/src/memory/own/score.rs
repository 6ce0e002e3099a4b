//! How a memory does on the questions about a life.
//!
//! Passages: is the exchange with the answer found? Facts: is the newest one first, and does none come back that was replaced
//! or taken back? Absence: is nothing found where nothing was said?

use std::{collections::BTreeMap, fmt};

use abide_domain::{EpochId, FactId};
use abide_memory::{
    Fact, KnowledgeHandle, Lead, Listener, Lookup, QuestionVector, RecalledPassage,
};
use serde::Serialize;

use super::{
    feed::{epoch_of, fact_of},
    life::{Life, LifeQuestion, QuestionKind},
};
use crate::{
    error::BenchError,
    memory::{embedding::Embed, metrics::mean},
    spread::float_of,
};

/// Passages that are asked for.
const PASSAGES_MAX: usize = 10;
/// Facts that are asked for.
const FACTS_MAX: usize = 5;

/// Means over the questions of one life or several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OwnScores {
    /// `words alone`, or the embedder's name.
    pub system: String,
    /// Exchanges that were lived through.
    pub exchanges: usize,
    /// Questions that were asked.
    pub questions: usize,
    /// Share of questions whose answer is in one of the first 5 passages, by kind of question.
    pub passages_5: Vec<(&'static str, f64)>,
    /// In one of the first 10.
    pub passages_10: Vec<(&'static str, f64)>,
    /// Share of changed answers whose newest telling ranks above the older ones.
    pub newest_first: f64,
    /// Share of questions about something in force whose fact comes first, by kind of question.
    pub fact_first: Vec<(&'static str, f64)>,
    /// Share whose fact is among the first three, over all these kinds.
    pub fact_3: f64,
    /// Share of all questions about facts for which nothing came back that was replaced.
    pub none_replaced: f64,
    /// Share of retracted facts that did not come back, asked for by question and in their own words.
    pub forgotten: f64,
    /// Of what was never spoken of, and of what was said of others only: how well "nothing is there" was said.
    pub absence: Absence,
}

/// How well "nothing is there" can be told from "something is there".
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Absence {
    /// F1 of saying nothing exactly where there is nothing, as search does it by itself.
    pub f1: f64,
    /// The same where hits below the best bound of strength are ignored.
    pub f1_best: f64,
    /// That bound.
    pub bound: f64,
    /// Chance that an answerable question has a stronger best hit than one about what nobody ever spoke of.
    pub above_unheard: f64,
    /// Than one about what was said of others only.
    pub above_of_another: f64,
}

/// Everything that was observed; one line a question.
#[derive(Debug, Default)]
pub(super) struct ScoredQuestions {
    exchanges: usize,
    questions: usize,
    passages_5: BTreeMap<QuestionKind, Vec<f64>>,
    passages_10: BTreeMap<QuestionKind, Vec<f64>>,
    newest_first: Vec<f64>,
    fact_first: BTreeMap<QuestionKind, Vec<f64>>,
    fact_3: Vec<f64>,
    none_replaced: Vec<f64>,
    forgotten: Vec<f64>,
    strengths: BTreeMap<QuestionKind, Vec<f64>>,
}

/// What a memory is asked with.
struct MemoryUnderTest<'a> {
    handle: &'a KnowledgeHandle,
    life: &'a Life,
    model: Option<String>,
    embedder: Option<&'a dyn Embed>,
}

impl QuestionKind {
    const ANSWERED: [Self; 5] = [Self::Direct, Self::Otherwise, Self::Own, Self::When, Self::Dated];
    const OF_FACTS: [Self; 3] = [Self::Direct, Self::Otherwise, Self::Own];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Otherwise => "otherwise",
            Self::Own => "own",
            Self::When => "when",
            Self::Dated => "dated",
            Self::Forgotten => "forgotten",
            Self::OfAnother => "of_another",
            Self::Unheard => "unheard",
        }
    }
}

impl ScoredQuestions {
    /// Asks everything that a life leaves to ask.
    pub(super) fn ask(
        &mut self,
        life: &Life,
        handle: &KnowledgeHandle,
        embedder: Option<&dyn Embed>,
    ) -> Result<(), BenchError> {
        let state = handle.embedding_state().map_err(BenchError::of("read a memory's vectors"))?;
        let asking = MemoryUnderTest { handle, life, model: state.model, embedder };
        self.exchanges += life.exchanges.len();
        self.questions += life.asks.len();
        for ask in &life.asks {
            let vector = asking.vector(&asking.embeddable(&ask.text)?)?;
            let passages = asking.passages(ask, vector.as_deref())?;
            let facts = asking.facts(&ask.text, ask, vector.as_deref())?;
            self.see_passages(ask, &passages);
            self.see_facts(ask, &facts);
        }
        self.see_forgotten(life, &asking)
    }

    fn see_passages(&mut self, ask: &LifeQuestion, passages: &[RecalledPassage]) {
        let best = passages.iter().map(|passage| passage.strength).fold(0.0, f64::max);
        self.strengths.entry(ask.kind).or_default().push(best);
        let Some(evidence) = ask.evidence else { return };
        let rank = |place: usize| {
            let epoch: EpochId = epoch_of(place);
            passages.iter().position(|passage| passage.exchange.epoch == epoch)
        };
        let found = rank(evidence);
        let within = |k: usize| f64::from(u8::from(found.is_some_and(|rank| rank < k)));
        self.passages_5.entry(ask.kind).or_default().push(within(5));
        self.passages_10.entry(ask.kind).or_default().push(within(PASSAGES_MAX));
        let older = ask.outdated.iter().filter_map(|place| rank(*place)).min();
        if !ask.outdated.is_empty() && ask.fact.is_some() && (found.is_some() || older.is_some()) {
            let is_first = found.is_some_and(|found| older.is_none_or(|older| found < older));
            self.newest_first.push(f64::from(u8::from(is_first)));
        }
    }

    fn see_facts(&mut self, ask: &LifeQuestion, facts: &[Fact]) {
        let is_back = has_any(facts, &ask.gone);
        if ask.kind == QuestionKind::Forgotten {
            self.forgotten.push(f64::from(u8::from(!is_back)));
            return;
        }
        let Some(number) = ask.fact else { return };
        let wanted: FactId = fact_of(number);
        let rank = facts.iter().position(|fact| fact.fact_id == wanted);
        let is_first = f64::from(u8::from(rank == Some(0)));
        self.fact_first.entry(ask.kind).or_default().push(is_first);
        self.fact_3.push(f64::from(u8::from(rank.is_some_and(|rank| rank < 3))));
        self.none_replaced.push(f64::from(u8::from(!is_back)));
    }

    /// Looks for every retracted fact by its own words.
    fn see_forgotten(
        &mut self,
        life: &Life,
        asking: &MemoryUnderTest<'_>,
    ) -> Result<(), BenchError> {
        for ask in life.asks.iter().filter(|ask| ask.kind == QuestionKind::Forgotten) {
            for content in ask.gone.iter().filter_map(|fact| life.content_of(*fact)) {
                let vector = asking.vector(content)?;
                let facts = asking.facts(content, ask, vector.as_deref())?;
                self.forgotten.push(f64::from(u8::from(!has_any(&facts, &ask.gone))));
            }
        }
        Ok(())
    }

    /// The means.
    pub(super) fn scores(&self, system: &str) -> OwnScores {
        let by = |of: &BTreeMap<QuestionKind, Vec<f64>>, kinds: &[QuestionKind]| {
            let share = |kind: &QuestionKind| {
                mean(of.get(kind).into_iter().flatten().copied().collect::<Vec<_>>().into_iter())
            };
            kinds.iter().map(|kind| (kind.as_str(), share(kind))).collect()
        };
        let share = |of: &[f64]| mean(of.iter().copied());
        OwnScores {
            system: system.to_owned(),
            exchanges: self.exchanges,
            questions: self.questions,
            passages_5: by(&self.passages_5, &QuestionKind::ANSWERED),
            passages_10: by(&self.passages_10, &QuestionKind::ANSWERED),
            newest_first: share(&self.newest_first),
            fact_first: by(&self.fact_first, &QuestionKind::OF_FACTS),
            fact_3: share(&self.fact_3),
            none_replaced: share(&self.none_replaced),
            forgotten: share(&self.forgotten),
            absence: self.absence(),
        }
    }

    fn absence(&self) -> Absence {
        let of = |kinds: &[QuestionKind]| -> Vec<f64> {
            kinds.iter().filter_map(|kind| self.strengths.get(kind)).flatten().copied().collect()
        };
        let there = of(&QuestionKind::ANSWERED);
        let (unheard, of_another) = (of(&[QuestionKind::Unheard]), of(&[QuestionKind::OfAnother]));
        let nothing = [unheard.clone(), of_another.clone()].concat();
        let bounds = (0..=100_u8).map(|step| f64::from(step) / 100.0);
        let rated = bounds.map(|bound| (f1(&there, &nothing, bound), bound));
        let (f1_best, bound) =
            rated.fold((0.0, 0.0), |best, next| if next.0 > best.0 { next } else { best });
        Absence {
            f1: f1(&there, &nothing, 0.0),
            f1_best,
            bound,
            above_unheard: above(&there, &unheard),
            above_of_another: above(&there, &of_another),
        }
    }
}

fn has_any(facts: &[Fact], numbers: &[usize]) -> bool {
    let ids: Vec<FactId> = numbers.iter().map(|number| fact_of(*number)).collect(); // One that is shown as closed is history, not what holds.
    facts.iter().any(|fact| fact.valid_to.is_none() && ids.contains(&fact.fact_id))
}

/// F1 of "nothing" where the best hit is not above a bound, "nothing" being what is to be found.
fn f1(there: &[f64], nothing: &[f64], bound: f64) -> f64 {
    let right = float_of(nothing.iter().filter(|best| **best <= bound).count());
    let wrong = float_of(there.iter().filter(|best| **best <= bound).count());
    let missed = float_of(nothing.len()) - right;
    if right > 0.0 { 2.0 * right / (2.0 * right + wrong + missed) } else { 0.0 }
}

/// The chance that one of the first is above one of the second; half for ties.
fn above(there: &[f64], nothing: &[f64]) -> f64 {
    let pairs = there.iter().flat_map(|there| nothing.iter().map(move |nothing| (there, nothing)));
    let won: f64 = pairs
        .map(|(there, nothing)| {
            if there > nothing {
                1.0
            } else if there < nothing {
                0.0
            } else {
                0.5
            }
        })
        .sum();
    won / (float_of(there.len()) * float_of(nothing.len())).max(1.0)
}

impl MemoryUnderTest<'_> {
    fn embeddable(&self, text: &str) -> Result<String, BenchError> {
        self.handle.embeddable(text).map_err(BenchError::of("read a memory's speakers"))
    }

    fn vector(&self, text: &str) -> Result<Option<Vec<f32>>, BenchError> {
        let Some(embedder) = self.embedder else { return Ok(None) };
        Ok(embedder.embed(&[text.to_owned()])?.into_iter().next())
    }

    fn lead<'b>(&'b self, ask: &'b LifeQuestion, vector: Option<&'b [f32]>) -> Lead<'b> {
        let meaning = vector.zip(self.model.as_deref());
        Lead {
            now: self.life.end,
            said: "",
            asker: ask.asker.as_deref(),
            listener: Listener::OWNER,
            meaning: meaning.map(|(vector, model)| QuestionVector { model, vector }),
            order: None,
        }
    }

    fn passages(
        &self,
        ask: &LifeQuestion,
        vector: Option<&[f32]>,
    ) -> Result<Vec<RecalledPassage>, BenchError> {
        found(self.handle.recall(&ask.text, &self.lead(ask, vector), PASSAGES_MAX))
    }

    fn facts(
        &self,
        text: &str,
        ask: &LifeQuestion,
        vector: Option<&[f32]>,
    ) -> Result<Vec<Fact>, BenchError> {
        found(self.handle.search_facts(text, &self.lead(ask, vector), FACTS_MAX))
    }
}

/// What was found; a look that failed is no figure.
fn found<T>(found: Lookup<T>) -> Result<Vec<T>, BenchError> {
    match found {
        Lookup::Items(items) => Ok(items),
        Lookup::Empty => Ok(Vec::new()),
        Lookup::Failed(why) => Err(BenchError::Wrong(format!("memory could not look: {why}"))),
    }
}

impl fmt::Display for OwnScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, exchanges, questions, absence, .. } = self;
        writeln!(f, "{system}: {exchanges} exchanges, {questions} questions")?;
        let kinds = [
            ("answer in the first 5 passages", &self.passages_5),
            ("answer in the first 10 passages", &self.passages_10),
            ("fact in force comes first", &self.fact_first),
        ];
        for (title, shares) in kinds {
            let shown = shares.iter().map(|(kind, share)| format!("{kind} {share:.3}"));
            writeln!(f, "  {title:<34} {}", shown.collect::<Vec<_>>().join(", "))?;
        }
        let Self { fact_3, none_replaced, newest_first, forgotten, .. } = self;
        writeln!(f, "  fact among the first three         {fact_3:.3}")?;
        writeln!(f, "  no replaced fact comes back        {none_replaced:.3}")?;
        writeln!(f, "  newest telling above older ones    {newest_first:.3}")?;
        writeln!(f, "  retracted facts stay away          {forgotten:.3}")?;
        let Absence { f1, f1_best, bound, above_unheard, above_of_another } = absence;
        write!(
            f,
            "  nothing where nothing was said     F1 {f1:.3}, at most {f1_best:.3} (strength > {bound:.2}); \
             told apart from unheard {above_unheard:.3}, from said of others {above_of_another:.3}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{above, f1};

    #[test]
    fn saying_nothing_is_right_only_where_there_is_nothing() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        let (there, nothing) = ([0.9, 0.8, 0.3], [0.4, 0.2]);
        close(f1(&there, &nothing, 0.0), 0.0); // One of two found, nothing wrongly.
        close(f1(&there, &nothing, 0.2), 2.0 / 3.0); // Both, and one too many.
        close(f1(&there, &nothing, 0.5), 0.8);
        close(above(&there, &nothing), 5.0 / 6.0);
    }
}
