//! Agents that live and do not move, or are stopped: found at their deadline, and never killed for silence too early.

use std::time::Duration;

use abide_domain::{
    event::{AgentEvent, Event, ExitReason},
    turn::MindError,
};
use abide_supervisor::{ProcessCommandError, ProcessState, SupervisorSettings};
use rustix::process::Signal;

use super::world::{Home, agent, exited, felix, is_there, quick, signal};

#[tokio::test(flavor = "multi_thread")]
async fn a_hung_agent_that_keeps_its_heartbeats_is_replaced_at_its_deadline() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--children", "1"]), quick());
    keeper.ask("note kept").await.unwrap();
    let pid = keeper.status().pid.unwrap();
    let error = keeper.ask_within("hang", Duration::from_millis(700)).await.unwrap_err();
    assert!(matches!(error, MindError::Unavailable { .. }), "{error:?}");
    // The next asking waits for the replacement.
    assert_eq!(keeper.notes().await, ["kept"]);
    let exit = keeper.exit().await;
    assert_eq!(exit.reason, ExitReason::Deadline);
    assert!(exit.message.contains("500ms"), "{}", exit.message);
    assert!(!is_there(pid));
    let kinds = keeper.kinds();
    assert_eq!(kinds.get("agent.unresponsive"), None, "{kinds:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_turn_behind_a_hung_one_has_most_of_its_time_left_for_a_fresh_process() {
    let home = Home::new();
    // By its own grace the hung process would take all of the next turn's time.
    let settings = SupervisorSettings { yield_grace: Duration::from_mins(1), ..quick() };
    let keeper = home.keeper(agent(&[]), settings);
    keeper.ask("note kept").await.unwrap();
    let pid = keeper.status().pid;
    keeper.ask_within("hang", Duration::from_millis(700)).await.unwrap_err();
    let answer = keeper.ask_within("list", Duration::from_secs(8)).await;
    assert_eq!(answer, Ok("[\"kept\"]".into()));
    assert_ne!(keeper.status().pid, pid);
    assert_eq!(keeper.exit().await.reason, ExitReason::Deadline);
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_does_not_respond_gets_no_turn_and_the_next_one_answers_it() {
    let home = Home::new();
    let settings = SupervisorSettings {
        heartbeat_timeout: Duration::from_millis(300),
        kill_after: Duration::from_secs(1),
        ..quick()
    };
    let keeper = home.keeper(agent(&[]), settings);
    keeper.ask("note kept").await.unwrap();
    signal(keeper.status().pid.unwrap(), Signal::STOP);
    keeper.until_state(ProcessState::Unresponsive).await;
    // It was not asked, so that its end is no crash of this turn.
    assert_eq!(keeper.ask("list").await, Ok("[\"kept\"]".into()));
    assert_eq!(keeper.exit().await.reason, ExitReason::Silent);
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_yields_its_turn_keeps_its_process() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("list").await.unwrap();
    let pid = keeper.status().pid;
    keeper.ask_within("wait", Duration::from_millis(300)).await.unwrap_err();
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    assert_eq!(keeper.status().pid, pid);
    let kinds = keeper.kinds();
    assert_eq!((kinds.get("agent.exited"), kinds.get("agent.faulted")), (None, None));
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bc_20_a_stopped_agent_is_pinged_and_goes_on_when_it_is_continued() {
    let home = Home::new();
    // A third of a second of silence is noted; the limit is far.
    let settings = SupervisorSettings {
        heartbeat_timeout: Duration::from_millis(300),
        kill_after: Duration::from_mins(1),
        ..quick()
    };
    let keeper = home.keeper(agent(&[]), settings);
    keeper.ask("list").await.unwrap();
    let pid = keeper.status().pid.unwrap();
    signal(pid, Signal::STOP);
    keeper.until_state(ProcessState::Unresponsive).await;
    // A turn that is asked meanwhile waits in the pipe.
    let (answer, ()) = tokio::join!(keeper.ask("note late"), async {
        keeper
            .until("silence", |event| {
                matches!(event, Event::Agent(AgentEvent::Unresponsive(_))).then_some(())
            })
            .await;
        signal(pid, Signal::CONT);
    });
    assert_eq!(answer, Ok("1 notes".into()));
    let heard = |event: &Event| match event {
        Event::Agent(AgentEvent::Responsive(heard)) => Some(heard.silent_ms),
        _ => None,
    };
    assert!(keeper.until("a sign", heard).await >= 300);
    assert_eq!(keeper.status().pid, Some(pid));
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ping_is_answered_by_a_process_that_reads_and_by_no_other() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let felix = felix();
    let nobody = keeper.supervisor.ping(&felix).await;
    assert!(matches!(nobody, Err(ProcessCommandError::Conflict { .. })), "none runs: {nobody:?}");
    keeper.ask("list").await.unwrap();
    keeper.supervisor.ping(&felix).await.unwrap();
    let pid = keeper.status().pid.unwrap();
    signal(pid, Signal::STOP);
    {
        let ping = keeper.supervisor.ping(&felix);
        tokio::pin!(ping);
        let stopped = tokio::time::timeout(Duration::from_millis(200), &mut ping).await;
        assert!(stopped.is_err(), "{stopped:?}");
        signal(pid, Signal::CONT);
        let took = ping.await.unwrap();
        assert!(took >= Duration::from_millis(200), "{took:?}");
    }
    // A process that ends answers nobody: its end is known either before the ping is sent or while its pong is waited for.
    signal(pid, Signal::STOP);
    let (gone, ()) = tokio::join!(keeper.supervisor.ping(&felix), async {
        signal(pid, Signal::KILL);
    });
    let is_refused = matches!(
        gone,
        Err(ProcessCommandError::Failed { .. } | ProcessCommandError::Conflict { .. })
    );
    assert!(is_refused, "{gone:?}");
    keeper.stop().await;
}

#[tokio::test]
async fn bc_20_a_keeper_that_stands_still_restarts_nobody() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("list").await.unwrap();
    let pid = keeper.status().pid.unwrap();
    // Both stand still for longer than silence may last: what the keeper finds afterwards is an empty pipe.
    signal(pid, Signal::STOP);
    #[expect(
        clippy::disallowed_methods,
        reason = "the only thread of this keeper is to stand still"
    )]
    std::thread::sleep(quick().kill_after + Duration::from_secs(1));
    tokio::task::yield_now().await;
    keeper.until_status("looked at", |status| status.state == ProcessState::Unresponsive).await;
    signal(pid, Signal::CONT);
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    assert_eq!(keeper.status().pid, Some(pid));
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_stays_silent_is_killed_with_its_tree_and_replaced() {
    let home = Home::new();
    let settings = SupervisorSettings { kill_after: Duration::from_secs(1), ..quick() };
    let keeper = home.keeper(agent(&["--children", "1"]), settings);
    keeper.ask("note kept").await.unwrap();
    let pid = keeper.status().pid.unwrap();
    signal(pid, Signal::STOP);
    let exit = keeper.until("an exit", exited).await;
    assert_eq!(exit.reason, ExitReason::Silent);
    assert_eq!(keeper.notes().await, ["kept"]);
    assert!(!is_there(pid));
    let kinds = keeper.kinds();
    assert_eq!(kinds.get("agent.unresponsive"), Some(&1), "{kinds:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_heartbeats_stop_in_a_turn_crashes_that_turn() {
    let home = Home::new();
    let settings = SupervisorSettings { kill_after: Duration::from_secs(1), ..quick() };
    let keeper = home.keeper(agent(&[]), settings);
    let error = keeper.ask("stop-heartbeats").await.unwrap_err();
    let MindError::Crashed { message } = error else { panic!("{error:?}") };
    assert!(message.contains("nothing was heard"), "{message}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bc_20_heartbeats_behind_a_large_checkpoint_are_no_silence() {
    let home = Home::new();
    let settings = SupervisorSettings {
        heartbeat_timeout: Duration::from_millis(500),
        kill_after: Duration::from_secs(2),
        ready_timeout: Duration::from_mins(1),
        ..quick()
    };
    let keeper = home.keeper(agent(&["--state-bytes", "30000000"]), settings);
    keeper.ask("note kept").await.unwrap();
    let checkpoint = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    assert!(checkpoint.raw_bytes > 30_000_000);
    assert_eq!(keeper.ask("list").await, Ok("[\"kept\"]".into()));
    assert_eq!(keeper.kinds().get("agent.exited"), None);
    keeper.stop().await;
    let settings = SupervisorSettings { ready_timeout: Duration::from_mins(1), ..quick() };
    let keeper = home.keeper(agent(&["--state-bytes", "30000000", "--zstd"]), settings);
    assert_eq!(keeper.notes().await, ["kept"]);
    keeper.stop().await;
}
