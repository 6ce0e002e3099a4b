//! The exploration: question after question until no gap is open, within hard bounds (decision 9).
//!
//! Deterministic unless an [`Explorer`] steers it, and then the plan takes over as soon as that one is stuck. It ends at
//! [`STEPS_MAX`] steps, [`QUERIES_MAX`] queries or when its time is over, with what it has. What it gives is references: the
//! words are looked up when they are shown.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::{
    Clock,
    envelope::StimulusEnvelope,
    event::{Exploration, Lens, MemoryRef, UsageRecord},
};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use super::{
    Explorer, ExplorerStep, MemoryQueries, QUERIES_MAX, STEPS_MAX, StimulusCues,
    leads::Leads,
    plan::{self, PlanInput, lens_of, query_of},
};
use crate::{GraphQuery, ItemBody, QueryItem, QueryStatus};

/// Passages of one conversation that are shown.
const PASSAGES_MAX: usize = 2;
/// Of the best conversation.
const PASSAGES_BEST_MAX: usize = 3;
/// Longest reason that is kept of an explorer that is stuck, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 120;

/// How much time an exploration has, and by which clock. The thinking of an [`Explorer`] counts by its own bound.
#[derive(Debug)]
pub struct ExplorationPace<'a> {
    /// The monotonic clock that is used.
    pub clock: &'a dyn Clock,
    /// The time that all queries together may take.
    pub queries: Duration,
    /// The time that a steering [`Explorer`] may take in all.
    pub thinking: Duration,
}

impl<'a> ExplorationPace<'a> {
    /// The bounds of decision 9: 500 ms for the queries; 20 s for a model that steers.
    pub const fn of(clock: &'a dyn Clock) -> Self {
        let (queries, thinking) = (Duration::from_millis(500), Duration::from_secs(20));
        Self { clock, queries, thinking }
    }
}

/// How far an exploration is; what an [`Explorer`] sees. Serialises as what a model is shown.
#[derive(Debug)]
pub struct ExplorationProgress<'a> {
    /// The stimulus that is explored.
    pub envelope: &'a StimulusEnvelope,
    /// What it gives to go by.
    pub cue: &'a StimulusCues,
    /// Steps taken so far.
    pub steps: u32,
    /// All questions so far, with how each ended and what it found.
    pub asked: Vec<(GraphQuery, QueryStatus, Vec<QueryItem>)>,
}

impl ExplorationProgress<'_> {
    /// Lenses that have found nothing yet.
    pub fn gaps(&self) -> Vec<Lens> {
        let found = |lens: Lens| {
            self.asked
                .iter()
                .any(|(query, status, _)| lens_of(query) == lens && *status == QueryStatus::Found)
        };
        Lens::ALL.into_iter().filter(|lens| !found(*lens)).collect()
    }
}

impl Serialize for ExplorationProgress<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let asked: Vec<_> = self
            .asked
            .iter()
            .map(|(query, status, items)| {
                serde_json::json!({"query": query.name(), "asked": format!("{query:?}"), "status": status, "data": items})
            })
            .collect();
        let gaps: Vec<_> = self.gaps().into_iter().map(query_of).collect();
        let mut text = serializer.serialize_struct("Progress", 7)?;
        text.serialize_field("stimulus", &*self.envelope.content)?;
        text.serialize_field("sender", &self.envelope.sender)?;
        text.serialize_field("channel", &self.envelope.channel)?;
        text.serialize_field("timestamp", &self.envelope.timestamp)?;
        text.serialize_field("steps_left", &STEPS_MAX.saturating_sub(self.steps))?;
        text.serialize_field("asked", &asked)?;
        text.serialize_field("gaps", &gaps)?;
        text.end()
    }
}

/// Explores the past that a stimulus calls up. Steered by `explorer` where there is one, else by the plan.
pub async fn explore(
    envelope: &StimulusEnvelope,
    queries: &dyn MemoryQueries,
    pace: &ExplorationPace<'_>,
    explorer: Option<&dyn Explorer>,
) -> Exploration {
    let cue = StimulusCues::of(envelope);
    let mut journey = ExplorationState::new(envelope, &cue, queries, pace);
    let steered = match explorer {
        Some(explorer) => Some(journey.steer(explorer).await),
        None => None,
    };
    // A steering mind that is done is believed; one that is stuck is not.
    if !matches!(&steered, Some(steered) if steered.is_done) {
        journey.follow_plan();
    }
    journey.end(steered.map(|steered| steered.name))
}

/// How the steering ended.
struct SteeringOutcome {
    name: String,
    is_done: bool,
}

struct ExplorationState<'a> {
    queries: &'a dyn MemoryQueries,
    pace: &'a ExplorationPace<'a>,
    progress: ExplorationProgress<'a>,
    leads: Leads,
    spent: Duration,
    asked: Vec<GraphQuery>,
    found: BTreeMap<Lens, Vec<MemoryRef>>,
    failed: Vec<Lens>,
    usage: Option<UsageRecord>,
}

impl<'a> ExplorationState<'a> {
    fn new(
        envelope: &'a StimulusEnvelope,
        cue: &'a StimulusCues,
        queries: &'a dyn MemoryQueries,
        pace: &'a ExplorationPace<'a>,
    ) -> Self {
        Self {
            queries,
            pace,
            progress: ExplorationProgress { envelope, cue, steps: 0, asked: Vec::new() },
            leads: Leads::default(),
            spent: Duration::ZERO,
            asked: Vec::new(),
            found: BTreeMap::new(),
            failed: Vec::new(),
            usage: None,
        }
    }

    fn is_over(&self) -> bool {
        let queries = u32::try_from(self.asked.len()).unwrap_or(u32::MAX);
        self.progress.steps >= STEPS_MAX
            || queries >= QUERIES_MAX
            || self.spent >= self.pace.queries
    }

    fn follow_plan(&mut self) {
        while !self.is_over() {
            let is_done =
                |lens: Lens| self.found.contains_key(&lens) || self.failed.contains(&lens);
            let (cue, leads) = (self.progress.cue, &self.leads);
            let known = PlanInput { cue, leads, asked: &self.asked, is_done: &is_done };
            let Some((_, queries)) = plan::next(&known) else { return };
            self.step(queries);
        }
    }

    async fn steer(&mut self, explorer: &dyn Explorer) -> SteeringOutcome {
        let name = explorer.name();
        let began = self.pace.clock.monotonic();
        let give_up = |reason: &str| {
            let reason = super::words::one_line(reason, REASON_CHARS_MAX);
            SteeringOutcome { name: format!("{name}, then the plan: {reason}"), is_done: false }
        };
        while !self.is_over() {
            let decided = explorer.decide(&self.progress).await;
            self.usage = UsageRecord::sum(self.usage.take(), decided.usage);
            let query = match decided.step {
                Ok(ExplorerStep::Crystallize) => return SteeringOutcome { name, is_done: true },
                Ok(ExplorerStep::Ask(query)) => query,
                Err(reason) => return give_up(&reason),
            };
            if self.asked.contains(&query) {
                return give_up("it repeated a query");
            }
            self.step(vec![query]);
            if self.pace.clock.monotonic().saturating_sub(began) >= self.pace.thinking {
                return give_up("it ran out of time");
            }
        }
        SteeringOutcome { name, is_done: true }
    }

    /// One step: the questions of one lens.
    fn step(&mut self, queries: Vec<GraphQuery>) {
        self.progress.steps += 1;
        for query in queries {
            if self.is_over_in_step() {
                return;
            }
            self.ask(query);
        }
    }

    fn is_over_in_step(&self) -> bool {
        let queries = u32::try_from(self.asked.len()).unwrap_or(u32::MAX);
        queries >= QUERIES_MAX || self.spent >= self.pace.queries
    }

    fn ask(&mut self, query: GraphQuery) {
        let lens = lens_of(&query);
        let began = self.pace.clock.monotonic();
        let result = self.queries.ask(&query);
        self.spent += self.pace.clock.monotonic().saturating_sub(began);
        match result.status {
            QueryStatus::Found => {
                let shown = self.found.entry(lens).or_default();
                if lens == Lens::Historical {
                    *shown = alternating(shown, &references(&result.data));
                } else {
                    shown.extend(references(&result.data));
                }
                *shown = distinct(shown);
                shown.truncate(shown_max(lens));
                self.leads.learn(&result.data);
            }
            QueryStatus::Empty => {}
            QueryStatus::Failed => self.failed.push(lens),
        }
        self.asked.push(query.clone());
        self.progress.asked.push((query, result.status, result.data));
    }

    fn end(self, explorer: Option<String>) -> Exploration {
        let is_failed = |lens: &Lens| self.failed.contains(lens) && !self.found.contains_key(lens);
        let was_asked = |lens: &Lens| self.asked.iter().any(|query| lens_of(query) == *lens);
        Exploration {
            explorer,
            steps: self.progress.steps,
            queries: u32::try_from(self.asked.len()).unwrap_or(u32::MAX),
            failed: Lens::ALL.into_iter().filter(is_failed).collect(),
            skipped: Lens::ALL.into_iter().filter(|lens| !was_asked(lens)).collect(),
            usage: self.usage,
            found: self.found,
        }
    }
}

/// By what findings are named: a conversation by its passages.
fn references(items: &[QueryItem]) -> Vec<MemoryRef> {
    let mut named = Vec::new();
    for (position, item) in items.iter().enumerate() {
        match &item.body {
            ItemBody::Conversation { passages, .. } => {
                let count = if position == 0 { PASSAGES_BEST_MAX } else { PASSAGES_MAX };
                let passages = passages.iter().take(count);
                named.extend(passages.map(|passage| passage.reference));
            }
            _ => named.push(item.reference),
        }
    }
    named
}

/// Two lists by turns: what the partner said and what anybody said, neither before the other.
fn alternating(first: &[MemoryRef], second: &[MemoryRef]) -> Vec<MemoryRef> {
    let length = first.len().max(second.len());
    (0..length).flat_map(|at| first.get(at).into_iter().chain(second.get(at)).copied()).collect()
}

/// Each exchange and each item once.
fn distinct(all: &[MemoryRef]) -> Vec<MemoryRef> {
    let mut distinct: Vec<MemoryRef> = Vec::new();
    for reference in all {
        if !distinct.iter().any(|known| is_same_exchange(*known, *reference)) {
            distinct.push(*reference);
        }
    }
    distinct
}

/// Whether two references lead to the same thing: of an exchange both sides are shown anyway.
fn is_same_exchange(a: MemoryRef, b: MemoryRef) -> bool {
    match (a, b) {
        (MemoryRef::Passage { seq: a, .. }, MemoryRef::Passage { seq: b, .. }) => a == b,
        _ => a == b,
    }
}

/// How many findings of a lens are shown.
const fn shown_max(lens: Lens) -> usize {
    match lens {
        Lens::Relational => 6,
        Lens::Historical => 12,
        Lens::Technical => 4,
        Lens::Emotional | Lens::Experiential => 2,
        Lens::Strategic => 1,
        Lens::Constraint | Lens::Connective => 3,
    }
}
