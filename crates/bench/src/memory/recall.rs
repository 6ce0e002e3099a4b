//! Which turns are found: ours and what it is compared with, on the same questions in the same run.
//!
//! The formula of ours was chosen on one half of each kind of talk; only the other half says how good it is. No model writes
//! or judges anything here.

use std::{fmt, path::PathBuf};

use serde::Serialize;

use super::{
    conversation::{Category, Conversation},
    embedding::Embed,
    inflated::inflated,
    kinds::KINDS,
    locomo,
    metrics::{Measures, Score},
    systems::{SystemRanking, by_vectors, by_words},
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
};

/// Conversations of a person's file that constants were chosen on; the rest is held out.
pub(super) const TUNED_ON: usize = 5;
/// The two halves of each kind.
const HALVES: [(&str, bool); 2] = [("held_out", true), ("tuned_on", false)];

/// The conversations that a person has.
#[derive(Clone, Debug)]
pub struct Locomo {
    /// `locomo10.json`, or another file of its form; there a question, or a conversation, may say who asks (`asker`).
    pub data: PathBuf,
    /// Corrections of its evidence; without them the second table is left out.
    pub audit: Option<PathBuf>,
}

/// How one system did on one half of a kind of talk.
#[derive(Clone, Debug, Serialize)]
pub struct RecallScore {
    /// Which kind of talk.
    pub kind: &'static str,
    /// Which system.
    pub system: String,
    /// `tuned_on` or `held_out`.
    pub half: &'static str,
    /// `given` or `corrected`.
    pub evidence: &'static str,
    /// How it did.
    #[serde(flatten)]
    pub measures: Measures,
}

/// Talks of one kind and half.
struct TalkSet {
    kind: &'static str,
    half: &'static str,
    talks: Vec<Conversation>,
}

/// The tables, and the rows that have a bar: of a person's file by their figure, of kinds by what the best plain system has.
#[derive(Default)]
pub(super) struct Recall {
    pub(super) tables: Vec<RecallScore>,
    pub(super) rows: Vec<Row>,
}

/// Runs all systems on the kinds that are made here, `seeds` talks a half, and on the conversations of a person.
pub(super) fn measure(
    (locomo, seeds): (Option<&Locomo>, u64),
    embedders: &[Box<dyn Embed + '_>],
    tell: &dyn Fn(&str),
) -> Result<Recall, BenchError> {
    let mut recall = Recall::default();
    let mut compared = Vec::new();
    for kind in KINDS.iter().filter(|_| seeds > 0) {
        let sets = HALVES.map(|(half, is_held_out)| TalkSet {
            kind: kind.name,
            half,
            talks: kind.talks(seeds, is_held_out),
        });
        compared.extend(recall.add(&sets, embedders, (&["given"], tell))?);
    }
    if let Some(locomo) = locomo {
        let all = locomo::read(&locomo.data, locomo.audit.as_deref())?;
        compared.extend(recall.add(
            &halves("a person's file, inflated", inflated(&all)),
            embedders,
            (&["given"], tell),
        )?);
        let evidences: &[&str] =
            if locomo.audit.is_some() { &["given", "corrected"] } else { &["given"] };
        let runs = recall.add(&halves(FILE, all), embedders, (evidences, tell))?;
        recall.rows.extend(runs.iter().filter_map(row));
    }
    recall.rows.extend(beside_plain(&compared));
    Ok(recall)
}

/// The kind of what a person has.
const FILE: &str = "a person's file";

fn halves(kind: &'static str, all: Vec<Conversation>) -> [TalkSet; 2] {
    let mut tuned = all;
    let held = tuned.split_off(TUNED_ON.min(tuned.len()));
    [
        TalkSet { kind, half: "held_out", talks: held },
        TalkSet { kind, half: "tuned_on", talks: tuned },
    ]
}

/// Hears what is measured next.
type Tell<'a> = &'a dyn Fn(&str);

/// What one system did on what was held out of a kind, evidence as given.
struct HeldOut {
    kind: &'static str,
    system: String,
    row: Option<&'static str>,
    measures: Measures,
}

impl Recall {
    /// Adds the tables of both halves. Returns what was held out.
    fn add(
        &mut self,
        sets: &[TalkSet],
        embedders: &[Box<dyn Embed + '_>],
        (evidences, tell): (&[&'static str], Tell<'_>),
    ) -> Result<Vec<HeldOut>, BenchError> {
        let mut ran = Vec::new();
        for set in sets {
            tell(&format!("recall, {}, {}", set.kind, set.half.replace('_', " ")));
            let mut runs = by_words(&set.talks)?;
            for embedder in embedders {
                runs.extend(by_vectors(&set.talks, embedder.as_ref())?);
            }
            ran.push((set, runs));
        }
        let mut held_out = Vec::new();
        for evidence in evidences {
            for (set, runs) in &ran {
                for run in runs {
                    held_out.extend(self.judge(set, run, evidence));
                }
            }
        }
        Ok(held_out)
    }

    /// Adds the table of one system. Returns it where it is of what was held out, evidence as given.
    fn judge(
        &mut self,
        set: &TalkSet,
        run: &SystemRanking,
        evidence: &'static str,
    ) -> Option<HeldOut> {
        let measures = measures(&set.talks, run, evidence == "corrected");
        let (kind, half, system) = (set.kind, set.half, run.system.clone());
        let is_held_out = half == "held_out" && evidence == "given";
        let held_out =
            HeldOut { kind, system: system.clone(), row: run.row, measures: measures.clone() };
        self.tables.push(RecallScore { kind, system, half, evidence, measures });
        is_held_out.then_some(held_out)
    }
}

fn measures(talks: &[Conversation], run: &SystemRanking, is_corrected: bool) -> Measures {
    let mut scores = Vec::new();
    for (talk, rankings) in talks.iter().zip(&run.rankings) {
        for (question, ranking) in talk.questions.iter().zip(rankings) {
            let evidence = if is_corrected { &question.corrected } else { &question.given };
            scores.push(Score::of(question.category, &talk.turns, ranking, evidence));
        }
    }
    Measures::of(&scores)
}

/// The row of a run of ours on a person's file: recall at 10 on the conversations held out.
fn row(run: &HeldOut) -> Option<Row> {
    let (id, measures) = (run.row?, &run.measures);
    if measures.questions == 0 {
        return None;
    }
    let (low, high) = measures.r10_interval;
    let title = format!("evidence among the first 10 turns, held out: {}", run.system);
    let row = Row::new(id, title, "of 1", &[measures.r10]);
    let row = row.held_to(Bar::at_least(BarSubject::Value, 0.76).reaching(0.80));
    let multi_hop = measures.category(Category::MultiHop).unwrap_or_default();
    Some(row.note(format!(
        "95 % of the bootstrap over {} questions: {low:.3} - {high:.3}; multi-hop {multi_hop:.3} (aim 0.500)",
        measures.questions
    )))
}

/// For each run of ours the kind on which it is least ahead of the best plain system of the same texts.
fn beside_plain(held_out: &[HeldOut]) -> Vec<Row> {
    let ours = held_out.iter().filter(|run| run.row.is_some() && run.measures.questions > 0);
    let mut least: Vec<(&'static str, &HeldOut, f64)> = Vec::new();
    for run in ours {
        let id = match run.row {
            Some("recall_words") => "kinds_words",
            Some("recall_static") => "kinds_static",
            _ => "kinds_contextual",
        };
        let is_rival = |other: &&HeldOut| {
            other.kind == run.kind
                && !other.system.starts_with("ours")
                && (id != "kinds_words" || other.system == "BM25 alone")
        };
        let best = held_out.iter().filter(is_rival).map(|other| other.measures.r10);
        let ahead = run.measures.r10 - best.fold(0.0, f64::max);
        match least.iter_mut().find(|(known, ..)| *known == id) {
            Some(known) if ahead < known.2 => *known = (id, run, ahead),
            Some(_) => {}
            None => least.push((id, run, ahead)),
        }
    }
    let row = |(id, run, ahead): (&'static str, &HeldOut, f64)| {
        let title = format!("least ahead of the best plain search, held out: {}", run.system);
        let row = Row::new(id, title, "of 1", &[ahead]).note(format!("on: {}", run.kind));
        row.held_to(Bar::at_least(BarSubject::Value, 0.0))
    };
    least.into_iter().map(row).collect()
}

impl fmt::Display for RecallScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let it = &self.measures;
        write!(f, "{:<38}", self.system)?;
        for value in
            [it.r5, it.r10, it.r20, it.all10, it.mrr, it.session1, it.r500_tokens, it.r1000_tokens]
        {
            write!(f, " {value:>6.3}")?;
        }
        for (name, recall) in &it.categories {
            let width = name.len().max(6);
            match recall {
                Some(recall) => write!(f, " {recall:>width$.3}")?,
                None => write!(f, " {:>width$}", "-")?,
            }
        }
        Ok(())
    }
}

/// The line above the rows of a table.
pub(super) fn heading() -> String {
    let columns = ["R@5", "R@10", "R@20", "All@10", "MRR", "Sess@1", "R@500t", "R@1000t"];
    let columns = columns.map(|column| format!(" {column:>6}")).concat();
    let categories: String = Category::ALL.map(|it| format!(" {:>6}", it.as_str())).concat();
    format!("{:<38}{columns}{categories}", "system")
}
