//! An agent's private state on the threads that may block: one job at a time, in the order in which things came.
//!
//! Entries that queue while a job runs share the next sync. The state is opened anew for every run, for only the disk
//! can say what it holds; nobody else may hold it open meanwhile.

use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::{
    AgentId, Timestamp,
    event::{AgentEvent, Event},
};
use abide_ledger::{
    FileStorage, Ledger, Query,
    storage::{check_room, require_folder},
};
use abide_wire::{
    AgentStatus, Checkpoint as CheckpointFrame, Message, Payload, Raw, Restore, Snapshot, ToAgent,
    Version, WalEntry, error_code,
};
use tokio::task::JoinHandle;

use crate::{
    checkpoint::{CheckpointWriteError, StoredCheckpoint},
    format::format_chain,
    private::{
        PrivateState, PrivateStateFolders, PrivateStateOptions, PrivateStateProblem,
        PrivateStateStatus, RestoredState,
    },
    wal::{BATCH_BYTES_MAX, Numbering, StoredEntry, WalAppendError, WalAppended},
};

/// Bytes that may wait for the disk before nothing more is read from the process.
const WAITING_BYTES_MAX: usize = 32 * 1024 * 1024;
/// What an entry takes beside its data, at most, for the bound of one batch.
const ENTRY_OVERHEAD_BYTES: usize = 1024;

/// Where a private state is on the disk, and what it is opened with.
#[derive(Clone, Debug)]
pub(crate) struct StateLocation {
    /// `agents/<id>/` in the home.
    pub(crate) folder: PathBuf,
    /// Whose it is, and its bounds.
    pub(crate) options: PrivateStateOptions,
}

impl StateLocation {
    /// Opens the state. Blocks on the disk.
    pub(crate) fn open(&self) -> Result<(PrivateState, RestoredState), String> {
        // What was put there since the keeper started is not followed either.
        for folder in self.folder.parent().into_iter().chain([self.folder.as_path()]) {
            require_folder(folder).map_err(|error| cannot_use(folder, &error))?;
        }
        let storage = |name: &str| {
            let folder = self.folder.join(name);
            FileStorage::create(&folder).map_err(|error| cannot_use(&folder, &error))
        };
        let folders = PrivateStateFolders {
            wal: Arc::new(storage("wal")?),
            checkpoints: Arc::new(storage("checkpoints")?),
        };
        PrivateState::open(folders, self.options.clone()).map_err(|error| format_chain(&error))
    }
}

fn cannot_use(folder: &Path, error: &io::Error) -> String {
    format!("cannot use the folder {}: {error}", folder.display())
}

/// A job that waits for the disk.
#[derive(Debug)]
enum DiskJob {
    Append { entries: Vec<StoredEntry>, bytes: usize },
    Checkpoint { frame: CheckpointFrame, bytes: usize },
}

impl DiskJob {
    fn bytes(&self) -> usize {
        match self {
            Self::Append { bytes, .. } | Self::Checkpoint { bytes, .. } => *bytes,
        }
    }
}

/// The result of a job.
#[derive(Debug)]
pub(crate) enum DiskResult {
    /// The state was opened, or why not.
    Opened(Result<Box<OpenedState>, String>),
    /// A restore was made ready to be sent, or why not.
    Packed(Result<Vec<u8>, String>),
    /// Entries are durable, or why not.
    Appended(Result<WalAppended, WalAppendError>, PrivateStateStatus),
    /// A checkpoint is durable, or why not: the code and the words of the error frame.
    Checkpointed(Result<CheckpointWithStatus, (&'static str, String)>, PrivateStateStatus),
}

/// A checkpoint, and what the agent says in it that it is doing.
pub(crate) type CheckpointWithStatus = (StoredCheckpoint, Option<&'static str>);

/// A state that was opened.
#[derive(Debug)]
pub(crate) struct OpenedState {
    /// What is sent to the process.
    pub(crate) restored: RestoredState,
    /// Its size.
    pub(crate) status: PrivateStateStatus,
    /// What the agent says in it that it is doing.
    pub(crate) agent_status: Option<&'static str>,
    /// The newest start or end of a run before this keeper; only looked up where asked for.
    pub(crate) last_run: Option<(Timestamp, Event)>,
}

type Finished = (Option<PrivateState>, DiskResult);

/// The private state of one run.
#[derive(Debug, Default)]
pub(crate) struct StateDisk {
    /// `agents/<id>/` in the home, once it is opened.
    folder: PathBuf,
    state: Option<PrivateState>,
    /// Checkpoints that stay however old they are.
    kept: Vec<uuid::Uuid>,
    waiting: VecDeque<DiskJob>,
    waiting_bytes: usize,
    running: Option<JoinHandle<Finished>>,
}

impl StateDisk {
    /// Begins to open the state; with a ledger, also looks up there how the last run ended.
    pub(crate) fn open(&mut self, location: StateLocation, past: Option<Ledger>) {
        self.folder.clone_from(&location.folder);
        self.start(move || {
            let agent = location.options.agent.clone();
            let last_run = past.as_ref().and_then(|ledger| last_recorded_run(ledger, &agent));
            match location.open() {
                Ok((state, mut restored)) => {
                    restored
                        .report
                        .extend(past.and_then(|past| find_missing_state(&past, &agent, &restored)));
                    let status = state.status();
                    let snapshot =
                        restored.snapshot.as_ref().and_then(|bytes| Raw::parse(bytes.clone()).ok());
                    let agent_status = snapshot.and_then(|snapshot| status_in(&snapshot));
                    let opened = OpenedState { restored, status, agent_status, last_run };
                    let opened = Box::new(opened);
                    (Some(state), DiskResult::Opened(Ok(opened)))
                }
                Err(error) => (None, DiskResult::Opened(Err(error))),
            }
        });
    }

    /// From now on these checkpoints stay however old they are, as long as there is room.
    pub(crate) fn keep(&mut self, kept: Vec<uuid::Uuid>) {
        self.kept = kept;
    }

    /// Begins a run on the opened state.
    pub(crate) fn begin_run(&mut self, run: uuid::Uuid, numbering: Numbering) {
        if let Some(state) = &mut self.state {
            state.begin_run(run, numbering);
        }
    }

    /// Begins to make a restore ready for a peer. Nothing else is asked of the disk before the peer took it over.
    pub(crate) fn pack(&mut self, restored: RestoredState, now: Timestamp, peer: (Version, bool)) {
        let state = self.state.take();
        self.start(move || (state, DiskResult::Packed(pack(restored, now, peer))));
    }

    /// Puts entries in line.
    pub(crate) fn append(&mut self, entries: Vec<StoredEntry>) {
        let bytes = entries.iter().map(|e| e.data.len() + ENTRY_OVERHEAD_BYTES).sum();
        self.put(DiskJob::Append { entries, bytes });
    }

    /// Puts a checkpoint in line.
    pub(crate) fn checkpoint(&mut self, frame: CheckpointFrame) {
        let bytes = frame.state.as_bytes().len();
        self.put(DiskJob::Checkpoint { frame, bytes });
    }

    fn put(&mut self, job: DiskJob) {
        self.waiting_bytes += job.bytes();
        self.waiting.push_back(job);
        self.start_next();
    }

    /// Takes entries out of the line: something before them could not be kept, so they do not follow any more.
    pub(crate) fn drop_entries(&mut self) {
        self.waiting.retain(|job| matches!(job, DiskJob::Checkpoint { .. }));
        self.waiting_bytes = self.waiting.iter().map(DiskJob::bytes).sum();
    }

    /// Whether so much waits that no more may be read.
    pub(crate) fn is_behind(&self) -> bool {
        self.waiting_bytes > WAITING_BYTES_MAX
    }

    /// Whether nothing runs or waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }

    /// The last sequence on the disk, while no job runs.
    pub(crate) fn durable_sequence(&self) -> Option<u64> {
        self.state.as_ref().map(PrivateState::durable_sequence)
    }

    /// Waits for the job that runs. May be cancelled.
    pub(crate) async fn done(&mut self) -> DiskResult {
        let Some(running) = &mut self.running else { return std::future::pending().await };
        let finished = running.await;
        self.running = None;
        let (state, outcome) = finished.unwrap_or_else(|error| {
            (
                None,
                DiskResult::Opened(Err(format!(
                    "the disk job on the agent's private state failed: {error}"
                ))),
            )
        });
        self.state = state;
        self.start_next();
        outcome
    }

    fn start_next(&mut self) {
        if self.running.is_some() || self.state.is_none() {
            return;
        }
        let Some(job) = self.waiting.pop_front() else { return };
        self.waiting_bytes -= job.bytes();
        let Some(mut state) = self.state.take() else { return };
        match job {
            DiskJob::Append { entries, bytes } => {
                let entries = self.merge_entries(entries, bytes);
                self.start(move || {
                    let appended = state.append(&entries);
                    let status = state.status();
                    (Some(state), DiskResult::Appended(appended, status))
                });
            }
            DiskJob::Checkpoint { frame, .. } => {
                let (folder, kept) = (self.folder.clone(), self.kept.clone());
                self.start(move || {
                    state.keep(kept);
                    let stored = check_room(&folder)
                        .map_err(|full| (error_code::CHECKPOINT_FAILED, full.to_string()))
                        .and_then(|()| store_checkpoint(&mut state, &frame));
                    let status = state.status();
                    (Some(state), DiskResult::Checkpointed(stored, status))
                });
            }
        }
    }

    /// Adds the entries that came meanwhile: one sync for all.
    fn merge_entries(
        &mut self,
        mut entries: Vec<StoredEntry>,
        mut bytes: usize,
    ) -> Vec<StoredEntry> {
        let max = usize::try_from(BATCH_BYTES_MAX).unwrap_or(usize::MAX);
        while let Some(DiskJob::Append { bytes: more, .. }) = self.waiting.front() {
            if bytes + more > max {
                break;
            }
            if let Some(DiskJob::Append { entries: next, bytes: more }) = self.waiting.pop_front() {
                entries.extend(next);
                bytes += more;
                self.waiting_bytes -= more;
            }
        }
        entries
    }

    fn start(&mut self, job: impl FnOnce() -> Finished + Send + 'static) {
        self.running = Some(tokio::task::spawn_blocking(job));
    }
}

fn store_checkpoint(
    state: &mut PrivateState,
    frame: &CheckpointFrame,
) -> Result<CheckpointWithStatus, (&'static str, String)> {
    let snapshot =
        frame.state.unpack().map_err(|problem| ("INVALID_MESSAGE", problem.to_string()))?;
    let refused = |error: CheckpointWriteError| (error.code(), format_chain(&error));
    let checkpoint = state.checkpoint(snapshot.as_bytes(), frame.wal_sequence).map_err(refused)?;
    if let Err(error) = state.tidy() {
        tracing::warn!(event = "checkpoint_cleanup_failed", %error, "cannot remove old checkpoints");
    }
    Ok((checkpoint, status_in(&snapshot)))
}

fn status_in(snapshot: &Raw) -> Option<&'static str> {
    Snapshot::status(snapshot).map(AgentStatus::as_str)
}

/// The restore frame. Compressed only for a peer that said that it takes it.
fn pack(
    restored: RestoredState,
    now: Timestamp,
    (version, takes_zstd): (Version, bool),
) -> Result<Vec<u8>, String> {
    let RestoredState { checkpoint, snapshot, entries, next_sequence, .. } = restored;
    let failed = |problem: abide_wire::FieldError| format!("the state cannot be sent: {problem}");
    let state = match snapshot {
        None => Payload::empty(),
        Some(snapshot) => {
            let raw = Raw::parse(snapshot).map_err(failed)?;
            if takes_zstd {
                Payload::pack(raw, version).map_err(failed)?
            } else {
                Payload::Plain(raw)
            }
        }
    };
    let entry = |entry: StoredEntry| {
        let raw = Raw::parse(entry.data).map_err(failed)?;
        WalEntry::from_raw(&raw).map_err(|refusal| format!("an entry cannot be sent: {refusal}"))
    };
    let restore = Restore {
        checkpoint_id: checkpoint.map(|checkpoint| checkpoint.id.to_string()).unwrap_or_default(),
        state,
        wal_entries: entries.into_iter().map(entry).collect::<Result<_, _>>()?,
        next_sequence: Some(next_sequence),
    };
    Message::<ToAgent>::new(version, now, restore).encode().map_err(|error| error.to_string())
}

/// A state that the ledger knows and the disk does not: somebody has removed its files.
fn find_missing_state(
    ledger: &Ledger,
    agent: &AgentId,
    restored: &RestoredState,
) -> Option<PrivateStateProblem> {
    let is_new = restored.checkpoint.is_none() && restored.next_sequence <= 1;
    if !is_new || !restored.report.is_empty() {
        return None;
    }
    let kinds = vec!["agent.checkpointed".into(), "agent.state_begun".into()];
    let query = Query { entity: Some(agent.entity()), kinds, ..Query::default() };
    let entry = ledger.newest(query).ok()??.entry().ok()?;
    let through_sequence = match entry.event {
        Event::Agent(AgentEvent::Checkpointed(kept)) => kept.wal_sequence,
        Event::Agent(AgentEvent::StateBegun(begun)) => begun.wal_sequence,
        _ => return None,
    };
    Some(PrivateStateProblem::ColdStart { checkpoints: 0, through_sequence })
}

/// The newest start or end of the agent's process that is recorded.
fn last_recorded_run(ledger: &Ledger, agent: &AgentId) -> Option<(Timestamp, Event)> {
    let kinds = vec!["agent.started".into(), "agent.exited".into()];
    let query = Query { entity: Some(agent.entity()), kinds, ..Query::default() };
    let record = match ledger.newest(query) {
        Ok(record) => record?,
        Err(error) => {
            tracing::warn!(%agent, event = "last_run_lookup_failed", %error, "cannot look up how the last run ended");
            return None;
        }
    };
    let entry = record.entry().ok()?;
    matches!(entry.event, Event::Agent(AgentEvent::Started(_) | AgentEvent::Exited(_)))
        .then_some((entry.timestamp, entry.event))
}
