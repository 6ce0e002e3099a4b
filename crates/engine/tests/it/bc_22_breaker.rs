//! BC-22: the same call again and again. The breaker stops it within a small fixed number, and what it costs is bounded.

use abide_domain::event::AbortCode;
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, calls, say};
use serde_json::json;

/// A mind that always makes the same calls, of tools that always give the same.
async fn repeats(script: impl Fn(usize) -> RigAnswer + Send + Sync + 'static) -> Rig {
    Setup::new(move |_, n| script(n))
        .tool(TestTool::read("page.get").giving_text("the same page"))
        .tool(TestTool::world("world.push").giving_text("pushed"))
        .tool(TestTool::read("page.large").giving_text("p".repeat(50_000)))
        .tool(TestTool::read("page.torn").giving(|_, _| Err(abide_tools::ToolError::new("torn"))))
        .with(|setup| setup.deny = vec!["page.burn"])
        .start()
        .await
}

#[tokio::test(start_paused = true)]
async fn the_third_identical_result_trips_the_breaker() {
    for (case, tool, runs) in [
        ("a read", "page.get", 3),
        ("a change of the world", "world.push", 3),
        ("a large result", "page.large", 3),
        ("a failure", "page.torn", 3),
        ("a denial", "page.burn", 0),
        ("no such tool", "no.tool", 0),
    ] {
        let rig = repeats(move |_| call(tool, json!({"path": "/"}))).await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.abort_code(), Some(AbortCode::Breaker), "{case}");
        assert!(epoch.abort.unwrap().message.contains(tool), "the cause is named");
        assert_eq!((rig.asked().len(), rig.runs()), (3, runs), "{case}");
        assert!(rig.blobs.is_empty(), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_calls_that_alternate_trip_it_too() {
    let path = |n: usize| if n % 2 == 1 { "/a" } else { "/b" };
    let rig = repeats(move |n| call("page.get", json!({ "path": path(n) }))).await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::Breaker));
    assert_eq!(rig.runs(), 5, "a b a b a");
}

#[tokio::test(start_paused = true)]
async fn identical_calls_in_one_turn_trip_it_before_the_rest_runs() {
    let same = || ("page.get", json!({"path": "/"}));
    let rig = repeats(move |_| calls((0..20).map(|_| same()))).await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::Breaker));
    assert_eq!((rig.asked().len(), rig.runs()), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn other_arguments_or_another_result_are_another_call() {
    for (case, tool, is_numbered) in
        [("other arguments", "page.get", true), ("another result", "page.count", false)]
    {
        let number = move |n: usize| if is_numbered { n } else { 0 };
        let script = move |_: &_, n: usize| match n {
            1..=8 => call(tool, json!({ "number": number(n) })),
            _ => say("so"),
        };
        let rig = Setup::new(script)
            .tool(TestTool::read("page.get").giving_text("the same page"))
            .tool(TestTool::read("page.count"))
            .start()
            .await;
        assert_eq!(rig.say("hello").await.reply(), Some("so"), "{case}");
        assert_eq!(rig.runs(), 8, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_breaker_counts_over_a_restart() {
    let mut rig = repeats(|_| call("page.get", json!({"path": "/"}))).await;
    rig.setup.failpoints = "turn.asked=delay(60000)".into();
    rig.restart().await;
    let epoch = rig.begin("hello").await;
    rig.until_times(epoch, "turn.started", 3).await;
    rig.setup.failpoints.clear();
    rig.restart().await;
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Breaker));
    assert_eq!(rig.runs(), 3, "two before the death and one after");
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_calls_in_one_answer_run_none_and_leave_no_trace_of_their_size() {
    let push = |number: usize| ("world.push", json!({ "number": number }));
    let rig = repeats(move |_| calls((0..10_000).map(push))).await;
    let before = rig.entries().len();
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::BadVoice));
    assert_eq!((rig.asked().len(), rig.runs()), (2, 0));
    let entries = rig.entries().split_off(before);
    assert!(entries.len() <= 8, "{} events", entries.len());
    let bytes: usize =
        entries.iter().map(|entry| entry.event.encode_data().unwrap().get().len()).sum();
    assert!(bytes < 4_096, "{bytes} bytes");
    assert_eq!(rig.keeper().state().running.len(), 0, "nothing of it stays in memory");
}

#[tokio::test(start_paused = true)]
async fn the_agent_answers_again_after_the_breaker() {
    let rig = repeats(|n| if n <= 3 { call("page.get", json!({})) } else { say("so") }).await;
    assert_eq!(rig.say("hello").await.abort_code(), Some(AbortCode::Breaker));
    let next = rig.say("and now?").await;
    assert_eq!(next.reply(), Some("so"));
    assert!(rig.asked_last().history.is_empty(), "an aborted epoch is no history");
}
