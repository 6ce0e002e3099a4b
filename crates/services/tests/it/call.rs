//! Calls tools as the engine does: arguments against the schema, then the tool, then what it stages is in force.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{
    AgentId, CallId, Clock, EpochId, FactId, IdSource, Timestamp, Zone,
    graph::{NodeId, NodeKind},
    tool::EffectClass,
};
use abide_http::{AddressPolicy, ClientSettings};
use abide_memory::{
    FactRight, ForgetError, ForgetPlan, ForgetRequest, GraphQuery, KnowledgeError, Listener,
    Lookup, QueryResult, RecalledPassage,
};
use abide_tools::{
    Call, CallProgress, CommandReply, Commands, EdgeKey, KeptValues, MemoryLookup, MemoryQuestion,
    Output, Registry, Tool, ToolError, ToolErrorKind, ToolState,
};
use futures_util::future::{BoxFuture, ready};
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

/// Runs with the runtime's time, and is put forward by hand.
#[derive(Debug)]
pub(crate) struct TestClock {
    began: Instant,
    forward: Mutex<Duration>,
}

impl TestClock {
    pub(crate) fn start() -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), forward: Mutex::default() })
    }

    pub(crate) fn forward(&self, by: Duration) {
        *self.forward.lock().unwrap() += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let start: Timestamp = "2026-11-29T12:00:00Z".parse().unwrap();
        start.plus(self.monotonic())
    }

    fn monotonic(&self) -> Duration {
        self.began.elapsed() + *self.forward.lock().unwrap()
    }
}

/// What clients are made from in tests.
pub(crate) fn http(clock: &Arc<TestClock>) -> ClientSettings {
    ClientSettings::new(AddressPolicy::Public, clock.clone())
}

/// An agent that calls tools.
pub(crate) struct Caller {
    registry: Registry,
    pub(crate) kept: KeptValues,
    clock: Arc<TestClock>,
}

impl Caller {
    pub(crate) fn new(tools: Vec<Arc<dyn Tool>>, clock: &Arc<TestClock>) -> Self {
        let registry = Registry::new(tools).unwrap();
        Self { registry, kept: KeptValues::default(), clock: Arc::clone(clock) }
    }

    /// Runs a call; what it stages is in force afterwards, as after a commit.
    pub(crate) async fn run(&mut self, name: &str, arguments: Value) -> Result<Output, ToolError> {
        let output = self.run_aborted(name, arguments).await?;
        self.kept.stage(&output.staged).unwrap();
        Ok(output)
    }

    /// Runs a call in an epoch that is aborted: what it stages is lost.
    pub(crate) async fn run_aborted(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<Output, ToolError> {
        self.registry.validate(name, &arguments).unwrap();
        let agent: AgentId = "felix".parse().unwrap();
        let call_id = CallId::new(1, 1);
        let state = ToolState { kept: self.kept.clone(), ..ToolState::default() };
        let call = Call {
            agent: &agent,
            epoch: EpochId::from_uuid(Uuid::from_u64_pair(0xE, 1)),
            call_id: &call_id,
            arguments: &arguments,
            now: self.clock.now(),
            ids: &NoIds,
            sender: "nicolas",
            said: "",
            listener: Listener::OWNER,
            administrator: false,
            zone: &Zone::named("Europe/Berlin").unwrap(),
            untrusted: false,
            memory: &Empty,
            state: &state,
            commands: &Empty,
            inner: &abide_tools::NoInnerCalls,
            offered: &[],
            shown: &[],
            progress: &CallProgress::default(),
        };
        let tool = self.registry.get(name).unwrap();
        let output = tool.run(call).await?;
        let may_stage = tool.spec().effect == EffectClass::State;
        assert!(may_stage || output.staged.is_empty(), "{name} reads, and stages all the same");
        Ok(output)
    }

    pub(crate) async fn json(&mut self, name: &str, arguments: Value) -> Value {
        let output = self.run(name, arguments).await.unwrap();
        serde_json::from_str(&output.content).unwrap()
    }

    pub(crate) async fn refused(
        &mut self,
        name: &str,
        arguments: Value,
    ) -> (ToolErrorKind, String) {
        let error = self.run(name, arguments).await.unwrap_err();
        (error.kind, error.to_text())
    }

    pub(crate) fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        self.registry.get(name).unwrap()
    }
}

/// A tool of a service makes no ids.
#[derive(Debug)]
struct NoIds;

impl IdSource for NoIds {
    fn uuid(&self, _: Timestamp) -> Uuid {
        panic!("no id is needed")
    }
}

/// A memory that knows nothing, and commands that do nothing.
#[derive(Debug)]
struct Empty;

const NONE: &str = "nothing is known";

impl MemoryLookup for Empty {
    fn facts<'a>(&'a self, _: MemoryQuestion<'a>, _: usize) -> BoxFuture<'a, Lookup> {
        Box::pin(ready(Lookup::Empty))
    }

    fn recall<'a>(
        &'a self,
        _: MemoryQuestion<'a>,
        _: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>> {
        Box::pin(ready(Lookup::Empty))
    }

    fn ask<'a>(&'a self, _: &'a GraphQuery, _: MemoryQuestion<'a>) -> BoxFuture<'a, QueryResult> {
        Box::pin(ready(QueryResult::failed(NONE)))
    }

    fn right_over(
        &self,
        _: FactId,
        _: EpochId,
        _: MemoryQuestion<'_>,
    ) -> Result<FactRight, String> {
        Err(NONE.into())
    }

    fn plan_forgetting(&self, _: ForgetRequest<'_>) -> Result<ForgetPlan, ForgetError> {
        Err(ForgetError::Unreadable(KnowledgeError::NotLoaded))
    }

    fn node_kind(&self, _: &NodeId, _: EpochId) -> Result<Option<NodeKind>, String> {
        Ok(None)
    }

    fn has_edge(&self, _: EdgeKey<'_>, _: EpochId) -> Result<bool, String> {
        Ok(false)
    }
}

impl Commands for Empty {
    fn carry_out<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(ready(Ok(CommandReply::default())))
    }
}
