//! BC-02: the ledger alone is enough, and nobody is ever shown less than all of it.

use std::path::PathBuf;

use abide_testkit::rounds;
use serde_json::{Value, json};

use super::{
    past::write_past,
    scene::{all_epochs, assert_verified, copy_of, named},
};
use crate::{client::Client, home::Home};

const AGENTS: u32 = 20;
const EPOCHS_EACH: u32 = 10;
/// Epochs of the long past in `make soak`: six lines each.
const PAST_EPOCHS: u32 = 60_000;

fn names() -> Vec<String> {
    (0..AGENTS).map(|n| format!("agent{n}")).collect()
}

/// Everything that can be asked about the past.
fn answers(client: &Client) -> Value {
    let mut answers = vec![client.read("/snapshot")["state_digest"].clone()];
    let mut agents = client.read("/agents");
    for agent in agents["items"].as_array_mut().unwrap() {
        // Processes are what they are now; the ledger tells what was.
        agent["process"] = Value::Null;
    }
    answers.push(agents);
    answers.push(client.read("/attention"));
    for name in names() {
        for path in ["/identity?", "/knowledge?limit=500&", "/epochs?limit=500&"] {
            answers.push(client.read(&format!("{path}citizen={name}")));
        }
        answers.push(client.read(&format!("/knowledge?q=colour&citizen={name}")));
    }
    let epochs = all_epochs(client);
    for epoch in &epochs {
        let id = epoch["epoch_id"].as_str().unwrap();
        answers.push(client.read(&format!("/epochs/{id}?thoughts=1")));
    }
    answers.push(epochs.into());
    answers.into()
}

/// Twenty agents that each learnt, forgot, failed and were asked again.
fn live(client: &Client) {
    std::thread::scope(|scope| {
        for name in names() {
            scope.spawn(move || {
                for n in 0..EPOCHS_EACH {
                    let message = match n % 3 {
                        0 => format!("remember that colour {n} of {name} is grey"),
                        1 => format!("what is colour {} of {name}?", n - 1),
                        _ => format!("\\tool memory.remember_fact {{\"content\": \"{n} {name}\"}}"),
                    };
                    let body = json!({"message": message, "citizen": name});
                    assert_eq!(client.post("/start-epoch?wait=1", &body).status, 200);
                }
            });
        }
    });
    let text = format!("# Agent 7\n\n{}", "I was written by a person. ".repeat(4));
    let body = json!({"content": text, "citizen": "agent7"});
    assert_eq!(client.post("/identity", &body).status, 200);
    let known = client.read("/knowledge?citizen=agent3");
    let fact = known["items"][0]["fact_id"].as_str().unwrap().to_owned();
    let gone = client.send("DELETE", &format!("/knowledge/{fact}?citizen=agent3"), &[], "");
    assert_eq!(gone.status, 204);
    assert_eq!(client.post("/management/reset", &json!({"citizen": "agent5"})).status, 200);
}

/// All files of a home that can be derived, at any depth.
fn derived(home: &Home) -> Vec<PathBuf> {
    let mut folders = vec![home.path()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if ["ledger", "abide.toml", "token"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

#[test]
fn bc_02_two_hundred_epochs_of_twenty_agents_come_back_from_the_ledger_alone() {
    let home = Home::new(&named(&names()));
    let keeper = home.up();
    live(&keeper.client);
    let before = answers(&keeper.client);
    assert_eq!(before.as_array().unwrap().last().unwrap().as_array().unwrap().len(), 200);
    assert_eq!(keeper.stop(), Some(0));

    let untouched = copy_of(&home);
    let everything = copy_of(&home);
    everything.forget_projections();
    let databases = copy_of(&home);
    let is_database =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("knowledge.db");
    derived(&databases)
        .into_iter()
        .filter(is_database)
        .for_each(|path| std::fs::remove_file(path).unwrap());
    let half = copy_of(&home);
    derived(&half)
        .into_iter()
        .filter(|path| path.file_name().unwrap() == "knowledge.db")
        .step_by(2)
        .for_each(|path| std::fs::write(path, "this is no database".repeat(1000)).unwrap());
    let homes = [
        ("nothing is missing", untouched),
        ("everything is missing", everything),
        ("the databases are missing", databases),
        ("half of the databases are rubbish", half),
    ];
    for (what, home) in homes {
        let keeper = home.up();
        assert_eq!(answers(&keeper.client), before, "{what}");
        keeper.kill();
        let keeper = home.up();
        assert_eq!(answers(&keeper.client), before, "{what}, after kill -9");
        assert_eq!(keeper.stop(), Some(0));
        assert_verified(&home);
    }
}

#[test]
fn bc_02_from_the_first_moment_an_answer_is_whole_or_says_that_it_loads() {
    let epochs = rounds(PAST_EPOCHS);
    let home = Home::new("");
    let newest = write_past(&home, "felix", epochs);
    // However fast the machine, the first questions come while the ledger is read.
    let keeper = home.begin(&[("ABIDE_TEST_FAILPOINTS", "recover.before_lanes=delay(300)")]);
    let paths = [
        "/snapshot".to_owned(),
        "/epochs?limit=1".to_owned(),
        format!("/epochs/{newest}"),
        "/identity".to_owned(),
        "/knowledge".to_owned(),
        "/agents".to_owned(),
        "/attention".to_owned(),
    ];
    let mut loading = 0;
    while keeper.client.anonymous().get("/ready").status != 200 {
        for path in &paths {
            let answer = keeper.client.get(path);
            if answer.status == 503 {
                assert_eq!(answer.code(), "loading", "{path}");
                loading += 1;
            } else {
                assert_whole(path, &answer.json(), &newest, epochs);
            }
        }
    }
    assert!(loading > 0, "nobody asked while it loaded");
    for path in &paths {
        assert_whole(path, &keeper.client.read(path), &newest, epochs);
    }
    assert_eq!(keeper.client.say("hi")["state"], "committed");
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
}

fn assert_whole(path: &str, answer: &Value, newest: &str, epochs: u32) {
    match path {
        "/snapshot" => {
            assert!(answer["seq"].as_u64().unwrap() >= u64::from(epochs) * 6, "{answer}");
        }
        "/epochs?limit=1" => assert_eq!(answer["items"][0]["epoch_id"], newest),
        "/agents" => assert_eq!(answer["items"][0]["id"], "felix", "{answer}"),
        "/identity" => assert_eq!(answer["version"], 1),
        "/knowledge" | "/attention" => assert_eq!(answer["items"], json!([])),
        _ => assert_eq!(answer["state"], "committed"),
    }
}
