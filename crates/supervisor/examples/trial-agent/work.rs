//! What a message makes the trial agent do.
//!
//! The first word is what to do; everything that is not a misbehaviour is answered with what was done.

use std::{fs, sync::atomic::Ordering, thread, time::Duration};

use abide_wire::{
    AgentError, Evidence, Hypothesis, Metrics, ProcessDelta, ProcessRequest, ProcessResponse, Raw,
};
use serde_json::json;

use super::Agent;

/// Does what a request asks for.
pub(super) fn answer(agent: &Agent, request: &ProcessRequest) {
    agent.progress.fetch_add(1, Ordering::SeqCst);
    let message = request.input.message.to_string();
    let (word, rest) = message.split_once(' ').unwrap_or((&message, ""));
    let id = &request.request_id;
    match word {
        "note" => {
            agent.log("note", &json!({"text": rest}));
            agent.notes.lock().unwrap().push(rest.into());
            let count = agent.notes.lock().unwrap().len();
            say(agent, id, &format!("{count} notes"));
        }
        "code" => say(agent, id, &json!(*agent.code.lock().unwrap()).to_string()),
        "list" => say(agent, id, &json!(*agent.notes.lock().unwrap()).to_string()),
        "deltas" => {
            for n in 0..rest.parse().unwrap_or(1) {
                let text = format!("{n} ");
                agent.send(ProcessDelta { request_id: id.clone(), text, thought: None });
            }
            say(agent, id, "done");
        }
        "crash" => std::process::abort(),
        "exit" => std::process::exit(rest.parse().unwrap_or(0)),
        "cut-off" => {
            agent.send_bytes(&[0, 0, 1, 0, 0x85]);
            std::process::exit(0);
        }
        "print" => agent.send_bytes(b"debugging: x = 1\n"),
        // The work loop hangs; the other threads do not notice.
        "hang" => wait_forever(),
        "stop-heartbeats" => agent.beats.store(false, Ordering::SeqCst),
        "wait" => wait_until_cancelled(agent, id),
        "slow" => {
            thread::sleep(Duration::from_millis(rest.parse().unwrap_or(0)));
            say(agent, id, "slowly");
        }
        "fail" => fail(agent, Some(id), rest, false),
        "fatal" => fail(agent, None, rest, true),
        "fatal-exit" => {
            say(agent, id, "as you wish");
            fail(agent, None, "MEMORY_FULL", true);
            std::process::exit(9);
        }
        "vector" => send_vector(agent, rest),
        "bad-voice" => {
            let voice = json!({"final_response": 7});
            agent.send(ProcessResponse {
                request_id: id.clone(),
                voice,
                usage: None,
                provider_state: None,
            });
        }
        "old-answer" => {
            say(agent, "0193-of-another-attempt", "stale");
            say(agent, id, "fresh");
        }
        other => {
            report(agent, other, rest);
            say(agent, id, "done");
        }
    }
}

/// What is said beside answers.
fn report(agent: &Agent, word: &str, rest: &str) {
    let times = rest.parse().unwrap_or(1);
    match word {
        "evidence" => (0..times).for_each(|n| {
            let body = json!({"n": n});
            agent.send(Evidence { body, claim_type: None, tags: vec!["trial".into()] });
        }),
        "errors" => (0..times).for_each(|n| fail(agent, None, &format!("TOOL_FAILED {n}"), false)),
        "metrics" => (0..times).for_each(|n| {
            agent.send(Metrics {
                avg_latency: Some(f64::from(n)),
                memory_usage: Some(1000),
                ..empty_metrics()
            });
        }),
        "evolve" => agent.send(Hypothesis {
            reason: "faster".into(),
            target: "memory_system".into(),
            new_code: rest.into(),
            expected_improvement: None,
        }),
        "checkpoint" => (0..times).for_each(|_: u32| agent.checkpoint()),
        "gap" => {
            let sequence = *agent.next_sequence.lock().unwrap() + 1;
            let entry = abide_wire::WalEntry::new(sequence, "note", Raw::empty_map());
            agent.send(entry);
        }
        "log" => {
            for n in 0..times {
                agent.log("note", &json!({"text": n.to_string()}));
                agent.notes.lock().unwrap().push(n.to_string());
            }
        }
        _ => {}
    }
}

fn empty_metrics() -> Metrics {
    Metrics {
        avg_latency: None,
        p50_latency: None,
        p95_latency: None,
        p99_latency: None,
        error_rate: None,
        memory_usage: None,
        throughput: None,
        active_tools: None,
        memory_blocks: None,
        extra: abide_wire::Extra::default(),
    }
}

fn say(agent: &Agent, request_id: &str, text: &str) {
    let voice = json!({"thought": "", "emotive_state": "calm", "tool_calls": [],
                       "final_response": text});
    agent.send(ProcessResponse {
        request_id: request_id.into(),
        voice,
        usage: None,
        provider_state: None,
    });
}

fn fail(agent: &Agent, request_id: Option<&str>, words: &str, is_fatal: bool) {
    let (code, message) = words.split_once(' ').unwrap_or((words, "as told"));
    let mut error = AgentError::new(code, message);
    error.error.stack_trace = Some("at work.rs".into());
    error.error.context = Some(json!({"told": true}));
    error.request_id = request_id.map(str::to_owned);
    error.fatal = is_fatal.then_some(true);
    agent.send(error);
}

fn wait_forever() -> ! {
    loop {
        thread::sleep(Duration::from_hours(1));
    }
}

fn wait_until_cancelled(agent: &Agent, request_id: &str) {
    while !agent.cancelled.lock().unwrap().contains(request_id) {
        thread::sleep(Duration::from_millis(5));
    }
    fail(agent, Some(request_id), "CANCELLED", false);
}

/// Sends the bytes of a file as they are.
pub(super) fn send_vector(agent: &Agent, path: &str) {
    agent.send_bytes(&fs::read(path).unwrap());
}
