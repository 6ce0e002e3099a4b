//! A life as events, folded into a real memory the way the keeper does it.

use std::sync::Arc;

use abide_domain::{
    EntityName, EpochId, FactId, Timestamp,
    envelope::Channel,
    event::{
        EpochCommitted, EpochOpened, Event, FactForgotten, FactRemembered, StimulusAccepted,
        TurnCompleted, UsageRecord, VoiceRecord,
    },
};
use abide_memory::{DurableEvent, Knowledge, KnowledgeHandle};
use uuid::Uuid;

use super::life::{Change, Exchange, Life};
use crate::error::BenchError;

/// Events that are handed in at once.
const BATCH_EVENTS: usize = 256;

/// A durable event, owned.
#[derive(Debug)]
struct OwnedEvent {
    seq: u64,
    at: Timestamp,
    author: EntityName,
    epoch: Option<EpochId>,
    event: Event,
}

/// A ledger of one agent, in memory.
#[derive(Debug)]
struct EventList {
    agent: EntityName,
    keeper: EntityName,
    written: Vec<OwnedEvent>,
}

/// The epoch of an exchange, by its place.
pub(super) fn epoch_of(place: usize) -> EpochId {
    EpochId::from_uuid(numbered(1, place))
}

/// The id of a fact, by its number.
pub(super) fn fact_of(number: usize) -> FactId {
    FactId::from_uuid(numbered(2, number))
}

/// An id that sorts by its number.
fn numbered(kind: u64, number: usize) -> Uuid {
    Uuid::from_u64_pair(kind, u64::try_from(number).unwrap_or_default())
}

/// The memory of an agent that lived it.
pub(super) fn memory(life: &Life) -> Result<KnowledgeHandle, BenchError> {
    let agent: EntityName = "@felix".parse().map_err(BenchError::of("name an agent"))?;
    let mut lines =
        EventList { agent: agent.clone(), keeper: EntityName::keeper(), written: Vec::new() };
    for (place, exchange) in life.exchanges.iter().enumerate() {
        lines.live(place, exchange)?;
    }
    let knowledge = Knowledge::in_memory(&agent).map_err(BenchError::of("open a memory"))?;
    let handle = KnowledgeHandle::new(knowledge).map_err(BenchError::of("open a memory"))?;
    for some in lines.written.chunks(BATCH_EVENTS) {
        let batch: Vec<DurableEvent<'_>> = some.iter().map(|line| line.applied(&agent)).collect();
        handle.apply(&batch).map_err(BenchError::of("remember"))?;
    }
    Ok(handle)
}

impl OwnedEvent {
    fn applied<'a>(&'a self, entity: &'a EntityName) -> DurableEvent<'a> {
        let Self { seq, at, author, epoch, event } = self;
        DurableEvent { seq: *seq, at: *at, entity, author, epoch: *epoch, event }
    }
}

impl EventList {
    fn push(
        &mut self,
        author: &EntityName,
        at: Timestamp,
        epoch: EpochId,
        event: impl Into<Event>,
    ) {
        let seq = u64::try_from(self.written.len()).unwrap_or_default() + 1;
        let (author, epoch, event) = (author.clone(), Some(epoch), event.into());
        self.written.push(OwnedEvent { seq, at, author, epoch, event });
    }

    /// One epoch: what was said, what was answered, what was learnt.
    fn live(&mut self, place: usize, exchange: &Exchange) -> Result<(), BenchError> {
        let (epoch, at) = (epoch_of(place), exchange.at);
        let (keeper, agent) = (self.keeper.clone(), self.agent.clone());
        let sender =
            EntityName::sender(&exchange.sender).map_err(BenchError::of("name a sender"))?;
        self.push(&keeper, at, epoch, accepted(exchange));
        self.push(&keeper, at, epoch, EpochOpened { last_output: None });
        self.push(&agent, at, epoch, answered(&exchange.replied));
        match &exchange.change {
            Some(Change::Learn { fact, content, is_of_project, supersedes }) => {
                let learnt = FactRemembered {
                    fact_id: fact_of(*fact),
                    content: content.clone(),
                    category: if *is_of_project { "project" } else { "user" }.into(),
                    tags: Vec::new(),
                    confidence: 0.9,
                    told_by: Some(sender),
                    untrusted: false,
                    sources: Vec::new(),
                    supersedes: supersedes.map(fact_of),
                    valid_from: None,
                };
                self.push(&agent, at, epoch, learnt);
            }
            Some(Change::Forget { fact }) => {
                let reason = Some("taken back".to_owned());
                self.push(&agent, at, epoch, FactForgotten { fact_id: fact_of(*fact), reason });
            }
            None => {}
        }
        self.push(&agent, at, epoch, EpochCommitted { turn: 1 });
        Ok(())
    }
}

fn accepted(exchange: &Exchange) -> StimulusAccepted {
    StimulusAccepted {
        content: Arc::from(exchange.said.as_str()),
        sender: exchange.sender.as_str().into(),
        channel: Channel::Api,
        sent_at: exchange.at,
        sender_zone: None,
        session_id: format!("api:{}", exchange.sender),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    }
}

fn answered(words: &str) -> TurnCompleted {
    let voice = VoiceRecord {
        thought: String::new(),
        emotive_state: "neutral".into(),
        tool_calls: Vec::new(),
        final_response: Some(words.to_owned()),
    };
    TurnCompleted { turn: 1, attempt: 1, voice, usage: UsageRecord::default() }
}
