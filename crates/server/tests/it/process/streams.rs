//! Readers of `/events` that are cut again and again, while epochs run and keepers die: together they see the ledger,
//! no more and no less.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use abide_testkit::{SplitMix64, rounds};
use serde_json::{Value, json};

use super::scene::{Switchboard, named};
use crate::{client::Client, home::Home};

/// Cuts in `make soak`, shared by all readers.
const CUTS: u32 = 200;
/// Cuts from one death of a keeper to the next.
const CUTS_A_LIFE: u32 = 7;
/// Events that a reader takes before it is cut, at most.
const EVENTS_MAX: u64 = 12;

/// A reader and what it wants to see.
struct Reader {
    query: &'static str,
    wants: fn(&Value) -> bool,
    last: u64,
    seen: Vec<Value>,
}

impl Reader {
    fn new(query: &'static str, wants: fn(&Value) -> bool) -> Self {
        Self { query, wants, last: 0, seen: Vec::new() }
    }

    /// Takes some events from where it was, then hangs up, whatever is under way.
    fn take(&mut self, client: &Client, count: u64) {
        let path = format!("/events?{}", self.query);
        let last = self.last.to_string();
        let mut events = client.events(&path, &[("last-event-id", &last)]);
        for _ in 0..count {
            let event = events.next().expect("the stream ended by itself");
            // Growing answers have no id and are not in the ledger.
            let Some(id) = event.id else { continue };
            self.last = id;
            self.seen.push(event.data);
        }
    }

    /// Takes the rest, up to the last event that it wants.
    fn finish(&mut self, client: &Client, ledger: &[Value]) {
        let last = ledger.iter().rfind(|line| (self.wants)(line)).unwrap()["seq"].as_u64();
        while Some(self.last) < last {
            self.take(client, 1);
        }
    }

    fn check(&self, ledger: &[Value]) {
        let wanted: Vec<&Value> = ledger.iter().filter(|line| (self.wants)(line)).collect();
        let seqs = |lines: &[&Value]| -> Vec<u64> {
            lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect()
        };
        let seen: Vec<&Value> = self.seen.iter().collect();
        assert_eq!(seqs(&seen), seqs(&wanted[..seen.len()]), "{}: a gap or a double", self.query);
        assert_eq!(seen, wanted[..seen.len()], "{}", self.query);
    }
}

fn everything(_: &Value) -> bool {
    true
}

fn of_ada(line: &Value) -> bool {
    line["entity"] == "@ada"
}

fn ends(line: &Value) -> bool {
    line["kind"].as_str().unwrap().starts_with("epoch.")
}

fn talk(board: &Switchboard, agent: &str, n: u32) {
    let message = format!("remember that heron {n} is grey");
    let body = json!({"message": message, "citizen": agent});
    let answer = board.post("/start-epoch?wait=1", &format!("{agent}-{n}"), &body);
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn readers_that_are_cut_while_keepers_die_see_every_event_once() {
    let home = Home::new(&named(&["ada", "bob"]));
    let mut keeper = home.up();
    let board = Switchboard::new(&keeper.client);
    let is_over = AtomicBool::new(false);
    let said = AtomicU32::new(0);
    let mut readers = [
        Reader::new("", everything),
        Reader::new("deltas=1&citizen=ada", of_ada),
        Reader::new("kinds=epoch.*", ends),
    ];
    let mut dice = SplitMix64::new(6);
    let keeper = std::thread::scope(|scope| {
        for agent in ["ada", "bob"] {
            let (board, is_over, said) = (&board, &is_over, &said);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    talk(board, agent, said.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
        for cut in 1..=rounds(CUTS) {
            for reader in &mut readers {
                reader.take(&keeper.client, dice.below(EVENTS_MAX));
            }
            if cut % CUTS_A_LIFE == 0 {
                keeper.kill();
                keeper = home.up();
                board.connect(&keeper.client);
            }
        }
        is_over.store(true, Ordering::Relaxed);
        keeper
    });
    let said = home.ledger();
    let client = &keeper.client;
    for reader in &mut readers {
        reader.finish(client, &said);
    }
    // An agent's process may have come or gone meanwhile: what was seen is a beginning of what now stands there.
    let ledger = home.ledger();
    for reader in &readers {
        reader.check(&ledger);
    }
    assert!(readers[0].seen.len() >= said.len(), "all of it");
}
