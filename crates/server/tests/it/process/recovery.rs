//! Deaths in recovery itself: however often a start is cut, the house ends as an undisturbed start would have left it.

use std::path::Path;

use abide_testkit::{ModelServer, Reply, SeenRequest, rounds};
use serde_json::{Value, json};

use super::scene::{
    all_epochs, assert_verified, copy_of, of_kind, outlives, thinking_with, timeless, wait_for_ends,
};
use crate::home::{Home, Keeper};

/// Rounds of each first death in `make soak`.
const ROUNDS: u32 = 50;
/// Deaths at each point of recovery in a row.
const DEATHS: u32 = 3;
/// Starts at most until an epoch that kills the keeper is given up.
const STARTS_MAX: u32 = 6;
/// Stimuli that wait when the keeper dies.
const STIMULI: u32 = 3;

/// Keepers are told their probe file by a variable, so that a copy of a home can have its own.
struct Life {
    home: Home,
    folder: tempfile::TempDir,
}

impl Life {
    fn new(home: Home) -> Self {
        Self { home, folder: tempfile::tempdir().unwrap() }
    }

    /// The same house once more, as it is now.
    fn twin(&self) -> Self {
        let twin = Self::new(copy_of(&self.home));
        if self.probe().exists() {
            std::fs::copy(self.probe(), twin.probe()).unwrap();
        }
        twin
    }

    fn probe(&self) -> std::path::PathBuf {
        self.folder.path().join("probe")
    }

    fn begin(&self, failpoints: &str) -> Keeper {
        let probe = self.probe().to_str().unwrap().to_owned();
        let failpoints = failpoints.to_owned();
        self.home.begin(&[("ABIDE_TEST_PROBE_FILE", probe), ("ABIDE_TEST_FAILPOINTS", failpoints)])
    }

    /// Lets everything end that is open, and says how the house then stands.
    fn end_state(&self) -> Value {
        let mut keeper = self.begin("");
        assert_eq!(keeper.news()["event"], "ready");
        let accepted = of_kind(&self.home.ledger(), "stimulus.accepted").len();
        wait_for_ends(&keeper.client, accepted);
        let epochs: Vec<Value> = all_epochs(&keeper.client).into_iter().map(timeless).collect();
        let identity = keeper.client.read("/identity");
        let facts = keeper.client.read("/knowledge?limit=500")["items"].as_array().unwrap().len();
        assert_eq!(keeper.stop(), Some(0));
        assert_verified(&self.home);
        json!({"epochs": epochs, "identity": identity, "facts": facts, "effects": read(&self.probe())})
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Remembers something, writes a line, answers.
fn work(request: &SeenRequest) -> Reply {
    let text = request.user_text();
    let Some(at) = text.rfind("job-") else { return Reply::text("I did nothing.") };
    let job = text[at..].split_whitespace().next().unwrap();
    match request
        .finished_calls()
        .map_or("", |(calls, _)| calls[0].arguments["line"].as_str().map_or("fact", |_| "line"))
    {
        "" => Reply::calls([(
            request.spelling("memory.remember_fact"),
            json!({"content": format!("{job} was begun")}),
        )]),
        "fact" => Reply::calls([(request.spelling("probe.append"), json!({"line": job}))]),
        _ => Reply::text(format!("{job} is done")),
    }
}

/// Dies at `first` with stimuli waiting, then again and again in recovery; a twin recovers undisturbed.
fn recover_from(first: &str) {
    let server = ModelServer::builder().rule(work).start().unwrap();
    for round in 0..rounds(ROUNDS) {
        let life = Life::new(Home::new(&thinking_with(&server, &["ada"])));
        let keeper = life.begin(&format!("{first}=exit"));
        for n in 0..STIMULI {
            let body = json!({"message": format!("please do job-{n}")}).to_string();
            let headers = [("content-type", "application/json")];
            // The keeper may be loading at first, and dead later.
            while keeper
                .client
                .attempt("POST", "/start-epoch", &headers, &body)
                .is_some_and(|answer| answer.status == 503)
            {}
        }
        keeper.wait();
        let twin = life.twin();
        // A death that came before the opening was durable leaves nothing to be resumed.
        let is_open = !of_kind(&life.home.ledger(), "epoch.opened").is_empty();
        let resumed = is_open.then_some("recover.resumed");
        for point in ["recover.before_lanes"].into_iter().chain(resumed) {
            for _ in 0..DEATHS {
                life.begin(&format!("{point}=exit")).wait();
            }
        }
        let (disturbed, undisturbed) = (life.end_state(), twin.end_state());
        assert!(!disturbed["epochs"].as_array().unwrap().is_empty());
        let differences = differences(&disturbed, &undisturbed);
        assert!(differences.is_empty(), "{first}, round {round}: {differences:#?}");
        let starts = of_kind(&life.home.ledger(), "stimulus.accepted").len();
        assert!(starts >= 1, "{first}: the first stimulus was durable");
    }
    server.assert_clean();
}

/// Where two values differ, and how.
fn differences(a: &Value, b: &Value) -> Vec<String> {
    let pairs: Vec<(String, &Value, &Value)> = match (a, b) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().map(|(n, (a, b))| (n.to_string(), a, b)).collect()
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().map(|(key, a)| (key.clone(), a, &b[key])).collect()
        }
        _ if a == b => return Vec::new(),
        _ => return vec![format!(": {a} and {b}")],
    };
    let deeper = |(place, a, b): (String, &Value, &Value)| -> Vec<String> {
        differences(a, b).into_iter().map(|found| format!("/{place}{found}")).collect()
    };
    pairs.into_iter().flat_map(deeper).collect()
}

#[test]
fn bc_08_recovery_that_is_cut_ends_like_one_that_is_not_after_a_death_in_a_turn() {
    for first in ["turn.asked", "turn.answered"] {
        recover_from(first);
    }
}

#[test]
fn bc_08_recovery_that_is_cut_ends_like_one_that_is_not_after_a_death_around_a_tool() {
    for first in ["tool.intent_durable", "tool.effect_done", "tool.outcome_durable"] {
        recover_from(first);
    }
}

#[test]
fn bc_08_recovery_that_is_cut_ends_like_one_that_is_not_after_a_death_before_the_commit() {
    recover_from("commit.before");
}

#[test]
fn a_turn_that_kills_the_keeper_each_time_is_given_up_with_the_reason_and_the_next_goes_on() {
    let server = ModelServer::builder().rule(work).start().unwrap();
    let life = Life::new(Home::new(&thinking_with(&server, &["ada"])));
    let keeper = life.begin("turn.asked=exit");
    let headers = [("content-type", "application/json"), ("idempotency-key", "poison")];
    let body = json!({"message": "please do job-0"}).to_string();
    let ask = |keeper: &Keeper| keeper.client.attempt("POST", "/start-epoch", &headers, &body);
    while ask(&keeper).is_some_and(|answer| answer.status == 503) {}
    keeper.wait();
    // Only the very first asking may be lost with its keeper; those of what an earlier keeper left are durable first.
    let mut starts = (0..STARTS_MAX).map(|_| life.begin("turn.asked=exit"));
    let keeper = starts.find_map(|mut keeper| outlives(&mut keeper, 1).then_some(keeper));
    let keeper = keeper.expect("the epoch was never given up");
    let epoch = all_epochs(&keeper.client).remove(0);
    assert_eq!((&epoch["state"], &epoch["abort"]["code"]), (&json!("aborted"), &json!("poison")));
    assert_eq!(keeper.client.read("/attention")["items"][0]["kind"], "epoch_failed");
    keeper.kill();
    let keeper = life.home.up();
    assert_eq!(keeper.client.say("please do nothing")["state"], "committed");
}
