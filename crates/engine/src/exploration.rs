//! The Dreamer's part in an epoch: it explores once when the epoch opens, over one agent's memory and nothing else.
//!
//! Reading order: [`explore_memory`] (the exploration), [`AgentQueries`] (the eight queries that the Dreamer is given in place
//! of the store), [`MemoryReferences`] (what was found, looked up again).

use abide_domain::{
    Clock, EpochId, Sharing,
    envelope::StimulusEnvelope,
    event::{Exploration, MemoryRef},
};
use abide_memory::{
    ExplorationPace, GraphQuery, KnowledgeError, KnowledgeHandle, Lead, Listener, MemoryQueries,
    Origin, PassageOrder, QueryResult, ReferenceLookup, ReferencedItem, explore,
};

use crate::{
    agent_setup::{AgentSetup, DreamerSetup},
    memory_access::MemoryAccess,
    passage_ranker::{PassageRanker, RankingTask},
};

/// Explores what in an agent's memory bears on a stimulus.
pub(crate) async fn explore_memory(
    agent: &AgentSetup,
    (epoch, envelope, sharing): (EpochId, &StimulusEnvelope, Sharing),
    clock: &dyn Clock,
) -> Exploration {
    warm(agent).await;
    let DreamerSetup { explorer, embedder, ranker } = agent.dreamer.clone();
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
        order: None,
    };
    let order = match &ranker {
        Some(ranker) => own_order(agent, &**ranker, (epoch, &lead)).await,
        None => None,
    };
    let lead = Lead { order: order.as_ref(), ..lead };
    let queries = AgentQueries { knowledge: &agent.facts, lead };
    explore(envelope, &queries, &ExplorationPace::of(clock), explorer.as_deref()).await
}

/// The order in which the agent's own rule wants what the stimulus finds; none where it has no rule, or none in time.
async fn own_order(
    agent: &AgentSetup,
    ranker: &dyn PassageRanker,
    (epoch, lead): (EpochId, &Lead<'_>),
) -> Option<PassageOrder> {
    if !ranker.is_active(&agent.id) {
        return None;
    }
    let passages = match agent.facts.rankable_passages(lead.said, lead, None) {
        Ok(passages) => passages,
        Err(error) => {
            tracing::warn!(agent = %agent.id, event = "passages_unranked", %error,
                "the passages for the agent's own rule could not be read; they stand as they were found");
            return None;
        }
    };
    let task = RankingTask {
        agent: &agent.id,
        epoch,
        question: lead.said,
        asker: lead.asker.unwrap_or_default(),
        now: lead.now,
        passages: &passages,
    };
    let rows = ranker.rank(task).await?;
    Some(PassageOrder { question: lead.said.to_owned(), rows })
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
