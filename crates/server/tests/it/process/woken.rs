//! Agents that are woken: by what they wait for, and by the clock.

use abide_domain::{EntityName, event::WakeScheduled};
use abide_ledger::Draft;
use serde_json::{Value, json};

use super::{past::write_events, scene::of_kind};
use crate::{home::Home, stdout::run};

/// The stimuli of a session, in order.
fn stimuli(home: &Home, session: &str) -> Vec<Value> {
    let ledger = home.ledger();
    let accepted = of_kind(&ledger, "stimulus.accepted");
    accepted.into_iter().filter(|line| line["data"]["session_id"] == session).cloned().collect()
}

#[test]
fn a_wake_that_is_set_from_outside_fires_once_when_its_condition_comes_true() {
    let home = Home::new("");
    let keeper = home.up();
    let set =
        home.run(["stdout", "--as", "@felix", r#"\wake ?(content contains "go") say hello ---"#]);
    assert!(set.status.success(), "{set:?}");
    run(&keeper.client, "@felix", "not yet");
    keeper.kill();
    let keeper = home.up();
    let mut events = keeper.client.events("/events?kinds=epoch.committed", &[]);
    let noted = home.run(["stdout", "--as", "@felix", "ready to go"]);
    assert!(noted.status.success(), "{noted:?}");
    let committed = events.next().unwrap();
    let id = committed.data["epoch"].as_str().unwrap();
    let epoch = keeper.client.read(&format!("/epochs/{id}"));
    let stimulus = &epoch["stimulus"];
    assert_eq!((&stimulus["channel"], &stimulus["sender"]), (&json!("system"), &json!("system")));
    let content = stimulus["content"].as_str().unwrap();
    assert!(content.starts_with("say hello\n"), "{content}");
    for part in ["?(content contains \"go\")", "@felix: not yet", "@felix: ready to go"] {
        assert!(content.contains(part), "{part}: {content}");
    }
    assert_eq!(keeper.client.read("/agents/felix/wakes")["items"], json!([]));
    run(&keeper.client, "@felix", "go again");
    keeper.kill();
    let keeper = home.up();
    keeper.client.say("hi");
    assert_eq!(stimuli(&home, "wake").len(), 1, "once");
    let ledger = home.ledger();
    let fired = of_kind(&ledger, "wake.fired");
    assert_eq!((fired.len(), &fired[0]["epoch"]), (1, &json!(id)), "in its stimulus's batch");
}

#[test]
fn a_run_that_was_missed_while_no_keeper_was_there_is_made_once() {
    // The first of January of this year lies behind us at any time but in its first moment.
    let config = "[[agent]]\nid = \"ada\"\n[[agent.schedule]]\nname = \"health\"\ncron = \"0 0 1 1 *\"\n\
                  content = \"Daily health check\"\n[[agent.schedule]]\ncron = \"0 0 1 1 *\"\ncontent = \"new\"\n";
    let home = Home::new(config);
    let scheduled = WakeScheduled {
        name: "health".into(),
        cron: "0 0 1 1 *".into(),
        time_zone: None,
        at: None,
        content: "Daily health check".into(),
        session: None,
    };
    // It has been in force since 2023.
    write_events(&home, {
        let (entity, author) = ("@ada".parse().unwrap(), EntityName::keeper());
        vec![Draft { entity, author, epoch: None, event: scheduled.into() }]
    });
    for _ in 0..2 {
        let keeper = home.up();
        let mut events = keeper.client.events("/events?after=0&kinds=epoch.committed", &[]);
        let committed = events.next().unwrap();
        let epoch = committed.data["epoch"].as_str().unwrap();
        let epoch = keeper.client.read(&format!("/epochs/{epoch}"));
        assert_eq!(epoch["stimulus"]["content"], "Daily health check");
        assert_eq!(epoch["stimulus"]["channel"], "system");
        let said = keeper.client.post("/start-epoch?wait=1", &json!({"message": "hi"}));
        assert_eq!(said.status, 200);
        keeper.kill();
    }
    assert_eq!(stimuli(&home, "schedule:health").len(), 1, "the newest of three missed ones, once");
    assert_eq!(stimuli(&home, "schedule:2").len(), 0, "what came with this start missed nothing");
    let ledger = home.ledger();
    let ran = of_kind(&ledger, "wake.ran");
    let due = ran[0]["data"]["due"].as_str().unwrap();
    assert_eq!(ran.len(), 1);
    let year = &ran[0]["timestamp"].as_str().unwrap()[..4];
    assert_eq!(due, format!("{year}-01-01T00:00:00.000000Z"), "its run key");
    assert_eq!(ran[0]["epoch"], stimuli(&home, "schedule:health")[0]["epoch"], "one batch");
}
