//! What comes next in a run of sleep: a pure function of what the ledger says is done.

use abide_domain::event::{SleepStatus, SleepStep, StepFinished, StepStatus};

use crate::state::SleepRun;

/// The next step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextSleepStep {
    /// A part of a step is to be distilled.
    Distil(SleepStation),
    /// The run is over.
    End {
        /// How it ended.
        status: SleepStatus,
        /// The result in words.
        message: String,
    },
}

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepStation {
    /// The step.
    pub step: SleepStep,
    /// Its number, from 1.
    pub part: u32,
    /// How many parts the step has.
    pub parts: u32,
}

/// What comes next in a run whose facts are distilled in so many parts. A step that failed ends it at once.
pub fn next_step(run: &SleepRun, parts: u32) -> NextSleepStep {
    let mut done: Vec<&StepFinished> = Vec::new();
    for station in stations(parts) {
        let SleepStation { step, part, parts } = station;
        if !run.has_done(step, part, parts) {
            return NextSleepStep::Distil(station);
        }
        done.extend(run.steps.iter().filter(|finished| {
            (finished.step, finished.part, finished.parts) == (step, part, parts)
        }));
        if let Some(failed) = done.iter().find(|finished| finished.status == StepStatus::Failed) {
            let message = format!("{}: {}", name(failed.step), failed.message);
            return NextSleepStep::End { status: SleepStatus::Failed, message };
        }
    }
    let is_ok = done.iter().any(|finished| finished.status == StepStatus::Ok);
    let status = if is_ok { SleepStatus::Ok } else { SleepStatus::Empty };
    NextSleepStep::End { status, message: summary(&done) }
}

/// The parts of all steps, in order.
fn stations(parts: u32) -> impl Iterator<Item = SleepStation> {
    let facts = (1..=parts).map(move |part| SleepStation { step: SleepStep::Facts, part, parts });
    let rest = [SleepStep::Identity, SleepStep::Dream];
    facts.chain(rest.map(|step| SleepStation { step, part: 1, parts: 1 }))
}

fn summary(done: &[&StepFinished]) -> String {
    let said = done.iter().filter(|finished| finished.status != StepStatus::Empty);
    let said: Vec<_> =
        said.map(|f| f.message.as_str()).filter(|message| !message.is_empty()).collect();
    if said.is_empty() { "nothing was found".to_owned() } else { said.join("; ") }
}

/// The name of a step in messages.
pub(super) const fn name(step: SleepStep) -> &'static str {
    match step {
        SleepStep::Facts => "facts",
        SleepStep::Identity => "identity",
        SleepStep::Dream => "dream",
    }
}
