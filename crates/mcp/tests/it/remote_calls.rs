//! Calls of a remote server: once each, whatever the network and the server do, and with what is known where the answer is lost.

use std::{sync::Arc, time::Duration};

use abide_http::Secret;
use abide_mcp::{
    ConfiguredToken, ElicitationAnswer, ElicitationHandler, ElicitationRequest, McpClient,
    McpClientParts, McpLifecycle, McpServerSettings, McpState, PlainLauncher,
    RESULT_TEXT_BYTES_MAX,
};
use abide_tools::{
    Output, ToolError,
    ToolErrorKind::{Unknown, Upstream},
};
use futures_util::future::{BoxFuture, ready};
use serde_json::json;

use crate::{
    bench::{PATIENCE, RealClock, run},
    fake_http::FakeServer,
};

pub(crate) fn parts() -> McpClientParts {
    McpClientParts::new(Arc::new(PlainLauncher::new([])), Arc::new(RealClock::default()))
}

fn settings(server: &FakeServer) -> McpServerSettings {
    McpServerSettings::remote("far", server.url())
}

pub(crate) async fn connect(settings: McpServerSettings, parts: McpClientParts) -> McpClient {
    let client = McpClient::start(settings, parts).unwrap();
    if let Err(error) = client.ready().await {
        panic!("{error}: {:#?}", client.status());
    }
    client
}

pub(crate) async fn append(client: &McpClient, then: &str) -> Result<Output, ToolError> {
    let tools = client.tools();
    let tool = tools.iter().find(|tool| tool.spec().name == "mcp.far.append").unwrap();
    run(tool.as_ref(), &json!({"then": then})).await
}

/// Waits until something is so.
pub(crate) async fn until(client: &McpClient, what: &str, is_so: impl Fn() -> bool) {
    let began = tokio::time::Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "never {what}: {:#?}", client.status());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn names(server: &FakeServer) -> Vec<String> {
    let name = |effect: String| effect.split('#').next().unwrap().to_owned();
    server.effects().into_iter().map(name).collect()
}

#[tokio::test]
async fn a_remote_server_of_either_lifecycle_answers() {
    for is_modern in [false, true] {
        let server = FakeServer::start().await;
        server.state().is_modern = is_modern;
        let client = connect(settings(&server), parts()).await;
        assert_eq!(append(&client, "answer").await.unwrap().content, "done");
        assert_eq!(append(&client, "stream").await.unwrap().content, "done");
        assert_eq!(names(&server), ["answer", "stream"]);
        let status = client.status();
        let lifecycle = if is_modern { McpLifecycle::Discover } else { McpLifecycle::Initialize };
        assert_eq!((status.lifecycle, status.starts), (Some(lifecycle), 1));
        assert_eq!(status.address, Some(server.url()));
        let head = server.state().heads.last().unwrap().to_ascii_lowercase();
        let version = if is_modern { "2026-07-28" } else { "2025-" };
        assert!(head.contains(&format!("mcp-protocol-version: {version}")), "{head}");
        assert_eq!(head.contains("mcp-session-id: session-1"), !is_modern, "{head}");
        assert_eq!(head.contains("mcp-name: append"), is_modern, "{head}");
        assert_eq!(head.contains("mcp-param-then: stream"), is_modern, "{head}");
        client.stop().await;
        assert_eq!(server.count("DELETE"), usize::from(!is_modern), "the session is given back");
    }
}

/// HB-16.
#[tokio::test]
async fn an_answer_that_is_cut_after_the_effect_is_unknown_and_never_sent_twice() {
    let server = FakeServer::start().await;
    let client = connect(settings(&server), parts()).await;
    let faults = ["cut", "cut_stream", "cut_body", "503", "page"];
    for then in faults {
        let error = append(&client, then).await.unwrap_err();
        assert_eq!(error.kind, Unknown, "{then}: {error}");
    }
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!(names(&server), [&faults[..], &["answer"]].concat());
    assert_eq!(server.count("initialize"), 1, "the session lives on");
    client.stop().await;
}

#[tokio::test]
async fn a_stream_with_named_events_is_read_on_without_a_second_call() {
    let server = FakeServer::start().await;
    let client = connect(settings(&server), parts()).await;
    assert_eq!(append(&client, "named_stream").await.unwrap().content, "read on");
    assert_eq!(names(&server), ["named_stream"]);
    client.stop().await;
}

#[tokio::test]
async fn a_refusal_of_the_server_is_its_answer() {
    let server = FakeServer::start().await;
    let client = connect(settings(&server), parts()).await;
    let error = append(&client, "refuse").await.unwrap_err();
    assert_eq!(error.kind, Upstream);
    assert_eq!(error.message, "the server answered with the error -32602: no such line");
    client.stop().await;
}

/// HB-17.
#[tokio::test]
async fn a_session_that_is_forgotten_in_mid_call_begins_anew_once_and_the_call_is_unknown() {
    let server = FakeServer::start().await;
    let client = connect(settings(&server), parts()).await;
    let waiting = append(&client, "hang");
    let forgetting = async {
        until(&client, "waited for", || server.effects().len() == 1).await;
        append(&client, "forget").await
    };
    let (hung, forgotten) = tokio::join!(waiting, forgetting);
    for error in [hung.unwrap_err(), forgotten.unwrap_err()] {
        assert_eq!(error.kind, Unknown, "{error}");
    }
    client.ready().await.unwrap();
    until(&client, "listed again", || client.status().listings == 2).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!(names(&server), ["hang", "forget", "answer"]);
    assert_eq!(server.count("initialize"), 2);
    client.stop().await;
}

#[tokio::test]
async fn a_server_that_wants_a_login_runs_nothing_and_the_state_says_so() {
    let server = FakeServer::start().await;
    server.state().token = Some("right-token-word".into());
    let client = McpClient::start(settings(&server), parts()).unwrap();
    let error = client.ready().await.unwrap_err();
    assert!(error.to_string().contains("a login is needed"), "{error}");
    assert_eq!(client.status().state, McpState::LoginNeeded);
    client.stop().await;

    let mut parts = parts();
    parts.tokens = Arc::new(ConfiguredToken::new(Secret::new("right-token-word")));
    let client = connect(settings(&server), parts).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    let error = append(&client, "repeat").await.unwrap_err();
    assert!(error.message.contains("422: not with [secret]"), "{error}");
    server.state().token = Some("another-token".into());
    for words in
        ["the server did not accept the token", "check the variable that `token_env` names"]
    {
        let error = append(&client, "answer").await.unwrap_err();
        assert_eq!(error.kind, Upstream);
        assert!(error.message.contains(words), "{error}");
    }
    let status = client.status();
    assert_eq!(status.state, McpState::LoginNeeded, "{status:#?}");
    assert!(!format!("{status:?}{client:?}").contains("token-word"));
    assert_eq!(names(&server), ["answer", "repeat"]);
    assert_eq!(server.count("tools/call"), 3, "a refused token is not sent again");
    client.stop().await;
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_and_no_other() {
    let server = FakeServer::start().await;
    server.state().redirect = Some("/mcp/moved?key=secret-word".into());
    let client = connect(settings(&server), parts()).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!(names(&server), ["answer"]);
    client.stop().await;

    let other = FakeServer::start().await;
    server.state().redirect = Some(format!("{}?key=secret-word", other.url()));
    let client = McpClient::start(settings(&server), parts()).unwrap();
    until(&client, "refused", || client.status().last_error.is_some()).await;
    let problem = client.status().last_error.unwrap();
    assert!(problem.contains(&other.url()) && !problem.contains("secret-word"), "{problem}");
    assert!(other.state().methods.is_empty());
    client.stop().await;
}

#[tokio::test]
async fn a_changed_list_is_read_again_where_the_server_speaks_unasked() {
    let server = FakeServer::start().await;
    server.state().announces = true;
    let mut settings = settings(&server);
    settings.refresh_floor = Duration::from_millis(10);
    let client = connect(settings, parts()).await;
    until(&client, "listed again", || client.status().listings >= 2).await;
    assert_eq!(server.count("GET"), 1, "the stream stays open");
    client.stop().await;
}

#[tokio::test]
async fn a_server_that_knows_no_other_request_than_a_post_keeps_its_session() {
    let server = FakeServer::start().await;
    server.state().get_status = 404;
    let client = connect(settings(&server), parts()).await;
    until(&client, "asked for a stream", || server.count("GET") == 1).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!((server.count("initialize"), server.count("GET")), (1, 1));
    client.stop().await;
}

/// Says yes to everything.
#[derive(Debug)]
struct Agreeing;

impl ElicitationHandler for Agreeing {
    fn is_available(&self) -> bool {
        true
    }

    fn answer<'a>(&'a self, _: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(ready(ElicitationAnswer::Accept { content: None }))
    }
}

#[tokio::test]
async fn a_person_answers_in_mid_call() {
    let server = FakeServer::start().await;
    let mut parts = parts();
    parts.elicitations = Arc::new(Agreeing);
    let client = connect(settings(&server), parts).await;
    assert_eq!(append(&client, "ask").await.unwrap().content, "done");
    let answers = server.state().answers.clone();
    assert_eq!((answers.len(), &answers[0]["result"]["action"]), (1, &json!("accept")));
    assert_eq!(names(&server), ["ask"]);
    client.stop().await;
}

/// HB-13.
#[tokio::test]
async fn a_huge_answer_is_cut_while_it_is_read() {
    let server = FakeServer::start().await;
    let client = connect(settings(&server), parts()).await;
    for then in ["huge", "huge_stream"] {
        let content = append(&client, then).await.unwrap().content;
        assert!(content.len() < RESULT_TEXT_BYTES_MAX + 200, "{}", content.len());
        assert!(content.starts_with("xxxx") && content.contains("[cut: the answer has 50000"));
    }
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!(client.status().skipped.too_long, 2);
    client.stop().await;
}

#[tokio::test]
async fn a_call_without_progress_ends_and_the_server_is_told_in_both_ways() {
    let server = FakeServer::start().await;
    let mut settings = settings(&server);
    settings.call_idle_limit = Duration::from_millis(300);
    let client = connect(settings, parts()).await;
    let error = append(&client, "hang").await.unwrap_err();
    assert_eq!(error.kind, Unknown, "{error}");
    until(&client, "cancelled", || server.count("notifications/cancelled") == 1).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!(names(&server), ["hang", "answer"]);
    client.stop().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_gets_nothing() {
    let server = FakeServer::start().await;
    let client = connect(settings(&server), parts()).await;
    let tools = client.tools();
    drop(server);
    tokio::task::yield_now().await;
    let error = run(tools[0].as_ref(), &json!({"then": "answer"})).await.unwrap_err();
    assert!(matches!(error.kind, Upstream | Unknown), "{error}");
    client.stop().await;
}
