//! `abide memory rebuild`: what was taken away comes back the same, from the ledger alone, also after a death in mid-epoch.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::AgentId;
use abide_engine::{keeper::fold, state::State};
use abide_ledger::{FileStorage, folder::Folder};
use abide_memory::{Knowledge, KnowledgeHandle};
use abide_testkit::{
    ModelServer, Reply,
    rules::{remember, sleeping},
};
use serde_json::{Value, json};

use super::{
    nights::{night, say},
    routes::{SEED, seed},
};
use crate::{
    client::Client,
    home::Home,
    process::scene::{copy_of, thinking_with},
};

const AGENTS: [&str; 2] = ["ada", "bob"];

/// Facts that were learnt, superseded and forgotten, a graph that was edited, an identity that was written and restored.
fn live(client: &Client, agent: &str) {
    let post = |path: &str, body: &Value| {
        let answer = client.post(path, body);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    };
    let say =
        |message: &str| post("/start-epoch?wait=1", &json!({"message": message, "citizen": agent}));
    say("remember that the staging server is called heron");
    say("hello there, how are you?");
    assert_eq!(seed(client, agent, SEED).status, 200);
    let older = post("/knowledge", &json!({"citizen": agent, "content": "the office is in Lyon"}));
    let newer = json!({"citizen": agent, "content": "the office is in Nantes", "supersedes": older["fact_id"]});
    let newer = post("/knowledge", &newer);
    say("where is the office?");
    let path = format!("/knowledge/{}?citizen={agent}", newer["fact_id"].as_str().unwrap());
    assert_eq!(client.send("DELETE", &path, &[], "").status, 204);
    let node = json!({"citizen": agent, "node_id": "race", "type": "Technical_Context", "description": "solved", "status": "done"});
    post("/memory/graph/nodes", &node);
    assert_eq!(
        client
            .send("DELETE", &format!("/memory/graph/nodes/tick.py?citizen={agent}"), &[], "")
            .status,
        204
    );
    let text = format!("# {agent}\n\n{}", "I keep watch over the engine. ".repeat(4));
    post("/identity", &json!({"citizen": agent, "content": text}));
    post("/identity/restore", &json!({"citizen": agent, "version": 1}));
}

fn folder_of(home: &Home, agent: &str) -> PathBuf {
    home.path().join("agents").join(agent)
}

fn ledger(home: &Home) -> Folder {
    Folder::open(Arc::new(FileStorage::at(&home.path().join("ledger")))).unwrap()
}

/// What an agent's database holds. What its keeper had no time to take in is taken in first, as its next start would.
fn dump(home: &Home, agent: &str) -> String {
    let agent: AgentId = agent.parse().unwrap();
    let ledger = ledger(home);
    let path = folder_of(home, agent.as_str()).join("knowledge.db");
    let opened = Knowledge::open(&path, &agent.entity(), ledger.head().seq).unwrap();
    assert_eq!(opened.rebuilt, None, "the file is whole");
    let store = KnowledgeHandle::new(opened.knowledge).unwrap();
    fold(State::default(), ledger.records(1), &[(agent, store.clone())], None, |_| ()).unwrap();
    store.dump().unwrap()
}

/// The files of an agent that people read.
fn files(home: &Home, agent: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = folder_of(home, agent);
    let dreams = std::fs::read_dir(folder.join("dreams"));
    let dreams = dreams.into_iter().flatten().map(|entry| entry.unwrap().path());
    let paths = dreams.chain([folder.join("identity.md")]);
    let relative = |path: &Path| path.strip_prefix(&folder).unwrap().to_owned();
    paths.map(|path| (relative(&path), std::fs::read(&path).unwrap())).collect()
}

fn forget(home: &Home, agent: &str) {
    let folder = folder_of(home, agent);
    for name in ["knowledge.db", "knowledge.db-wal", "knowledge.db-shm", "identity.md"] {
        drop(std::fs::remove_file(folder.join(name)));
    }
    drop(std::fs::remove_dir_all(folder.join("dreams")));
}

/// Takes everything away that can be derived, rebuilds it, and holds it against what was there.
fn assert_rebuilt(home: &Home) {
    let before = copy_of(home);
    let expected: Vec<_> =
        AGENTS.iter().map(|agent| (dump(&before, agent), files(&before, agent))).collect();
    for agent in AGENTS {
        forget(home, agent);
    }
    let rebuilt = home.run(["memory", "rebuild"]);
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    for (agent, (dumped, files_before)) in AGENTS.iter().zip(&expected) {
        assert!(dumped.len() > 100, "{dumped}");
        assert_eq!(&dump(home, agent), dumped, "{agent}");
        assert_eq!(&files(home, agent), files_before, "{agent}");
        assert!(!files_before.is_empty(), "{agent}");
    }
}

#[test]
fn what_is_deleted_comes_back_the_same_to_the_byte() {
    let server = ModelServer::builder().rule(sleeping(remember())).start().unwrap();
    let home = Home::new(&thinking_with(&server, &AGENTS));
    let keeper = home.up();
    for agent in AGENTS {
        live(&keeper.client, agent);
        say(&keeper.client, agent, "my favourite fruit is the kiwi");
        night(&keeper.client, agent);
    }
    let refused = home.run(["memory", "rebuild"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(words.contains("another keeper") && words.contains("stop it first"), "{words}");
    let digest = keeper.client.read("/snapshot")["state_digest"].clone();
    assert_eq!(keeper.stop(), Some(0));
    let dreams = files(&home, "bob").into_keys().filter(|path| path.starts_with("dreams"));
    assert_eq!(dreams.count(), 1);
    assert_rebuilt(&home);
    let one = home.run(["memory", "rebuild", "--agent", "bob", "--json"]);
    let told: Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(told["items"][0]["citizen"], "bob");
    assert_eq!(
        (told["items"].as_array().unwrap().len(), &told["events"]),
        (1, &json!(home.ledger().len()))
    );
    assert_eq!(home.run(["memory", "rebuild", "--agent", "nobody"]).status.code(), Some(2));
    let keeper = home.up();
    assert_eq!(keeper.client.read("/snapshot")["state_digest"], digest);
}

#[test]
fn a_death_in_mid_epoch_changes_nothing_of_what_a_rebuild_gives() {
    let server = ModelServer::builder()
        .rule(|request| match request.finished_calls() {
            None if request.user_text().contains("half of this") => {
                let fact = json!({"content": request.user_text().lines().next_back()});
                let node = json!({"node_id": "half", "node": {"type": "Constraint", "description": "half done"}});
                Reply::calls([
                    (request.spelling("memory.remember_fact"), fact),
                    (request.spelling("memory.record_node"), node),
                ])
            }
            // The turn after the tools never ends: what they staged is durable and not in force.
            Some(_) => Reply::silence(),
            _ => Reply::text("Noted."),
        })
        .start()
        .unwrap();
    let home = Home::new(&thinking_with(&server, &AGENTS));
    let keeper = home.up();
    for agent in AGENTS {
        live(&keeper.client, agent);
    }
    let mut events = keeper.client.events("/events?kinds=memory.node_recorded", &[]);
    let body = json!({"message": "remember half of this", "citizen": "ada"});
    assert_eq!(keeper.client.post("/start-epoch", &body).status, 202);
    events.until("memory.node_recorded");
    keeper.kill();
    assert_rebuilt(&home);
    let known = dump(&copy_of(&home), "ada");
    assert!(known.contains("half done"), "it is staged");
    let keeper = home.up();
    let nodes = keeper.client.read("/memory/graph/nodes?citizen=ada");
    assert!(!nodes.to_string().contains("half done"), "and not in force: {nodes}");
}

#[test]
fn an_edit_of_the_identity_survives_a_rebuild_and_is_taken_up_by_the_next_start() {
    let home = Home::new("");
    assert_eq!(home.run(["memory", "rebuild"]).status.code(), Some(1), "there is no ledger yet");
    assert_eq!(home.up().stop(), Some(0));
    let file = folder_of(&home, "felix").join("identity.md");
    let edit = format!("# Felix\n\n{}", "I was edited by hand. ".repeat(4));
    std::fs::write(&file, &edit).unwrap();
    let rebuilt = home.run(["memory", "rebuild"]);
    let table = String::from_utf8(rebuilt.stdout).unwrap();
    assert!(table.contains("an edit waits for the next start"), "{table}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), edit);
    let keeper = home.up();
    assert_eq!(keeper.client.read("/identity")["source"], "file");
}
