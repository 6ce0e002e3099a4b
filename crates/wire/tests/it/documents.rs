//! `docs/wire.md` says what the code does: its examples are decoded, its table is the code's.

use std::{fmt::Write as _, fs};

use abide_wire::{Direction, MessageType, Raw, error_code};
use serde_json::{Deserializer, Value};

use crate::{read_one, vector};

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/wire.md");
    fs::read_to_string(path).unwrap()
}

/// Messages in code blocks of one kind.
fn examples(document: &str, kind: &str) -> Vec<Value> {
    let fence = format!("```{kind}\n");
    let blocks = document.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
    let read = |block| {
        let values = Deserializer::from_str(block).into_iter::<Value>();
        values.map(move |value| value.unwrap_or_else(|error| panic!("{error} in {block}")))
    };
    blocks.flat_map(read).collect()
}

#[test]
fn every_example_is_a_message_and_is_written_as_it_stands() {
    let document = document();
    let mut seen = Vec::new();
    for (kind, direction) in
        [("json from-agent", Direction::FromAgent), ("json to-agent", Direction::ToAgent)]
    {
        for message in examples(&document, kind) {
            let bytes = vector::frame(&vector::packed(&message));
            let read = read_one(direction, &bytes).unwrap_or_else(|e| panic!("{e}: {message}"));
            let again = Raw::parse(read.encode()[4..].to_vec()).unwrap().to_json().unwrap();
            assert_eq!(again, message);
            seen.push((message["type"].clone(), direction));
        }
    }
    for kind in MessageType::ALL {
        for direction in [Direction::FromAgent, Direction::ToAgent] {
            let is_shown = seen.iter().any(|(name, way)| name == kind.name() && *way == direction);
            assert_eq!(is_shown, kind.goes(direction), "{kind} {direction}");
        }
    }
}

#[test]
fn the_table_of_messages_is_the_codes() {
    let mut table = String::from("| type | way | since | at most | for |\n|---|---|---|---|---|\n");
    for kind in MessageType::ALL {
        let way = match [Direction::FromAgent, Direction::ToAgent].map(|way| kind.goes(way)) {
            [true, true] => "both",
            [true, false] => "agent → keeper",
            _ => "keeper → agent",
        };
        let (since, bytes) = (kind.since(), bytes(kind.bytes_max()));
        writeln!(table, "| `{kind}` | {way} | {since} | {bytes} | {} |", kind.purpose()).unwrap();
    }
    assert!(document().contains(&table), "docs/wire.md must contain:\n{table}");
}

fn bytes(bytes: usize) -> String {
    const KB: usize = 1024;
    const MB: usize = KB * KB;
    match bytes {
        0..KB => format!("{bytes} B"),
        KB..MB => format!("{} KB", bytes / KB),
        _ if bytes.is_multiple_of(MB) => format!("{} MB", bytes / MB),
        _ => format!("{} MB + {} KB", bytes / MB, bytes % MB / KB),
    }
}

#[test]
fn every_code_is_explained() {
    let document = document();
    for code in [
        error_code::INVALID_MESSAGE,
        error_code::UNSUPPORTED_VERSION,
        error_code::TOO_LARGE,
        error_code::SEQUENCE_GAP,
        error_code::STALE_RUN,
        error_code::NOT_READY,
        error_code::CHECKPOINT_FAILED,
        error_code::WAL_FULL,
        error_code::TOO_OFTEN,
        error_code::MODEL_OVERLOADED,
        error_code::MODEL_RATE_LIMITED,
        error_code::MODEL_MONEY_OUT,
        error_code::MODEL_REFUSED,
        error_code::MODEL_REJECTED,
        error_code::MODEL_UNAVAILABLE,
        error_code::CONTEXT_TOO_LONG,
        error_code::BAD_VOICE,
    ] {
        assert!(document.contains(&format!("| `{code}` |")), "{code}");
    }
}
