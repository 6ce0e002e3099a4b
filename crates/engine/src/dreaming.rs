//! The Dreamer's place on the walk: it explores once when an epoch opens, over one agent's memory and nothing else.
//!
//! Reading order: [`Dreaming`] (what an agent dreams with), [`dream`] (the exploration), [`Past`] (the eight queries and
//! the looking-up that the Dreamer is given in place of the store).

use std::sync::Arc;

use abide_domain::{
    Clock,
    envelope::StimulusEnvelope,
    event::{Exploration, MemoryRef},
};
use abide_memory::{
    Embedder, ExplorationPace, Explorer, GraphQuery, KnowledgeError, KnowledgeHandle, Lead,
    MemoryQueries, QueryResult, ReferenceLookup, ReferencedItem, explore,
};

use crate::{recollection::MemoryAccess, services::AgentSetup};

/// What an agent dreams with. By default the plan steers, and words decide.
#[derive(Clone, Debug, Default)]
pub struct Dreaming {
    /// Steers the exploration in place of the plan.
    pub explorer: Option<Arc<dyn Explorer>>,
    /// Finds by meaning what words miss.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// Explores what a stimulus calls up.
pub(crate) async fn dream(
    agent: &AgentSetup,
    envelope: &StimulusEnvelope,
    clock: &dyn Clock,
) -> Exploration {
    warm(agent).await;
    let Dreaming { explorer, embedder } = agent.dreaming.clone();
    let embedded = MemoryAccess::new(agent.facts.clone(), embedder).embed(&envelope.content).await;
    let lead = Lead {
        now: envelope.timestamp,
        said: &envelope.content,
        asker: Some(&envelope.sender),
        meaning: embedded.as_ref().map(|embedded| embedded.meaning()),
    };
    let past = Past { knowledge: &agent.facts, lead };
    explore(envelope, &past, &ExplorationPace::of(clock), explorer.as_deref()).await
}

/// Reads the indexes of an agent that was not asked since the start, away from the thread that serves everybody: a long
/// past takes some hundred milliseconds, which must not count as the Dreamer's.
async fn warm(agent: &AgentSetup) {
    if agent.facts.is_warm() {
        return;
    }
    let knowledge = agent.facts.clone();
    let warmed = tokio::task::spawn_blocking(move || knowledge.warm()).await;
    if let Ok(Err(error)) = warmed {
        tracing::warn!(agent = %agent.id, %error, "the indexes of memory cannot be read");
    }
}

/// One agent's past, as the Dreamer may see it.
struct Past<'a> {
    knowledge: &'a KnowledgeHandle,
    lead: Lead<'a>,
}

impl MemoryQueries for Past<'_> {
    fn ask(&self, query: &GraphQuery) -> QueryResult {
        self.knowledge.ask(query, &self.lead)
    }
}

/// What references of one agent's explorations name; without a store, nothing.
#[derive(Clone, Debug)]
pub struct References(pub Option<KnowledgeHandle>);

impl ReferenceLookup for References {
    fn resolve(&self, reference: MemoryRef) -> Result<Option<ReferencedItem>, KnowledgeError> {
        match &self.0 {
            Some(knowledge) => knowledge.resolve(reference),
            None => Ok(None),
        }
    }
}
