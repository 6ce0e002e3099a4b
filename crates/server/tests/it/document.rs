//! `/openapi.json` against reality: every route is asked, well and badly, and each answer is one that the document says.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    home::Home,
};

const GRAPH: &str = r#"{"node_id":"talk","type":"Conversation_Memory","partner":"nicolas","topic":"race condition","key_points":["too early"]}
{"node_id":"race","type":"Technical_Context","component":"engine","issue_type":"race condition","description":"two ticks write at once","recurrence_count":3}
{"node_id":"core.py","type":"Code_Reference","file_path":"engine/core.py","description":"the lock"}
{"node_id":"tick.py","type":"Code_Reference","file_path":"engine/tick.py","description":"the scheduler"}
{"from":"race","edge":"REFERENCES_CODE","to":"core.py"}
{"from":"core.py","edge":"DEPENDS_ON","to":"tick.py","dependency_type":"import"}
"#;

/// Routes that nothing in this life makes succeed, with what it would take.
const NOT_REACHED: [(&str, &str); 8] = [
    ("GET /dreams/{filename}", "a dream needs a model"),
    ("DELETE /dreams/{filename}", "a dream needs a model"),
    ("POST /identity/proposals/{id}", "a proposal needs a model that sleeps"),
    ("POST /knowledge/proposals/{id}", "a proposal needs somebody else's word"),
    ("POST /watchdog/{action}", "the watchdog of tests is off"),
    ("GET /watchdog/report", "the watchdog of tests is off"),
    ("POST /session", "a code is used up by whoever signs in"),
    ("GET /", "a browser's page is no JSON"),
];

/// The document as it is published.
pub(crate) struct Document {
    whole: Value,
    /// By what they are for: one takes longer to make than many to ask.
    validators: RefCell<HashMap<String, Rc<Validator>>>,
}

impl Document {
    pub(crate) fn read(client: &Client) -> Self {
        let mut whole = client.read("/openapi.json");
        // What is not in a shape must not be in an answer; one that is part of another says only its part.
        let text = whole.to_string();
        for (name, shape) in whole["components"]["schemas"].as_object_mut().unwrap() {
            let is_part =
                text.contains(&format!(r##""allOf":[{{"$ref":"#/components/schemas/{name}"}}"##));
            if shape.get("properties").is_some() && !is_part {
                shape["additionalProperties"] = json!(false);
            }
        }
        Self { whole, validators: RefCell::default() }
    }

    fn validator(&self, about: &str, schema: &Value) -> Rc<Validator> {
        let make = || {
            let mut schema = schema.clone();
            schema["components"] = self.whole["components"].clone();
            Rc::new(jsonschema::validator_for(&schema).unwrap())
        };
        Rc::clone(self.validators.borrow_mut().entry(about.to_owned()).or_insert_with(make))
    }

    /// All routes, as `GET /epochs/{id}`.
    fn routes(&self) -> BTreeSet<String> {
        let paths = self.whole["paths"].as_object().unwrap();
        let of = |(path, item): (&String, &Value)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
        };
        paths.iter().flat_map(of).collect()
    }

    /// The route of a request; none where there is none.
    fn route(&self, method: &str, path: &str) -> Option<String> {
        let path = path.split('?').next().unwrap();
        let parts: Vec<_> = path.split('/').collect();
        let is_it = |template: &&String| {
            let names: Vec<_> = template.split('/').collect();
            names.len() == parts.len()
                && names
                    .iter()
                    .zip(&parts)
                    .all(|(name, part)| name == part || name.starts_with('{') && !part.is_empty())
        };
        let paths = self.whole["paths"].as_object().unwrap();
        // A fixed name wins over a place for any.
        let template =
            paths.keys().filter(is_it).min_by_key(|template| template.matches('{').count())?;
        let has_method = paths[template].get(method.to_lowercase()).is_some();
        has_method.then(|| format!("{method} {template}"))
    }

    /// That an answer is one that the document says.
    pub(crate) fn check(&self, method: &str, path: &str, answer: &Answer) {
        if let Some(fault) = self.fault(method, path, answer) {
            panic!("{fault}");
        }
    }

    /// What an answer has that the document does not say; none where there is no such route.
    fn fault(&self, method: &str, path: &str, answer: &Answer) -> Option<String> {
        let route = self.route(method, path)?;
        let (_, template) = route.split_once(' ').unwrap();
        let responses = &self.whole["paths"][template][method.to_lowercase()]["responses"];
        let said = &responses[answer.status.to_string()];
        let about = format!("{route} {}", answer.status);
        if !said.is_object() {
            return Some(format!("{about} is not in the document: {answer:?}"));
        }
        let Some(content) = said["content"].as_object() else {
            return (!answer.text.is_empty()).then(|| format!("{about} has no body: {answer:?}"));
        };
        let media_type = answer.header("content-type").split(';').next().unwrap();
        if media_type != "application/json" {
            let is_said =
                |known: &String| known == media_type || known == "application/octet-stream";
            let fault = format!("{about} is never {media_type}");
            return (!content.keys().any(is_said)).then_some(fault);
        }
        let validator = self.validator(&about, &content["application/json"]["schema"]);
        let body = answer.json();
        let wrong = |error: jsonschema::ValidationError<'_>| {
            format!("{about} {}: {error}", error.instance_path())
        };
        validator.iter_errors(&body).map(wrong).next()
    }
}

/// Requests that go well in this life, in an order in which they do.
fn good([epoch, waiting, fact, approval]: [&str; 4]) -> Vec<(&'static str, String, Value)> {
    let get = |path: &str| ("GET", path.to_owned(), Value::Null);
    let post = |path: &str, body: Value| ("POST", path.to_owned(), body);
    let delete = |path: &str, body: Value| ("DELETE", path.to_owned(), body);
    let evidence = json!({
        "subject": {"ref/type": "agent", "ref/id": "felix"}, "type": "reflection", "claim-type": "observation",
        "body": {"text": "it was slow"}, "tags": ["pace"], "session-id": "s",
    });
    let alert = json!({"status": "firing", "labels": {"alertname": "x"}, "annotations": {}, "startsAt": "2026-11-27T08:53:58Z", "fingerprint": "a1"});
    let identity =
        "# Felix\n\nI am Felix, and I help whoever asks me with what they work on every day.";
    vec![
        post(&format!("/epochs/{waiting}/abort"), json!({"reason": "not now"})),
        get("/approvals"),
        get("/attention"),
        post(
            &format!("/approvals/{approval}"),
            json!({"decision": "approve", "reason": "why not"}),
        ),
        post("/memory/graph/seed", json!({"lines": GRAPH})),
        get("/"),
        get("/plain"),
        get("/assets/app.js"),
        get("/health"),
        get("/ready"),
        get("/alive"),
        get("/version"),
        get("/session"),
        post("/session/links", Value::Null),
        get("/epochs?limit=3"),
        get(&format!("/epochs/{epoch}?thoughts=1&context=1")),
        post("/start-epoch", json!({"message": "hi"})),
        post("/start-epoch?wait=1", json!({"message": "what colour is the heron?"})),
        post(&format!("/epochs/{epoch}/fork"), json!({"message": "hello"})),
        get("/ledger?limit=500"),
        get("/snapshot"),
        get("/agents"),
        get("/agents/felix"),
        post("/agents/felix/park", json!({})),
        post("/agents/felix/resume", json!({})),
        post("/agents/felix/checkpoint", json!({})),
        post("/agents/felix/restart", json!({})),
        get("/watchdog"),
        post("/alertmanager", json!({"version": "4", "receiver": "abide", "alerts": [alert]})),
        post("/evidence", evidence),
        get("/evidence?limit=200"),
        get("/identity"),
        post("/identity", json!({"content": identity})),
        get("/identity/versions"),
        get("/identity/diff?from=1"),
        post("/identity/restore", json!({"version": 1})),
        get("/identity/proposals"),
        post("/knowledge", json!({"content": "the harbour opens at six", "tags": ["a"]})),
        get("/knowledge?history=1"),
        get("/knowledge/proposals"),
        delete(&format!("/knowledge/{fact}?reason=x"), Value::Null),
        get("/dreams"),
        post("/memory/query", json!({"query": "query_partnerships", "params": {}})),
        post(
            "/memory/query",
            json!({"query": "query_conversations", "params": {"partner_id": "nicolas"}}),
        ),
        post("/memory/search", json!({"query": "heron"})),
        get("/memory/graph/nodes"),
        get("/memory/graph/nodes/race"),
        post(
            "/memory/graph/nodes",
            json!({"node_id": "io.py", "type": "Code_Reference", "file_path": "io.py", "description": "files"}),
        ),
        get("/memory/graph/edges"),
        post(
            "/memory/graph/edges",
            json!({"from": "race", "edge": "REFERENCES_CODE", "to": "tick.py"}),
        ),
        delete("/memory/graph/edges?from=race&edge=REFERENCES_CODE&to=core.py", Value::Null),
        delete("/memory/graph/nodes/core.py", Value::Null),
        get("/memory/graph/export"),
        post("/memory/forget", json!({"words": "that the harbour opens at six"})),
        post("/stdout", json!({"as": "@felix", "command": "\\wake ?(sleep(9h)) look ---"})),
        get("/agents/felix/wakes"),
        post("/stdout/grants", json!({"reader": "@ann", "owner": "@bob"})),
        get("/stdout/grants"),
        delete("/stdout/grants", json!({"reader": "@ann", "owner": "@bob"})),
        post("/management/reset", json!({})),
        post("/management/sleep", json!({"rules": true})),
        get("/management/sleep"),
        get("/config"),
        get("/metrics"),
        get("/openapi.json"),
        delete("/session", Value::Null),
    ]
}

fn ask(client: &Client, method: &str, path: &str, body: &Value) -> Answer {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let json = [("content-type", "application/json")];
    client.send(method, path, if text.is_empty() { &[] } else { &json }, &text)
}

#[test]
fn every_route_answers_as_the_document_says() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n");
    let keeper = home.up();
    let client = &keeper.client;
    let document = Document::read(client);
    let epoch =
        client.say("remember that the heron is grey")["epoch_id"].as_str().unwrap().to_owned();
    let fact = json!({"content": "the gate is green"});
    let fact = client.post("/knowledge", &fact).json()["fact_id"].as_str().unwrap().to_owned();
    let asks = json!({"message": "\\tool clock.now {}", "interactive": true});
    let mut events = client.events("/events?after=0", &[]);
    client.post("/start-epoch", &asks);
    let later = client.post("/start-epoch", &json!({"message": "later"})).json();
    let waiting = later["epoch_id"].as_str().unwrap();
    let asked = events.until("approval.requested");
    let approval = asked.last().unwrap().data["data"]["approval_id"].as_str().unwrap().to_owned();

    let (mut faults, mut went_well) = (Vec::new(), BTreeSet::new());
    let mut refused = BTreeMap::<String, BTreeSet<u16>>::new();
    for (method, path, body) in good([&epoch, waiting, &fact, &approval]) {
        let well = ask(client, method, &path, &body);
        let route = document.route(method, &path).unwrap_or_else(|| panic!("{method} {path}"));
        faults.extend(document.fault(method, &path, &well));
        if well.status < 400 {
            went_well.insert(route.clone());
        }
        let and = if path.contains('?') { '&' } else { '?' };
        let mut answers = vec![
            ask(&client.anonymous(), method, &path, &body),
            ask(client, method, &format!("{path}{and}nobody=1"), &body),
            client.send(method, &path, &[("host", "elsewhere.example")], ""),
            client.send(method, &path, &[("origin", "https://elsewhere.example")], ""),
        ];
        if method != "GET" {
            let json = [("content-type", "application/json")];
            answers.push(client.send(method, &path, &[("content-type", "text/plain")], "x"));
            answers.push(client.send(method, &path, &json, "[]"));
            answers.push(client.send(method, &path, &json, "{"));
            answers.push(client.send(method, &path, &json, r#"{"nobody": 1}"#));
        }
        for answer in answers {
            faults.extend(document.fault(method, &path, &answer));
            if answer.status >= 400 {
                refused.entry(route.clone()).or_default().insert(answer.status);
            }
        }
    }
    let nothing = "0193e0f0-0000-7000-8000-000000000000";
    for (method, path, body) in [
        ("GET", "/agents/nobody".to_owned(), Value::Null),
        ("GET", "/epochs?citizen=nobody".to_owned(), Value::Null),
        ("GET", "/dreams/x.md".to_owned(), Value::Null),
        ("DELETE", "/dreams/x.md".to_owned(), Value::Null),
        ("GET", "/watchdog/report?since=1h".to_owned(), Value::Null),
        ("POST", "/watchdog/ack".to_owned(), json!({"all": true})),
        ("POST", "/watchdog/nothing".to_owned(), json!({})),
        ("POST", "/session".to_owned(), json!({"code": "x"})),
        ("POST", format!("/epochs/{nothing}/abort"), json!({})),
        ("POST", format!("/epochs/{epoch}/abort"), json!({})),
        ("POST", format!("/approvals/{approval}"), json!({"decision": "deny"})),
        ("POST", format!("/identity/proposals/{nothing}"), json!({"decision": "deny"})),
        ("POST", format!("/knowledge/proposals/{nothing}"), json!({"decision": "deny"})),
        ("POST", "/agents/felix/restore".to_owned(), json!({"checkpoint_id": nothing})),
        ("POST", "/start-epoch".to_owned(), json!({"message": " "})),
        ("POST", "/memory/graph/seed".to_owned(), json!({"lines": "{}"})),
        (
            "POST",
            "/stdout".to_owned(),
            json!({"as": "@ann", "command": "\\stdout read: last 0 ---"}),
        ),
        ("POST", "/stdout".to_owned(), json!({"as": "@ann", "command": "x".repeat(1 << 20)})),
        ("GET", "/events?after=x".to_owned(), Value::Null),
    ] {
        let answer = ask(client, method, &path, &body);
        assert!(answer.status >= 400, "{method} {path}: {answer:?}");
        faults.extend(document.fault(method, &path, &answer));
        let route = document.route(method, &path).unwrap();
        refused.entry(route).or_default().insert(answer.status);
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{faults:#?}");
    for (route, why) in NOT_REACHED {
        assert!(document.routes().contains(route), "{route}: {why}");
        went_well.insert(route.to_owned());
    }
    went_well.extend(["GET /events".to_owned()]);
    let left: Vec<_> =
        document.routes().into_iter().filter(|route| !went_well.contains(route)).collect();
    assert!(left.is_empty(), "nobody was answered well: {left:#?}");
    let unrefused: Vec<_> =
        document.routes().into_iter().filter(|route| !refused.contains_key(route)).collect();
    assert!(unrefused.is_empty(), "nobody was refused: {unrefused:#?}");
}
