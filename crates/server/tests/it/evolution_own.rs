//! Tools and commands that an agent made, against the real program: a person lets new ones in, what both codes have must give the same,
//! and what a tool asks of others is the epoch's, written down as any call.

use std::{fs, thread, time::Duration};

use serde_json::{Value, json};

use crate::home::{Home, Keeper};

/// How often a change is looked at, and how many times at most.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS_MAX: usize = 1_200;

/// Tools of an agent's own, in the namespace `kitchen`.
const KITCHEN: &str = r#"
(define schema "{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}, \"required\": [\"n\"]}")
(define (work times) (if (= times 0) 0 (work (- times 1))))
(deftool "kitchen.double" "Doubles a number of spoons." schema 'read
  (lambda (arguments) (begin (work 20000) (hash "spoons" (* 2 (hash-ref arguments "n"))))))
(deftool "kitchen.bell" "Rings the bell." schema 'world
  (lambda (arguments)
    (call-tool "probe.append" (hash "line" (number->string (hash-ref arguments "n"))))))
(deftool "kitchen.note" "Keeps how many guests come." schema 'state
  (lambda (arguments)
    (begin (call-tool "memory.remember_fact" (hash "content" "Guests come on Friday.")) "noted")))
(deftool "kitchen.half" "Rings, and fails." schema 'world
  (lambda (arguments) (begin (call-tool "probe.append" (hash "line" "half")) (error "no"))))
(deftool "kitchen.sly" "Rings, and says that it reads." schema 'read
  (lambda (arguments) (call-tool "probe.append" (hash "line" "sly"))))
"#;

const GREET: &str = r#"
(defcommand "greet" "Writes a greeting into my log."
  (lambda (text) (string-append "\\stdout write: hello " text " ---")))
(defcommand "twice" "Gives two commands."
  (lambda (text) "\\stdout write: a --- \\stdout write: b ---"))
(defcommand "slow" "Never ends."
  (lambda (text) (let loop ((n 0)) (loop (+ n 1)))))
"#;

struct Kitchen {
    home: Home,
    probe: std::path::PathBuf,
}

impl Kitchen {
    /// A home whose tools may run, with a file that the world tool writes to.
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("abide-kitchen-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let probe = folder.join(format!("{:?}.txt", thread::current().id()));
        drop(fs::remove_file(&probe));
        let config = format!(
            "[model]\nprovider = \"reflex\"\n[tools]\nallow = [\"memory.*\", \"stdout\", \"clock.*\", \"probe.*\"]\n[test]\nprobe_file = \"{}\"\n\
             [evolution]\nenabled = true\ncanary_pairs = 2\nstage_limit = \"60s\"\n",
            probe.display()
        );
        Self { home: Home::new(&config), probe }
    }

    fn rung(&self) -> usize {
        fs::read_to_string(&self.probe).unwrap_or_default().lines().count()
    }
}

fn propose(keeper: &Keeper, target: &str, code: &str, cases: &Value) -> String {
    let change = if *cases == json!(null) { json!({}) } else { json!({"cases": cases}) };
    let body = json!({"citizen": "felix", "target": target, "code": code, "change": change, "reason": "the kitchen"});
    let answer = keeper.client.post("/evolutions", &body);
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn until(keeper: &Keeper, id: &str, states: &[&str]) -> Value {
    for _ in 0..LOOKS_MAX {
        let item = keeper.client.read(&format!("/evolutions/{id}"));
        if states.contains(&item["state"].as_str().unwrap()) {
            return item;
        }
        thread::park_timeout(LOOK);
    }
    panic!("it was never one of {states:?}: {}", keeper.client.read(&format!("/evolutions/{id}")));
}

const ENDED: [&str; 5] = ["rejected", "awaits_approval", "watching", "kept", "aborted"];

/// Lets a proposal in that a person must say yes to.
fn let_in(keeper: &Keeper, target: &str, code: &str) -> String {
    let id = propose(keeper, target, code, &json!(null));
    let item = until(keeper, &id, &ENDED);
    assert_eq!(item["state"], "awaits_approval", "{item}");
    let answer = keeper.client.post(&format!("/evolutions/{id}/approve"), &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.json());
    let item = until(keeper, &id, &["watching", "kept", "rolled_back"]);
    assert_eq!(item["state"], "watching", "{item}");
    id
}

/// Calls a tool through the mind; its outcome and its words.
fn call(keeper: &Keeper, tool: &str, arguments: &Value) -> (String, String) {
    // What was put in force stands there with the next conversation at the latest.
    let answer = keeper.client.say(&format!("\\tool {tool} {arguments}"));
    let epoch = keeper.client.read(&format!("/epochs/{}", answer["epoch_id"].as_str().unwrap()));
    let called = &epoch["turns"][0]["tool_calls"][0];
    let text = |key: &str| called[key].as_str().unwrap_or_default().to_owned();
    (text("outcome"), text("content"))
}

fn tools(keeper: &Keeper) -> Vec<String> {
    let tools = keeper.client.read("/tools?limit=200");
    let made = tools["items"].as_array().unwrap().iter().filter(|tool| tool["source"] == "agent");
    made.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn until_made(keeper: &Keeper, count: usize) {
    for _ in 0..LOOKS_MAX {
        if tools(keeper).len() == count {
            return;
        }
        thread::park_timeout(LOOK);
    }
    panic!("tools of the agent's own: {:?}", tools(keeper));
}

#[test]
fn tools_of_an_agent_s_own_run_within_what_it_may_do_and_outlive_the_keeper() {
    let kitchen = Kitchen::new();
    let mut keeper = kitchen.home.up();
    let id = let_in(&keeper, "tool_framework", KITCHEN);
    until_made(&keeper, 5);
    let one = json!({"n": 3});
    assert_eq!(call(&keeper, "kitchen.double", &one), ("ok".into(), r#"{"spoons":6}"#.into()));
    let (outcome, content) = call(&keeper, "kitchen.double", &json!({"n": "three"}));
    assert_eq!(outcome, "error", "{content}");
    // What it asks of the world runs once, with its intent and its outcome in the ledger.
    assert_eq!(call(&keeper, "kitchen.bell", &one).0, "ok");
    assert_eq!(kitchen.rung(), 1);
    let lines = kitchen.home.ledger();
    let inner = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!((inner("tool.inner_requested"), inner("tool.inner_finished")), (1, 1));
    let asked = lines.iter().find(|line| line["kind"] == "tool.inner_requested").unwrap();
    assert_eq!(asked["data"]["name"], "probe.append");
    // What it stages counts with the reply.
    assert_eq!(call(&keeper, "kitchen.note", &one), ("ok".into(), "noted".into()));
    let remembered = |line: &&Value| line["kind"] == "memory.fact_remembered";
    let facts: Vec<Value> = kitchen.home.ledger().iter().filter(remembered).cloned().collect();
    assert!(facts.len() == 1 && facts[0].to_string().contains("Friday"), "{facts:?}");
    // One that said that it only reads reaches nothing else.
    let (outcome, content) = call(&keeper, "kitchen.sly", &one);
    assert!(outcome == "error" && content.contains("world"), "{outcome}: {content}");
    assert_eq!(kitchen.rung(), 1);
    // One that fails half-way says what has happened by then.
    let (outcome, content) = call(&keeper, "kitchen.half", &one);
    assert!(outcome == "error" && content.contains("probe.append ran"), "{outcome}: {content}");
    keeper.kill();
    keeper = kitchen.home.up();
    // Whoever asks right after a start is answered with them.
    assert_eq!(call(&keeper, "kitchen.double", &one).0, "ok");
    let item = until(&keeper, &id, &["kept", "rolled_back"]);
    assert_eq!(item["state"], "kept", "{item}");
    // A person takes them back, and they are gone.
    let answer = keeper.client.post(&format!("/evolutions/{id}/rollback"), &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.json());
    until_made(&keeper, 0);
}

#[test]
fn a_death_within_a_call_of_a_call_leaves_both_unknown_and_runs_neither_again() {
    let kitchen = Kitchen::new();
    let keeper = kitchen.home.up();
    let_in(&keeper, "tool_framework", KITCHEN);
    until_made(&keeper, 5);
    assert_eq!(call(&keeper, "kitchen.bell", &json!({"n": 3})).0, "ok");
    keeper.kill();
    // As if it had died right behind the line of the inner call.
    let segment = |entry: fs::DirEntry| {
        let path = entry.path();
        let text = fs::read_to_string(&path).ok()?;
        let from = text.find("\"tool.inner_requested\"")?;
        let end = from + text[from..].find('\n')? + 1;
        Some((path, text[..end].to_owned()))
    };
    let folder = fs::read_dir(kitchen.home.path().join("ledger")).unwrap();
    let (path, text) = folder.flatten().find_map(segment).unwrap();
    fs::write(path, text).unwrap();
    kitchen.home.forget_projections();
    let keeper = kitchen.home.up();
    let ended = |kind: &str| {
        for _ in 0..LOOKS_MAX {
            let lines = kitchen.home.ledger();
            let of = |line: &&Value| line["kind"] == kind && line["data"]["outcome"] == "unknown";
            if let Some(line) = lines.iter().find(of) {
                return line["seq"].as_u64().unwrap();
            }
            thread::park_timeout(LOOK);
        }
        panic!("no {kind} that is unknown");
    };
    assert!(ended("tool.inner_finished") < ended("tool.finished"));
    assert_eq!(kitchen.rung(), 1, "it had run, and does not again");
    drop(keeper);
}

#[test]
fn other_code_for_the_same_tools_is_held_against_the_record_and_runs_nothing() {
    let kitchen = Kitchen::new();
    let keeper = kitchen.home.up();
    let first = let_in(&keeper, "tools", KITCHEN);
    until_made(&keeper, 5);
    for n in 0..60 {
        assert_eq!(call(&keeper, "kitchen.bell", &json!({"n": n})).0, "ok");
        assert_eq!(call(&keeper, "kitchen.double", &json!({"n": n})).0, "ok");
    }
    until(&keeper, &first, &["kept"]);
    assert_eq!(kitchen.rung(), 60);
    for (code, said) in [
        (KITCHEN.replace("(* 2 ", "(* 3 "), "in place of"),
        (
            KITCHEN.replace(
                "(number->string (hash-ref arguments \"n\"))",
                "(string-append \"x\" (number->string (hash-ref arguments \"n\")))",
            ),
            "does not have",
        ),
        (KITCHEN.replace("(hash \"spoons\"", "(error \"no\" "), "fails"),
    ] {
        let id = propose(&keeper, "tools", &code, &json!(null));
        let item = until(&keeper, &id, &ENDED);
        assert_eq!(item["state"], "rejected", "{item}");
        let why = item["why"].as_str().unwrap();
        assert!(why.contains(said), "{said}: {why}");
        assert_ne!(item["pairs"], 0, "{item}");
    }
    // Quicker and the same: it is better, and tools wait for a person all the same.
    let quick = KITCHEN.replace("(work 20000)", "0");
    let id = propose(&keeper, "tools", &quick, &json!(null));
    let item = until(&keeper, &id, &ENDED);
    assert_eq!(
        (&item["state"], &item["verdict"]),
        (&json!("awaits_approval"), &json!("promoted")),
        "{item}"
    );
    assert_eq!(kitchen.rung(), 60, "a trial runs no tool");
}

#[test]
fn names_that_are_taken_and_cases_that_come_out_otherwise_are_said_before_any_trial() {
    let kitchen = Kitchen::new();
    let keeper = kitchen.home.up();
    let case = |result: i64| json!([{"name": "kitchen.double", "arguments": {"n": 2}, "result": {"spoons": result}}]);
    let taken = KITCHEN.replace("kitchen.double", "memory.double");
    let keeps = KITCHEN
        .replace("(define (work", "(define kept 0)(define (keep x) (set! kept x))(define (work");
    let again = r##"\"allOf\": [{\"properties\": {\"n\": {\"$ref\": \"#\"}}}, {\"properties\": {\"n\": {\"$ref\": \"#\"}}}]"##;
    let bomb = KITCHEN.replace("\\\"required\\\": [\\\"n\\\"]", again);
    for (target, code, cases, said) in [
        ("tools", KITCHEN, case(5), "own case 1"),
        ("tools", &*taken, json!(null), "memory"),
        ("tools", &*keeps, json!(null), "`set!`"),
        ("tools", &*bomb, json!(null), "checked more"),
        ("tools", "(define x 1)", json!(null), "declares nothing"),
        ("tools", KITCHEN, json!([{"name": "kitchen.double", "result": 1}]), "either"),
        ("dsl", "(defcommand \"wake\" \"x\" (lambda (t) t))", json!(null), "\\wake"),
        ("dsl", "(defcommand \"a b\" \"x\" (lambda (t) t))", json!(null), "a b"),
    ] {
        let id = propose(&keeper, target, code, &cases);
        let item = until(&keeper, &id, &ENDED);
        assert_eq!(item["state"], "rejected", "{item}");
        let why = item["why"].as_str().unwrap();
        assert!(why.contains(said), "{said}: {why}");
    }
    let id = propose(&keeper, "tools", KITCHEN, &case(4));
    assert_eq!(until(&keeper, &id, &ENDED)["state"], "awaits_approval");
}

#[test]
fn a_command_of_an_agent_s_own_stands_for_one_that_there_is() {
    let kitchen = Kitchen::new();
    let keeper = kitchen.home.up();
    let id = let_in(&keeper, "dsl", GREET);
    let written = |command: &str| call(&keeper, "stdout", &json!({ "command": command }));
    let mut outcome = written("\\greet the cook ---");
    for _ in 0..LOOKS_MAX {
        if outcome.0 == "ok" {
            break;
        }
        thread::park_timeout(LOOK);
        outcome = written("\\greet the cook ---");
    }
    assert_eq!(outcome.0, "ok", "{outcome:?}");
    let (_, log) = written("\\stdout read: last 1 ---");
    assert!(log.contains("hello the cook"), "{log}");
    let (outcome, help) = written("\\help ---");
    assert!(outcome == "ok" && help.contains("\\greet text"), "{help}");
    for (command, said) in [
        ("\\twice x ---", "not one command"),
        ("\\slow x ---", "within"),
        ("\\nothing x ---", "Unknown command"),
    ] {
        let (outcome, why) = written(command);
        assert!(outcome == "error" && why.contains(said), "{command}: {why}");
    }
    written("\\greet the guests ---");
    let item = until(&keeper, &id, &["kept", "rolled_back"]);
    assert_eq!(item["state"], "kept", "{item}");
    // The same command must stand for the same.
    let other = GREET.replace("hello ", "good day, ");
    let id = propose(&keeper, "dsl", &other, &json!(null));
    let item = until(&keeper, &id, &ENDED);
    assert_eq!(item["state"], "rejected", "{item}");
    assert!(item["why"].as_str().unwrap().contains("greet gives"), "{item}");
}
