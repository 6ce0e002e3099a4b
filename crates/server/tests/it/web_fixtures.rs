//! What the web client's tests feed its reducer: real epochs of the real binary, written to `web/tests/fixtures`.
//!
//! Ids, times, digests and durations differ from run to run, so they are written as what they are, in their order; all else
//! is kept as it came. A fixture that differs fails here; `ABIDE_TEST_WRITE=1 cargo nextest run -p abide-server web_fixtures` writes
//! them again.

use std::{collections::HashMap, path::PathBuf};

use abide_testkit::{FakeDialect, ModelServer, Reply, ReplyHold, SeenRequest};
use serde_json::{Value, json};

use crate::home::{Home, Keeper};

/// Stands for every time that is not an event's own.
const SOME_TIME: &str = "2026-01-01T00:00:00.000000Z";

fn home_for(server: &ModelServer, more: &str) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n\
         [[agent]]\nid = \"felix\"\nname = \"Felix\"\nmind = \"model\"\n{more}"
    ))
}

/// What a page sees that was opened at `before`, and what the keeper says at the end.
fn seen(keeper: &Keeper, before: &Value) -> Value {
    let read = |path: &str| keeper.client.read(path);
    let after = read("/snapshot");
    let path = format!("/events?after={}&thoughts=1", before["seq"]);
    let mut stream = keeper.client.events(&path, &[]);
    let mut events = Vec::new();
    while events.len() as u64 + before["seq"].as_u64().unwrap() < after["seq"].as_u64().unwrap() {
        events.push(stream.next().unwrap().data);
    }
    json!({
        "before": before, "events": events, "after": after,
        "epochs": read("/epochs?thoughts=1")["items"], "agents": read("/agents")["items"],
        "approvals": read("/approvals")["items"], "attention": read("/attention")["items"],
    })
}

/// Compares a fixture with the one that is checked in, or writes it.
#[expect(clippy::disallowed_methods, reason = "a person at a shell asks for the files, no keeper")]
fn check(name: &str, mut fixture: Value) {
    Plain::default().make(&mut fixture);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/fixtures");
    let path = folder.join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(&fixture).unwrap() + "\n";
    if std::env::var("ABIDE_TEST_WRITE").is_ok() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "web/tests/fixtures/{name}.json is stale: \
         ABIDE_TEST_WRITE=1 cargo nextest run -p abide-server web_fixtures\n{text}"
    );
}

/// Takes out what differs from run to run.
#[derive(Default)]
struct Plain {
    ids: HashMap<String, String>,
}

impl Plain {
    fn make(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.plain(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.make(item)),
            Value::Object(object) => {
                let seq = object.get("seq").and_then(Value::as_u64);
                object.shift_remove("crc");
                object.shift_remove("chain");
                for (key, value) in object {
                    match (key.as_str(), seq) {
                        ("timestamp", Some(seq)) => {
                            *value = json!(format!(
                                "2026-01-01T00:{:02}:{:02}.000000Z",
                                seq / 60,
                                seq % 60
                            ));
                        }
                        ("tick" | "duration_ms", _) if value.is_number() => *value = json!(0),
                        ("version", _) if value.is_string() => *value = json!("0"),
                        // Prompts speak of times in words, whose length differs.
                        ("tokens", _) if value.is_object() => {
                            *value =
                                json!({"system": 100, "object": 50, "history": 20, "stimulus": 5});
                        }
                        _ => self.make(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn plain(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (word, len) = if is_shaped(rest, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
                (self.id(&rest[..36]), 36)
            } else if is_shaped(rest, &"x".repeat(64)) {
                ("0".repeat(64), 64)
            } else if is_shaped(rest, "dddd-dd-ddTdd:dd:dd.ddddddZ") {
                (SOME_TIME.to_owned(), 27)
            } else {
                (first.to_string(), first.len_utf8())
            };
            out.push_str(&word);
            rest = &rest[len..];
        }
        out
    }

    fn id(&mut self, id: &str) -> String {
        let next = self.ids.len() + 1;
        let new = || format!("00000000-0000-7000-8000-{next:012}");
        self.ids.entry(id.to_owned()).or_insert_with(new).clone()
    }
}

/// Whether a text begins in a shape: `x` a hex digit, `d` a digit, anything else itself.
fn is_shaped(text: &str, shape: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= shape.len()
        && shape.bytes().zip(bytes).all(|(shape, byte)| match shape {
            b'x' => byte.is_ascii_hexdigit(),
            b'd' => byte.is_ascii_digit(),
            other => *byte == other,
        })
}

#[test]
fn a_tool_and_an_answer_with_thoughts() {
    let server = ModelServer::start().unwrap();
    server.script([
        Reply::calls([("memory-remember_fact", json!({"content": "the heron is grey"}))])
            .thought("They want me to keep this."),
        Reply::text("I will **remember** that."),
        Reply::text("Grey.").thought("They said so."),
    ]);
    let home = home_for(&server, "");
    let keeper = home.up();
    let before = keeper.client.read("/snapshot");
    keeper.client.say("remember that the heron is grey");
    keeper.client.say("what colour is the heron?");
    check("answer", seen(&keeper, &before));
}

#[test]
fn a_call_that_waits_and_is_allowed() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::calls([("clock-now", json!({}))]), Reply::text("It is late.")]);
    let home = home_for(&server, "[tools]\nask = [\"clock.*\"]\n");
    let keeper = home.up();
    let before = keeper.client.read("/snapshot");
    let mut events = keeper.client.events("/events", &[]);
    keeper
        .client
        .post("/start-epoch", &json!({"message": "what time is it?", "interactive": true}));
    events.until("approval.requested");
    check("waiting", seen(&keeper, &before));
    let at_approval = keeper.client.read("/snapshot");
    let id = keeper.client.read("/approvals")["items"][0]["id"].as_str().unwrap().to_owned();
    keeper.client.post(&format!("/approvals/{id}"), &json!({"decision": "approve"}));
    events.until("epoch.committed");
    let mut whole = seen(&keeper, &before);
    // What the clock says is another thing each time.
    mask_results(&mut whole);
    check("approved", whole);
    assert!(at_approval["seq"].as_u64() > before["seq"].as_u64());
}

fn mask_results(fixture: &mut Value) {
    match fixture {
        Value::Array(items) => items.iter_mut().for_each(mask_results),
        Value::Object(object) => {
            let is_result = object.contains_key("outcome") && object.contains_key("content");
            if is_result {
                object.insert("content".to_owned(), json!("the time"));
            }
            object.values_mut().for_each(mask_results);
        }
        _ => {}
    }
}

#[test]
fn one_is_stopped_and_the_next_that_waited_is_answered() {
    let gate = ReplyHold::closed();
    // By what is asked and not by its turn: whether the first asking still reached the model is nobody's promise.
    let rule = move |request: &SeenRequest| {
        if request.user_text().contains("for ever") {
            Reply::text("never").held_by(&gate)
        } else {
            Reply::text("Here I am.")
        }
    };
    let server = ModelServer::builder().rule(rule).start().unwrap();
    let home = home_for(&server, "");
    let keeper = home.up();
    let before = keeper.client.read("/snapshot");
    let mut events = keeper.client.events("/events", &[]);
    let first = keeper.client.post("/start-epoch", &json!({"message": "think for ever"}));
    events.until("turn.started");
    keeper.client.post("/start-epoch", &json!({"message": "are you there?"}));
    let id = first.json()["epoch_id"].as_str().unwrap().to_owned();
    let stopped = keeper.client.post(&format!("/epochs/{id}/abort"), &json!({"reason": "enough"}));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    events.until("epoch.committed");
    check("stopped", seen(&keeper, &before));
}

#[test]
fn a_model_that_refuses_leaves_a_matter_to_look_at() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::status(400)]);
    let home = home_for(&server, "");
    let keeper = home.up();
    let before = keeper.client.read("/snapshot");
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "are you there?"}));
    events.until("epoch.aborted");
    keeper.client.post("/agents/felix/park", &json!({}));
    check("failed", seen(&keeper, &before));
}
