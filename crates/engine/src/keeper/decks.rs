//! Decks as people change them: each change is one line, decided by the crate `deck` on the deck as it is when it is written.
//!
//! One person's change at a time; whoever acted on an older revision is merged or answered with what changed.

use std::sync::Arc;

use abide_deck::{
    Deck, DeckActor, DeckCommand, DeckError, DeckEvent, DeckState, create_deck, decide, fork_deck,
    limits::DECKS_MAX,
};
use abide_domain::{
    AgentId, EntityName,
    event::{DeckAuthor, DeckLoaded, Event},
};
use abide_ledger::Draft;
use abide_tools::{DeckLineError, deck_line};

use super::{Keeper, OrderError};
use crate::state::DeckRecord;

/// Says why a deck was not made or changed. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum DeckOrderError {
    /// There is no such deck, proposal or agent, or it could not be written.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The deck does not allow it; with the deck as it is.
    #[error("{error}")]
    Refused {
        /// Why.
        error: DeckError,
        /// The deck, where it is about one.
        state: Option<Arc<DeckState>>,
    },
    /// It cannot be written in one line.
    #[error(transparent)]
    Line(#[from] DeckLineError),
    /// There are as many decks as may be.
    #[error("there are {DECKS_MAX} decks, and there can be no more")]
    TooMany,
}

impl From<DeckError> for DeckOrderError {
    fn from(error: DeckError) -> Self {
        Self::Refused { error, state: None }
    }
}

/// The person of a name, as decks have it.
fn person(by: &EntityName) -> DeckActor {
    DeckActor::Person(by.bare().to_owned())
}

impl Keeper {
    /// Makes a deck, and loads it for an agent where one is given. Returns it once it is durable.
    pub async fn create_deck(
        &self,
        deck: Deck,
        load_for: Option<&AgentId>,
        by: EntityName,
    ) -> Result<DeckRecord, DeckOrderError> {
        let _turn = self.edit_turn().await?;
        let deck_id = self.new_deck_id()?;
        let event = create_deck(&person(&by), &deck_id, deck)?;
        self.write_deck((&deck_id, &event), load_for, by).await
    }

    /// Makes a deck out of a revision of another one; none: its newest.
    pub async fn fork_deck(
        &self,
        (source, rev): (&str, Option<u64>),
        name: &str,
        by: EntityName,
    ) -> Result<DeckRecord, DeckOrderError> {
        let _turn = self.edit_turn().await?;
        let deck_id = self.new_deck_id()?;
        let state = self.deck(source)?.state;
        let refused = |error| DeckOrderError::Refused { error, state: Some(Arc::clone(&state)) };
        let rev = rev.unwrap_or(state.rev);
        let mut event = fork_deck(&state, &person(&by), rev, &deck_id).map_err(refused)?;
        if let DeckEvent::Created { deck, .. } = &mut event {
            name.clone_into(&mut deck.name);
        }
        self.write_deck((&deck_id, &event), None, by).await
    }

    /// Loads a deck for an agent. One that is loaded already is not loaded again.
    pub async fn load_deck(
        &self,
        agent: &AgentId,
        deck_id: &str,
        by: EntityName,
    ) -> Result<DeckRecord, DeckOrderError> {
        self.agent_or_error(agent)?;
        let _turn = self.edit_turn().await?;
        let record = self.deck(deck_id)?;
        let loaded = self.loaded_deck(agent).map(|loaded| loaded.state.id.clone());
        if loaded.as_deref() == Some(deck_id) {
            return Ok(record);
        }
        self.write_drafts(vec![loaded_draft(agent, deck_id, &by)]).await?;
        self.deck(deck_id).map_err(Into::into)
    }

    /// Does what a person wants of a deck, as it is now. Returns it once that is durable.
    pub async fn change_deck(
        &self,
        deck_id: &str,
        command: &DeckCommand,
        by: EntityName,
    ) -> Result<DeckRecord, DeckOrderError> {
        let _turn = self.edit_turn().await?;
        let state = self.deck(deck_id)?.state;
        let event = decide(&state, &person(&by), command);
        let event = event.map_err(|error| DeckOrderError::Refused { error, state: Some(state) })?;
        self.write_deck((deck_id, &event), None, by).await
    }

    /// One deck, as it is now.
    pub fn deck(&self, deck_id: &str) -> Result<DeckRecord, OrderError> {
        let record = self.state().decks.get(deck_id).cloned();
        record.ok_or_else(|| OrderError::NotFound { what: "deck", id: deck_id.to_owned() })
    }

    /// The deck that has a proposal.
    pub fn deck_of_proposal(&self, proposal_id: &str) -> Result<DeckRecord, OrderError> {
        let record = self.state().decks.with_proposal(proposal_id).cloned();
        let id = proposal_id.to_owned();
        record.ok_or(OrderError::NotFound { what: "proposal for a deck", id })
    }

    /// The deck that an agent works with.
    pub fn loaded_deck(&self, agent: &AgentId) -> Option<DeckRecord> {
        self.state().decks.loaded(agent).cloned()
    }

    fn new_deck_id(&self) -> Result<String, DeckOrderError> {
        if self.state().decks.all().len() >= DECKS_MAX {
            return Err(DeckOrderError::TooMany);
        }
        let services = self.services();
        Ok(services.ids.uuid(services.now()).to_string())
    }

    async fn write_deck(
        &self,
        (deck_id, event): (&str, &DeckEvent),
        load_for: Option<&AgentId>,
        by: EntityName,
    ) -> Result<DeckRecord, DeckOrderError> {
        let line = deck_line(deck_id, event)?;
        let author = by.clone();
        let draft = Draft { entity: EntityName::keeper(), author, epoch: None, event: line };
        let loaded = load_for.map(|agent| loaded_draft(agent, deck_id, &by));
        self.write_drafts([draft].into_iter().chain(loaded).collect()).await?;
        self.deck(deck_id).map_err(Into::into)
    }

    async fn write_drafts(&self, drafts: Vec<Draft>) -> Result<(), OrderError> {
        let services = self.services();
        let appended = services.ledger.append(drafts).await?;
        services.view.applied(appended.last_seq).await;
        Ok(())
    }
}

fn loaded_draft(agent: &AgentId, deck_id: &str, by: &EntityName) -> Draft {
    let who = DeckAuthor { who: "person".to_owned(), name: by.bare().to_owned() };
    let event = Event::from(DeckLoaded { deck_id: deck_id.to_owned(), by: who });
    Draft { entity: agent.entity(), author: by.clone(), epoch: None, event }
}
