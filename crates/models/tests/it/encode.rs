//! Requests as providers read them: whole values, one rich turn in each dialect and form.

use abide_domain::{
    CallId,
    tool::Outcome,
    turn::TurnRequest,
    voice::{VoiceError, schema},
};
use abide_models::{Dialect, ModelSettings, RequestForm, encode};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::request::{at, exchange, plain, step, tool};

/// History, two tools, a step with a result and a refusal, and a repair.
fn rich() -> TurnRequest {
    let mut request = plain("what time is it?");
    request.history = [exchange("hello", "Hello Ada.", "2026-11-27T20:00:00Z")].into();
    request.tools = [
        tool("clock.now", json!({"type": "object"})),
        tool("probe.append", json!({"type": "object", "required": ["line"]})),
    ]
    .into();
    request.steps = vec![step(
        1,
        &[
            ("clock.now", json!({}), Outcome::Ok, "{\"utc\":\"2026\"}"),
            ("probe.append", json!({"line": "x"}), Outcome::Denied, "not allowed"),
        ],
    )];
    request.turn = 2;
    request.repair = Some(VoiceError::new("final_response", "is blank"));
    request
}

const HISTORY: &str = "[ada · irc · Fri 2026-11-27 20:00 UTC]\nhello";
const STIMULUS: &str = "[nicolas · telegram · Fri 2026-11-27 22:10 UTC]\nwhat time is it?";
const DENIED: &str = "[denied: it did not run] not allowed";
const REPAIR: &str = "[keeper] Your last answer could not be used: final_response: is blank. Correct this and \
answer the turn again.";

fn settings(dialect: Dialect) -> ModelSettings {
    ModelSettings::new(dialect, "m-1")
}

fn function(name: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": name.replace('.', "-"), "description": format!("Does {name}."), "parameters": parameters,
    }})
}

#[test]
fn openai_chat_gets_messages_tools_and_paired_results() {
    let body = encode(&rich(), &settings(Dialect::OpenAiChat), RequestForm::Native);
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let expected = json!({
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "I am Felix."},
            {"role": "user", "content": HISTORY},
            {"role": "assistant", "content": "Hello Ada."},
            {"role": "user", "content": STIMULUS},
            {"role": "assistant", "content": null, "tool_calls": [
                call("call_1_1", "clock-now", "{}"), call("call_1_2", "probe-append", "{\"line\":\"x\"}"),
            ]},
            {"role": "tool", "tool_call_id": "call_1_1", "content": "{\"utc\":\"2026\"}"},
            {"role": "tool", "tool_call_id": "call_1_2", "content": DENIED},
            {"role": "user", "content": REPAIR},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [
            function("clock.now", &json!({"type": "object"})),
            function("probe.append", &json!({"type": "object", "required": ["line"]})),
        ],
    });
    assert_eq!(body, expected);
}

#[test]
fn openai_responses_gets_items_and_keeps_nothing() {
    let body = encode(&rich(), &settings(Dialect::OpenAiResponses), RequestForm::Native);
    let tool = |name: &str, parameters: Value| {
        json!({
            "type": "function", "name": name.replace('.', "-"), "description": format!("Does {name}."),
            "parameters": parameters, "strict": false,
        })
    };
    let expected = json!({
        "model": "m-1",
        "instructions": "I am Felix.",
        "input": [
            {"role": "user", "content": HISTORY},
            {"role": "assistant", "content": "Hello Ada."},
            {"role": "user", "content": STIMULUS},
            {"type": "function_call", "call_id": "call_1_1", "name": "clock-now", "arguments": "{}"},
            {"type": "function_call", "call_id": "call_1_2", "name": "probe-append", "arguments": "{\"line\":\"x\"}"},
            {"type": "function_call_output", "call_id": "call_1_1", "output": "{\"utc\":\"2026\"}"},
            {"type": "function_call_output", "call_id": "call_1_2", "output": DENIED},
            {"role": "user", "content": REPAIR},
        ],
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "tools": [
            tool("clock.now", json!({"type": "object"})),
            tool("probe.append", json!({"type": "object", "required": ["line"]})),
        ],
    });
    assert_eq!(body, expected);
}

#[test]
fn anthropic_gets_alternating_roles_one_message_of_results_and_four_marks() {
    let body = encode(&rich(), &settings(Dialect::Anthropic), RequestForm::Native);
    let marks = body.to_string().matches("cache_control").count();
    assert_eq!(marks, 4, "the provider takes no more");
    let mark = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "m-1",
        "max_tokens": 8192,
        "stream": true,
        "tools": [
            {"name": "clock-now", "description": "Does clock.now.", "input_schema": {"type": "object"}},
            {"name": "probe-append", "description": "Does probe.append.",
             "input_schema": {"type": "object", "required": ["line"]}, "cache_control": mark},
        ],
        "system": [
            {"type": "text", "text": "I am Felix.", "cache_control": mark},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": HISTORY}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello Ada.", "cache_control": mark}]},
            {"role": "user", "content": [{"type": "text", "text": STIMULUS}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "call_1_1", "name": "clock-now", "input": {}},
                {"type": "tool_use", "id": "call_1_2", "name": "probe-append", "input": {"line": "x"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1_1", "content": "{\"utc\":\"2026\"}"},
                {"type": "tool_result", "tool_use_id": "call_1_2", "content": DENIED, "is_error": true},
                {"type": "text", "text": REPAIR, "cache_control": mark},
            ]},
        ],
    });
    assert_eq!(body, expected);
}

#[test]
fn ollama_gets_objects_as_arguments_and_a_context_size() {
    let mut settings = settings(Dialect::Ollama);
    settings.context_tokens = Some(16_000);
    settings.max_output_tokens = Some(900);
    let body = encode(&rich(), &settings, RequestForm::Native);
    let call = |id: &str, name: &str, arguments: Value| json!({"id": id, "function": {"name": name, "arguments": arguments}});
    let result = |id: &str, name: &str, content: &str| json!({"role": "tool", "tool_name": name, "tool_call_id": id, "content": content});
    let expected = json!({
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "I am Felix."},
            {"role": "user", "content": HISTORY},
            {"role": "assistant", "content": "Hello Ada."},
            {"role": "user", "content": STIMULUS},
            {"role": "assistant", "content": "", "tool_calls": [
                call("call_1_1", "clock-now", json!({})), call("call_1_2", "probe-append", json!({"line": "x"})),
            ]},
            result("call_1_1", "clock-now", "{\"utc\":\"2026\"}"),
            result("call_1_2", "probe-append", DENIED),
            {"role": "user", "content": REPAIR},
        ],
        "stream": true,
        "options": {"num_ctx": 16_000, "num_predict": 900},
        "tools": [
            function("clock.now", &json!({"type": "object"})),
            function("probe.append", &json!({"type": "object", "required": ["line"]})),
        ],
    });
    assert_eq!(body, expected);
}

#[test]
fn the_json_voice_asks_for_the_schema_in_each_dialects_own_way() {
    let strict = schema(true);
    let cases = [
        (
            Dialect::OpenAiChat,
            "/response_format",
            json!({"type": "json_schema", "json_schema": {"name": "voice", "strict": true, "schema": strict}}),
        ),
        (
            Dialect::OpenAiResponses,
            "/text",
            json!({"format": {"type": "json_schema", "name": "voice", "strict": true, "schema": strict}}),
        ),
        (
            Dialect::Anthropic,
            "/output_config",
            json!({"format": {"type": "json_schema", "schema": strict}}),
        ),
        (Dialect::Ollama, "/format", strict.clone()),
    ];
    for (dialect, pointer, expected) in cases {
        let body = encode(&rich(), &settings(dialect), RequestForm::Json);
        assert_eq!(body.pointer(pointer), Some(&expected), "{dialect:?}");
        assert_eq!(body.get("tools"), None, "{dialect:?}: tools stand in the prompt");
        assert!(body.to_string().contains("clock.now"), "{dialect:?}");
    }
}

#[test]
fn in_the_json_voice_steps_are_what_the_model_wrote_and_their_results_follow() {
    let body = encode(&rich(), &settings(Dialect::OpenAiChat), RequestForm::Json);
    let messages = body["messages"].as_array().unwrap();
    let voice = json!({
        "thought": "why",
        "emotive_state": "neutral",
        "tool_calls": [
            {"name": "clock.now", "arguments": "{}"}, {"name": "probe.append", "arguments": "{\"line\":\"x\"}"},
        ],
        "final_response": null,
    });
    assert_eq!(messages[4], json!({"role": "assistant", "content": voice.to_string()}));
    let results = format!(
        "[keeper] Results of your calls:\ncall_1_1 clock.now: {{\"utc\":\"2026\"}}\ncall_1_2 probe.append: {DENIED}\n\n{REPAIR}"
    );
    assert_eq!(messages[5], json!({"role": "user", "content": results}));
    assert_eq!(messages.len(), 6);
}

#[test]
fn every_call_has_exactly_one_result_even_where_none_is_recorded() {
    let mut request = rich();
    request.steps[0].results.truncate(1);
    let body = encode(&request, &settings(Dialect::OpenAiChat), RequestForm::Native);
    let expected = json!({
        "role": "tool", "tool_call_id": CallId::new(1, 2).as_str(),
        "content": "[error] no result of this call is recorded",
    });
    assert_eq!(body["messages"][6], expected);
}

#[test]
fn anthropic_hears_of_called_tools_that_are_no_longer_offered() {
    let mut request = rich();
    request.tools = [].into();
    let body = encode(&request, &settings(Dialect::Anthropic), RequestForm::Native);
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
    let names: Vec<&Value> = body["tools"].as_array().unwrap().iter().map(|t| &t["name"]).collect();
    assert_eq!(names, ["clock-now", "probe-append"]);
    let bare = encode(&plain("hi"), &settings(Dialect::Anthropic), RequestForm::Native);
    assert_eq!((bare.get("tools"), bare.get("tool_choice")), (None, None));
}

#[test]
fn the_last_words_of_a_session_are_told_where_nothing_else_tells_them() {
    let last = abide_domain::envelope::DriverOutput {
        content: "I will look into it.".into(),
        timestamp: at("2026-11-27T20:00:05Z"),
    };
    let content = |request: &TurnRequest| {
        let body = encode(request, &settings(Dialect::OpenAiChat), RequestForm::Native);
        body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
    };
    let mut request = plain("what time is it?");
    request.last_driver_output = Some(last);
    assert_eq!(
        content(&request),
        format!(
            "[keeper] Your last message in this conversation, at Fri 2026-11-27 20:00 UTC:\nI will look into it.\n\n{STIMULUS}"
        )
    );
    request.history = [exchange("look", "I will look into it.", "2026-11-27T20:00:00Z")].into();
    assert_eq!(content(&request), STIMULUS);
}

#[test]
fn the_output_limit_goes_by_the_name_that_the_server_knows() {
    let mut own = settings(Dialect::OpenAiChat);
    own.max_output_tokens = Some(5);
    let mut copied = own.clone();
    copied.base_url = "http://127.0.0.1:8080/v1".into();
    assert_eq!(encode(&plain("hi"), &own, RequestForm::Native)["max_completion_tokens"], json!(5));
    assert_eq!(encode(&plain("hi"), &copied, RequestForm::Native)["max_tokens"], json!(5));
}

#[test]
fn a_later_turn_of_an_epoch_begins_like_the_one_before() {
    for dialect in Dialect::ALL {
        let mut request = rich();
        request.repair = None;
        let second = encode(&request, &settings(dialect), RequestForm::Native);
        request.steps.clear();
        let first = encode(&request, &settings(dialect), RequestForm::Native);
        let list = if dialect == Dialect::OpenAiResponses { "input" } else { "messages" };
        let messages = |body: &Value| {
            let text =
                body[list].to_string().replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
            text.trim_end_matches(']').to_owned()
        };
        assert!(messages(&second).starts_with(&messages(&first)), "{dialect:?}");
        assert_eq!((&first["system"], &first["tools"]), (&second["system"], &second["tools"]));
    }
}

/// A conversation of so many exchanges and one message more, as the keeper asks: what stays, the history, the moment.
fn conversation(exchanges: usize) -> TurnRequest {
    let mut request = plain(&format!("question {exchanges}"));
    request.system = format!(
        "# Who you are\n\n{}\n\n# Rules\n\n{}",
        "I am Felix. ".repeat(20),
        "- A rule. ".repeat(60)
    )
    .into();
    request.context = format!(
        "# What you know at this moment\nIt is now {exchanges}.\n{}",
        "- Known. ".repeat(70)
    )
    .into();
    let told = |number| {
        exchange(&format!("question {number}"), "An answer of some length.", "2026-11-27T20:00:00Z")
    };
    request.history = (0..exchanges).map(told).collect();
    let schema = json!({"type": "object", "properties": {"query": {"type": "string", "description": "x".repeat(400)}}});
    request.tools =
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| tool(name, schema.clone())).into();
    request
}

#[test]
fn the_next_message_of_a_conversation_begins_with_nearly_all_of_the_one_before() {
    let mark = ",\"cache_control\":{\"type\":\"ephemeral\"}";
    for (dialect, form) in Dialect::ALL
        .into_iter()
        .flat_map(|dialect| [(dialect, RequestForm::Native), (dialect, RequestForm::Json)])
    {
        let body = |exchanges| {
            let body = encode(&conversation(exchanges), &settings(dialect), form).to_string();
            body.replace(mark, "").replace(mark.trim_start_matches(','), "")
        };
        for exchanges in 1..6 {
            let (before, after) = (body(exchanges - 1), body(exchanges));
            let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
            let all = after.chars().count();
            assert!(same * 100 >= all * 80, "{dialect:?} {form:?}: {same} of {all} characters");
            let object = after.find("# What you know").unwrap();
            let history = after.rfind("An answer of some length").unwrap();
            assert!(
                history < object && object < after.find(&format!("question {exchanges}")).unwrap()
            );
        }
    }
}

#[test]
fn anthropic_marks_only_what_is_read_again() {
    let marks = |request: &TurnRequest| {
        let body = encode(request, &settings(Dialect::Anthropic), RequestForm::Native);
        (body.to_string().matches("cache_control").count(), body)
    };
    let mut request = conversation(2);
    let (count, body) = marks(&request);
    assert_eq!(count, 4, "tools, what stays, history, and the end, for another turn may follow");
    assert!(body["messages"][3]["content"][0]["cache_control"].is_object(), "{body}");
    request.tools = [].into();
    let (count, body) = marks(&request);
    assert_eq!(count, 2, "no turn follows: the end is not read again");
    assert!(body["messages"][4].to_string().contains("# What you know"), "{body}");
    assert_eq!(body["messages"][4].to_string().matches("cache_control").count(), 0);
    request.history = [].into();
    request.system = "".into();
    assert_eq!(marks(&request).0, 0);
}

/// The ids of the calls and of the results of a body, in their order, as one text each.
fn ids(dialect: Dialect, body: &Value) -> (Vec<String>, Vec<String>) {
    let (list, call, result) = match dialect {
        Dialect::OpenAiChat | Dialect::Ollama => ("messages", "\"id\":", "\"tool_call_id\":"),
        Dialect::OpenAiResponses => {
            ("input", "\"function_call\",\"call_id\":", "output\",\"call_id\":")
        }
        Dialect::Anthropic => ("messages", "\"id\":", "\"tool_use_id\":"),
    };
    let text = body[list].to_string();
    let all = |key: &str| {
        let parts = text.split(key).skip(1);
        parts.map(|part| part.split('"').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    (all(call), all(result))
}

proptest! {
    #[test]
    fn every_call_is_paired_whatever_the_steps_hold(
        steps in proptest::collection::vec((0_usize..5, 0_usize..7), 0..5),
    ) {
        let mut request = rich();
        request.steps = (1..).zip(&steps).map(|(turn, &(calls, results))| {
            let all = vec![("clock.now", json!({}), Outcome::Ok, "x"); calls.max(results)];
            let mut step = step(turn, &all);
            step.voice.tool_calls.truncate(calls);
            step.results.truncate(results);
            step
        }).collect();
        for dialect in Dialect::ALL {
            let (calls, results) = ids(dialect, &encode(&request, &settings(dialect), RequestForm::Native));
            prop_assert_eq!(calls.len(), steps.iter().map(|(calls, _)| calls).sum::<usize>());
            prop_assert_eq!(calls, results, "{:?}", dialect);
        }
    }
}
