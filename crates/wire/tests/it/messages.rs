//! What is reported, kept and hidden of single messages.

use abide_domain::Timestamp;
use abide_wire::{
    AgentStatus, Direction, FromAgent, Heartbeat, Hello, MemoryAdd, Message, Operation, Payload,
    Raw, RefusalError, Restore, Secret, Snapshot, ToAgent, Version, WalEntry, limits::PROBLEMS_MAX,
    transcode,
};
use serde_json::{Value, json};

use crate::{Either, good, read_one, through, vector};

const NOW: Timestamp = Timestamp::from_micros(1_705_392_000_999_999);

fn from_agent(message: &Value) -> Result<Either, RefusalError> {
    read_one(Direction::FromAgent, &vector::frame(&vector::packed(message)))
}

fn restore(wal_entries: Vec<WalEntry>) -> Restore {
    let state = Payload::empty();
    Restore { checkpoint_id: "c".into(), state, wal_entries, next_sequence: Some(6) }
}

#[test]
fn all_problems_are_reported_at_once_and_go_back_by_path() {
    let refusal = from_agent(&json!({"type": "process_delta", "version": 3, "timestamp": "now",
        "request_id": "r-9", "text": 1, "thought": "yes"}))
    .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "INVALID_MESSAGE: timestamp: must be an integer, not text; text: must be text, not an \
         integer; thought: must be a boolean, not text"
    );
    let answer = Message::<ToAgent>::new(Version::V3, NOW, refusal.to_keeper_error());
    let Either::To(answer) = through(&answer) else { panic!("the other direction") };
    let ToAgent::Error(error) = answer.body else { panic!("{answer:?}") };
    assert_eq!(error.error.code, "INVALID_MESSAGE");
    assert_eq!(error.request_id.as_deref(), Some("r-9"));
    let details = error.error.details.unwrap();
    assert_eq!(details["path"], "timestamp");
    let third =
        json!({"path": "thought", "code": "type", "message": "must be a boolean, not text"});
    assert_eq!(details["problems"][2], third);
}

#[test]
fn a_flood_of_problems_is_cut() {
    let entries = vec![json!({}); 10_000];
    let message = json!({"type": "wal_batch", "timestamp": 1, "data": entries});
    assert_eq!(from_agent(&message).unwrap_err().problems.len(), PROBLEMS_MAX);
}

#[test]
fn operations_that_are_not_known_are_returned_verbatim() {
    // {1: nil} as parameters, and an extension beside them: nothing that JSON could show.
    let mut entry = vec![0x84];
    entry.extend(b"\xa9operation\xa1x\xa6params\x81\x01\xc0\xa8sequence\x05\xa3ext\xd4\x07\x09");
    let read = WalEntry::from_raw(&Raw::parse(entry.clone()).unwrap()).unwrap();
    assert_eq!(read.operation(), Ok(None));
    assert_eq!(read.to_raw().as_bytes(), entry);
    let restore = Message::<ToAgent>::new(Version::V3, NOW, restore(vec![read]));
    let bytes = restore.encode().unwrap();
    assert!(bytes.windows(entry.len()).any(|window| window == entry));
}

#[test]
fn the_specifications_operations_are_read() {
    let operation = Operation::MemoryAdd(MemoryAdd {
        content: "tea".into(),
        metadata: Some(Raw::from_json(&json!({"source": "conversation"}))),
        importance: Some(0.7),
    });
    let entry = WalEntry::of(1, &operation);
    assert_eq!(entry.operation(), Ok(Some(operation)));
    let broken = WalEntry::new(1, "memory_add", Raw::empty_map());
    assert_eq!(broken.operation().unwrap_err().path(), "content");
}

#[test]
fn a_snapshot_is_read_written_and_peeked_into() {
    let vector = good::vectors().into_iter().find(|v| v.name == "checkpoint_v1").unwrap();
    let read = read_one(Direction::FromAgent, &vector.bytes);
    let Ok(Either::From(message)) = read else { panic!("{read:?}") };
    let FromAgent::Checkpoint(checkpoint) = message.body else { panic!("{message:?}") };
    let state = checkpoint.state.unpack().unwrap();
    assert_eq!(Snapshot::status(&state), Some(AgentStatus::Thinking));
    let snapshot = Snapshot::from_raw(&state).unwrap();
    assert_eq!(snapshot.memory_blocks[0].embedding, [0.5, -0.25]);
    assert_eq!(Snapshot::from_raw(&snapshot.to_raw()), Ok(snapshot));
    assert_eq!(Snapshot::status(&Raw::empty_map()), None);
}

#[test]
fn newer_fields_are_not_written_to_older_peers() {
    let json = |version| {
        let message = Message::<ToAgent>::new(version, NOW, restore(vec![]));
        Raw::parse(message.encode().unwrap()[4..].to_vec()).unwrap().to_json().unwrap()
    };
    let old = json!({"type": "restore", "timestamp": 1_705_392_000, "checkpoint_id": "c",
        "snapshot": {}, "wal_entries": []});
    assert_eq!(json(Version::V1), old);
    assert_eq!(json(Version::V3)["next_sequence"], 6);
}

#[test]
fn a_token_is_sent_and_never_shown() {
    let hello = Hello {
        agent: "felix".parse().unwrap(),
        run: String::new(),
        capabilities: vec![],
        sdk: None,
        token: Some(Secret::new("hunter2")),
    };
    let message = Message::<FromAgent>::new(Version::V3, NOW, hello);
    assert!(!format!("{message:?}").contains("hunter2"));
    let Either::From(received) = through(&message) else { panic!("the other direction") };
    let FromAgent::Hello(hello) = received.body else { panic!("{received:?}") };
    assert_eq!(hello.token.map(|token| token.expose().to_owned()), Some("hunter2".into()));
}

#[test]
fn transcoding_says_the_same_as_reading() {
    for vector in good::vectors() {
        let mut line = b"kept".to_vec();
        transcode(&vector.bytes[4..], &mut line).unwrap();
        let value = Raw::parse(vector.bytes[4..].to_vec()).unwrap().to_json().unwrap();
        assert_eq!(line, format!("kept{value}").as_bytes(), "{}", vector.name);
    }
    let mut out = b"kept".to_vec();
    assert!(transcode(b"\x82\xa1a\x01\xa1b\xcb\x7f\xf8\0\0\0\0\0\0", &mut out).is_err());
    assert_eq!(out, b"kept");
}

#[test]
fn a_heartbeat_has_room_for_its_counter() {
    let heartbeat = Heartbeat { progress: Some(u64::MAX) };
    let far = Timestamp::from_micros(i64::MAX);
    let frame = Message::<FromAgent>::new(Version::V3, far, heartbeat).encode().unwrap();
    assert!(frame.len() - 4 <= 60, "{}", frame.len());
}
