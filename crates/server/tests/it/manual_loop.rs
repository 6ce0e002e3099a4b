//! `abide loop`: B01 from outside, on the reflex, on a model, and over a death of the keeper.

use std::{
    io::{BufReader, Read as _, Write as _},
    process::Stdio,
};

use abide_testkit::{FakeDialect, ModelServer, rules};
use serde_json::Value;

use crate::home::Home;

/// Plays B01 and gives its report.
fn play(home: &Home, more: &[&str]) -> Value {
    let out = home.path().join("play");
    let arguments = ["loop", "--auto", "--json", "--out", out.to_str().unwrap()];
    let played = home.run(arguments.iter().chain(more));
    let words = String::from_utf8_lossy(&played.stderr);
    let report: Value =
        serde_json::from_slice(&played.stdout).unwrap_or_else(|error| panic!("{error}: {words}"));
    assert_eq!(played.status.code(), Some(0), "{report:#}\n{words}");
    for file in
        ["report.md", "graph.jsonl", "comparison.md", "act1_context.md", "act3_findings.json"]
    {
        assert!(out.join(file).exists(), "{file}");
    }
    report
}

fn scores(report: &Value) -> Vec<usize> {
    let acts = report["acts"].as_array().unwrap();
    let is_met = |verdict: &&Value| verdict["context"] == true && verdict["reply"] == true;
    acts.iter()
        .map(|act| act["verdicts"].as_array().unwrap().iter().filter(is_met).count())
        .collect()
}

#[test]
fn b01_is_passed_without_a_model() {
    let home = Home::new("[model]\nprovider = \"reflex\"\n");
    let report = play(&home, &[]);
    assert_eq!(scores(&report), [5, 5], "{report:#}");
}

#[test]
fn b01_is_passed_without_a_model_over_a_death_of_the_keeper() {
    let home = Home::new("[model]\nprovider = \"reflex\"\n");
    let report = play(&home, &["--kill"]);
    assert_eq!(
        (scores(&report), &report["keeper_killed"]),
        (vec![5, 5], &Value::Bool(true)),
        "{report:#}"
    );
}

#[test]
fn b01_is_passed_with_a_model() {
    let server = ModelServer::builder().rule(rules::from_context()).start().unwrap();
    let url = server.base_url(FakeDialect::OpenAiChat);
    let home =
        Home::new(&format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n"));
    let report = play(&home, &[]);
    assert_eq!(scores(&report), [5, 5], "{report:#}");
    assert!(report["mind"].as_str().unwrap().contains("model"), "{report:#}");
}

/// What a person pastes who has read the context.
const PASTED: &str = "Nicolas, this is frustrating: the race condition in the consciousness engine is still open since 2 h ago. \
    The sleep patch did not help. Systematic debugging, the root cause first, before the demo on 2024-11-25.\n###\n";

#[test]
fn a_person_can_be_the_mind_over_resets_and_presses_a_key_at_each_step() {
    let home = Home::new("[model]\nprovider = \"reflex\"\n");
    let out = home.path().join("play");
    let mut play = home
        .command(["loop", "--paste", "--json", "--out", out.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut keys, words) = (play.stdin.take().unwrap(), play.stderr.take().unwrap());
    let person = std::thread::spawn(move || {
        let mut heard = String::new();
        for byte in BufReader::new(words).bytes().map_while(Result::ok) {
            heard.push(char::from(byte));
            let answer = if heard.ends_with("a line of ###\n") {
                PASTED
            } else if heard.ends_with("] > ") {
                "\n"
            } else {
                continue;
            };
            heard.clear();
            // The play may be over.
            drop(keys.write_all(answer.as_bytes()));
        }
        heard
    });
    let played = play.wait_with_output().unwrap();
    let words = person.join().unwrap();
    let report: Value =
        serde_json::from_slice(&played.stdout).unwrap_or_else(|error| panic!("{error}: {words}"));
    assert_eq!((scores(&report), played.status.code()), (vec![5, 5], Some(0)), "{report:#}");
}
