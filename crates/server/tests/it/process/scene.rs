//! What the tests of processes share: homes whose mind is a fake model, copies of homes, and callers who go on asking
//! while keepers come and go.

use std::{
    path::Path,
    sync::{Condvar, Mutex},
    time::Duration,
};

use abide_testkit::{FakeDialect, ModelServer, rounds};
use serde_json::Value;

use crate::{
    client::{Answer, Client},
    home::{Home, Keeper},
};

/// Between two attempts of a caller whose keeper is away. Nothing waits for it: a keeper that is back wakes all callers.
const LOOK: Duration = Duration::from_millis(20);
/// Attempts of a caller before it gives up: a minute of looks.
const ATTEMPTS_MAX: u32 = 3_000;

/// The rounds of a test whose full count takes many minutes: all in `make soak`, a twentieth of the usual share of them
/// otherwise.
pub(crate) fn rounds_of_a_long_run(full: u32) -> u32 {
    match rounds(full) {
        all if all >= full => all,
        share => (share / 20).max(1),
    }
}

/// `[model]` for a fake server, and one `[[agent]]` a name.
pub(crate) fn thinking_with(server: &ModelServer, agents: &[&str]) -> String {
    let url = server.base_url(FakeDialect::OpenAiChat);
    let model =
        format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"fake-model\"\n");
    model + &named(agents)
}

/// One `[[agent]]` a name.
pub(crate) fn named(agents: &[impl AsRef<str>]) -> String {
    let tables = agents.iter().map(|agent| format!("[[agent]]\nid = \"{}\"", agent.as_ref()));
    tables.collect::<Vec<_>>().join("\n") + "\n"
}

/// Everything that stands in a home, in a home of its own. Its keeper must not run.
pub(crate) fn copy_of(home: &Home) -> Home {
    let config = std::fs::read_to_string(home.path().join("abide.toml")).unwrap();
    let copy = Home::new(&config);
    copy_folder(&home.path(), &copy.path());
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else if path.is_file() {
            // Sockets are of a keeper, not of its home.
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// Fails where `abide ledger verify` does.
pub(crate) fn assert_verified(home: &Home) {
    let verified = home.run(["ledger", "verify"]);
    assert!(verified.status.success(), "{verified:?}");
}

/// The lines of a kind.
pub(crate) fn of_kind<'a>(ledger: &'a [Value], kind: &str) -> Vec<&'a Value> {
    ledger.iter().filter(|line| line["kind"] == kind).collect()
}

/// An epoch without what may differ between two lives of the same house: times, durations, places in the ledger.
pub(crate) fn timeless(mut epoch: Value) -> Value {
    for field in ["opened_at", "ended_at", "seq", "usage"] {
        epoch[field] = Value::Null;
    }
    epoch["stimulus"]["timestamp"] = Value::Null;
    for turn in epoch["turns"].as_array_mut().unwrap() {
        for call in turn["tool_calls"].as_array_mut().unwrap() {
            call["duration_ms"] = Value::Null;
            if call["name"] == "memory.remember_fact" {
                // It is the fact's id, which is made anew where the call was not finished.
                call["content"] = Value::Null;
            }
        }
    }
    epoch
}

/// All epochs, whole, the newest first.
pub(crate) fn all_epochs(client: &Client) -> Vec<Value> {
    let mut epochs = Vec::new();
    let mut path = "/epochs?limit=500".to_owned();
    loop {
        let page = client.read(&path);
        epochs.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["next"].as_str() {
            Some(next) => path = format!("/epochs?limit=500&cursor={next}"),
            None => return epochs,
        }
    }
}

/// Waits until so many epochs have ended since the beginning of the ledger.
pub(crate) fn wait_for_ends(client: &Client, count: usize) {
    let mut events = client.events("/events?after=0&kinds=epoch.committed,epoch.aborted", &[]);
    for _ in 0..count {
        events.next().expect("the stream ended before all epochs did");
    }
}

/// Waits until so many epochs have ended since the beginning of the ledger, or the keeper has died before that.
pub(crate) fn outlives(keeper: &mut Keeper, ends: usize) -> bool {
    let path = "/events?after=0&kinds=epoch.committed,epoch.aborted";
    // Nothing is streamed while the ledger is read.
    while !keeper.is_gone() {
        if let Some(mut events) = keeper.client.try_events(path, &[]) {
            return (0..ends).all(|_| events.next().is_some());
        }
    }
    false
}

/// Where the keeper answers at present. Callers whose keeper died are told when another is there.
pub(crate) struct Switchboard {
    line: Mutex<Line>,
    moved: Condvar,
}

struct Line {
    client: Client,
    incarnation: u64,
}

impl Switchboard {
    /// With a first keeper.
    pub(crate) fn new(client: &Client) -> Self {
        let line = Line { client: client.clone(), incarnation: 0 };
        Self { line: Mutex::new(line), moved: Condvar::new() }
    }

    /// With the next keeper.
    pub(crate) fn connect(&self, client: &Client) {
        let mut line = self.line.lock().unwrap();
        *line = Line { client: client.clone(), incarnation: line.incarnation + 1 };
        drop(line);
        self.moved.notify_all();
    }

    /// Posts until a keeper has answered whole, under the same key each time.
    pub(crate) fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        for _ in 0..ATTEMPTS_MAX {
            let (client, incarnation) = self.line();
            let answer = client.attempt("POST", path, &headers, &body.to_string());
            match answer.filter(|answer| is_whole(answer) && answer.status != 503) {
                Some(answer) => return answer,
                None => self.wait(incarnation),
            }
        }
        panic!("nobody answered {key}");
    }

    /// Reads once; none where no keeper answered whole.
    pub(crate) fn get(&self, path: &str) -> Option<Answer> {
        let (client, incarnation) = self.line();
        let answer = client.attempt("GET", path, &[], "").filter(is_whole);
        if answer.is_none() {
            self.wait(incarnation);
        }
        answer
    }

    fn line(&self) -> (Client, u64) {
        let line = self.line.lock().unwrap();
        (line.client.clone(), line.incarnation)
    }

    fn wait(&self, incarnation: u64) {
        let line = self.line.lock().unwrap();
        let is_same = |line: &mut Line| line.incarnation == incarnation;
        drop(self.moved.wait_timeout_while(line, LOOK, is_same).unwrap());
    }
}

/// An answer that a dying keeper cut is none.
fn is_whole(answer: &Answer) -> bool {
    let length: Option<usize> = answer.header("content-length").parse().ok();
    length.is_none_or(|length| length == answer.text.len())
}
