//! Thousands of requests that are almost right, over all routes: none of them is a failure of the keeper's, all refusals
//! have one shape, and afterwards it answers as before.

use abide_testkit::rounds;
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    document::Document,
    home::Home,
    process::scene::assert_verified,
};

/// Requests in `make soak`.
const REQUESTS: u32 = 10_000;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const ID: &str = "0193e0f0-0000-7000-8000-000000000000";

/// Numbers that are the same on every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Bodies that are right, or nearly, one for each route that takes one.
fn bodies() -> Vec<(&'static str, String, Value)> {
    let post = |path: &str, body: Value| ("POST", path.to_owned(), body);
    let envelope = json!({
        "stimulus": {"content": "hi", "sender": "ada", "channel": "api", "timestamp": "2026-11-20T16:30:00Z"},
        "last_driver_output": {"content": "so", "timestamp": "2026-11-20T16:29:00Z"},
        "citizen": "felix", "session_id": "s",
    });
    let alert = json!({"status": "firing", "labels": {"alertname": "x"}, "annotations": {}, "startsAt": "2026-11-27T08:53:58Z", "fingerprint": "a1"});
    let evidence = json!({
        "subject": {"ref/type": "agent", "ref/id": "felix"}, "type": "reflection", "claim-type": "observation",
        "body": {"text": "it was slow"}, "tags": ["pace"],
    });
    let line = r#"{"node_id":"talk","node_type":"Topic","name":"x"}"#;
    vec![
        post(
            "/start-epoch",
            json!({"message": "hi", "sender": "ada", "channel": "api", "citizen": "felix", "session_id": "s", "interactive": true}),
        ),
        post("/start-epoch", envelope),
        post(&format!("/epochs/{ID}/abort"), json!({"reason": "x"})),
        post(&format!("/epochs/{ID}/fork"), json!({"message": "x"})),
        post("/agents/felix/restore", json!({"checkpoint_id": ID})),
        post("/agents/felix/park", json!({})),
        post("/agents/felix/resume", json!({})),
        post(&format!("/approvals/{ID}"), json!({"decision": "approve", "reason": "x"})),
        post(
            "/watchdog/silence",
            json!({"agent": "felix", "for": "1h", "reason": "x", "all": false}),
        ),
        post("/watchdog/ack", json!({"episode": ID, "all": true})),
        post("/alertmanager", json!({"version": "4", "receiver": "abide", "alerts": [alert]})),
        post("/evidence", evidence),
        post("/identity", json!({"content": "I am felix", "force": true, "citizen": "felix"})),
        post("/identity/restore", json!({"version": 1, "citizen": "felix"})),
        post(&format!("/identity/proposals/{ID}"), json!({"decision": "approve", "reason": "x"})),
        post(
            "/knowledge",
            json!({"content": "the heron is grey", "category": "x", "tags": ["a"], "citizen": "felix"}),
        ),
        post(
            "/memory/query",
            json!({"query": "facts", "params": {"text": "heron", "limit": 3}, "citizen": "felix"}),
        ),
        post("/memory/search", json!({"query": "heron", "sender": "ada", "limit": 3})),
        post("/memory/graph/nodes", json!({"node_id": "talk", "node_type": "Topic", "name": "x"})),
        post("/memory/graph/edges", json!({"from": "talk", "edge": "ABOUT_TOPIC", "to": "race"})),
        post("/memory/graph/seed", json!({"lines": line})),
        post("/stdout", json!({"as": "@ann", "command": "\\stdout write: x ---"})),
        post("/stdout/grants", json!({"reader": "@ann", "owner": "@bob"})),
        ("DELETE", "/stdout/grants".to_owned(), json!({"reader": "@ann", "owner": "@bob"})),
        post("/management/reset", json!({"citizen": "felix", "force": false})),
        post("/management/sleep", json!({"citizen": "felix", "rules": true})),
        post("/session", json!({"code": "x"})),
    ]
}

/// Addresses without a body, each with parameters that it has.
const ADDRESSES: [&str; 26] = [
    "/epochs?citizen=felix&limit=3&cursor=2&thoughts=1",
    "/epochs/ID?context=1&thoughts=1",
    "/ledger?before=9&after=1&limit=2&citizen=felix&kinds=epoch.*&epoch=ID&q=heron",
    "/agents?limit=1&cursor=1",
    "/agents/felix",
    "/agents/felix/wakes?limit=1",
    "/approvals?citizen=felix&limit=1",
    "/attention?limit=2&cursor=1",
    "/watchdog/report?since=8h",
    "/evidence?author=ada&type=reflection&since=1h&tag=pace&cursor=1",
    "/identity?citizen=felix&version=1",
    "/identity/versions?limit=1",
    "/identity/diff?from=1&to=2",
    "/identity/proposals?citizen=felix",
    "/knowledge?q=heron&history=1&limit=2&cursor=1",
    "/dreams?limit=1",
    "/dreams/x.md",
    "/memory/graph/nodes?type=Topic&closed=1&limit=1",
    "/memory/graph/nodes/talk",
    "/memory/graph/edges?node=talk&edge=ABOUT_TOPIC",
    "/memory/graph/export?citizen=felix",
    "/stdout/grants?limit=1&cursor=1",
    "/management/sleep?citizen=felix",
    "/snapshot",
    "/openapi.json",
    "/assets/app.js",
];

/// Values that are seldom meant.
fn odd_value(numbers: &mut Numbers) -> Value {
    let texts = [
        "",
        " ",
        "\u{0}",
        "\u{202e}\u{200b}",
        "ünï🦀",
        "\u{feff}",
        "../../etc/passwd",
        "@@",
        "\\stdout ---",
        "%ff",
        "0000-00-00T00:00:00Z",
        "2026-11-20T16:30:00+99:99",
        "9999-12-31T23:59:60Z",
        "18446744073709551616",
        "NaN",
    ];
    match numbers.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(1.5e300),
        6 => json!([]),
        7 => json!({}),
        8 => json!([["x"], {"a": [1]}]),
        9 => json!({"a": {"a": {"a": null}}}),
        10 => json!("x".repeat(numbers.below(70_000))),
        11 => json!((0..numbers.below(300)).collect::<Vec<_>>()),
        _ => json!(numbers.of(&texts)),
    }
}

/// Changes one part of a value, wherever it is.
fn mutate(value: &mut Value, numbers: &mut Numbers) {
    let goes_in = numbers.below(4) > 0;
    match value {
        Value::Object(object) if goes_in && !object.is_empty() => {
            let keys: Vec<String> = object.keys().cloned().collect();
            let key = numbers.of(&keys).clone();
            match numbers.below(6) {
                0 => drop(object.shift_remove(&key)),
                1 => drop(object.insert(format!("{key}x"), odd_value(numbers))),
                2 => {
                    let moved = object.shift_remove(&key).unwrap();
                    object.insert(key.to_uppercase(), moved);
                }
                _ => mutate(object.get_mut(&key).unwrap(), numbers),
            }
        }
        Value::Array(items) if goes_in && !items.is_empty() => {
            let at = numbers.below(items.len());
            if numbers.below(4) == 0 {
                let again = items[at].clone();
                items.push(again);
            } else {
                mutate(&mut items[at], numbers);
            }
        }
        other => *other = odd_value(numbers),
    }
}

/// Changes the text itself: cut, doubled, a character put in, a key twice, deeper than any reader goes.
fn mutate_text(mut text: String, numbers: &mut Numbers) -> String {
    let put_in = [
        "\"", "{", "}", ",", ":", "\\ud800", "\\u0000", "\u{0}", "é", "1e999", "-", "//",
        "\u{feff}",
    ];
    let at = text.floor_char_boundary(numbers.below(text.len() + 1));
    match numbers.below(8) {
        0 => text.truncate(at),
        1 => text.push_str(&text.clone()),
        2 => text = format!("[{text}]"),
        3 => text = "[".repeat(50_000),
        4 => text = text.replacen('{', r#"{"citizen":"felix","citizen":"x","#, 1),
        _ => text.insert_str(at, numbers.of::<&str>(&put_in)),
    }
    text
}

/// Changes an address: names and values of parameters, parts of the path.
fn mutate_address(address: &str, numbers: &mut Numbers) -> String {
    let odd = [
        "",
        "x",
        "%ff",
        "%00",
        "%F0%9F%A6%80",
        "-1",
        "18446744073709551616",
        "a%26b=c",
        "%E2%80%AE",
        "..%2f..",
        "%C3%A9",
    ];
    let mut parts: Vec<String> =
        address.split_inclusive(['/', '?', '&', '=']).map(str::to_owned).collect();
    for _ in 0..=numbers.below(2) {
        let at = numbers.below(parts.len());
        let end = parts[at].chars().last().filter(|c| "/?&=".contains(*c));
        let end = end.map(String::from).unwrap_or_default();
        parts[at] = format!("{}{end}", numbers.of(&odd));
    }
    let text = parts.concat();
    if text.starts_with('/') { text } else { format!("/{text}") }
}

fn send(client: &Client, method: &str, path: &str, body: &str) -> Answer {
    let headers = [("content-type", "application/json")];
    let headers: &[(&str, &str)] = if method == "GET" { &[] } else { &headers };
    client
        .attempt(method, path, headers, body)
        .unwrap_or_else(|| panic!("no answer to {method} {path}: {body:.300}"))
}

fn assert_answered(answer: &Answer, asked: &str) {
    assert!(answer.status < 500, "{asked:.500}: {answer:?}");
    if answer.status < 400 {
        return;
    }
    let error = answer.json()["error"].clone();
    let is_text = |name: &str| error[name].as_str().is_some_and(|text| !text.is_empty());
    assert!(is_text("code") && is_text("message"), "{asked:.500}: {answer:?}");
    let message = error["message"].as_str().unwrap();
    for word in
        ["at line ", "serde", "invalid type", "missing field", "expected struct", "unknown variant"]
    {
        assert!(!message.contains(word), "{asked:.500}: {message}");
    }
}

#[test]
fn requests_that_are_almost_right_are_never_a_failure_of_the_keeper() {
    // A sleep waits for the end of an epoch, which waits for an agent that was parked under it.
    let home = Home::new("[limits]\nturn = \"2s\"\nepoch = \"10s\"\n");
    let keeper = home.up();
    let document = Document::read(&keeper.client);
    let mut numbers = Numbers(SEED);
    let bodies = bodies();
    for round in 0..rounds(REQUESTS) {
        if round % 4 == 3 {
            let address = numbers.of(&ADDRESSES).replace("ID", ID);
            let address = mutate_address(&address, &mut numbers);
            // A stream has no end.
            if !address.starts_with("/events") {
                let answer = send(&keeper.client, "GET", &address, "");
                assert_answered(&answer, &address);
                document.check("GET", &address, &answer);
            }
            continue;
        }
        let (method, path, mut body) = numbers.of(&bodies).clone();
        for _ in 0..numbers.below(3) {
            mutate(&mut body, &mut numbers);
        }
        let text = body.to_string();
        let text = if numbers.below(3) == 0 { mutate_text(text, &mut numbers) } else { text };
        let answer = send(&keeper.client, method, &path, &text);
        assert_answered(&answer, &format!("{round}: {method} {path} {text}"));
        document.check(method, &path, &answer);
    }
    keeper.client.post("/agents/felix/resume", &json!({}));
    assert_eq!(keeper.client.read("/health")["status"], "ok");
    let said =
        keeper.client.post("/start-epoch?wait=1", &json!({"message": "hi", "citizen": "felix"}));
    assert_eq!(said.status, 200, "{said:?}");
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
}
