//! BC-08 and BC-01: a death between effect and record, at every point of an epoch. What a tool did happens at most once,
//! what nobody knows is told as unknown, and no mind ever sees a call without its result.

use std::time::Duration;

use abide_domain::{
    EpochId,
    event::AbortCode,
    tool::Outcome::{self, Ok as Done, Unknown},
};
use abide_engine::keeper::AcceptOptions;
use abide_testkit::rig::{Rig, Setup, TestTool, call, say};
use serde_json::json;

/// Where the keeper dies.
#[derive(Clone, Copy, Debug)]
enum At {
    /// At a named point.
    Point(&'static str),
    /// While the tool runs, before its effect.
    BeforeEffect,
    /// While the tool runs, after its effect.
    AfterEffect,
}

/// How it dies.
#[derive(Clone, Copy, Debug)]
enum Death {
    Process,
    Power,
}

/// A place to die, how often a tool that may not be repeated has run in the end, and what its mind is told of it; then the
/// runs of a tool that may be repeated, which always succeeds.
const CASES: [(At, u32, Outcome, u32); 10] = [
    (At::Point("turn.asked"), 1, Done, 1),
    (At::Point("turn.answered"), 1, Done, 1),
    (At::Point("tool.intent_durable"), 0, Unknown, 1),
    (At::BeforeEffect, 0, Unknown, 1),
    (At::AfterEffect, 1, Unknown, 2),
    (At::Point("tool.effect_done"), 1, Unknown, 2),
    (At::Point("tool.outcome_durable"), 1, Done, 1),
    (At::Point("commit.before"), 1, Done, 1),
    (At::Point("commit.after"), 1, Done, 1),
    (At::Point("recover.resumed"), 1, Done, 1),
];

impl Death {
    async fn of(self, rig: &mut Rig) {
        match self {
            Self::Process => rig.kill().await,
            Self::Power => rig.power_cut().await,
        }
    }
}

/// An agent that pushes once and then answers.
fn pushes(at: At, is_idempotent: bool) -> Setup {
    let wait = Duration::from_secs(30);
    let push = match at {
        At::Point(_) => TestTool::world("world.push"),
        At::BeforeEffect => TestTool::world("world.push").lasting(wait, Duration::ZERO),
        At::AfterEffect => TestTool::world("world.push").lasting(Duration::ZERO, wait),
    };
    let push = if is_idempotent { push.idempotent() } else { push };
    let failpoints = match at {
        At::Point(name) => format!("{name}=delay(3600000)"),
        _ => String::new(),
    };
    Setup::new(|request, _| match request.turn {
        1 => call("world.push", json!({})),
        _ => say("so"),
    })
    .tool(push)
    .with(|setup| setup.failpoints = failpoints)
}

/// Lives until the place to die is reached, and dies there.
async fn die(rig: &mut Rig, death: Death) -> EpochId {
    let epoch = rig.begin("push").await;
    rig.pass(Duration::from_secs(10)).await;
    death.of(rig).await;
    rig.setup.failpoints.clear();
    epoch
}

fn assert_paired(rig: &Rig) {
    for request in rig.asked() {
        for step in request.steps {
            let called = step.voice.tool_calls.iter().map(|call| &call.name);
            let told = step.results.iter().map(|result| &result.name);
            assert!(called.eq(told), "a call without its result in turn {}", request.turn);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn at_every_point_the_effect_happens_at_most_once_and_the_unknown_is_told() {
    for (at, runs, outcome, runs_idempotent) in CASES {
        for death in [Death::Process, Death::Power] {
            for (is_idempotent, runs, outcome) in
                [(false, runs, outcome), (true, runs_idempotent, Done)]
            {
                let case = format!("{at:?} {death:?} idempotent: {is_idempotent}");
                let mut rig = pushes(at, is_idempotent).start().await;
                let epoch = die(&mut rig, death).await;
                rig.start_again().await;
                assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "{case}");
                assert_eq!(rig.outcomes_of(epoch), [outcome], "{case}");
                assert_eq!(rig.runs(), runs, "{case}");
                let told = rig.tool_results_shown()[0].clone();
                assert_eq!(told.outcome, outcome, "{case}");
                assert_eq!(told.content.contains("unknown"), outcome == Unknown, "{case}");
                assert_paired(&rig);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_cannot_go_on_still_says_what_is_unknown() {
    let mut rig = pushes(At::AfterEffect, false).start().await;
    let epoch = die(&mut rig, Death::Process).await;
    rig.pass(Duration::from_mins(11)).await;
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Deadline));
    assert_eq!(rig.outcomes_of(epoch), [Unknown], "the push may have happened: a person is told");
    assert_eq!(rig.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_only_reads_runs_again_after_a_death() {
    let read = TestTool::read("page.get").lasting(Duration::from_secs(30), Duration::ZERO);
    let setup = Setup::new(|request, _| match request.turn {
        1 => call("page.get", json!({})),
        _ => say("so"),
    });
    let mut rig = setup.tool(read).start().await;
    let epoch = die(&mut rig, Death::Process).await;
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(rig.outcomes_of(epoch), [Done]);
}

#[tokio::test(start_paused = true)]
async fn bc_01_no_epoch_after_a_cut_one_sees_an_unpaired_call() {
    let mut rig = pushes(At::Point("tool.effect_done"), false).start().await;
    let cut = die(&mut rig, Death::Process).await;
    rig.start_again().await;
    rig.ended(cut).await;
    rig.setup = rig.setup.clone().answering(|_, _| say("well"));
    rig.restart().await;
    let next = rig.say("hello").await;
    assert_eq!(next.reply(), Some("well"));
    assert_eq!(rig.asked_in(next.id).len(), 1, "it commits the first time");
    assert_eq!(rig.asked_last().history.len(), 1);
    assert_paired(&rig);
}

#[tokio::test(start_paused = true)]
async fn recovering_many_times_is_recovering_once() {
    let mut ends = Vec::new();
    for (refused, cut) in [(0, 0), (3, 0), (0, 5), (2, 2)] {
        let mut rig = pushes(At::Point("tool.effect_done"), false).start().await;
        let epoch = die(&mut rig, Death::Power).await;
        rig.setup.failpoints = "recover.before_lanes=error".into();
        for _ in 0..refused {
            assert!(rig.try_start().await.is_err());
        }
        rig.setup.failpoints = "recover.resumed=delay(3600000)".into();
        for _ in 0..cut {
            rig.start_again().await;
            rig.pass(Duration::from_secs(5)).await;
            rig.kill().await;
        }
        rig.setup.failpoints.clear();
        rig.start_again().await;
        rig.ended(epoch).await;
        ends.push((rig.kinds_of(epoch), rig.outcomes_of(epoch), rig.runs(), rig.asked().len()));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:#?}");
}

#[tokio::test(start_paused = true)]
async fn before_it_is_durable_a_stimulus_never_was_and_after_it_is_answered() {
    for (point, is_known) in [("accept.before_durable", false), ("accept.after_durable", true)] {
        for death in [Death::Process, Death::Power] {
            let setup = Setup::new(|_, _| say("so"))
                .with(|setup| setup.failpoints = format!("{point}=delay(3600000)"));
            let mut rig = setup.start().await;
            let hello = rig.accept(rig.stimulus("hello"), AcceptOptions::default());
            let told = tokio::time::timeout(Duration::from_secs(10), hello).await;
            assert!(told.is_err(), "{point}: the caller has no answer");
            death.of(&mut rig).await;
            rig.setup.failpoints.clear();
            rig.start_again().await;
            rig.pass(Duration::from_secs(10)).await;
            let entries = rig.entries();
            let epochs: Vec<_> = entries
                .iter()
                .filter(|entry| entry.event.kind().name == "epoch.committed")
                .collect();
            assert_eq!(epochs.len(), usize::from(is_known), "{point} {death:?}");
            let accepted =
                entries.iter().filter(|entry| entry.event.kind().name == "stimulus.accepted");
            assert_eq!(accepted.count(), usize::from(is_known), "{point} {death:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_death_before_the_commit_leaves_staged_facts_unseen_until_it_is_made_up_for() {
    let setup = Setup::new(|request, _| match request.turn {
        1 => call("memory.remember_fact", json!({"content": "the staging server is heron"})),
        _ => say("so"),
    });
    let setup = setup.with(|setup| setup.failpoints = "commit.before=delay(3600000)".into());
    let mut rig = setup.start().await;
    let known = |rig: &Rig| {
        rig.keeper().agent("felix").unwrap().facts.list(None, 9, Some("heron")).unwrap().items
    };
    let epoch = die(&mut rig, Death::Process).await;
    rig.setup.failpoints = "recover.resumed=delay(3600000)".into();
    rig.start_again().await;
    rig.pass(Duration::from_secs(5)).await;
    assert_eq!(known(&rig).len(), 0);
    rig.setup.failpoints.clear();
    rig.restart().await;
    rig.ended(epoch).await;
    assert_eq!(known(&rig).len(), 1, "once, not twice");
    assert_eq!(rig.count_of(epoch, "memory.fact_remembered"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_station_that_fails_ends_its_epoch_and_the_agent_goes_on() {
    for point in
        ["turn.asked", "turn.answered", "tool.intent_durable", "tool.effect_done", "commit.before"]
    {
        let setup = pushes(At::AfterEffect, false);
        let setup = setup.with(|setup| setup.failpoints = format!("{point}=error"));
        let mut rig = setup.start().await;
        let epoch = rig.say("push").await;
        assert_eq!(epoch.abort_code(), Some(AbortCode::TurnFailed), "{point}");
        rig.setup.failpoints.clear();
        rig.restart().await;
        assert_eq!(rig.say("again").await.reply(), Some("so"), "{point}");
    }
}
