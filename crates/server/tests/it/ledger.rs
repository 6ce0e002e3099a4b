//! Any place of the ledger, a page at a time; and the configuration in force.

use serde_json::{Value, json};

use crate::home::Home;

fn seqs(page: &Value) -> Vec<u64> {
    page["items"].as_array().unwrap().iter().map(|line| line["seq"].as_u64().unwrap()).collect()
}

#[test]
fn any_place_is_read_as_the_ledger_has_it() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the heron is grey");
    let epoch = keeper.client.say("what colour is the heron?");
    let all = keeper.client.read("/ledger?after=0&limit=500");
    let lines = home.ledger();
    assert_eq!(all["items"], json!(lines));
    assert_eq!(
        (&all["next"], &all["prev"], &all["head"]),
        (&Value::Null, &Value::Null, &json!(lines.len()))
    );
    let newest = keeper.client.read("/ledger?limit=3");
    let head = lines.len() as u64;
    assert_eq!(seqs(&newest), [head, head - 1, head - 2]);
    let before = newest["next"].as_str().unwrap();
    let page = keeper.client.read(&format!("/ledger?before={before}&limit=2"));
    assert_eq!(seqs(&page), [head - 3, head - 4]);
    let id = epoch["epoch_id"].as_str().unwrap();
    let of_epoch = keeper.client.read(&format!("/ledger?after=0&epoch={id}"));
    let wanted: Vec<_> = lines.iter().filter(|line| line["epoch"] == id).cloned().collect();
    assert_eq!(of_epoch["items"], json!(wanted));
}

#[test]
fn the_ledger_is_asked_by_life_kind_and_text() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the heron is grey");
    keeper.client.say("good morning");
    let lines = home.ledger();
    let count = |fits: &dyn Fn(&Value) -> bool| lines.iter().filter(|line| fits(line)).count();
    let read = |query: &str| keeper.client.read(&format!("/ledger?limit=500&{query}"));
    let found = |query: &str| read(query)["items"].as_array().unwrap().len();
    assert_eq!(found("citizen=keeper"), count(&|line| line["entity"] == "@keeper"));
    assert_eq!(found("citizen=felix&kinds=epoch.*"), 4);
    let kind = |line: &Value| line["kind"].as_str().unwrap().to_owned();
    assert_eq!(
        found("kinds=epoch.*,turn.started"),
        count(&|line| { kind(line).starts_with("epoch.") || kind(line) == "turn.started" })
    );
    let herons = read("q=HERON%20is&kinds=stimulus.*");
    assert_eq!(herons["items"][0]["data"]["content"], "remember that the heron is grey");
    assert_eq!(herons["items"].as_array().unwrap().len(), 1);
    assert_eq!(found("q=no%20such%20words"), 0);
    for wrong in ["limit=0", "limit=501", "before=x", "kinds=a.b", "citizen=%40", "epoch=1"] {
        assert_eq!(keeper.client.get(&format!("/ledger?{wrong}")).status, 400, "{wrong}");
    }
    assert_eq!(keeper.client.anonymous().get("/ledger").status, 401);
}

#[test]
fn the_configuration_in_force_is_shown_with_its_sources() {
    let home = Home::new("[limits]\nturns = 7\n");
    let keeper = home.up_with(&[("SECRET_KEY", "sk-123")]);
    let shown = keeper.client.read("/config");
    let find = |key: &str| {
        let items = shown["items"].as_array().unwrap();
        items.iter().find(|item| item["key"] == key).cloned().unwrap()
    };
    assert!(shown["file"].as_str().unwrap().ends_with("abide.toml"));
    let turns = find("limits.turns");
    assert_eq!((&turns["value"], &turns["source"]["line"]), (&json!("7"), &json!(2)));
    assert_eq!(find("keeper.listen")["source"]["name"], "--listen");
    assert_eq!(find("model.provider")["source"]["name"], "ABIDE_MODEL_PROVIDER");
    let printed = home.run(["config", "print", "--json"]);
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let keys = |items: &Value| -> Vec<Value> {
        items.as_array().unwrap().iter().map(|item| item["key"].clone()).collect()
    };
    assert_eq!(keys(&shown["items"]), keys(&printed["items"]));
    assert!(!shown.to_string().contains("sk-123"));
    assert_eq!(keeper.client.anonymous().get("/config").status, 401);
}
