//! Every route of memory, for good and for bad input.

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    home::Home,
};

/// A small graph of all ten types.
pub(super) const SEED: &str = r#"{"node_id":"felix","type":"Citizen","name":"Felix","role":"engineer","focus_area":"loops","active":true}
{"node_id":"nicolas","type":"Person","name":"Nicolas","role":"co-founder"}
{"node_id":"partnership","type":"Partnership","partner_name":"nicolas","trust_level":0.9,"communication_style":"direct"}
{"node_id":"talk","type":"Conversation_Memory","partner":"nicolas","topic":"race condition in the engine","key_points":["the lock is released too early"]}
{"node_id":"race","type":"Technical_Context","component":"engine","issue_type":"race condition","description":"two ticks write at once","recurrence_count":3}
{"node_id":"feeling","type":"Emotional_State","emotion":"frustration","intensity":0.8,"context":"bug recurrence: the race condition returns"}
{"node_id":"way","type":"Strategy_Pattern","approach":"systematic debugging","success_rate":0.85,"steps":["reproduce it"],"applicability":"race condition"}
{"node_id":"core.py","type":"Code_Reference","file_path":"engine/core.py","description":"the lock"}
{"node_id":"tick.py","type":"Code_Reference","file_path":"engine/tick.py","description":"the scheduler"}
{"node_id":"sleep-patch","type":"Failed_Attempt","context":"race condition in the engine","approach":"a sleep","why_failed":"rarer, not gone","lesson_learned":"no timing patches"}
{"node_id":"demo","type":"Constraint","constraint_type":"deadline","description":"the engine runs at the demo","severity":"critical","deadline":"2026-12-01"}
{"from":"felix","edge":"HAS_PARTNERSHIP","to":"partnership"}
{"from":"race","edge":"REFERENCES_CODE","to":"core.py"}
{"from":"core.py","edge":"DEPENDS_ON","to":"tick.py","dependency_type":"import"}
"#;

pub(super) fn seed(client: &Client, citizen: &str, lines: &str) -> Answer {
    client.post("/memory/graph/seed", &json!({"citizen": citizen, "lines": lines}))
}

fn delete(client: &Client, path: &str) -> u16 {
    client.send("DELETE", path, &[], "").status
}

fn ids(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|node| node["node_id"].as_str().unwrap()).collect()
}

#[test]
fn a_graph_is_seeded_edited_and_exported_and_nothing_is_overwritten() {
    let home = Home::new("");
    let client = home.up();
    let client = &client.client;
    let seeded = seed(client, "felix", SEED);
    assert_eq!(seeded.status, 200, "{seeded:?}");
    let told = seeded.json();
    assert_eq!(
        (&told["nodes"], &told["edges"], &told["unchanged"]),
        (&json!(11), &json!(3), &json!(0))
    );
    let again = seed(client, "felix", SEED).json();
    assert_eq!(
        (&again["nodes"], &again["edges"], &again["unchanged"]),
        (&json!(0), &json!(0), &json!(14))
    );

    let all = client.read("/memory/graph/nodes");
    assert_eq!(ids(&all).len(), 11);
    let code = client.read("/memory/graph/nodes?type=Code_Reference&limit=1");
    assert_eq!(ids(&code), ["tick.py"], "the newest first");
    let next = code["next"].as_str().unwrap();
    let rest =
        client.read(&format!("/memory/graph/nodes?type=Code_Reference&limit=1&cursor={next}"));
    assert_eq!(ids(&rest), ["core.py"]);

    let body = json!({"node_id": "race", "type": "Technical_Context", "component": "engine",
        "issue_type": "race condition", "description": "two ticks write at once", "recurrence_count": 4});
    let put = client.post("/memory/graph/nodes", &body);
    assert_eq!((put.status, &put.json()["nodes"]), (200, &json!(1)), "{put:?}");
    let race = client.read("/memory/graph/nodes/race");
    assert_eq!(race["current"]["recurrence_count"], 4);
    assert_eq!(race["versions"].as_array().unwrap().len(), 2);
    assert_eq!(race["versions"][0]["recurrence_count"], 3);
    assert_ne!(race["versions"][0]["valid_to"], Value::Null, "closed, not overwritten");
    assert_eq!(race["current"]["author"], "@user");
    assert_eq!(race["edges"][0]["to"], "core.py", "edges outlive a new version");

    let link = json!({"from": "talk", "edge": "ABOUT_TOPIC", "to": "race"});
    assert_eq!(client.post("/memory/graph/edges", &link).json()["edges"], 1);
    let edges = client.read("/memory/graph/edges?node=race");
    assert_eq!(edges["items"].as_array().unwrap().len(), 2);
    assert_eq!(
        client.read("/memory/graph/edges?edge=DEPENDS_ON")["items"][0]["dependency_type"],
        "import"
    );
    let path = "/memory/graph/edges?from=talk&edge=ABOUT_TOPIC&to=race";
    assert_eq!(delete(client, path), 204);
    assert_eq!(delete(client, path), 404, "closed already");

    assert_eq!(delete(client, "/memory/graph/nodes/core.py?reason=moved"), 204);
    assert_eq!(delete(client, "/memory/graph/nodes/core.py"), 404, "closed already");
    assert_eq!(client.read("/memory/graph/nodes/core.py")["current"], Value::Null);
    assert_eq!(
        client.read("/memory/graph/edges")["items"].as_array().unwrap().len(),
        1,
        "its edges went with it"
    );
    assert!(client.read("/memory/graph/nodes?closed=1")["items"].as_array().unwrap().len() > 11);

    let export = client.read("/memory/graph/export");
    assert_eq!((&export["nodes"], &export["edges"]), (&json!(10), &json!(1)));
    let copy = Home::new("");
    let other = copy.up();
    let lines = export["lines"].as_str().unwrap();
    let seeded = seed(&other.client, "felix", lines);
    assert_eq!(seeded.status, 200, "{seeded:?}");
    assert_eq!(
        other.client.read("/memory/graph/export"),
        export,
        "an export is a seed of the same"
    );
}

#[test]
fn what_does_not_fit_the_graph_is_told_by_line_and_nothing_of_it_is_taken() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    let before = home.ledger().len();
    let lines = "{\"node_id\":\"a\",\"type\":\"Person\",\"name\":\"A\"}\n\n{\"node_id\":\"b\",\"type\":\"Pet\"}\n{";
    let refused = seed(client, "felix", lines);
    assert_eq!(refused.status, 422);
    let error = &refused.json()["error"];
    let paths: Vec<_> =
        error["details"].as_array().unwrap().iter().map(|d| d["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["line 3/type", "line 4"], "{error}");
    assert!(error["message"].as_str().unwrap().contains("line 3/type: must be one of"), "{error}");
    let dangling = "{\"node_id\":\"a\",\"type\":\"Person\",\"name\":\"A\"}\n{\"from\":\"a\",\"edge\":\"WITH_PERSON\",\"to\":\"c\"}";
    assert_eq!(seed(client, "felix", dangling).status, 422);
    let foreign = "{\"node_id\":\"a\",\"type\":\"Person\",\"name\":\"A\",\"sources\":[\"01939c7e-8a00-7000-8000-000000000010\"]}";
    let refused = seed(client, "felix", foreign);
    assert_eq!(
        (refused.status, refused.text.contains("line 1/sources/0")),
        (422, true),
        "{refused:?}"
    );
    for (path, body, status) in [
        ("/memory/graph/seed", json!({}), 422),
        ("/memory/graph/seed", json!({"lines": 7}), 422),
        ("/memory/graph/seed", json!({"lines": "", "citizen": "nobody"}), 404),
        ("/memory/graph/seed", json!({"lines": "", "extra": 1}), 422),
        ("/memory/graph/nodes", json!({"type": "Person", "name": "A"}), 422),
        ("/memory/graph/nodes", json!({"node_id": "../x", "type": "Person", "name": "A"}), 422),
        ("/memory/graph/nodes", json!({"node_id": "x", "type": "Person", "name": ""}), 422),
        (
            "/memory/graph/nodes",
            json!({"node_id": "x", "type": "Person", "name": "A", "citizen": 7}),
            422,
        ),
        ("/memory/graph/nodes", json!({"from": "a", "edge": "DEPENDS_ON", "to": "b"}), 422),
        ("/memory/graph/edges", json!({"node_id": "x", "type": "Person", "name": "A"}), 422),
        ("/memory/graph/edges", json!({"from": "a", "edge": "EATS", "to": "b"}), 422),
        ("/memory/graph/edges", json!({"from": "a", "edge": "DEPENDS_ON", "to": "b"}), 422),
    ] {
        let answer = client.post(path, &body);
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
    }
    for (path, status) in [
        ("/memory/graph/nodes?type=Pet", 400),
        ("/memory/graph/nodes?limit=0", 400),
        ("/memory/graph/nodes?cursor=x", 400),
        ("/memory/graph/nodes/..%2F..%2Ftoken", 404),
        ("/memory/graph/nodes/nothing", 404),
        ("/memory/graph/edges?edge=EATS", 400),
        ("/memory/graph/edges?node=%20", 404),
        ("/memory/graph/export?citizen=nobody", 404),
    ] {
        assert_eq!(client.get(path).status, status, "{path}");
    }
    for (path, status) in [
        ("/memory/graph/nodes/nothing", 404),
        ("/memory/graph/edges", 400),
        ("/memory/graph/edges?from=a&edge=DEPENDS_ON", 400),
        ("/memory/graph/edges?from=a&edge=DEPENDS_ON&to=b", 404),
    ] {
        assert_eq!(delete(client, path), status, "{path}");
    }
    let body = "x".repeat(1024 * 1024 + 1);
    let large =
        client.send("POST", "/memory/graph/seed", &[("content-type", "application/json")], &body);
    assert_eq!(large.status, 413);
    assert_eq!(client.read("/memory/graph/nodes")["items"], json!([]));
    assert_eq!(home.ledger().len(), before, "nothing was written");
}

#[test]
fn the_eight_queries_answer_in_one_form_and_say_what_they_cannot_do() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    assert_eq!(seed(client, "felix", SEED).status, 200);
    let ask = |query: &str, params: Value| {
        client.post("/memory/query", &json!({"query": query, "params": params})).json()
    };
    let found = [
        ("query_partnerships", json!({"partner_id": "Nicolas"}), "partnership"),
        ("query_conversations", json!({"partner_id": "nicolas", "keywords": ["race"]}), "talk"),
        ("query_technical_context", json!({"term": "race condition"}), "race"),
        ("query_emotional_state", json!({"context_similar_to": "race condition"}), "feeling"),
        ("query_strategy_patterns", json!({"situation_type": "race condition"}), "way"),
        ("query_related_code", json!({"filename": "core.py"}), "core.py"),
        ("query_failed_attempts", json!({"context": "race condition"}), "sleep-patch"),
        ("query_active_constraints", json!({}), "demo"),
    ];
    for (query, params, id) in found {
        let result = ask(query, params);
        assert_eq!(
            (&result["status"], &result["found"]),
            (&json!("found"), &json!(true)),
            "{query}: {result}"
        );
        let has = result["data"].as_array().unwrap().iter().any(|item| item["id"] == id);
        assert!(has, "{query}: {result}");
        assert!(result["confidence"].as_f64().unwrap() > 0.0, "{query}: {result}");
        assert!(result["query_time_ms"].is_number() && result["message"].is_string(), "{query}");
    }
    let empty = ask("query_partnerships", json!({"partner_id": "marco"}));
    assert_eq!(
        (&empty["status"], &empty["found"], &empty["data"]),
        (&json!("empty"), &json!(false), &json!([]))
    );
    for (query, params) in [
        ("query_secrets", json!({})),
        ("query_partnerships", json!({})),
        ("query_partnerships", json!({"partner_id": "nicolas", "citizen": "felix"})),
        ("query_technical_context", json!({"term": "race", "limit": 0})),
        ("query_technical_context", json!({"term": "x".repeat(10_001)})),
        ("query_strategy_patterns", json!({"situation_type": "x", "min_success_rate": 7})),
        ("query_active_constraints", json!({"min_severity": "fatal"})),
    ] {
        let result = ask(query, params.clone());
        assert_eq!(
            (&result["status"], &result["data"]),
            (&json!("failed"), &json!([])),
            "{query} {params}: {result}"
        );
        assert_ne!(result["message"], "", "{query} {params}");
    }
    for (body, status) in [
        (json!({}), 422),
        (json!({"query": "query_partnerships", "params": 3}), 422),
        (json!({"query": "query_partnerships", "citizen": "nobody"}), 404),
        (json!({"query": "query_partnerships", "agent": "felix"}), 422),
    ] {
        assert_eq!(client.post("/memory/query", &body).status, status, "{body}");
    }
}

#[test]
fn a_search_finds_what_was_said_and_what_is_known_and_keeps_them_apart() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    let search = |query: &str| client.post("/memory/search", &json!({"query": query}));
    let nothing = search("heron").json();
    for part in ["conversations", "facts"] {
        assert_eq!(
            (&nothing[part]["status"], &nothing[part]["items"]),
            (&json!("empty"), &json!([])),
            "{part}"
        );
    }
    let epoch = client.say("remember that the staging server is called heron");
    let found = search("what is the staging server called?").json();
    assert_eq!(
        (&found["conversations"]["status"], &found["facts"]["status"]),
        (&json!("found"), &json!("found"))
    );
    let said = &found["conversations"]["items"][0];
    assert_eq!(said["epoch"], epoch["epoch_id"]);
    assert!(said["ref"].as_str().unwrap().starts_with('c'), "{said}");
    assert_eq!(found["facts"]["items"][0]["sources"], json!([epoch["epoch_id"]]));
    for (body, status) in [
        (json!({}), 422),
        (json!({"query": " "}), 422),
        (json!({"query": "x".repeat(10_001)}), 422),
        (json!({"query": "x", "limit": 0}), 422),
        (json!({"query": "x", "limit": 51}), 422),
        (json!({"query": "x", "sender": "not a name"}), 422),
        (json!({"query": "x", "citizen": "nobody"}), 404),
    ] {
        let answer = client.post("/memory/search", &body);
        assert_eq!(answer.status, status, "{body}: {answer:?}");
    }
}

#[test]
fn a_fact_that_takes_the_place_of_another_closes_it() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    let first = client.post(
        "/knowledge",
        &json!({"content": "the office is in Lyon", "category": "project", "tags": ["office"]}),
    );
    assert_eq!(first.status, 200, "{first:?}");
    let first = first.json();
    let id = first["fact_id"].as_str().unwrap();
    assert_eq!(
        (&first["category"], &first["told_by"], &first["trusted"]),
        (&json!("project"), &json!("@user"), &json!(true))
    );
    let second = client
        .post("/knowledge", &json!({"content": "the office is in Nantes", "supersedes": id}))
        .json();
    let now = client.read("/knowledge");
    assert_eq!(now["items"], json!([second]), "the older one is in force no longer");
    let all = client.read("/knowledge?history=1");
    assert_eq!(all["items"].as_array().unwrap().len(), 2, "it is still known that it was so");
    let path = format!("/knowledge/{}?reason=closed", second["fact_id"].as_str().unwrap());
    assert_eq!(delete(client, &path), 204);
    let forgotten =
        home.ledger().into_iter().find(|line| line["kind"] == "memory.fact_forgotten").unwrap();
    assert_eq!(forgotten["data"]["reason"], "closed");
    for (body, status) in [
        (json!({"content": ""}), 422),
        (json!({"content": "x".repeat(2_001)}), 422),
        (json!({"content": "x", "category": "pet"}), 422),
        (json!({"content": "x", "tags": [""]}), 422),
        (json!({"content": "x", "tags": vec!["t"; 17]}), 422),
        (json!({"content": "x", "supersedes": "x"}), 404),
        (json!({"content": "x", "supersedes": id}), 404),
        (json!({"content": "x", "confidence": 2}), 422),
    ] {
        let answer = client.post("/knowledge", &body);
        assert_eq!(answer.status, status, "{body}: {answer:?}");
    }
    assert_eq!(client.get("/knowledge?history=1&q=office").status, 400);
    let reason = "x".repeat(1_001);
    assert_eq!(delete(client, &format!("/knowledge/{id}?reason={reason}")), 422);
}

#[test]
fn versions_of_an_identity_are_listed_compared_and_brought_back() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    let first = client.read("/identity");
    let text = format!("# Felix\n\n{}", "I keep watch over the engine. ".repeat(4));
    assert_eq!(client.post("/identity", &json!({"content": text})).status, 200);
    let versions = client.read("/identity/versions");
    let numbers: Vec<_> = versions["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["version"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [2, 1]);
    assert_eq!(
        (&versions["items"][0]["current"], &versions["items"][0]["author"]),
        (&json!(true), &json!("@user"))
    );
    assert_eq!(client.read("/identity?version=1")["content"], first["content"]);
    let diff = client.read("/identity/diff?from=1");
    assert_eq!(diff["to"], 2);
    assert!(diff["diff"].as_str().unwrap().contains("I keep watch"), "{diff}");
    assert_eq!(client.read("/identity/diff?from=2&to=2")["diff"], "");
    let back = client.post("/identity/restore", &json!({"version": 1}));
    assert_eq!((back.status, &back.json()["version"]), (200, &json!(3)), "{back:?}");
    assert_eq!(client.read("/identity")["content"], first["content"]);
    let line =
        home.ledger().into_iter().rfind(|line| line["kind"] == "memory.identity_changed").unwrap();
    assert_eq!(line["data"]["restores"], 1);
    for path in [
        "/identity?version=9",
        "/identity?version=0",
        "/identity/diff?from=9",
        "/identity/diff?from=1&to=9",
    ] {
        assert_eq!(client.get(path).status, 404, "{path}");
    }
    for path in ["/identity?version=x", "/identity/diff", "/identity/diff?from=-1"] {
        assert_eq!(client.get(path).status, 400, "{path}");
    }
    for (body, status) in [
        (json!({}), 422),
        (json!({"version": 9}), 404),
        (json!({"version": 1, "citizen": "nobody"}), 404),
    ] {
        assert_eq!(client.post("/identity/restore", &body).status, status, "{body}");
    }
    assert_eq!(client.read("/identity/proposals"), json!({"items": [], "next": null}));
    let approve = json!({"decision": "approve"});
    for id in ["x", "01939c7e-8a00-7000-8000-000000000010"] {
        assert_eq!(client.post(&format!("/identity/proposals/{id}"), &approve).status, 404, "{id}");
    }
    let unclear = client.post(
        "/identity/proposals/01939c7e-8a00-7000-8000-000000000010",
        &json!({"decision": "perhaps"}),
    );
    assert_eq!(unclear.status, 422);
}
