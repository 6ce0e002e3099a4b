//! Streams as providers send them, whole and cut anywhere: the same voice, the same words on the way, no panic.

use abide_domain::voice::{ToolCall, Voice};
use abide_models::{AttemptError, AttemptErrorKind, Decoder, Dialect, RequestForm, TokenCount};
use proptest::prelude::*;
use serde_json::{Value, json};

use Dialect::{Anthropic, Ollama, OpenAiChat, OpenAiResponses};

/// What came of a stream.
#[derive(Debug, PartialEq)]
struct Outcome {
    voice: Result<Voice, AttemptError>,
    shown: String,
    thought: String,
    tokens: TokenCount,
    model: String,
}

fn decode<'a>(
    dialect: Dialect,
    form: RequestForm,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Outcome {
    let mut decoder = Decoder::new(dialect, form);
    let mut deltas = Vec::new();
    let mut voice = None;
    for piece in pieces {
        if decoder.has_ended() {
            break;
        }
        if let Err(fault) = decoder.push(piece, &mut deltas) {
            voice = Some(Err(fault));
            break;
        }
    }
    let voice = voice.unwrap_or_else(|| decoder.finish(&mut deltas));
    let text = |thought: bool| {
        deltas
            .iter()
            .filter(|delta| delta.thought == thought)
            .map(|delta| delta.text.as_str())
            .collect()
    };
    Outcome {
        voice,
        shown: text(false),
        thought: text(true),
        tokens: decoder.tokens(),
        model: decoder.model().to_owned(),
    }
}

/// The outcome of a stream, which must be the same whole and byte by byte.
fn outcome(dialect: Dialect, form: RequestForm, stream: &str) -> Outcome {
    let whole = decode(dialect, form, std::iter::once(stream.as_bytes()));
    assert_eq!(decode(dialect, form, stream.as_bytes().chunks(1)), whole, "byte by byte");
    whole
}

fn native(dialect: Dialect, stream: &str) -> Outcome {
    outcome(dialect, RequestForm::Native, stream)
}

fn kind(dialect: Dialect, stream: &str) -> AttemptErrorKind {
    native(dialect, stream).voice.unwrap_err().kind
}

fn sse(frames: &[Value]) -> String {
    frames.iter().map(|frame| format!("data: {frame}\n\n")).collect()
}

/// With the event's name before it, as Anthropic and Responses send it.
fn events(frames: &[Value]) -> String {
    let event = |frame: &Value| {
        format!("event: {}\r\ndata: {frame}\r\n\r\n", frame["type"].as_str().unwrap())
    };
    frames.iter().map(event).collect()
}

fn lines(frames: &[Value]) -> String {
    frames.iter().map(|frame| format!("{frame}\n")).collect()
}

fn calls(calls: &[(&str, Value)]) -> Vec<ToolCall> {
    let call = |(name, arguments): &(&str, Value)| ToolCall {
        name: (*name).into(),
        arguments: arguments.clone(),
    };
    calls.iter().map(call).collect()
}

fn choice(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "model": "m-1-2026",
           "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn chat_text() -> String {
    let usage = json!({"choices": [], "usage": {
        "prompt_tokens": 12, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 8},
    }});
    sse(&[
        choice(&json!({"role": "assistant", "content": ""}), None),
        choice(&json!({"reasoning_content": "hm, "}), None),
        choice(&json!({"reasoning": "greet"}), None),
        choice(&json!({"content": "Hé"}), None),
        choice(&json!({"content": "llo 😀"}), None),
        choice(&json!({}), Some("stop")),
        usage,
    ]) + "data: [DONE]\n\n"
}

fn chat_calls() -> String {
    let part = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| {
        choice(
            &json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                       "function": {"name": name, "arguments": arguments}}]}),
            None,
        )
    };
    sse(&[
        part(0, Some("a"), Some("memory-search_facts"), ""),
        part(1, Some("b"), Some("clock-now"), ""),
        part(0, None, None, "{\"query\":"),
        part(1, None, None, "{"),
        part(0, None, None, "\"x\"}"),
        part(1, None, None, "}"),
        choice(&json!({}), Some("tool_calls")),
    ]) + "data: [DONE]\n\n"
}

fn anthropic(blocks: &[Value], stop: &str) -> String {
    let mut frames = vec![json!({"type": "message_start", "message": {
        "id": "m", "model": "m-1", "content": [],
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": 1},
    }})];
    frames.push(json!({"type": "ping"}));
    frames.extend_from_slice(blocks);
    frames.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 42}}));
    frames.push(json!({"type": "message_stop"}));
    events(&frames)
}

fn start(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn anthropic_rich() -> String {
    anthropic(
        &[
            start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "let me "})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "see"})),
            delta(0, &json!({"type": "signature_delta", "signature": "xyz"})),
            json!({"type": "content_block_stop", "index": 0}),
            start(1, &json!({"type": "text", "text": ""})),
            delta(1, &json!({"type": "text_delta", "text": "I look."})),
            start(2, &json!({"type": "tool_use", "id": "t1", "name": "clock-now", "input": {}})),
            delta(2, &json!({"type": "input_json_delta", "partial_json": ""})),
            start(
                3,
                &json!({"type": "tool_use", "id": "t2", "name": "memory-search_facts", "input": {}}),
            ),
            delta(3, &json!({"type": "input_json_delta", "partial_json": "{\"query\": \"é"})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": "\"}"})),
        ],
        "tool_use",
    )
}

fn responses(frames: &[Value], end: &Value) -> String {
    let mut all = vec![
        json!({"type": "response.created", "sequence_number": 0, "response": {"status": "in_progress"}}),
    ];
    all.extend_from_slice(frames);
    all.push(end.clone());
    events(&all)
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"model": "m-1", "status": "completed", "error": null, "usage": {
        "input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 3,
    }}})
}

fn responses_rich() -> String {
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_x", "name": "clock-now", "arguments": ""});
    responses(
        &[
            json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "think"}),
            json!({"type": "response.output_text.delta", "output_index": 1, "delta": "I "}),
            json!({"type": "response.output_text.delta", "output_index": 1, "delta": "look."}),
            json!({"type": "response.output_item.added", "output_index": 2, "item": call}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 2, "item_id": "fc_1", "delta": "{\"a\""}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 2, "item_id": "fc_1", "delta": ":1}"}),
            json!({"type": "response.function_call_arguments.done", "output_index": 2, "item_id": "fc_1", "arguments": "{\"a\":1}"}),
        ],
        &completed(),
    )
}

fn ollama_rich() -> String {
    let call =
        |name: &str, arguments: Value| json!({"function": {"name": name, "arguments": arguments}});
    lines(&[
        json!({"model": "m:7b", "message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": false}),
        json!({"model": "m:7b", "message": {"role": "assistant", "content": "I look."}, "done": false}),
        json!({"model": "m:7b", "message": {"content": "", "tool_calls": [call("clock-now", json!({}))]}, "done": false}),
        json!({"model": "m:7b", "message": {"content": "", "tool_calls": [
            call("memory-search_facts", json!({"query": "x"})), call("clock-now", json!({"a": 1}))]}, "done": false}),
        json!({"model": "m:7b", "message": {"content": ""}, "done": true, "done_reason": "stop",
               "prompt_eval_count": 20, "eval_count": 6}),
    ])
}

#[test]
fn chat_text_with_reasoning_and_a_usage_frame_without_choices() {
    let expected = Outcome {
        voice: Ok(Voice::native("hm, greet".into(), "Héllo 😀".into(), Vec::new())),
        shown: "Héllo 😀".into(),
        thought: "hm, greet".into(),
        tokens: TokenCount { input: 12, cache_read: 8, cache_write: 0, output: 5 },
        model: "m-1-2026".into(),
    };
    assert_eq!(native(OpenAiChat, &chat_text()), expected);
    let without_done = chat_text().replace("data: [DONE]\n\n", "");
    assert_eq!(native(OpenAiChat, &without_done), expected, "[DONE] missing");
    assert_eq!(
        native(OpenAiChat, without_done.trim_end()).voice,
        expected.voice,
        "cut in the usage frame"
    );
}

#[test]
fn chat_calls_side_by_side_with_their_arguments_interleaved() {
    let expected =
        calls(&[("memory.search_facts", json!({"query": "x"})), ("clock.now", json!({}))]);
    let voice = native(OpenAiChat, &chat_calls()).voice.unwrap();
    assert_eq!((voice.tool_calls, voice.final_response), (expected, None));
}

#[test]
fn chat_calls_of_servers_that_number_them_wrongly_or_not_at_all() {
    let call = |index: Option<u64>, id: &str, name: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": "{}"}});
    let cases = [
        json!([call(Some(0), "a", "clock-now"), call(Some(0), "b", "stdout")]),
        json!([call(None, "a", "clock-now"), call(None, "b", "stdout")]),
        json!([call(None, "", "clock-now"), call(None, "", "stdout")]),
    ];
    for tool_calls in cases {
        let stream = sse(&[choice(&json!({"tool_calls": tool_calls}), Some("tool_calls"))]);
        let voice = native(OpenAiChat, &stream).voice.unwrap();
        assert_eq!(
            voice.tool_calls,
            calls(&[("clock.now", json!({})), ("stdout", json!({}))]),
            "{tool_calls}"
        );
    }
}

#[test]
fn anthropic_thinking_text_and_calls() {
    let expected = Outcome {
        voice: Ok(Voice::native(
            "let me see".into(),
            "I look.".into(),
            calls(&[("clock.now", json!({})), ("memory.search_facts", json!({"query": "é"}))]),
        )),
        shown: "I look.".into(),
        thought: "let me see".into(),
        tokens: TokenCount { input: 1110, cache_read: 1000, cache_write: 100, output: 42 },
        model: "m-1".into(),
    };
    assert_eq!(native(Anthropic, &anthropic_rich()), expected);
}

#[test]
fn responses_reasoning_text_and_a_call() {
    let expected = Outcome {
        voice: Ok(Voice::native(
            "think".into(),
            "I look.".into(),
            calls(&[("clock.now", json!({"a": 1}))]),
        )),
        shown: "I look.".into(),
        thought: "think".into(),
        tokens: TokenCount { input: 9, cache_read: 4, cache_write: 0, output: 3 },
        model: "m-1".into(),
    };
    assert_eq!(native(OpenAiResponses, &responses_rich()), expected);
}

#[test]
fn responses_that_come_only_with_their_end() {
    let mut end = completed();
    end["response"]["output"] = json!([
        {"type": "message", "content": [{"type": "output_text", "text": "Hello."}]},
        {"type": "function_call", "name": "clock-now", "arguments": "{}"},
    ]);
    let voice = native(OpenAiResponses, &responses(&[], &end)).voice;
    let expected =
        Voice::native(String::new(), "Hello.".into(), calls(&[("clock.now", json!({}))]));
    assert_eq!(voice, Ok(expected));
}

#[test]
fn ollama_thinking_text_and_whole_calls() {
    let expected = Outcome {
        voice: Ok(Voice::native(
            "hm".into(),
            "I look.".into(),
            calls(&[
                ("clock.now", json!({})),
                ("memory.search_facts", json!({"query": "x"})),
                ("clock.now", json!({"a": 1})),
            ]),
        )),
        shown: "I look.".into(),
        thought: "hm".into(),
        tokens: TokenCount { input: 20, cache_read: 0, cache_write: 0, output: 6 },
        model: "m:7b".into(),
    };
    assert_eq!(native(Ollama, &ollama_rich()), expected);
}

#[test]
fn a_thought_written_into_the_text_is_never_shown_as_text() {
    let stream = sse(&[
        choice(&json!({"content": "<thi"}), None),
        choice(&json!({"content": "nk>secret</think>\n\nHello"}), Some("stop")),
    ]);
    let outcome = native(OpenAiChat, &stream);
    assert_eq!((outcome.shown.as_str(), outcome.thought.as_str()), ("Hello", "secret"));
    assert_eq!(outcome.voice, Ok(Voice::native("secret".into(), "Hello".into(), Vec::new())));
}

/// A voice as JSON, in the stream of each dialect.
fn json_streams(voice: &str) -> [(Dialect, String); 4] {
    let letters: Vec<String> = voice.chars().map(String::from).collect();
    let pieces = |wrap: &dyn Fn(&str) -> Value| {
        letters.iter().map(|letter| wrap(letter)).collect::<Vec<_>>()
    };
    let chat = pieces(&|text| choice(&json!({"content": text}), None));
    let anthropic_blocks = pieces(&|text| delta(0, &json!({"type": "text_delta", "text": text})));
    let responses_frames =
        pieces(&|text| json!({"type": "response.output_text.delta", "delta": text}));
    let ollama = pieces(&|text| json!({"message": {"content": text}, "done": false}));
    [
        (OpenAiChat, sse(&chat) + &sse(&[choice(&json!({}), Some("stop"))])),
        (Anthropic, anthropic(&anthropic_blocks, "end_turn")),
        (OpenAiResponses, responses(&responses_frames, &completed())),
        (Ollama, lines(&ollama) + &lines(&[json!({"done": true, "done_reason": "stop"})])),
    ]
}

#[test]
fn the_json_voice_shows_words_and_no_json() {
    let voice = r#"{"thought":"t","emotive_state":"calm","tool_calls":[{"name":"clock.now","arguments":"{\"a\":1}"}],"final_response":"Line\n\"é\""}"#;
    let expected = Voice {
        thought: "t".into(),
        emotive_state: "calm".into(),
        tool_calls: calls(&[("clock.now", json!({"a": 1}))]),
        final_response: Some("Line\n\"é\"".into()),
    };
    for (dialect, stream) in json_streams(voice) {
        let outcome = outcome(dialect, RequestForm::Json, &stream);
        assert_eq!(outcome.voice, Ok(expected.clone()), "{dialect:?}");
        assert_eq!(
            (outcome.shown.as_str(), outcome.thought.as_str()),
            ("Line\n\"é\"", ""),
            "{dialect:?}"
        );
    }
}

#[test]
fn plain_prose_is_an_answer_where_json_was_asked_for_in_vain() {
    for (dialect, stream) in json_streams("Sure! Here you go: {1, 2}.") {
        let outcome = outcome(dialect, RequestForm::Json, &stream);
        let said = "Sure! Here you go: {1, 2}.";
        let expected = Voice::native(String::new(), said.into(), Vec::new());
        assert_eq!(outcome.voice, Ok(expected), "{dialect:?}");
        assert_eq!(outcome.shown, said, "{dialect:?}");
    }
}

#[test]
fn what_stands_before_a_lone_closing_tag_is_a_thought() {
    let said = choice(&json!({"content": "secret plan</think>\n\nThe answer is 5."}), Some("stop"));
    let outcome = native(OpenAiChat, &sse(&[said]));
    let voice = outcome.voice.unwrap();
    assert_eq!(voice.final_response.as_deref(), Some("The answer is 5."));
    assert_eq!(voice.thought, "secret plan");
    let voice = r#"{"thought":"","emotive_state":"calm","tool_calls":[],"final_response":"5"}"#;
    for (dialect, stream) in json_streams(&format!("a {{plan}}\n</think>\n{voice}")) {
        let voice = self::outcome(dialect, RequestForm::Json, &stream).voice.unwrap();
        assert_eq!(voice.final_response.as_deref(), Some("5"), "{dialect:?}");
        assert_eq!(voice.thought, "a {plan}\n", "{dialect:?}");
    }
}

#[test]
fn a_voice_that_does_not_fit_names_its_path() {
    let bad = |outcome: Outcome| match outcome.voice {
        Err(AttemptError { kind: AttemptErrorKind::BadVoice { path }, .. }) => path,
        other => panic!("{other:?}"),
    };
    for (dialect, stream) in json_streams(r#"{"final_response":3}"#) {
        assert_eq!(
            bad(outcome(dialect, RequestForm::Json, &stream)),
            "final_response",
            "{dialect:?}"
        );
    }
    for near in ["Sure! {\"final_response\": \"Here you go.\"}", "{\"final_response\": \"Here"] {
        for (dialect, stream) in json_streams(near) {
            assert_eq!(bad(outcome(dialect, RequestForm::Json, &stream)), "", "{dialect:?}");
        }
    }
    let broken = chat_calls().replace("\"\\\"x\\\"}\"", "\"\\\"x\"");
    assert_eq!(bad(native(OpenAiChat, &broken)), "tool_calls[0].arguments");
    let array = ollama_rich().replace(r#"{"query":"x"}"#, "[1]");
    assert_eq!(bad(native(Ollama, &array)), "tool_calls[1].arguments");
}

#[test]
fn each_stop_is_told_apart() {
    let text = |text: &str| delta(0, &json!({"type": "text_delta", "text": text}));
    let bad = AttemptErrorKind::BadVoice { path: String::new() };
    let incomplete = |reason: &str| {
        json!({"type": "response.incomplete", "response": {
        "status": "incomplete", "incomplete_details": {"reason": reason}}})
    };
    let refusal = json!({"type": "response.refusal.delta", "delta": "No."});
    let cases = [
        (OpenAiChat, sse(&[choice(&json!({"content": "a"}), Some("length"))]), bad.clone()),
        (
            OpenAiChat,
            sse(&[choice(&json!({"content": "a"}), Some("content_filter"))]),
            AttemptErrorKind::Refused,
        ),
        (
            OpenAiChat,
            sse(&[choice(&json!({"refusal": "I can't."}), Some("stop"))]),
            AttemptErrorKind::Refused,
        ),
        (Anthropic, anthropic(&[text("a")], "max_tokens"), bad.clone()),
        (Anthropic, anthropic(&[text("a")], "refusal"), AttemptErrorKind::Refused),
        (
            Anthropic,
            anthropic(&[text("a")], "model_context_window_exceeded"),
            AttemptErrorKind::ContextTooLong,
        ),
        (OpenAiResponses, responses(&[], &incomplete("max_output_tokens")), bad.clone()),
        (OpenAiResponses, responses(&[], &incomplete("content_filter")), AttemptErrorKind::Refused),
        (OpenAiResponses, responses(&[refusal], &completed()), AttemptErrorKind::Refused),
        (
            Ollama,
            lines(&[json!({"message": {"content": "a"}, "done": true, "done_reason": "length"})]),
            bad,
        ),
    ];
    for (dialect, stream, expected) in cases {
        assert_eq!(kind(dialect, &stream), expected, "{stream}");
    }
}

#[test]
fn half_an_answer_never_stands_for_the_whole() {
    let half = choice(&json!({"content": "The heron is"}), None);
    let text = |text: &str| delta(0, &json!({"type": "text_delta", "text": text}));
    for word in [
        "error",
        "abort",
        "network_error",
        "OTHER",
        "cancelled",
        "timeout",
        "load",
        "unknown",
        "insufficient_system_resource",
        "finished_by_operator",
    ] {
        let chat = sse(&[half.clone(), choice(&json!({}), Some(word))]) + "data: [DONE]\n\n";
        assert_eq!(kind(OpenAiChat, &chat), AttemptErrorKind::Cut, "{word}");
        assert_eq!(
            kind(Anthropic, &anthropic(&[text("The heron is")], word)),
            AttemptErrorKind::Cut,
            "{word}"
        );
        let own =
            json!({"message": {"content": "The heron is"}, "done": true, "done_reason": word});
        assert_eq!(kind(Ollama, &lines(&[own])), AttemptErrorKind::Cut, "{word}");
    }
    for reason in ["interrupted", "x"] {
        let end = json!({"type": "response.incomplete", "response": {"status": "incomplete", "model": "m",
            "incomplete_details": {"reason": reason}}});
        assert_eq!(kind(OpenAiResponses, &responses(&[], &end)), AttemptErrorKind::Cut, "{reason}");
    }
    for status in ["cancelled", "in_progress", "incomplete"] {
        let end =
            json!({"type": "response.completed", "response": {"status": status, "model": "m"}});
        assert_eq!(kind(OpenAiResponses, &responses(&[], &end)), AttemptErrorKind::Cut, "{status}");
    }
    let no_reason = sse(std::slice::from_ref(&half)) + "data: [DONE]\n\n";
    assert_eq!(kind(OpenAiChat, &no_reason), AttemptErrorKind::Cut);
    let mut failed = choice(&json!({}), Some("stop"));
    failed["choices"][0]["error"] = json!({"code": 429, "message": "slow down"});
    assert_eq!(kind(OpenAiChat, &sse(&[half.clone(), failed])), AttemptErrorKind::RateLimited);
    let bad = AttemptErrorKind::BadVoice { path: "tool_calls".into() };
    for word in ["tool_calls", "MALFORMED_FUNCTION_CALL"] {
        assert_eq!(
            kind(OpenAiChat, &sse(&[half.clone(), choice(&json!({}), Some(word))])),
            bad,
            "{word}"
        );
    }
    let length = AttemptErrorKind::BadVoice { path: String::new() };
    assert_eq!(kind(OpenAiChat, &sse(&[half, choice(&json!({}), Some("MAX_TOKENS"))])), length);
}

#[test]
fn an_error_in_the_stream_means_what_it_says() {
    let error = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "words"}});
    let begun = choice(&json!({"content": "a"}), None);
    let failed = json!({"type": "response.failed", "response": {"status": "failed",
        "error": {"code": "server_error", "message": "words"}}});
    let cases = [
        (Anthropic, events(&[error("overloaded_error")]), AttemptErrorKind::Overloaded),
        (Anthropic, events(&[error("api_error")]), AttemptErrorKind::Cut),
        (Anthropic, events(&[error("rate_limit_error")]), AttemptErrorKind::RateLimited),
        (
            OpenAiChat,
            sse(&[begun.clone(), json!({"error": {"message": "words", "code": 500}})]),
            AttemptErrorKind::Cut,
        ),
        (
            OpenAiChat,
            sse(&[begun, json!({"error": {"message": "words", "code": "insufficient_quota"}})]),
            AttemptErrorKind::MoneyOut,
        ),
        (OpenAiResponses, responses(&[], &failed), AttemptErrorKind::Cut),
        (
            OpenAiResponses,
            events(&[json!({"type": "error", "code": "rate_limit_exceeded", "message": "words"})]),
            AttemptErrorKind::RateLimited,
        ),
        (
            OpenAiResponses,
            events(&[error("context_length_exceeded")]),
            AttemptErrorKind::ContextTooLong,
        ),
        (Ollama, lines(&[json!({"error": "words"})]), AttemptErrorKind::Cut),
    ];
    for (dialect, stream, expected) in cases {
        let fault = native(dialect, &stream).voice.unwrap_err();
        assert_eq!((fault.kind, fault.message.as_str()), (expected, "words"), "{stream}");
    }
}

#[test]
fn a_stream_cut_anywhere_before_the_models_stop_is_no_answer() {
    let streams = [
        (OpenAiChat, chat_text(), "\"finish_reason\":\"stop\""),
        (OpenAiChat, chat_calls(), "\"finish_reason\":\"tool_calls\""),
        (Anthropic, anthropic_rich(), "\"stop_reason\""),
        (OpenAiResponses, responses_rich(), "response.completed"),
        (Ollama, ollama_rich(), "\"done\":true"),
    ];
    for (dialect, stream, stop) in streams {
        let end = stream.find(stop).unwrap();
        for cut in 0..end {
            let outcome =
                decode(dialect, RequestForm::Native, std::iter::once(&stream.as_bytes()[..cut]));
            assert_eq!(
                outcome.voice.unwrap_err().kind,
                AttemptErrorKind::Cut,
                "{dialect:?} at {cut}"
            );
        }
    }
}

#[test]
fn an_answer_without_end_is_cut_off_with_a_repair() {
    let piece = sse(&[choice(&json!({"content": "x".repeat(1 << 16)}), None)]);
    let call =
        json!({"tool_calls": [{"id": "", "function": {"name": "clock-now", "arguments": "{}"}}]});
    let call = sse(&[choice(&call, None)]);
    for (piece, path) in [(piece, "final_response"), (call, "tool_calls")] {
        let mut decoder = Decoder::new(OpenAiChat, RequestForm::Native);
        let mut deltas = Vec::new();
        let pushes = (1..100_000).find_map(|n| {
            deltas.clear();
            decoder.push(piece.as_bytes(), &mut deltas).err().map(|fault| (n, fault))
        });
        let (pushes, fault) = pushes.unwrap();
        assert_eq!(fault.kind, AttemptErrorKind::BadVoice { path: path.into() }, "after {pushes}");
        assert!(pushes < 2_000, "{pushes}");
    }
}

#[test]
fn an_answer_that_came_whole_is_read_as_well() {
    let chat = json!({"model": "m", "choices": [{"message": {"content": "Hello", "tool_calls": [
        {"id": "a", "function": {"name": "clock-now", "arguments": "{}"}}]}, "finish_reason": "stop"}]});
    let anthropic = json!({"type": "message", "model": "m", "stop_reason": "tool_use", "content": [
        {"type": "text", "text": "Hello"}, {"type": "tool_use", "id": "a", "name": "clock-now", "input": {}}]});
    let responses = json!({"model": "m", "status": "completed", "error": null, "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
        {"type": "function_call", "name": "clock-now", "arguments": "{}"}]});
    let expected = Voice::native(String::new(), "Hello".into(), calls(&[("clock.now", json!({}))]));
    for (dialect, answer) in
        [(OpenAiChat, chat), (Anthropic, anthropic), (OpenAiResponses, responses)]
    {
        let mut decoder = Decoder::new(dialect, RequestForm::Native);
        let mut deltas = Vec::new();
        decoder.push_whole(answer.to_string().as_bytes(), &mut deltas).unwrap();
        assert_eq!(decoder.finish(&mut deltas), Ok(expected.clone()), "{dialect:?}");
    }
}

/// Every recorded stream of this file.
fn recorded() -> Vec<(Dialect, String)> {
    let mut all = vec![
        (OpenAiChat, chat_text()),
        (OpenAiChat, chat_calls()),
        (Anthropic, anthropic_rich()),
        (OpenAiResponses, responses_rich()),
        (Ollama, ollama_rich()),
    ];
    all.extend(json_streams(r#"{"thought":"é","tool_calls":[],"final_response":"😀\n"}"#));
    all
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_outcome(
        which in 0..recorded().len(),
        is_json in any::<bool>(),
        cuts in proptest::collection::vec(1_usize..200, 1..60),
    ) {
        let (dialect, stream) = recorded().swap_remove(which);
        let form = if is_json { RequestForm::Json } else { RequestForm::Native };
        let mut pieces: Vec<&[u8]> = Vec::new();
        let mut rest = stream.as_bytes();
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces.push(rest);
        let whole = decode(dialect, form, std::iter::once(stream.as_bytes()));
        prop_assert_eq!(decode(dialect, form, pieces.into_iter()), whole);
    }

    #[test]
    fn no_bytes_panic(
        which in 0..recorded().len(),
        noise in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        is_json in any::<bool>(),
    ) {
        let (dialect, stream) = recorded().swap_remove(which);
        let mut bytes = stream.into_bytes();
        for (place, byte) in noise {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let form = if is_json { RequestForm::Json } else { RequestForm::Native };
        let outcome = decode(dialect, form, bytes.chunks(7));
        prop_assert_eq!(outcome, decode(dialect, form, std::iter::once(&*bytes)));
    }

    #[test]
    fn no_frame_panics(
        which in 0_usize..4,
        key in "type|error|choices|delta|message|usage|response|index|content_block|done|tool_calls|output|item",
        inner in "type|error|tool_calls|content|function|usage|delta|output|index",
        value in prop_oneof![Just(json!(null)), Just(json!(-1)), Just(json!(1e300)), Just(json!([[]])), Just(json!("x")), Just(json!({}))],
    ) {
        let dialect = Dialect::ALL[which];
        let frame = json!({key.clone(): {inner.clone(): [value.clone()]}});
        let flat = json!({key: value});
        for frame in [frame, flat] {
            let text = format!("data: {frame}\n\n");
            let line = format!("{frame}\n");
            drop(decode(dialect, RequestForm::Native, std::iter::once(text.as_bytes())));
            drop(decode(dialect, RequestForm::Json, std::iter::once(line.as_bytes())));
        }
    }
}
