//! Many readers of `/events` at once, none of whom reads before all is over: each of them then has everything, once.

use abide_testkit::rounds;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use super::scene::named;
use crate::{client::Events, home::Home};

/// Readers in `make soak`.
const READERS: u32 = 2_000;
const AGENTS: [&str; 2] = ["ada", "bob"];
/// Epochs of each agent while nobody reads.
const EPOCHS: u32 = 10;

/// What a reader asks for, and whether a line is part of that.
type Wish = (&'static str, fn(&Value) -> bool);

const WISHES: [Wish; 4] = [
    ("/events?after=0", |_| true),
    ("/events?after=5&deltas=1", |line| line["seq"].as_u64() > Some(5)),
    ("/events?after=0&citizen=ada", |line| line["entity"] == "@ada"),
    ("/events?after=0&kinds=epoch.*,keeper.stopped", |line| {
        let kind = line["kind"].as_str().unwrap();
        kind.starts_with("epoch.") || kind == "keeper.stopped"
    }),
];

/// Lets this process hold as many sockets as the system allows it.
fn allow_many_sockets() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

fn drain(mut events: Events) -> Vec<(u64, String)> {
    std::iter::from_fn(|| events.next())
        .filter_map(|event| event.id.map(|id| (id, event.data.to_string())))
        .collect()
}

#[test]
fn thousands_of_readers_that_are_slow_each_see_everything_once() {
    allow_many_sockets();
    let home = Home::new(&named(&AGENTS));
    let keeper = home.up();
    let wishes = WISHES.iter().cycle().take(rounds(READERS) as usize);
    let readers: Vec<(&Wish, Events)> =
        wishes.map(|wish| (wish, keeper.client.events(wish.0, &[]))).collect();
    for n in 0..EPOCHS {
        for agent in AGENTS {
            let body =
                json!({"message": format!("remember that heron {n} is grey"), "citizen": agent});
            assert_eq!(keeper.client.post("/start-epoch?wait=1", &body).status, 200);
        }
    }
    assert_eq!(keeper.stop(), Some(0));
    let ledger = home.ledger();
    let wanted = WISHES.map(|(_, is_wanted)| -> Vec<(u64, String)> {
        let lines = ledger.iter().filter(|line| is_wanted(line));
        lines.map(|line| (line["seq"].as_u64().unwrap(), line.to_string())).collect()
    });
    for (n, (wish, events)) in readers.into_iter().enumerate() {
        let seen = drain(events);
        assert!(seen == wanted[n % WISHES.len()], "reader {n} of {}: {seen:?}", wish.0);
    }
}
