//! The command language from outside: over HTTP, at the command line, in a chat, by a mind; its files; its page.
//!
//! The world's tick is an hour long in most of these homes, so that answers are the same to the byte.

mod bounds;
mod files;
mod grants;
mod page;
mod speakers;
mod specification;
mod talk;

use serde_json::json;

use crate::{client::Client, home::Home};

/// One tick for as long as a test runs.
pub(crate) const STILL: &str = "[keeper]\ntick_interval = \"1h\"\n";

/// A home in which time stands still.
fn still_home() -> Home {
    Home::new(STILL)
}

/// What commands give, carried out as somebody.
pub(crate) fn run(client: &Client, entity: &str, command: &str) -> String {
    let answer = client.post("/stdout", &json!({"as": entity, "command": command}));
    assert_eq!(answer.status, 200, "{command}: {answer:?}");
    answer.json()["output"].as_str().unwrap().to_owned()
}

/// Why commands are refused.
pub(crate) fn refusal(client: &Client, entity: &str, command: &str) -> String {
    let answer = client.post("/stdout", &json!({"as": entity, "command": command}));
    assert_eq!(answer.status, 422, "{command}: {answer:?}");
    answer.json()["error"]["message"].as_str().unwrap().to_owned()
}
