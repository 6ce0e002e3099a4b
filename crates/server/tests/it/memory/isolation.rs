//! What one agent remembers is out of reach of the other, whatever is asked: every query, route and tool, with the other's
//! own words, ids, cursors and names.
//!
//! All that Bob remembers holds the word `kiwi`, which is asked for, and the words `secret-bob`, which must never be seen.
//! Ada has nodes of the same ids, so that an id alone cannot tell them apart.

use serde_json::{Value, json};

use super::routes::seed;
use crate::{client::Client, home::Home, process::scene::named};

const MARK: &str = "secret-bob";

/// Everything that an agent can remember, each with these words in it.
fn graph(words: &str) -> String {
    [
        json!({"node_id": "self", "type": "Citizen", "name": words}),
        json!({"node_id": "partner", "type": "Partnership", "partner_name": "nicolas", "communication_style": words}),
        json!({"node_id": "talk", "type": "Conversation_Memory", "partner": "nicolas", "topic": words}),
        json!({"node_id": "matter", "type": "Technical_Context", "component": words, "description": words}),
        json!({"node_id": "feeling", "type": "Emotional_State", "emotion": "joy", "intensity": 0.9, "context": words}),
        json!({"node_id": "way", "type": "Strategy_Pattern", "approach": words, "success_rate": 0.9, "applicability": words}),
        json!({"node_id": "code", "type": "Code_Reference", "file_path": "kiwi.rs", "description": words}),
        json!({"node_id": "other-code", "type": "Code_Reference", "file_path": "other.rs", "description": words}),
        json!({"node_id": "failure", "type": "Failed_Attempt", "context": words, "approach": words}),
        json!({"node_id": "bond", "type": "Constraint", "constraint_type": "deadline", "description": words, "severity": "high"}),
        json!({"from": "self", "edge": "HAS_PARTNERSHIP", "to": "partner"}),
        json!({"from": "code", "edge": "DEPENDS_ON", "to": "other-code", "dependency_type": words}),
    ]
    .map(|line| line.to_string())
    .join("\n")
}

/// The eight queries, each with the words that find Bob's.
fn queries() -> [(&'static str, Value); 8] {
    [
        ("query_partnerships", json!({"partner_id": "nicolas"})),
        ("query_conversations", json!({"partner_id": "*", "keywords": ["kiwi"]})),
        ("query_technical_context", json!({"term": "kiwi"})),
        ("query_emotional_state", json!({"context_similar_to": "kiwi"})),
        ("query_strategy_patterns", json!({"situation_type": "kiwi"})),
        ("query_related_code", json!({"filename": "kiwi.rs"})),
        ("query_failed_attempts", json!({"context": "kiwi"})),
        ("query_active_constraints", json!({})),
    ]
}

fn say(client: &Client, citizen: &str, message: &str) -> Value {
    let body = json!({"message": message, "citizen": citizen, "sender": "nicolas"});
    let answer = client.post("/start-epoch?wait=1", &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Calls a tool as an agent's mind, and gives the whole epoch.
fn tool(client: &Client, citizen: &str, name: &str, arguments: &Value) -> Value {
    let epoch = say(client, citizen, &format!("\\tool {name} {arguments}"));
    assert_eq!(epoch["turns"][0]["tool_calls"][0]["name"], name, "{epoch}");
    epoch
}

/// A house in which Bob remembers much and Ada the same names with words of her own.
struct Scene {
    client: Client,
    _keeper: crate::home::Keeper,
    home: Home,
    /// A fact of Bob's.
    fact: String,
    /// An epoch of Bob's.
    epoch: String,
}

impl Scene {
    fn new() -> Self {
        let home = Home::new(&named(&["ada", "bob"]));
        let keeper = home.up();
        let client = keeper.client.clone();
        let words = format!("kiwi {MARK}");
        assert_eq!(seed(&client, "bob", &graph(&words)).status, 200);
        assert_eq!(seed(&client, "ada", &graph("plum of ada")).status, 200);
        let fact = client
            .post("/knowledge", &json!({"citizen": "bob", "content": format!("kiwi is {MARK}")}));
        let fact = fact.json()["fact_id"].as_str().unwrap().to_owned();
        let identity =
            format!("# Bob\n\nI am Bob and I keep the {MARK} of the kiwi to myself, always.");
        assert_eq!(
            client.post("/identity", &json!({"citizen": "bob", "content": identity})).status,
            200
        );
        let epoch = say(&client, "bob", &format!("remember that the kiwi code is {MARK}"));
        let epoch = epoch["epoch_id"].as_str().unwrap().to_owned();
        Self { client, _keeper: keeper, home, fact, epoch }
    }

    fn get(&self, path: &str) -> String {
        self.client.get(path).text
    }
}

#[track_caller]
fn assert_clean(what: &str, text: &str) {
    assert!(!text.contains(MARK), "{what}: {text}");
}

#[test]
fn no_query_and_no_search_finds_the_other_agents_memory() {
    let scene = Scene::new();
    let ask = |citizen: &str, query: &str, params: &Value| {
        scene
            .client
            .post("/memory/query", &json!({"citizen": citizen, "query": query, "params": params}))
            .text
    };
    for (query, params) in queries() {
        let own = ask("bob", query, &params);
        assert!(own.contains(MARK), "{query} finds nothing of Bob's at all: {own}");
        assert_clean(query, &ask("ada", query, &params));
    }
    let search = |citizen: &str| {
        scene
            .client
            .post(
                "/memory/search",
                &json!({"citizen": citizen, "query": "kiwi secret", "limit": 50}),
            )
            .text
    };
    assert!(search("bob").matches(MARK).count() >= 2, "{}", search("bob"));
    assert_clean("search", &search("ada"));
    // Two agents and none named is a question back, never a guess.
    let unnamed = scene.client.post("/memory/search", &json!({"query": "kiwi"}));
    assert_eq!(unnamed.status, 400, "{unnamed:?}");
}

#[test]
fn no_route_gives_the_other_agents_memory_by_id_cursor_or_name() {
    let scene = Scene::new();
    let lists = [
        "/knowledge?citizen=",
        "/knowledge?q=kiwi&citizen=",
        "/knowledge?history=1&citizen=",
        "/memory/graph/nodes?closed=1&citizen=",
        "/memory/graph/edges?closed=1&citizen=",
        "/memory/graph/nodes/matter?citizen=",
        "/memory/graph/export?citizen=",
        "/identity?citizen=",
        "/identity?version=2&citizen=",
        "/identity/versions?citizen=",
        "/identity/diff?from=1&citizen=",
        "/identity/proposals?citizen=",
        "/dreams?citizen=",
        "/epochs?citizen=",
    ];
    for path in lists {
        assert_clean(path, &scene.get(&format!("{path}ada")));
    }
    // Wherever Bob's pages end, his cursors lead Ada to her own.
    let newest = scene.home.ledger().len();
    for path in [
        "/knowledge?",
        "/knowledge?history=1&",
        "/memory/graph/nodes?closed=1&",
        "/memory/graph/edges?closed=1&",
    ] {
        for cursor in 1..=newest + 1 {
            let path = format!("{path}limit=500&cursor={cursor}&citizen=ada");
            assert_clean(&path, &scene.get(&path));
        }
    }
    let Scene { client, fact, .. } = &scene;
    assert_eq!(
        client.get("/identity?version=2&citizen=ada").status,
        404,
        "only Bob has a second version"
    );
    let only_bobs = r#"{"node_id":"only-bobs","type":"Person","name":"X"}"#;
    assert_eq!(seed(client, "bob", only_bobs).status, 200);
    assert_eq!(client.get("/memory/graph/nodes/only-bobs?citizen=ada").status, 404);
    let delete = |path: String| client.send("DELETE", &path, &[], "").status;
    assert_eq!(delete(format!("/knowledge/{fact}?citizen=ada")), 404);
    assert_eq!(delete("/memory/graph/nodes/only-bobs?citizen=ada".into()), 404);
    let taken =
        client.post("/knowledge", &json!({"citizen": "ada", "content": "x", "supersedes": fact}));
    assert_eq!(taken.status, 404);
    let link = json!({"citizen": "ada", "from": "talk", "edge": "WITH_PERSON", "to": "only-bobs"});
    assert_eq!(
        client.post("/memory/graph/edges", &link).status,
        422,
        "no edge leads into another's graph"
    );
    let sourced = json!({"citizen": "ada", "node_id": "x", "type": "Person", "name": "X", "sources": [scene.epoch]});
    assert_eq!(
        client.post("/memory/graph/nodes", &sourced).status,
        422,
        "nor a source into another's life"
    );
    let restored = client.post("/identity/restore", &json!({"citizen": "ada", "version": 2}));
    assert_eq!(restored.status, 404);

    // The same id in both graphs: what is done to Ada's leaves Bob's alone.
    assert_eq!(delete("/memory/graph/nodes/matter?citizen=ada".into()), 204);
    let bobs = client.read("/memory/graph/nodes/matter?citizen=bob");
    assert_ne!(bobs["current"], Value::Null);
    assert_eq!(client.read("/knowledge?citizen=bob")["items"].as_array().unwrap().len(), 2);
}

#[test]
fn no_tool_reaches_into_the_other_agents_memory() {
    let scene = Scene::new();
    let Scene { client, fact, .. } = &scene;
    let mut calls: Vec<(&str, Value)> = queries()
        .into_iter()
        .map(|(query, params)| ("memory.query", json!({"query": query, "params": params})))
        .collect();
    calls.push(("memory.recall", json!({"query": "kiwi secret", "limit": 20})));
    calls.push(("memory.search_facts", json!({"query": "kiwi secret", "limit": 20})));
    for (name, arguments) in &calls {
        let own = tool(client, "bob", name, arguments).to_string();
        assert!(own.contains(MARK), "{name} {arguments} finds nothing of Bob's at all: {own}");
        assert_clean(
            &format!("{name} {arguments}"),
            &tool(client, "ada", name, arguments).to_string(),
        );
    }
    let only_bobs = r#"{"node_id":"only-bobs","type":"Person","name":"X"}"#;
    assert_eq!(seed(client, "bob", only_bobs).status, 200);
    let refused = [
        ("memory.forget_fact", json!({"fact_id": fact})),
        ("memory.remember_fact", json!({"content": "x", "supersedes": fact})),
        ("memory.close_node", json!({"node_id": "only-bobs"})),
        ("memory.link_nodes", json!({"from": "talk", "edge": "WITH_PERSON", "to": "only-bobs"})),
    ];
    for (name, arguments) in refused {
        let epoch = tool(client, "ada", name, &arguments);
        assert_eq!(epoch["turns"][0]["tool_calls"][0]["outcome"], "error", "{name}: {epoch}");
        assert_clean(name, &epoch.to_string());
    }
    // A node of an id that only Bob has is Ada's own, and Bob's stays what it was.
    let mine =
        json!({"node_id": "only-bobs", "node": {"type": "Constraint", "description": "mine"}});
    let epoch = tool(client, "ada", "memory.record_node", &mine);
    assert_eq!(epoch["turns"][0]["tool_calls"][0]["outcome"], "ok", "{epoch}");
    let bobs = client.read("/memory/graph/nodes/only-bobs?citizen=bob");
    assert_eq!(bobs["current"]["type"], "Person");
    let epoch = tool(client, "ada", "memory.close_node", &json!({"node_id": "only-bobs"}));
    assert_eq!(epoch["turns"][0]["tool_calls"][0]["outcome"], "ok", "{epoch}");
    assert_ne!(client.read("/memory/graph/nodes/only-bobs?citizen=bob")["current"], Value::Null);
}

#[test]
fn no_context_shows_the_other_agents_memory() {
    let scene = Scene::new();
    for message in
        ["what do you know about the kiwi?", "did you find the kiwi secret?", "nicolas and kiwi.rs"]
    {
        let epoch = say(&scene.client, "ada", message);
        assert_clean(message, &epoch.to_string());
        let id = epoch["epoch_id"].as_str().unwrap();
        assert_clean(message, &scene.get(&format!("/epochs/{id}?context=1")));
    }
}
