//! A call on its way to the disk: what it may use, on a thread that may wait.
//!
//! A call that is dropped does nothing more: a change that has begun its last step ends it, one that has not is given up.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use abide_domain::{AgentId, Clock, Timestamp, tool::ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::{BoxFuture, ready};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    folder::{FilePath, FolderResolver, NamedFolder},
    limits::CHANGE_WAIT_MAX,
    undo_store::{UndoLimits, UndoStore},
};

/// What the file tools share.
#[derive(Debug)]
pub(crate) struct FileContext {
    pub(crate) resolver: Arc<dyn FolderResolver>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) undo: UndoLimits,
    /// One change at a time, whoever makes it: folders may be shared, and what one call leaves another must not sweep. It is
    /// waited for where a call can still be dropped, never on a thread.
    pub(crate) changes: Arc<Semaphore>,
}

/// One call, or the preview of one.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) context: Arc<FileContext>,
    pub(crate) agent: AgentId,
    pub(crate) folders: Arc<[NamedFolder]>,
    pub(crate) now: Timestamp,
    /// Unique: names the undo entry and temporary files.
    pub(crate) id: String,
    arguments: Value,
    is_dropped: Arc<AtomicBool>,
}

impl Job {
    /// The arguments as a tool's own type.
    pub(crate) fn arguments<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        parse_arguments::<T>(&self.arguments)
    }

    /// A path to look at.
    pub(crate) fn path(&self, argument: &str, text: &str) -> Result<FilePath, ToolError> {
        FilePath::parse(&self.folders, argument, text)
    }

    /// A path to change.
    pub(crate) fn changed_path(&self, argument: &str, text: &str) -> Result<FilePath, ToolError> {
        FilePath::parse_changed(&self.folders, argument, text)
    }

    /// The undo folder, which must not be in reach of the agent.
    pub(crate) fn undo_store(&self) -> Result<UndoStore, ToolError> {
        let path = self.context.resolver.undo_folder(&self.agent);
        self.check_out_of_reach(&path, Path::to_path_buf)?;
        let store = UndoStore::open(&path, self.context.undo)?;
        // The paths of the settings may lead through links.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.check_out_of_reach(&real(&path), real)?;
        Ok(store)
    }

    fn check_out_of_reach(
        &self,
        undo: &Path,
        as_compared: impl Fn(&Path) -> PathBuf,
    ) -> Result<(), ToolError> {
        match self.folders.iter().find(|folder| undo.starts_with(as_compared(&folder.path))) {
            None => Ok(()),
            Some(folder) => Err(ToolError::of(
                ToolErrorKind::Blocked,
                format!(
                    "nothing is changed: the undo folder lies within `{}`, where it could be changed itself",
                    folder.name
                ),
            )),
        }
    }

    /// Whether nobody waits for the result any more.
    pub(crate) fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Relaxed)
    }

    /// Refuses to begin a change that nobody waits for any more.
    pub(crate) fn check_wanted(&self) -> Result<(), ToolError> {
        if self.is_dropped() {
            return Err(ToolError::new("the call was given up before it changed anything"));
        }
        Ok(())
    }
}

/// The tool that lets an agent see what stands in files.
pub(crate) const FILES_READ: &str = "files.read";

/// What a tool does.
pub(crate) type Work = fn(&Job) -> Result<Value, ToolError>;
/// What a tool would do, in words or as a diff.
pub(crate) type Preview = fn(&Job) -> Result<String, ToolError>;

/// One of the file tools.
#[derive(Debug)]
pub(crate) struct FileTool {
    pub(crate) spec: ToolSpec,
    pub(crate) context: Arc<FileContext>,
    pub(crate) work: Work,
    /// None: it changes nothing.
    pub(crate) preview: Option<Preview>,
    /// Whether a call with these arguments may run twice.
    pub(crate) may_repeat: fn(&Value) -> bool,
}

impl FileTool {
    fn job(&self, agent: &AgentId, arguments: &Value, id: String) -> (Job, DropSignal) {
        let is_dropped = Arc::new(AtomicBool::new(false));
        let job = Job {
            context: Arc::clone(&self.context),
            agent: agent.clone(),
            folders: self.context.resolver.folders(agent),
            now: self.context.clock.now(),
            id,
            arguments: arguments.clone(),
            is_dropped: Arc::clone(&is_dropped),
        };
        (job, DropSignal(is_dropped))
    }

    fn perform(
        &self,
        is_dry: bool,
    ) -> impl FnOnce(&Job) -> Result<Value, ToolError> + Send + 'static {
        let (work, preview) = (self.work, self.preview);
        move |job| {
            let Some(preview) = preview else { return work(job) };
            if is_dry {
                return preview(job).map(|preview| json!({"dry_run": true, "preview": preview}));
            }
            job.check_wanted()?;
            work(job)
        }
    }

    /// Waits until no other call changes anything; nothing where this one does not either.
    async fn turn_to_change(
        &self,
        is_dry: bool,
    ) -> Result<Option<OwnedSemaphorePermit>, ToolError> {
        if is_dry || self.preview.is_none() {
            return Ok(None);
        }
        let turn = Arc::clone(&self.context.changes).acquire_owned();
        if let Ok(Ok(turn)) = tokio::time::timeout(CHANGE_WAIT_MAX, turn).await {
            return Ok(Some(turn));
        }
        let message = "another change of files has not ended; nothing was changed, try again later";
        Err(ToolError::of(ToolErrorKind::Upstream, message))
    }
}

/// Whether a call only shows what it would change.
fn is_dry_run(arguments: &Value) -> bool {
    arguments.get("dry_run").and_then(Value::as_bool) == Some(true)
}

/// Tells a job that nobody waits for it any more.
struct DropSignal(Arc<AtomicBool>);

impl Drop for DropSignal {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Tool for FileTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn idempotent(&self, arguments: &Value) -> bool {
        self.spec.idempotent || is_dry_run(arguments) || (self.may_repeat)(arguments)
    }

    fn preview<'a>(
        &'a self,
        agent: &'a AgentId,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        let Some(preview) = self.preview else { return Box::pin(ready(Ok(None))) };
        let (job, signal) = self.job(agent, arguments, String::new());
        Box::pin(async move {
            let shown = tokio::task::spawn_blocking(move || preview(&job)).await;
            drop(signal);
            match shown {
                Ok(shown) => shown.map(Some),
                Err(error) => Ok(Some(format!("what it would change cannot be shown: {error}"))),
            }
        })
    }

    /// It says what files there are, and what is in them.
    fn preview_reads_as(&self) -> Option<&'static str> {
        Some(FILES_READ)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let id = call.ids.uuid(call.now).simple().to_string();
        let (mut job, signal) = self.job(call.agent, call.arguments, id);
        job.now = call.now;
        let is_dry = is_dry_run(call.arguments);
        let perform = self.perform(is_dry);
        Box::pin(async move {
            let turn = self.turn_to_change(is_dry).await?;
            let done = tokio::task::spawn_blocking(move || {
                // Held until the work is done, also where nobody waits for that any more.
                let _one_at_a_time = turn;
                perform(&job)
            });
            let done = done.await;
            drop(signal);
            match done {
                Ok(done) => done.map(|content| Output::json(&content)),
                Err(error) => {
                    let message = format!("the call ended in the middle: {error}");
                    Err(ToolError::of(ToolErrorKind::Unknown, message))
                }
            }
        })
    }
}
