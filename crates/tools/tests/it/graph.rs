//! `memory.record_node`, `link_nodes`, `close_node`, `query`, `recall` and `supersedes` over a real store.

use abide_domain::{
    EntityName,
    event::{EdgeRecorded, EpochCommitted, Event, MemoryEvent, NodeClosed},
    graph::{EdgeKind, Node},
};
use abide_memory::{DurableEvent, Knowledge, KnowledgeHandle};
use abide_tools::{Output, Registry, ToolError};
use serde_json::{Value, json};

use crate::bench::{Broken, content, epoch, fact_id, now, run};

fn felix() -> EntityName {
    "@felix".parse().unwrap()
}

/// An agent's store and the tools, in one epoch that has not ended.
struct Mind {
    registry: Registry,
    store: KnowledgeHandle,
    seq: u64,
}

impl Mind {
    fn new() -> Self {
        let store = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
        Self { registry: Registry::builtin(None).unwrap(), store, seq: 0 }
    }

    fn call(&self, name: &str, arguments: &Value) -> Result<Output, ToolError> {
        run(&self.registry, &self.store, name, arguments)
    }

    /// Calls, and stages what the call gave, as the engine does.
    fn stage(&mut self, name: &str, arguments: &Value) -> Value {
        let output = self.call(name, arguments).unwrap();
        output.staged.iter().for_each(|event| self.apply(event));
        content(&output)
    }

    fn commit(&mut self) {
        self.apply(&EpochCommitted { turn: 1 }.into());
    }

    fn apply(&mut self, event: &Event) {
        self.seq += 1;
        let (entity, at) = (felix(), now());
        let applied = DurableEvent {
            seq: self.seq,
            at,
            entity: &entity,
            author: &entity,
            epoch: Some(epoch()),
            event,
        };
        self.store.apply(&[applied]).unwrap();
    }
}

fn constraint(description: &str) -> Value {
    json!({"type": "Constraint", "constraint_type": "deadline", "description": description, "severity": "high"})
}

#[test]
fn a_node_is_recorded_linked_and_closed_and_counts_from_the_commit_on() {
    let mut mind = Mind::new();
    let recorded = mind.stage(
        "memory.record_node",
        &json!({"node_id": "me", "node": {"type": "Citizen", "name": "Felix"}}),
    );
    assert_eq!(recorded, json!({"node_id": "me", "recorded": true}));
    mind.stage(
        "memory.record_node",
        &json!({"node_id": "demo", "node": constraint("the demo is on Friday")}),
    );
    let link = json!({"from": "me", "edge": "SUBJECT_TO_CONSTRAINT", "to": "demo"});
    let linked = mind.stage("memory.link_nodes", &link);
    assert_eq!(linked["linked"], true, "both ends are staged by the same epoch");
    assert_eq!(mind.stage("memory.link_nodes", &link)["linked"], false, "it is staged already");
    let query = json!({"query": "query_active_constraints", "params": {}});
    assert_eq!(
        content(&mind.call("memory.query", &query).unwrap())["status"],
        "empty",
        "not in force"
    );
    mind.commit();
    let found = content(&mind.call("memory.query", &query).unwrap());
    assert_eq!(
        (&found["status"], &found["data"][0]["id"]),
        (&json!("found"), &json!("demo")),
        "{found}"
    );

    let closing = json!({"node_id": "demo", "reason": " "});
    let output = mind.call("memory.close_node", &closing).unwrap();
    let closed = NodeClosed { node_id: "demo".parse().unwrap(), valid_to: None, reason: None };
    assert_eq!(output.staged, [closed.into()]);
    mind.stage("memory.close_node", &closing);
    mind.commit();
    assert_eq!(content(&mind.call("memory.query", &query).unwrap())["status"], "empty");
    let error = mind.call("memory.close_node", &closing).unwrap_err();
    assert!(error.message.contains("no node `demo` is in force"), "{error}");
}

#[test]
fn what_is_staged_is_what_was_said() {
    let mind = Mind::new();
    let output = mind
        .call("memory.record_node", &json!({"node_id": "demo", "node": constraint("on Friday")}))
        .unwrap();
    let [Event::Memory(MemoryEvent::NodeRecorded(recorded))] = output.staged.as_slice() else {
        panic!("{output:?}")
    };
    let Node::Constraint(node) = &recorded.node else { panic!("{recorded:?}") };
    assert_eq!((node.description.as_str(), recorded.valid_from), ("on Friday", None));
    assert!(recorded.sources.is_empty(), "its source is the epoch");
    assert!(!output.content.contains("Friday"), "the text stands in the event alone");
    let mut mind = Mind::new();
    for (id, path) in [("a", "a.rs"), ("b", "b.rs")] {
        mind.stage(
            "memory.record_node",
            &json!({"node_id": id, "node": {"type": "Code_Reference", "file_path": path}}),
        );
    }
    let link = json!({"from": "a", "edge": "DEPENDS_ON", "to": "b", "dependency_type": "import"});
    let output = mind.call("memory.link_nodes", &link).unwrap();
    let edge = EdgeRecorded {
        from: "a".parse().unwrap(),
        edge: EdgeKind::DependsOn,
        to: "b".parse().unwrap(),
        dependency_type: Some("import".into()),
        valid_from: None,
    };
    assert_eq!(output.staged, [edge.into()]);
}

#[test]
fn nodes_and_edges_that_break_a_rule_are_refused_with_the_field() {
    let mut mind = Mind::new();
    mind.stage("memory.record_node", &json!({"node_id": "demo", "node": constraint("on Friday")}));
    mind.commit();
    let node = |node: Value| json!({"node_id": "x", "node": node});
    let cases = [
        (
            "memory.record_node",
            json!({"node_id": "../x", "node": constraint("y")}),
            "node_id: must be 1 to 128",
        ),
        ("memory.record_node", node(json!({"type": "Person", "name": " "})), "node/name: is blank"),
        (
            "memory.record_node",
            node(json!({"type": "Person", "name": "x".repeat(4_001)})),
            "node/name: has 4001",
        ),
        ("memory.record_node", node(json!({"type": "Person", "age": 3})), "is an unknown field"),
        (
            "memory.record_node",
            node(json!({"type": "Person", "sources": []})),
            "node/sources: is not a field",
        ),
        (
            "memory.record_node",
            node(json!({"type": "Emotional_State", "emotion": "joy", "intensity": 2})),
            "node/intensity",
        ),
        (
            "memory.record_node",
            json!({"node_id": "demo", "node": {"type": "Person", "name": "D"}}),
            "is already a Constraint",
        ),
        (
            "memory.link_nodes",
            json!({"from": "x", "edge": "EATS", "to": "y"}),
            "the arguments are not valid",
        ),
        (
            "memory.link_nodes",
            json!({"from": "x", "edge": "DEPENDS_ON", "to": "y"}),
            "from: there is no node `x`",
        ),
        (
            "memory.link_nodes",
            json!({"from": "demo", "edge": "DEPENDS_ON", "to": "demo"}),
            "from: `demo` is a Constraint, not",
        ),
        ("memory.close_node", json!({"node_id": "x"}), "node_id: no node `x`"),
        (
            "memory.close_node",
            json!({"node_id": "demo", "reason": "x".repeat(1_001)}),
            "reason: has more than",
        ),
        (
            "memory.remember_fact",
            json!({"content": "x", "supersedes": "x"}),
            "supersedes: is not the id of a known fact",
        ),
        (
            "memory.remember_fact",
            json!({"content": "x", "supersedes": fact_id(9)}),
            "supersedes: no fact",
        ),
    ];
    for (name, arguments, message) in cases {
        let error = mind.call(name, &arguments).unwrap_err();
        assert!(error.message.contains(message), "{name} {arguments}: {error}");
    }
}

#[test]
fn a_fact_that_supersedes_another_closes_it() {
    let mut mind = Mind::new();
    mind.stage("memory.remember_fact", &json!({"content": "the office is in Lyon"}));
    mind.commit();
    let output = mind
        .call(
            "memory.remember_fact",
            &json!({"content": "the office is in Nantes", "supersedes": fact_id(1)}),
        )
        .unwrap();
    let [Event::Memory(MemoryEvent::FactRemembered(fact))] = output.staged.as_slice() else {
        panic!("{output:?}")
    };
    assert_eq!(fact.supersedes, Some(fact_id(1)));
}

#[test]
fn could_not_look_is_failed_or_an_error_and_never_nothing() {
    let registry = Registry::builtin(None).unwrap();
    let call = |name: &str, arguments: &Value| run(&registry, &Broken, name, arguments);
    for (name, arguments) in [
        ("memory.recall", json!({"query": "heron"})),
        ("memory.query", json!({"query": "query_active_constraints"})),
    ] {
        let result = content(&call(name, &arguments).unwrap());
        assert_eq!(
            (&result["status"], &result["message"]),
            (&json!("failed"), &json!("the disk is gone")),
            "{name}"
        );
    }
    for (name, arguments) in [
        ("memory.record_node", json!({"node_id": "x", "node": constraint("y")})),
        ("memory.link_nodes", json!({"from": "x", "edge": "DEPENDS_ON", "to": "y"})),
        ("memory.close_node", json!({"node_id": "x"})),
        ("memory.remember_fact", json!({"content": "x", "supersedes": fact_id(1)})),
    ] {
        let error = call(name, &arguments).unwrap_err();
        assert_eq!(error.message, "memory could not be searched: the disk is gone", "{name}");
    }
}

#[test]
fn a_query_that_cannot_be_asked_is_failed_with_what_would_be_right() {
    let mind = Mind::new();
    let ask = |arguments: Value| content(&mind.call("memory.query", &arguments).unwrap());
    let missing = ask(json!({"query": "query_partnerships"}));
    assert_eq!((&missing["status"], &missing["data"]), (&json!("failed"), &json!([])));
    assert!(missing["message"].as_str().unwrap().contains("partner_id"), "{missing}");
    let large =
        ask(json!({"query": "query_technical_context", "params": {"term": "x", "limit": 1_000}}));
    assert_eq!(large["status"], "failed");
    let unknown = json!({"query": "query_secrets"});
    assert!(
        mind.registry.validate("memory.query", &unknown).is_err(),
        "a mind is told before it runs"
    );
}
