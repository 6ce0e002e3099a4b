//! What is durably known of an ACP agent's session and of the last prompt to it: `agents/<id>/acp.json`.
//!
//! Written before a prompt goes out and again when it is over, so that nobody prompts twice for one turn by mistake: a
//! prompt makes the agent act on the world. The file is replaced as a whole: new file, sync, rename, folder sync. It must
//! never be taken for absent where it cannot be read.

use std::{io, path::Path, sync::Arc};

use abide_domain::EpochId;
use abide_ledger::{
    FileStorage, Storage,
    storage::{Access, read_up_to},
};
use serde::{Deserialize, Serialize};

/// The file.
const NAME: &str = "acp.json";
/// Its next version.
const TEMPORARY: &str = "acp.json.new";
/// Longest file that is read: an answer and a thought at their limits, with every character escaped, and change.
const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Everything that is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    /// The session, as the agent names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<String>,
    /// SHA-256 of the context object that was sent to this session last.
    #[serde(default)]
    pub(super) context: String,
    /// What this session has cost so far, as the agent counts it, in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cost_microusd: Option<u64>,
    /// The last prompt to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prompt: Option<PromptRecord>,
}

/// A prompt that went out, or was about to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PromptRecord {
    /// The epoch that it is for.
    pub(super) epoch: EpochId,
    /// The turn.
    pub(super) turn: u32,
    /// The attempt.
    pub(super) attempt: u32,
    /// What became of it.
    #[serde(flatten)]
    pub(super) state: PromptState,
}

/// What became of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum PromptState {
    /// Unknown: it is being worked on, or whoever would have known has died.
    Open,
    /// It was answered. The answer is kept until the next prompt, for the keeper may die before it has recorded it.
    Closed(RecordedAnswer),
    /// The agent stopped before the end; what it had done until then stands.
    Cut {
        /// Why.
        why: String,
    },
}

/// What the agent answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedAnswer {
    /// What it thought and said on the way.
    pub(super) thought: String,
    /// What it said at last.
    pub(super) response: String,
    /// Input tokens, cached ones included.
    pub(super) input_tokens: u64,
    /// Output tokens.
    pub(super) output_tokens: u64,
    /// Input tokens from a cache.
    pub(super) cached_tokens: u64,
    /// What it cost, in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cost_microusd: Option<u64>,
}

/// Says why a record cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionRecordError {
    /// The disk failed.
    #[error("cannot {doing} agents/…/{NAME}: {source}")]
    Disk {
        /// What was to be done.
        doing: &'static str,
        /// What the disk said.
        source: io::Error,
    },
    /// The file is no session record.
    #[error("agents/…/{NAME} is damaged: {message}")]
    Damaged {
        /// What is wrong.
        message: String,
    },
}

fn disk(doing: &'static str) -> impl FnOnce(io::Error) -> SessionRecordError {
    move |source| SessionRecordError::Disk { doing, source }
}

/// The agent's folder, made if it is not there.
pub(super) fn folder(home: &Path, agent: &str) -> Result<Arc<dyn Storage>, SessionRecordError> {
    let folder = FileStorage::create(&home.join("agents").join(agent)).map_err(disk("reach"))?;
    Ok(Arc::new(folder))
}

/// Reads the record; an empty one where there is none.
pub(super) fn read(storage: &dyn Storage) -> Result<SessionRecord, SessionRecordError> {
    let file = match storage.open(NAME, Access::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(SessionRecord::default());
        }
        Err(error) => return Err(disk("open")(error)),
    };
    let size = file.size().map_err(disk("read"))?;
    if size > BYTES_MAX {
        return Err(SessionRecordError::Damaged {
            message: format!("it has {size} bytes, and at most {BYTES_MAX} are read"),
        });
    }
    let length = usize::try_from(size).unwrap_or(usize::MAX);
    let bytes = read_up_to(&*file, 0, length).map_err(disk("read"))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| SessionRecordError::Damaged { message: error.to_string() })
}

/// Replaces the record, durably.
pub(super) fn write(
    storage: &dyn Storage,
    record: &SessionRecord,
) -> Result<(), SessionRecordError> {
    let mut bytes = serde_json::to_vec_pretty(record)
        .map_err(|error| SessionRecordError::Damaged { message: error.to_string() })?;
    bytes.push(b'\n');
    let file = storage.open(TEMPORARY, Access::Create).map_err(disk("write"))?;
    file.write_at(&bytes, 0).map_err(disk("write"))?;
    file.sync_all().map_err(disk("sync"))?;
    storage.rename(TEMPORARY, NAME).map_err(disk("rename"))?;
    storage.sync_folder().map_err(disk("sync"))
}

#[cfg(test)]
mod tests {
    use abide_domain::EpochId;
    use uuid::Uuid;

    use super::{
        NAME, PromptRecord, PromptState, RecordedAnswer, SessionRecord, SessionRecordError, folder,
        read, write,
    };

    fn record(state: PromptState) -> SessionRecord {
        let epoch = EpochId::from_uuid(Uuid::from_u128(7));
        SessionRecord {
            session_id: Some("s-1".into()),
            context: "ab".into(),
            cost_microusd: None,
            prompt: Some(PromptRecord { epoch, turn: 1, attempt: 2, state }),
        }
    }

    #[test]
    fn a_note_reads_back_as_it_was_written() {
        let home = tempfile::tempdir().unwrap();
        let storage = folder(home.path(), "felix").unwrap();
        assert_eq!(read(&*storage).unwrap(), SessionRecord::default());
        let answer = RecordedAnswer { response: "yes".into(), ..RecordedAnswer::default() };
        let cut = PromptState::Cut { why: "it was withdrawn".into() };
        for state in [PromptState::Open, PromptState::Closed(answer), cut] {
            write(&*storage, &record(state.clone())).unwrap();
            assert_eq!(read(&*storage).unwrap(), record(state));
        }
        let text = std::fs::read_to_string(home.path().join("agents/felix").join(NAME)).unwrap();
        assert!(text.contains("\"state\": \"cut\"") && text.contains("s-1"), "{text}");
    }

    #[test]
    fn a_damaged_note_is_not_taken_for_none() {
        let home = tempfile::tempdir().unwrap();
        let storage = folder(home.path(), "felix").unwrap();
        std::fs::write(home.path().join("agents/felix").join(NAME), "{\"session").unwrap();
        assert!(matches!(read(&*storage), Err(SessionRecordError::Damaged { .. })));
    }
}
