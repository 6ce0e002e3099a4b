//! A server with faults in a folder of its own, and what a call of it needs.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use abide_domain::{
    AgentId, CallId, Clock, EpochId, FactId, IdSource, Timestamp,
    graph::{NodeId, NodeKind},
};
use abide_mcp::{
    ElicitationHandler, McpClient, McpClientParts, McpProgram, McpReach, McpServerSettings,
    PlainLauncher, ToolPin,
};
use abide_memory::{
    FactRight, ForgetError, ForgetPlan, ForgetRequest, GraphQuery, KnowledgeError, Listener,
    Lookup, QueryResult, RecalledPassage,
};
use abide_tools::{
    Call, CallProgress, CommandReply, Commands, EdgeKey, MemoryLookup, MemoryQuestion, Output,
    Tool, ToolError, ToolState,
};
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use uuid::Uuid;

/// How long a test waits for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A server with faults, and its client.
pub(crate) struct Bench {
    pub(crate) client: McpClient,
    folder: tempfile::TempDir,
}

/// How the server of a test is set up.
pub(crate) struct Setup {
    faults: Vec<String>,
    change: Box<dyn FnOnce(&mut McpServerSettings)>,
    elicitations: Option<Arc<dyn ElicitationHandler>>,
    pinned: Option<Vec<ToolPin>>,
    text: Option<String>,
}

impl Setup {
    pub(crate) fn new(faults: &[&str]) -> Self {
        Self {
            faults: faults.iter().map(|fault| (*fault).to_owned()).collect(),
            change: Box::new(|_| {}),
            elicitations: None,
            pinned: None,
            text: None,
        }
    }

    pub(crate) fn with(self, change: impl FnOnce(&mut McpServerSettings) + 'static) -> Self {
        Self { change: Box::new(change), ..self }
    }

    pub(crate) fn asking(self, handler: Arc<dyn ElicitationHandler>) -> Self {
        Self { elicitations: Some(handler), ..self }
    }

    pub(crate) fn pinned(self, pinned: Vec<ToolPin>) -> Self {
        Self { pinned: Some(pinned), ..self }
    }

    pub(crate) fn text(self, text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..self }
    }

    /// Starts it; the server may not be ready yet.
    pub(crate) fn start(self) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = &self.text {
            fs::write(folder.path().join("text"), text).unwrap();
        }
        let paths = [script(), folder.path().to_owned()].map(|path| path.display().to_string());
        let args = paths.into_iter().chain(self.faults).collect();
        let program = McpProgram { command: "python3".into(), args, environment: Vec::new() };
        let mut settings = McpServerSettings::reached("test", McpReach::Process(program));
        settings.refresh_floor = Duration::from_millis(100);
        (self.change)(&mut settings);
        let mut parts = McpClientParts::new(Arc::new(launcher()), Arc::new(RealClock::default()));
        parts.pinned = self.pinned;
        if let Some(elicitations) = self.elicitations {
            parts.elicitations = elicitations;
        }
        Bench { client: McpClient::start(settings, parts).unwrap(), folder }
    }

    /// Starts it and waits until calls go through.
    pub(crate) async fn ready(self) -> Bench {
        let bench = self.start();
        if let Err(error) = bench.client.ready().await {
            panic!("{error}: {:#?}", bench.client.status());
        }
        bench
    }
}

impl Bench {
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The lines that the server left in a file.
    pub(crate) fn left(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = self.client.tools();
        let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        match tools.iter().find(|tool| tool.spec().name == name) {
            Some(tool) => Arc::clone(tool),
            None => panic!("no {name} in {names:?}: {:#?}", self.client.status()),
        }
    }

    /// Calls `append`, which leaves a line in the probe file before anything else.
    pub(crate) async fn append(&self, then: &str) -> Result<Output, ToolError> {
        self.append_with(json!({"line": then, "then": then})).await
    }

    pub(crate) async fn append_with(&self, arguments: Value) -> Result<Output, ToolError> {
        run(self.tool("mcp.test.append").as_ref(), &arguments).await
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let began = tokio::time::Instant::now();
        while !is_so(self) {
            assert!(began.elapsed() < PATIENCE, "never {what}: {:#?}", self.client.status());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// The program of a server that is a process.
pub(crate) fn program(settings: &mut McpServerSettings) -> &mut McpProgram {
    match &mut settings.reach {
        McpReach::Process(program) => program,
        McpReach::Http(_) => panic!("the server is no process"),
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/faulty.py")
}

/// A launcher with the environment of the test and two variables more.
pub(crate) fn launcher() -> PlainLauncher {
    let own = std::env::vars_os();
    let more = [("MCP_TEST_SECRET", "hidden"), ("MCP_TEST_NAMED", "shown")];
    PlainLauncher::new(own.chain(more.map(|(name, value)| (name.into(), value.into()))))
}

/// Whether a process still runs. One that ended and was not yet waited for does not.
pub(crate) fn is_running(pid: &str) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')),
        Err(_) => false,
    }
}

/// The clock of the machine.
#[derive(Debug)]
pub(crate) struct RealClock(Instant);

impl Default for RealClock {
    #[expect(clippy::disallowed_methods, reason = "the clock of these tests")]
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        "2026-11-28T09:30:00Z".parse().unwrap()
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Runs a call as the engine does.
pub(crate) async fn run(tool: &dyn Tool, arguments: &Value) -> Result<Output, ToolError> {
    run_watched(tool, arguments, &CallProgress::default()).await
}

/// The same, with somebody who watches.
pub(crate) async fn run_watched(
    tool: &dyn Tool,
    arguments: &Value,
    progress: &CallProgress,
) -> Result<Output, ToolError> {
    let agent: AgentId = "felix".parse().unwrap();
    let (call_id, ids) = (CallId::new(1, 1), Counted::default());
    let berlin = abide_domain::Zone::named("Europe/Berlin").unwrap();
    let call = Call {
        agent: &agent,
        epoch: EpochId::from_uuid(Uuid::from_u64_pair(0xE, 1)),
        call_id: &call_id,
        arguments,
        now: "2026-11-28T09:30:00Z".parse().unwrap(),
        ids: &ids,
        sender: "nicolas",
        said: "Go.",
        listener: Listener::OWNER,
        administrator: false,
        zone: &berlin,
        untrusted: false,
        memory: &NoMemory,
        state: &ToolState::default(),
        commands: &NoCommands,
        inner: &abide_tools::NoInnerCalls,
        offered: &[],
        shown: &[],
        progress,
    };
    tool.run(call).await
}

#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, _: Timestamp) -> Uuid {
        Uuid::from_u64_pair(0xF, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[derive(Debug)]
struct NoCommands;

impl Commands for NoCommands {
    fn carry_out<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(ready(Err(ToolError::new("no commands here"))))
    }
}

#[derive(Debug)]
struct NoMemory;

const NONE: &str = "no memory here";

impl MemoryLookup for NoMemory {
    fn facts<'a>(&'a self, _: MemoryQuestion<'a>, _: usize) -> BoxFuture<'a, Lookup> {
        Box::pin(ready(Lookup::Failed(NONE.into())))
    }

    fn recall<'a>(
        &'a self,
        _: MemoryQuestion<'a>,
        _: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>> {
        Box::pin(ready(Lookup::Failed(NONE.into())))
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
        Err(NONE.into())
    }

    fn has_edge(&self, _: EdgeKey<'_>, _: EpochId) -> Result<bool, String> {
        Err(NONE.into())
    }
}
