//! What a mind may say, and what becomes of what does not fit (decisions 15 and 16).

use abide_domain::{
    event::AbortCode,
    tool::Outcome,
    turn::MindError,
    voice::{ToolCall, Voice},
};
use abide_testkit::rig::{RigAnswer, Setup, TestTool, call, calls, fail, say};
use abide_tools::{Call, ToolError, ToolErrorKind};
use serde_json::json;

fn voice(calls: Vec<ToolCall>, final_response: Option<&str>) -> RigAnswer {
    let (thought, emotive_state) = ("hm".to_owned(), "calm".to_owned());
    let final_response = final_response.map(str::to_owned);
    RigAnswer::of(Voice { thought, emotive_state, tool_calls: calls, final_response })
}

fn many(count: usize) -> RigAnswer {
    calls((0..count).map(|number| ("page.get", json!({ "number": number }))))
}

/// Every kind of voice that cannot be acted upon, and where it says that it does not fit.
fn invalid_voices() -> Vec<(&'static str, RigAnswer, &'static str)> {
    vec![
        ("blank", say(" \n\t"), "final_response"),
        ("neither response nor call", voice(vec![], None), "final_response"),
        ("too long", say("x".repeat(50_001)), "final_response"),
        ("too many calls", many(33), "tool_calls"),
        ("a call without a name", call("", json!({})), "tool_calls[0].name"),
        (
            "arguments too large",
            call("page.get", json!({"x": "y".repeat(300_000)})),
            "tool_calls[0].arguments",
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_does_not_fit_is_repaired_in_the_same_turn() {
    for (case, misfit, path) in invalid_voices() {
        let script = move |_: &_, n| if n == 1 { misfit.clone() } else { say("better") };
        let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.reply(), Some("better"), "{case}");
        let asked = rig.asked();
        assert_eq!(asked[0].repair, None);
        assert_eq!(asked[1].repair.as_ref().map(|p| p.path.as_str()), Some(path), "{case}");
        assert_eq!((asked[1].turn, asked[1].attempt), (1, 2), "{case}");
        assert_eq!(asked[1].steps, [], "{case}: what did not fit is not shown again");
        let kinds = &rig.kinds_of(epoch.id)[3..];
        let repaired = ["turn.started", "turn.failed", "turn.started", "turn.completed"];
        assert_eq!(kinds, [&repaired[..], &["epoch.committed"]].concat(), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_misfit_ends_the_epoch_and_nothing_of_it_ran() {
    for (case, misfit, _) in invalid_voices() {
        let script = move |_: &_, _| misfit.clone();
        let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.abort_code(), Some(AbortCode::BadVoice), "{case}");
        assert_eq!((rig.asked().len(), rig.runs()), (2, 0), "{case}");
        assert_eq!(rig.count_of(epoch.id, "tool.requested"), 0, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn people_are_told_what_the_model_did_and_the_model_what_to_mend() {
    let cases = [
        (say(""), say(" "), "felix's model gave an empty answer twice; "),
        (
            say("x".repeat(50_001)),
            say(""),
            "felix's model gave an answer of more than 50000 characters, and then gave an empty answer; ",
        ),
    ];
    for (first, second, told) in cases {
        let script = move |_: &_, n| if n == 1 { first.clone() } else { second.clone() };
        let rig = Setup::new(script).start().await;
        let epoch = rig.say("hello").await;
        let message = epoch.abort.unwrap().message;
        assert!(message.starts_with(told), "{message}");
        assert!(!message.contains("final_response"), "{message}");
        let failed = &epoch.failures[0];
        assert!(failed.message.starts_with("the model gave an "), "{}", failed.message);
        let repair = rig.asked()[1].repair.clone().unwrap();
        assert_eq!(Some(&repair.message), failed.repair.as_ref());
    }
    let rig = Setup::new(|_, _| say("")).start().await;
    rig.say("hello").await;
    let repair = rig.asked()[1].repair.clone().unwrap();
    assert_eq!(repair.to_string(), "final_response: is blank; say something to the person");
}

#[tokio::test(start_paused = true)]
async fn words_beside_a_call_are_the_answer_where_nothing_comes_after_them() {
    let script = |request: &abide_domain::turn::TurnRequest, _| match request.turn {
        1 => call("page.get", json!({})).with_words("I noted it for you."),
        _ => say(""),
    };
    let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.reply(), Some("I noted it for you."));
    assert_eq!((rig.asked().len(), rig.runs()), (3, 1), "it is repaired once before");

    let silent = |request: &abide_domain::turn::TurnRequest, _| match request.turn {
        1 => call("page.get", json!({})),
        _ => say(""),
    };
    let rig = Setup::new(silent).tool(TestTool::read("page.get")).start().await;
    assert_eq!(rig.say("hello").await.abort_code(), Some(AbortCode::BadVoice));
}

#[tokio::test(start_paused = true)]
async fn words_are_no_answer_where_a_call_beside_them_failed_or_others_came_after_them() {
    let fails = |_: &Call<'_>, _| Err(ToolError::of(ToolErrorKind::Upstream, "no such page"));
    let script =
        |request: &abide_domain::turn::TurnRequest, _| match (request.turn, &*request.message) {
            (1, _) => call("page.get", json!({})).with_words("I noted it for you."),
            (2, "more") => call("page.read", json!({})),
            _ => say(""),
        };
    let setup = Setup::new(script).tool(TestTool::read("page.read"));
    let rig = setup.tool(TestTool::read("page.get").giving(fails)).start().await;
    assert_eq!(rig.say("hello").await.abort_code(), Some(AbortCode::BadVoice), "it failed");
    let setup = Setup::new(script).tool(TestTool::read("page.read"));
    let rig = setup.tool(TestTool::read("page.get")).start().await;
    assert_eq!(rig.say("more").await.abort_code(), Some(AbortCode::BadVoice), "more came after");
}

#[tokio::test(start_paused = true)]
async fn every_turn_has_a_repair_of_its_own() {
    let script = |_: &_, n| match n {
        1 | 3 => say(""),
        2 => call("page.get", json!({})),
        _ => say("so"),
    };
    let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
    assert!(rig.asked()[3].repair.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_repair_is_no_attempt_that_failed() {
    let cut = || fail(MindError::Unavailable { message: "cut".into() });
    let script = move |_: &_, n| match n {
        1 => say(""),
        2 | 3 => cut(),
        _ => say("so"),
    };
    let rig = Setup::new(script).start().await;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn words_beside_calls_are_interim() {
    let script = |_: &_, n| match n {
        1 => call("page.get", json!({})).with_words("I am looking"),
        _ => say("so"),
    };
    let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
    let first = rig.say("hello").await;
    assert_eq!((first.reply(), rig.runs()), (Some("so"), 1));
    let shown = rig.asked_last().steps[0].voice.final_response.clone();
    assert_eq!(shown.as_deref(), Some("I am looking"), "the mind sees its own words");

    rig.say("and now?").await;
    let history = rig.asked_last().history;
    assert_eq!(history.len(), 1);
    assert_eq!(&*history[0].reply, "so", "the reply alone is remembered");
}

#[tokio::test(start_paused = true)]
async fn a_thought_is_kept_and_never_shown_again() {
    let script = |_: &_, n| if n == 1 { voice(vec![], Some("so")) } else { say("so") };
    let rig = Setup::new(script).start().await;
    let first = rig.say("hello").await;
    assert_eq!(first.turns[0].voice.thought, "hm");
    rig.say("and now?").await;
    let prompt = format!("{:?}", rig.asked_last());
    assert!(prompt.contains("hello") && !prompt.contains("hm"), "{prompt}");
}

#[tokio::test(start_paused = true)]
async fn calls_that_cannot_run_are_told_to_the_mind_and_never_requested() {
    let number = json!({
        "type": "object", "required": ["number"], "additionalProperties": false,
        "properties": {"number": {"type": "integer"}}
    });
    let cases = [
        ("no such tool", "page.got", json!({}), Outcome::Error, "page.get"),
        ("wrong arguments", "page.get", json!({"number": "one"}), Outcome::Error, "/number"),
        ("missing arguments", "page.get", json!({}), Outcome::Error, "number"),
        ("denied", "page.burn", json!({}), Outcome::Denied, "tools.deny"),
    ];
    for (case, tool, arguments, outcome, told) in cases {
        let script = move |_: &_, n| match n {
            1 => call(tool, arguments.clone()),
            _ => say("so"),
        };
        let setup = Setup::new(script)
            .tool(TestTool::read("page.get").taking(number.clone()))
            .tool(TestTool::world("page.burn"))
            .with(|setup| setup.deny = vec!["page.burn"]);
        let rig = setup.start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.reply(), Some("so"), "{case}");
        let result = rig.tool_results_shown()[0].clone();
        assert_eq!(result.outcome, outcome, "{case}");
        assert!(result.content.contains(told), "{case}: {}", result.content);
        assert_eq!((rig.count_of(epoch.id, "tool.requested"), rig.runs()), (0, 0), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_denied_is_not_offered() {
    let setup = Setup::new(|_, _| say("so"))
        .tool(TestTool::read("page.get"))
        .tool(TestTool::read("page.burn"))
        .tool(TestTool::read("other.thing"))
        .with(|setup| setup.allow = vec!["page.*"])
        .with(|setup| setup.deny = vec!["page.burn"]);
    let rig = setup.start().await;
    rig.say("hello").await;
    let offered: Vec<_> = rig.asked_last().tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, ["page.get"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_is_told_and_the_epoch_goes_on() {
    let script = |_: &_, n| if n == 1 { call("page.get", json!({})) } else { say("so") };
    let broken = TestTool::read("page.get").giving(|_, _| Err(ToolError::new("the page is torn")));
    let rig = Setup::new(script).tool(broken).start().await;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
    let result = rig.tool_results_shown()[0].clone();
    assert_eq!((result.outcome, &*result.content), (Outcome::Error, "the page is torn"));
}

#[tokio::test(start_paused = true)]
async fn one_bad_call_does_not_keep_its_neighbours_from_running() {
    let script = |_: &_, n| match n {
        1 => calls([("page.get", json!({})), ("no.tool", json!({})), ("page.get", json!({}))]),
        _ => say("so"),
    };
    let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!(rig.outcomes_of(epoch.id), [Outcome::Ok, Outcome::Error, Outcome::Ok]);
    let told: Vec<_> = rig.tool_results_shown().iter().map(|r| r.call_id.to_string()).collect();
    assert_eq!(told, ["call_1_1", "call_1_2", "call_1_3"], "exactly one result a call, in order");
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_never_answers_ends_with_its_turns() {
    let script = |_: &_, n: usize| call("page.get", json!({ "number": n }));
    let rig = Setup::new(script)
        .tool(TestTool::read("page.get"))
        .with(|setup| setup.limits.turns = 4)
        .start()
        .await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::TurnsSpent));
    assert_eq!((rig.asked().len(), rig.runs()), (4, 4));
}
