//! What the fake answers in each dialect, whole and as a stream.

use abide_testkit::{FakeDialect, FakeStop, ModelServer, Reply};
use serde_json::{Value, json};

use crate::client::{End, Got, ask, get, hello, post};

/// Text, thought, calls (id, name, arguments) and why it stopped: what an adapter must find.
type Found = (String, String, Vec<(String, String, Value)>, String);

fn found(dialect: FakeDialect, got: &Got, stream: bool) -> Found {
    match (dialect, stream) {
        (FakeDialect::OpenAiChat, false) => chat(&got.json()),
        (FakeDialect::OpenAiChat, true) => chat_stream(&got.events()),
        (FakeDialect::OpenAiResponses, false) => responses(&got.json()),
        (FakeDialect::OpenAiResponses, true) => {
            let events = got.events();
            let deltas: String = of_type(&events, "response.output_text.delta");
            let end = events.last().unwrap()["response"].clone();
            let found = responses(&end);
            assert_eq!(deltas, found.0, "the pieces make the whole");
            let numbers: Vec<_> =
                events.iter().map(|event| event["sequence_number"].as_u64()).collect();
            assert!(
                numbers.iter().enumerate().all(|(index, number)| *number == Some(index as u64))
            );
            found
        }
        (FakeDialect::Anthropic, false) => anthropic(&got.json()),
        (FakeDialect::Anthropic, true) => anthropic_stream(&got.events()),
        (FakeDialect::Ollama, false) => ollama(&[got.json()]),
        (FakeDialect::Ollama, true) => ollama(&got.events()),
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn of_type(events: &[Value], kind: &str) -> String {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .map(|event| string(&event["delta"]))
        .collect()
}

fn parsed(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap()
}

fn chat(body: &Value) -> Found {
    let choice = &body["choices"][0];
    let message = &choice["message"];
    let calls = message["tool_calls"].as_array().into_iter().flatten().map(|call| {
        let arguments = parsed(call["function"]["arguments"].as_str().unwrap());
        (string(&call["id"]), string(&call["function"]["name"]), arguments)
    });
    (
        string(&message["content"]),
        string(&message["reasoning_content"]),
        calls.collect(),
        string(&choice["finish_reason"]),
    )
}

fn chat_stream(events: &[Value]) -> Found {
    let (mut text, mut thought, mut finish) = (String::new(), String::new(), String::new());
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for choice in events.iter().filter_map(|event| event["choices"].get(0)) {
        let delta = &choice["delta"];
        text.push_str(&string(&delta["content"]));
        thought.push_str(&string(&delta["reasoning_content"]));
        finish.push_str(&string(&choice["finish_reason"]));
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            calls.resize(calls.len().max(index + 1), Default::default());
            calls[index].0.push_str(&string(&call["id"]));
            calls[index].1.push_str(&string(&call["function"]["name"]));
            calls[index].2.push_str(&string(&call["function"]["arguments"]));
        }
    }
    let calls = calls.into_iter().map(|(id, name, arguments)| (id, name, parsed(&arguments)));
    (text, thought, calls.collect(), finish)
}

fn responses(body: &Value) -> Found {
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    for item in body["output"].as_array().unwrap() {
        match item["type"].as_str().unwrap() {
            "message" => text.push_str(&string(&item["content"][0]["text"])),
            "reasoning" => thought.push_str(&string(&item["summary"][0]["text"])),
            _ => {
                let arguments = parsed(item["arguments"].as_str().unwrap());
                calls.push((string(&item["call_id"]), string(&item["name"]), arguments));
            }
        }
    }
    (text, thought, calls, string(&body["status"]))
}

fn anthropic(body: &Value) -> Found {
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    for block in body["content"].as_array().unwrap() {
        text.push_str(&string(&block["text"]));
        thought.push_str(&string(&block["thinking"]));
        if block["type"] == "tool_use" {
            calls.push((string(&block["id"]), string(&block["name"]), block["input"].clone()));
        }
    }
    (text, thought, calls, string(&body["stop_reason"]))
}

fn anthropic_stream(events: &[Value]) -> Found {
    let (mut text, mut thought, mut stop) = (String::new(), String::new(), String::new());
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for event in events {
        let block = &event["content_block"];
        if block["type"] == "tool_use" {
            calls.push((string(&block["id"]), string(&block["name"]), String::new()));
        }
        let delta = &event["delta"];
        text.push_str(&string(&delta["text"]));
        thought.push_str(&string(&delta["thinking"]));
        stop.push_str(&string(&delta["stop_reason"]));
        if let Some(call) = calls.last_mut() {
            call.2.push_str(&string(&delta["partial_json"]));
        }
    }
    let calls = calls.into_iter().map(|(id, name, arguments)| (id, name, parsed(&arguments)));
    (text, thought, calls.collect(), stop)
}

fn ollama(lines: &[Value]) -> Found {
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    for line in lines {
        let message = &line["message"];
        text.push_str(&string(&message["content"]));
        thought.push_str(&string(&message["thinking"]));
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            calls.push((
                string(&call["id"]),
                string(&function["name"]),
                function["arguments"].clone(),
            ));
        }
    }
    (text, thought, calls, string(&lines.last().unwrap()["done_reason"]))
}

fn every_form() -> impl Iterator<Item = (FakeDialect, bool)> {
    FakeDialect::ALL.into_iter().flat_map(|dialect| [(dialect, false), (dialect, true)])
}

#[test]
fn a_text_comes_through_in_every_dialect_and_byte_by_byte() {
    let server = ModelServer::start().unwrap();
    let text = "Grüße, \"heron\" stands\nby the water 🐦";
    for (dialect, stream) in every_form() {
        server.script([
            Reply::text(text).thought("let me see"),
            Reply::text(text).thought("let me see").dribble(1),
        ]);
        let at_once = post(&server, dialect, &hello(dialect, stream));
        let dribbled = post(&server, dialect, &hello(dialect, stream));
        assert_eq!(at_once.end, End::Whole);
        if stream {
            assert!(dribbled.chunks.iter().all(|bytes| *bytes == 1), "{dialect:?}");
        }
        let (words, thought, calls, _) = found(dialect, &at_once, stream);
        assert_eq!(
            (words.as_str(), thought.as_str()),
            (text, "let me see"),
            "{dialect:?} {stream}"
        );
        assert_eq!(calls, []);
        assert_eq!(found(dialect, &dribbled, stream).0, text);
    }
    server.assert_clean();
    assert_eq!((server.unused(), server.count()), (0, 16));
}

#[test]
fn calls_come_through_with_ids_of_their_own() {
    let server = ModelServer::start().unwrap();
    for (dialect, stream) in every_form() {
        let arguments = json!({"path": "a/b", "text": "x\"y", "n": 1});
        let calls = [("files__write", arguments.clone()), ("clock__now", json!({}))];
        server.script([Reply::text("on it").and_calls(calls)]);
        let got = post(&server, dialect, &hello(dialect, stream));
        let (words, _, calls, stop) = found(dialect, &got, stream);
        assert_eq!(words, "on it");
        let names: Vec<_> = calls.iter().map(|(_, name, _)| name.as_str()).collect();
        assert_eq!(names, ["files__write", "clock__now"], "{dialect:?} {stream}");
        assert_eq!(calls[0].2, arguments);
        assert_ne!(calls[0].0, calls[1].0);
        let expected = match dialect {
            FakeDialect::OpenAiChat => "tool_calls",
            FakeDialect::OpenAiResponses => "completed",
            FakeDialect::Anthropic => "tool_use",
            FakeDialect::Ollama => "stop",
        };
        assert_eq!(stop, expected);
    }
}

#[test]
fn ids_and_arguments_can_be_as_bad_as_real_models_make_them() {
    let server = ModelServer::start().unwrap();
    server.script([
        Reply::calls([("a", json!({})), ("b", json!({}))]).call_ids(&["same", "same"]),
        Reply::raw_call("a", "{\"cut"),
    ]);
    let dialect = FakeDialect::OpenAiChat;
    let (_, _, calls, _) = found(dialect, &post(&server, dialect, &hello(dialect, false)), false);
    assert_eq!(calls[0].0, calls[1].0);
    let got = post(&server, dialect, &hello(dialect, false)).json();
    let arguments = &got["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(arguments, "{\"cut");
}

#[test]
fn stop_reasons_are_the_dialects_own() {
    let server = ModelServer::start().unwrap();
    let cases = [
        (FakeDialect::OpenAiChat, FakeStop::MaxTokens, "length"),
        (FakeDialect::OpenAiResponses, FakeStop::MaxTokens, "incomplete"),
        (FakeDialect::Anthropic, FakeStop::MaxTokens, "max_tokens"),
        (FakeDialect::Anthropic, FakeStop::ContextWindow, "model_context_window_exceeded"),
        (FakeDialect::Anthropic, FakeStop::Refusal, "refusal"),
        (FakeDialect::Ollama, FakeStop::MaxTokens, "length"),
    ];
    for (dialect, stop, expected) in cases {
        for stream in [false, true] {
            server.script([Reply::text("half a").stop(stop)]);
            let got = post(&server, dialect, &hello(dialect, stream));
            assert_eq!(found(dialect, &got, stream).3, expected, "{dialect:?} {stream}");
        }
    }
    server.script([Reply::refusal("no")]);
    let got = post(&server, FakeDialect::OpenAiChat, &hello(FakeDialect::OpenAiChat, false)).json();
    let message = &got["choices"][0]["message"];
    assert_eq!((&message["refusal"], &message["content"]), (&json!("no"), &Value::Null));
}

#[test]
fn usage_is_reported_where_each_dialect_has_it() {
    let server = ModelServer::start().unwrap();
    for stream in [false, true] {
        for dialect in FakeDialect::ALL {
            server.script([Reply::text("x").usage(100, 7).cached(40)]);
            let got = post(&server, dialect, &hello(dialect, stream));
            let last = got.events().into_iter().rev();
            let mut usages = last.filter_map(|event| {
                let places = ["/usage", "/response/usage"];
                let usage = places.iter().find_map(|place| event.pointer(place).cloned());
                usage.or_else(|| event.get("eval_count").map(|_| event.clone()))
            });
            let usage = usages.find(|usage| !usage.is_null()).unwrap();
            let (field, output) = match dialect {
                FakeDialect::OpenAiChat => ("/prompt_tokens", "/completion_tokens"),
                FakeDialect::OpenAiResponses => ("/input_tokens", "/output_tokens"),
                FakeDialect::Anthropic => ("/cache_read_input_tokens", "/output_tokens"),
                FakeDialect::Ollama => ("/prompt_eval_count", "/eval_count"),
            };
            assert_eq!(usage.pointer(output), Some(&json!(7)), "{dialect:?} {usage}");
            if dialect != FakeDialect::Anthropic {
                assert_eq!(usage.pointer(field), Some(&json!(100)), "{dialect:?} {usage}");
            }
        }
    }
    let mut silent = ask(FakeDialect::OpenAiChat, "hello", true);
    silent.as_object_mut().unwrap().remove("stream_options");
    server.script([Reply::text("x")]);
    let got = post(&server, FakeDialect::OpenAiChat, &silent);
    assert!(got.events().iter().all(|event| event["usage"].is_null()), "usage only when asked for");
}

#[test]
fn model_lists_and_health_are_there() {
    let server = ModelServer::builder().models(&["heron-1"]).key("k").start().unwrap();
    assert_eq!(get(&server, "/health", &[]).status, 200);
    assert_eq!(get(&server, "/v1/models", &[]).status, 401);
    let bearer = ("authorization", "Bearer k");
    assert_eq!(get(&server, "/v1/models", &[bearer]).json()["data"][0]["id"], "heron-1");
    assert_eq!(get(&server, "/api/tags", &[bearer]).json()["models"][0]["name"], "heron-1");
    let headers = [("x-api-key", "k"), ("anthropic-version", "2023-06-01")];
    assert_eq!(get(&server, "/v1/models", &headers).json()["data"][0]["type"], "model");
    assert_eq!(get(&server, "/nothing", &[bearer]).status, 404);
}
