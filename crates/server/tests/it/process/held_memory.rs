//! A memory that cannot be written for a while, here because another program holds its database: what is said meanwhile is
//! remembered as soon as it can be, without a restart, and people are told.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::{client::Client, home::Home};

/// Waits until the memory of felix is, or is no longer, among what waits for a person.
fn until_told(client: &Client, is_told: bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let matters = client.read("/attention");
        let items = matters["items"].as_array().unwrap();
        if items.iter().any(|item| item["id"] == "memory:felix") == is_told {
            return;
        }
        assert!(Instant::now() < deadline, "{matters:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn what_a_memory_could_not_take_is_handed_to_it_again() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    client.say("remember that the bank is Ostrich and Sons");
    let other = Connection::open(home.path().join("agents/felix/knowledge.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    client.say("remember that the launch is on 3 March 2027");
    until_told(client, true);
    client.say("remember that the canteen opens at noon");
    client.say("remember that the harbour site has two cranes");
    other.execute_batch("ROLLBACK").unwrap();
    until_told(client, false);
    let known = client.read("/knowledge?citizen=felix").to_string();
    for fact in ["Ostrich", "3 March 2027", "canteen", "two cranes"] {
        assert!(known.contains(fact), "{fact}: {known}");
    }
    let digest = client.read("/snapshot")["state_digest"].clone();
    assert_eq!(keeper.stop(), Some(0));
    home.forget_projections();
    let keeper = home.up();
    assert_eq!(keeper.client.read("/snapshot")["state_digest"], digest);
}
