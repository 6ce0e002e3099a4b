//! Calls: once each, with limits, and with what is known where the answer is lost.

use std::time::Duration;

use abide_domain::{is_hidden, tool::EffectClass};
use abide_mcp::RESULT_TEXT_BYTES_MAX;
use abide_tools::{
    Registry,
    ToolErrorKind::{self, Unknown, Upstream},
};
use serde_json::json;

use crate::bench::{Bench, Setup};

fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

async fn lost(bench: &Bench, then: &str) -> (ToolErrorKind, String) {
    let error = bench.append(then).await.unwrap_err();
    (error.kind, error.message)
}

/// HB-16.
#[tokio::test]
async fn a_cut_after_the_effect_is_unknown_and_never_sent_twice() {
    let bench = Setup::new(&[]).ready().await;
    let (kind, message) = lost(&bench, "cut").await;
    assert_eq!(kind, Unknown);
    assert!(message.ends_with("sent once; whether it took effect is not known"), "{message}");
    bench.client.ready().await.unwrap();
    let (kind, _) = lost(&bench, "close").await;
    assert_eq!(kind, Unknown, "a server that closes its stdout has ended");
    bench.client.ready().await.unwrap();
    assert_eq!(bench.left("probe"), ["cut", "close"]);
    bench.client.stop().await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_unknown_at_once_and_the_link_lives() {
    let bench = Setup::new(&[]).ready().await;
    for then in ["broken", "odd"] {
        let (kind, message) = lost(&bench, then).await;
        assert_eq!(kind, Unknown, "{message}");
        assert!(message.contains("The server answered"), "{message}");
    }
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    assert_eq!(bench.left("probe"), ["broken", "odd", "answer"]);
    assert_eq!(bench.left("starts").len(), 1);
    bench.client.stop().await;
}

#[tokio::test]
async fn what_the_server_calls_an_error_is_one() {
    let bench = Setup::new(&[]).ready().await;
    let (kind, message) = lost(&bench, "error").await;
    assert_eq!(kind, Upstream);
    assert_eq!(message, "the server says that the call failed: the disk is full");
    let (kind, message) = lost(&bench, "refuse").await;
    assert_eq!(kind, Upstream);
    assert_eq!(message, "the server answered with the error -32602: no such line");
    bench.client.stop().await;
}

#[tokio::test]
async fn what_is_hidden_in_results_and_errors_is_shown_to_the_mind() {
    let bench = Setup::new(&[]).ready().await;
    let words = "fine⟦U+E0073⟧⟦U+E0065⟧⟦U+E006E⟧⟦U+E0064⟧⟦U+001B⟧[2J";
    let content = bench.append("hidden").await.unwrap().content;
    assert!(content.starts_with(words), "{content}");
    assert!(!content.contains(|c| c != '\n' && is_hidden(c)), "{content:?}");
    let (kind, message) = lost(&bench, "hidden_error").await;
    assert_eq!(kind, Upstream);
    assert!(message.contains(words), "{message:?}");
    assert!(!message.contains(|c| c != '\n' && is_hidden(c)), "{message:?}");
    bench.client.stop().await;
}

#[tokio::test]
async fn a_call_has_the_time_that_the_settings_of_its_server_give_it() {
    let bench = Setup::new(&["resources"])
        .with(|settings| settings.call_total_limit = Duration::from_hours(1))
        .ready()
        .await;
    for tool in bench.client.tools() {
        let limit = tool.time_limit(&json!({})).unwrap();
        // A start and a turn may be waited for before; the client's own words come first.
        let most = Duration::from_hours(1) + Duration::from_mins(3);
        assert!(limit > Duration::from_hours(1) && limit < most, "{limit:?}");
    }
    bench.client.stop().await;
}

#[tokio::test]
async fn a_call_without_progress_ends_at_the_idle_limit_and_the_server_is_told() {
    let bench = Setup::new(&[])
        .with(|settings| settings.call_idle_limit = Duration::from_millis(300))
        .ready()
        .await;
    let (kind, message) = lost(&bench, "hang").await;
    assert_eq!(kind, Unknown, "{message}");
    assert!(message.contains("neither an answer nor progress"), "{message}");
    bench.until("cancelled", |bench| bench.left("cancelled").len() == 1).await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    assert_eq!(bench.left("starts").len(), 1);
    bench.client.stop().await;
}

#[tokio::test]
async fn a_lost_answer_of_a_tool_that_only_reads_leaves_nothing_unknown() {
    let bench = Setup::new(&[])
        .with(|settings| {
            settings.call_idle_limit = Duration::from_millis(300);
            settings.effects.insert("append".into(), EffectClass::Read);
        })
        .ready()
        .await;
    assert_eq!(lost(&bench, "hang").await.0, Upstream);
    assert_eq!(lost(&bench, "broken").await.0, ToolErrorKind::Unreadable);
    bench.client.stop().await;
}

/// HB-15.
#[tokio::test]
async fn progress_renews_the_idle_limit_and_the_total_limit_stays() {
    let bench = Setup::new(&[])
        .with(|settings| {
            settings.call_idle_limit = Duration::from_millis(600);
            settings.call_total_limit = Duration::from_secs(3);
        })
        .ready()
        .await;
    let arguments = json!({"line": "x", "then": "progress", "count": 12, "every_ms": 100});
    assert_eq!(bench.append_with(arguments).await.unwrap().content, "at last");
    let (kind, message) = lost(&bench, "forever").await;
    assert_eq!(kind, Unknown);
    assert!(message.starts_with("the server gave no answer within 3 s"), "{message}");
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    bench.client.stop().await;
}

/// HB-20.
#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server_which_lives_on() {
    let bench = Setup::new(&[]).ready().await;
    let dropped = tokio::time::timeout(Duration::from_millis(300), bench.append("hang")).await;
    assert!(dropped.is_err());
    bench.until("cancelled", |bench| bench.left("cancelled").len() == 1).await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    assert_eq!(bench.left("starts").len(), 1);
    bench.client.stop().await;
}

/// HB-13.
#[tokio::test]
async fn a_huge_result_is_cut_with_a_note_and_memory_stays_flat() {
    for faults in [&[][..], &["id_last"]] {
        let bench = Setup::new(faults).ready().await;
        assert_eq!(bench.append("answer").await.unwrap().content, "done");
        let before = resident_kb();
        let content = bench.append("huge").await.unwrap().content;
        let grown_kb = resident_kb().saturating_sub(before);
        assert!(content.len() < RESULT_TEXT_BYTES_MAX + 200, "{}", content.len());
        assert!(content.starts_with("xxxx") && content.contains("[cut: the answer has 500000"));
        assert!(grown_kb < 40_000, "{grown_kb} KB for 50 MB");
        assert_eq!(bench.append("answer").await.unwrap().content, "done");
        assert_eq!(bench.client.status().skipped.too_long, 1);
        bench.client.stop().await;
    }
}

/// HB-14.
#[tokio::test]
async fn an_image_is_described_once_and_never_shown_as_text() {
    let bench = Setup::new(&[]).ready().await;
    let content = bench.append("image").await.unwrap().content;
    assert_eq!(content, "[image: image/png, 30000 bytes]");
    bench.client.stop().await;
}

#[tokio::test]
async fn a_tool_brings_the_schema_that_its_arguments_are_held_to_before_they_reach_the_server() {
    let bench = Setup::new(&[]).ready().await;
    let name = "mcp.test.append";
    let registry = Registry::new([bench.tool(name)]).unwrap();
    let error = registry.validate(name, &json!({"line": 7})).unwrap_err();
    assert!(error.to_string().contains("/line"), "{error}");
    registry.validate(name, &json!({"line": "7"})).unwrap();
    bench.client.stop().await;
}

#[tokio::test]
async fn calls_of_one_server_run_at_the_same_time() {
    let bench = Setup::new(&[]).ready().await;
    let slow = json!({"line": "slow", "then": "progress", "count": 10, "every_ms": 100});
    let both = async { tokio::join!(biased; bench.append_with(slow), bench.append("answer")) };
    let quick = async { bench.append("answer").await.unwrap() };
    let (both, quick) = tokio::join!(both, quick);
    assert_eq!(quick.content, "done");
    assert_eq!(
        (both.0.unwrap().content, both.1.unwrap().content),
        ("at last".into(), "done".into())
    );
    assert_eq!(bench.left("probe").len(), 3);
    bench.client.stop().await;
}

#[tokio::test]
async fn tools_that_are_denied_are_neither_offered_nor_run() {
    let bench = Setup::new(&[]).ready().await;
    let tool = bench.tool("mcp.test.append");
    bench.client.stop().await;
    let error = crate::bench::run(tool.as_ref(), &json!({"line": "late"})).await.unwrap_err();
    assert_eq!(error.kind, Upstream, "after the stop nothing is sent: {error}");
    assert!(bench.left("probe").is_empty());
    let denied =
        Setup::new(&[]).with(|settings| settings.deny = vec!["append".into()]).ready().await;
    assert_eq!(denied.client.tools().len(), 1);
    denied.client.stop().await;
}
