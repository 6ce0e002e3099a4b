//! A memory that cannot be written for a while, here because another program holds its database: what is said meanwhile is
//! remembered as soon as it can be, without a restart, and people are told.

use rusqlite::Connection;

use crate::{agents::world::until, client::Client, home::Home};

/// Whether the memory of felix is among what waits for a person.
fn is_listed(client: &Client) -> bool {
    let matters = client.read("/attention");
    matters["items"].as_array().unwrap().iter().any(|item| item["id"] == "memory:felix")
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
    until("the memory is listed", || is_listed(client).then_some(()));
    client.say("remember that the canteen opens at noon");
    client.say("remember that the harbour site has two cranes");
    other.execute_batch("ROLLBACK").unwrap();
    until("the memory has what it lacked", || (!is_listed(client)).then_some(()));
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
