//! The driver against real sockets: what is tried again, what is not, and what comes back.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{
    Clock, Timestamp,
    turn::{MindError, Thought, Usage},
    voice::Voice,
};
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_models::{
    Dialect, Model, ModelCheck, ModelSettings, PriceTable, ReplyDelta, RetryPolicy, VoiceForm,
};
use serde_json::{Value, json};

use crate::{
    request::{at, plain, tools},
    server::{Act, Server},
};

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        at("2026-11-27T22:10:03Z")
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

pub(crate) fn http(status: u16, headers: &str, body: &str) -> Act {
    let length = body.len();
    Act::Write(format!(
        "HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    ))
}

fn frame(delta: &Value, finish: Option<&str>) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": delta, "finish_reason": finish}]}))
}

fn answer() -> Act {
    let words =
        frame(&json!({"content": "Hel"}), None) + &frame(&json!({"content": "lo"}), Some("stop"));
    http(200, "content-type: text/event-stream\r\n", &(words + "data: [DONE]\n\n"))
}

pub(crate) fn settings(server: &Server, dialect: Dialect) -> ModelSettings {
    let mut settings = ModelSettings::new(dialect, "m-1");
    settings.base_url = server.url(if dialect == Dialect::OpenAiChat { "/v1" } else { "" });
    settings.api_key = Some(Secret::new("sk-key-1"));
    settings.retry = RetryPolicy {
        wait: Duration::from_millis(1),
        wait_max: Duration::from_millis(2),
        retry_after_max: Duration::from_secs(1),
        ..RetryPolicy::default()
    };
    settings
}

pub(crate) fn model(settings: ModelSettings) -> Model {
    Model::new(settings, Client::new(ClientSettings::new(AddressPolicy::Any, Arc::new(Still))))
}

/// Asks a chat server that answers from a script; gives the outcome, what was shown, and how often it was asked.
async fn ask(acts: Vec<Act>) -> (Result<Thought, MindError>, String, usize) {
    let server = Server::start(acts).await;
    let shown = Mutex::new(String::new());
    let on_delta = |delta: ReplyDelta| shown.lock().unwrap().push_str(&delta.text);
    let outcome = model(settings(&server, Dialect::OpenAiChat)).ask(&plain("hi"), &on_delta).await;
    let shown = shown.lock().unwrap().clone();
    (outcome, shown, server.asked().len())
}

fn name(outcome: &Result<Thought, MindError>) -> &'static str {
    match outcome {
        Ok(_) => "answer",
        Err(MindError::Overloaded { .. }) => "overloaded",
        Err(MindError::RateLimited { .. }) => "rate limited",
        Err(MindError::MoneyOut { .. }) => "money out",
        Err(MindError::Refused { .. }) => "refused",
        Err(MindError::ContextTooLong { .. }) => "context too long",
        Err(MindError::BadVoice { .. }) => "bad voice",
        Err(MindError::Rejected { .. }) => "rejected",
        Err(MindError::Crashed { .. }) => "crashed",
        Err(MindError::ProcessEnded { .. }) => "process ended",
        Err(MindError::OutcomeUnknown { .. }) => "outcome unknown",
        Err(MindError::PerhapsTooLong { .. }) => "perhaps too long",
        Err(MindError::BrokenOff { .. }) => "broken off",
        Err(MindError::ProcessFailed { .. }) => "process failed",
        Err(MindError::Unavailable { .. }) => "unavailable",
    }
}

#[tokio::test]
async fn an_answer_is_streamed_and_counted() {
    let (outcome, shown, asked) = ask(vec![answer()]).await;
    let thought = outcome.unwrap();
    assert_eq!(thought.voice, Voice::native(String::new(), "Hello".into(), Vec::new()));
    assert_eq!((shown.as_str(), asked), ("Hello", 1));
    assert_eq!(thought.usage.output_tokens, 2, "our own count, for the provider gave none");
    assert!(thought.usage.input_tokens > 50);
    assert_eq!((thought.usage.model.as_str(), thought.usage.cost_microusd), ("m-1", None));
}

#[tokio::test]
async fn each_failure_is_tried_again_as_often_as_its_kind_allows() {
    let money = r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#;
    let long = r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#;
    let cases = [
        (http(429, "", "{}"), "rate limited", 4),
        (http(429, "retry-after: 99\r\n", "{}"), "rate limited", 1),
        (http(429, "", money), "money out", 1),
        (http(402, "", "{}"), "money out", 1),
        (http(529, "", "{}"), "overloaded", 4),
        (http(503, "", "{}"), "overloaded", 4),
        (http(500, "", "{}"), "unavailable", 3),
        (http(502, "", "{}"), "unavailable", 3),
        (http(504, "", "{}"), "unavailable", 3),
        (Act::Close, "unavailable", 3),
        (http(200, "", ""), "unavailable", 3),
        (http(400, "", "{}"), "perhaps too long", 1),
        (http(401, "", "{}"), "rejected", 1),
        (http(403, "", "{}"), "rejected", 1),
        (http(404, "", "{}"), "rejected", 1),
        (http(422, "", "{}"), "perhaps too long", 1),
        (http(301, "location: /elsewhere\r\n", ""), "rejected", 1),
        (http(413, "", "{}"), "context too long", 1),
        (http(400, "", long), "context too long", 1),
    ];
    for (act, expected, tries) in cases {
        let (outcome, shown, asked) = ask(vec![act.clone()]).await;
        assert_eq!((name(&outcome), asked, shown.as_str()), (expected, tries, ""), "{act:?}");
    }
}

#[tokio::test]
async fn where_no_connection_is_made_the_failure_is_given_back_at_once() {
    let mut settings = settings(&Server::start(Vec::new()).await, Dialect::OpenAiChat);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    settings.base_url = format!("http://{nobody}/v1");
    // A retry would not begin before the test has given up.
    let hour = Duration::from_hours(1);
    (settings.retry.wait, settings.retry.wait_max) = (hour, hour);
    let mut request = plain("hi");
    request.deadline = hour * 10;
    let model = model(settings);
    let asked = tokio::time::timeout(Duration::from_mins(1), model.ask(&request, &drop)).await;
    let error = asked.expect("it was retried").unwrap_err();
    assert!(matches!(&error, MindError::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("could not reach 127.0.0.1"), "{error}");
}

#[tokio::test]
async fn a_try_after_a_failure_may_succeed() {
    let acts =
        vec![http(529, "", "{}"), Act::Close, http(429, "retry-after-ms: 1\r\n", "{}"), answer()];
    let (outcome, shown, asked) = ask(acts).await;
    assert_eq!((name(&outcome), shown.as_str(), asked), ("answer", "Hello", 4));
}

#[tokio::test]
async fn an_overload_told_within_the_stream_is_not_tried_again() {
    let begun = frame(&json!({"content": "Hel"}), None);
    let error = "data: {\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}\n\n";
    for body in [begun + error, error.to_owned()] {
        let (outcome, _, asked) = ask(vec![http(200, "", &body), answer()]).await;
        assert_eq!((name(&outcome), asked), ("overloaded", 1), "{body}");
    }
}

#[tokio::test]
async fn what_has_begun_to_stream_is_never_asked_again_in_silence() {
    let begun = frame(&json!({"content": "Hel"}), None);
    let error = begun.clone() + "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n";
    let promised = format!("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{begun}");
    for act in [http(200, "", &begun), http(200, "", &error), Act::Write(promised)] {
        let (outcome, shown, asked) = ask(vec![act.clone(), answer()]).await;
        assert_eq!((name(&outcome), shown.as_str(), asked), ("broken off", "Hel", 1), "{act:?}");
    }
}

#[tokio::test]
async fn a_break_after_the_models_stop_loses_nothing() {
    let words = frame(&json!({"content": "Hello"}), Some("stop"));
    let promised = format!("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{words}");
    let (outcome, shown, _) = ask(vec![Act::Write(promised)]).await;
    assert_eq!((name(&outcome), shown.as_str()), ("answer", "Hello"));
}

#[tokio::test]
async fn silence_ends_with_a_time_out_and_no_second_try() {
    let begun = frame(&json!({"content": "Hel"}), None);
    let cases = [
        (String::new(), "did not begin to answer"),
        (format!("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{begun}"), "sent nothing more"),
    ];
    for (text, expected) in cases {
        let server = Server::start(vec![Act::WriteAndHang(text)]).await;
        let mut settings = settings(&server, Dialect::OpenAiChat);
        settings.limits.first_byte = Duration::from_millis(50);
        settings.limits.idle = Duration::from_millis(50);
        let error = model(settings).ask(&plain("hi"), &drop).await.unwrap_err();
        assert!(
            matches!(&error, MindError::BrokenOff { message, .. } if message.contains(expected)),
            "{error}"
        );
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn the_deadline_of_the_turn_bounds_waits_and_silence() {
    let server = Server::start(vec![http(503, "retry-after: 1\r\n", "{}")]).await;
    let mut request = plain("hi");
    request.deadline = Duration::from_millis(500);
    let outcome = model(settings(&server, Dialect::OpenAiChat)).ask(&request, &drop).await;
    assert_eq!(
        (name(&outcome), server.asked().len()),
        ("overloaded", 1),
        "a wait that would outlast it is not begun"
    );

    let server = Server::start(vec![Act::WriteAndHang(String::new())]).await;
    request.deadline = Duration::from_millis(50);
    let error =
        model(settings(&server, Dialect::OpenAiChat)).ask(&request, &drop).await.unwrap_err();
    assert!(error.to_string().contains("did not begin to answer within"), "{error}");
}

#[tokio::test]
async fn a_huge_answer_is_cut_off() {
    let server = Server::start(vec![http(200, "", &": ping\n\n".repeat(10_000))]).await;
    let mut settings = settings(&server, Dialect::OpenAiChat);
    settings.limits.reply_bytes_max = 10_000;
    let error = model(settings).ask(&plain("hi"), &drop).await.unwrap_err();
    assert!(error.to_string().contains("longer than 10000 bytes"), "{error}");
}

#[tokio::test]
async fn each_provider_gets_its_path_key_and_version() {
    let cases = [
        (Dialect::OpenAiChat, "POST /v1/chat/completions ", "authorization: Bearer sk-key-1"),
        (Dialect::OpenAiResponses, "POST /responses ", "authorization: Bearer sk-key-1"),
        (Dialect::Anthropic, "POST /v1/messages ", "x-api-key: sk-key-1"),
        (Dialect::Anthropic, "POST /v1/messages ", "anthropic-version: 2023-06-01"),
        (Dialect::Ollama, "POST /api/chat ", "content-type: application/json"),
    ];
    for (dialect, path, header) in cases {
        let server = Server::start(vec![http(400, "", "{}")]).await;
        drop(model(settings(&server, dialect)).ask(&plain("hi"), &drop).await);
        let asked = server.asked().concat();
        assert!(asked.starts_with(path) && asked.contains(&format!("{header}\r\n")), "{asked}");
    }
}

#[tokio::test]
async fn a_key_that_a_provider_repeats_goes_no_further() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-key-1."}}"#;
    let (outcome, ..) = ask(vec![http(401, "", body)]).await;
    let error = outcome.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model rejected the request: Incorrect API key provided: [secret]. (HTTP 401)"
    );
}

#[tokio::test]
async fn a_key_that_stands_where_a_message_is_cut_goes_no_further_in_part() {
    // The message is cut at 500 characters, and the body at some kilobytes: wherever that is, no part of the key is left.
    for filler in (480..=500).chain([4_080, 8_180, 16_370, 65_520]) {
        let text = format!("{}sk-key-1 and more", "x".repeat(filler));
        let shapes = [
            http(401, "", &json!({"error": {"message": text}}).to_string()),
            http(401, "", &text),
            http(400, "", &json!({"error": {"code": text}}).to_string()),
        ];
        for shape in shapes {
            let (outcome, ..) = ask(vec![shape]).await;
            let words = outcome.unwrap_err().to_string();
            assert!(!words.contains("sk-k"), "{filler}: {words}");
        }
    }
}

#[tokio::test]
async fn a_model_without_native_tools_is_asked_in_json_from_then_on() {
    let voice =
        json!({"thought": "", "emotive_state": "calm", "tool_calls": [], "final_response": "Hi"});
    let line =
        json!({"message": {"content": voice.to_string()}, "done": true, "done_reason": "stop"});
    let refusal = http(400, "", r#"{"error":"registry.example/m does not support tools"}"#);
    let server = Server::start(vec![refusal.clone(), http(200, "", &line.to_string())]).await;
    let model_auto = model(settings(&server, Dialect::Ollama));
    let mut request = plain("hi");
    request.tools = tools();
    for _ in 0..2 {
        let thought = model_auto.ask(&request, &drop).await.unwrap();
        assert_eq!(thought.voice.final_response.as_deref(), Some("Hi"));
    }
    let has_format: Vec<bool> =
        server.asked().iter().map(|body| body.contains("\"format\"")).collect();
    assert_eq!(has_format, [false, true, true]);

    let server = Server::start(vec![refusal]).await;
    let mut native = settings(&server, Dialect::Ollama);
    native.voice = VoiceForm::Native;
    let outcome = model(native).ask(&request, &drop).await;
    assert_eq!(
        (name(&outcome), server.asked().len()),
        ("rejected", 1),
        "not where native was asked for"
    );
}

#[tokio::test]
async fn a_voice_that_does_not_fit_comes_back_with_what_it_cost() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}});
    let call = json!({"tool_calls": [{"index": 0, "function": {"name": "clock-now", "arguments": "{oops"}}]});
    let body = format!("{}data: {usage}\n\ndata: [DONE]\n\n", frame(&call, Some("tool_calls")));
    let server = Server::start(vec![http(200, "", &body)]).await;
    let mut settings = settings(&server, Dialect::OpenAiChat);
    let prices = "[[price]]\nmodel = \"m-*\"\neffective_from = \"2026-01-01\"\ninput = 1_000_000\noutput = 2_000_000";
    settings.prices = Arc::new(PriceTable::parse(prices).unwrap());
    let error = model(settings).ask(&plain("hi"), &drop).await.unwrap_err();
    let MindError::BadVoice { problem, usage } = error else {
        panic!("{error}");
    };
    assert_eq!(problem.path, "tool_calls[0].arguments");
    let expected = Usage {
        input_tokens: 100,
        output_tokens: 10,
        cached_tokens: 0,
        model: "m-1".into(),
        cost_microusd: Some(120),
    };
    assert_eq!(usage, expected);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let body = json!({"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]})
        .to_string();
    let (outcome, shown, _) =
        ask(vec![http(200, "content-type: application/json; charset=utf-8\r\n", &body)]).await;
    assert_eq!((name(&outcome), shown.as_str()), ("answer", "Hello"));
    let error = json!({"error": {"message": "insufficient funds"}}).to_string();
    let (outcome, ..) = ask(vec![http(200, "content-type: application/json\r\n", &error)]).await;
    assert_eq!(name(&outcome), "money out");
}

#[tokio::test]
async fn a_connection_serves_again_after_a_whole_answer() {
    let words = frame(&json!({"content": "Hello"}), Some("stop")) + "data: [DONE]\n\n";
    let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{words}", words.len());
    // The server answers one connection at a time: a second one would wait for ever.
    let server = Server::start(vec![Act::WriteAndServe(text)]).await;
    let model = model(settings(&server, Dialect::OpenAiChat));
    for _ in 0..3 {
        model.ask(&plain("hi"), &drop).await.unwrap();
    }
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_check_lists_the_models_and_finds_its_own() {
    let cases = [
        (
            Dialect::OpenAiChat,
            "GET /v1/models ",
            r#"{"data":[{"id":"a"},{"id":"m-1"}]}"#,
            ["a", "m-1"],
        ),
        (
            Dialect::Anthropic,
            "GET /v1/models ",
            r#"{"data":[{"id":"a"},{"id":"m-1"}]}"#,
            ["a", "m-1"],
        ),
        (
            Dialect::Ollama,
            "GET /api/tags ",
            r#"{"models":[{"name":"a"},{"name":"m-1:latest"}]}"#,
            ["a", "m-1:latest"],
        ),
    ];
    for (dialect, path, body, models) in cases {
        let server = Server::start(vec![http(200, "", body)]).await;
        let check = model(settings(&server, dialect)).check().await.unwrap();
        let models = models.map(str::to_owned).to_vec();
        assert_eq!(check, ModelCheck { models, has_model: true }, "{dialect:?}");
        assert!(server.asked().concat().starts_with(path), "{dialect:?}");
    }
    let server = Server::start(vec![http(401, "", "{}")]).await;
    let error = model(settings(&server, Dialect::OpenAiChat)).check().await.unwrap_err();
    assert!(matches!(error, MindError::Rejected { .. }), "{error}");
}

#[tokio::test]
async fn a_web_page_in_place_of_an_answer_is_named_with_its_address() {
    let page = "<!DOCTYPE html><html><head><title>Open WebUI</title></head><body></body></html>";
    for (dialect, headers) in [
        (Dialect::OpenAiChat, "content-type: text/html; charset=utf-8\r\n"),
        (Dialect::OpenAiChat, ""),
        (Dialect::OpenAiChat, "content-type: application/json\r\n"),
        (Dialect::Anthropic, "content-type: text/event-stream\r\n"),
        (Dialect::Ollama, ""),
    ] {
        let server = Server::start(vec![http(200, headers, page)]).await;
        let error = model(settings(&server, dialect)).ask(&plain("hi"), &drop).await.unwrap_err();
        let text = error.to_string();
        for expected in ["web page", "Open WebUI", "base_url", "http://127.0.0.1"] {
            assert!(text.contains(expected), "{dialect:?} {headers:?}: {text}");
        }
        assert!(matches!(error, MindError::Rejected { .. }));
    }
}

#[tokio::test]
async fn an_answer_or_an_error_that_is_no_stream_is_read_all_the_same() {
    let whole = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    let (outcome, _, _) = ask(vec![http(200, "", whole)]).await;
    assert_eq!(outcome.unwrap().voice.final_response.as_deref(), Some("Hello"));
    let error = r#"[{"error":{"code":429,"message":"slow down"}}]"#;
    let (outcome, _, _) = ask(vec![http(200, "", error)]).await;
    assert_eq!(name(&outcome), "rate limited");
    let (outcome, _, _) = ask(vec![http(200, "", "upstream connect error")]).await;
    assert!(outcome.unwrap_err().to_string().contains("upstream connect error"));
}

#[tokio::test]
async fn a_prompt_that_the_server_cut_in_silence_is_too_long() {
    let long = "The heron stands in the shallow water. ".repeat(1_000);
    let asked = |usage: u64, fingerprint: Option<&str>| {
        let frame = json!({"system_fingerprint": fingerprint, "usage": {"prompt_tokens": usage, "completion_tokens": 1},
            "choices": [{"delta": {"content": "Yes?"}, "finish_reason": "stop"}]});
        let (act, long) = (http(200, "", &format!("data: {frame}\n\n")), long.clone());
        async move {
            let server = Server::start(vec![act]).await;
            model(settings(&server, Dialect::OpenAiChat)).ask(&plain(&long), &drop).await
        }
    };
    // 39,000 characters are some 9,000 tokens.
    for (usage, fingerprint, expected) in [
        (4_096, Some("fp_ollama"), "context too long"),
        (3_000, Some("fp_ollama"), "context too long"),
        (9_000, Some("fp_ollama"), "answer"),
        (4_090, None, "context too long"),
        (3_000, None, "answer"),
        (10, None, "answer"),
        (9_000, None, "answer"),
    ] {
        let outcome = asked(usage, fingerprint).await;
        assert_eq!(name(&outcome), expected, "{usage} {fingerprint:?} {outcome:?}");
    }
}

#[tokio::test]
async fn what_broke_off_has_its_cost() {
    let begun = frame(&json!({"content": "Hello there, I was about to"}), None);
    let (outcome, _, _) = ask(vec![http(200, "", &begun)]).await;
    let Err(MindError::BrokenOff { usage, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(usage.input_tokens > 50 && usage.output_tokens > 5, "{usage:?}");
}

#[tokio::test]
async fn a_server_that_reads_no_calls_is_asked_for_json_after_the_repair_failed_too() {
    let said = "Let me look. <tool_call>{\"name\": \"clock-now\", \"arguments\": {}}</tool_call>";
    let written = frame(&json!({"content": said}), Some("stop"));
    let voice = json!({"thought": "", "emotive_state": "calm", "final_response": null,
        "tool_calls": [{"name": "clock.now", "arguments": "{}"}]});
    let acts = vec![
        http(200, "", &written),
        http(200, "", &written),
        http(200, "", &frame(&json!({"content": voice.to_string()}), Some("stop"))),
    ];
    let server = Server::start(acts).await;
    let model = model(settings(&server, Dialect::OpenAiChat));
    let mut request = plain("what time is it?");
    request.tools = tools();
    let Err(MindError::BadVoice { problem, .. }) = model.ask(&request, &drop).await else {
        panic!()
    };
    request.repair = Some(problem);
    let voice = model.ask(&request, &drop).await.unwrap().voice;
    assert_eq!(voice.tool_calls[0].name, "clock.now");
    assert!(server.asked()[2].contains("json_schema"));
}

/// Answers in words alone.
fn words(text: &str) -> Act {
    http(200, "", &frame(&json!({"content": text}), Some("stop")))
}

#[tokio::test]
async fn a_model_that_does_worse_in_json_is_asked_by_its_own_means_again() {
    let written =
        "Let me look. <tool_call>{\"name\": \"clock-now\", \"arguments\": {}}</tool_call>";
    for (in_json, is_answer) in [("It is late.", true), ("{\"final_response\": 3}", false)] {
        let acts = vec![words(written), words(written), words(in_json), words("It is five.")];
        let server = Server::start(acts).await;
        let model = model(settings(&server, Dialect::OpenAiChat));
        let mut request = plain("what time is it?");
        request.tools = tools();
        let Err(MindError::BadVoice { problem, .. }) = model.ask(&request, &drop).await else {
            panic!()
        };
        request.repair = Some(problem);
        let answer = model.ask(&request, &drop).await;
        assert_eq!(answer.is_ok(), is_answer, "{answer:?}");
        request.repair = None;
        let said = model.ask(&request, &drop).await.unwrap().voice.final_response;
        assert_eq!(said.as_deref(), Some("It is five."));
        let is_json: Vec<bool> =
            server.asked().iter().map(|body| body.contains("json_schema")).collect();
        assert_eq!(is_json, [false, false, true, false]);
    }
}

#[tokio::test]
async fn a_thought_that_the_template_opens_is_shown_once_and_never_again() {
    let planned = "secret plan</think>\n\nThe answer is 5.";
    let acts = vec![words(planned), words(planned), words("Plainly 6."), words("Plainly 7.")];
    let server = Server::start(acts).await;
    let model = model(settings(&server, Dialect::OpenAiChat));
    let mut all = Vec::new();
    for _ in 0..4 {
        let shown = Mutex::new(String::new());
        let on_delta = |delta: ReplyDelta| {
            if !delta.thought {
                shown.lock().unwrap().push_str(&delta.text);
            }
        };
        let said = model.ask(&plain("2+3?"), &on_delta).await.unwrap().voice.final_response;
        all.push((said.unwrap(), shown.into_inner().unwrap()));
    }
    let said: Vec<&str> = all.iter().map(|(said, _)| said.as_str()).collect();
    assert_eq!(said, ["The answer is 5.", "The answer is 5.", "Plainly 6.", "Plainly 7."]);
    let shown: Vec<&str> = all.iter().map(|(_, shown)| shown.as_str()).skip(1).collect();
    assert_eq!(shown, ["The answer is 5.", "Plainly 6.", "Plainly 7."]);
}

#[tokio::test]
async fn an_answer_that_is_too_long_for_its_limit_names_it_to_people() {
    let cut = frame(&json!({"content": "one two"}), Some("length"));
    let server = Server::start(vec![http(200, "", &cut)]).await;
    let mut settings = settings(&server, Dialect::OpenAiChat);
    settings.max_output_tokens = Some(2);
    let error = model(settings).ask(&plain("count"), &drop).await.unwrap_err();
    assert_eq!(error.to_string(), "the model gave an answer longer than its limit of 2 tokens");
    let MindError::BadVoice { problem, .. } = error else { panic!("{error}") };
    assert!(problem.message.contains("answer more briefly"), "{problem}");
}
