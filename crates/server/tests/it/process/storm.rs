//! Deaths with many stimuli in flight (BC-01, BC-08): a fake model asks for calls whose real executions can be
//! counted, callers hold their keys and ask again, the keeper dies at a failpoint or at any moment.
//!
//! `crash_rows` looks at each row with one caller and the reflex. Here the same home lives through all rounds, so that
//! each conversation carries the scars of the deaths before it.

use std::{
    collections::HashMap,
    hint::black_box,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use abide_testkit::{ModelServer, Reply, SeenRequest, SplitMix64, rounds};
use serde_json::{Value, json};

use super::scene::{Switchboard, assert_verified, of_kind, thinking_with};
use crate::home::{Home, Keeper};

/// Rounds of each row in `make soak`.
const ROUNDS: u32 = 50;
const AGENTS: [&str; 3] = ["ada", "bob", "cyd"];
/// Stimuli of each agent in a round.
const STIMULI: u32 = 2;
/// Events of a round that nothing disturbs.
const EVENTS: u64 = 90;

/// A house in which keepers come and go.
struct Storm {
    server: ModelServer,
    folder: tempfile::TempDir,
    home: Home,
}

/// What one caller was told.
struct Submitted {
    /// What it asked for.
    job: String,
    epoch: Value,
}

impl Storm {
    fn new() -> Self {
        let server = ModelServer::builder().rule(work).journal_max(100_000).start().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let probe = folder.path().join("probe");
        let config = thinking_with(&server, &AGENTS);
        let config = format!("{config}[test]\nprobe_file = {:?}\n", probe.to_str().unwrap());
        Self { server, folder, home: Home::new(&config) }
    }

    fn probe(&self) -> PathBuf {
        self.folder.path().join("probe")
    }

    /// A keeper that dies at a point.
    fn doomed(&self, point: &str) -> Keeper {
        self.home.begin(&[("ABIDE_TEST_FAILPOINTS", format!("{point}=exit"))])
    }

    /// One round: everybody asks, `die` ends the first keeper, another one takes over, everybody is answered.
    fn round(&self, name: &str, first: Keeper, die: impl FnOnce(Keeper)) -> Vec<Submitted> {
        let board = Switchboard::new(&first.client);
        let (told, second) = std::thread::scope(|scope| {
            let board = &board;
            let jobs = AGENTS.iter().flat_map(|agent| {
                (1..=STIMULI).map(move |n| (*agent, format!("job:{name}:{agent}:{n}")))
            });
            let callers: Vec<_> =
                jobs.map(|(agent, job)| scope.spawn(move || ask(board, agent, job))).collect();
            die(first);
            let second = self.home.up();
            board.connect(&second.client);
            let told: Vec<_> = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
            (told, second)
        });
        assert_eq!(second.client.read("/attention")["items"], json!([]), "{name}");
        // Half of the rounds end in good order, half do not.
        if name.ends_with(['1', '3', '5', '7', '9']) {
            assert_eq!(second.stop(), Some(0), "{name}");
        } else {
            second.kill();
        }
        told
    }

    /// How often each line was really written.
    fn executions(&self) -> HashMap<String, usize> {
        let text = std::fs::read_to_string(self.probe()).unwrap_or_default();
        let mut executions = HashMap::new();
        for line in text.lines() {
            *executions.entry(line.to_owned()).or_default() += 1;
        }
        executions
    }

    /// Whether a request told the model that nobody knows the outcome of the call with this line.
    fn was_reported_unknown(&self, line: &str) -> bool {
        self.server.requests().iter().any(|request| {
            let calls = request.messages.iter().flat_map(|message| &message.calls);
            let ids: Vec<&str> = calls
                .filter(|call| call.arguments["line"] == line)
                .map(|call| call.id.as_str())
                .collect();
            let mut results = request.messages.iter().flat_map(|message| &message.results);
            results.any(|result| ids.contains(&&*result.id) && result.text.contains("unknown"))
        })
    }

    fn check(&self, told: &[Submitted]) {
        let executions = self.executions();
        for Submitted { job, epoch } in told {
            assert_eq!(epoch["state"], "committed", "{job}: {epoch}");
            assert_eq!(epoch["final_response"], format!("{job} is done"), "{epoch}");
            let calls: Vec<&Value> = epoch["turns"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|turn| turn["tool_calls"].as_array().unwrap())
                .collect();
            assert_eq!(calls.len(), 3, "{job}: every call is shown");
            for call in calls {
                self.check_call(job, call, &executions);
            }
        }
        self.server.assert_clean();
    }

    fn check_call(&self, job: &str, call: &Value, executions: &HashMap<String, usize>) {
        let line = call["arguments"]["line"].as_str().unwrap();
        assert!(line.starts_with(job), "{job} got a call of another: {call}");
        let count = executions.get(line).copied().unwrap_or_default();
        let is_idempotent = call["arguments"]["idempotent"] == true;
        match call["outcome"].as_str().unwrap() {
            "ok" if is_idempotent => assert!((1..=2).contains(&count), "{line}: {count} times"),
            "ok" => assert_eq!(count, 1, "{line}"),
            "unknown" => {
                assert!(!is_idempotent && count <= 1, "{line}: {count} times");
                assert!(self.was_reported_unknown(line), "{line}: the model was not told");
            }
            other => panic!("{line}: {other}"),
        }
    }

    /// What the whole ledger must say after all rounds.
    fn check_ledger(&self, jobs: usize) {
        assert_verified(&self.home);
        let ledger = self.home.ledger();
        let accepted = of_kind(&ledger, "stimulus.accepted");
        let mut keys: Vec<&str> = accepted
            .iter()
            .map(|line| line["data"]["idempotency"]["key"].as_str().unwrap())
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((accepted.len(), keys.len()), (jobs, jobs), "each stimulus was accepted once");
        assert_eq!(of_kind(&ledger, "epoch.committed").len(), jobs, "each was answered once");
        assert_eq!(of_kind(&ledger, "epoch.aborted").len(), 0);
    }
}

/// Asks once more after each death, under one key: first for the acknowledgement, then for the answer.
fn ask(board: &Switchboard, agent: &str, job: String) -> Submitted {
    let body = json!({"message": format!("please do {job}"), "citizen": agent});
    let accepted = board.post("/start-epoch", &job, &body);
    assert_eq!(accepted.status, 202, "{job}: {accepted:?}");
    let answered = board.post("/start-epoch?wait=1", &job, &body);
    assert_eq!(answered.status, 200, "{job}: {answered:?}");
    let epoch = answered.json();
    assert_eq!(accepted.json()["epoch_id"], epoch["epoch_id"], "{job}: it was promised");
    Submitted { job, epoch }
}

/// The fake model: a call, then two calls in one turn, then the answer.
fn work(request: &SeenRequest) -> Reply {
    let text = request.user_text();
    let Some(at) = text.rfind("job:") else { return Reply::text("hello") };
    let job = text[at..].split_whitespace().next().unwrap_or_default();
    let append = request.spelling("probe.append");
    let done = request.finished_calls().map_or(0, |(calls, _)| calls.len());
    match done {
        0 => Reply::calls([(append, json!({"line": format!("{job}/1")}))]),
        1 => Reply::calls([
            (append.clone(), json!({"line": format!("{job}/2"), "idempotent": true})),
            (append, json!({"line": format!("{job}/3")})),
        ]),
        _ => Reply::text(format!("{job} is done")),
    }
}

/// Dies at a point in every round.
fn survive(point: &str) {
    let storm = Storm::new();
    let mut jobs = 0;
    for round in 0..rounds(ROUNDS) {
        let told = storm.round(&round.to_string(), storm.doomed(point), |keeper| _ = keeper.wait());
        storm.check(&told);
        jobs += told.len();
    }
    storm.check_ledger(jobs);
}

#[test]
fn bc_08_death_before_a_stimulus_is_durable() {
    survive("accept.before_durable");
}

#[test]
fn bc_08_death_between_acceptance_and_acknowledgement() {
    survive("accept.after_durable");
}

#[test]
fn bc_08_death_while_a_mind_is_asked() {
    survive("turn.asked");
}

#[test]
fn bc_08_death_with_an_answer_that_is_not_recorded() {
    survive("turn.answered");
}

#[test]
fn bc_01_bc_08_death_between_intent_and_effect() {
    survive("tool.intent_durable");
}

#[test]
fn bc_01_bc_08_death_between_effect_and_outcome() {
    survive("tool.effect_done");
}

#[test]
fn bc_01_bc_08_death_after_the_outcome() {
    survive("tool.outcome_durable");
}

#[test]
fn bc_08_death_before_the_commit() {
    survive("commit.before");
}

#[test]
fn bc_08_death_between_commit_and_reply() {
    survive("commit.after");
}

#[test]
fn bc_08_death_at_any_moment() {
    let storm = Storm::new();
    let dice = Arc::new(Mutex::new(SplitMix64::new(8)));
    let mut jobs = 0;
    for round in 0..rounds(4 * ROUNDS) {
        let first = storm.home.up();
        let mut events = first.client.events("/events", &[]);
        let told = storm.round(&round.to_string(), first, |keeper| {
            let (seen, spins) = {
                let mut dice = dice.lock().unwrap();
                (dice.below(EVENTS), dice.below(200_000))
            };
            for _ in 0..seen {
                events.next().unwrap();
            }
            // Events come with the syncs; a death must also fall between two of them.
            (0..spins).for_each(|spin| _ = black_box(spin));
            keeper.kill();
        });
        storm.check(&told);
        jobs += told.len();
    }
    storm.check_ledger(jobs);
}
