//! Agents that sleep, and what their ledger says about it.

use std::collections::BTreeMap;

use abide_testkit::{FakeDialect, ModelServer, Reply, rules};
use serde_json::{Value, json};

use crate::{client::Client, home::Home, process::scene::of_kind};

/// A fake model that is credulous when it is asked to distil, and says things back otherwise.
pub(super) fn credulous() -> ModelServer {
    ModelServer::builder().rule(rules::sleeping(rules::echo())).start().unwrap()
}

/// A configuration whose agent `felix` thinks and is distilled by a model.
pub(super) fn config(server: &ModelServer) -> String {
    let url = server.base_url(FakeDialect::OpenAiChat);
    format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"fake-model\"\n\
         [limits]\nturn = \"3s\"\n[[agent]]\nid = \"felix\"\nmind = \"model\"\n"
    )
}

/// Says something and waits for the answer.
pub(super) fn say(client: &Client, sender: &str, message: &str) -> String {
    let body = json!({"message": message, "sender": sender, "channel": "direct"});
    let answer = client.post("/start-epoch?wait=1", &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["epoch_id"].as_str().unwrap().to_owned()
}

/// Lets the agent sleep and waits for the end; gives how it ended.
pub(super) fn sleep(client: &Client) -> Value {
    let before = client.read("/snapshot")["seq"].as_u64().unwrap();
    let begun = client.post("/management/sleep", &json!({}));
    assert_eq!(begun.status, 202, "{begun:?}");
    wait_for_end(client, before)
}

/// Waits for the next end of a sleep after a sequence.
pub(super) fn wait_for_end(client: &Client, after: u64) -> Value {
    let mut events = client.events(&format!("/events?after={after}&kinds=sleep.ended"), &[]);
    let event = events.next().expect("the stream ended before the sleep did");
    event.data["data"].clone()
}

/// How often each epoch is named by a sleep that did not fail.
pub(super) fn named(ledger: &[Value]) -> BTreeMap<String, usize> {
    let failed: Vec<&str> = of_kind(ledger, "sleep.ended")
        .into_iter()
        .filter(|line| line["data"]["status"] == "failed")
        .map(|line| line["data"]["sleep_id"].as_str().unwrap())
        .collect();
    let mut named = BTreeMap::new();
    for started in of_kind(ledger, "sleep.started") {
        if failed.contains(&started["data"]["sleep_id"].as_str().unwrap()) {
            continue;
        }
        for epoch in started["data"]["epochs"].as_array().unwrap() {
            *named.entry(epoch.as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    named
}

/// The contents of the facts in force, in order of their text.
pub(super) fn facts(client: &Client) -> Vec<String> {
    let page = client.read("/knowledge?limit=500");
    let mut facts: Vec<_> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| fact["content"].as_str().unwrap().to_owned())
        .collect();
    facts.sort();
    facts
}

/// The files of an agent's dreams, by name.
pub(super) fn dream_files(home: &Home) -> BTreeMap<String, Vec<u8>> {
    let folder = home.path().join("agents/felix/dreams");
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

/// A model that answers questions of sleep with one reply, and everything else by saying it back.
pub(super) fn answering_sleep_with(
    reply: impl Fn() -> Reply + Send + Sync + 'static,
) -> ModelServer {
    let awake = rules::echo();
    let rule = move |request: &abide_testkit::SeenRequest| match rules::asked_step(request) {
        Some(_) => reply(),
        None => awake(request),
    };
    ModelServer::builder().rule(rule).start().unwrap()
}
