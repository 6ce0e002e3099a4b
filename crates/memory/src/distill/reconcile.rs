//! What was found against what is known: said again changes nothing, said otherwise takes the old one's place.
//!
//! Two facts are the same when case, space and small words make the whole difference; a new one that adds no word to a
//! known one is the same too. A slot (`nicolas/home`) has one value at a time: a newer value closes the older one. It
//! must never bring back what somebody took back after it was said.

use std::collections::HashMap;

use abide_domain::{EntityName, FactId, Timestamp, event::FactRemembered, limits::FACT_CHARS_MAX};

use super::{FactDoubt, FoundFact, support::words};
use crate::{Fact, normalise};

/// What a tag begins with that names a slot.
pub(crate) const SLOT_TAG: &str = "slot:";
/// Longest slot, in characters.
const SLOT_CHARS_MAX: usize = 80;
/// Words that turn a claim around.
const NEGATIONS: &[&str] = &["not", "no", "never", "none", "cannot"];

/// What is left to be remembered.
#[derive(Debug, Default, PartialEq)]
pub struct FactReconciliation {
    /// The events, in order.
    pub facts: Vec<FactRemembered>,
    /// What waits for a person: it takes no part in what stands.
    pub doubtful: Vec<(FactRemembered, FactDoubt)>,
    /// How many were known already.
    pub known: usize,
    /// How many of the events take the place of an older fact.
    pub replacing: usize,
}

/// A fact in force, as it is compared.
#[derive(Clone)]
struct KnownFact {
    id: FactId,
    normal: String,
    words: Vec<String>,
    category: String,
    slot: Option<String>,
    since: Timestamp,
}

/// What is not learnt again.
#[derive(Clone, Debug, Default)]
pub struct TakenBack {
    /// The texts of facts that hold no longer, with the time of their end.
    pub contents: Vec<(String, Timestamp)>,
    /// Slots that somebody took back, with the newest time at which they did.
    pub slots: Vec<(String, Timestamp)>,
}

/// Holds what was found against what is known and what was taken back.
pub fn reconcile_facts(
    found: Vec<FoundFact>,
    known: &[Fact],
    taken_back: &TakenBack,
    new_id: &mut dyn FnMut() -> FactId,
) -> FactReconciliation {
    let mut standing: Vec<KnownFact> = known.iter().map(KnownFact::of).collect();
    let closed: HashMap<String, Timestamp> =
        taken_back.contents.iter().map(|(content, at)| (normalise(content), *at)).collect();
    let slots: HashMap<&str, Timestamp> =
        taken_back.slots.iter().map(|(slot, at)| (slot.as_str(), *at)).collect();
    let mut sifted = FactReconciliation::default();
    for fact in found {
        let Some(content) = one_line(&fact.content) else { continue };
        let normal = normalise(&content);
        let slot = fact.slot.as_deref().map(slot_of);
        let slot_closed = slot.as_deref().and_then(|slot| slots.get(slot));
        let is_gone =
            closed.get(&normal).into_iter().chain(slot_closed).any(|at| *at >= fact.said_at);
        let claimed = words(&content);
        if is_gone
            || standing.iter().any(|known| known.says(&normal, &claimed, fact.category.as_str()))
        {
            sifted.known += 1;
            continue;
        }
        let older = standing.iter().position(|known| {
            Some(known.id) == fact.replaces || (slot.is_some() && known.slot == slot)
        });
        if older.and_then(|at| standing.get(at)).is_some_and(|older| older.since > fact.said_at) {
            // What is known was said later.
            sifted.known += 1;
            continue;
        }
        if let Some(doubt) = fact.doubt.clone() {
            let supersedes = older.and_then(|at| standing.get(at)).map(|older| older.id);
            let waiting = event(fact, content, slot, (new_id(), supersedes));
            sifted.doubtful.push((waiting, doubt));
            continue;
        }
        let supersedes = older.map(|at| standing.swap_remove(at).id);
        let id = new_id();
        sifted.replacing += usize::from(supersedes.is_some());
        standing.push(KnownFact {
            id,
            normal,
            words: claimed,
            category: fact.category.as_str().to_owned(),
            slot: slot.clone(),
            since: fact.said_at,
        });
        sifted.facts.push(event(fact, content, slot, (id, supersedes)));
    }
    sifted
}

fn event(
    fact: FoundFact,
    content: String,
    slot: Option<String>,
    (fact_id, supersedes): (FactId, Option<FactId>),
) -> FactRemembered {
    let mut tags = fact.tags;
    tags.extend(slot.map(|slot| format!("{SLOT_TAG}{slot}")));
    FactRemembered {
        fact_id,
        content,
        category: fact.category.as_str().to_owned(),
        tags,
        confidence: fact.confidence.clamp(0.0, 1.0),
        told_by: EntityName::sender(&fact.told_by).ok(),
        untrusted: fact.untrusted,
        sources: fact.sources,
        supersedes,
        valid_from: Some(fact.said_at),
    }
}

/// The content on one line; none where it is blank or too long.
fn one_line(content: &str) -> Option<String> {
    let line = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !line.is_empty() && line.chars().count() <= FACT_CHARS_MAX;
    fits.then_some(line)
}

fn slot_of(slot: &str) -> String {
    normalise(slot).chars().take(SLOT_CHARS_MAX).collect()
}

impl KnownFact {
    fn of(fact: &Fact) -> Self {
        Self {
            id: fact.fact_id,
            normal: normalise(&fact.content),
            words: words(&fact.content),
            category: fact.category.clone(),
            slot: fact.tags.iter().find_map(|tag| tag.strip_prefix(SLOT_TAG)).map(str::to_owned),
            since: fact.valid_from,
        }
    }

    /// Whether this says already what a claim says.
    fn says(&self, normal: &str, claimed: &[String], category: &str) -> bool {
        if self.normal == normal {
            return true;
        }
        let is_negated =
            |words: &[String]| words.iter().any(|word| NEGATIONS.contains(&word.as_str()));
        // A short claim is easily a part of a long one that says something else.
        claimed.len() >= 3
            && self.category == category
            && is_negated(&self.words) == is_negated(claimed)
            && is_within(claimed, &self.words)
    }
}

/// Whether the words stand in a longer run in the same order.
fn is_within(words: &[String], longer: &[String]) -> bool {
    let mut rest = longer.iter();
    words.iter().all(|word| rest.any(|other| other == word))
}

#[cfg(test)]
mod tests;
