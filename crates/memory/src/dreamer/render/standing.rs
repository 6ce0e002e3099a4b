//! What became of each finding: passages, facts and nodes judged together on one timeline, and the words in which that is
//! said beside them (decisions 52 and 54).

use std::collections::BTreeMap;

use abide_domain::{
    Timestamp,
    context_object::{IN_FORCE_LABEL, REPLACED_LABEL},
    event::{Lens, MemoryRef},
    graph::Node,
};

use super::{findings::ResolvedFindings, input::RenderInput};
use crate::{
    ReferencedItem, Standing, Statement,
    dreamer::{ReferenceLookup, words::name},
    is_bare_correction, judge,
    timeline::{STATEMENTS_MAX, STEPS_BACK_MAX},
};

/// Lenses whose findings state something that can be replaced.
const JUDGED: [Lens; 4] = [Lens::Historical, Lens::Relational, Lens::Technical, Lens::Constraint];

/// A finding in the words in which it is judged.
#[derive(Clone, Debug)]
struct Said {
    reference: MemoryRef,
    by: String,
    at: Timestamp,
    seq: u64,
    previous: Option<u64>,
    by_agent: bool,
    text: String,
}

impl Said {
    fn of(reference: MemoryRef, item: &ReferencedItem) -> Option<Self> {
        let said = match item {
            ReferencedItem::Passage(passage) => Self {
                reference,
                by: passage.speaker.clone(),
                at: passage.at,
                seq: passage.exchange.seq,
                previous: passage.exchange.previous,
                by_agent: passage.by_agent,
                text: passage.text.clone(),
            },
            ReferencedItem::Fact(fact) => Self {
                reference,
                by: fact
                    .told_by
                    .as_ref()
                    .map_or_else(String::new, |teller| teller.bare().to_owned()),
                at: fact.valid_from,
                seq: fact.seq,
                previous: None,
                by_agent: false,
                text: fact.content.clone(),
            },
            ReferencedItem::Node(version) => {
                let text = match &*version.node {
                    Node::Constraint(constraint) => constraint.description.clone(),
                    Node::Technical(matter) => matter.description.clone(),
                    _ => return None,
                };
                let (at, seq) = (version.valid_from, version.seq);
                Self {
                    reference,
                    by: String::new(),
                    at,
                    seq,
                    previous: None,
                    by_agent: false,
                    text,
                }
            }
        };
        Some(said)
    }

    fn statement(&self) -> Statement<'_> {
        let Self { by, at, seq, previous, by_agent, text, .. } = self;
        Statement { by, at: *at, seq: *seq, previous: *previous, by_agent: *by_agent, text }
    }
}

/// What became of the findings, with the words for it.
#[derive(Debug, Default)]
pub(super) struct Standings(BTreeMap<String, Outcome>);

/// What became of one finding.
#[derive(Clone, Debug, Default)]
struct Outcome {
    label: String,
    replaced_by: Option<MemoryRef>,
    disputed_by: Option<MemoryRef>,
}

impl Standings {
    /// Judges the findings.
    pub(super) fn of(
        scene: &RenderInput<'_>,
        findings: &ResolvedFindings,
        lookup: &dyn ReferenceLookup,
    ) -> Self {
        let found = JUDGED.iter().flat_map(|lens| findings.of_lens(*lens));
        let mut all: Vec<Said> = Vec::new();
        for (reference, item) in found {
            if all.len() < STATEMENTS_MAX && !all.iter().any(|known| known.reference == *reference)
            {
                all.extend(Said::of(*reference, item));
            }
        }
        add_before_corrections(&mut all, scene, lookup);
        let statements: Vec<Statement<'_>> = all.iter().map(Said::statement).collect();
        let standings = judge(&statements, scene.zone);
        let outcomes = all.iter().zip(standings).map(|(said, standing)| {
            (said.reference.to_string(), outcome(scene, &all, (said, standing)))
        });
        Self(outcomes.collect())
    }

    /// What is said of a finding beside its date: `, replaced by …`; empty where there is nothing to say.
    pub(super) fn label(&self, reference: MemoryRef) -> &str {
        self.0.get(&reference.to_string()).map_or("", |outcome| &outcome.label)
    }

    /// What took the place of a finding or says otherwise.
    pub(super) fn later(&self, reference: MemoryRef) -> impl Iterator<Item = MemoryRef> {
        let outcome = self.0.get(&reference.to_string());
        outcome
            .into_iter()
            .flat_map(|outcome| outcome.replaced_by.into_iter().chain(outcome.disputed_by))
    }
}

/// Adds what was said before a correction without a subject, from which it is known what it means.
fn add_before_corrections(
    all: &mut Vec<Said>,
    scene: &RenderInput<'_>,
    lookup: &dyn ReferenceLookup,
) {
    let bare: Vec<Said> = all
        .iter()
        .filter(|said| !said.by_agent && is_bare_correction(&said.text, said.at, scene.zone))
        .cloned()
        .collect();
    for said in bare {
        let mut previous = said.previous;
        for _ in 0..STEPS_BACK_MAX {
            let Some(seq) = previous else { break };
            let reference = MemoryRef::Passage { seq, part: 0 };
            let item = lookup.resolve(reference).ok().flatten();
            let Some(before) = item.and_then(|item| Said::of(reference, &item)) else { break };
            previous = before.previous;
            if !all.iter().any(|known| known.reference == reference) && all.len() < STATEMENTS_MAX {
                all.push(before);
            }
        }
    }
}

fn outcome(scene: &RenderInput<'_>, all: &[Said], (said, standing): (&Said, Standing)) -> Outcome {
    let later = |place: Option<usize>| place.and_then(|place| all.get(place));
    let (replaced_by, disputed_by) = (later(standing.replaced_by), later(standing.disputed_by));
    let when = |one: &Said| scene.zone.format_moment(one.at);
    let who = |one: &Said| match one.by.as_str() {
        "" => "a later record".to_owned(),
        by => name(by),
    };
    let label = match (replaced_by, disputed_by) {
        (Some(one), _) if one.by == said.by => {
            format!("{REPLACED_LABEL}{} on {}", who(one), when(one))
        }
        (Some(one), _) => format!("{REPLACED_LABEL}the word of {} on {}", who(one), when(one)),
        (None, Some(one)) => format!(", but {} said otherwise on {}", who(one), when(one)),
        (None, None) if standing.in_force => IN_FORCE_LABEL.to_owned(),
        (None, None) => String::new(),
    };
    let reference = |one: Option<&Said>| one.map(|one| one.reference);
    Outcome { label, replaced_by: reference(replaced_by), disputed_by: reference(disputed_by) }
}
