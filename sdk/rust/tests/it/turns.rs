//! Turns: asked, streamed, withdrawn, failed.

use std::{
    future::pending,
    sync::{Arc, Mutex, mpsc},
};

use abide_domain::turn::{MindError, Thought, Usage};
use abide_domain::voice::{ToolCall, Voice};
use abide_sdk::{Agent, StateError, Stateless, TurnError};
use abide_wire::{Decision, EvolutionResult, FromAgent, HotReload, Hypothesis, MetricsRequest};
use serde_json::json;

use crate::{
    keeper::{Store, name},
    start,
};

#[tokio::test]
async fn an_answer_is_streamed_and_given_with_what_it_cost() {
    let (mut keeper, running) =
        start(Agent::new("felix"), Store::default(), |turn, _keeper| async move {
            turn.think("hm").await?;
            turn.say("You like").await?;
            let voice = Voice {
                thought: "hm".into(),
                emotive_state: "calm".into(),
                tool_calls: vec![ToolCall { name: "clock.now".into(), arguments: json!({}) }],
                final_response: None,
            };
            let usage = Usage { input_tokens: 7, ..Usage::default() };
            Ok::<_, TurnError>(Thought::new(voice, usage))
        });
    let hello = keeper.open().await;
    assert_eq!(hello.capabilities, ["stream", "zstd"]);
    keeper.ask("r1", "What do I like?").await;
    let response = keeper.response("r1").await;
    assert_eq!(keeper.deltas(), ["hm", "You like"]);
    assert_eq!(response.read_voice().unwrap().tool_calls[0].name, "clock.now");
    assert_eq!(response.read_usage().input_tokens, 7);
    keeper.shut_down(true).await;
    assert_eq!(keeper.next_loud().await, None, "it keeps no state");
    running.join().unwrap().unwrap();
}

/// Says when it is dropped.
struct Guard(mpsc::Sender<String>, String);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.send(self.1.clone()).unwrap();
    }
}

#[tokio::test]
async fn a_withdrawn_turn_is_dropped_where_it_waits_and_answered() {
    let (dropped, drops) = mpsc::channel();
    let (mut keeper, running) =
        start(Agent::new("felix"), Store::default(), move |turn, _keeper| {
            let dropped = dropped.clone();
            async move {
                let guard = Guard(dropped, turn.message().to_owned());
                turn.say("thinking").await?;
                if turn.message() != "easy" {
                    pending::<()>().await;
                }
                drop(guard);
                Ok("done")
            }
        });
    keeper.open().await;
    keeper.ask("r1", "hard").await;
    keeper.wait_for_delta().await;
    keeper.cancel("r0").await;
    keeper.cancel("r1").await;
    assert_eq!(keeper.failure("r1").await.0, "CANCELLED");
    assert_eq!(drops.recv().unwrap(), "hard");
    keeper.ask("r2", "harder").await;
    keeper.wait_for_delta().await;
    keeper.ask("r3", "easy").await;
    assert_eq!(keeper.failure("r2").await.0, "CANCELLED");
    assert_eq!(keeper.answer("r3").await, "done");
    keeper.deltas();
    keeper.ask("r4", "last").await;
    keeper.wait_for_delta().await;
    keeper.shut_down(false).await;
    assert_eq!(keeper.failure("r4").await.0, "CANCELLED");
    keeper.wait_for_end().await;
    running.join().unwrap().unwrap();
    assert_eq!(drops.iter().collect::<Vec<_>>(), ["harder", "easy", "last"]);
}

#[tokio::test]
async fn a_failure_ends_its_turn_alone() {
    let (mut keeper, running) =
        start(Agent::new("felix"), Store::default(), |turn, _keeper| async move {
            match turn.message() {
                "io" => Err(std::io::Error::other("the disk is gone").into()),
                "mind" => Err(MindError::MoneyOut { message: "empty".into() }.into()),
                "own" => Err(TurnError::new("MEMORY_FULL", "no room").context(json!({"at": 1}))),
                "panic" => panic!("a bug at {}", turn.message()),
                "long" => Ok("x".repeat(17 * 1024 * 1024)),
                _ => Ok("fine".to_owned()),
            }
        });
    keeper.open().await;
    for (text, code, words) in [
        ("io", "EVAL_ERROR", "the disk is gone"),
        ("mind", "MODEL_MONEY_OUT", "empty"),
        ("own", "MEMORY_FULL", "no room"),
        ("panic", "EVAL_ERROR", "the handler panicked: a bug at panic"),
        ("long", "EVAL_ERROR", "the answer cannot be sent"),
    ] {
        keeper.ask(text, text).await;
        let (found, message) = keeper.failure(text).await;
        assert_eq!(found, code);
        assert!(message.contains(words), "{message}");
    }
    keeper.ask("r", "hello").await;
    assert_eq!(keeper.answer("r").await, "fine");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_handler_that_blocks_is_alive_and_seen_to_stand() {
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = Arc::new(Mutex::new(blocked));
    let (mut keeper, running) =
        start(Agent::new("felix"), Store::default(), move |_turn, _keeper| {
            let blocked = Arc::clone(&blocked);
            async move {
                // Not a wait of the runtime: its whole thread stands.
                blocked.lock().unwrap().recv().unwrap();
                Ok::<_, TurnError>("late")
            }
        });
    keeper.open().await;
    keeper.ask("r1", "compute").await;
    let mut beats = Vec::new();
    let mut pongs = 0;
    while beats.len() < 3 {
        match keeper.next().await.unwrap() {
            FromAgent::Heartbeat(beat) => {
                beats.push(beat.progress.unwrap());
                keeper.ping(beats.len() as u64).await;
            }
            FromAgent::Pong(_) => pongs += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(beats[1], beats[2], "only work moves the counter");
    assert!(pongs >= 1);
    release.send(()).unwrap();
    loop {
        match keeper.next().await.unwrap() {
            FromAgent::ProcessResponse(_) => break,
            FromAgent::Heartbeat(_) | FromAgent::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
    let moved = loop {
        if let FromAgent::Heartbeat(beat) = keeper.next().await.unwrap() {
            break beat.progress.unwrap();
        }
    };
    assert!(moved > beats[2], "the work went on, and so does the counter");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn code_is_loaded_between_turns_and_refused_aloud() {
    let loaded = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&loaded);
    let agent = Agent::new("felix").keeping(|| Stateless).on_hot_reload(move |module, code| {
        if code == "(broken" {
            return Err(StateError::new("unbalanced"));
        }
        seen.lock().unwrap().push(format!("{module}:{code}"));
        Ok(())
    });
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let mut gone = Some(gone);
    let at_work = Arc::clone(&loaded);
    let (mut keeper, running) = start(agent, Store::default(), move |_turn, _keeper| {
        let wait = gone.take();
        let at_work = Arc::clone(&at_work);
        async move {
            if let Some(wait) = wait {
                wait.await?;
            }
            let during = at_work.lock().unwrap().len();
            Ok::<_, TurnError>(format!("{during} loaded"))
        }
    });
    assert!(keeper.open().await.capabilities.contains(&"hot_reload".to_owned()));
    let reload = |code: &str| HotReload {
        code: code.into(),
        module: "memory".into(),
        backup_checkpoint_id: "c1".into(),
    };
    keeper.ask("r1", "work").await;
    keeper.send(reload("(def a)")).await;
    keeper.send(reload("(broken")).await;
    go.send(()).unwrap();
    assert_eq!(keeper.answer("r1").await, "0 loaded");
    let mut acks = Vec::new();
    for _ in 0..2 {
        let Some(FromAgent::HotReloadAck(ack)) = keeper.next_loud().await else { panic!("no ack") };
        acks.push((ack.ok, ack.error.map(|error| error.message)));
    }
    assert_eq!(acks, [(true, None), (false, Some("unbalanced".into()))]);
    assert_eq!(*loaded.lock().unwrap(), ["memory:(def a)"]);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn an_agent_tells_what_it_did_measures_itself_and_asks_to_change() {
    let (heard, outcomes) = mpsc::channel();
    let agent = Agent::new("felix")
        .keeping(|| Stateless)
        .on_metrics(|_state, metrics| metrics.active_tools = Some(3))
        .on_evolution_result(move |result| heard.send(result.reason.clone()).unwrap());
    let (mut keeper, running) = start(agent, Store::default(), |_turn, keeper| async move {
        keeper.evidence(json!({"finding": "flaky"}), "observation", &["tests"]).await?;
        keeper.report_error("TOOL_FAILED", "by zero", Some(json!({"tool": "calc"}))).await?;
        let refused = keeper.evidence(json!(["no", "map"]), "observation", &[]).await;
        let hypothesis = Hypothesis {
            reason: "faster".into(),
            target: "memory_system".into(),
            new_code: "(def a)".into(),
            expected_improvement: None,
        };
        keeper.propose(hypothesis).await?;
        Ok::<_, TurnError>(refused.unwrap_err().to_string())
    });
    keeper.open().await;
    keeper.ask("r1", "go").await;
    let mut names = Vec::new();
    for _ in 0..3 {
        names.push(name(&keeper.next_loud().await.unwrap()));
    }
    assert_eq!(names, ["evidence", "error", "evolution_intent"]);
    assert!(keeper.answer("r1").await.contains("body"), "what the keeper refuses is not sent");
    keeper.send(MetricsRequest {}).await;
    let metrics = loop {
        if let FromAgent::Metrics(metrics) = keeper.next().await.unwrap() {
            break metrics;
        }
    };
    assert_eq!((metrics.active_tools, metrics.error_rate), (Some(3), Some(0.0)));
    assert!(metrics.memory_usage.unwrap() > 0 && metrics.p50_latency.is_some());
    keeper
        .send(EvolutionResult {
            success: false,
            decision: Decision::Rejected,
            metrics: None,
            reason: "not yet".into(),
        })
        .await;
    drop(keeper);
    running.join().unwrap().unwrap();
    assert_eq!(outcomes.iter().collect::<Vec<_>>(), ["not yet"]);
}
