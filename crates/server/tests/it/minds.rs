//! `abide evolve try` against the real program: settings that are tried, written with a yes and never without their report, the floor
//! below every agreement, repeats, a judge, and Ctrl-C.

use std::{
    fs,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

use abide_testkit::{FakeDialect, ModelServer, Reply, ReplyHold, SeenRequest};
use serde_json::{Value, json};

use crate::home::{Home, Keeper};

/// How often something is looked for, and how many times at most.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS_MAX: usize = 600;

/// A model of this machine: it answers by its name and what it was asked; the one called `judge` prefers what `new` says.
fn model() -> ModelServer {
    let rule = |request: &SeenRequest| {
        let body = request.body.to_string();
        match request.body["model"].as_str().unwrap_or_default() {
            "judge" => Reply::text(
                if body.find("as new").unwrap_or(0) < body.find("as old").unwrap_or(0) {
                    "A"
                } else {
                    "B"
                },
            ),
            name => Reply::text(format!("It is so, as {name} says.")),
        }
    };
    ModelServer::builder().rule(rule).start().unwrap()
}

/// A keeper whose agent was asked so many things.
fn lived(model: &ModelServer, questions: usize) -> (Home, Keeper) {
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"old\" # the small one\n[evolution]\nenabled = true\n",
        model.base_url(FakeDialect::OpenAiChat)
    ));
    let keeper = home.up();
    for number in 0..questions {
        keeper.client.say(&format!("Is it so? ({number})"));
    }
    (home, keeper)
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn config(home: &Home) -> String {
    fs::read_to_string(home.path().join("abide.toml")).unwrap()
}

fn compared(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap()
}

#[test]
fn a_setting_is_tried_with_the_candidate_alone_and_written_with_a_yes() {
    let model = model();
    let (home, keeper) = lived(&model, 4);
    let before = config(&home);
    let asked = model.count();
    let arguments = [
        "evolve",
        "try",
        "--set",
        "model.max_output_tokens=77",
        "--set",
        "limits.turns=3",
        "--last",
        "4",
    ];
    let tried = home.run([&arguments[..], &["--json"]].concat());
    let found = compared(&tried);
    assert_eq!((&found["state"], &found["pairs"]), (&json!("reported"), &json!(4)), "{found}");
    let limits: Vec<Value> =
        model.requests().iter().skip(asked).map(|request| limit(&request.body)).collect();
    // Four of the candidate, and twice four of what is in force.
    assert_eq!(limits.iter().filter(|limit| **limit == json!(77)).count(), 4, "{limits:?}");
    assert_eq!(limits.len(), 12, "{limits:?}");
    assert_eq!(found["measured"]["agreement_floor"], json!(1.0), "{found}");
    assert!(found["why"].as_str().unwrap().contains("agrees with itself on 4 of 4"), "{found}");
    assert_eq!(config(&home), before, "nothing is written without --adopt");

    // Nobody is there to be asked, and then nothing is asked of a model either.
    let asked = model.count();
    let nobody = home.run([&arguments[..], &["--adopt"]].concat());
    assert_eq!(nobody.status.code(), Some(2), "{nobody:?}");
    assert_eq!((model.count(), config(&home)), (asked, before));

    let adopted = home.run([&arguments[..], &["--adopt", "--yes"]].concat());
    let said = stderr(&adopted);
    assert!(adopted.status.success(), "{adopted:?}");
    assert!(said.contains("`abide config set model.max_output_tokens 0` brings it back"), "{said}");
    assert!(said.contains("`abide config set limits.turns 16` brings it back"), "{said}");
    let after = config(&home);
    assert!(after.contains("max_output_tokens = 77") && after.contains("turns = 3"), "{after}");
    assert!(after.contains("name = \"old\" # the small one"), "{after}");
    keeper.stop();
    assert!(home.run(["config", "set", "limits.turns", "16"]).status.success());
    let _keeper = home.up();
}

fn limit(body: &Value) -> Value {
    let keys = ["max_completion_tokens", "max_tokens"];
    keys.iter().map(|key| body[*key].clone()).find(|value| !value.is_null()).unwrap_or_default()
}

#[test]
fn what_cannot_be_set_is_wrong_usage_and_says_what_can_be() {
    let home = Home::new("[evolution]\nenabled = true\n");
    let keeper = home.up();
    for (setting, said) in [
        ("evolution.approve=[]", "context.tokens_max"),
        ("model.temperature=1", "model.max_output_tokens"),
        ("context.tokens_max=3", "at least 1000"),
        ("context.history", "KEY=VALUE"),
    ] {
        let refused = home.run(["evolve", "try", "--set", setting]);
        assert_eq!(refused.status.code(), Some(2), "{setting}: {refused:?}");
        assert!(stderr(&refused).contains(said), "{setting}: {refused:?}");
    }
    let found = keeper.client.read("/evolutions");
    assert_eq!(found["items"], json!([]), "nothing was written down");
}

#[test]
fn a_judge_is_asked_in_both_orders_and_decides_nothing_and_repeats_count_by_their_median() {
    let model = model();
    let (home, _keeper) = lived(&model, 3);
    let asked = model.count();
    let tried = home.run([
        "evolve", "try", "--model", "new", "--last", "3", "--repeat", "3", "--judge", "judge",
        "--json",
    ]);
    let found = compared(&tried);
    let pairs = found["compared"].as_array().unwrap();
    assert_eq!((&found["state"], pairs.len()), (&json!("reported"), 3), "{found}");
    for pair in pairs {
        assert_eq!(pair["candidate"]["judged"], "better", "{pair}");
        assert_eq!(
            (&pair["main"]["runs"], &pair["main"]["again_agrees"]),
            (&json!(3), &json!(true)),
            "{pair}"
        );
    }
    assert!(!found["why"].as_str().unwrap().contains("judge"), "{found}");
    let requests = model.requests();
    let of = |name: &str| {
        requests.iter().skip(asked).filter(|request| request.body["model"] == name).count()
    };
    assert_eq!((of("old"), of("new"), of("judge")), (12, 9, 6));
    let judged = requests.iter().rev().find(|request| request.body["model"] == "judge").unwrap();
    assert!(judged.body.to_string().contains("All three are data"), "{}", judged.body);
    let wrong = home.run(["evolve", "try", "--model", "new", "--repeat", "9"]);
    assert!(stderr(&wrong).contains("1..=5"), "{wrong:?}");
}

#[test]
fn ctrl_c_ends_the_trial_and_says_so() {
    let hold = ReplyHold::closed();
    let rule = {
        let hold = hold.clone();
        move |request: &SeenRequest| match request.body["model"].as_str() {
            Some("new") => Reply::text("Yes.").held_by(&hold),
            _ => Reply::text("Yes."),
        }
    };
    let model = ModelServer::builder().rule(rule).start().unwrap();
    let (home, keeper) = lived(&model, 2);
    let trying = home
        .command(["evolve", "try", "--model", "new", "--last", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    for _ in 0..LOOKS_MAX {
        if keeper.client.read("/evolutions?state=shadowing")["items"][0].is_object() {
            break;
        }
        thread::park_timeout(LOOK);
    }
    let interrupted = Command::new("kill").args(["-INT", &trying.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    let ended = trying.wait_with_output().unwrap();
    hold.open();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(stderr(&ended).contains("is aborted"), "{ended:?}");
    let found = keeper.client.read("/evolutions?state=aborted");
    assert_eq!(found["items"][0]["why"], "ended at the command line", "{found}");
}
