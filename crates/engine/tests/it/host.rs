//! Minds that run tools of their own: what they report is evidence, what they ask for is a person's to decide.

use std::time::Duration;

use abide_domain::{
    EpochId,
    event::{AgentEvent, ApprovalEvent, DecidedBy, Decision, Event},
};
use abide_testkit::rig::{Rig, Setup, ask_to_run, say};
use serde_json::json;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn asking() -> Setup {
    Setup::new(|_, _| ask_to_run("edit"))
}

async fn asked(rig: &Rig) -> EpochId {
    let epoch = rig.begin_interactive("tidy my notes").await;
    rig.until(epoch, "approval.requested").await;
    epoch
}

fn decisions(rig: &Rig, epoch: EpochId) -> Vec<(Decision, DecidedBy)> {
    let entries = rig.entries_of(epoch).into_iter();
    let decided = entries.filter_map(|entry| match entry.event {
        Event::Approval(ApprovalEvent::Decided(decided)) => Some((decided.decision, decided.by)),
        _ => None,
    });
    decided.collect()
}

#[tokio::test(start_paused = true)]
async fn what_a_mind_reports_is_evidence_of_its_agent() {
    let rig = asking().start().await;
    let epoch = rig.say("tidy my notes").await;
    let entries = rig.entries_of(epoch.id);
    let reported = entries.iter().find(|entry| {
        matches!(&entry.event, Event::Agent(AgentEvent::EvidenceReported(evidence))
            if evidence.body == json!({"wants": "edit"}))
    });
    assert_eq!(reported.unwrap().author.as_str(), "@felix");
}

#[tokio::test(start_paused = true)]
async fn a_person_sees_what_the_mind_wants_and_decides() {
    let rig = asking().start().await;
    for (decision, reply) in
        [(Decision::Approve, "done"), (Decision::Deny, "a person said no: not mine")]
    {
        let epoch = asked(&rig).await;
        let summary = rig.keeper().attention().remove(0).summary;
        assert!(summary.contains("`edit`"), "{summary}");
        let (approval, _) = rig.pending_approval().unwrap();
        let reason = (decision == Decision::Deny).then_some("not mine");
        rig.decide(approval, decision, reason).await.unwrap();
        assert_eq!(rig.ended(epoch).await.reply(), Some(reply));
        assert_eq!(decisions(&rig, epoch), [(decision, DecidedBy::Person)]);
    }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_there_the_answer_is_no_at_once() {
    let rig = asking().start().await;
    let began = rig.now();
    let epoch = rig.say("tidy my notes").await;
    assert!(epoch.reply().unwrap().contains("nobody is there"), "{:?}", epoch.reply());
    assert!(rig.now().since(began) < secs(1));
    assert_eq!(decisions(&rig, epoch.id), [(Decision::Deny, DecidedBy::Headless)]);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_does_not_count_against_the_turn_and_ends_with_a_no() {
    let setup = asking().with(|setup| setup.limits.turn = secs(10));
    let rig = setup.start().await;
    let epoch = asked(&rig).await;
    rig.pass(secs(60)).await;
    assert!(rig.pending_approval().is_some(), "a minute is longer than a turn may think");
    let ended = rig.ended(epoch).await;
    assert_eq!(ended.reply(), Some("nobody decided in time"));
    assert_eq!(rig.asked().len(), 1);
    assert_eq!(decisions(&rig, epoch), [(Decision::Deny, DecidedBy::Timeout)]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_a_crash_cut_is_closed_before_the_turn_is_asked_again() {
    let mut rig = Setup::new(|_, asking| match asking {
        1 => ask_to_run("edit"),
        _ => say("so"),
    })
    .start()
    .await;
    let epoch = asked(&rig).await;
    rig.kill().await;
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(decisions(&rig, epoch), [(Decision::Deny, DecidedBy::AttemptEnded)]);
    assert_eq!(rig.pending_approval(), None);
}
