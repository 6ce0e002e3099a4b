//! BC-39: a stale result crosses sessions. Results belong to (epoch, call): no prompt ever shows one of another epoch.

use std::time::Duration;

use abide_domain::{
    AgentId, CallId,
    event::{Event, ToolEvent},
    turn::TurnRequest,
};
use abide_engine::keeper::AcceptOptions;
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, say};
use abide_tools::Output;
use serde_json::json;

/// Looks up what it is asked for, and answers with what it found.
fn looks_up(request: &TurnRequest, _: usize) -> RigAnswer {
    match request.steps.first() {
        None => call("page.get", json!({"of": &*request.message})),
        Some(step) => say(&*step.results[0].content),
    }
}

fn echoes() -> TestTool {
    TestTool::read("page.get").lasting(Duration::from_secs(1), Duration::ZERO).giving(|call, _| {
        let content = format!("{} of {}", call.arguments["of"].as_str().unwrap_or(""), call.agent);
        Ok(Output { content, ..Output::default() })
    })
}

fn assert_results_are_their_own(rig: &Rig) {
    for request in rig.asked() {
        for result in request.steps.iter().flat_map(|step| &step.results) {
            let own = format!("{} of {}", request.message, request.agent);
            assert_eq!(*result.content, own, "in the prompt of {}", request.epoch);
            assert_eq!(rig.runs_of(request.epoch, &result.call_id), 1);
        }
    }
    for entry in rig.entries() {
        if let Event::Tool(ToolEvent::Finished(finished)) = &entry.event {
            assert_eq!(finished.call_id, CallId::new(1, 1), "ids repeat from epoch to epoch");
            assert_eq!(rig.runs_of(entry.epoch.unwrap(), &finished.call_id), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_agents_at_the_same_moment_each_see_their_own_result() {
    let setup = Setup::new(looks_up).tool(echoes());
    let rig = setup.with(|setup| setup.agents = vec!["felix", "ada"]).start().await;
    let mut epochs = Vec::new();
    for agent in ["felix", "ada"] {
        for content in ["cats", "dogs"] {
            let mut stimulus = rig.stimulus(content);
            stimulus.citizen = agent.parse::<AgentId>().unwrap();
            let accepted = rig.accept(stimulus, AcceptOptions::default()).await.unwrap();
            epochs.push((accepted.epoch, format!("{content} of {agent}")));
        }
    }
    for (epoch, reply) in epochs {
        assert_eq!(rig.ended(epoch).await.reply(), Some(reply.as_str()));
    }
    assert_results_are_their_own(&rig);
}

#[tokio::test(start_paused = true)]
async fn epochs_in_quick_succession_and_over_a_death_each_see_their_own_result() {
    let mut rig = Setup::new(looks_up).tool(echoes()).start().await;
    let mut epochs = Vec::new();
    for number in 0..6 {
        epochs.push((rig.begin(&format!("page {number}")).await, number));
    }
    rig.pass(Duration::from_millis(2_500)).await;
    rig.restart().await;
    for (epoch, number) in epochs {
        let reply = format!("page {number} of felix");
        assert_eq!(rig.ended(epoch).await.reply(), Some(reply.as_str()));
    }
    assert_results_are_their_own(&rig);
}

#[tokio::test(start_paused = true)]
async fn the_same_question_again_is_looked_up_again() {
    let rig = Setup::new(looks_up).tool(echoes()).start().await;
    rig.say("cats").await;
    let second = rig.say("cats").await;
    assert_eq!((rig.runs(), second.turns.len()), (2, 2), "an old result is no reason to skip");
    assert!(rig.asked_in(second.id)[0].steps.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_agent_never_sees_another_ones_facts_or_history() {
    let script = |request: &TurnRequest, _: usize| match (request.agent.as_str(), request.turn) {
        ("felix", 1) => call("memory.remember_fact", json!({"content": "the heron is staging"})),
        ("ada", 1) => call("memory.search_facts", json!({"query": "heron"})),
        _ => say("so"),
    };
    let setup = Setup::new(script).with(|setup| setup.agents = vec!["felix", "ada"]);
    let rig = setup.start().await;
    rig.say("remember").await;
    let mut stimulus = rig.stimulus("what is the heron?");
    stimulus.citizen = "ada".parse().unwrap();
    let asked = rig.accept(stimulus, AcceptOptions::default()).await.unwrap();
    rig.ended(asked.epoch).await;
    assert!(rig.tool_results_shown()[0].content.contains(r#""status":"empty""#));
    assert!(rig.asked_last().history.is_empty());
}
