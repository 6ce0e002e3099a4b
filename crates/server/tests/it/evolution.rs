//! Changes of agents against the real program: a memory module that is better goes into force by itself, one that is worse does not, and
//! after `kill -9` at any moment one of the two codes runs whole.

use std::{fs, thread, time::Duration};

use abide_testkit::{FakeDialect, ModelServer, Reply, rounds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    evolutions::Past,
    home::{Home, Keeper},
};

/// Changes on, small stages, and a mind without a model, whose replies quote what they rest on.
const CONFIG: &str = r#"
[model]
provider = "reflex"

[evolution]
enabled = true
canary_pairs = 2
stage_limit = "60s"
"#;

/// What is in force from before: it sorts again and again. However busy a machine is, one that does not is a tenth quicker.
const SLOW: &str = "
(define (sorted times passages)
  (if (= times 0)
      passages
      (sorted (- times 1) (sort-by-descending (lambda (p) (feature p 'score)) passages))))
(define (rank question passages now) (map passage-id (sorted 20 passages)))";
/// Does the same without sorting what is sorted already.
const QUICKER: &str = "(define (rank question passages now) (map passage-id passages))";
/// The states in which nothing more comes of a change by itself.
const ENDS: [&str; 4] = ["kept", "rolled_back", "rejected", "aborted"];
/// How often a change is looked at, and how many times at most.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS_MAX: usize = 2_400;

/// What is told, and a question that it answers.
const MATTERS: [(&str, &str); 8] = [
    ("The locker by the pool opens with 4711.", "Which number opens the locker by the pool?"),
    ("The dentist in Annecy is called Monceau.", "Who is the dentist in Annecy?"),
    (
        "The bicycle in the shed is a blue Koga from Heerenveen.",
        "What kind of bicycle is in the shed?",
    ),
    (
        "The router in the attic answers on port 8291.",
        "On which port does the router in the attic answer?",
    ),
    ("Aunt Philippa breeds alpacas near Wexford.", "What does aunt Philippa breed?"),
    ("The boat is moored at jetty Zandstrook.", "Where is the boat moored?"),
    ("The cake wants cardamom and quince jelly.", "What does the cake want?"),
    ("The deploy runs from the machine called Tuatara.", "From which machine does the deploy run?"),
];

/// A keeper whose agent has a slow module in force and a life to be tried on.
fn lived(config: &str, questions: usize) -> (Home, Keeper) {
    let home = Home::new(config);
    Past::kept_with(1, SLOW).into_ledger_of(&home);
    let keeper = home.up();
    for (told, _) in MATTERS {
        keeper.client.say(told);
    }
    ask(&keeper, questions);
    (home, keeper)
}

fn ask(keeper: &Keeper, questions: usize) {
    for number in 0..questions {
        let (_, question) = MATTERS[number % MATTERS.len()];
        keeper.client.say(&format!("{question} ({number})"));
    }
}

fn propose(keeper: &Keeper, target: &str, code: &str) -> String {
    let body =
        json!({"citizen": "felix", "target": target, "code": code, "reason": "it is quicker"});
    let answer = keeper.client.post("/evolutions", &body);
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

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

fn kinds(home: &Home) -> Vec<String> {
    let of = |line: &Value| line["kind"].as_str().unwrap().to_owned();
    home.ledger().iter().map(of).filter(|kind| kind.starts_with("evolution.")).collect()
}

#[test]
fn a_quicker_module_goes_into_force_by_itself_and_a_report_says_why() {
    let (home, mut keeper) = lived(CONFIG, 112);
    let id = propose(&keeper, "memory_system", QUICKER);
    let item = until(&keeper, &id, &["watching", "rejected", "awaits_approval", "aborted"]);
    assert_eq!(item["state"], "watching", "{item}");
    assert_eq!(item["verdict"], "promoted");
    assert!(item["measured"]["latency"].as_f64().unwrap() < -0.1, "{item}");
    // Requests come, and it passes its stages; a restart in between loses nothing.
    ask(&keeper, 30);
    keeper.kill();
    keeper = home.up();
    for _ in 0..40 {
        if keeper.client.read(&format!("/evolutions/{id}"))["state"] != "watching" {
            break;
        }
        ask(&keeper, 5);
    }
    let item = until(&keeper, &id, &["kept", "rolled_back"]);
    assert_eq!(item["state"], "kept", "{item}");
    let report = home.ledger().into_iter().find(|line| line["kind"] == "par.written").unwrap();
    assert!(report["data"]["worked"][0].as_str().unwrap().contains("live requests"), "{report}");
    // A person takes it back, and then the code from before is in force again.
    let before = keeper.client.read("/snapshot")["state_digest"].clone();
    let answer =
        keeper.client.post(&format!("/evolutions/{id}/rollback"), &json!({"reason": "to see"}));
    assert_eq!(answer.status, 200, "{}", answer.json());
    assert_eq!(answer.json()["state"], "rolled_back");
    assert_ne!(keeper.client.read("/snapshot")["state_digest"], before);
    let again = keeper.client.post(&format!("/evolutions/{id}/rollback"), &json!({}));
    assert_eq!(again.status, 409, "{}", again.json());
}

#[test]
fn what_cannot_be_loaded_is_rejected_with_the_reason_and_nothing_changes() {
    let (home, keeper) = lived(CONFIG, 4);
    for (code, said) in [
        ("(define (rank question passages now)", "EOF"),
        ("(define (order a b c) '())", "rank"),
        ("(require \"steel/process\") (define (rank q p n) (map passage-id p))", "require"),
        ("(define (rank q p n) (open-input-file \"/etc/passwd\"))", "open-input-file"),
    ] {
        let id = propose(&keeper, "memory_system", code);
        let item = until(&keeper, &id, &["rejected", "aborted", "shadowing"]);
        assert_eq!(item["state"], "rejected", "{code}: {item}");
        let why = item["why"].as_str().unwrap();
        assert!(why.contains("cannot be loaded") && why.contains(said), "{code}: {why}");
    }
    let loaded = kinds(&home).into_iter().filter(|kind| kind == "evolution.reloaded").count();
    assert_eq!(loaded, 1, "that of before alone");
}

#[test]
fn what_is_wrong_never_ends_fails_eats_memory_or_is_better_by_luck_is_rejected_with_its_reason() {
    let (home, keeper) = lived(CONFIG, 112);
    let other_words = SLOW.replace("sorted", "ordered");
    let bad = [
        // Quicker than the base module, and what was needed comes last.
        ("(define (rank question passages now) (reverse (map passage-id passages)))", "agree"),
        ("(define (rank question passages now) (let loop ((n 0)) (loop (+ n 1))))", "within"),
        ("(define (rank question passages now) (error \"no\"))", "no"),
        ("(define (rank question passages now) (cdr (map passage-id passages)))", "missing"),
        (
            "(define asked 0)
             (define (rank question passages now)
               (set! asked (+ asked 1))
               (if (> asked 30) (error \"the 31st\") (map passage-id passages)))",
            "the 31st",
        ),
        (
            "(define (rank question passages now)
               (let loop ((kept '())) (loop (cons (make-vector 300000000 0) kept))))",
            "it needed more than 1024 MB",
        ),
        // It is the code in force with other words: whatever it gains is luck.
        (&other_words, "p ="),
    ];
    for (code, said) in bad {
        let id = propose(&keeper, "memory_system", code);
        let item = until(&keeper, &id, &["rejected", "watching", "awaits_approval", "aborted"]);
        assert_eq!(item["state"], "rejected", "{code}: {item}");
        assert!(item["pairs"].as_u64().unwrap() > 0, "{item}");
        assert!(item["why"].as_str().unwrap().contains(said), "{code}: {item}");
    }
    let loaded = kinds(&home).into_iter().filter(|kind| kind == "evolution.reloaded").count();
    assert_eq!(loaded, 1, "that of before alone");
}

#[test]
fn after_a_kill_at_any_moment_a_change_goes_on_and_one_code_runs_whole() {
    let (home, mut keeper) = lived(CONFIG, 112);
    let id = propose(&keeper, "memory_system", QUICKER);
    let mut states = Vec::new();
    for _ in 0..200 {
        let item = keeper.client.read(&format!("/evolutions/{id}"));
        states.push(item["state"].as_str().unwrap().to_owned());
        if ["kept", "rolled_back", "rejected"].contains(&states.last().unwrap().as_str()) {
            break;
        }
        ask(&keeper, 8);
        // At another moment of its work each time.
        thread::park_timeout(Duration::from_millis(137 * (states.len() as u64 % 16)));
        keeper.kill();
        keeper = home.up();
    }
    assert_eq!(states.last().unwrap(), "kept", "{states:?}");
    let kinds = kinds(&home);
    for once in ["evolution.validated", "evolution.decided", "evolution.reloaded", "evolution.kept"]
    {
        // Once for what was in force before, and once for this.
        assert_eq!(kinds.iter().filter(|kind| *kind == once).count(), 2, "{once}: {kinds:?}");
    }
}

#[test]
fn killed_right_behind_each_of_its_lines_a_change_goes_on_and_the_ledger_says_what_runs() {
    for _ in 0..rounds(20) {
        let (home, mut keeper) = lived(CONFIG, 104);
        let id = propose(&keeper, "memory_system", QUICKER);
        let item = |keeper: &Keeper| keeper.client.read(&format!("/evolutions/{id}"));
        let lines = |item: &Value| item["events"].as_array().unwrap().len();
        let mut now = item(&keeper);
        for kills in 0..200 {
            if ENDS.contains(&now["state"].as_str().unwrap()) {
                break;
            }
            let before = lines(&now);
            for _ in 0..LOOKS_MAX {
                if lines(&item(&keeper)) > before {
                    break;
                }
                ask(&keeper, 1);
            }
            if kills % 3 == 1 {
                end_modules(&keeper);
            }
            keeper.kill();
            keeper = home.up();
            now = item(&keeper);
        }
        assert_eq!(now["state"], "kept", "{now}");
        let kinds = kinds(&home);
        for once in ["validated", "decided", "backed_up", "reloaded", "kept"] {
            let kind = format!("evolution.{once}");
            // Once for what was in force before, and once for this.
            assert_eq!(kinds.iter().filter(|one| **one == kind).count(), 2, "{kind}: {kinds:?}");
        }
        let digest = |keeper: &Keeper| keeper.client.read("/snapshot")["state_digest"].clone();
        let before = digest(&keeper);
        keeper.kill();
        home.forget_projections();
        assert_eq!(digest(&home.up()), before, "the ledger alone says what runs");
    }
}

/// Ends every process of modules of a keeper, with `kill -9` on its shim: its tree ends with it.
fn end_modules(keeper: &Keeper) {
    let parent = format!("PPid:\t{}\n", keeper.pid());
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if read("status").contains(&parent) && read("cmdline").ends_with("\0module\0") {
            kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).ok();
        }
    }
}

#[test]
fn a_model_is_compared_with_another_on_the_record_and_no_tool_runs() {
    let model = ModelServer::start().unwrap();
    let config = format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"old\"\n[evolution]\nenabled = true\n",
        model.base_url(FakeDialect::OpenAiChat)
    );
    let home = Home::new(&config);
    let keeper = home.up();
    for number in 0..6 {
        model.script([Reply::text(format!("It is {number}."))]);
        keeper.client.say(&format!("Which number is it? ({number})"));
    }
    // Both are asked six times, and what is in force once more each time.
    let replies: Vec<Reply> =
        (0..18).map(|number| Reply::text(format!("It is {number}."))).collect();
    model.script(replies);
    let body = json!({
        "citizen": "felix", "target": "mind", "change": {"model": "new"}, "reason": "is it better?",
        "trial": {"last": 6, "only_compare": true, "budget_usd": 1.0},
    });
    let answer = keeper.client.post("/evolutions", &body);
    assert_eq!(answer.status, 201, "{}", answer.json());
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let item = until(&keeper, &id, &["reported", "rejected", "aborted"]);
    assert_eq!(item["state"], "reported", "{item}");
    assert_eq!(item["pairs"], 6, "{item}");
    let pair = &item["compared"][0];
    assert!(pair["candidate"]["answer"].as_str().unwrap().starts_with("It is"), "{pair}");
    let asked: Vec<String> =
        model.requests().iter().map(|request| request.body["model"].to_string()).collect();
    assert_eq!(asked.iter().filter(|name| name.contains("new")).count(), 6, "{asked:?}");
}

#[test]
fn a_comparison_is_refused_before_it_costs_more_than_its_budget() {
    let model = ModelServer::start().unwrap();
    let home = Home::new("");
    let prices = home.path().join("prices.toml");
    let price = |name: &str| {
        format!(
            "[[price]]\nmodel = \"{name}\"\neffective_from = \"2026-01-01\"\ninput = 900000000\noutput = 900000000\n"
        )
    };
    fs::write(&prices, price("old") + &price("new")).unwrap();
    let config = format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"old\"\nprice_file = \"{}\"\n[evolution]\nenabled = true\n",
        model.base_url(FakeDialect::OpenAiChat),
        prices.display()
    );
    let file = home.path().join("abide.toml");
    fs::write(&file, fs::read_to_string(&file).unwrap() + &config).unwrap();
    let keeper = home.up();
    model.script([Reply::text("One."), Reply::text("Two.")]);
    keeper.client.say("First?");
    keeper.client.say("Second?");
    let body = |budget: f64| {
        json!({
            "citizen": "felix", "target": "mind", "change": {"model": "new"}, "reason": "is it better?",
            "trial": {"last": 2, "only_compare": true, "budget_usd": budget},
        })
    };
    let answer = keeper.client.post("/evolutions", &body(0.000_1)).json();
    let item = until(&keeper, answer["id"].as_str().unwrap(), &["reported", "rejected"]);
    assert_eq!(item["state"], "rejected", "{item}");
    assert!(item["why"].as_str().unwrap().contains("would cost about"), "{item}");
    assert_eq!(model.count(), 2, "nothing was asked for it");
    // A conversation of two turns costs what two turns cost: less than that is refused as well.
    model.script([Reply::calls([("clock.now", json!({}))]), Reply::text("Noon.")]);
    keeper.client.say("What is the time?");
    let last = |budget: f64| {
        let mut body = body(budget);
        body["trial"]["last"] = json!(1);
        let answer = keeper.client.post("/evolutions", &body).json();
        until(&keeper, answer["id"].as_str().unwrap(), &["reported", "rejected"])
    };
    let said = last(0.000_1)["why"].as_str().unwrap().to_owned();
    let estimated: f64 =
        said.split('$').nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let asked = model.count();
    let refused = last(estimated * 0.9);
    assert_eq!((&refused["state"], model.count()), (&json!("rejected"), asked), "{refused}");
    model.script((0..6).map(|_| Reply::text("Noon.")));
    let compared = last(estimated * 1.1);
    assert_eq!(compared["state"], "reported", "{compared}");
    assert!(model.count() > asked);
    // What there is not to change is refused before it is written down: it may be a secret.
    let secret = json!({"citizen": "felix", "target": "mind", "change": {"api_key": "sk-hush"}, "reason": "x"});
    assert_eq!(keeper.client.post("/evolutions", &secret).status, 422);
    assert!(!home.ledger().iter().any(|line| line.to_string().contains("sk-hush")));
}

#[test]
fn another_address_gets_no_key_and_a_trial_that_is_ended_asks_nothing_more() {
    let own = ModelServer::start().unwrap();
    let other = ModelServer::builder().key("sk-of-the-agent").start().unwrap();
    let config = format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"m\"\napi_key_env = \"AGENT_KEY\"\n[evolution]\nenabled = true\n",
        own.base_url(FakeDialect::OpenAiChat)
    );
    let home = Home::new(&config);
    let keeper = home.up_with(&[("AGENT_KEY", "sk-of-the-agent")]);
    for number in 0..40 {
        own.script([Reply::text("Yes.")]);
        keeper.client.say(&format!("Is it so? ({number})"));
    }
    let before = own.count();
    own.script((0..40).map(|_| Reply::text("Yes.")));
    let body = json!({
        "citizen": "felix", "target": "mind", "reason": "is it better?",
        "change": {"base_url": other.base_url(FakeDialect::OpenAiChat)},
        "trial": {"last": 40, "only_compare": true},
    });
    let answer = keeper.client.post("/evolutions", &body);
    assert_eq!(answer.status, 201, "{}", answer.json());
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let item = until(&keeper, &id, &["reported", "shadowing"]);
    if item["state"] == "shadowing" {
        let ended = keeper.client.post(&format!("/evolutions/{id}/abort"), &json!({}));
        assert!([200, 409].contains(&ended.status), "{}", ended.json());
    }
    let asked = own.count();
    thread::park_timeout(Duration::from_secs(1));
    assert!(own.count() <= asked + 1, "{before} {asked} {}", own.count());
    assert!(other.requests().iter().all(|request| !request.auth_ok), "no key was named for it");
}
