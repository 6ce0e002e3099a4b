//! The door: what is refused leaves no trace, and one key is one epoch (decision 13).

use std::time::Duration;

use abide_domain::{
    AgentId,
    envelope::{Channel, StimulusEnvelope},
    event::{ChannelAsked, Idempotency},
};
use abide_engine::keeper::{AcceptError, AcceptOptions, AcceptedState, AcceptedStimulus};
use abide_testkit::rig::{Rig, Setup, say};
use futures_util::future::join_all;

/// An agent that thinks for a while, so that others must wait.
async fn slow(queue: usize) -> Rig {
    let setup = Setup::new(|_, _| say("so").after(Duration::from_secs(30)));
    setup.with(|setup| setup.limits.queue = queue).start().await
}

async fn busy(queue: usize) -> Rig {
    let rig = slow(queue).await;
    let running = rig.begin("first").await;
    rig.until(running, "turn.started").await;
    rig
}

fn keyed(key: &str, body: &str) -> AcceptOptions {
    let idempotency = Some(Idempotency { key: key.into(), body_sha256: body.into() });
    AcceptOptions { idempotency, ..AcceptOptions::default() }
}

fn stimuli(rig: &Rig) -> usize {
    let entries = rig.entries().into_iter();
    entries.filter(|entry| entry.event.kind().name == "stimulus.accepted").count()
}

async fn hand_in(rig: &Rig, how: AcceptOptions) -> Result<AcceptedStimulus, AcceptError> {
    rig.accept(rig.stimulus("hello"), how).await
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_says_how_full_it_is_and_takes_again_when_it_moves() {
    let rig = busy(3).await;
    for _ in 0..3 {
        let accepted = hand_in(&rig, AcceptOptions::default()).await.unwrap();
        assert_eq!(accepted.state, AcceptedState::Queued);
    }
    let refused = hand_in(&rig, AcceptOptions::default()).await.unwrap_err();
    assert!(matches!(refused, AcceptError::QueueFull { queued: 3, max: 3, .. }), "{refused}");
    assert_eq!(stimuli(&rig), 4, "nothing of it is in the ledger");
    rig.pass(Duration::from_secs(31)).await;
    assert!(hand_in(&rig, AcceptOptions::default()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn those_who_come_at_the_same_moment_do_not_pass_the_limit_together() {
    let rig = busy(3).await;
    let all = join_all((0..20).map(|_| hand_in(&rig, AcceptOptions::default()))).await;
    let accepted = all.iter().filter(|result| result.is_ok()).count();
    assert_eq!((accepted, stimuli(&rig)), (3, 4));
}

#[tokio::test(start_paused = true)]
async fn what_is_written_beside_a_stimulus_is_there_with_it_or_not_at_all() {
    let rig = busy(1).await;
    let beside = || {
        let (room, nick) = (Some("#abide".to_owned()), "Ann".to_owned());
        let (account, msgid) = ("ann".to_owned(), "m1".to_owned());
        let asked = ChannelAsked {
            channel: Channel::Irc,
            network: None,
            room,
            account,
            nick,
            msgid,
            refused_lines: None,
        };
        AcceptOptions { beside: Some(asked.into()), ..AcceptOptions::default() }
    };
    let accepted = hand_in(&rig, beside()).await.unwrap();
    hand_in(&rig, beside()).await.unwrap_err();
    let entries = rig.entries();
    let asked: Vec<_> =
        entries.iter().filter(|entry| entry.event.kind().name == "channel.asked").collect();
    let [asked] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((asked.epoch, asked.seq), (Some(accepted.epoch), accepted.seq + 1));
    rig.pass(Duration::from_secs(61)).await;
    assert_eq!(rig.ended(accepted.epoch).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn one_agents_queue_is_not_another_ones() {
    let setup = Setup::new(|_, _| say("so").after(Duration::from_secs(30)));
    let setup = setup.with(|setup| setup.limits.queue = 1);
    let rig = setup.with(|setup| setup.agents = vec!["felix", "ada"]).start().await;
    let first = rig.begin("first").await;
    rig.until(first, "turn.started").await;
    hand_in(&rig, AcceptOptions::default()).await.unwrap();
    assert!(hand_in(&rig, AcceptOptions::default()).await.is_err());
    let citizen: AgentId = "ada".parse().unwrap();
    let stimulus = StimulusEnvelope { citizen, ..rig.stimulus("hello") };
    let accepted = rig.accept(stimulus, AcceptOptions::default()).await.unwrap();
    assert_eq!(accepted.state, AcceptedState::Open);
    assert_eq!(rig.ended(accepted.epoch).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn who_wants_no_queueing_is_refused_while_the_agent_is_busy() {
    let if_idle = || AcceptOptions { if_idle: true, ..AcceptOptions::default() };
    let rig = slow(10).await;
    let first = hand_in(&rig, if_idle()).await.unwrap();
    assert_eq!(first.state, AcceptedState::Open);
    let refused = hand_in(&rig, if_idle()).await.unwrap_err();
    assert!(matches!(refused, AcceptError::Busy(_)), "{refused}");
    assert_eq!(stimuli(&rig), 1, "nothing of it is in the ledger");
    rig.ended(first.epoch).await;
    assert!(hand_in(&rig, if_idle()).await.is_ok());
    rig.pass(Duration::from_secs(31)).await;
    let all = join_all((0..5).map(|_| hand_in(&rig, if_idle()))).await;
    assert_eq!(all.iter().filter(|result| result.is_ok()).count(), 1, "one of many at once");
}

#[tokio::test(start_paused = true)]
async fn a_key_of_an_older_ledger_still_stands_for_its_request() {
    let rig = slow(10).await;
    let old = hand_in(&rig, keyed("k", "a")).await.unwrap();
    let now = |older: &str| AcceptOptions {
        older_key: Some(older.to_owned()),
        ..keyed(&format!("http/user/{older}"), "a")
    };
    let again = hand_in(&rig, now("k")).await.unwrap();
    assert_eq!((again.epoch, again.is_repeated), (old.epoch, true));
    let other = hand_in(&rig, now("other")).await.unwrap();
    assert!(!other.is_repeated);
    assert!(hand_in(&rig, now("other")).await.unwrap().is_repeated);
    let foreign = hand_in(&rig, keyed("http/ann/other", "a")).await.unwrap();
    assert!(!foreign.is_repeated, "another caller's key");
}

#[tokio::test(start_paused = true)]
async fn one_key_is_one_epoch_however_often_and_whenever_it_comes() {
    let mut rig = slow(10).await;
    let first = hand_in(&rig, keyed("k", "a")).await.unwrap();
    assert!(!first.is_repeated);
    let assert_same = |again: AcceptedStimulus, case: &str| {
        assert_eq!((again.epoch, again.seq), (first.epoch, first.seq), "{case}");
        assert!(again.is_repeated, "{case}");
    };
    assert_same(hand_in(&rig, keyed("k", "a")).await.unwrap(), "while it runs");
    rig.ended(first.epoch).await;
    assert_same(hand_in(&rig, keyed("k", "a")).await.unwrap(), "after its end");
    rig.restart().await;
    assert_same(hand_in(&rig, keyed("k", "a")).await.unwrap(), "after a restart");
    assert_eq!(stimuli(&rig), 1);
}

#[tokio::test(start_paused = true)]
async fn one_key_many_times_at_once_is_one_epoch() {
    let rig = slow(10).await;
    let all = join_all((0..20).map(|_| hand_in(&rig, keyed("k", "a")))).await;
    let all: Vec<_> = all.into_iter().map(Result::unwrap).collect();
    assert!(all.iter().all(|accepted| accepted.epoch == all[0].epoch));
    assert_eq!(all.iter().filter(|accepted| !accepted.is_repeated).count(), 1);
    assert_eq!(stimuli(&rig), 1);
}

#[tokio::test(start_paused = true)]
async fn a_key_with_another_body_is_refused_and_names_its_epoch() {
    let mut rig = slow(10).await;
    let first = hand_in(&rig, keyed("k", "a")).await.unwrap();
    for case in ["at once", "after a restart"] {
        let refused = hand_in(&rig, keyed("k", "b")).await.unwrap_err();
        let is_named = matches!(refused, AcceptError::KeyReused { epoch } if epoch == first.epoch);
        assert!(is_named, "{case}: {refused}");
        rig.restart().await;
    }
    assert_eq!(stimuli(&rig), 1);
    let other = hand_in(&rig, keyed("l", "b")).await.unwrap();
    assert_ne!(other.epoch, first.epoch, "another key is another epoch");
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_first_use_was_refused_is_free() {
    let rig = busy(1).await;
    hand_in(&rig, AcceptOptions::default()).await.unwrap();
    assert!(hand_in(&rig, keyed("k", "a")).await.is_err());
    rig.pass(Duration::from_secs(31)).await;
    assert!(!hand_in(&rig, keyed("k", "b")).await.unwrap().is_repeated);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_leaves_neither_key_nor_place_taken() {
    let mut rig = slow(1).await;
    rig.setup.failpoints = "accept.before_durable=delay(20000)".into();
    rig.restart().await;
    let gone = hand_in(&rig, keyed("k", "a"));
    assert!(tokio::time::timeout(Duration::from_secs(1), gone).await.is_err());
    assert!(!hand_in(&rig, keyed("k", "b")).await.unwrap().is_repeated);
}

#[tokio::test(start_paused = true)]
async fn a_keeper_that_stops_takes_nothing_in() {
    let rig = slow(1).await;
    rig.keeper().stop_accepting();
    let refused = hand_in(&rig, AcceptOptions::default()).await.unwrap_err();
    assert!(matches!(refused, AcceptError::Stopping), "{refused}");
    assert_eq!(stimuli(&rig), 0);
}
