//! The stream of events: everything, in order, once.

use serde_json::json;

use crate::home::Home;

#[test]
fn all_history_is_served_and_then_what_happens() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the heron is grey");
    let mut events = keeper.client.events("/events?after=0", &[]);
    let mut seen = events.until("epoch.committed");
    keeper.client.say("what colour is the heron?");
    seen.extend(events.until("epoch.committed"));
    let ids: Vec<u64> = seen.iter().map(|event| event.id.unwrap()).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "dense from the first event");
    let lines = home.ledger();
    for (event, line) in seen.iter().zip(&lines) {
        assert_eq!((&event.data, &event.kind), (line, &line["kind"].as_str().unwrap().to_owned()));
    }
}

#[test]
fn a_stream_begins_where_it_is_told_and_last_event_id_wins() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("hi");
    let first =
        |path: &str, headers: &[(&str, &str)]| keeper.client.events(path, headers).next().unwrap();
    assert_eq!(first("/events?after=3", &[]).id, Some(4));
    assert_eq!(first("/events?after=3", &[("last-event-id", "6")]).id, Some(7));
    let filtered = first("/events?after=0&citizen=felix&kinds=stimulus.*,epoch.opened", &[]);
    assert_eq!(filtered.kind, "stimulus.accepted");
    let mut now = keeper.client.events("/events", &[]);
    let epoch = keeper.client.say("hello");
    assert_eq!(now.next().unwrap().id, epoch["seq"][0].as_u64(), "without a number it starts now");
}

#[test]
fn a_number_beyond_the_log_gets_a_snapshot_and_goes_on() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("hi");
    let mut events = keeper.client.events("/events", &[("last-event-id", "99999")]);
    let snapshot = events.next().unwrap();
    let known = keeper.client.read("/snapshot");
    assert_eq!((snapshot.kind.as_str(), snapshot.id), ("snapshot", known["seq"].as_u64()));
    assert_eq!(snapshot.data["state_digest"], known["state_digest"]);
    let epoch = keeper.client.say("hello");
    assert_eq!(events.next().unwrap().id, epoch["seq"][0].as_u64());
}

#[test]
fn whoever_sees_an_epoch_end_can_read_it() {
    let home = Home::new("");
    let keeper = home.up();
    let mut events = keeper.client.events("/events?kinds=epoch.committed", &[]);
    for n in 0..50 {
        keeper.client.post("/start-epoch", &json!({"message": format!("hi {n}")}));
        let end = events.next().unwrap();
        let id = end.data["epoch"].as_str().unwrap().to_owned();
        assert_eq!(keeper.client.read(&format!("/epochs/{id}"))["state"], "committed");
    }
}

#[test]
fn streams_end_when_the_keeper_stops_and_the_last_word_is_in_them() {
    let home = Home::new("");
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.say("hi");
    assert_eq!(keeper.stop(), Some(0));
    let stopped = events.until("keeper.stopped").pop().unwrap();
    assert_eq!(stopped.data["data"]["reason"], "SIGTERM");
    assert_eq!(events.next(), None);
}
