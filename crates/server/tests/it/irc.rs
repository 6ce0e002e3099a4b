//! IRC from outside: people meet agents on the keeper's own server, over plain sockets and with real programs.
//!
//! `person` is somebody with a line of its own; the rest are the tests, one file a subject.

mod answers;
mod commands;
mod door;
mod outside;
mod pages;
mod past;
mod person;
mod programs;

use abide_testkit::{FakeDialect, ModelServer};
use serde_json::json;

use crate::home::{Home, Keeper};
use person::Person;

/// The server at a port of its own.
const OPEN: &str = "[irc]\nlisten = \"127.0.0.1:0\"\n";

/// A home with the server, and agents that think with a scripted model.
fn home_for(model: &ModelServer, more: &str) -> Home {
    let url = model.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{OPEN}{more}"
    ))
}

const FELIX: &str = "[[agent]]\nid = \"felix\"\nmind = \"model\"\n";
const ADA: &str = "[[agent]]\nid = \"ada\"\nmind = \"model\"\n";

/// Where the server of a keeper is.
fn address(keeper: &Keeper) -> String {
    let health = keeper.client.read("/health");
    health["irc"]["server"].as_str().unwrap().to_owned()
}

/// Somebody with the home's token, in `#abide` among the agents.
fn enter(home: &Home, keeper: &Keeper, name: &str) -> Person {
    let mut person = Person::connect(&address(keeper));
    person.log_in(name, &home.token());
    person.join("#abide");
    until_in(&mut person, "#abide", "abide");
    person
}

/// Waits until an agent is in a room, which it comes to a moment after the keeper's start; gives who is there.
fn until_in(person: &mut Person, room: &str, nick: &str) -> String {
    loop {
        person.send(&format!("NAMES {room}"));
        let names = person.until(" 366 ").join("\n");
        if names.split([' ', '\n']).any(|name| name.trim_start_matches(['+', ':']) == nick) {
            return names;
        }
    }
}

fn park(keeper: &Keeper, agent: &str) {
    assert_eq!(keeper.client.post(&format!("/agents/{agent}/park"), &json!({})).status, 200);
}
