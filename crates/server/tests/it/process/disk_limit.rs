//! An agent that writes more than it may: its process is ended, a person is told what to do, and it goes on by itself once the
//! files are gone. Nobody else notices.

use std::fs;

use serde_json::{Value, json};

use super::scene::{assert_verified, of_kind};
use crate::{
    agents::{
        programs::{frames, table},
        world::{say, until},
    },
    client::Client,
    home::{Home, Keeper},
};

/// What waits for a person about the disk.
fn matter(client: &Client) -> Option<Value> {
    let all = client.read("/attention");
    all["items"].as_array().unwrap().iter().find(|matter| matter["kind"] == "disk").cloned()
}

fn ends_of(home: &Home, agent: &str) -> Vec<Value> {
    let ledger = home.ledger();
    let own = of_kind(&ledger, "agent.exited").into_iter();
    own.filter(|line| line["entity"] == format!("@{agent}"))
        .map(|line| line["data"].clone())
        .collect()
}

fn state(keeper: &Keeper, agent: &str) -> (Value, Value) {
    let shown = keeper.client.read(&format!("/agents/{agent}"));
    (shown["state"].clone(), shown["process"]["state"].clone())
}

#[test]
fn an_agent_that_fills_its_part_of_the_disk_is_ended_and_runs_again_once_a_person_made_room() {
    let Some(command) = frames(&["fill"]) else { return };
    let tables = ["felix", "mia"].map(|id| table(id, &command) + "disk_mb = 8\n").concat();
    let home = Home::new(&format!("[limits]\nattempts = 1\n{tables}"));
    let keeper = home.up();
    assert_eq!(say(&keeper.client, "mia", "fill 4"), "here");
    assert_eq!(say(&keeper.client, "felix", "fill 12"), "here", "nothing keeps it from writing");

    let matter_of_felix = until("a matter about the disk", || matter(&keeper.client));
    let work = home.path().join("agents/felix/work");
    let summary = matter_of_felix["summary"].as_str().unwrap();
    let cause = "used 12.1 MB of its 8 MB of disk, most of it in agents/felix/work";
    assert!(summary.starts_with(&format!("felix {cause}, and")), "{summary}");
    let advice = format!("delete files in {}, or raise `disk_mb`", work.display());
    assert!(summary.contains(&advice), "{summary}");
    assert_eq!(
        (&matter_of_felix["id"], &matter_of_felix["citizen"]),
        (&json!("disk:felix"), &json!("felix"))
    );
    let ends = until("its end", || Some(ends_of(&home, "felix")).filter(|ends| !ends.is_empty()));
    assert_eq!((ends.len(), &ends[0]["reason"]), (1, &json!("disk_limit")), "{ends:?}");
    assert_eq!(ends[0]["message"], format!("it {cause}; it was ended by signal 9"));

    // Whoever asks it is told, and neither that nor a person who starts it lets it run on.
    let held = json!("over_disk_limit");
    until("a process that is held", || (state(&keeper, "felix").1 == held).then_some(()));
    assert_eq!(state(&keeper, "felix"), (held.clone(), held.clone()));
    let body = json!({"message": "hello", "citizen": "felix"});
    let epoch = keeper.client.post("/start-epoch?wait=1", &body).json();
    let told = epoch["abort"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("not started until there is room") && told.contains(cause), "{epoch}");
    assert_eq!(ends_of(&home, "felix").len(), 1, "it was not started for that");
    let answer = keeper.client.post("/agents/felix/restart", &json!({}));
    assert_eq!(answer.status, 200, "{answer:?}");
    let ends =
        until("its second end", || Some(ends_of(&home, "felix")).filter(|ends| ends.len() > 1));
    assert_eq!(ends[1]["reason"], "disk_limit", "{ends:?}");
    until("a process that is held again", || (state(&keeper, "felix").1 == held).then_some(()));

    for entry in fs::read_dir(&work).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    until("a process that runs again", || (state(&keeper, "felix").1 == "ready").then_some(()));
    assert_eq!(matter(&keeper.client), None);
    assert_eq!(say(&keeper.client, "felix", "fill 1"), "here");
    assert_eq!(ends_of(&home, "mia"), Vec::<Value>::new(), "who kept to the limit was left alone");
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
}
