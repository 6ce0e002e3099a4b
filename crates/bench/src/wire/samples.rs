//! The messages that are read and written: one of each size that travels, with contents as agents send them.

use abide_domain::Timestamp;
use abide_wire::{Direction, Frame, FromAgent, Message, Raw, ToAgent, limits::LENGTH_BYTES};
use serde_json::{Value, json};

use crate::error::BenchError;

/// Seconds since 1970 that every message says.
const SENT_AT: i64 = 1_795_817_403;
/// Exchanges in the history of a request: they make it 20 KB.
const EXCHANGES: u32 = 43;
/// Memories in a checkpoint: they make it 1 MB.
const MEMORIES: u32 = 1_385;
/// Numbers in the embedding of each.
const DIMENSIONS: u32 = 64;
/// Operations in a batch.
const BATCH: u64 = 100;

/// One message.
#[derive(Debug)]
pub(super) struct SampleMessage {
    /// Its stable name, and that of its file.
    pub(super) name: &'static str,
    /// What it is, for people.
    pub(super) title: &'static str,
    /// Rows: ours, beside Python's, beside JavaScript's.
    pub(super) ids: [&'static str; 3],
    pub(super) direction: Direction,
    /// Length and body, in the shortest form.
    pub(super) frame: Vec<u8>,
}

impl SampleMessage {
    /// The body without its length.
    pub(super) fn body(&self) -> &[u8] {
        self.frame.get(LENGTH_BYTES..).unwrap_or_default()
    }
}

/// All of them, the shortest first.
pub(super) fn all() -> Result<Vec<SampleMessage>, BenchError> {
    let from = Direction::FromAgent;
    let heartbeat = json!({"p": 981});
    let batch: Vec<_> = (1..=BATCH).map(entry).collect();
    Ok(vec![
        sample("heartbeat", "a heartbeat", from, &heartbeat)?,
        sample("wal_entry", "one operation", from, &json!({"data": entry(12_345)}))?,
        sample("wal_batch", "a batch of 100 operations", from, &json!({"data": batch}))?,
        sample("process_request", "a request of 20 KB", Direction::ToAgent, &request())?,
        sample("checkpoint", "a checkpoint of 1 MB", from, &checkpoint())?,
    ])
}

fn ids(name: &str) -> [&'static str; 3] {
    match name {
        "heartbeat" => ["wire_heartbeat", "wire_heartbeat_python", "wire_heartbeat_javascript"],
        "wal_entry" => ["wire_wal_entry", "wire_wal_entry_python", "wire_wal_entry_javascript"],
        "wal_batch" => ["wire_wal_batch", "wire_wal_batch_python", "wire_wal_batch_javascript"],
        "process_request" => ["wire_request", "wire_request_python", "wire_request_javascript"],
        _ => ["wire_checkpoint", "wire_checkpoint_python", "wire_checkpoint_javascript"],
    }
}

/// Packs a message of version 3, reads it as a peer does, and writes it in the shortest form.
fn sample(
    name: &'static str,
    title: &'static str,
    direction: Direction,
    fields: &Value,
) -> Result<SampleMessage, BenchError> {
    let mut message = json!({"type": name, "version": 3, "timestamp": SENT_AT});
    if let (Some(message), Some(fields)) = (message.as_object_mut(), fields.as_object()) {
        message.extend(fields.clone());
    }
    let frame = Frame::parse(direction, Raw::from_json(&message).into_bytes());
    let frame = frame.map_err(BenchError::of("make a message"))?;
    let written = match direction {
        Direction::FromAgent => Message::<FromAgent>::decode(&frame).map(|read| read.encode()),
        Direction::ToAgent => Message::<ToAgent>::decode(&frame).map(|read| read.encode()),
    };
    let frame = written.map_err(BenchError::of("make a message"))?;
    let frame = frame.map_err(BenchError::of("write a message"))?;
    Ok(SampleMessage { name, title, ids: ids(name), direction, frame })
}

/// An operation of about 300 bytes in a frame of its own, the size that the reference measurements use.
fn entry(sequence: u64) -> Value {
    json!({
        "operation": "memory_add",
        "params": {
            "content": "The staging server was moved to the new rack this morning; the certificate of \
                the public address runs out on Thursday.",
            "metadata": {"source": "conversation", "session": "telegram:nicolas"},
            "importance": 0.7,
        },
        "sequence": sequence,
    })
}

/// A moment of the conversation.
fn at(second: u32) -> String {
    let micros = (SENT_AT - 86_400 + i64::from(second)) * 1_000_000;
    Timestamp::from_micros(micros).to_string()
}

fn request() -> Value {
    let exchanges = (0..EXCHANGES).flat_map(|number| {
        let said = |role: &str, content: String, second: u32| {
            json!({"role": role, "content": content, "sender": "nicolas", "at": at(second), "channel": "telegram",
                "epoch_id": format!("01939c7e-8a00-7000-8000-{number:012x}")})
        };
        let question = format!("What is left to do before the release of Friday, list {number}?");
        let answer = format!("Three things of list {number}: the backup of the old disk, the certificate, the review.");
        [said("user", question, number * 60), said("assistant", answer, number * 60 + 3)]
    });
    let tool = |name: &str| {
        let query = json!({"type": "string", "description": "words to look for"});
        let parameters =
            json!({"type": "object", "properties": {"query": query}, "required": ["query"]});
        json!({"name": name, "description": "Searches what you know.", "parameters": parameters,
            "effect": "read", "idempotent": true})
    };
    let tools = ["memory.search_facts", "memory.recall", "notes.list"].map(tool);
    let context = json!({
        "epoch_id": "01939c7e-8a00-7000-8000-000000000fff", "turn": 1, "attempt": 1, "channel": "telegram",
        "session_id": "telegram:nicolas", "sent_at": at(86_400),
        "system": "You are Felix, who keeps the releases in order. ".repeat(40),
        "history": exchanges.collect::<Vec<_>>(),
        "tools": tools,
        "deadline_ms": 120_000,
    });
    json!({
        "request_id": "01939c7e-8a00-7000-8000-00000000002a",
        "data": {"message": "And what comes after the release?", "context": context, "user_id": "nicolas"},
    })
}

fn checkpoint() -> Value {
    let memories = (0..MEMORIES).map(|number| {
        // Halves, so that no number is whole: JavaScript would write it as an integer.
        let embedding = (0..DIMENSIONS).map(|at| f64::from(number * DIMENSIONS + at) + 0.5);
        json!({
            "id": format!("memory-{number}"),
            "text": format!("Note {number}: the staging server stands in the new rack since this morning."),
            "embedding": embedding.collect::<Vec<_>>(), "metadata": {"source": "conversation"},
            "importance": 0.5, "access_count": number % 17, "created": SENT_AT,
        })
    });
    let state = json!({
        "agent_state": {"id": "felix", "name": "Felix", "version": "1.0", "status": "idle"},
        "memory_blocks": memories.collect::<Vec<_>>(),
    });
    json!({"wal_sequence": 12_347, "data": state})
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_messages_have_the_sizes_that_they_are_named_for() {
        let samples = super::all().unwrap();
        let sizes: Vec<_> =
            samples.iter().map(|sample| (sample.name, sample.body().len())).collect();
        let expected = [
            ("heartbeat", 30..=60),
            ("wal_entry", 270..=330),
            ("wal_batch", 20_000..=30_000),
            ("process_request", 19_500..=21_000),
            ("checkpoint", 1_000_000..=1_100_000),
        ];
        for ((name, bytes), (same, range)) in sizes.iter().zip(expected) {
            assert!(*name == same && range.contains(bytes), "{name} has {bytes} bytes");
        }
    }
}
