//! Agents that misbehave: each gives one clear event and the right state, and the next run is another chance.

use std::time::Duration;

use abide_domain::{
    event::{AgentEvent, Event, ExitReason},
    turn::MindError,
};
use abide_supervisor::{ProcessCommandError, ProcessState, StateProblemKind, SupervisorSettings};

use super::world::{Home, agent, exited, felix, quick, ready};

#[tokio::test]
async fn an_agent_answers_turns_and_shows_its_deltas() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    assert_eq!(keeper.status().state, ProcessState::NotStarted);
    assert_eq!(keeper.ask("note first").await, Ok("1 notes".into()));
    assert_eq!(keeper.ask("note second").await, Ok("2 notes".into()));
    let status = keeper.until_state(ProcessState::Ready).await;
    assert_eq!((status.protocol, status.sdk.as_deref()), (Some(3), Some("trial/1")));
    assert_eq!((status.wal_sequence, status.wal_entries, status.restarts), (2, 2, 0));
    let host = super::world::RecordingHost::default();
    let request = super::world::request("deltas 5", Duration::from_secs(20));
    keeper.mind().think(&request, &host).await.unwrap();
    let text: String = host.0.lock().unwrap().iter().map(|d| d.text.as_str()).collect();
    assert_eq!(text, "0 1 2 3 4 ");
    let events = keeper.stop().await;
    let kinds: Vec<_> = events.iter().map(|event| event.kind().name).collect();
    let expected =
        ["agent.started", "agent.ready", "agent.state_begun", "agent.checkpointed", "agent.exited"];
    assert!(kinds.ends_with(&expected), "{kinds:?}");
    let last = events.last().and_then(exited).unwrap();
    assert_eq!(last.reason, ExitReason::Shutdown);
}

#[tokio::test]
async fn answers_to_an_older_attempt_and_bad_voices_do_not_pass_for_answers() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    assert_eq!(keeper.ask("old-answer").await, Ok("fresh".into()));
    let bad = keeper.ask("bad-voice").await.unwrap_err();
    assert!(matches!(bad, MindError::BadVoice { .. }), "{bad:?}");
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_that_prints_to_stdout_is_told_where_logs_belong() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--print"]), quick());
    let error = keeper.ask("list");
    let exit = keeper.exit();
    let (error, exit) = tokio::join!(error, exit);
    assert!(matches!(error, Err(MindError::ProcessFailed { .. })), "{error:?}");
    assert_eq!(exit.reason, ExitReason::Protocol);
    assert!(exit.message.contains("hello, world"), "{}", exit.message);
    assert!(exit.message.contains("logs belong on stderr"), "{}", exit.message);
    let kinds = keeper.kinds();
    assert_eq!(kinds.get("agent.faulted"), None, "{kinds:?}");
    keeper.stop().await;
}

#[tokio::test]
async fn a_print_in_the_middle_of_a_turn_ends_the_run_and_the_turn() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let error = keeper.ask("print").await.unwrap_err();
    let MindError::Crashed { message } = error else { panic!("{error:?}") };
    assert!(message.contains("debugging: x = 1"), "{message}");
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    assert_eq!(keeper.exit().await.reason, ExitReason::Protocol);
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_that_exits_at_once_is_started_again_with_longer_and_longer_pauses() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--exit-at-once", "0"]), quick());
    let error = keeper.ask("list").await.unwrap_err();
    let MindError::ProcessFailed { message } = error else { panic!("{error:?}") };
    assert!(message.contains("does not come up") && message.contains("exit code 0"), "{message}");
    let frequent = keeper
        .until("a page", |event| match event {
            Event::Agent(AgentEvent::RestartsFrequent(frequent)) => Some(frequent.clone()),
            _ => None,
        })
        .await;
    assert_eq!(frequent.restarts, 5);
    // It goes on behind the page.
    let sixth = keeper.until_nth("the 6th exit", 6, exited).await;
    assert_eq!(sixth.reason, ExitReason::Exited);
    let status =
        keeper.until_status("waiting", |s| matches!(s.state, ProcessState::Waiting { .. })).await;
    assert!(status.restarts >= 5, "{status:?}");
    assert!(status.message.is_some_and(|message| message.contains("exit code 0")));
    keeper.stop().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_says_so() {
    let home = Home::new();
    let mut spec = agent(&[]);
    let abide_supervisor::Launch::Stdio { program, .. } = &mut spec.launch else { panic!() };
    *program = "/nowhere/agent".into();
    let keeper = home.keeper(spec, quick());
    let error = keeper.ask("list").await.unwrap_err();
    let MindError::ProcessFailed { message } = error else { panic!("{error:?}") };
    assert!(message.contains("could not be started"), "{message}");
    assert_eq!(keeper.exit().await.reason, ExitReason::NotStarted);
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_that_never_says_ready_is_killed_when_its_time_is_over() {
    for manner in ["--never-ready", "--mute"] {
        let home = Home::new();
        let settings = SupervisorSettings { ready_timeout: Duration::from_millis(500), ..quick() };
        let keeper = home.keeper(agent(&[manner]), settings);
        let (error, exit) = tokio::join!(keeper.ask("list"), keeper.exit());
        assert!(matches!(error, Err(MindError::ProcessFailed { .. })), "{error:?}");
        assert_eq!(exit.reason, ExitReason::NotReady, "{manner}");
        assert!(exit.message.contains("500ms"), "{}", exit.message);
        keeper.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_ignores_shutdown_is_ended_all_the_same() {
    let home = Home::new();
    let settings = SupervisorSettings { shutdown_grace: Duration::from_millis(200), ..quick() };
    let keeper = home.keeper(agent(&["--ignore-shutdown"]), settings);
    keeper.ask("list").await.unwrap();
    let events = keeper.stop().await;
    let exit = events.last().and_then(exited).unwrap();
    assert_eq!(exit.reason, ExitReason::Shutdown);
}

#[tokio::test]
async fn bc_17_an_input_that_kills_its_agent_is_a_crash_each_time_and_the_next_is_answered() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    for _ in 0..3 {
        let error = keeper.ask("crash").await.unwrap_err();
        let MindError::Crashed { message } = error else { panic!("{error:?}") };
        assert!(message.contains("signal 6"), "{message}");
    }
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    keeper.until_nth("the 4th start", 4, ready).await;
    let exits: Vec<_> = keeper.events().iter().filter_map(exited).map(|e| e.reason).collect();
    assert_eq!(exits, [ExitReason::Signalled; 3]);
    keeper.stop().await;
}

#[tokio::test]
async fn an_end_inside_a_frame_is_a_broken_protocol_and_an_end_outside_is_not() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    for (message, reason) in [("cut-off", ExitReason::Protocol), ("exit 0", ExitReason::Exited)] {
        let error = keeper.ask(message).await.unwrap_err();
        assert!(matches!(error, MindError::Crashed { .. }), "{error:?}");
        let exits: Vec<_> = keeper.events().iter().filter_map(exited).collect();
        if let Some(exit) = exits.last().filter(|exit| exit.reason == ExitReason::Protocol) {
            assert!(exit.message.contains("inside a frame"), "{}", exit.message);
        }
        keeper.until(&format!("{reason:?}"), |e| exited(e).filter(|e| e.reason == reason)).await;
    }
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_of_version_1_is_kept_but_cannot_be_asked() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--version", "1"]), quick());
    let error = keeper.ask("list").await.unwrap_err();
    let MindError::Rejected { message } = error else { panic!("{error:?}") };
    assert!(message.contains("version 1") && message.contains("hello"), "{message}");
    let status = keeper.until_state(ProcessState::Ready).await;
    assert_eq!(status.protocol, Some(1));
    keeper.stop().await;
}

#[tokio::test]
async fn what_an_agent_of_version_1_logs_is_kept_and_given_back() {
    let home = Home::new();
    let words = ["--version", "1", "--log", "3"];
    let keeper = home.keeper(agent(&words), quick());
    keeper.ask("list").await.unwrap_err();
    keeper.until_status("three entries", |status| status.wal_sequence == 3).await;
    // Its next run counts from 1 again, and is not mistaken for one that repeats itself.
    keeper.supervisor.restart(&felix()).await.unwrap();
    let status = keeper.until_status("a checkpoint", |s| s.checkpoint.is_some()).await;
    assert_eq!(status.checkpoint.unwrap().wal_sequence, 3);
    keeper.until_status("three more", |s| s.wal_entries == 3 && s.restarts == 1).await;
    keeper.supervisor.restart(&felix()).await.unwrap();
    let words = keeper.until_nth("the 2nd exit", 2, exited).await.last_words;
    assert!(words.iter().any(|line| line.contains("notes over")), "{words:?}");
    keeper.stop().await;
}

#[tokio::test]
async fn a_log_without_room_is_said_and_nothing_acknowledged_is_lost() {
    let home = Home::new();
    let mut settings = quick();
    settings.private.wal_entries_max = 10;
    let keeper = home.keeper(agent(&["--no-checkpoints"]), settings);
    keeper.ask_within("log 20", Duration::from_millis(800)).await.unwrap_err();
    let code = |event: &Event| match event {
        Event::Agent(AgentEvent::Faulted(fault)) => Some(fault.code.clone()),
        _ => None,
    };
    assert_eq!(keeper.until("a fault", code).await, "WAL_FULL");
    let shown = keeper.status().state_problem.unwrap();
    assert_eq!(shown.kind, StateProblemKind::Log, "{shown:?}");
    // It hangs at its eleventh entry, and is replaced.
    assert_eq!(keeper.notes().await.len(), 10);
    assert_eq!(keeper.exit().await.reason, ExitReason::Deadline);
    keeper.stop().await;
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_kept_is_said_to_all_and_the_old_one_stays() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note one").await.unwrap();
    let first = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    let (there, away) = (home.folder("checkpoints"), home.folder("elsewhere"));
    std::fs::rename(&there, &away).unwrap();
    let failed = keeper.supervisor.checkpoint(&felix()).await;
    assert!(matches!(failed, Err(ProcessCommandError::Failed { .. })), "{failed:?}");
    let shown = keeper.status().state_problem.unwrap();
    assert_eq!(shown.kind, StateProblemKind::Checkpoint, "{shown:?}");
    std::fs::rename(&away, &there).unwrap();
    let code = |event: &Event| match event {
        Event::Agent(AgentEvent::Faulted(fault)) => Some(fault.code.clone()),
        _ => None,
    };
    assert_eq!(keeper.until("a fault", code).await, "CHECKPOINT_FAILED");
    assert_eq!(keeper.status().checkpoint.map(|c| c.id.uuid()), Some(first.id));
    keeper.ask("note two").await.unwrap();
    let second = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    assert_eq!(second.wal_sequence, 2);
    assert_eq!(keeper.status().state_problem, None, "it is over");
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_that_says_it_restored_less_than_it_was_sent_does_not_run_on() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note kept").await.unwrap();
    keeper.stop().await;
    let keeper = home.keeper(agent(&["--restore-nothing"]), quick());
    let (error, exit) = tokio::join!(keeper.ask("list"), keeper.exit());
    assert!(matches!(error, Err(MindError::ProcessFailed { .. })), "{error:?}");
    assert_eq!(exit.reason, ExitReason::RestoreFailed);
    assert!(exit.message.contains("says sequence 0, and 1 is right"), "{}", exit.message);
    let shown = keeper.status().state_problem.unwrap();
    assert_eq!(shown.kind, StateProblemKind::Restore, "{shown:?}");
    keeper.stop().await;
    let keeper = home.keeper(agent(&[]), quick());
    assert_eq!(keeper.notes().await, ["kept"]);
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_that_cannot_take_its_state_back_does_not_run_on_without_it() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note kept").await.unwrap();
    keeper.stop().await;
    let keeper = home.keeper(agent(&["--refuse-restore"]), quick());
    let (error, exit) = tokio::join!(keeper.ask("list"), keeper.exit());
    assert!(matches!(error, Err(MindError::ProcessFailed { .. })), "{error:?}");
    assert_eq!(exit.reason, ExitReason::RestoreFailed);
    let shown = keeper.status().state_problem.unwrap();
    assert_eq!(shown.kind, StateProblemKind::Restore, "{shown:?}");
    keeper.stop().await;
    let keeper = home.keeper(agent(&[]), quick());
    assert_eq!(keeper.notes().await, ["kept"]);
    keeper.stop().await;
}
