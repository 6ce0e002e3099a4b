//! Agents that others bring into being: with a person's approval, at once, and again after each start.

use std::time::Duration;

use abide_domain::{
    event::{AgentEvent, Decision, Event, MemoryEvent},
    limits::SPAWNED_MAX,
    tool::Outcome,
};
use abide_engine::keeper::AcceptOptions;
use abide_testkit::rig::{Rig, Setup, call, calls, command, obey, silence};
use serde_json::json;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn parents() -> Setup {
    Setup::new(|request, _| match (&*request.message, request.turn) {
        ("remember", 1) => call("memory.remember_fact", json!({"content": "the server is heron"})),
        ("wait", 1) => silence(),
        _ => obey(request),
    })
}

/// A keeper with a spawned agent.
async fn with_kid() -> Rig {
    let mut rig = parents().start().await;
    let answer = rig.tell("felix", r"\spawn @kid a small helper ---").await.unwrap();
    assert_eq!(answer, "@kid will be there: a small helper");
    rig.take_in().await;
    rig
}

fn count(rig: &Rig, entity: &str, kind: &str) -> usize {
    let entries = rig.entries();
    let own = entries.iter().filter(|entry| entry.entity.bare() == entity);
    own.filter(|entry| entry.event.kind().name == kind).count()
}

#[tokio::test(start_paused = true)]
async fn a_spawned_agent_has_a_profile_and_an_identity_and_answers_who_speaks_to_it() {
    let rig = with_kid().await;
    let entries = rig.entries();
    let profile = entries.iter().find_map(|entry| match &entry.event {
        Event::Agent(AgentEvent::Registered(profile)) if entry.entity.bare() == "kid" => {
            Some(profile.clone())
        }
        _ => None,
    });
    let profile = profile.unwrap();
    assert_eq!((profile.name.as_str(), profile.role.as_str()), ("kid", "a small helper"));
    assert_eq!(count(&rig, "kid", "memory.identity_changed"), 1);
    assert_eq!(rig.say_to("kid", "hello").await.reply(), Some("so"));
    rig.say(r"\say @kid hello ---").await;
    rig.until_quiet().await;
    assert_eq!(count(&rig, "kid", "epoch.committed"), 2);
    let back = rig.say_to("kid", r"\say @felix I am here --- \stdout hm --- \read ---").await;
    assert!(!back.reply().unwrap().contains("@kid: I am here"), "it counts at commit");
    rig.until_quiet().await;
    let read = rig.tell("felix", r"\read @kid ---").await.unwrap();
    assert!(read.ends_with("@kid: I am here"), "{read}");
    assert_eq!(rig.digest(), rig.digest_rebuilt());
}

#[tokio::test(start_paused = true)]
async fn after_each_start_it_is_there_again_and_remembers() {
    let mut rig = with_kid().await;
    rig.say_to("kid", "remember").await;
    rig.tell("kid", r"\wake ?(sleep(1m)) up ---").await.unwrap();
    let lived = rig.digest();
    for is_power in [false, true] {
        rig.end_by(is_power).await;
        rig.start_again().await;
        rig.take_in().await;
        assert_eq!(rig.digest(), lived);
        let kid = rig.keeper().agent("kid").unwrap();
        assert_eq!(kid.facts.list(None, 9, Some("heron")).unwrap().items.len(), 1);
    }
    assert_eq!(count(&rig, "kid", "agent.registered"), 1, "it is introduced once");
    rig.kill().await;
    rig.pass(secs(3_600)).await;
    rig.start_again().await;
    rig.pass(secs(60)).await;
    assert_eq!(count(&rig, "kid", "wake.fired"), 0, "it is not there yet");
    rig.take_in().await;
    rig.pass(secs(5)).await;
    assert_eq!(count(&rig, "kid", "wake.fired"), 1, "what was due meanwhile");
    assert_eq!(rig.say_to("kid", "hello").await.reply(), Some("so"));
    assert_eq!(rig.digest(), rig.digest_rebuilt());
}

#[tokio::test(start_paused = true)]
async fn what_it_learns_while_it_is_there_is_projected_like_anybody_elses() {
    let rig = with_kid().await;
    rig.say_to("kid", "remember").await;
    let learnt = rig.entries().into_iter().filter(|entry| {
        let is_fact = matches!(entry.event, Event::Memory(MemoryEvent::FactRemembered(_)));
        is_fact && entry.entity.bare() == "kid"
    });
    assert_eq!(learnt.count(), 1);
    let kid = rig.keeper().agent("kid").unwrap();
    assert_eq!(kid.facts.list(None, 9, Some("heron")).unwrap().items.len(), 1);
    let felix = rig.keeper().agent("felix").unwrap();
    assert_eq!(
        felix.facts.list(None, 9, Some("heron")).unwrap().items.len(),
        0,
        "it is nobody else's"
    );
}

#[tokio::test(start_paused = true)]
async fn its_cut_epoch_goes_on_when_it_is_there_again() {
    let mut rig = with_kid().await;
    let wait = rig.stimulus_for("kid", "wait");
    let epoch = rig.accept(wait, AcceptOptions::default()).await.unwrap().epoch;
    rig.until(epoch, "turn.started").await;
    rig.power_cut().await;
    rig.setup = rig.setup.clone().answering(|request, _| obey(request));
    rig.start_again().await;
    rig.pass(secs(5)).await;
    assert!(rig.keeper().state().running.contains_key(&epoch));
    rig.take_in().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn a_mind_brings_another_into_being_only_with_a_persons_approval() {
    for (decision, is_there) in [(Decision::Deny, false), (Decision::Approve, true)] {
        let mut rig = parents().start().await;
        let epoch = rig.begin_interactive(r"\spawn @kid a small helper ---").await;
        rig.until(epoch, "approval.requested").await;
        rig.take_in().await;
        assert!(rig.keeper().agent("kid").is_none(), "nobody has approved");
        let (approval, _) = rig.pending_approval().unwrap();
        rig.decide(approval, decision, None).await.unwrap();
        rig.ended(epoch).await;
        rig.take_in().await;
        assert_eq!(rig.keeper().agent("kid").is_some(), is_there, "{decision:?}");
        assert_eq!(count(&rig, "felix", "agent.spawned"), usize::from(is_there));
        let outcome = if is_there { Outcome::Ok } else { Outcome::Denied };
        assert_eq!(rig.outcomes_of(epoch), [outcome]);
    }
    let rig = parents().start().await;
    let alone = rig.say(r"\spawn @kid a small helper ---").await;
    assert_eq!(rig.outcomes_of(alone.id), [Outcome::Denied], "nobody is there to ask");
}

#[tokio::test(start_paused = true)]
async fn there_is_one_of_a_name_and_no_more_than_so_many() {
    let setup = Setup::new(|request, _| match (&*request.message, request.turn) {
        ("twice", 1) => {
            let spawn = json!({"command": r"\spawn @kid ---"});
            calls([("stdout", spawn.clone()), ("stdout", spawn)])
        }
        ("more", 1) => command(r"\spawn @late ---"),
        _ => obey(request),
    });
    let rig = setup.start().await;
    let epoch = rig.begin_interactive("twice").await;
    for _ in 0..2 {
        rig.until_state("an approval waits", |state| {
            state.running.values().any(|record| record.pending_approval().is_some())
        })
        .await;
        let (approval, _) = rig.pending_approval().unwrap();
        rig.decide(approval, Decision::Approve, None).await.unwrap();
    }
    rig.ended(epoch).await;
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Ok, Outcome::Error], "the second one is known");
    for name in ["kid", "felix"] {
        let refused = rig.tell("felix", &format!(r"\spawn @{name} ---")).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("ERROR: There is @{name} already"));
    }
    for name in ["keeper", "system", "user", "tickle-1"] {
        let refused = rig.tell("felix", &format!(r"\spawn @{name} ---")).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("ERROR: @{name} is a name of Abide itself"));
    }
    for number in 1..SPAWNED_MAX {
        rig.tell("felix", &format!(r"\spawn @kid-{number} ---")).await.unwrap();
    }
    let refused = rig.tell("felix", r"\spawn @late ---").await.unwrap_err();
    assert!(refused.to_string().ends_with("no more"), "{refused}");
}
