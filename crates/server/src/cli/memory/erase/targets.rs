//! Which lines of the ledger hold the words: those of the epochs, what was made of them, and copies of their texts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use abide_domain::{
    EntityName, EpochId, FactId, SleepId,
    event::{Decision, Event, FactRemembered, MemoryEvent, SleepEvent, StimulusEvent, TurnEvent},
};
use abide_ledger::{
    Entry, Record,
    erase::{ERASED, erasable_texts},
    folder::Folder,
};

use crate::cli::error::CliError;

/// Shortest text of which copies are looked for elsewhere, in characters: shorter ones are said by chance.
const NEEDLE_CHARS_MIN: usize = 12;
/// Most texts of which copies are looked for.
const NEEDLES_MAX: usize = 2_000;

/// What is to be erased.
#[derive(Debug, Default)]
pub(super) struct EraseTargets {
    pub(super) epochs: BTreeSet<EpochId>,
    pub(super) facts: BTreeSet<FactId>,
    pub(super) person: Option<EntityName>,
}

/// The lines that hold it.
#[derive(Debug, Default)]
pub(super) struct FoundLines {
    /// By sequence, the kind of each.
    pub(super) lines: BTreeMap<u64, String>,
    /// Identities in force that hold it, by agent: they are not erased.
    pub(super) identities_in_force: Vec<(String, u64)>,
    /// Dreams that are erased: agent and file.
    pub(super) dreams: Vec<(EntityName, String)>,
    /// The texts that are erased, to find copies of them.
    pub(super) needles: Vec<String>,
}

impl FoundLines {
    /// How many lines of each kind.
    pub(super) fn by_kind(&self) -> BTreeMap<&str, u64> {
        let mut kinds = BTreeMap::new();
        for kind in self.lines.values() {
            *kinds.entry(kind.as_str()).or_default() += 1;
        }
        kinds
    }
}

/// What the first walk learns.
#[derive(Debug, Default)]
struct Survey {
    epochs: HashSet<EpochId>,
    facts: HashSet<FactId>,
    sleeps: HashSet<SleepId>,
    /// By agent, the line that holds the text of the identity in force.
    identities: BTreeMap<EntityName, u64>,
    proposals: BTreeMap<String, u64>,
}

/// Finds the lines.
pub(super) fn find(folder: &Folder, targets: &EraseTargets) -> Result<FoundLines, CliError> {
    let survey = survey(folder, targets)?;
    let mut found = FoundLines::default();
    let mut needles: BTreeSet<String> = BTreeSet::new();
    for record in folder.records(1) {
        let record = record?;
        let Ok(entry) = record.entry() else { continue };
        if !survey.is_target(&entry, targets) || !has_words(&record) {
            continue;
        }
        if let Event::Memory(MemoryEvent::DreamWritten(dream)) = &entry.event {
            found.dreams.push((entry.entity.clone(), dream.filename.clone()));
        }
        needles.extend(spoken(&entry.event).filter(|text| is_needle(text)).map(str::to_owned));
        found.lines.insert(entry.seq, record.kind().to_owned());
    }
    found.needles = needles.into_iter().take(NEEDLES_MAX).collect();
    add_copies(folder, &survey, &mut found)?;
    Ok(found)
}

fn survey(folder: &Folder, targets: &EraseTargets) -> Result<Survey, CliError> {
    let mut survey = Survey {
        epochs: targets.epochs.iter().copied().collect(),
        facts: targets.facts.iter().copied().collect(),
        ..Survey::default()
    };
    let person = targets.person.as_ref();
    for record in folder.records(1) {
        let Ok(entry) = record?.entry() else { continue };
        match &entry.event {
            Event::Stimulus(StimulusEvent::Accepted(stimulus)) => {
                let is_theirs = person.is_some_and(|person| person.bare() == stimulus.sender);
                survey.epochs.extend(entry.epoch.filter(|_| is_theirs));
            }
            Event::Memory(MemoryEvent::FactRemembered(fact))
                if survey.rests_on(fact, &entry) || is_by(fact, &entry, person) =>
            {
                survey.facts.insert(fact.fact_id);
            }
            Event::Memory(MemoryEvent::Forgotten(forgotten)) => {
                let is_it = forgotten.facts.iter().any(|fact| survey.facts.contains(fact))
                    || forgotten.epochs.iter().any(|epoch| survey.epochs.contains(epoch));
                // Who asked to forget it said it once more.
                survey.epochs.extend(entry.epoch.filter(|_| is_it));
            }
            Event::Memory(MemoryEvent::IdentityChanged(_)) => {
                survey.identities.insert(entry.entity.clone(), entry.seq);
            }
            Event::Memory(MemoryEvent::IdentityProposed(proposed)) => {
                survey.proposals.insert(proposed.proposal_id.to_string(), entry.seq);
            }
            Event::Memory(MemoryEvent::IdentityDecided(decided))
                if decided.decision == Decision::Approve =>
            {
                let text = survey.proposals.get(&decided.proposal_id.to_string()).copied();
                survey.identities.extend(text.map(|seq| (entry.entity.clone(), seq)));
            }
            Event::Sleep(SleepEvent::Started(started))
                if started.epochs.iter().any(|epoch| survey.epochs.contains(epoch)) =>
            {
                survey.sleeps.insert(started.sleep_id);
            }
            _ => {}
        }
    }
    Ok(survey)
}

fn is_by(fact: &FactRemembered, entry: &Entry, person: Option<&EntityName>) -> bool {
    let teller = fact.told_by.as_ref().or_else(|| entry.epoch.is_none().then_some(&entry.author));
    person.is_some() && teller == person
}

impl Survey {
    /// Whether a fact was made of what is erased.
    fn rests_on(&self, fact: &FactRemembered, entry: &Entry) -> bool {
        self.facts.contains(&fact.fact_id)
            || fact.sources.iter().chain(&entry.epoch).any(|epoch| self.epochs.contains(epoch))
    }

    fn is_target(&self, entry: &Entry, targets: &EraseTargets) -> bool {
        if entry.epoch.is_some_and(|epoch| self.epochs.contains(&epoch)) {
            return true;
        }
        let Event::Memory(event) = &entry.event else {
            let is_authored = targets.person.as_ref() == Some(&entry.author);
            return is_authored
                && entry.epoch.is_none()
                && !matches!(entry.event, Event::Keeper(_));
        };
        match event {
            MemoryEvent::FactRemembered(fact) => self.rests_on(fact, entry),
            MemoryEvent::FactProposed(proposed) => self.rests_on(&proposed.fact, entry),
            MemoryEvent::FactForgotten(fact) => self.facts.contains(&fact.fact_id),
            MemoryEvent::Forgotten(forgotten) => {
                forgotten.facts.iter().any(|fact| self.facts.contains(fact))
                    || forgotten.epochs.iter().any(|epoch| self.epochs.contains(epoch))
            }
            MemoryEvent::NodeRecorded(node) => {
                node.sources.iter().any(|epoch| self.epochs.contains(epoch))
            }
            MemoryEvent::DreamWritten(dream) => self.sleeps.contains(&dream.sleep_id),
            _ => false,
        }
    }
}

/// Whether there is anything to erase in a line: a text, or numbers in what has no fixed form.
fn has_words(record: &Record) -> bool {
    let is_free =
        ["turn.", "tool.", "approval."].iter().any(|group| record.kind().starts_with(group));
    is_free || erasable_texts(record.data()).iter().any(|text| !text.is_empty() && text != ERASED)
}

/// The texts of an event that somebody said or that were made of it.
fn spoken(event: &Event) -> impl Iterator<Item = &str> {
    let (first, second): (Option<&str>, Option<&str>) = match event {
        Event::Stimulus(StimulusEvent::Accepted(stimulus)) => (Some(&stimulus.content), None),
        Event::Turn(TurnEvent::Completed(turn)) => {
            (turn.voice.final_response.as_deref(), Some(&turn.voice.thought))
        }
        Event::Memory(MemoryEvent::FactRemembered(fact)) => (Some(&fact.content), None),
        Event::Memory(MemoryEvent::DreamWritten(dream)) => (Some(&dream.content), None),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

fn is_needle(text: &str) -> bool {
    text.trim().chars().count() >= NEEDLE_CHARS_MIN && text != ERASED
}

/// Adds the other lines in which one of the texts stands: what was said on a channel, recalled by a tool, shown again.
fn add_copies(folder: &Folder, survey: &Survey, found: &mut FoundLines) -> Result<(), CliError> {
    if found.needles.is_empty() {
        return Ok(());
    }
    // A result of a tool is JSON in a text.
    let escaped = found.needles.iter().map(|needle| {
        let json = serde_json::to_string(needle).unwrap_or_default();
        json.trim_matches('"').to_owned()
    });
    let mut needles: Vec<String> =
        escaped.chain(found.needles.iter().map(|n| n.trim().to_owned())).collect();
    needles.sort_unstable();
    needles.dedup();
    for record in folder.records(1) {
        let record = record?;
        let seq = record.seq();
        if found.lines.contains_key(&seq) {
            continue;
        }
        let texts = erasable_texts(record.data());
        if !texts.iter().any(|text| needles.iter().any(|needle| text.contains(needle.as_str()))) {
            continue;
        }
        let agent = survey.identities.iter().find(|(_, text)| **text == seq);
        match agent {
            Some((agent, _)) => found.identities_in_force.push((agent.to_string(), seq)),
            None => drop(found.lines.insert(seq, record.kind().to_owned())),
        }
    }
    Ok(())
}
