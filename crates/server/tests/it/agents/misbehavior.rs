//! Processes that do not do what they should: each gives one clear event and the right state, and nobody else notices.

use std::{collections::HashMap, fs};

use serde_json::{Value, json};

use super::{
    programs::{frames, root, table},
    world::{World, process, say, tell, until},
};
use crate::{client::Client, home::Keeper};

/// A keeper of one agent that is started with it, and of one that behaves.
fn beside_a_good_one(command: &[&str], head: &str) -> Option<(World, Keeper)> {
    let world = World::new(|_| {
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let bad = table("bad", &command) + "start = \"keeper\"\n";
        Some(format!("{head}{bad}{}", table("good", &frames(&["plain"])?)))
    })?;
    let keeper = world.up();
    Some((world, keeper))
}

/// How the first run of an agent ended.
fn first_exit(client: &Client) -> Value {
    let mut events = client.events("/events?after=0&kinds=agent.exited&citizen=bad", &[]);
    events.next().unwrap().data["data"].clone()
}

/// How it is shown between two of its runs.
fn shown_waiting(client: &Client) -> Value {
    until("an agent between two runs", || {
        Some(client.read("/agents/bad")).filter(|agent| agent["process"]["state"] == "waiting")
    })
}

/// An agent that never comes up: how its first run ended, and what is shown.
fn never_up(command: &[&str], head: &str) -> Option<(Value, Value)> {
    let head = format!("[limits]\nattempts = 1\n{head}");
    let (world, keeper) = beside_a_good_one(command, &head)?;
    let exit = first_exit(&keeper.client);
    let agent = shown_waiting(&keeper.client);
    assert_eq!(agent["state"], "starting", "{agent}");
    assert!(agent["process"]["next_start_at"].is_string(), "{agent}");
    assert_eq!(say(&keeper.client, "good", "hello"), "here", "the other one does not notice");
    let epoch = tell(&keeper.client, "bad", "hello");
    assert_eq!(epoch["state"], "aborted", "whoever asks it is told: {epoch}");
    let cause = epoch["abort"]["message"].as_str().unwrap();
    assert!(cause.contains("the agent's process") && !cause.contains("model could"), "{cause}");
    let ledger = world.home.ledger();
    let own = ledger.iter().filter(|line| line["entity"] == "@bad");
    let kinds = own.fold(HashMap::new(), |mut kinds: HashMap<String, usize>, line| {
        *kinds.entry(line["kind"].as_str().unwrap().to_owned()).or_default() += 1;
        kinds
    });
    let runs = kinds["agent.started"];
    assert!(kinds["agent.exited"] == runs || kinds["agent.exited"] + 1 == runs, "{kinds:?}");
    assert_eq!(kinds.get("agent.ready"), None, "{kinds:?}");
    Some((exit, agent))
}

#[test]
fn one_that_prints_to_stdout_is_told_what_it_printed() {
    let Some((exit, agent)) = never_up(&["/bin/sh", "-c", "echo loading my model; sleep 60"], "")
    else {
        return;
    };
    assert_eq!(exit["reason"], "protocol", "{exit}");
    assert!(exit["message"].as_str().unwrap().contains("loading my model"), "{exit}");
    assert!(agent["process"]["message"].as_str().unwrap().contains("loading my model"), "{agent}");
}

#[test]
fn one_that_ends_at_once_is_shown_with_its_exit_code_and_last_words() {
    let script = "echo no key is set >&2";
    let Some((exit, agent)) = never_up(&["/bin/sh", "-c", script], "") else { return };
    assert_eq!(
        (&exit["reason"], &exit["last_words"]),
        (&json!("exited"), &json!(["no key is set"]))
    );
    assert_eq!(exit["message"], "it ended with exit code 0");
    let shown = "it ended with exit code 0; on its stderr: no key is set";
    assert_eq!(agent["process"]["message"], shown);
}

#[test]
fn one_that_is_not_there_is_shown_with_what_is_missing() {
    let Some((exit, _)) = never_up(&["/nowhere/agent"], "") else { return };
    assert_eq!(exit["reason"], "not_started", "{exit}");
    assert!(exit["message"].as_str().unwrap().contains("/nowhere/agent"), "{exit}");
}

#[test]
fn one_that_never_says_ready_is_ended() {
    let Some(command) = frames(&["mute"]) else { return };
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let head = "[supervisor]\nready_timeout = \"700ms\"\n";
    let Some((exit, _)) = never_up(&words, head) else { return };
    assert_eq!(exit["reason"], "not_ready", "{exit}");
    assert!(exit["message"].as_str().unwrap().contains("700ms"), "{exit}");
}

/// A malformed vector, and what is to become of it.
struct Vector {
    id: String,
    name: String,
    expect: String,
    code: Value,
    path: String,
}

fn vectors() -> Vec<Vector> {
    let index = fs::read_to_string(root().join("docs/wire/vectors/index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let text = |vector: &Value, key: &str| vector[key].as_str().unwrap_or_default().to_owned();
    let all = index["vectors"].as_array().unwrap().iter();
    all.filter(|vector| vector["direction"] == "from_agent" && vector["expect"] != "ok")
        .map(|vector| Vector {
            id: text(vector, "name").replace('_', "-"),
            name: text(vector, "name"),
            expect: text(vector, "expect"),
            code: vector["code"].clone(),
            path: text(vector, "path"),
        })
        .collect()
}

/// Whether all that its length announces is there: the agent ends behind one that is not.
fn is_whole(name: &str) -> bool {
    let bytes = fs::read(root().join(format!("docs/wire/vectors/{name}.msgpack"))).unwrap();
    let length: [u8; 4] = bytes[..4].try_into().unwrap();
    u32::from_be_bytes(length) as usize == bytes.len() - 4
}

#[test]
fn each_malformed_vector_is_one_event_that_names_the_field() {
    let vectors = vectors();
    let Some(world) = World::new(|folder| {
        let table = |vector: &Vector| {
            let file = root().join(format!("docs/wire/vectors/{}.msgpack", vector.name));
            let sent = folder.join(&vector.name);
            let manner = ["vector", file.to_str().unwrap(), sent.to_str().unwrap()];
            Some(table(&vector.id, &frames(&manner)?))
        };
        let tables: Option<Vec<_>> = vectors.iter().map(table).collect();
        Some(tables?.join(""))
    }) else {
        return;
    };
    let keeper = world.up();
    for vector in &vectors {
        let epoch = tell(&keeper.client, &vector.id, "hello");
        assert_eq!(epoch["final_response"], "here", "{}: {epoch}", vector.name);
        // At once: none of them says anything later, and silence is another matter.
        assert_eq!(process(&keeper.client, &vector.id)["state"], "ready", "{}", vector.name);
    }
    let ledger = world.home.ledger();
    for vector in &vectors {
        check_vector(vector, &ledger);
    }
}

fn check_vector(vector: &Vector, ledger: &[Value]) {
    let Vector { id, name, expect, code, path } = vector;
    let entity = format!("@{id}");
    let of_kind = |kind: &str| -> Vec<&Value> {
        let own = ledger.iter().filter(|line| line["entity"] == entity.as_str());
        own.filter(|line| line["kind"] == kind).map(|line| &line["data"]).collect()
    };
    let (faults, exits) = (of_kind("agent.faulted"), of_kind("agent.exited"));
    if expect == "error" {
        assert_eq!(faults.len(), 1, "{name}: {faults:?}");
        assert_eq!((&faults[0]["source"], &faults[0]["code"]), (&json!("protocol"), code));
        assert!(faults[0]["message"].as_str().unwrap().contains(path.as_str()), "{name}");
        assert_eq!(exits.len(), usize::from(!is_whole(name)), "{name}: {exits:?}");
    } else {
        assert_eq!(exits.len(), 1, "{name}: {exits:?}");
        assert_eq!(exits[0]["reason"], "protocol", "{name}: {exits:?}");
    }
}
