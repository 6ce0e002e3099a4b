//! Edits of memory that belong to no epoch: a person's facts, graph, identity and dreams.
//!
//! Each is checked against what is in force and then written as events, all of one edit in one batch; nothing is ever
//! overwritten or deleted. One edit at a time, so that what was checked still holds when it is written. What an epoch
//! stages comes in through its tools instead.

use abide_domain::{
    AgentId, EntityName, FactId, ProposalId,
    event::{
        Decision, DreamForgotten, EdgeClosed, Event, FactRemembered, IdentityChanged,
        IdentityDecided, IdentitySource, MemoryEvent, NodeClosed,
    },
    graph::{EdgeKind, NodeId},
    is_blank,
    limits::FACT_CHARS_MAX,
};
use abide_ledger::Draft;
use abide_memory::{
    GraphChange, GraphLine, GraphLineError, IdentityRule, SeedError, check_graph, check_identity,
};
use tokio::sync::SemaphorePermit;

use super::{Keeper, OrderError};
use crate::ledger_reads::read_event;

/// Characters of a name that an error repeats.
const ID_CHARS_MAX: usize = 64;

/// Why an edit of the graph was refused.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// Lines break rules; nothing was written.
    #[error("{} lines of the graph are invalid; nothing was written", problems.len())]
    Invalid {
        /// All that is wrong, by line and path.
        problems: Vec<GraphLineError>,
    },
    /// It could not be carried out.
    #[error(transparent)]
    Order(#[from] OrderError),
}

/// The result of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedResult {
    /// The last sequence that is in force with it.
    pub seq: u64,
    /// Nodes that were recorded.
    pub nodes: usize,
    /// Edges that were recorded.
    pub edges: usize,
    /// Lines that said what was in force already.
    pub unchanged: usize,
}

/// A fact that a person adds.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFact {
    /// The statement.
    pub content: String,
    /// `user`, `project` or `world`.
    pub category: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The fact that it takes the place of.
    pub supersedes: Option<FactId>,
}

impl Keeper {
    /// Remembers a fact that a person adds, and gives its id.
    pub async fn remember_fact(
        &self,
        agent: &AgentId,
        fact: NewFact,
        by: EntityName,
    ) -> Result<FactId, OrderError> {
        let NewFact { content, category, tags, supersedes } = fact;
        let content = content.trim().to_owned();
        if is_blank(&content) || content.chars().count() > FACT_CHARS_MAX {
            let message = format!("a fact must have 1 to {FACT_CHARS_MAX} characters");
            return Err(OrderError::Invalid(message));
        }
        let _turn = self.edit_turn().await?;
        if let Some(older) = supersedes {
            self.fact_in_force(agent, older)?;
        }
        let services = self.services();
        let fact_id = FactId::new(&*services.ids, services.now());
        let event = FactRemembered {
            fact_id,
            content,
            category,
            tags,
            confidence: 1.0,
            told_by: None,
            untrusted: false,
            sources: Vec::new(),
            supersedes,
            valid_from: None,
        };
        self.append(agent, event, by).await?;
        Ok(fact_id)
    }

    fn fact_in_force(&self, agent: &AgentId, fact_id: FactId) -> Result<(), OrderError> {
        let known = self.agent_or_error(agent)?.facts.get(fact_id);
        let fact = known.map_err(|error| unreadable(&error))?;
        match fact.filter(|fact| fact.valid_to.is_none()) {
            Some(_) => Ok(()),
            None => Err(OrderError::NotFound { what: "fact", id: fact_id.to_string() }),
        }
    }

    /// Records nodes and edges in one batch: all of them or, where one does not fit, none. What is in force already is
    /// not written again.
    pub async fn seed_graph(
        &self,
        agent: &AgentId,
        lines: Vec<GraphLine>,
        by: EntityName,
    ) -> Result<SeedResult, GraphError> {
        let _turn = self.edit_turn().await?;
        let memory = &self.agent_or_error(agent)?.facts;
        let mut problems = self.foreign_sources(agent, &lines);
        let news = match check_graph(lines, memory, self.services().now()) {
            Ok(news) => news,
            Err(SeedError::Failed(message)) => return Err(OrderError::Unreadable(message).into()),
            Err(SeedError::Invalid(invalid)) => {
                problems.extend(invalid);
                problems.sort_by_key(|problem| problem.line);
                return Err(GraphError::Invalid { problems });
            }
        };
        if !problems.is_empty() {
            return Err(GraphError::Invalid { problems });
        }
        let nodes = news.changes.iter().filter(|c| matches!(c, GraphChange::Node(_))).count();
        let (edges, unchanged) = (news.changes.len() - nodes, news.unchanged);
        let events: Vec<Event> = news.changes.into_iter().map(Event::from).collect();
        let seq = match self.append_all(agent, events, by).await? {
            Some(seq) => seq,
            None => self.state().seq,
        };
        Ok(SeedResult { seq, nodes, edges, unchanged })
    }

    /// Sources that are no epochs of this agent: nothing may be traced to another agent's epochs.
    fn foreign_sources(&self, agent: &AgentId, lines: &[GraphLine]) -> Vec<GraphLineError> {
        let state = self.state();
        let is_own = |epoch| state.epochs.get(epoch).is_some_and(|span| span.agent == *agent);
        let mut problems = Vec::new();
        for GraphLine { line, change } in lines {
            let GraphChange::Node(node) = change else { continue };
            let foreign = node.sources.iter().enumerate().filter(|(_, epoch)| !is_own(epoch));
            problems.extend(foreign.map(|(at, epoch)| GraphLineError {
                line: *line,
                path: format!("/sources/{at}"),
                message: format!("`{epoch}` is not an epoch of {agent}"),
            }));
        }
        problems
    }

    /// Closes a node. Its edges hold no longer either.
    pub async fn close_node(
        &self,
        agent: &AgentId,
        node_id: NodeId,
        reason: Option<String>,
        by: EntityName,
    ) -> Result<u64, OrderError> {
        let _turn = self.edit_turn().await?;
        let known = self.agent_or_error(agent)?.facts.node(&node_id);
        if known.map_err(|error| unreadable(&error))?.is_none() {
            return Err(OrderError::NotFound { what: "node", id: node_id.to_string() });
        }
        let event = NodeClosed { node_id, valid_to: None, reason };
        Ok(self.append(agent, event, by).await?.last_seq)
    }

    /// Closes an edge.
    pub async fn close_edge(
        &self,
        agent: &AgentId,
        (from, edge, to): (NodeId, EdgeKind, NodeId),
        reason: Option<String>,
        by: EntityName,
    ) -> Result<u64, OrderError> {
        let _turn = self.edit_turn().await?;
        let memory = &self.agent_or_error(agent)?.facts;
        let is_there = memory.is_edge_known(&from, edge, &to, None);
        if !is_there.map_err(|error| unreadable(&error))? {
            return Err(OrderError::NotFound { what: "edge", id: format!("{from} to {to}") });
        }
        Ok(self.append(agent, EdgeClosed { from, edge, to, reason }, by).await?.last_seq)
    }

    /// Replaces an agent's identity. A text that looks like an accident needs `force`.
    pub async fn set_identity(
        &self,
        agent: &AgentId,
        content: String,
        force: bool,
        by: EntityName,
    ) -> Result<u64, OrderError> {
        let rule = if force { IdentityRule::Forced } else { IdentityRule::Strict };
        check_identity(&content, rule).map_err(|error| OrderError::Invalid(error.to_string()))?;
        self.agent_or_error(agent)?;
        let _turn = self.edit_turn().await?;
        self.change_identity(agent, content, None, by).await
    }

    /// Brings an earlier version of an identity back, as a new version.
    pub async fn restore_identity(
        &self,
        agent: &AgentId,
        version: u64,
        by: EntityName,
    ) -> Result<u64, OrderError> {
        self.agent_or_error(agent)?;
        let _turn = self.edit_turn().await?;
        let content = self.identity_text(agent, version).await?;
        self.change_identity(agent, content, Some(version), by).await
    }

    /// The text of a version of an identity that was in force once.
    pub async fn identity_text(&self, agent: &AgentId, version: u64) -> Result<String, OrderError> {
        let seq = {
            let state = self.state();
            let identity = state.agents.get(agent).map(|agent_state| &agent_state.identity);
            identity.and_then(|identity| identity.version(version)).map(|known| known.text_seq)
        };
        let unknown = || OrderError::NotFound { what: "version", id: version.to_string() };
        let (seq, ledger) = (seq.ok_or_else(unknown)?, self.ledger().clone());
        let read = tokio::task::spawn_blocking(move || read_event(&ledger, seq)).await;
        let read = read.map_err(|error| unreadable(&error))?;
        match read.map_err(|error| unreadable(&error))? {
            Some(Event::Memory(MemoryEvent::IdentityChanged(changed))) => Ok(changed.content),
            Some(Event::Memory(MemoryEvent::IdentityProposed(proposed))) => Ok(proposed.content),
            _ => {
                Err(OrderError::Unreadable(format!("event {seq} of the ledger holds no identity")))
            }
        }
    }

    /// Decides on a version of the identity that waits. An approved one is in force once this returns; it gives its number.
    pub async fn decide_identity(
        &self,
        agent: &AgentId,
        proposal_id: ProposalId,
        (decision, reason): (Decision, Option<String>),
        by: EntityName,
    ) -> Result<Option<u64>, OrderError> {
        self.agent_or_error(agent)?;
        let _turn = self.edit_turn().await?;
        let version = {
            let state = self.state();
            let identity = state.agents.get(agent).map(|agent_state| &agent_state.identity);
            let waits =
                identity.and_then(|i| i.proposal()).filter(|p| p.proposal_id == proposal_id);
            let (Some(identity), Some(proposal)) = (identity, waits) else {
                let id = proposal_id.to_string();
                return Err(OrderError::NotFound { what: "proposal", id });
            };
            if decision == Decision::Approve {
                let rule = IdentityRule::Strict;
                let fits = check_identity(&proposal.content, rule);
                fits.map_err(|error| OrderError::Invalid(error.to_string()))?;
            }
            (decision == Decision::Approve).then(|| identity.next_version())
        };
        let event = IdentityDecided { proposal_id, decision, version, reason };
        self.append(agent, event, by).await?;
        Ok(version)
    }

    /// The text of a dream that is in the list.
    pub async fn dream_text(&self, agent: &AgentId, filename: &str) -> Result<String, OrderError> {
        let seq = self.dream(agent, filename)?;
        let ledger = self.ledger().clone();
        let read = tokio::task::spawn_blocking(move || read_event(&ledger, seq)).await;
        let read = read.map_err(|error| unreadable(&error))?;
        match read.map_err(|error| unreadable(&error))? {
            Some(Event::Memory(MemoryEvent::DreamWritten(dream))) => Ok(dream.content),
            _ => Err(OrderError::Unreadable(format!("event {seq} of the ledger holds no dream"))),
        }
    }

    /// Takes a dream out of the list.
    pub async fn forget_dream(
        &self,
        agent: &AgentId,
        filename: &str,
        reason: Option<String>,
        by: EntityName,
    ) -> Result<u64, OrderError> {
        let _turn = self.edit_turn().await?;
        self.dream(agent, filename)?;
        let event = DreamForgotten { filename: filename.to_owned(), reason };
        Ok(self.append(agent, event, by).await?.last_seq)
    }

    /// Where a dream of the list stands in the ledger. A name is matched against the list, never against the disk.
    fn dream(&self, agent: &AgentId, filename: &str) -> Result<u64, OrderError> {
        self.agent_or_error(agent)?;
        let state = self.state();
        let known =
            state.agents.get(agent).and_then(|agent_state| agent_state.dreams.get(filename));
        let id: String = filename.chars().take(ID_CHARS_MAX).collect();
        known.map(|dream| dream.seq).ok_or(OrderError::NotFound { what: "dream", id })
    }

    async fn change_identity(
        &self,
        agent: &AgentId,
        content: String,
        restores: Option<u64>,
        by: EntityName,
    ) -> Result<u64, OrderError> {
        let version = self
            .state()
            .agents
            .get(agent)
            .map_or(1, |agent_state| agent_state.identity.next_version());
        let event = IdentityChanged { version, content, source: IdentitySource::Person, restores };
        Ok(self.append(agent, event, by).await?.last_seq)
    }

    /// Waits until no other edit of memory is under way.
    pub(super) async fn edit_turn(&self) -> Result<SemaphorePermit<'_>, OrderError> {
        self.inner.services.edits.acquire().await.map_err(|_| OrderError::Stopping)
    }

    /// Appends events about an agent that belong to no epoch, all or none, and waits until all views show them. Gives
    /// the last one's sequence; none where there was nothing to append.
    pub(super) async fn append_all(
        &self,
        agent: &AgentId,
        events: Vec<Event>,
        author: EntityName,
    ) -> Result<Option<u64>, OrderError> {
        if events.is_empty() {
            return Ok(None);
        }
        let entity = agent.entity();
        let drafts = events.into_iter().map(|event| {
            let (entity, author) = (entity.clone(), author.clone());
            Draft { entity, author, epoch: None, event }
        });
        let services = self.services();
        let appended = services.ledger.append(drafts.collect()).await?;
        services.view.applied(appended.last_seq).await;
        Ok(Some(appended.last_seq))
    }
}

fn unreadable(error: &dyn std::error::Error) -> OrderError {
    OrderError::Unreadable(error.to_string())
}
