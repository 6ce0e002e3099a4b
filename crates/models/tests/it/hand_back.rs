//! What a provider sends with a call and wants back with its result: unchanged, in each dialect, and to nobody else.

use abide_domain::{
    tool::Outcome,
    turn::{Thought, TurnRequest},
};
use abide_models::{Dialect, Model, ModelSettings};
use serde_json::{Value, json};

use crate::{
    driver::{http, model, settings},
    request::{plain, step, tools},
    server::Server,
};

fn sse(frames: &[Value]) -> String {
    frames.iter().map(|frame| format!("data: {frame}\n\n")).collect()
}

fn chat(deltas: &[Value]) -> String {
    let mut frames: Vec<Value> = deltas
        .iter()
        .map(|delta| json!({"choices": [{"delta": delta, "finish_reason": null}]}))
        .collect();
    frames.push(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}));
    sse(&frames) + "data: [DONE]\n\n"
}

fn call(extra: &Value) -> Value {
    let mut call = json!({"index": 0, "id": "call9abcd", "type": "function",
        "function": {"name": "clock-now", "arguments": "{}"}});
    for (field, value) in extra.as_object().unwrap() {
        call[field] = value.clone();
    }
    json!({"tool_calls": [call]})
}

/// Asks a first turn, and gives the second one with its result.
async fn first_turn(model: &Model) -> (Thought, TurnRequest) {
    let mut request = plain("what time is it?");
    request.tools = tools();
    let thought = model.ask(&request, &drop).await.unwrap();
    assert_eq!(thought.voice.tool_calls.len(), 1, "{thought:?}");
    let mut done = step(1, &[("clock.now", json!({}), Outcome::Ok, "noon")]);
    done.voice = thought.voice.clone();
    done.provider_state.clone_from(&thought.provider_state);
    request.turn = 2;
    request.steps = vec![done];
    (thought, request)
}

/// The body of the second request, after a first answer.
async fn second_body(dialect: Dialect, answer: &str, change: impl Fn(&mut ModelSettings)) -> Value {
    let server = Server::start(vec![http(200, "", answer), http(400, "", "{}")]).await;
    let mut settings = settings(&server, dialect);
    let (_, request) = first_turn(&model(settings.clone())).await;
    change(&mut settings);
    drop(model(settings).ask(&request, &drop).await);
    let asked = server.asked().pop().unwrap();
    serde_json::from_str(asked.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_chat_server_gets_back_whatever_it_sent_beside_words_and_calls() {
    let signature = json!({"google": {"thought_signature": "sig+/="}});
    let answer = chat(&[
        json!({"role": "assistant", "reasoning_content": "Let me "}),
        json!({"reasoning_content": "look."}),
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let "}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "me", "signature": "s"}]}),
        json!({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "AAA="}]}),
        json!({"some_new_field": {"opaque": [1, 2]}}),
        call(&json!({"extra_content": signature})),
    ]);
    let body = second_body(Dialect::OpenAiChat, &answer, |_| ()).await;
    let messages = body["messages"].as_array().unwrap();
    let said = messages.iter().find(|message| message["role"] == "assistant").unwrap();
    assert_eq!(said["reasoning_content"], "Let me look.");
    assert_eq!(
        said["reasoning_details"],
        json!([
            {"type": "reasoning.text", "index": 0, "text": "Let me", "signature": "s"},
            {"type": "reasoning.encrypted", "index": 1, "data": "AAA="},
        ])
    );
    assert_eq!(said["some_new_field"], json!({"opaque": [1, 2]}));
    assert_eq!(said["tool_calls"][0]["extra_content"], signature);
    assert_eq!(said["tool_calls"][0]["id"], "call9abcd");
    assert_eq!(messages.last().unwrap()["tool_call_id"], "call9abcd");
}

#[tokio::test]
async fn content_that_came_as_a_list_goes_back_as_a_list() {
    let part = |text: &str| json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]});
    let answer = chat(&[part("Let me "), part("look."), call(&json!({}))]);
    let body = second_body(Dialect::OpenAiChat, &answer, |_| ()).await;
    let said = &body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|m| m["role"] == "assistant")
        .unwrap()["content"];
    assert_eq!(
        said,
        &json!([{"type": "thinking", "thinking": [{"type": "text", "text": "Let me look."}]}])
    );
}

#[tokio::test]
async fn anthropic_gets_its_signed_blocks_back_in_their_order() {
    let block = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let answer = sse(&[
        json!({"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 1}}}),
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Let me look."})),
        delta(0, json!({"type": "signature_delta", "signature": "EqQB+/=="})),
        block(1, json!({"type": "redacted_thinking", "data": "zzz"})),
        block(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "text_delta", "text": "One moment."})),
        block(3, json!({"type": "tool_use", "id": "toolu_1", "name": "clock-now", "input": {}})),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]);
    let body = second_body(Dialect::Anthropic, &answer, |_| ()).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(
        messages[1]["content"],
        json!([
            {"type": "thinking", "thinking": "Let me look.", "signature": "EqQB+/=="},
            {"type": "redacted_thinking", "data": "zzz"},
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "toolu_1", "name": "clock-now", "input": {}},
        ])
    );
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "toolu_1");
}

#[tokio::test]
async fn responses_get_their_items_back_with_the_encrypted_reasoning() {
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let called = json!({"type": "function_call", "id": "fc_1", "call_id": "call_x", "name": "clock-now",
        "arguments": "{}", "status": "completed"});
    let answer = sse(&[
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": called}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": called}),
        json!({"type": "response.completed", "response": {"model": "m-1", "status": "completed", "output": [reasoning, called]}}),
    ]);
    let body = second_body(Dialect::OpenAiResponses, &answer, |_| ()).await;
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    let input = body["input"].as_array().unwrap();
    assert_eq!(input[1..3], [reasoning, called]);
    assert_eq!(input[3]["call_id"], "call_x");
}

#[tokio::test]
async fn ollama_gets_its_thinking_back() {
    let lines = [
        json!({"message": {"role": "assistant", "content": "", "thinking": "Let me "}, "done": false}),
        json!({"message": {"thinking": "look.", "tool_calls": [{"id": "c7", "function": {"name": "clock-now", "arguments": {}}}]}, "done": false}),
        json!({"message": {"content": ""}, "done": true, "done_reason": "stop"}),
    ];
    let answer: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let body = second_body(Dialect::Ollama, &answer, |_| ()).await;
    let messages = body["messages"].as_array().unwrap();
    let said = messages.iter().find(|message| message["role"] == "assistant").unwrap();
    assert_eq!(said["thinking"], "Let me look.");
    assert_eq!(said["tool_calls"][0]["id"], "c7");
    assert_eq!(messages.last().unwrap()["tool_call_id"], "c7");
}

#[tokio::test]
async fn another_model_gets_nothing_of_it() {
    let answer =
        chat(&[json!({"reasoning_content": "secret"}), call(&json!({"extra_content": {"a": 1}}))]);
    let body =
        second_body(Dialect::OpenAiChat, &answer, |settings| settings.name = "other".into()).await;
    let text = body.to_string();
    assert!(!text.contains("secret") && !text.contains("extra_content"), "{text}");
    assert!(text.contains("call_1_1") && !text.contains("call9abcd"), "{text}");
}

#[tokio::test]
async fn what_a_server_does_not_take_back_is_left_out_when_it_says_so() {
    let answer = chat(&[json!({"reasoning": "hm"}), call(&json!({}))]);
    let refusal = r#"{"error":{"message":"'messages.2' : property 'reasoning' is unsupported"}}"#;
    let good =
        sse(&[json!({"choices": [{"delta": {"content": "noon"}, "finish_reason": "stop"}]})]);
    let acts = vec![http(200, "", &answer), http(400, "", refusal), http(200, "", &good)];
    let server = Server::start(acts).await;
    let model = model(settings(&server, Dialect::OpenAiChat));
    let (_, request) = first_turn(&model).await;
    let said = model.ask(&request, &drop).await.unwrap().voice.final_response;
    assert_eq!(said.as_deref(), Some("noon"));
    let asked = server.asked();
    assert!(asked[1].contains("\"reasoning\"") && !asked[2].contains("\"reasoning\""));
}
