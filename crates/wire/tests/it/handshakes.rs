//! How links open, seen from both ends.

use abide_domain::{AgentId, Timestamp};
use abide_wire::{
    AgentHandshake, AgentStep, Checkpoint, ExpectedAgent, Extra, FromAgent, Heartbeat, Hello,
    KeeperHandshake, KeeperStep, LinkLimits, LinkState, Message, MetricsRequest, Payload, Ping,
    ProcessDelta, Raw, Ready, Restore, RestoreAck, ToAgent, Version, WalEntry, Welcome,
};

const NOW: Timestamp = Timestamp::from_micros(1_000_000);

fn felix() -> AgentId {
    "felix".parse().unwrap()
}

fn expected(has_state: bool) -> ExpectedAgent {
    ExpectedAgent { agent: felix(), run: "run-2".into(), accepts_unnamed: false, has_state }
}

fn hello(run: &str) -> Hello {
    Hello { agent: felix(), run: run.into(), capabilities: vec![], sdk: None, token: None }
}

fn v3(body: impl Into<FromAgent>) -> Message<FromAgent> {
    Message::new(Version::V3, NOW, body)
}

fn ack(ok: bool) -> RestoreAck {
    RestoreAck { ok, sequence: 4, error: None }
}

fn refused(link: &mut KeeperHandshake, message: &Message<FromAgent>) -> (&'static str, String) {
    let refusal = link.receive(message).unwrap_err();
    (refusal.code.as_str(), refusal.path().to_owned())
}

#[test]
fn a_link_with_a_state_is_ready_only_after_the_restore() {
    let mut link = KeeperHandshake::new(expected(true));
    let delta = v3(ProcessDelta { request_id: "r".into(), text: "x".into(), thought: None });
    let entry = v3(WalEntry::new(5, "x", Raw::empty_map()));
    let checkpoint = v3(Checkpoint { state: Payload::empty(), wal_sequence: Some(0) });
    let heartbeat = v3(Heartbeat { progress: Some(0) });
    assert_eq!(link.receive(&v3(hello("run-2"))), Ok(KeeperStep::Welcome(hello("run-2"))));
    assert_eq!(link.receive(&heartbeat), Ok(KeeperStep::Pass));
    for early in [&delta, &entry, &checkpoint, &v3(Ready {})] {
        assert_eq!(refused(&mut link, early), ("NOT_READY", "type".into()));
    }
    assert_eq!(link.receive(&v3(ack(true))), Ok(KeeperStep::Restored(ack(true))));
    assert_eq!(link.receive(&entry), Ok(KeeperStep::Pass));
    assert_eq!(refused(&mut link, &delta), ("NOT_READY", "type".into()));
    assert!(!link.is_ready());
    assert_eq!(link.receive(&v3(Ready {})), Ok(KeeperStep::Ready));
    assert!(link.is_ready());
    assert_eq!(link.receive(&delta), Ok(KeeperStep::Pass));
    for again in [v3(hello("run-2")), v3(ack(true)), v3(Ready {})] {
        assert_eq!(refused(&mut link, &again), ("INVALID_MESSAGE", "type".into()));
    }
    assert!(link.is_ready(), "a message out of order is refused, the link goes on");
}

#[test]
fn a_new_agent_is_ready_without_a_restore() {
    let mut link = KeeperHandshake::new(expected(false));
    link.receive(&v3(hello("run-2"))).unwrap();
    assert_eq!(link.receive(&v3(Ready {})), Ok(KeeperStep::Ready));
}

#[test]
fn an_agent_that_cannot_take_its_state_does_not_run_on_without_it() {
    let mut link = KeeperHandshake::new(expected(true));
    link.receive(&v3(hello("run-2"))).unwrap();
    assert_eq!(link.receive(&v3(ack(false))), Ok(KeeperStep::RestoreFailed(ack(false))));
    assert_eq!(link.state(), LinkState::Closed);
    assert!(link.receive(&v3(Ready {})).is_err());
}

#[test]
fn an_older_run_is_fenced() {
    let cases =
        [("run-1", true, false), ("", false, false), ("", true, true), ("run-2", false, true)];
    for (run, accepts_unnamed, is_taken) in cases {
        let mut link = KeeperHandshake::new(ExpectedAgent { accepts_unnamed, ..expected(false) });
        if is_taken {
            assert!(link.receive(&v3(hello(run))).is_ok());
        } else {
            assert_eq!(refused(&mut link, &v3(hello(run))), ("STALE_RUN", "run".into()));
            assert_eq!(link.state(), LinkState::Closed);
        }
    }
}

#[test]
fn a_link_belongs_to_one_agent() {
    let mut link = KeeperHandshake::new(expected(false));
    let other = Hello { agent: "mallory".parse().unwrap(), ..hello("run-2") };
    assert_eq!(refused(&mut link, &v3(other)), ("INVALID_MESSAGE", "agent".into()));
}

#[test]
fn a_peer_that_never_says_hello_is_of_an_older_version_and_never_asked() {
    let mut link = KeeperHandshake::new(expected(true));
    let heartbeat = |version| Message::new(version, NOW, Heartbeat { progress: None });
    assert_eq!(link.receive(&heartbeat(Version::V1)), Ok(KeeperStep::Older(Version::V1)));
    assert_eq!(link.receive(&heartbeat(Version::V2)), Ok(KeeperStep::Pass));
    assert_eq!(link.version(), Version::V2);
    assert_eq!(refused(&mut link, &v3(hello("run-2"))), ("INVALID_MESSAGE", "version".into()));
    assert_eq!(link.state(), LinkState::Older);
    assert!(!link.is_ready());
}

#[test]
fn version_3_begins_with_hello_and_stays() {
    let mut link = KeeperHandshake::new(expected(false));
    let heartbeat = v3(Heartbeat { progress: Some(1) });
    assert_eq!(refused(&mut link, &heartbeat), ("INVALID_MESSAGE", "type".into()));
    let mut link = KeeperHandshake::new(expected(false));
    link.receive(&v3(hello("run-2"))).unwrap();
    let old = Message::new(Version::V1, NOW, Heartbeat { progress: None });
    assert_eq!(refused(&mut link, &old), ("INVALID_MESSAGE", "version".into()));
}

#[test]
fn an_agent_says_ready_after_its_restore_or_at_once() {
    let to = |body: ToAgent| Message::<ToAgent>::new(Version::V3, NOW, body);
    let welcome = |restore| Welcome {
        keeper: "abide/0.1".into(),
        run: "run-2".into(),
        limits: LinkLimits { frame_bytes_max: 1, extra: Extra::default() },
        next_sequence: 1,
        restore: Some(restore),
    };
    let restore = Restore {
        checkpoint_id: String::new(),
        state: Payload::empty(),
        wal_entries: vec![],
        next_sequence: Some(1),
    };
    let mut link = AgentHandshake::new();
    assert!(link.receive(to(restore.clone().into())).is_err());
    assert_eq!(link.receive(to(Ping { nonce: 1 }.into())), Ok(AgentStep::Pass));
    let step = link.receive(to(welcome(true).into()));
    assert_eq!(step, Ok(AgentStep::AwaitRestore(welcome(true))));
    let early = link.receive(to(MetricsRequest {}.into())).unwrap_err();
    assert_eq!(early.code.as_str(), "NOT_READY");
    let step = link.receive(to(restore.clone().into()));
    assert_eq!(step, Ok(AgentStep::Restore(Box::new(restore))));
    assert_eq!(link.receive(to(MetricsRequest {}.into())), Ok(AgentStep::Pass));
    let mut link = AgentHandshake::new();
    let step = link.receive(to(welcome(false).into()));
    assert_eq!(step, Ok(AgentStep::Welcomed(welcome(false))));
}
