//! Decks as a call sees them, and how what happens to a deck becomes a line of the ledger and comes back.

use std::{collections::BTreeMap, sync::Arc};

use abide_deck::{DeckEvent, DeckReplayError, DeckState, limits::DECK_EVENT_BYTES_MAX};
use abide_domain::event::{DeckLedgerEvent, Event, EventError};
use serde_json::{Map, Value};

/// Why something that happened to a deck is no line, or a line is nothing that happened to a deck.
#[derive(Debug, thiserror::Error)]
pub enum DeckLineError {
    /// It would be too long.
    #[error(
        "{bytes} bytes are too many for one change of a deck; at most {DECK_EVENT_BYTES_MAX} are taken: make it in parts"
    )]
    TooLong {
        /// How long it would be.
        bytes: usize,
    },
    /// One does not have the form of the other.
    #[error("what happened to the deck cannot be written or read: {0}")]
    Form(#[from] serde_json::Error),
    /// The same.
    #[error(transparent)]
    Event(#[from] EventError),
    /// It does not follow from what happened before.
    #[error(transparent)]
    Replay(#[from] DeckReplayError),
    /// There is no such deck.
    #[error("there is no deck {0}")]
    UnknownDeck(String),
}

/// The line of something that happened to a deck.
///
/// # Errors
/// It would be too long.
pub fn deck_line(deck_id: &str, event: &DeckEvent) -> Result<Event, DeckLineError> {
    let mut fields = match serde_json::to_value(event)? {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let kind = fields.remove("kind").unwrap_or_default();
    fields.insert("deck_id".to_owned(), deck_id.into());
    let data = Value::Object(fields).to_string();
    if data.len() > DECK_EVENT_BYTES_MAX {
        return Err(DeckLineError::TooLong { bytes: data.len() });
    }
    Ok(Event::decode(kind.as_str().unwrap_or_default(), 1, &data)?)
}

/// What happened to a deck by a line; none where it was only loaded.
///
/// # Errors
/// The line has not the form of what can happen to a deck: its words were erased, say.
pub fn deck_event(line: &DeckLedgerEvent) -> Result<Option<DeckEvent>, DeckLineError> {
    if matches!(line, DeckLedgerEvent::Loaded(_)) {
        return Ok(None);
    }
    let event = Event::from(line.clone());
    let mut fields: Map<String, Value> = serde_json::from_str(event.encode_data()?.get())?;
    fields.insert("kind".to_owned(), event.kind().name.into());
    Ok(Some(serde_json::from_value(Value::Object(fields))?))
}

/// All decks, and which of them an agent works with. A cheap clone.
#[derive(Clone, Debug, Default)]
pub struct AgentDecks {
    loaded: Option<String>,
    by_id: Arc<BTreeMap<String, Arc<DeckState>>>,
}

impl AgentDecks {
    /// Decks by their ids, and the one that is loaded.
    pub fn new(
        loaded: Option<String>,
        decks: impl IntoIterator<Item = (String, Arc<DeckState>)>,
    ) -> Self {
        Self { loaded, by_id: Arc::new(decks.into_iter().collect()) }
    }

    /// One of them.
    pub fn get(&self, deck_id: &str) -> Option<&Arc<DeckState>> {
        self.by_id.get(deck_id)
    }

    /// The one that is loaded.
    pub fn loaded(&self) -> Option<&Arc<DeckState>> {
        self.get(self.loaded.as_deref()?)
    }

    /// All of them, in the order of their ids.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Arc<DeckState>> {
        self.by_id.values()
    }

    /// Takes in what an epoch staged.
    ///
    /// # Errors
    /// It does not follow from what happened before; nothing has changed then.
    pub fn take(&mut self, line: &DeckLedgerEvent) -> Result<(), DeckLineError> {
        let deck_id = line.deck_id();
        let Some(event) = deck_event(line)? else {
            if !self.by_id.contains_key(deck_id) {
                return Err(DeckLineError::UnknownDeck(deck_id.to_owned()));
            }
            self.loaded = Some(deck_id.to_owned());
            return Ok(());
        };
        let decks = Arc::make_mut(&mut self.by_id);
        if matches!(event, DeckEvent::Created { .. }) {
            decks.insert(deck_id.to_owned(), Arc::new(DeckState::begin(&event)?));
            return Ok(());
        }
        let unknown = || DeckLineError::UnknownDeck(deck_id.to_owned());
        Arc::make_mut(decks.get_mut(deck_id).ok_or_else(unknown)?).apply(&event)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use abide_deck::{Deck, DeckActor, DeckCommand, DeckOp, create_deck, decide};
    use abide_domain::event::Event;

    use super::{AgentDecks, deck_event, deck_line};

    fn named(name: &str) -> Deck {
        let mut deck = Deck::default();
        name.clone_into(&mut deck.name);
        deck
    }

    #[test]
    fn what_happens_becomes_a_line_and_comes_back() {
        let ada = DeckActor::Person("ada".into());
        let created = create_deck(&ada, "d1", named("Elves")).unwrap();
        let Event::Deck(line) = deck_line("d1", &created).unwrap() else { panic!("no deck") };
        assert_eq!(deck_event(&line).unwrap().as_ref(), Some(&created));
        let mut decks = AgentDecks::default();
        decks.take(&line).unwrap();
        assert!(decks.loaded().is_none());

        let rename = DeckOp::Rename { name: "Goblins".into() };
        let command = DeckCommand::Edit { deck_rev: 1, ops: vec![rename] };
        let edited = decide(decks.get("d1").unwrap(), &ada, &command).unwrap();
        let Event::Deck(line) = deck_line("d1", &edited).unwrap() else { panic!("no deck") };
        assert_eq!(deck_event(&line).unwrap().as_ref(), Some(&edited));
        decks.take(&line).unwrap();
        assert_eq!(decks.get("d1").unwrap().deck.name, "Goblins");
        assert!(decks.take(&line).is_err(), "a revision is made once");
        assert_eq!(decks.all().len(), 1);
    }

    #[test]
    fn what_is_too_long_is_no_line() {
        let felix = DeckActor::Agent("felix".into());
        let created = create_deck(&felix, "d1", named(&"x".repeat(2 << 20))).unwrap();
        let error = deck_line("d1", &created).unwrap_err().to_string();
        assert!(error.contains("too many"), "{error}");
    }
}
