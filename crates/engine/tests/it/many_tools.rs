//! More tools than a prompt shows: the likely ones stand there with their schemas, all others by name, and one call away.

use abide_domain::turn::TurnRequest;
use abide_testkit::rig::{RigAnswer, Setup, TestTool, call, say, silence};
use serde_json::json;

fn names(request: &TurnRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn setup(script: impl Fn(&TurnRequest, usize) -> RigAnswer + Send + Sync + 'static) -> Setup {
    let mut setup = Setup::new(script).with(|setup| {
        setup.allow = vec!["mcp.*", "tools.find"];
        setup.deny = vec!["mcp.s0.tool_7"];
    });
    for server in 0..5 {
        for number in 0..20 {
            setup = setup.tool(TestTool::read(&format!("mcp.s{server}.tool_{number}")));
        }
    }
    setup.tool(TestTool::read("mcp.weather.get_forecast"))
}

fn finds(request: &TurnRequest, _: usize) -> RigAnswer {
    match request.turn {
        1 => call("tools.find", json!({"names": ["mcp.s4.tool_19"]})),
        2 => call("mcp.s4.tool_19", json!({})),
        _ => say("so"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_likely_tools_are_shown_and_any_other_is_one_call_away() {
    let rig = setup(finds).start().await;
    let epoch = rig.say("What does the weather forecast say?").await;
    assert_eq!((epoch.reply(), rig.runs()), (Some("so"), 1));
    let asked = rig.asked();
    let first = names(&asked[0]);
    assert!(first.len() < 40, "{first:?}");
    assert!(first.contains(&"mcp.weather.get_forecast") && first.contains(&"tools.find"));
    assert!(!first.contains(&"mcp.s4.tool_19"));
    for request in &asked {
        let listed = &request.system;
        assert!(listed.contains("mcp.s4.: ") && listed.contains("tool_19"), "{listed}");
        assert!(!names(request).contains(&"mcp.s0.tool_7"), "what is denied is not shown");
    }
    assert_eq!(asked[0].system, asked[2].system, "the beginning of the prompt stays");
    let second = names(&asked[1]);
    assert_eq!(second[..first.len()], first, "what was shown stays where it was");
    assert_eq!(second[first.len()..], ["mcp.s4.tool_19"]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_asked_again_after_a_restart_shows_the_same_tools() {
    let script = |request: &TurnRequest, n| match request.turn {
        2 if n == 2 => silence(),
        _ => finds(request, n),
    };
    let mut rig = setup(script).start().await;
    let epoch = rig.begin("What does the weather forecast say?").await;
    rig.until_times(epoch, "turn.started", 2).await;
    let before = rig.asked_last();
    rig.restart().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let asked = rig.asked();
    let again = asked.iter().rfind(|request| request.turn == 2).unwrap();
    assert_eq!((names(again), &again.system), (names(&before), &before.system));
}

#[tokio::test(start_paused = true)]
async fn what_was_used_before_is_likely() {
    let script = |request: &TurnRequest, n| match &*request.message {
        "go on" => say("so"),
        _ => finds(request, n),
    };
    let mut rig = setup(script).start().await;
    rig.say("first").await;
    rig.restart().await;
    rig.say("go on").await;
    assert!(names(&rig.asked_last()).contains(&"mcp.s4.tool_19"));
}

#[tokio::test(start_paused = true)]
async fn few_tools_are_all_shown() {
    let rig = Setup::new(|_, _| say("so")).tool(TestTool::read("page.get")).start().await;
    rig.say("hello").await;
    let request = rig.asked_last();
    assert!(names(&request).contains(&"page.get") && !names(&request).contains(&"tools.find"));
    assert!(!request.system.contains("More tools"));
}
