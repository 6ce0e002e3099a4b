//! What a night leaves behind, by route and command: dreams, and an identity that waits for a person.

use abide_testkit::{
    ModelServer, Reply,
    rules::{asked_step, echo, sleeping},
};
use serde_json::{Value, json};

use crate::{client::Client, home::Home, process::scene::thinking_with};

/// Lets an agent sleep over what it was told, and waits for its end.
pub(super) fn night(client: &Client, agent: &str) {
    let mut events = client.events("/events?kinds=sleep.ended", &[]);
    let begun = client.post("/management/sleep", &json!({"citizen": agent}));
    assert!(begun.status < 300, "{begun:?}");
    let ended = events.until("sleep.ended");
    assert_eq!(ended.last().unwrap().data["data"]["status"], "ok", "{ended:?}");
}

pub(super) fn say(client: &Client, agent: &str, message: &str) {
    let body = json!({"message": message, "citizen": agent, "sender": "nicolas"});
    assert_eq!(client.post("/start-epoch?wait=1", &body).status, 200);
}

#[test]
fn dreams_are_listed_shown_and_taken_out_of_their_own_agents_list_alone() {
    let server = ModelServer::builder().rule(sleeping(echo())).start().unwrap();
    let home = Home::new(&thinking_with(&server, &["ada", "bob"]));
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "bob", "my favourite fruit is the kiwi");
    night(client, "bob");
    let list = client.read("/dreams?citizen=bob");
    let dream = &list["items"][0];
    let name = dream["filename"].as_str().unwrap();
    let path = |agent: &str| format!("/dreams/{name}?citizen={agent}");
    let shown = client.read(&path("bob"));
    let text = shown["content"].as_str().unwrap();
    let file = home.path().join("agents/bob/dreams").join(name);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        text,
        "the file is the text, byte for byte"
    );
    let run =
        |agent: &str, action: &str| home.run(["memory", "--agent", agent, "dreams", action, name]);
    assert_eq!(run("bob", "show").stdout, text.as_bytes());
    assert!(
        String::from_utf8(home.run(["memory", "--agent", "bob", "dreams"]).stdout)
            .unwrap()
            .contains(name)
    );

    assert_eq!(client.read("/dreams?citizen=ada")["items"], json!([]));
    assert_eq!(client.get(&path("ada")).status, 404, "a name leads to one's own dreams alone");
    assert_eq!(client.send("DELETE", &path("ada"), &[], "").status, 404);
    assert_eq!(client.get(&format!("/dreams/{name}")).status, 400, "and none is guessed");
    for name in ["..%2Fidentity.md", "..%2F..%2Fbob%2Fdreams%2Fx.md", "."] {
        assert_eq!(client.get(&format!("/dreams/{name}?citizen=bob")).status, 404, "{name}");
    }

    assert!(run("bob", "forget").status.success());
    assert_eq!(run("bob", "forget").status.code(), Some(1), "forgotten already");
    assert_eq!(client.read("/dreams?citizen=bob")["items"], json!([]));
    assert_eq!(client.get(&path("bob")).status, 404);
    assert!(!file.exists());
    let written = home.ledger().into_iter().filter(|line| line["kind"] == "memory.dream_written");
    assert_eq!(written.count(), 1, "its line stays");
}

/// A model whose agent wakes up as somebody else.
fn changed(request: &abide_testkit::SeenRequest) -> Reply {
    let answer = match asked_step(request) {
        Some("facts") => json!({"facts": []}),
        Some("identity") => {
            json!({"identity": format!("# Somebody\n\n{}", "I am not who I was, and I say so at length. ".repeat(3))})
        }
        Some(_) => json!({"dream": null}),
        None => return echo()(request),
    };
    Reply::text(answer.to_string()).in_form_of(request)
}

#[test]
fn a_large_change_of_an_identity_waits_for_a_person_who_decides_once() {
    let server = ModelServer::builder().rule(changed).start().unwrap();
    let home = Home::new(&thinking_with(&server, &["ada", "bob"]));
    let keeper = home.up();
    let client = &keeper.client;
    for agent in ["ada", "bob"] {
        say(client, agent, "my favourite fruit is the kiwi");
        night(client, agent);
    }
    let waits =
        |agent: &str| client.read(&format!("/identity/proposals?citizen={agent}"))["items"].clone();
    let proposal = waits("bob")[0].clone();
    assert!(proposal["diff"].as_str().unwrap().contains("I am not who I was"), "{proposal}");
    assert_eq!(client.read("/identity?citizen=bob")["version"], 1, "the old one is in force");
    let asked = client.read("/attention");
    let asks = |item: &&Value| item["kind"] == "identity";
    assert_eq!(asked["items"].as_array().unwrap().iter().filter(asks).count(), 2, "{asked}");
    let path = format!("/identity/proposals/{}", proposal["proposal_id"].as_str().unwrap());
    let decide = |agent: &str, decision: &str| {
        client.post(&path, &json!({"citizen": agent, "decision": decision}))
    };
    assert_eq!(
        decide("ada", "approve").status,
        404,
        "another agent's proposal is no proposal of this one"
    );
    let approved = decide("bob", "approve");
    assert_eq!((approved.status, &approved.json()["version"]), (200, &json!(2)), "{approved:?}");
    assert_eq!(decide("bob", "deny").status, 404, "it is decided");
    let identity = client.read("/identity?citizen=bob");
    assert_eq!(
        (&identity["content"], &identity["source"]),
        (&proposal["content"], &json!("sleep"))
    );
    assert_eq!(client.read("/identity?version=2&citizen=bob")["content"], proposal["content"]);

    let shown = home.run(["memory", "--agent", "ada", "identity", "review"]);
    assert!(String::from_utf8(shown.stdout).unwrap().contains("I am not who I was"));
    let denied =
        home.run(["memory", "--agent", "ada", "identity", "review", "--deny", "--reason", "no"]);
    assert!(denied.status.success(), "{denied:?}");
    assert_eq!(
        (client.read("/identity?citizen=ada")["version"].clone(), waits("ada")),
        (json!(1), json!([]))
    );
    let restored = client.post("/identity/restore", &json!({"citizen": "bob", "version": 1}));
    assert_eq!(restored.json()["version"], 3);
}
