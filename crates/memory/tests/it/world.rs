//! A small ledger in memory: events with stamps, made in one line each.

use abide_domain::{
    EntityName, EpochId, FactId, Timestamp,
    envelope::Channel,
    event::{
        AbortCode, EdgeRecorded, EpochAborted, EpochCommitted, Event, FactForgotten,
        FactRemembered, IdentityChanged, IdentitySource, MemoryReset, NodeClosed, NodeRecorded,
        StimulusAccepted, TurnCompleted, UsageRecord, VoiceRecord,
    },
    graph::{EdgeKind, Node},
};
use abide_memory::{DurableEvent, KnowledgeHandle, Lead, Lookup};
use uuid::Uuid;

/// Microseconds of the first event.
pub(crate) const START: i64 = 1_800_000_000_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Line {
    seq: u64,
    at: Timestamp,
    entity: EntityName,
    author: EntityName,
    epoch: Option<EpochId>,
    event: Event,
}

impl Line {
    pub(crate) fn applied(&self) -> DurableEvent<'_> {
        let Self { seq, at, entity, author, epoch, event } = self;
        DurableEvent { seq: *seq, at: *at, entity, author, epoch: *epoch, event }
    }
}

/// The ledger of a test. Each event comes a second after the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) lines: Vec<Line>,
    /// When the next stimuli were sent; an hour before the first event, where nothing is said.
    pub(crate) sent_at: Option<Timestamp>,
}

pub(crate) fn entity(name: &str) -> EntityName {
    format!("@{name}").parse().unwrap()
}

pub(crate) fn felix() -> EntityName {
    entity("felix")
}

pub(crate) fn epoch(n: u64) -> EpochId {
    EpochId::from_uuid(Uuid::from_u64_pair(0xE, n))
}

pub(crate) fn fact_id(n: u64) -> FactId {
    FactId::from_uuid(Uuid::from_u64_pair(0xF, n))
}

impl World {
    pub(crate) fn head(&self) -> u64 {
        self.lines.len() as u64
    }

    pub(crate) fn push(&mut self, who: &str, epoch: Option<EpochId>, event: impl Into<Event>) {
        let seq = self.head() + 1;
        let at = Timestamp::from_micros(START + i64::try_from(seq).unwrap() * 1_000_000);
        let (entity, author) = (entity(who), entity(if epoch.is_some() { who } else { "nicolas" }));
        self.lines.push(Line { seq, at, entity, author, epoch, event: event.into() });
    }

    pub(crate) fn remember(&mut self, epoch: Option<EpochId>, id: FactId, content: &str) {
        self.push("felix", epoch, remembered(id, content));
    }

    pub(crate) fn forget(&mut self, epoch: Option<EpochId>, fact_id: FactId) {
        self.push("felix", epoch, FactForgotten { fact_id, reason: None });
    }

    pub(crate) fn commit(&mut self, epoch: EpochId) {
        self.push("felix", Some(epoch), EpochCommitted { turn: 1 });
    }

    pub(crate) fn abort(&mut self, epoch: EpochId) {
        let aborted = EpochAborted { code: AbortCode::Cancelled, message: "test".into() };
        self.push("felix", Some(epoch), aborted);
    }

    pub(crate) fn accept(&mut self, epoch: EpochId, session: &str, content: &str) {
        self.accept_from("felix", epoch, ("nicolas", session), content);
    }

    /// A stimulus to an agent, from a sender in a session.
    pub(crate) fn accept_from(
        &mut self,
        agent: &str,
        epoch: EpochId,
        (sender, session): (&str, &str),
        content: &str,
    ) {
        let sent_at = self.sent_at.unwrap_or(Timestamp::from_micros(START - 3_600_000_000));
        let accepted = StimulusAccepted {
            content: content.into(),
            sender: sender.into(),
            channel: Channel::Direct,
            sent_at,
            sender_zone: None,
            session_id: session.into(),
            interactive: false,
            administrator: false,
            idempotency: None,
            claimed_output: None,
            cause: None,
        };
        self.push(agent, Some(epoch), accepted);
    }

    /// A whole committed epoch of an agent with a sender, who feels something at its end; gives the commit's sequence.
    pub(crate) fn talk(
        &mut self,
        (agent, n): (&str, u64),
        sender: &str,
        (said, answered): (&str, &str),
        felt: &str,
    ) -> u64 {
        let id = epoch(n);
        self.accept_from(agent, id, (sender, &format!("direct:{sender}")), said);
        let voice = VoiceRecord {
            thought: "hm".into(),
            emotive_state: felt.into(),
            tool_calls: vec![],
            final_response: Some(answered.into()),
        };
        let usage = UsageRecord::default();
        self.push(agent, Some(id), TurnCompleted { turn: 1, attempt: 1, voice, usage });
        self.push(agent, Some(id), EpochCommitted { turn: 1 });
        self.head()
    }

    /// Records a node; gives its sequence.
    pub(crate) fn node(
        &mut self,
        agent: &str,
        epoch: Option<EpochId>,
        (id, valid_from): (&str, Option<Timestamp>),
        node: Node,
    ) -> u64 {
        let node_id = id.parse().unwrap();
        self.push(agent, epoch, NodeRecorded { node_id, node, valid_from, sources: vec![] });
        self.head()
    }

    pub(crate) fn close_node(&mut self, agent: &str, epoch: Option<EpochId>, id: &str) {
        let node_id = id.parse().unwrap();
        self.push(agent, epoch, NodeClosed { node_id, valid_to: None, reason: None });
    }

    pub(crate) fn link(&mut self, agent: &str, (from, edge, to): (&str, EdgeKind, &str)) {
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        let edge = EdgeRecorded { from, edge, to, dependency_type: None, valid_from: None };
        self.push(agent, None, edge);
    }

    pub(crate) fn answer(&mut self, epoch: EpochId, turn: u32, attempt: u32, text: Option<&str>) {
        let voice = VoiceRecord {
            thought: "hm".into(),
            emotive_state: "neutral".into(),
            tool_calls: vec![],
            final_response: text.map(Into::into),
        };
        let usage = UsageRecord::default();
        self.push("felix", Some(epoch), TurnCompleted { turn, attempt, voice, usage });
    }

    /// A whole committed epoch of one turn.
    pub(crate) fn exchange(&mut self, n: u64, session: &str, said: &str, answered: &str) {
        self.accept(epoch(n), session, said);
        self.answer(epoch(n), 1, 1, Some(answered));
        self.commit(epoch(n));
    }

    pub(crate) fn reset(&mut self, epoch: Option<EpochId>, through_seq: u64) {
        self.push("felix", epoch, MemoryReset { through_seq, epochs: 0 });
    }

    pub(crate) fn identity(&mut self, epoch: Option<EpochId>, version: u64, content: &str) {
        let source = IdentitySource::Person;
        self.push(
            "felix",
            epoch,
            IdentityChanged { version, content: content.into(), source, restores: None },
        );
    }

    pub(crate) fn applied(&self) -> Vec<DurableEvent<'_>> {
        self.lines.iter().map(Line::applied).collect()
    }
}

pub(crate) fn remembered(fact_id: FactId, content: &str) -> FactRemembered {
    FactRemembered {
        fact_id,
        content: content.into(),
        category: "project".into(),
        tags: vec!["test".into()],
        confidence: 0.5,
        told_by: None,
        untrusted: false,
        sources: Vec::new(),
        supersedes: None,
        valid_from: None,
    }
}

/// Facts that a search finds.
pub(crate) fn search(knowledge: &KnowledgeHandle, words: &str, limit: usize) -> Lookup {
    knowledge.search_facts(words, &Lead::at(Timestamp::from_micros(START)), limit)
}
