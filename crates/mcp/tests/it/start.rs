//! Starts: noise, silence, slowness, death, and which lifecycle a server speaks.

use std::time::Duration;

use abide_mcp::{
    LaunchRequest, McpLifecycle, McpState, STDERR_TAIL_BYTES, ServerLauncher as _, SkippedLines,
};
use abide_tools::ToolErrorKind;
use tokio::io::AsyncReadExt as _;

use crate::bench::{Setup, launcher, program};

/// HB-01.
#[tokio::test]
async fn noise_on_stdout_is_skipped_and_counted_and_the_link_lives() {
    let bench = Setup::new(&["banner"]).ready().await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    let skipped = bench.client.status().skipped;
    assert_eq!(skipped, SkippedLines { not_json: 1, not_a_message: 3, too_long: 1 });
    bench.client.stop().await;
}

/// HB-02.
#[tokio::test]
async fn a_flood_on_stderr_is_drained_and_its_end_kept() {
    let bench = Setup::new(&["stderr_flood"]).ready().await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    let tail = bench.client.status().stderr_tail;
    assert!(tail.ends_with("the end of the flood\n") && tail.len() <= STDERR_TAIL_BYTES);
    bench.client.stop().await;
}

/// HB-03.
#[tokio::test]
async fn a_server_that_is_slow_to_start_is_waited_for_and_started_once() {
    let bench = Setup::new(&["slow=1.5"])
        .with(|settings| settings.probe_limit = Duration::from_millis(300))
        .ready()
        .await;
    assert_eq!(bench.left("starts").len(), 1);
    assert_eq!(bench.left("methods")[..2], ["server/discover", "initialize"]);
    assert_eq!(bench.append("answer").await.unwrap().content, "done", "the late answer is ignored");
    bench.client.stop().await;
}

/// HB-04.
#[tokio::test]
async fn a_call_that_is_given_up_during_the_start_leaves_the_start_alone() {
    let bench = Setup::new(&["slow=1"]).start();
    assert_eq!(bench.client.status().state, McpState::Starting);
    let given_up = tokio::time::timeout(Duration::from_millis(100), bench.client.ready()).await;
    assert!(given_up.is_err());
    bench.client.ready().await.unwrap();
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    assert_eq!(bench.left("starts").len(), 1);
    bench.client.stop().await;
}

/// HB-05.
#[tokio::test]
async fn a_server_that_leaves_at_the_newer_question_is_started_again_with_the_older_one() {
    let bench = Setup::new(&["exit_on_discover"]).ready().await;
    let status = bench.client.status();
    assert_eq!(status.lifecycle, Some(McpLifecycle::Initialize));
    assert_eq!(bench.left("starts").len(), 2);
    assert!(bench.append("cut").await.is_err());
    bench.until("started again", |bench| bench.left("starts").len() == 3).await;
    bench.client.ready().await.unwrap();
    let questions = bench.left("methods").iter().filter(|m| *m == "server/discover").count();
    assert_eq!(questions, 1, "the lifecycle is remembered");
    bench.client.stop().await;
}

/// HB-05.
#[tokio::test]
async fn a_server_that_is_silent_at_the_newer_question_gets_the_older_one_on_the_same_process() {
    let bench = Setup::new(&["silent_on_discover"])
        .with(|settings| settings.probe_limit = Duration::from_millis(200))
        .ready()
        .await;
    assert_eq!(bench.left("starts").len(), 1);
    assert_eq!(bench.client.status().lifecycle, Some(McpLifecycle::Initialize));
    bench.client.stop().await;
}

#[tokio::test]
async fn a_server_of_the_newer_lifecycle_is_called_and_its_changes_are_heard() {
    let bench = Setup::new(&["modern"]).ready().await;
    let status = bench.client.status();
    assert_eq!(status.lifecycle, Some(McpLifecycle::Discover));
    assert_eq!(status.protocol_version.as_deref(), Some("2026-07-28"));
    let seen = bench.client.revision();
    assert_eq!(bench.append("notify").await.unwrap().content, "told");
    assert_eq!(bench.client.changed_since(seen).await, seen + 1);
    bench.client.stop().await;
}

#[tokio::test]
async fn a_server_that_says_nothing_at_all_is_given_up_and_nothing_is_sent() {
    let bench = Setup::new(&["silent"])
        .with(|settings| {
            settings.probe_limit = Duration::from_millis(100);
            settings.start_limit = Duration::from_millis(700);
        })
        .start();
    let error = bench.client.ready().await.unwrap_err();
    assert!(error.message.contains("nothing was sent"), "{error}");
    let status = bench.client.status();
    assert!(status.last_error.unwrap().contains("did not answer within"));
    assert_eq!((status.tools, bench.client.tools().len()), (0, 0));
    bench.client.stop().await;
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let bench = Setup::new(&[])
        .with(|settings| program(settings).command = "/nowhere/server".into())
        .start();
    bench.until("failed", |bench| bench.client.status().last_error.is_some()).await;
    let error = bench.client.status().last_error.unwrap();
    assert!(error.starts_with("`/nowhere/server` could not be started"), "{error}");
    bench.client.stop().await;
    assert_eq!(bench.client.status().state, McpState::Stopped);
}

/// HB-07.
#[tokio::test]
async fn a_server_gets_the_named_variables_and_no_others() {
    let request = LaunchRequest {
        server: "test".into(),
        command: "env".into(),
        args: Vec::new(),
        environment: vec!["MCP_TEST_NAMED".into(), "NEVER_SET".into()],
    };
    let mut launched = launcher().launch(&request).await.unwrap();
    let mut printed = String::new();
    launched.stdout.read_to_string(&mut printed).await.unwrap();
    let mut names: Vec<&str> = printed.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    names.retain(|name| *name != "LANG");
    assert_eq!(names, ["HOME", "MCP_TEST_NAMED", "PATH"]);
    launched.process.kill();
    launched.process.wait().await;
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_and_the_next_call_works() {
    let bench = Setup::new(&[]).ready().await;
    let first = bench.client.status().pid;
    let error = bench.append("cut").await.unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Unknown);
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    let status = bench.client.status();
    assert_ne!(status.pid, first);
    assert_eq!(status.starts, 2);
    assert!(status.last_error.unwrap().contains("exit status: 3"));
    assert_eq!(bench.left("probe"), ["cut", "answer"]);
    bench.client.stop().await;
}

#[tokio::test]
async fn a_server_that_dies_at_every_list_is_started_ever_more_seldom() {
    let bench = Setup::new(&["die_after_list", "slow_list"]).start();
    bench.until("waiting", |bench| bench.client.status().state == McpState::Waiting).await;
    bench.until("started again", |bench| bench.left("starts").len() == 2).await;
    bench.client.stop().await;
    assert_eq!(bench.left("starts").len(), 2);
}
