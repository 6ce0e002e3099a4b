//! What people ask of an agent once and for all: "always answer in French", "never call me Bob".
//!
//! A fold of the ledger. Only what a person said in an epoch that committed counts, in that person's own words, until that
//! person takes it back or asks for the opposite. It must never take a wish from a quotation, from another agent, or from
//! the keeper's own stimuli (decision 51), and never show in a group what was asked in private (decision 54).
//!
//! Reading order: [`Wish`], [`Wishes`]; then `wording` (the rule that reads a message), `phrases` (its words).

use std::collections::{BTreeMap, HashMap};

use abide_domain::{
    EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{Event, StimulusAccepted, StimulusEvent},
    limits::{WISHES_A_PERSON_MAX, WISHING_PEOPLE_MAX},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use self::wording::{StatedWish, WishChange};
use crate::{DurableEvent, Origin, staging::MemoryStep};

mod phrases;
mod wording;

/// The sender of what the keeper itself says.
const KEEPER_SENDER: &str = "system";

/// A standing wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// The person's own words, on one line.
    pub text: String,
    /// When they were said.
    pub said_at: Timestamp,
    /// The epoch in which they were said.
    pub epoch: EpochId,
    stated: StatedWish,
    place: Place,
}

/// Who hears what is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Place {
    /// The person and the agent alone.
    Private,
    /// Whoever is in this session.
    Group(String),
}

impl Place {
    fn of(channel: Channel, session: &str) -> Self {
        let group = Origin { channel, session, sender: "" }.group();
        group.map_or(Self::Private, |group| Self::Group(group.to_owned()))
    }

    /// Whether what was said here may be shown there, to the same person.
    fn reaches(&self, there: &Self) -> bool {
        *there == Self::Private || self == there
    }
}

/// A message of an epoch that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenMessage {
    sender: String,
    sent_at: Timestamp,
    place: Place,
    changes: Vec<WishChange>,
}

/// The standing wishes of all who speak with one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wishes {
    entity: EntityName,
    applied_seq: u64,
    open: HashMap<EpochId, OpenMessage>,
    of: BTreeMap<String, Vec<Wish>>,
}

impl Wishes {
    /// Those of an agent that nobody has spoken to yet.
    pub fn new(entity: EntityName) -> Self {
        Self { entity, applied_seq: 0, open: HashMap::new(), of: BTreeMap::new() }
    }

    /// Takes an event in. Doing it again changes nothing.
    pub fn apply(&mut self, applied: &DurableEvent<'_>) {
        if applied.seq <= self.applied_seq || *applied.entity != self.entity {
            return;
        }
        self.applied_seq = applied.seq;
        match (MemoryStep::of(applied), applied.event, applied.epoch) {
            (MemoryStep::Commit(epoch, _), ..) => {
                if let Some(message) = self.open.remove(&epoch) {
                    self.take(epoch, message);
                }
            }
            (MemoryStep::Abort(epoch), ..) => {
                self.open.remove(&epoch);
            }
            (_, Event::Stimulus(StimulusEvent::Accepted(stimulus)), Some(epoch)) => {
                if let Some(message) = read(stimulus) {
                    self.open.insert(epoch, message);
                }
            }
            _ => {}
        }
    }

    /// What a person wishes, as far as it may be shown where the person speaks now; the oldest first.
    pub fn of<'a>(
        &'a self,
        person: &str,
        channel: Channel,
        session: &str,
    ) -> impl Iterator<Item = &'a Wish> {
        let here = Place::of(channel, session);
        self.of.get(person).into_iter().flatten().filter(move |wish| wish.place.reaches(&here))
    }

    /// Its part of `state_digest`: how many people wish how much, and what.
    pub fn state_parts(&self) -> Value {
        let mut hash = Sha256::new();
        for (person, wish) in self
            .of
            .iter()
            .flat_map(|(person, wishes)| wishes.iter().map(move |wish| (person, wish)))
        {
            hash.update(format!("{person}\n{}\n{}\n", wish.epoch, wish.text));
        }
        json!({"people": self.of.len(), "sha256": hex::encode(hash.finalize())})
    }

    fn take(&mut self, epoch: EpochId, message: OpenMessage) {
        let OpenMessage { sender, sent_at, place, changes } = message;
        if self.of.len() >= WISHING_PEOPLE_MAX && !self.of.contains_key(&sender) {
            return;
        }
        let wishes = self.of.entry(sender.clone()).or_default();
        for change in changes {
            let said = |stated: StatedWish| Wish {
                text: stated.text.clone(),
                said_at: sent_at,
                epoch,
                stated,
                place: place.clone(),
            };
            match change {
                WishChange::State(stated) => {
                    wishes.retain(|known| !stated.replaces(&known.stated));
                    wishes.push(said(stated));
                }
                WishChange::TakeBack(taken) => wishes.retain(|known| !taken.means(&known.stated)),
                WishChange::Stop(taken, stated) => {
                    let before = wishes.len();
                    wishes.retain(|known| !taken.means(&known.stated));
                    if wishes.len() == before {
                        wishes.push(said(stated));
                    }
                }
            }
        }
        let too_many = wishes.len().saturating_sub(WISHES_A_PERSON_MAX);
        wishes.drain(..too_many);
        if wishes.is_empty() {
            self.of.remove(&sender);
        }
    }
}

/// What a person's message changes; none where no person speaks, or where it changes nothing.
fn read(stimulus: &StimulusAccepted) -> Option<OpenMessage> {
    let is_person = stimulus.cause.is_none()
        && stimulus.channel != Channel::System
        && stimulus.sender != KEEPER_SENDER;
    let changes = if is_person { wording::changes(&stimulus.content) } else { Vec::new() };
    (!changes.is_empty()).then(|| OpenMessage {
        sender: stimulus.sender.clone(),
        sent_at: stimulus.sent_at,
        place: Place::of(stimulus.channel, &stimulus.session_id),
        changes,
    })
}

#[cfg(test)]
mod tests;
