//! What a call needs: ids in order, a fixed present, facts to look up.

use std::sync::atomic::{AtomicU64, Ordering};

use abide_domain::{
    AgentId, CallId, EpochId, FactId, IdSource, Timestamp,
    graph::{NodeId, NodeKind},
};
use abide_memory::{
    FactRight, ForgetError, ForgetPlan, ForgetRequest, GraphQuery, KnowledgeError, Listener,
    Lookup, QueryResult, RecalledPassage,
};
use abide_tools::{
    Call, CallProgress, CommandReply, Commands, EdgeKey, MemoryLookup, MemoryQuestion, Output,
    Registry, ToolError, ToolState,
};
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, ready},
};
use serde_json::Value;
use uuid::Uuid;

/// Saturday.
pub(crate) const NOW: &str = "2026-11-28T09:30:00Z";

/// Ids that count from 1.
#[derive(Debug, Default)]
pub(crate) struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, _: Timestamp) -> Uuid {
        Uuid::from_u64_pair(0xF, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// What the open epoch answers.
pub(crate) const SAID: &str = "The weekly plan starts on Monday.";

const GONE: &str = "the disk is gone";

/// A memory that cannot be looked into.
#[derive(Debug)]
pub(crate) struct Broken;

impl MemoryLookup for Broken {
    fn facts<'a>(&'a self, _: MemoryQuestion<'a>, _: usize) -> BoxFuture<'a, Lookup> {
        Box::pin(ready(Lookup::Failed(GONE.into())))
    }

    fn recall<'a>(
        &'a self,
        _: MemoryQuestion<'a>,
        _: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>> {
        Box::pin(ready(Lookup::Failed(GONE.into())))
    }

    fn ask<'a>(&'a self, _: &'a GraphQuery, _: MemoryQuestion<'a>) -> BoxFuture<'a, QueryResult> {
        Box::pin(ready(QueryResult::failed(GONE)))
    }

    fn right_over(
        &self,
        _: FactId,
        _: EpochId,
        _: MemoryQuestion<'_>,
    ) -> Result<FactRight, String> {
        Err(GONE.into())
    }

    fn plan_forgetting(&self, _: ForgetRequest<'_>) -> Result<ForgetPlan, ForgetError> {
        Err(ForgetError::Unreadable(KnowledgeError::NotLoaded))
    }

    fn node_kind(&self, _: &NodeId, _: EpochId) -> Result<Option<NodeKind>, String> {
        Err(GONE.into())
    }

    fn has_edge(&self, _: EdgeKey<'_>, _: EpochId) -> Result<bool, String> {
        Err(GONE.into())
    }
}

pub(crate) fn epoch() -> EpochId {
    EpochId::from_uuid(Uuid::from_u64_pair(0xE, 1))
}

pub(crate) fn fact_id(n: u64) -> FactId {
    FactId::from_uuid(Uuid::from_u64_pair(0xF, n))
}

pub(crate) fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// Carries nothing out: the commands themselves are the engine's.
#[derive(Debug)]
struct NoCommands;

impl Commands for NoCommands {
    fn carry_out<'a>(&'a self, input: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        let said = CommandReply { output: format!("did {input}"), ..CommandReply::default() };
        Box::pin(std::future::ready(Ok(said)))
    }
}

/// Runs a call as the engine does: arguments first, then the tool, which must not wait.
pub(crate) fn run(
    registry: &Registry,
    memory: &dyn MemoryLookup,
    name: &str,
    arguments: &Value,
) -> Result<Output, ToolError> {
    registry.validate(name, arguments).unwrap();
    run_unchecked(registry, memory, name, arguments).expect("the tool waits")
}

/// Polls a call once; none where it waits, and the call is then dropped.
pub(crate) fn run_unchecked(
    registry: &Registry,
    memory: &dyn MemoryLookup,
    name: &str,
    arguments: &Value,
) -> Option<Result<Output, ToolError>> {
    let agent: AgentId = "felix".parse().unwrap();
    let (call_id, ids) = (CallId::new(1, 1), Counted::default());
    let berlin = abide_domain::Zone::named("Europe/Berlin").unwrap();
    let call = Call {
        agent: &agent,
        epoch: epoch(),
        call_id: &call_id,
        arguments,
        now: now(),
        ids: &ids,
        sender: "nicolas",
        said: SAID,
        listener: Listener::OWNER,
        administrator: false,
        zone: &berlin,
        untrusted: false,
        memory,
        state: &ToolState::default(),
        commands: &NoCommands,
        inner: &abide_tools::NoInnerCalls,
        offered: &[],
        shown: &[],
        progress: &CallProgress::default(),
    };
    registry.get(name).unwrap().run(call).now_or_never()
}

pub(crate) fn content(output: &Output) -> Value {
    serde_json::from_str(&output.content).unwrap()
}
