//! BC-15: an approval that nobody answers. Every one has a deadline in the ledger, silence is a no, and nobody there is a
//! no at once (decision 21).

use std::time::Duration;

use abide_domain::{
    ApprovalId, EntityName, EpochId, IdSource as _,
    event::{AbortCode, ApprovalEvent, DecidedBy, Decision, EpochAborted, Event},
    tool::Outcome,
};
use abide_engine::run_epoch::DecideError;
use abide_ledger::Draft;
use abide_testkit::{
    SeededIds,
    rig::{Rig, Setup, TestTool, call, say},
};
use abide_tools::{ToolError, ToolErrorKind};
use serde_json::json;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// An agent that must ask before it pushes.
fn asks() -> Setup {
    let script = |request: &abide_domain::turn::TurnRequest, _| match request.turn {
        1 => call("world.push", json!({})),
        _ => say("so"),
    };
    let setup = Setup::new(script).tool(TestTool::world("world.push"));
    setup.with(|setup| setup.ask = vec!["world.push"])
}

/// The same, where the tool says beforehand that a call must fail; `read` is what lets an agent see why.
fn must_fail(kind: ToolErrorKind, read: Option<&'static str>) -> Setup {
    let error = ToolError::of(kind, "the heron is not there");
    let push = TestTool::world("world.push").previewing(Err(error), read);
    let script = |request: &abide_domain::turn::TurnRequest, _| match request.turn {
        1 => call("world.push", json!({})),
        _ => say("so"),
    };
    let setup = Setup::new(script).tool(push).tool(TestTool::read("world.look"));
    setup.with(|setup| setup.ask = vec!["world.push"])
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_call_that_must_fail_and_the_mind_hears_why() {
    for read in [None, Some("world.look")] {
        let rig = must_fail(ToolErrorKind::NotFound, read).start().await;
        let epoch = rig.begin_interactive("push").await;
        rig.ended(epoch).await;
        assert_eq!((rig.runs(), rig.outcomes_of(epoch)), (0, vec![Outcome::Error]));
        assert_eq!(rig.count_of(epoch, "approval.requested"), 0);
        assert_eq!(&*rig.tool_results_shown()[0].content, "the heron is not there");
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_where_the_failure_may_pass_or_says_what_the_mind_may_not_see_unasked() {
    let seen = must_fail(ToolErrorKind::NotFound, Some("world.look"));
    let unseen = seen.with(|setup| setup.ask = vec!["world.*"]);
    for setup in [must_fail(ToolErrorKind::Upstream, None), unseen] {
        let rig = setup.start().await;
        let (epoch, approval) = asked(&rig).await;
        let entries = rig.entries_of(epoch).into_iter();
        let preview = { entries }.find_map(|entry| match entry.event {
            Event::Approval(ApprovalEvent::Requested(requested)) => requested.preview,
            _ => None,
        });
        assert_eq!(preview.as_deref(), Some("it would fail: the heron is not there"));
        rig.decide(approval, Decision::Deny, None).await.unwrap();
        rig.ended(epoch).await;
        assert_eq!(rig.outcomes_of(epoch), [Outcome::Denied]);
    }
}

/// Begins an epoch and waits until it asks.
async fn asked(rig: &Rig) -> (EpochId, ApprovalId) {
    let epoch = rig.begin_interactive("push").await;
    rig.until(epoch, "approval.requested").await;
    (epoch, rig.pending_approval().unwrap().0)
}

fn decision(rig: &Rig, epoch: EpochId) -> (Decision, DecidedBy, String) {
    let entries = rig.entries_of(epoch).into_iter();
    let mut decided = entries.filter_map(|entry| match entry.event {
        Event::Approval(ApprovalEvent::Decided(decided)) => {
            Some((decided.decision, decided.by, entry.author.as_str().to_owned()))
        }
        _ => None,
    });
    let only = decided.next().unwrap();
    assert_eq!(decided.next(), None, "decided once");
    only
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_there_a_call_is_denied_at_once_with_the_reason() {
    let rig = asks().start().await;
    let began = rig.now();
    let epoch = rig.say("push").await;
    assert_eq!(epoch.reply(), Some("so"));
    assert!(epoch.ended_at.unwrap().since(began) < secs(1));
    let told = rig.tool_results_shown()[0].clone();
    assert_eq!(told.outcome, Outcome::Denied);
    assert!(told.content.contains("nobody is there"), "{}", told.content);
    assert_eq!(decision(&rig, epoch.id), (Decision::Deny, DecidedBy::Headless, "@keeper".into()));
    assert_eq!(rig.keeper().attention(), [], "nobody is asked");
    assert_eq!(rig.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn whoever_showed_itself_within_a_minute_is_there() {
    let rig = asks().start().await;
    rig.keeper().attached().note_contact(rig.now());
    rig.pass(secs(59)).await;
    let epoch = rig.begin("push").await;
    rig.until(epoch, "approval.requested").await;
    rig.decide(rig.pending_approval().unwrap().0, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    rig.pass(secs(61)).await;
    let epoch = rig.say("push").await;
    assert_eq!(rig.outcomes_of(epoch.id), [Outcome::Denied], "gone since two minutes");
}

#[tokio::test(start_paused = true)]
async fn an_approved_call_runs_and_a_denied_one_is_told_why() {
    let rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    rig.decide(approval, Decision::Approve, None).await.unwrap();
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let kinds = rig.kinds_of(epoch);
    let acted = ["approval.requested", "approval.decided", "tool.requested", "tool.finished"];
    assert_eq!(kinds[5..9], acted, "the decision comes before the intent");
    assert_eq!(decision(&rig, epoch).2, "@nicolas", "by whom is in the ledger");
    assert_eq!((rig.runs(), rig.tool_results_shown()[0].outcome), (1, Outcome::Ok));

    let (epoch, approval) = asked(&rig).await;
    rig.decide(approval, Decision::Deny, Some("not on a Friday")).await.unwrap();
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let told = rig.tool_results_shown()[0].clone();
    assert_eq!((rig.runs(), told.outcome), (1, Outcome::Denied));
    assert!(told.content.contains("not on a Friday"), "{}", told.content);
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_no_at_the_deadline() {
    let rig = asks().start().await;
    let began = rig.now();
    let (epoch, approval) = asked(&rig).await;
    let (_, deadline) = rig.pending_approval().unwrap();
    assert_eq!(deadline.since(began).as_secs(), 300);
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "the epoch goes on without it");
    assert_eq!(decision(&rig, epoch), (Decision::Deny, DecidedBy::Timeout, "@keeper".into()));
    assert!(rig.now().since(deadline) < secs(1));
    assert_eq!((rig.runs(), rig.tool_results_shown()[0].outcome), (0, Outcome::Denied));
    let late = rig.decide(approval, Decision::Approve, None).await;
    assert_eq!(late, Err(DecideError::AlreadyDecided));
}

#[tokio::test(start_paused = true)]
async fn a_restart_goes_on_waiting_for_the_same_deadline() {
    let mut rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    let deadline = rig.pending_approval().unwrap().1;
    rig.pass(secs(50)).await;
    rig.kill().await;
    rig.pass(secs(100)).await;
    rig.start_again().await;
    rig.pass(secs(1)).await;
    assert_eq!(rig.pending_approval(), Some((approval, deadline)));
    rig.ended(epoch).await;
    assert!(rig.now() >= deadline && rig.now().since(deadline) < secs(1), "time down counts");
    assert_eq!(rig.count_of(epoch, "approval.requested"), 1, "nobody is asked twice");
    assert_eq!(decision(&rig, epoch).1, DecidedBy::Timeout);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_ran_out_while_the_keeper_was_down_is_denied_at_the_start() {
    let mut rig = asks().start().await;
    let (epoch, _) = asked(&rig).await;
    rig.kill().await;
    rig.pass(Duration::from_hours(10)).await;
    rig.start_again().await;
    let started = rig.now();
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "waiting is not the epoch's time");
    assert!(rig.now().since(started) < secs(1));
    assert_eq!(decision(&rig, epoch).1, DecidedBy::Timeout);
}

#[tokio::test(start_paused = true)]
async fn a_decision_after_a_restart_counts() {
    let mut rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    rig.restart().await;
    rig.pass(secs(1)).await;
    rig.decide(approval, Decision::Approve, None).await.unwrap();
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(rig.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_decision_right_after_a_restart_is_not_lost() {
    let mut rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    rig.restart().await;
    rig.decide(approval, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    assert_eq!(decision(&rig, epoch).0, Decision::Approve);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_approved_is_not_asked_for_again() {
    let mut rig = asks().start().await;
    rig.setup.failpoints = "tool.intent_durable=delay(3600000)".into();
    rig.restart().await;
    let (epoch, approval) = asked(&rig).await;
    rig.decide(approval, Decision::Approve, None).await.unwrap();
    rig.pass(secs(1)).await;
    rig.setup.failpoints.clear();
    rig.restart().await;
    rig.ended(epoch).await;
    assert_eq!(rig.count_of(epoch, "approval.requested"), 1);
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Unknown]);
}

#[tokio::test(start_paused = true)]
async fn of_two_decisions_the_first_counts() {
    let rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    let (first, second) = tokio::join!(
        rig.decide(approval, Decision::Deny, None),
        rig.decide(approval, Decision::Approve, None),
    );
    assert_eq!((first, second), (Ok(()), Err(DecideError::AlreadyDecided)));
    let third = rig.decide(approval, Decision::Approve, None).await;
    assert_eq!(third, Err(DecideError::AlreadyDecided));
    rig.ended(epoch).await;
    assert_eq!((decision(&rig, epoch).0, rig.runs()), (Decision::Deny, 0));
    let other = ApprovalId::new(&SeededIds::new(99), rig.now());
    assert_eq!(rig.decide(other, Decision::Approve, None).await, Err(DecideError::NotFound));
    assert_ne!(SeededIds::new(99).uuid(rig.now()), approval.uuid());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_is_not_the_epochs_time() {
    for is_cut in [false, true] {
        let setup = asks().with(|setup| setup.limits.epoch = secs(60));
        let mut rig = setup.start().await;
        let (epoch, approval) = asked(&rig).await;
        rig.pass(secs(100)).await;
        if is_cut {
            rig.kill().await;
            rig.pass(secs(100)).await;
            rig.start_again().await;
            rig.pass(secs(1)).await;
        }
        rig.decide(approval, Decision::Approve, None).await.unwrap();
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "cut: {is_cut}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_waits_can_be_aborted_and_its_approval_is_over() {
    let rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    rig.keeper().abort(epoch, "never mind".into()).await.unwrap();
    let ended = rig.ended(epoch).await;
    assert_eq!(ended.abort_code(), Some(AbortCode::Cancelled));
    assert_eq!(rig.pending_approval(), None);
    let late = rig.decide(approval, Decision::Approve, None).await;
    assert_eq!(late, Err(DecideError::AlreadyDecided));
    assert_eq!(rig.runs(), 0);
    rig.pass(Duration::from_hours(1)).await;
    assert_eq!(rig.kinds_of(epoch).last(), Some(&"epoch.aborted"), "and nothing follows");
    assert_eq!(decision(&rig, epoch), (Decision::Deny, DecidedBy::EpochEnded, "@keeper".into()));
}

#[tokio::test(start_paused = true)]
async fn whatever_ends_an_epoch_that_waits_decides_its_approval() {
    // By order, by a reset with force, and by both after a restart.
    for (is_reset, is_cut) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut rig = asks().start().await;
        let (epoch, _) = asked(&rig).await;
        if is_cut {
            rig.restart().await;
        }
        if is_reset {
            let (felix, by) = ("felix".parse().unwrap(), EntityName::keeper());
            rig.keeper().reset(&felix, true, by).await.unwrap();
        } else {
            rig.keeper().abort(epoch, "never mind".into()).await.unwrap();
        }
        rig.ended(epoch).await;
        assert_eq!(decision(&rig, epoch).1, DecidedBy::EpochEnded, "{is_reset} {is_cut}");
        let kinds = rig.kinds_of(epoch);
        assert_eq!(kinds[kinds.len() - 2..], ["approval.decided", "epoch.aborted"]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_a_changed_configuration_answers_is_not_left_open() {
    for (deny, verdict, runs) in
        [(vec![], Decision::Approve, 1), (vec!["world.push"], Decision::Deny, 0)]
    {
        let mut rig = asks().start().await;
        let (epoch, _) = asked(&rig).await;
        rig.kill().await;
        rig.setup.ask.clear();
        rig.setup.deny = deny;
        rig.start_again().await;
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
        assert_eq!(decision(&rig, epoch), (verdict, DecidedBy::Configuration, "@keeper".into()));
        assert_eq!(rig.runs(), runs);
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_an_ended_epoch_left_undecided_is_decided_at_the_next_start() {
    let mut rig = asks().start().await;
    let (epoch, _) = asked(&rig).await;
    // As a program before this one ended it.
    let aborted = EpochAborted { code: AbortCode::Cancelled, message: "never mind".into() };
    let (entity, author) = ("@felix".parse().unwrap(), EntityName::keeper());
    let draft = Draft { entity, author, epoch: Some(epoch), event: aborted.into() };
    rig.keeper().services().ledger.append(vec![draft]).await.unwrap();
    for _ in 0..3 {
        rig.restart().await;
        rig.pass(secs(1)).await;
        let decided = (Decision::Deny, DecidedBy::EpochEnded, "@keeper".into());
        assert_eq!(decision(&rig, epoch), decided, "once, however often it starts");
        assert!(rig.ended(epoch).await.undecided().next().is_none());
        assert_eq!(rig.digest_rebuilt(), rig.digest());
    }
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_person_is_shown_and_only_for_as_long() {
    let rig = asks().start().await;
    let (epoch, approval) = asked(&rig).await;
    let matters = rig.keeper().attention();
    assert_eq!((matters.len(), matters[0].epoch), (1, Some(epoch)));
    assert!(matters[0].summary.contains("world.push"), "{}", matters[0].summary);
    rig.decide(approval, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    assert_eq!(rig.keeper().attention(), []);
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_turn_asks_for_itself() {
    let setup = asks().answering(|request, _| match request.turn {
        1 => {
            abide_testkit::rig::calls([("world.push", json!({})), ("world.push", json!({"n": 2}))])
        }
        _ => say("so"),
    });
    let rig = setup.start().await;
    let (epoch, first) = asked(&rig).await;
    rig.decide(first, Decision::Deny, None).await.unwrap();
    rig.until_times(epoch, "approval.requested", 2).await;
    let (second, _) = rig.pending_approval().unwrap();
    assert_ne!(second, first);
    rig.decide(second, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Denied, Outcome::Ok]);
}
