//! Wakes and spaces as a person at the routes sees them.

use serde_json::json;

use super::{refusal, run, still_home};
use crate::home::Home;

#[test]
fn wakes_are_listed_and_taken_back() {
    let home = still_home();
    let keeper = home.up();
    let client = &keeper.client;
    assert_eq!(client.read("/agents/felix/wakes")["items"], json!([]));
    assert_eq!(client.get("/agents/nobody/wakes").status, 404);
    let set = run(client, "@felix", r"\wake ?(from(@nicolas) or sleep(2h)) look again ---");
    assert!(set.starts_with("You will be woken once when ?("), "{set}");
    run(client, "@felix", r#"\wake ?(content contains "x") second ---"#);
    let wakes = client.read("/agents/felix/wakes");
    let items = wakes["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!((&items[0]["prompt"], &items[0]["heard"]), (&json!("look again"), &json!(0)));
    assert!(items[0]["condition"].as_str().unwrap().contains("from(@nicolas)"), "{wakes}");
    let page = client.read("/agents/felix/wakes?limit=1");
    assert_eq!((page["items"].as_array().unwrap().len(), &page["next"]), (1, &json!("1")));
    let id = items[0]["id"].as_str().unwrap();
    assert!(run(client, "@felix", r"\wake ---").contains(id));
    run(client, "@felix", &format!(r"\wake cancel: {id} ---"));
    let left = client.read("/agents/felix/wakes");
    assert_eq!(left["items"][0]["prompt"], "second");
    assert!(refusal(client, "@felix", &format!(r"\wake cancel: {id} ---")).contains("No wake"));
    let before = left["items"].clone();
    keeper.kill();
    let keeper = home.up();
    assert_eq!(keeper.client.read("/agents/felix/wakes")["items"], before, "durable");
}

#[test]
fn a_space_is_for_its_members_and_a_mention_wakes() {
    let home = Home::new(&format!(
        "{}[[agent]]\nid = \"ada\"\n[[agent]]\nid = \"bob\"\n[[agent]]\nid = \"cyd\"\n",
        super::STILL
    ));
    let keeper = home.up();
    let client = &keeper.client;
    let mut events = client.events("/events?kinds=stimulus.accepted", &[]);
    let named = run(client, "@ada", r"\name #lab @(bob, cyd) ---");
    assert_eq!(named, "#lab has the members @ada, @bob, @cyd");
    assert_eq!(run(client, "@ada", r"\say #lab the build is green, @bob ---"), "Said to #lab");
    let woken = events.next().unwrap();
    assert_eq!((&woken.data["entity"], &woken.data["author"]), (&json!("@bob"), &json!("@ada")));
    for reader in ["@ada", "@bob", "@cyd"] {
        assert!(
            run(client, reader, r"\read #lab ---").contains("[tick 0] @ada in #lab: the build is")
        );
    }
    for command in [r"\read #lab ---", r"\say #lab hi ---", r"\name #lab @ada ---"] {
        assert_eq!(refusal(client, "@user", command), "ERROR: @user is not in #lab", "{command}");
    }
    assert_eq!(run(client, "@user", r"\read ---"), "No messages for @user yet");
}
