//! `/openapi.json` against reality: every route is asked, well and badly, and each answer is one that the document says.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
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
const NOT_REACHED: [(&str, &str); 25] = [
    ("GET /events", "a stream has no end"),
    ("GET /cards/{oracle_id}/image", "a picture needs cards"),
    ("POST /epochs/{id}/dismiss", "an epoch that failed needs a model"),
    ("GET /dreams/{filename}", "a dream needs a model"),
    ("DELETE /dreams/{filename}", "a dream needs a model"),
    ("POST /identity/proposals/{id}", "a proposal needs a model that sleeps"),
    ("POST /knowledge/proposals/{id}", "a proposal needs somebody else's word"),
    ("POST /watchdog/{action}", "the watchdog of tests is off"),
    ("GET /watchdog/report", "the watchdog of tests is off"),
    ("POST /session", "a code is used up by whoever signs in"),
    ("GET /", "a browser's page is no JSON"),
    ("POST /mcp/servers/{id}/accept", "a tool that waits needs a server that changed"),
    ("POST /mcp/questions/{id}/answer", "a question needs a server that asks"),
    ("POST /evolutions/{id}/{action}", "a change may have ended before anybody answers it"),
    ("POST /evolutions/search", "a search needs forty questions that found memories"),
    ("POST /deck/approve", "a proposal for a deck needs a model"),
    ("POST /deck/reject", "a proposal for a deck needs a model"),
    ("POST /deck/effect", "a proposal for a deck needs a model"),
    ("POST /deck/rewrite", "a proposal for a deck needs a model"),
    ("POST /deck/reopen", "a proposal for a deck needs a model"),
    ("GET /deck/cards", "cards need a card table"),
    ("POST /control-media", "nothing is played without music folders"),
    ("GET /music/covers/{digest}", "a cover needs music folders"),
    ("POST /music/scan", "a scan needs music folders"),
    ("POST /evolutions/search/stop", "a search needs forty questions that found memories"),
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

/// A method, a path, and a body.
type Asked = (&'static str, String, Value);

fn get(path: &str) -> Asked {
    ("GET", path.to_owned(), Value::Null)
}

fn post(path: &str, body: Value) -> Asked {
    ("POST", path.to_owned(), body)
}

fn delete(path: &str, body: Value) -> Asked {
    ("DELETE", path.to_owned(), body)
}

fn of_media() -> Vec<Asked> {
    vec![
        get("/media-status"),
        get("/music/library?q=a&limit=10"),
        get("/music/albums"),
        post("/music/playlists", json!({"name": "Road"})),
        get("/music/playlists"),
        get("/music/playlists/0"),
        ("PATCH", "/music/playlists/0".to_owned(), json!({"name": "Long Road"})),
        get("/music/playlists/0/m3u"),
        delete("/music/playlists/0", Value::Null),
    ]
}

fn bad_of_media() -> Vec<Asked> {
    let change = json!({"name": "x"});
    vec![
        post("/control-media", json!({"action": "play"})),
        post("/control-media", json!({"action": "sing"})),
        post("/control-media", json!({"action": "volume", "volume": 101})),
        post("/control-media", json!({"action": "play", "tracks": ["x"]})),
        get("/music/library?limit=0"),
        get("/music/covers/x"),
        post("/music/scan", json!({"everything": 1})),
        post("/music/playlists", json!({"name": ""})),
        get("/music/playlists/99"),
        ("PATCH", "/music/playlists/99".to_owned(), change),
        delete("/music/playlists/99", Value::Null),
        get("/music/playlists/99/m3u"),
    ]
}

/// What there is in this life that requests can be about.
struct Life {
    epoch: String,
    /// An epoch that waits for its turn.
    waiting: String,
    fact: String,
    approval: String,
    /// A change that somebody proposed.
    change: String,
    /// A deck.
    deck: String,
}

impl Life {
    fn begin(client: &Client) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let epoch = text(&client.say("remember that the heron is grey")["epoch_id"]);
        let fact = client.post("/knowledge", &json!({"content": "the gate is green"})).json();
        let mut events = client.events("/events?after=0", &[]);
        let asks = json!({"message": "\\tool clock.now {}", "interactive": true});
        client.post("/start-epoch", &asks);
        let later = client.post("/start-epoch", &json!({"message": "later"})).json();
        let asked = events.until("approval.requested");
        let approval = text(&asked.last().unwrap().data["data"]["approval_id"]);
        let proposed = client.post("/evolutions", &proposal()).json();
        let (waiting, fact) = (text(&later["epoch_id"]), text(&fact["fact_id"]));
        let deck =
            client.post("/deck/create", &json!({"name": "Elves", "citizen": "felix"})).json();
        let (change, deck) = (text(&proposed["id"]), text(&deck["deck_id"]));
        Self { epoch, waiting, fact, approval, change, deck }
    }

    /// Requests that go well, in an order in which they do.
    fn good(&self) -> Vec<Asked> {
        [self.of_the_keeper(), self.of_memory(), self.of_decks(), of_media(), of_the_rest()]
            .concat()
    }

    fn of_decks(&self) -> Vec<Asked> {
        let deck = &self.deck;
        let card = json!({"card": {"id": "x", "name": "Some Card"}});
        let add = json!({"op": "add", "entry": card, "count": 3});
        vec![
            post("/deck/create", json!({"name": "Goblins", "cards": "1 Goblin Guide"})),
            post("/deck/load", json!({"deck_id": deck, "citizen": "felix"})),
            post("/deck/edit", json!({"deck_id": deck, "deck_rev": 1, "ops": [add]})),
            get("/deck/list"),
            get("/deck/state?citizen=felix&currency=eur"),
            post("/deck/bracket", json!({"deck_id": deck, "bracket": 3})),
            post("/deck/fork", json!({"deck_id": deck, "rev": 2, "name": "Other Elves"})),
            get(&format!("/deck/history?deck_id={deck}")),
            get(&format!("/deck/compare?left={deck}&right={deck}@1")),
            get(&format!("/deck/export?deck_id={deck}&format=arena")),
            get(&format!("/deck/playtest?deck_id={deck}&seed=7&mulligans=2")),
            post("/deck/undo", json!({"deck_id": deck, "rev": 2})),
        ]
    }

    fn of_the_keeper(&self) -> Vec<Asked> {
        let Self { epoch, waiting, approval, .. } = self;
        let evidence = json!({
            "subject": {"ref/type": "agent", "ref/id": "felix"}, "type": "reflection", "claim-type": "observation",
            "body": {"text": "it was slow"}, "tags": ["pace"], "session-id": "s",
        });
        let alert = json!({"status": "firing", "labels": {"alertname": "x"}, "annotations": {}, "startsAt": "2026-11-27T08:53:58Z", "fingerprint": "a1"});
        vec![
            post(&format!("/epochs/{waiting}/abort"), json!({"reason": "not now"})),
            get("/approvals"),
            get("/tools"),
            get("/mcp/servers"),
            post("/mcp/reload", json!({})),
            get("/mcp/questions"),
            post("/tools/trial", json!({"tool": "clock.now"})),
            ("PUT", "/tools/clock.now/policy".to_owned(), json!({"policy": "ask"})),
            get("/tools"),
            ("PUT", "/tools/clock.now/policy".to_owned(), json!({"policy": null})),
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
            post("/evolutions", proposal()),
            get("/evolutions?citizen=felix&limit=1"),
            get("/evolutions/search?citizen=felix"),
            get(&format!("/evolutions/{}", self.change)),
            get(&format!("/evolutions/{}/report", self.change)),
        ]
    }

    fn of_memory(&self) -> Vec<Asked> {
        let fact = &self.fact;
        let identity =
            "# Felix\n\nI am Felix, and I help whoever asks me with what they work on every day.";
        vec![
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
        ]
    }

    /// Requests that are about nothing, or about what is over.
    fn bad(&self) -> Vec<Asked> {
        [self.bad_of_decks(), bad_of_media(), self.bad_of_the_rest()].concat()
    }

    fn bad_of_decks(&self) -> Vec<Asked> {
        let deck = &self.deck;
        let (nothing, line) = ("nothing", json!({"op": "rename", "name": "x"}));
        vec![
            get("/deck/list?limit=0"),
            get("/deck/state?deck_id=nothing"),
            get("/deck/history?deck_id=nothing"),
            get("/deck/compare?left=nothing&right=nothing"),
            get(&format!("/deck/export?deck_id={deck}&format=pdf")),
            get(&format!("/deck/playtest?deck_id={deck}&seed=99999999999999999")),
            get("/deck/cards?q=elf"),
            post("/deck/create", json!({"name": ""})),
            post("/deck/create", json!({"name": "x", "format": "modern"})),
            post("/deck/load", json!({"deck_id": nothing})),
            post("/deck/effect", json!({"proposal_id": nothing, "ops": [1]})),
            post("/deck/approve", json!({"proposal_id": nothing, "ops": [0]})),
            post("/deck/reject", json!({"proposal_id": nothing})),
            post("/deck/edit", json!({"deck_id": deck, "deck_rev": 1, "ops": []})),
            post("/deck/edit", json!({"deck_id": deck, "deck_rev": 99, "ops": [line]})),
            post("/deck/undo", json!({"deck_id": deck, "rev": 1})),
            post("/deck/rewrite", json!({"proposal_id": nothing, "op": 1, "line": line})),
            post("/deck/reopen", json!({"proposal_id": nothing, "ops": [1]})),
            post("/deck/bracket", json!({"deck_id": deck, "bracket": 9})),
            post("/deck/fork", json!({"deck_id": nothing, "name": "x"})),
        ]
    }

    fn bad_of_the_rest(&self) -> Vec<Asked> {
        let Self { epoch, approval, .. } = self;
        let nothing = "0193e0f0-0000-7000-8000-000000000000";
        vec![
            ("GET", "/agents/nobody".to_owned(), Value::Null),
            ("GET", "/epochs?citizen=nobody".to_owned(), Value::Null),
            ("GET", "/dreams/x.md".to_owned(), Value::Null),
            ("DELETE", "/dreams/x.md".to_owned(), Value::Null),
            ("GET", "/watchdog/report?since=1h".to_owned(), Value::Null),
            ("POST", "/watchdog/ack".to_owned(), json!({"all": true})),
            ("POST", "/watchdog/nothing".to_owned(), json!({})),
            ("POST", "/session".to_owned(), json!({"code": "x"})),
            ("POST", "/tools/trial".to_owned(), json!({"tool": "nothing.at_all"})),
            ("PUT", "/tools/nothing.at_all/policy".to_owned(), json!({"policy": "ask"})),
            ("PUT", "/tools/clock.now/policy".to_owned(), json!({})),
            (
                "PUT",
                "/tools/clock.now/policy".to_owned(),
                json!({"policy": "ask", "agent": "nobody"}),
            ),
            ("POST", "/mcp/servers/none/accept".to_owned(), json!({"tools": []})),
            (
                "POST",
                "/mcp/servers/none/accept".to_owned(),
                json!({"tools": [{"tool": "x", "digest": "y"}]}),
            ),
            ("POST", format!("/mcp/questions/{nothing}/answer"), json!({"accept": true})),
            ("POST", format!("/mcp/questions/{nothing}/answer"), json!({"accept": true, "by": 1})),
            ("POST", "/tools/trial".to_owned(), json!({"tool": "memory.recall"})),
            ("POST", format!("/epochs/{nothing}/abort"), json!({})),
            ("POST", format!("/epochs/{epoch}/abort"), json!({})),
            ("POST", format!("/epochs/{nothing}/dismiss"), json!({})),
            ("POST", format!("/epochs/{epoch}/dismiss"), json!({})),
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
            ("GET", "/events?after=x".to_owned(), Value::Null),
            ("GET", "/cards/nothing/image".to_owned(), Value::Null),
            ("GET", "/evolutions?state=nowhere".to_owned(), Value::Null),
            ("GET", format!("/evolutions/{nothing}"), Value::Null),
            (
                "POST",
                "/evolutions".to_owned(),
                json!({"target": "memory", "code": "", "reason": "x"}),
            ),
            ("POST", format!("/evolutions/{nothing}/abort"), json!({})),
            ("POST", "/evolutions/search".to_owned(), json!({"generations": 0})),
            ("POST", "/evolutions/search".to_owned(), json!({"citizen": "felix"})),
            ("POST", "/evolutions/search/stop".to_owned(), json!({"citizen": "felix"})),
            ("POST", format!("/evolutions/{}/approve", self.change), json!({})),
            ("POST", format!("/evolutions/{}/rollback", self.change), json!({"reason": "x"})),
        ]
    }
}

/// A change that can be proposed.
fn proposal() -> Value {
    json!({
        "target": "memory", "code": "(define (rank question passages now) '())", "reason": "quicker",
        "expected": {"time": -0.15}, "trial": {"last": 30, "only_compare": true, "budget_usd": 0.5},
    })
}

fn of_the_rest() -> Vec<Asked> {
    vec![
        post("/stdout", json!({"as": "@felix", "command": "\\wake ?(sleep(9h)) look ---"})),
        get("/agents/felix/wakes"),
        post("/stdout/grants", json!({"reader": "@ann", "owner": "@bob"})),
        get("/stdout/grants"),
        delete("/stdout/grants", json!({"reader": "@ann", "owner": "@bob"})),
        post("/management/reset", json!({})),
        post("/management/sleep", json!({"rules": true})),
        get("/management/sleep"),
        get("/cards"),
        get("/config"),
        get("/metrics"),
        get("/openapi.json"),
        delete("/session", Value::Null),
    ]
}

fn ask(client: &Client, (method, path, body): &Asked) -> Answer {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let json = [("content-type", "application/json")];
    client.send(method, path, if text.is_empty() { &[] } else { &json }, &text)
}

/// The same request by nobody, from elsewhere, and with what it may not have.
fn ask_badly(client: &Client, asked: &Asked) -> Vec<Answer> {
    let (method, path, body) = asked;
    let and = if path.contains('?') { '&' } else { '?' };
    let mut answers = vec![
        ask(&client.anonymous(), asked),
        ask(client, &(method, format!("{path}{and}nobody=1"), body.clone())),
        client.send(method, path, &[("host", "elsewhere.example")], ""),
        client.send(method, path, &[("origin", "https://elsewhere.example")], ""),
    ];
    if *method != "GET" {
        let json = [("content-type", "application/json")];
        answers.push(client.send(method, path, &[("content-type", "text/plain")], "x"));
        for text in ["[]", "{", r#"{"nobody": 1}"#] {
            answers.push(client.send(method, path, &json, text));
        }
    }
    answers
}

#[test]
fn every_route_answers_as_the_document_says() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n[evolution]\nenabled = true\n");
    let keeper = home.up();
    let client = &keeper.client;
    let document = Document::read(client);
    let life = Life::begin(client);
    let (mut faults, mut went_well) = (BTreeSet::new(), BTreeSet::new());
    let mut refused = BTreeSet::new();
    let mut hold = |asked: &Asked, answer: &Answer| {
        let (method, path, _) = asked;
        let route = document.route(method, path).unwrap_or_else(|| panic!("{method} {path}"));
        faults.extend(document.fault(method, path, answer));
        let into = if answer.status < 400 { &mut went_well } else { &mut refused };
        into.insert(route);
    };
    for asked in life.good() {
        hold(&asked, &ask(client, &asked));
        for answer in ask_badly(client, &asked) {
            hold(&asked, &answer);
        }
    }
    for asked in life.bad() {
        let answer = ask(client, &asked);
        assert!(answer.status >= 400, "{asked:?}: {answer:?}");
        hold(&asked, &answer);
    }
    assert!(faults.is_empty(), "{faults:#?}");
    for (route, why) in NOT_REACHED {
        assert!(document.routes().contains(route), "{route}: {why}");
        went_well.insert(route.to_owned());
    }
    let routes = document.routes();
    let left: Vec<_> = routes.difference(&went_well).collect();
    assert!(left.is_empty(), "nobody was answered well: {left:#?}");
    let left: Vec<_> = routes.difference(&refused).collect();
    assert!(left.is_empty(), "nobody was refused: {left:#?}");
}
