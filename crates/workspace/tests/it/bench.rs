//! A home with folders of its own for a test, and the tools over it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{AgentId, CallId, Clock, EpochId, IdSource, Timestamp, Zone};
use abide_memory::{Knowledge, KnowledgeHandle, Listener};
use abide_tools::{Call, CallProgress, CommandReply, Commands, Registry, ToolError, ToolState};
use abide_workspace::{
    FileToolSettings, FolderAccess, FolderResolver, NamedFolder, UndoLimits, file_tools,
};
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, ready},
};
use serde_json::Value;
use uuid::Uuid;

/// Saturday, 2026-11-28T09:30:00Z.
const START: i64 = 1_795_858_200_000_000;
const DAY: i64 = 86_400_000_000;

#[derive(Debug)]
pub(crate) struct TestClock {
    now: AtomicI64,
    /// How far the monotonic clock goes at each look, in milliseconds.
    step: AtomicU64,
    monotonic: AtomicU64,
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.now.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        let step = self.step.load(Ordering::Relaxed);
        Duration::from_millis(self.monotonic.fetch_add(step, Ordering::Relaxed))
    }
}

#[derive(Debug)]
struct TestFolders {
    root: PathBuf,
    undo: PathBuf,
}

impl FolderResolver for TestFolders {
    fn folders(&self, agent: &AgentId) -> Arc<[NamedFolder]> {
        let folder =
            |name: &str, path: PathBuf, access| NamedFolder { name: name.to_owned(), path, access };
        [
            folder("work", self.root.join(agent.as_str()).join("work"), FolderAccess::Write),
            folder("docs", self.root.join("docs"), FolderAccess::Read),
        ]
        .into()
    }

    fn undo_folder(&self, agent: &AgentId) -> PathBuf {
        self.undo.join(agent.as_str())
    }
}

/// Ids that count, in each process by themselves.
#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, _: Timestamp) -> Uuid {
        Uuid::from_u64_pair(std::process::id().into(), self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[derive(Debug)]
struct NoCommands;

impl Commands for NoCommands {
    fn carry_out<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(ready(Err(ToolError::new("there are no commands"))))
    }
}

/// A home, removed at the end.
#[derive(Debug)]
pub(crate) struct Home {
    _folder: Option<tempfile::TempDir>,
    root: PathBuf,
    undo: PathBuf,
    pub(crate) registry: Registry,
    clock: Arc<TestClock>,
    ids: Counted,
    memory: KnowledgeHandle,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self::with(UndoLimits::default(), None)
    }

    /// A home whose undo folders are elsewhere, or hold less.
    pub(crate) fn with(undo: UndoLimits, undo_folder: Option<PathBuf>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        Self { _folder: Some(folder), ..Self::at(&root, undo, undo_folder) }
    }

    /// A home in a folder that is somebody else's.
    pub(crate) fn at(root: &Path, undo: UndoLimits, undo_folder: Option<PathBuf>) -> Self {
        for name in ["felix/work", "ada/work", "docs"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let clock = Arc::new(TestClock {
            now: AtomicI64::new(START),
            step: AtomicU64::new(0),
            monotonic: AtomicU64::new(0),
        });
        let undo_folder = undo_folder.unwrap_or_else(|| root.join("undo"));
        let resolver = TestFolders { root: root.to_owned(), undo: undo_folder.clone() };
        let settings = FileToolSettings {
            resolver: Arc::new(resolver),
            clock: Arc::<TestClock>::clone(&clock),
            undo,
        };
        let registry = Registry::new(file_tools(settings)).unwrap();
        let ids = Counted::default();
        let memory = Knowledge::in_memory(&"@felix".parse().unwrap()).unwrap();
        let memory = KnowledgeHandle::new(memory).unwrap();
        let root = root.to_owned();
        Self { _folder: None, root, undo: undo_folder, registry, clock, ids, memory }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Felix's undo folder.
    pub(crate) fn undo_folder(&self) -> PathBuf {
        self.undo.join("felix")
    }

    /// A path in Felix's folder.
    pub(crate) fn work(&self, path: &str) -> PathBuf {
        self.root.join("felix/work").join(path)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.work(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        fs::read(self.work(path)).unwrap()
    }

    pub(crate) fn pass_days(&self, days: i64) {
        self.clock.now.fetch_add(days * DAY, Ordering::Relaxed);
    }

    pub(crate) fn set_clock_step(&self, millis: u64) {
        self.clock.step.store(millis, Ordering::Relaxed);
    }

    /// Runs a call of Felix as the engine does.
    pub(crate) fn run(&self, name: &str, arguments: &Value) -> Result<Value, ToolError> {
        self.run_as("felix", name, arguments)
    }

    pub(crate) fn run_as(
        &self,
        agent: &str,
        name: &str,
        arguments: &Value,
    ) -> Result<Value, ToolError> {
        self.with_call(agent, name, arguments, |call| {
            let tool = self.registry.get(name).unwrap();
            let output = runtime().block_on(tool.run(call))?;
            assert!(output.staged.is_empty() && output.ethereal.is_none());
            Ok(serde_json::from_str(&output.content).unwrap())
        })
    }

    /// Begins a call of Felix and drops it before its thread has begun; returns when that has ended.
    pub(crate) fn run_dropped(&self, name: &str, arguments: &Value) {
        self.with_call("felix", name, arguments, |call| {
            let one_thread = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .max_blocking_threads(1)
                .build()
                .unwrap();
            let (release, held) = std::sync::mpsc::channel::<()>();
            let _in_runtime = one_thread.enter();
            let busy = tokio::task::spawn_blocking(move || held.recv());
            let running = self.registry.get(name).unwrap().run(call).now_or_never();
            assert!(running.is_none(), "it waits for its thread");
            release.send(()).unwrap();
            one_thread.block_on(busy).unwrap().unwrap();
            // The only thread takes what waits in its order.
            one_thread.block_on(tokio::task::spawn_blocking(|| ())).unwrap();
        });
    }

    fn with_call<R>(
        &self,
        agent: &str,
        name: &str,
        arguments: &Value,
        run: impl FnOnce(Call<'_>) -> R,
    ) -> R {
        self.registry.validate(name, arguments).unwrap();
        self.with_unchecked_call(agent, arguments, run)
    }

    /// The same of a tool that is not one of the files'.
    pub(crate) fn with_unchecked_call<R>(
        &self,
        agent: &str,
        arguments: &Value,
        run: impl FnOnce(Call<'_>) -> R,
    ) -> R {
        let agent: AgentId = agent.parse().unwrap();
        let (call_id, state, zone) = (CallId::new(1, 1), ToolState::default(), Zone::utc());
        run(Call {
            agent: &agent,
            epoch: EpochId::from_uuid(Uuid::from_u64_pair(0xE, 1)),
            call_id: &call_id,
            arguments,
            now: self.clock.now(),
            ids: &self.ids,
            sender: "nicolas",
            said: "",
            listener: Listener::OWNER,
            administrator: false,
            zone: &zone,
            untrusted: false,
            memory: &self.memory,
            state: &state,
            commands: &NoCommands,
            inner: &abide_tools::NoInnerCalls,
            offered: &[],
            shown: &[],
            progress: &CallProgress::default(),
        })
    }

    /// What a person is shown before a call.
    pub(crate) fn preview(&self, name: &str, arguments: &Value) -> Option<String> {
        self.try_preview(name, arguments).unwrap()
    }

    /// The same, or the error with which the call would fail.
    pub(crate) fn try_preview(
        &self,
        name: &str,
        arguments: &Value,
    ) -> Result<Option<String>, ToolError> {
        let agent: AgentId = "felix".parse().unwrap();
        runtime().block_on(self.registry.get(name).unwrap().preview(&agent, arguments))
    }

    /// The digest that reading a file gives.
    pub(crate) fn digest(&self, path: &str) -> String {
        let read = self.run("files.read", &serde_json::json!({"path": path})).unwrap();
        read["digest"].as_str().unwrap().to_owned()
    }

    /// The names in a folder of Felix, in order.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        names(&self.work(path))
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}
