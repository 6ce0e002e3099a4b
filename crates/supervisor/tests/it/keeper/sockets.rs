//! Agents that connect by themselves: met with a token, one at a time, and given their state like any other.

use std::{process::Stdio, time::Duration};

use abide_domain::{event::ExitReason, turn::MindError};
use abide_supervisor::{
    AgentSpec, Launch, ProcessLimits, ProcessState, StartMode, SupervisorError, SupervisorSettings,
};
use abide_wire::Secret;
use tokio::process::{Child, Command};

use super::world::{Home, agent, felix, quick, trial_agent};

fn spec() -> AgentSpec {
    AgentSpec {
        id: felix(),
        launch: Launch::Socket { secret: Secret::new("open sesame") },
        start: StartMode::Lazy,
        limits: ProcessLimits::default(),
        sandbox: None,
    }
}

fn settings(home: &Home) -> SupervisorSettings {
    SupervisorSettings { socket_path: Some(home.0.path().join("keeper.sock")), ..quick() }
}

fn connect(home: &Home, words: &[&str]) -> Child {
    Command::new(trial_agent())
        .arg("--connect")
        .arg(home.0.path().join("keeper.sock"))
        .args(words)
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

const FELIX: [&str; 4] = ["--agent", "felix", "--token", "open sesame"];

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_connects_is_asked_and_keeps_its_state_over_its_death() {
    let home = Home::new();
    let keeper = home.keeper(spec(), settings(&home));
    let mut child = connect(&home, &FELIX);
    assert_eq!(keeper.ask("note kept").await, Ok("1 notes".into()));
    child.kill().await.unwrap();
    keeper.until_state(ProcessState::NotStarted).await;
    assert_eq!(keeper.exit().await.reason, ExitReason::Exited);
    let (answer, _child) = tokio::join!(keeper.ask("list"), async { connect(&home, &FELIX) });
    assert_eq!(answer, Ok("[\"kept\"]".into()));
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_older_runs_and_second_processes_are_turned_away() {
    let home = Home::new();
    let keeper = home.keeper(spec(), settings(&home));
    let _child = connect(&home, &FELIX);
    keeper.ask("list").await.unwrap();
    let run = keeper.status().run;
    for words in [
        &["--agent", "felix", "--token", "guess"][..],
        &["--agent", "felix"],
        &["--agent", "nobody", "--token", "open sesame"],
        &FELIX,
        &["--mute"],
    ] {
        let mut refused = connect(&home, words);
        let limit = Duration::from_secs(20);
        let status = tokio::time::timeout(limit, refused.wait()).await.unwrap().unwrap();
        assert!(matches!(status.code(), Some(0 | 4)), "{words:?}: {status:?}");
    }
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    assert_eq!(keeper.status().run, run);
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_over_is_refused_by_its_id() {
    let home = Home::new();
    let keeper = home.keeper(spec(), settings(&home));
    let old = ["--agent", "felix", "--token", "open sesame", "--run", "0193-old"];
    let mut refused = connect(&home, &old);
    assert_eq!(refused.wait().await.unwrap().code(), Some(4));
    let exit = keeper.exit().await;
    assert_eq!(exit.reason, ExitReason::Protocol);
    assert!(exit.message.contains("0193-old"), "{}", exit.message);
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_the_place_of_an_agent_that_the_keeper_starts() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), settings(&home));
    let mut refused = connect(&home, &FELIX);
    assert_eq!(refused.wait().await.unwrap().code(), Some(4));
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_that_does_not_connect_is_waited_for_no_longer_than_the_turn() {
    let home = Home::new();
    let keeper = home.keeper(spec(), settings(&home));
    let error = keeper.ask_within("list", Duration::from_millis(100)).await.unwrap_err();
    assert!(matches!(error, MindError::Unavailable { .. }), "{error:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_connection_closed_for_good_is_waited_for_a_moment_and_not_connected_is_said()
 {
    let home = Home::new();
    let grace = Duration::from_millis(300);
    let settings = SupervisorSettings { reconnect_grace: grace, ..settings(&home) };
    let keeper = home.keeper(spec(), settings);
    let mut child = connect(&home, &FELIX);
    keeper.ask("list").await.unwrap();
    child.kill().await.unwrap();
    keeper.until_state(ProcessState::NotStarted).await;
    // One that waits, and one that comes when it is too late.
    for _ in 0..2 {
        let error = keeper.ask("list").await.unwrap_err();
        let MindError::ProcessFailed { message } = error else { panic!("{error:?}") };
        assert!(message.contains("no process of the agent is connected"), "{message}");
        assert!(message.contains("keeper.sock"), "{message}");
    }
    let shown = keeper.status().message.unwrap();
    assert!(shown.contains("is connected") && shown.contains("the last one: it closed"), "{shown}");
    // It comes back all the same.
    let _child = connect(&home, &FELIX);
    keeper.until_state(ProcessState::Ready).await;
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    keeper.stop().await;
}

#[tokio::test]
async fn only_loopback_addresses_are_listened_on() {
    let home = Home::new();
    let tcp = Some("127.0.0.1:0".parse().unwrap());
    let keeper = home.keeper(spec(), SupervisorSettings { tcp, ..quick() });
    assert!(keeper.supervisor.tcp_address().is_some_and(|address| address.port() != 0));
    keeper.stop().await;
    let refused = SupervisorSettings { tcp: Some("0.0.0.0:0".parse().unwrap()), ..quick() };
    let error = home.try_keeper(spec(), refused).err();
    assert!(matches!(error, Some(SupervisorError::NotLoopback { .. })), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_of_one_agent_opens_the_place_of_no_other() {
    let home = Home::new();
    let ben = AgentSpec {
        id: "ben".parse().unwrap(),
        launch: Launch::Socket { secret: Secret::new("bens own") },
        ..spec()
    };
    let keeper = home.try_keeper_of(vec![spec(), ben], settings(&home)).unwrap();
    for words in [
        ["--agent", "felix", "--token", "bens own"],
        ["--agent", "ben", "--token", "open sesame"],
        ["--agent", "felix", "--token", ""],
    ] {
        let mut refused = connect(&home, &words);
        let limit = Duration::from_secs(20);
        let status = tokio::time::timeout(limit, refused.wait()).await.unwrap().unwrap();
        assert_eq!(status.code(), Some(4), "{words:?}");
    }
    assert_eq!(keeper.status().state, ProcessState::NotStarted);
    let _child = connect(&home, &FELIX);
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    keeper.stop().await;
}

/// Ten times as many as are heard at once, and more than could be waited for in turn.
#[tokio::test(flavor = "multi_thread")]
async fn mute_connections_keep_no_agent_out() {
    let home = Home::new();
    let keeper = home.keeper(spec(), settings(&home));
    let socket = home.0.path().join("keeper.sock");
    let mut mute = Vec::new();
    for _ in 0..640 {
        mute.push(tokio::net::UnixStream::connect(&socket).await.unwrap());
    }
    let _child = connect(&home, &FELIX);
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    drop(mute);
    keeper.stop().await;
}
