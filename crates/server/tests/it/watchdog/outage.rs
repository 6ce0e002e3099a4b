//! A network that leads to no model: nobody is paged for it, and people hear of it once.

use serde_json::json;

use super::{FAST, HOOK, Hook, count, up};
use crate::home::Home;

#[test]
fn a_network_that_is_down_is_told_of_instead_of_the_agents_that_it_stops() {
    let hook = Hook::start();
    // No name under `invalid` is ever found.
    let model =
        "[model]\nprovider = \"openai\"\nbase_url = \"http://model.invalid/v1\"\nname = \"m\"\n";
    // The one thinks in the keeper, the other in a process, whose words come over frames.
    let agents = "[[agent]]\nid = \"felix\"\nmind = \"model\"\nalways_active = true\n\
                  [[agent]]\nid = \"ada\"\nmind = \"agent\"\n";
    // Nobody stalls before both have tried.
    let patient = FAST.replace("threshold = \"300ms\"", "threshold = \"4s\"");
    let home = Home::new(&format!("{model}{patient}{HOOK}[limits]\nattempts = 1\n{agents}"));
    let keeper = up(&home, &hook);
    let mut events = keeper.client.events("/events", &[]);
    for citizen in ["felix", "ada"] {
        keeper.client.post("/start-epoch", &json!({"message": "hello", "citizen": citizen}));
    }
    let seen = events.until("watchdog.blinded");
    let blinded = seen.last().unwrap().data["data"].clone();
    assert_eq!(blinded["cause"], "network", "{blinded}");
    assert!(blinded["message"].as_str().unwrap().contains("no connection to model.invalid"));
    // One of them is to be active always and is not: nobody blames it.
    let told = hook.next("blind").json();
    assert!(told["reason"].as_str().unwrap().contains("model.invalid"), "{told}");
    events.until("watchdog.notified");
    for _ in 0..5 {
        events.until("watchdog.scanned");
    }
    let view = keeper.client.read("/watchdog");
    assert!(view["blind"].as_str().unwrap().contains("no connection"), "{view}");
    assert_eq!((count(&home, "watchdog.stall_opened"), count(&home, "watchdog.paged")), (0, 0));
    assert_eq!(count(&home, "watchdog.notified"), 1, "one message for all");
}
