//! What people and agents do with a deck, one line each; and what a line depends on, by which it is found out whether it is stale.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    card::{CardFinish, OracleId},
    colour::Colour,
    deck::{Deck, DeckEntry, EntryContent, EntryKey},
    limits::{
        DECK_ENTRIES_MAX, DECK_NAME_CHARS_MAX, ENTRY_COUNT_MAX, ENTRY_TAGS_MAX, TAG_CHARS_MAX,
    },
    list::{DeckZone, PrintingRef},
};

/// Cards that one line may put into the commander's zone.
const COMMANDERS_MAX: usize = 5;

/// A card with its name, as its table has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CardRef {
    /// The card.
    pub id: OracleId,
    /// Its name.
    pub name: String,
}

/// The entry or entries that a line is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EntryTarget {
    /// Which card.
    pub card: CardRef,
    /// Where.
    #[serde(default)]
    pub zone: DeckZone,
    /// Which printing; none: whichever is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printing: Option<PrintingRef>,
    /// Which finish; none: whichever is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<CardFinish>,
}

/// One line of an edit or a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum DeckOp {
    /// Puts cards in.
    Add {
        /// Which and where.
        entry: EntryTarget,
        /// How many.
        count: u32,
    },
    /// Takes cards out.
    Remove {
        /// Which and where.
        entry: EntryTarget,
        /// How many.
        count: u32,
    },
    /// Sets how many there are; 0 takes the entry out.
    SetCount {
        /// Which and where.
        entry: EntryTarget,
        /// How many there are then.
        count: u32,
    },
    /// Moves cards to another zone.
    Move {
        /// Which, and where they are.
        entry: EntryTarget,
        /// Where they go.
        to: DeckZone,
        /// How many.
        count: u32,
    },
    /// Takes cards out for others: one line, for neither makes sense alone.
    Swap {
        /// What goes, and where it is.
        out: EntryTarget,
        /// What comes instead.
        into: CardRef,
        /// How many.
        count: u32,
    },
    /// Says which cards lead. Those that led before go into the deck, and their chosen colours with them; no card vanishes.
    SetCommanders {
        /// The cards; they leave the deck where they are in it.
        cards: Vec<CardRef>,
    },
    /// Chooses a commander's colour, or takes the choice back.
    ChooseColour {
        /// The commander.
        card: CardRef,
        /// The colour; none takes the choice back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        colour: Option<Colour>,
    },
    /// Files an entry under other tags.
    SetTags {
        /// Which and where.
        entry: EntryTarget,
        /// All its tags then.
        tags: Vec<String>,
    },
    /// Names the deck.
    Rename {
        /// The name.
        name: String,
    },
}

/// Why a line cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum OpError {
    /// There are not so many cards.
    #[error("{name}: {has} in {zone}, {wanted} wanted", zone = zone.title())]
    NotThere {
        /// The card.
        name: String,
        /// Where it was looked for.
        zone: DeckZone,
        /// How many there are.
        has: u32,
        /// How many there would have to be.
        wanted: u32,
    },
    /// Nothing would change.
    #[error("{0}: nothing would change")]
    NoChange(String),
    /// A count is 0 or above every deck's.
    #[error("{0}: a count must be from 1 to 999")]
    Count(String),
    /// Several printings are there, and the line does not say which it means.
    #[error("{0}: several printings are there; say which one")]
    SeveralEntries(String),
    /// The card does not lead the deck.
    #[error("{0} does not lead the deck")]
    NotACommander(String),
    /// No card or too many cards would lead.
    #[error("1 to 5 cards can be set as commanders, not {0}")]
    CommanderCount(usize),
    /// The deck would have too many entries.
    #[error("a deck has at most 2000 entries")]
    TooManyEntries,
    /// Too many or too long tags, or a name that is empty or too long.
    #[error("{0}: at most 20 tags of 60 characters, a name of 1 to 120")]
    Text(String),
}

impl EntryTarget {
    /// Whether an entry is meant.
    fn means(&self, entry: &DeckEntry) -> bool {
        let key = &entry.key;
        key.zone == self.zone
            && key.card == self.card.id
            && (self.printing.is_none() || key.printing == self.printing)
            && self.finish.is_none_or(|finish| key.finish == finish)
    }

    fn found(&self, deck: &Deck) -> Vec<DeckEntry> {
        deck.entries().iter().filter(|entry| self.means(entry)).cloned().collect()
    }

    fn key(&self, zone: DeckZone) -> EntryKey {
        EntryKey {
            zone,
            card: self.card.id.clone(),
            printing: self.printing.clone(),
            finish: self.finish.unwrap_or_default(),
        }
    }

    fn new_content(&self, count: u32) -> EntryContent {
        EntryContent { count, name: self.card.name.clone(), tags: Vec::new(), label: None }
    }
}

impl DeckOp {
    /// Does the line to a deck that nobody has yet; of one that somebody has, [`crate::decide`] does.
    ///
    /// # Errors
    /// It cannot be done, or nothing would change; the deck may then be half changed and must be thrown away.
    pub fn apply_to(&self, deck: &mut Deck) -> Result<(), OpError> {
        self.apply(deck)
    }

    /// Does the line.
    ///
    /// # Errors
    /// As [`DeckOp::apply_to`].
    pub(crate) fn apply(&self, deck: &mut Deck) -> Result<(), OpError> {
        match self {
            Self::Add { entry, count } => {
                checked(&entry.card, *count)?;
                add(deck, entry, *count)?;
            }
            Self::Remove { entry, count } => {
                checked(&entry.card, *count)?;
                take(deck, entry, *count)?;
            }
            Self::SetCount { entry, count } => set_count(deck, entry, *count)?,
            Self::Move { entry, to, count } => {
                checked(&entry.card, *count)?;
                if *to == entry.zone {
                    return Err(OpError::NoChange(entry.card.name.clone()));
                }
                for taken in take(deck, entry, *count)? {
                    put(deck, &EntryKey { zone: *to, ..taken.key }, taken.content)?;
                }
            }
            Self::Swap { out, into, count } => {
                checked(&out.card, *count)?;
                if out.card.id == into.id {
                    return Err(OpError::NoChange(into.name.clone()));
                }
                take(deck, out, *count)?;
                let target = EntryTarget {
                    card: into.clone(),
                    zone: out.zone,
                    printing: None,
                    finish: None,
                };
                add(deck, &target, *count)?;
            }
            Self::SetCommanders { cards } => set_commanders(deck, cards)?,
            Self::ChooseColour { card, colour } => choose_colour(deck, card, *colour)?,
            Self::SetTags { entry, tags } => set_tags(deck, entry, tags)?,
            Self::Rename { name } => {
                let is_fine =
                    !name.trim().is_empty() && name.chars().nth(DECK_NAME_CHARS_MAX).is_none();
                if !is_fine {
                    return Err(OpError::Text("the deck's name".to_owned()));
                }
                if deck.name == *name {
                    return Err(OpError::NoChange(name.clone()));
                }
                deck.name.clone_from(name);
            }
        }
        if deck.entries().len() > DECK_ENTRIES_MAX { Err(OpError::TooManyEntries) } else { Ok(()) }
    }

    /// What the line depends on.
    pub(crate) fn footprint(&self, deck: &Deck) -> Footprint {
        let counts = |is_one: &dyn Fn(&DeckEntry) -> bool| -> Vec<(EntryKey, u32)> {
            let found = deck.entries().iter().filter(|entry| is_one(entry));
            found.map(|entry| (entry.key.clone(), entry.content.count)).collect()
        };
        let is_in = |entry: &DeckEntry, card: &OracleId, zone: DeckZone| {
            entry.key.card == *card && entry.key.zone == zone
        };
        let mut footprint = Footprint::default();
        match self {
            Self::Add { entry: at, .. }
            | Self::Remove { entry: at, .. }
            | Self::SetCount { entry: at, .. } => {
                footprint.counts = counts(&|entry| is_in(entry, &at.card.id, at.zone));
            }
            Self::Move { entry: at, to, .. } => {
                footprint.counts = counts(&|entry| {
                    is_in(entry, &at.card.id, at.zone) || is_in(entry, &at.card.id, *to)
                });
            }
            Self::Swap { out, into, .. } => {
                footprint.counts = counts(&|entry| {
                    is_in(entry, &out.card.id, out.zone) || is_in(entry, &into.id, out.zone)
                });
            }
            Self::SetCommanders { .. } => {
                footprint.counts = counts(&|entry| entry.key.zone == DeckZone::Commander);
            }
            Self::ChooseColour { card, .. } => {
                footprint.counts = counts(&|entry| is_in(entry, &card.id, DeckZone::Commander));
                footprint.colour = deck.chosen_colours.get(&card.id).copied();
            }
            Self::SetTags { entry: at, .. } => {
                let found = deck.entries().iter().filter(|entry| at.means(entry));
                footprint.tags = found.map(|entry| entry.content.tags.clone()).collect();
            }
            Self::Rename { .. } => footprint.name = Some(deck.name.clone()),
        }
        footprint
    }

    /// The cards that it is about.
    pub fn cards(&self) -> Vec<&OracleId> {
        match self {
            Self::Add { entry, .. }
            | Self::Remove { entry, .. }
            | Self::SetCount { entry, .. }
            | Self::Move { entry, .. }
            | Self::SetTags { entry, .. } => vec![&entry.card.id],
            Self::Swap { out, into, .. } => vec![&out.card.id, &into.id],
            Self::SetCommanders { cards } => cards.iter().map(|card| &card.id).collect(),
            Self::ChooseColour { card, .. } => vec![&card.id],
            Self::Rename { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for DeckOp {
    /// "add 1 Sol Ring", "swap 1 Forest for Wastes".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { entry, count } => write!(f, "add {count} {entry}"),
            Self::Remove { entry, count } => write!(f, "remove {count} {entry}"),
            Self::SetCount { entry, count } => write!(f, "have {count} {entry}"),
            Self::Move { entry, to, count } => write!(f, "move {count} {entry} to {}", to.title()),
            Self::Swap { out, into, count } => write!(f, "swap {count} {out} for {}", into.name),
            Self::SetCommanders { cards } => {
                let names: Vec<_> = cards.iter().map(|card| card.name.as_str()).collect();
                write!(f, "let {} lead the deck", names.join(" and "))
            }
            Self::ChooseColour { card, colour: Some(colour) } => {
                write!(f, "choose {} for {}", colour.name(), card.name)
            }
            Self::ChooseColour { card, colour: None } => {
                write!(f, "choose no colour for {}", card.name)
            }
            Self::SetTags { entry, tags } if tags.is_empty() => write!(f, "untag {entry}"),
            Self::SetTags { entry, tags } => write!(f, "tag {entry} as {}", tags.join(", ")),
            Self::Rename { name } => write!(f, "rename the deck to {name}"),
        }
    }
}

impl fmt::Display for EntryTarget {
    /// "Sol Ring", "Sol Ring (c21) in Sideboard".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.card.name)?;
        if let Some(printing) = &self.printing {
            write!(f, " ({})", printing.set)?;
        }
        if self.zone == DeckZone::Main { Ok(()) } else { write!(f, " in {}", self.zone.title()) }
    }
}

/// What a line depends on: while it is the same, the line means what it meant when it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    counts: Vec<(EntryKey, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    colour: Option<Colour>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

fn checked(card: &CardRef, count: u32) -> Result<(), OpError> {
    let is_count = (1..=ENTRY_COUNT_MAX).contains(&count);
    is_count.then_some(()).ok_or_else(|| OpError::Count(card.name.clone()))
}

/// Adds cards to the entry that is meant, or makes it.
fn add(deck: &mut Deck, target: &EntryTarget, count: u32) -> Result<(), OpError> {
    let exact = target.key(target.zone);
    let known = target.found(deck).into_iter().next().map(|entry| entry.key);
    let key = if deck.entry(&exact).is_some() { exact } else { known.unwrap_or(exact) };
    put(deck, &key, target.new_content(count))
}

fn put(deck: &mut Deck, key: &EntryKey, content: EntryContent) -> Result<(), OpError> {
    let held = deck.entry(key).map_or(0, |held| held.count);
    if held.saturating_add(content.count) > ENTRY_COUNT_MAX {
        return Err(OpError::Count(content.name));
    }
    deck.add(key, content);
    Ok(())
}

/// Takes cards out of the entries that are meant, in their order, and gives what was taken.
fn take(deck: &mut Deck, target: &EntryTarget, count: u32) -> Result<Vec<DeckEntry>, OpError> {
    let found = target.found(deck);
    let has = found.iter().map(|entry| entry.content.count).fold(0, u32::saturating_add);
    if has < count {
        let name = target.card.name.clone();
        return Err(OpError::NotThere { name, zone: target.zone, has, wanted: count });
    }
    let mut left = count;
    let mut taken = Vec::new();
    for DeckEntry { key, content } in found {
        let part = left.min(content.count);
        left -= part;
        let rest = EntryContent { count: content.count - part, ..content.clone() };
        deck.set_entry(&key, Some(rest));
        if part > 0 {
            taken.push(DeckEntry { key, content: EntryContent { count: part, ..content } });
        }
    }
    Ok(taken)
}

fn set_count(deck: &mut Deck, target: &EntryTarget, count: u32) -> Result<(), OpError> {
    let name = || target.card.name.clone();
    if count > ENTRY_COUNT_MAX {
        return Err(OpError::Count(name()));
    }
    match target.found(deck).as_slice() {
        [] if count == 0 => Err(OpError::NoChange(name())),
        [] => put(deck, &target.key(target.zone), target.new_content(count)),
        [entry] if entry.content.count == count => Err(OpError::NoChange(name())),
        [entry] => {
            let content = EntryContent { count, ..entry.content.clone() };
            deck.set_entry(&entry.key, Some(content));
            Ok(())
        }
        _ => Err(OpError::SeveralEntries(name())),
    }
}

/// Who led goes into the deck, who leads leaves it.
fn set_commanders(deck: &mut Deck, cards: &[CardRef]) -> Result<(), OpError> {
    if cards.is_empty() || cards.len() > COMMANDERS_MAX {
        return Err(OpError::CommanderCount(cards.len()));
    }
    let before = deck.clone();
    let leaders: Vec<_> = deck.in_zone(DeckZone::Commander).cloned().collect();
    for DeckEntry { key, content } in leaders {
        deck.set_entry(&key, None);
        put(deck, &EntryKey { zone: DeckZone::Main, ..key }, content)?;
    }
    for card in cards {
        // The printing that the deck has leads, wherever it lay.
        let held = [DeckZone::Main, DeckZone::Sideboard, DeckZone::Maybeboard].into_iter();
        let target = |zone| EntryTarget { card: card.clone(), zone, printing: None, finish: None };
        let taken =
            held.map(target).find_map(|target| take(deck, &target, 1).ok()).unwrap_or_default();
        let (key, content) = if let Some(entry) = taken.into_iter().next() {
            (EntryKey { zone: DeckZone::Commander, ..entry.key }, entry.content)
        } else {
            let target = target(DeckZone::Commander);
            (target.key(DeckZone::Commander), target.new_content(1))
        };
        put(deck, &key, content)?;
    }
    let leading: Vec<_> =
        deck.in_zone(DeckZone::Commander).map(|entry| entry.key.card.clone()).collect();
    deck.chosen_colours.retain(|card, _| leading.contains(card));
    if *deck == before {
        let names: Vec<_> = cards.iter().map(|card| card.name.as_str()).collect();
        return Err(OpError::NoChange(names.join(", ")));
    }
    Ok(())
}

fn choose_colour(deck: &mut Deck, card: &CardRef, colour: Option<Colour>) -> Result<(), OpError> {
    if !deck.in_zone(DeckZone::Commander).any(|entry| entry.key.card == card.id) {
        return Err(OpError::NotACommander(card.name.clone()));
    }
    if deck.chosen_colours.get(&card.id).copied() == colour {
        return Err(OpError::NoChange(card.name.clone()));
    }
    match colour {
        Some(colour) => drop(deck.chosen_colours.insert(card.id.clone(), colour)),
        None => drop(deck.chosen_colours.remove(&card.id)),
    }
    Ok(())
}

fn set_tags(deck: &mut Deck, target: &EntryTarget, tags: &[String]) -> Result<(), OpError> {
    let name = || target.card.name.clone();
    let is_fine = |tag: &String| {
        !tag.trim().is_empty()
            && tag.chars().nth(TAG_CHARS_MAX).is_none()
            && !tag.contains(char::is_control)
    };
    if tags.len() > ENTRY_TAGS_MAX || !tags.iter().all(is_fine) {
        return Err(OpError::Text(name()));
    }
    match target.found(deck).as_slice() {
        [] => Err(OpError::NotThere { name: name(), zone: target.zone, has: 0, wanted: 1 }),
        [entry] if entry.content.tags == tags => Err(OpError::NoChange(name())),
        [entry] => {
            let content = EntryContent { tags: tags.to_vec(), ..entry.content.clone() };
            deck.set_entry(&entry.key, Some(content));
            Ok(())
        }
        _ => Err(OpError::SeveralEntries(name())),
    }
}
