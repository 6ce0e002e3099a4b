//! `abide sleep` and what is shown of a sleep, with and without a model.

use serde_json::Value;

use super::night::{config, credulous, say};
use crate::home::Home;

#[test]
fn abide_sleep_reports_what_changed() {
    let server = credulous();
    let home = Home::new(&config(&server));
    let keeper = home.up();
    say(&keeper.client, "nicolas", "I live in Berlin.");
    let slept = home.run(["sleep", "--json"]);
    assert!(slept.status.success(), "{slept:?}");
    let report: Value = serde_json::from_slice(&slept.stdout).unwrap();
    assert_eq!(report["status"], "ok");
    assert_eq!(report["facts"][0]["content"], "nicolas: I live in Berlin");
    assert_eq!(report["identity_version"], 2);
    assert_eq!(report["steps"].as_array().unwrap().len(), 3);
    assert!(report["dream"].as_str().unwrap().ends_with("-what-was-said.md"));
    let nothing = home.run(["sleep"]);
    assert!(nothing.status.success(), "{nothing:?}");
    let night = keeper.client.read("/management/sleep");
    assert_eq!((night["state"].as_str(), night["consolidated"].as_u64()), (Some("awake"), Some(1)));
    assert_eq!(keeper.client.read("/identity")["source"], "sleep");
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn without_a_model_plain_facts_are_learnt_and_no_dream_is_made_up() {
    let home = Home::new("[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n");
    let keeper = home.up();
    say(&keeper.client, "ada", "Hi, I live in Paris.");
    say(&keeper.client, "ada", "I moved to Oslo.");
    let slept = home.run(["sleep", "--json"]);
    assert!(slept.status.success(), "{slept:?}");
    let report: Value = serde_json::from_slice(&slept.stdout).unwrap();
    assert_eq!(
        (report["status"].as_str(), report["distiller"].as_str()),
        (Some("ok"), Some("rules"))
    );
    assert_eq!(report["identity_version"], Value::Null);
    let steps: Vec<_> = report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["status"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["ok", "empty", "skipped"]);
    assert_eq!(
        super::night::facts(&keeper.client),
        ["ada lives in Oslo"],
        "the newer one is in force"
    );
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn the_days_of_an_agent_in_a_process_of_its_own_are_distilled_by_its_model() {
    let server = credulous();
    // `auto` runs the mind in the agent's own process.
    let home = Home::new(&config(&server).replace("mind = \"model\"", "mind = \"auto\""));
    let keeper = home.up();
    say(&keeper.client, "nicolas", "I live in Berlin.");
    let slept = home.run(["sleep", "--json"]);
    assert!(slept.status.success(), "{slept:?}");
    let report: Value = serde_json::from_slice(&slept.stdout).unwrap();
    assert_eq!(
        (report["status"].as_str(), report["distiller"].as_str()),
        (Some("ok"), Some("model fake-model"))
    );
    assert_eq!(super::night::facts(&keeper.client), ["nicolas: I live in Berlin"]);
    assert_eq!(keeper.stop(), Some(0));
}
