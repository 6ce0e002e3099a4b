//! The Dreamer's part in an epoch: it explores once when the epoch opens, over one agent's memory and nothing else.
//!
//! Reading order: [`explore_memory`] (the exploration), [`AgentQueries`] (the eight queries that the Dreamer is given in place
//! of the store), [`MemoryReferences`] (what was found, looked up again).

use abide_domain::{
    Clock, Sharing,
    envelope::StimulusEnvelope,
    event::{Exploration, MemoryRef},
};
use abide_memory::{
    ExplorationPace, GraphQuery, KnowledgeError, KnowledgeHandle, Lead, Listener, MemoryQueries,
    Origin, QueryResult, ReferenceLookup, ReferencedItem, explore,
};

use crate::{
    agent_setup::{AgentSetup, DreamerSetup},
    memory_access::MemoryAccess,
};

/// Explores what in an agent's memory bears on a stimulus.
pub(crate) async fn explore_memory(
    agent: &AgentSetup,
    (envelope, sharing): (&StimulusEnvelope, Sharing),
    clock: &dyn Clock,
) -> Exploration {
    warm(agent).await;
    let DreamerSetup { explorer, embedder } = agent.dreamer.clone();
    let embedded = MemoryAccess::new(agent.facts.clone(), embedder).embed(&envelope.content).await;
    // The one place where it is decided what the Dreamer may see: all that is told to whoever hears the answer.
    let session = envelope.session();
    let (channel, sender) = (envelope.channel, envelope.sender.as_str());
    let listener = Listener::of(sharing, Origin { channel, session: &session, sender });
    let lead = Lead {
        listener,
        now: envelope.timestamp,
        said: &envelope.content,
        asker: Some(&envelope.sender),
        meaning: embedded.as_ref().map(|embedded| embedded.meaning()),
    };
    let queries = AgentQueries { knowledge: &agent.facts, lead };
    explore(envelope, &queries, &ExplorationPace::of(clock), explorer.as_deref()).await
}

/// Reads the indexes of an agent that was not asked since the start, on a blocking thread: with a large memory that takes
/// some hundred milliseconds, which must not count as exploration time.
async fn warm(agent: &AgentSetup) {
    if agent.facts.is_warm() {
        return;
    }
    let knowledge = agent.facts.clone();
    let warmed = tokio::task::spawn_blocking(move || knowledge.warm()).await;
    if let Ok(Err(error)) = warmed {
        tracing::warn!(agent = %agent.id, event = "memory_indexes_unreadable", %error,
            "the memory indexes could not be read");
    }
}

/// The queries over one agent's memory.
struct AgentQueries<'a> {
    knowledge: &'a KnowledgeHandle,
    lead: Lead<'a>,
}

impl MemoryQueries for AgentQueries<'_> {
    fn ask(&self, query: &GraphQuery) -> QueryResult {
        self.knowledge.ask(query, &self.lead)
    }
}

/// Looks up what the references of one agent's explorations name; without a store, nothing.
#[derive(Clone, Debug)]
pub struct MemoryReferences(pub Option<KnowledgeHandle>);

impl ReferenceLookup for MemoryReferences {
    fn resolve(&self, reference: MemoryRef) -> Result<Option<ReferencedItem>, KnowledgeError> {
        match &self.0 {
            Some(knowledge) => knowledge.resolve(reference),
            None => Ok(None),
        }
    }
}
