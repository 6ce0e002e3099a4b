//! Cases of changes that others got wrong, by their ids: what is loaded is what was checked, what a rollback would bring back runs, what
//! answers nothing is taken back; and an agent that proposes a change of itself.

use std::{fs, thread, time::Duration};

use abide_testkit::{FakeDialect, ModelServer, Reply, SeenRequest};
use serde_json::{Value, json};

use crate::{
    evolutions::{CODE, Past},
    home::{Home, Keeper},
};

const ON: &str = "[model]\nprovider = \"reflex\"\n[evolution]\nenabled = true\n";
/// How often a change is looked at, and how many times at most.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS_MAX: usize = 1_200;

/// Waits until a change is in one of these states.
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

fn approve(keeper: &Keeper, id: &str) {
    let answer = keeper.client.post(&format!("/evolutions/{id}/approve"), &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// EV-10: a change whose code is not what was checked never answers a request, whoever said yes.
#[test]
fn what_is_loaded_is_what_was_checked() {
    let home = Home::new(ON);
    // Its lines say another hash than its code has.
    let id = Past::waiting(1).into_ledger_of(&home);
    let keeper = home.up();
    approve(&keeper, &id);
    let item = until(&keeper, &id, &["rolled_back", "watching", "kept"]);
    assert_eq!(item["state"], "rolled_back", "{item}");
    assert!(item["why"].as_str().unwrap().contains("not what was checked"), "{item}");
    let loaded = home.ledger().into_iter().any(|line| line["kind"] == "evolution.reloaded");
    assert!(!loaded, "it was never loaded");
}

/// EV-17: what the engine refuses the system refuses as well: no new rights, a filter of system calls, no network.
#[cfg(target_os = "linux")]
#[test]
fn a_process_of_modules_is_confined_by_the_system() {
    let home = Home::new(ON);
    Past::kept_with(1, "(define (rank question passages now) (map passage-id passages))")
        .into_ledger_of(&home);
    let keeper = home.up();
    let namespace = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/net")).ok();
    let own = namespace(&keeper.pid().to_string()).unwrap();
    let mut looks = 0;
    let pid = loop {
        if let Some(pid) = module_process(&home) {
            break pid;
        }
        looks += 1;
        assert!(looks < LOOKS_MAX, "no process of modules was started");
        thread::park_timeout(LOOK);
    };
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    for confined in ["NoNewPrivs:\t1\n", "Seccomp:\t2\n", "CapEff:\t0000000000000000\n"] {
        assert!(status.contains(confined), "{confined}: {status}");
    }
    assert_ne!(namespace(&pid), Some(own), "it has no network of the keeper");
}

/// The process that runs the modules of this home: it works in their folder.
fn module_process(home: &Home) -> Option<String> {
    let works_there = |pid: &String| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let folder = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        command.ends_with(b"/abide\0module\0")
            && status.contains("Seccomp:\t2\n")
            && folder.starts_with(home.path())
    };
    let entries = fs::read_dir("/proc").unwrap();
    let mut pids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    pids.find(works_there)
}

/// EV-24: where the code from before does not run, nothing is put in its place, and it stays in force.
#[test]
fn what_could_not_be_restored_is_not_replaced() {
    let home = Home::new(ON);
    let before = Past::kept_with(1, "(define (order a b c) '())").into_ledger_of(&home);
    let id = Past::waiting(2).into_ledger_of(&home);
    let keeper = home.up();
    approve(&keeper, &id);
    let item = until(&keeper, &id, &["aborted", "watching", "kept", "rolled_back"]);
    assert_eq!(item["state"], "aborted", "{item}");
    assert!(item["why"].as_str().unwrap().contains("nothing could be restored"), "{item}");
    assert_eq!(keeper.client.read(&format!("/evolutions/{before}"))["in_force"], true);
}

/// EV-25: code that gives no answer again and again is taken back, also after it was kept.
#[test]
fn what_answers_nothing_any_more_is_taken_back() {
    let home = Home::new(ON);
    let code = "(define (rank question passages now) (error \"no\"))";
    let id = Past::kept_with(1, code).into_ledger_of(&home);
    let keeper = home.up();
    keeper.client.say("The locker by the pool opens with 4711.");
    for number in 0..60 {
        keeper.client.say(&format!("Which number opens the locker by the pool? ({number})"));
        if keeper.client.read(&format!("/evolutions/{id}"))["state"] != "kept" {
            break;
        }
    }
    let item = until(&keeper, &id, &["rolled_back"]);
    assert!(item["why"].as_str().unwrap().contains("gave no order"), "{item}");
    let metrics = keeper.client.get("/metrics").text;
    for line in [
        "abide_module_calls_total{module=\"memory\",outcome=\"failed\"}",
        "abide_module_seconds_bucket{le=\"0.05\",module=\"memory\"}",
        "abide_evolutions{state=\"rolled_back\"} 1",
        "abide_evolution_rollbacks{agent=\"felix\"} 1",
        "abide_evolution_pairs{agent=\"felix\"} 4",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

/// The words by which a module that eats memory is rejected, and the line of one that cannot be read.
#[test]
fn a_module_that_cannot_be_loaded_is_rejected_with_its_line_or_what_it_needed() {
    let home = Home::new(&format!("{ON}memory_mb = 512\n"));
    let keeper = home.up();
    let eats = "(define (grow n) (cons (make-vector 100000 n) (grow (+ n 1))))\n(grow 0)\n(define (rank q p n) '())";
    for (code, said) in [
        ("\n\n(define (rank q p n) (no-such-name))", "line 3"),
        (eats, "it needed more than 512 MB"),
    ] {
        let body = json!({"citizen": "felix", "target": "memory", "code": code, "reason": "x"});
        let answer = keeper.client.post("/evolutions", &body);
        assert_eq!(answer.status, 201, "{}", answer.text);
        let id = answer.json()["id"].as_str().unwrap().to_owned();
        let item = until(&keeper, &id, &["rejected", "aborted", "shadowing"]);
        assert_eq!(item["state"], "rejected", "{item}");
        assert!(item["why"].as_str().unwrap().contains(said), "{said}: {item}");
    }
}

/// The report is made from the ledger alone.
#[test]
fn a_report_is_the_same_bytes_each_time_and_after_a_restart() {
    let home = Home::new(ON);
    let id = Past::waiting(3).into_ledger_of(&home);
    let keeper = home.up();
    let path = format!("/evolutions/{id}/report");
    let first = keeper.client.get(&path);
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(keeper.client.get(&path).text, first.text);
    let markdown = |home: &Home| home.run(["evolve", "report", &id, "--markdown"]);
    let told = markdown(&home);
    assert!(told.status.success(), "{told:?}");
    keeper.kill();
    let keeper = home.up();
    assert_eq!(keeper.client.get(&path).text, first.text);
    assert_eq!(markdown(&home).stdout, told.stdout);
    let report = first.json();
    assert_eq!((&report["seed"], &report["divergences_total"]), (&json!("7"), &json!(1)));
    assert_eq!(report["agreement"]["agreeing"], 2, "{report}");
    assert_eq!(report["comparison"]["pairs"], 3, "{report}");
    let words = String::from_utf8(told.stdout).unwrap();
    for said in [
        "# memory_system of felix: awaits approval",
        "it leaves out passage 7",
        "seed 7, attempt 1",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
}

/// A model that proposes a change when it is asked for one; before that it calls a tool of the world where it is told to look first.
fn proposer() -> ModelServer {
    let rule = |request: &SeenRequest| {
        let called = |name: &str| {
            let mut calls = request.messages.iter().flat_map(|message| &message.calls);
            calls.any(|call| call.name.contains(name))
        };
        let looks_first =
            request.messages.iter().any(|message| message.text.contains("look first"));
        if called("propose") {
            return Reply::text("Done.");
        }
        if looks_first && !called("list") {
            return Reply::calls([("rss-list", json!({}))]);
        }
        let arguments = json!({
            "target": "memory_system", "code": CODE, "reason": "newer first", "expected": {"latency": -0.2},
        });
        Reply::calls([("evolve-propose", arguments)])
    };
    ModelServer::builder().rule(rule).start().unwrap()
}

fn asked(model: &ModelServer, more: &str) -> Home {
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"m\"\n[evolution]\nenabled = true\n{more}",
        model.base_url(FakeDialect::OpenAiChat)
    ))
}

#[test]
fn an_agent_proposes_a_change_of_itself_with_a_persons_yes() {
    let model = proposer();
    let home = asked(&model, "");
    let keeper = home.up();
    // Nobody is there to be asked.
    let alone = keeper.client.say("Propose it.");
    assert_eq!(alone["turns"][0]["tool_calls"][0]["outcome"], "denied", "{alone}");
    assert_eq!(keeper.client.read("/evolutions")["items"], json!([]));

    let mut events = keeper.client.events("/events", &[]);
    let body = json!({"message": "Propose it.", "interactive": true});
    assert_eq!(keeper.client.post("/start-epoch", &body).status, 202);
    events.until("approval.requested");
    let approval = keeper.client.read("/approvals")["items"][0].clone();
    assert_eq!(approval["tool"], "evolve.propose", "{approval}");
    let path = format!("/approvals/{}", approval["id"].as_str().unwrap());
    let decided = keeper.client.post(&path, &json!({"decision": "approve"}));
    assert_eq!(decided.status, 200, "{}", decided.text);
    events.until("epoch.committed");
    let item = keeper.client.read("/evolutions")["items"][0].clone();
    assert_eq!(
        (&item["citizen"], &item["target"], &item["reason"], &item["by"]),
        (&json!("felix"), &json!("memory_system"), &json!("newer first"), &json!("@felix")),
        "{item}"
    );
    let id = item["id"].as_str().unwrap();
    assert_eq!(keeper.client.read(&format!("/evolutions/{id}"))["code"], CODE);
}

#[test]
fn where_fetched_text_was_read_no_change_is_proposed_and_nobody_is_asked() {
    let model = proposer();
    let home = asked(&model, "[tools]\nallow = [\"rss.*\", \"evolve.propose\"]\n");
    let keeper = home.up();
    let epoch = keeper.client.say("Please look first, then propose it.");
    let calls: Vec<Value> = epoch["turns"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|turn| turn["tool_calls"].as_array().unwrap().clone())
        .collect();
    let proposed = calls.iter().find(|call| call["name"] == "evolve.propose").unwrap();
    assert_eq!(proposed["outcome"], "denied", "{epoch}");
    assert!(proposed["content"].as_str().unwrap().contains("no person vouches for"), "{epoch}");
    assert_eq!(keeper.client.read("/evolutions")["items"], json!([]));
}
