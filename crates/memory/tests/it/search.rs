//! Search, held against numbers that were worked out apart from it, against an index made afresh, and against questions
//! that nothing answers.

mod abstention;
mod afresh;
mod asking;
mod earlier;
mod embedding;
mod formula;
mod long_life;
mod messages;

use abide_domain::Timestamp;
use abide_memory::{Document, Index, QueryKind, SearchQuery, SpeakerRole};

/// Noon of a day such as `2026-03-02`.
fn noon(day: &str) -> Timestamp {
    format!("{day}T12:00:00Z").parse().unwrap()
}

/// A passage of the thread `talk` on one day.
fn passage<'a>(id: u64, speaker: &'a str, text: &'a str) -> Document<'a> {
    Document {
        id,
        thread: "talk",
        speaker,
        at: noon("2026-03-02"),
        text,
        aside: "",
        message: id,
        role: SpeakerRole::Person,
    }
}

/// A question about conversations, asked on 2026-07-05.
fn question(text: &str) -> SearchQuery<'_> {
    SearchQuery {
        text,
        vector: None,
        now: noon("2026-07-05"),
        asker: None,
        limit: 5,
        kind: QueryKind::Conversation,
        before: None,
    }
}

/// The identifiers that are found.
fn found(index: &Index, query: &SearchQuery<'_>) -> Vec<u64> {
    index.search(query).into_iter().map(|hit| hit.id).collect()
}

/// The file `fixtures/search.json`: a conversation and, for some questions, the first five hits by three sets of weights.
fn fixture() -> serde_json::Value {
    serde_json::from_str(include_str!("../fixtures/search.json")).unwrap()
}

/// The conversation of the fixture.
fn fixture_index(fixture: &serde_json::Value) -> Index {
    let mut index = Index::new();
    let text = |turn: &'_ serde_json::Value, key: &str| turn[key].as_str().unwrap().to_owned();
    for (id, turn) in (0..).zip(fixture["turns"].as_array().unwrap()) {
        index.add(Document {
            id,
            message: id,
            role: SpeakerRole::Person,
            thread: &text(turn, "session"),
            speaker: &text(turn, "speaker"),
            at: noon(&text(turn, "day")),
            text: &text(turn, "text"),
            aside: &text(turn, "aside"),
        });
    }
    index
}
