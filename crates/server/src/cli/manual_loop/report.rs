//! What a scenario writes: findings, contexts, replies, a comparison, the graph, and the report with its figures.

use std::{fmt::Write as _, path::Path};

use serde::Serialize;
use serde_json::Value;

use super::{super::error::CliError, b01::Verdict};

/// The result of an act.
#[derive(Debug, Serialize)]
pub(super) struct ActReport {
    /// `act1` or `act3`.
    pub(super) name: &'static str,
    pub(super) epoch_id: String,
    /// The context object that the mind was shown.
    #[serde(skip)]
    pub(super) context: String,
    /// Whether its digest was verified.
    pub(super) context_verified: bool,
    #[serde(skip)]
    pub(super) reply: String,
    /// The results of the eight queries.
    #[serde(skip)]
    pub(super) findings: Vec<Value>,
    pub(super) metrics: Metrics,
    pub(super) verdicts: Vec<Verdict>,
}

/// Figures of an act.
#[derive(Debug, Default, Serialize)]
pub(super) struct Metrics {
    /// Time of the queries, in milliseconds.
    pub(super) queries_ms: f64,
    pub(super) queries: usize,
    /// Queries that found something.
    pub(super) queries_found: usize,
    /// Nodes and passages that they found.
    pub(super) items: usize,
    /// Estimated tokens of the context object.
    pub(super) context_tokens: u64,
    /// From the stimulus to the reply, in milliseconds.
    pub(super) answered_ms: u64,
}

/// The result of a scenario.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) mind: String,
    pub(super) acts: Vec<ActReport>,
    /// What must hold over all acts.
    pub(super) checks: Vec<Check>,
    /// Whether the keeper was killed in between.
    pub(super) keeper_killed: bool,
}

/// Something that must hold over all acts.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) holds: bool,
}

impl Report {
    pub(super) fn is_passed(&self) -> bool {
        self.acts.len() == 2
            && self.checks.iter().all(|check| check.holds)
            && self.acts.iter().all(|act| act.verdicts.iter().all(Verdict::is_met))
    }

    /// The report for people.
    pub(super) fn text(&self) -> String {
        let mut text = format!("B01 with {}: {}\n", self.mind, passed(self.is_passed()));
        for act in &self.acts {
            let met = act.verdicts.iter().filter(|verdict| verdict.is_met()).count();
            // Writing into a String cannot fail.
            let _ = writeln!(text, "\n{}: {met}/{}", act.name, act.verdicts.len());
            for verdict in &act.verdicts {
                let _ =
                    writeln!(text, "  {} {}{}", mark(verdict.is_met()), verdict.name, why(verdict));
            }
            let m = &act.metrics;
            let _ = writeln!(
                text,
                "  {} queries in {:.1} ms, {} found something, {} items; context {} tokens; answered in {} ms",
                m.queries, m.queries_ms, m.queries_found, m.items, m.context_tokens, m.answered_ms
            );
        }
        text.push('\n');
        for check in &self.checks {
            let _ = writeln!(text, "{} {}", mark(check.holds), check.name);
        }
        if self.keeper_killed {
            text.push_str("  the keeper was killed in Act 2\n");
        }
        text
    }

    /// Writes everything into the folder.
    pub(super) fn write(&self, folder: &Path, graph: &str) -> Result<(), CliError> {
        let json = serde_json::to_string_pretty(self)?;
        write_file(&folder.join("report.json"), &json)?;
        write_file(&folder.join("report.md"), &self.text())?;
        write_file(&folder.join("graph.jsonl"), graph)?;
        for act in &self.acts {
            let findings = serde_json::to_string_pretty(&act.findings)?;
            write_file(&folder.join(format!("{}_findings.json", act.name)), &findings)?;
            write_file(&folder.join(format!("{}_context.md", act.name)), &act.context)?;
            write_file(&folder.join(format!("{}_reply.md", act.name)), &act.reply)?;
        }
        if let [first, third] = self.acts.as_slice() {
            write_file(&folder.join("comparison.md"), &comparison(&first.context, &third.context))?;
        }
        Ok(())
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| {
        CliError::new(format!("{} cannot be written", path.display())).caused_by(&error)
    })
}

const fn passed(is_passed: bool) -> &'static str {
    if is_passed { "passed" } else { "NOT passed" }
}

const fn mark(is_met: bool) -> &'static str {
    if is_met { "+" } else { "-" }
}

fn why(verdict: &Verdict) -> String {
    match (verdict.forgotten, verdict.context, verdict.reply) {
        (Some(words), ..) => format!(" (the reply says \"{words}\")"),
        (None, false, _) => " (the context object does not contain it)".into(),
        (None, true, false) => {
            " (the context object contains it, but the reply does not use it)".into()
        }
        (None, true, true) => String::new(),
    }
}

/// The sections of two context objects side by side: which are the same, and what differs.
fn comparison(first: &str, third: &str) -> String {
    let (first, third) = (sections(first), sections(third));
    let mut text = String::from("# Act 1 and Act 3\n");
    for (title, before) in &first {
        let after = third.iter().find(|(other, _)| other == title).map(|(_, after)| after);
        let verdict = match after {
            Some(after) if after == before => "the same".to_owned(),
            Some(after) => {
                let new = after.lines().filter(|line| !before.contains(line)).collect::<Vec<_>>();
                format!("different; new in Act 3:\n\n{}", new.join("\n"))
            }
            None => "missing in Act 3".to_owned(),
        };
        let _ = write!(text, "\n## {title}\n\n{verdict}\n");
    }
    text
}

fn sections(context: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in context.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title.to_owned(), String::new()));
        } else if let Some((_, body)) = sections.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    sections
}
