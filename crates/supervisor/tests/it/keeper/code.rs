//! Code that a process loads beside its own, and shadows of it.

use std::{sync::Arc, time::Duration};

use abide_domain::Clock;
use abide_supervisor::{
    ProcessCommandError, ProcessState, ProgramCode, ProgramCodes, Shadow, ShadowParts, ShimCommand,
    StartMode, SupervisorSettings, copy_checkpoint,
};
use abide_testkit::{SeededIds, TokioClock};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::world::{Home, Keeper, RecordingHost, agent, felix, quick, request, trial_agent};

const MOMENT: Duration = Duration::from_millis(200);

fn code(module: &str, code: &str) -> ProgramCode {
    ProgramCode { module: module.into(), code: code.into(), backup: Uuid::from_u128(7) }
}

fn codes(modules: &[(&str, &str)]) -> ProgramCodes {
    let modules = modules.iter().map(|(module, text)| code(module, text)).collect();
    ProgramCodes { modules, kept: Vec::new() }
}

async fn loads(keeper: &Keeper, module: &str, text: &str) {
    let loaded = keeper.supervisor.reload(&felix(), code(module, text)).await.unwrap();
    loaded.confirm();
}

#[tokio::test]
async fn code_is_loaded_between_turns_and_again_by_every_later_run() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--loads"]), quick());
    assert_eq!(keeper.ask("code").await.unwrap(), "{}");
    assert!(keeper.status().takes_code);
    loads(&keeper, "memory", "one").await;
    assert_eq!(keeper.ask("code").await.unwrap(), r#"{"memory":"one"}"#);
    loads(&keeper, "tools", "two").await;
    loads(&keeper, "memory", "three").await;
    keeper.ask("crash").await.unwrap_err();
    assert_eq!(keeper.ask("code").await.unwrap(), r#"{"memory":"three","tools":"two"}"#);
    keeper.supervisor.restart(&felix()).await.unwrap();
    assert_eq!(keeper.ask("code").await.unwrap(), r#"{"memory":"three","tools":"two"}"#);
    keeper.stop().await;
}

#[tokio::test]
async fn a_candidate_that_nobody_confirms_answers_nothing() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--loads"]), quick());
    keeper.ask("note kept").await.unwrap();
    let loaded = keeper.supervisor.reload(&felix(), code("memory", "one")).await.unwrap();
    let asked = tokio::time::timeout(MOMENT, keeper.ask("code")).await;
    assert!(asked.is_err(), "{asked:?}");
    drop(loaded);
    assert_eq!(keeper.ask("code").await.unwrap(), "{}");
    assert_eq!(keeper.notes().await, ["kept"]);
    keeper.stop().await;
}

#[tokio::test]
async fn what_cannot_be_loaded_answers_nothing_and_turns_go_on_once_it_is_said_what_is_in_force() {
    for (text, said) in [("refuse", "as told"), ("die", "ended"), ("silent", "did not acknowledge")]
    {
        let home = Home::new();
        let settings = SupervisorSettings { reload_limit: MOMENT, ..quick() };
        let keeper = home.keeper(agent(&["--loads"]), settings);
        keeper.ask("note kept").await.unwrap();
        let error = keeper.supervisor.reload(&felix(), code("memory", text)).await.unwrap_err();
        assert!(error.to_string().contains(said), "{text}: {error}");
        let asked = tokio::time::timeout(MOMENT, keeper.ask("code")).await;
        assert!(asked.is_err(), "{text}: {asked:?}");
        keeper.supervisor.run_code(&felix(), codes(&[("memory", "old")])).await.unwrap();
        assert_eq!(keeper.ask("code").await.unwrap(), r#"{"memory":"old"}"#, "{text}");
        keeper.stop().await;
    }
}

#[tokio::test]
async fn a_process_that_loads_no_code_is_not_sent_any() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note kept").await.unwrap();
    assert!(!keeper.status().takes_code);
    let error = keeper.supervisor.reload(&felix(), code("memory", "one")).await.unwrap_err();
    assert!(error.to_string().contains("hot_reload"), "{error}");
    keeper.stop().await;
}

#[tokio::test]
async fn other_code_and_the_state_of_a_checkpoint_come_back_together() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--loads"]), quick());
    keeper.ask("note before").await.unwrap();
    let backup = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    loads(&keeper, "memory", "one").await;
    keeper.ask("note after").await.unwrap();
    let restored = keeper.supervisor.run_code_from(&felix(), codes(&[]), backup.id).await.unwrap();
    assert_eq!(restored.checkpoint.id, backup.id);
    assert_eq!(keeper.ask("code").await.unwrap(), "{}");
    assert_eq!(keeper.notes().await, ["before"]);
    // Other code alone leaves the state; the same code leaves the run.
    keeper.ask("note later").await.unwrap();
    keeper.supervisor.run_code(&felix(), codes(&[("dsl", "d")])).await.unwrap();
    assert_eq!(keeper.ask("code").await.unwrap(), r#"{"dsl":"d"}"#);
    let run = keeper.status().run;
    keeper.supervisor.run_code(&felix(), codes(&[("dsl", "d")])).await.unwrap();
    assert_eq!(keeper.notes().await, ["before", "later"]);
    assert_eq!(keeper.status().run, run);
    keeper.stop().await;
}

#[tokio::test]
async fn turns_wait_until_it_is_known_what_is_in_force() {
    let home = Home::new();
    let settings = SupervisorSettings { awaits_code: true, ..quick() };
    let keeper = home.keeper(agent(&["--loads"]), settings);
    let (answer, ()) = tokio::join!(keeper.ask("code"), async {
        keeper.until_state(ProcessState::Ready).await;
        keeper.supervisor.run_code(&felix(), codes(&[("memory", "m")])).await.unwrap();
    });
    assert_eq!(answer.unwrap(), r#"{"memory":"m"}"#);
    keeper.stop().await;
}

#[tokio::test]
async fn code_in_force_that_cannot_be_loaded_is_seen_and_gives_way_to_other_code() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--loads"]), quick());
    keeper.supervisor.run_code(&felix(), codes(&[("memory", "refuse")])).await.unwrap();
    let (answer, ()) = tokio::join!(keeper.ask("code"), async {
        let failing = keeper.until_status("failing", |status| {
            status.code_problem.as_ref().is_some_and(|problem| problem.times >= 2)
        });
        let problem = failing.await.code_problem.unwrap();
        assert!(problem.message.contains("as told"), "{problem:?}");
        keeper.supervisor.run_code(&felix(), codes(&[])).await.unwrap();
    });
    assert_eq!(answer.unwrap(), "{}");
    assert_eq!(keeper.status().code_problem, None);
    keeper.stop().await;
}

#[tokio::test]
async fn a_shadow_has_the_state_of_a_checkpoint_and_nothing_of_it_reaches_its_agent() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--loads"]), quick());
    keeper.ask("note kept").await.unwrap();
    let checkpoint = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    let own = Home::new();
    let folders = (&*home.folder(""), &*own.folder(""));
    std::fs::create_dir_all(folders.1).unwrap();
    copy_checkpoint(folders, &felix(), checkpoint.id).unwrap();
    let mut spec = agent(&["--loads"]);
    spec.start = StartMode::WithKeeper;
    let clock: Arc<dyn Clock> = Arc::new(TokioClock::default());
    let (shadow, task) = Shadow::new(ShadowParts {
        home: own.0.path().into(),
        clock,
        ids: Arc::new(SeededIds::new(99)),
        shim: ShimCommand { program: trial_agent(), args: vec!["shim".into()] },
        settings: quick(),
        spec,
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(task.future);
    let before = keeper.ledger.head().seq;
    shadow.run_code(codes(&[("tools", "t")])).await.unwrap();
    shadow.reload(code("memory", "candidate")).await.unwrap().confirm();
    let mind = shadow.mind("shadow");
    let ask = async |message: &str| {
        let asked = request(message, Duration::from_secs(20));
        let thought = mind.think(&asked, &RecordingHost::default()).await;
        thought.map(|thought| thought.voice.final_response.unwrap_or_default())
    };
    assert_eq!(ask("code").await.unwrap(), r#"{"memory":"candidate","tools":"t"}"#);
    assert_eq!(ask("note of a shadow").await.unwrap(), "2 notes");
    for word in ["evidence 3", "evolve (x)", "checkpoint 1", "metrics 1", "errors 2"] {
        ask(word).await.unwrap();
    }
    ask("crash").await.unwrap_err();
    assert_eq!(ask("list").await.unwrap(), r#"["kept","of a shadow"]"#);
    assert_eq!(ask("code").await.unwrap(), r#"{"memory":"candidate","tools":"t"}"#);
    shadow.end().await;
    assert_eq!(keeper.ledger.head().seq, before, "it wrote lines");
    assert_eq!(keeper.notes().await, ["kept"]);
    let gone = shadow.reload(code("memory", "x")).await.unwrap_err();
    assert_eq!(gone, ProcessCommandError::Stopping);
    keeper.stop().await;
}
