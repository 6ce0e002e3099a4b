//! The order of events (decision 14), who causes them, and when staged memory counts (decision 18).

use std::time::Duration;

use abide_domain::turn::{MindError, Usage};
use abide_testkit::rig::{RigAnswer, Setup, TestTool, call, calls, fail, say};
use serde_json::json;

const ASKED_AND_ANSWERED: [&str; 2] = ["turn.started", "turn.completed"];
const RUN: [&str; 2] = ["tool.requested", "tool.finished"];

/// The kinds of an epoch that commits, around what its turns left.
fn committed(turns: &[&[&'static str]]) -> Vec<&'static str> {
    let mut kinds = vec!["stimulus.accepted", "epoch.opened", "context.assembled"];
    kinds.extend(turns.iter().flat_map(|turn| turn.iter().copied()));
    kinds.push("epoch.committed");
    kinds
}

#[tokio::test(start_paused = true)]
async fn events_of_an_epoch_stand_in_one_order() {
    let look = || ("page.get", json!({}));
    let push = || ("world.push", json!({}));
    let turn = &ASKED_AND_ANSWERED[..];
    let run = &RUN[..];
    let cases: [(&str, Vec<RigAnswer>, Vec<&str>); 4] = [
        ("a plain answer", vec![], committed(&[turn])),
        ("a call", vec![calls([look()])], committed(&[turn, run, turn])),
        ("two calls", vec![calls([look(), push()])], committed(&[turn, run, run, turn])),
        (
            "two turns with calls",
            vec![calls([push()]), calls([look()])],
            committed(&[turn, run, turn, run, turn]),
        ),
    ];
    for (case, answers, kinds) in cases {
        let script =
            move |_: &_, n: usize| answers.get(n - 1).cloned().unwrap_or_else(|| say("so"));
        let setup =
            Setup::new(script).tool(TestTool::read("page.get")).tool(TestTool::world("world.push"));
        let rig = setup.start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(rig.kinds_of(epoch.id), kinds, "{case}");
        assert_eq!(epoch.reply(), Some("so"), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_is_seen_in_the_ledger_while_it_runs() {
    let slow = TestTool::read("page.get").lasting(Duration::from_secs(20), Duration::ZERO);
    let rig = asks_once("page.get").tool(slow).start().await;
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "tool.requested").await;
    assert_eq!(rig.runs(), 0, "it is seen before its effect");
    rig.ended(epoch).await;
}

fn asks_once(tool: &'static str) -> Setup {
    Setup::new(move |_, n| if n == 1 { call(tool, json!({})) } else { say("so") })
}

/// Remembers, then looks for it in the same epoch; a later epoch only looks. `ends_well` is the end of the first one.
fn remembers(ends_well: bool) -> Setup {
    let look = || call("memory.search_facts", json!({"query": "staging server"}));
    Setup::new(move |_, n| match n {
        1 => call("memory.remember_fact", json!({"content": "the staging server is heron"})),
        2 | 4 => look(),
        3 if !ends_well => {
            fail(MindError::Refused { message: "no".into(), usage: Usage::default() })
        }
        _ => say("so"),
    })
}

#[tokio::test(start_paused = true)]
async fn a_fact_is_staged_with_its_call_and_known_from_the_commit_on() {
    let rig = remembers(true).start().await;
    let first = rig.say("remember it").await;
    let remembered = &[&RUN[..], &["memory.fact_remembered"]].concat()[..];
    let turn = &ASKED_AND_ANSWERED[..];
    assert_eq!(rig.kinds_of(first.id), committed(&[turn, remembered, turn, &RUN, turn]));
    let looked = rig.finished_of(first.id)[1].content.clone();
    assert!(looked.contains(r#""status":"empty""#), "not before the commit: {looked}");

    let second = rig.say("what is it?").await;
    let looked = rig.finished_of(second.id)[0].content.clone();
    assert!(looked.contains("the staging server is heron"), "{looked}");
    assert!(looked.contains(&first.id.to_string()), "with the epoch that it comes from: {looked}");
}

#[tokio::test(start_paused = true)]
async fn a_fact_of_an_aborted_epoch_is_never_known() {
    let mut rig = remembers(false).start().await;
    let first = rig.say("remember it").await;
    assert!(first.abort.is_some());
    assert_eq!(rig.count_of(first.id, "memory.fact_remembered"), 1, "the ledger keeps it");
    for case in ["at once", "after a restart"] {
        rig.setup = rig.setup.clone().answering(|request, _| match request.turn {
            1 => call("memory.search_facts", json!({"query": "staging server"})),
            _ => say("so"),
        });
        rig.restart().await;
        let later = rig.say("what is it?").await;
        let looked = rig.finished_of(later.id)[0].content.clone();
        assert!(looked.contains(r#""status":"empty""#), "{case}: {looked}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_work_produced_is_the_agents_evidence_and_the_rest_is_not() {
    let rig = remembers(true).start().await;
    let epoch = rig.say("remember it").await;
    for entry in rig.entries_of(epoch.id) {
        let author = match entry.event.kind().name {
            "stimulus.accepted" => "@nicolas",
            "turn.completed"
            | "tool.requested"
            | "tool.finished"
            | "memory.fact_remembered"
            | "epoch.committed" => "@felix",
            _ => "@keeper",
        };
        assert_eq!(entry.author.as_str(), author, "{}", entry.event.kind().name);
        assert_eq!(entry.entity.as_str(), "@felix");
    }
}

#[tokio::test(start_paused = true)]
async fn failures_and_ends_without_a_reply_are_nobodys_evidence() {
    let script = |_: &_, _| fail(MindError::Unavailable { message: "cut".into() });
    let rig = Setup::new(script).start().await;
    let epoch = rig.say("hello").await;
    let mine = rig.entries_of(epoch.id).into_iter().filter(|e| e.author == e.entity).count();
    assert_eq!(mine, 0);
    assert!(rig.keeper().state().agents["felix"].last_evidence_at.is_none());
}

#[tokio::test(start_paused = true)]
async fn epochs_of_an_agent_never_overlap() {
    let slow = |_: &_, _| say("so").after(Duration::from_secs(5));
    let rig = Setup::new(slow).start().await;
    let mut epochs = Vec::new();
    for number in 0..5 {
        epochs.push(rig.begin(&format!("{number}")).await);
    }
    for epoch in &epochs {
        rig.ended(*epoch).await;
    }
    let walked = rig
        .entries()
        .into_iter()
        .filter(|e| e.epoch.is_some() && e.event.kind().name != "stimulus.accepted");
    let mut order: Vec<_> = walked.filter_map(|entry| entry.epoch).collect();
    order.dedup();
    assert_eq!(order, epochs, "one after the other, in the order of their acceptance");
}
