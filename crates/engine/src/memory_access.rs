//! What one agent remembers, to be looked up by words and, where an embedder is there, by meaning.
//!
//! It must never reach another agent's memory: it is made of one agent's store. A question waits for its embedding only so
//! long; then words alone decide, and the answer says so. Beside the walk: the tools and the API ask through it.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    EpochId, FactId,
    graph::{NodeId, NodeKind},
};
use abide_memory::{
    Embedder, FactRight, ForgetError, ForgetPlan, ForgetRequest, GraphQuery, KnowledgeHandle, Lead,
    Lookup, QueryResult, QuestionVector, RecalledPassage,
};
use abide_tools::{EdgeKey, MemoryLookup, MemoryQuestion};
use futures_util::future::BoxFuture;

use crate::agent_setup::AgentSetup;

/// How long a question waits for what it means.
const EMBED_MAX: Duration = Duration::from_millis(50);

/// Access to one agent's memory: for its tools, the Dreamer and the API.
#[derive(Clone, Debug)]
pub struct MemoryAccess {
    knowledge: KnowledgeHandle,
    embedder: Option<Arc<dyn Embedder>>,
    /// The identity in force and the number of its next version, for a mind that forgets.
    identity: Option<(u64, Arc<str>)>,
}

/// A vector and its model.
pub(crate) struct Embedded {
    model: String,
    vector: Vec<f32>,
}

impl Embedded {
    pub(crate) fn meaning(&self) -> QuestionVector<'_> {
        QuestionVector { model: &self.model, vector: &self.vector }
    }
}

impl MemoryAccess {
    /// Looks into this store, with this embedder.
    pub const fn new(knowledge: KnowledgeHandle, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { knowledge, embedder, identity: None }
    }

    /// With the identity of the agent, whose next version gets that number.
    #[must_use]
    pub fn with_identity(self, identity: Option<(u64, Arc<str>)>) -> Self {
        Self { identity, ..self }
    }

    /// What words mean; none without an embedder, or where it fails or takes too long.
    pub(crate) async fn embed(&self, words: &str) -> Option<Embedded> {
        let embedder = self.embedder.as_ref().filter(|_| !words.trim().is_empty())?;
        match tokio::time::timeout(EMBED_MAX, embedder.embed(&[words])).await {
            Ok(Ok(mut vectors)) => {
                Some(Embedded { model: embedder.model().id, vector: vectors.pop()? })
            }
            Ok(Err(error)) => {
                tracing::debug!(event = "embedding_failed", %error,
                    "a query could not be embedded; it is answered by words alone");
                None
            }
            Err(_) => None,
        }
    }
}

impl AgentSetup {
    /// Access to what it remembers.
    pub fn memory(&self) -> MemoryAccess {
        MemoryAccess::new(self.facts.clone(), self.dreamer.embedder.clone())
    }
}

fn lead<'a>(asked: MemoryQuestion<'a>, embedded: Option<&'a Embedded>) -> Lead<'a> {
    Lead { meaning: embedded.map(Embedded::meaning), ..asked.lead() }
}

/// What one of the eight queries is about, in words.
fn words_of(query: &GraphQuery) -> String {
    match query {
        GraphQuery::Partnerships { .. } | GraphQuery::ActiveConstraints { .. } => String::new(),
        GraphQuery::Conversations { keywords, .. } => keywords.join(" "),
        GraphQuery::TechnicalContext { term, .. } => term.clone(),
        GraphQuery::EmotionalState { context_similar_to, .. } => context_similar_to.clone(),
        GraphQuery::StrategyPatterns { situation_type, .. } => situation_type.clone(),
        GraphQuery::RelatedCode { filename, .. } => filename.clone(),
        GraphQuery::FailedAttempts { context, .. } => context.clone(),
    }
}

impl MemoryLookup for MemoryAccess {
    fn facts<'a>(&'a self, asked: MemoryQuestion<'a>, limit: usize) -> BoxFuture<'a, Lookup> {
        Box::pin(async move {
            let embedded = self.embed(asked.words).await;
            self.knowledge.search_facts(asked.words, &lead(asked, embedded.as_ref()), limit)
        })
    }

    fn recall<'a>(
        &'a self,
        asked: MemoryQuestion<'a>,
        limit: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>> {
        Box::pin(async move {
            let embedded = self.embed(asked.words).await;
            self.knowledge.recall(asked.words, &lead(asked, embedded.as_ref()), limit)
        })
    }

    fn ask<'a>(
        &'a self,
        query: &'a GraphQuery,
        asked: MemoryQuestion<'a>,
    ) -> BoxFuture<'a, QueryResult> {
        Box::pin(async move {
            let embedded = self.embed(&words_of(query)).await;
            self.knowledge.ask(query, &lead(asked, embedded.as_ref()))
        })
    }

    fn right_over(
        &self,
        fact_id: FactId,
        epoch: EpochId,
        asked: MemoryQuestion<'_>,
    ) -> Result<FactRight, String> {
        MemoryLookup::right_over(&self.knowledge, fact_id, epoch, asked)
    }

    fn plan_forgetting(&self, request: ForgetRequest<'_>) -> Result<ForgetPlan, ForgetError> {
        self.knowledge.plan_forgetting(request)
    }

    fn identity(&self) -> Option<(u64, Arc<str>)> {
        self.identity.clone()
    }

    fn node_kind(&self, id: &NodeId, epoch: EpochId) -> Result<Option<NodeKind>, String> {
        self.knowledge.node_kind(id, epoch)
    }

    fn has_edge(&self, edge: EdgeKey<'_>, epoch: EpochId) -> Result<bool, String> {
        self.knowledge.has_edge(edge, epoch)
    }
}
