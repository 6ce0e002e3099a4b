//! What a real provider would refuse is seen, and what it takes is not.

use abide_testkit::{FakeDialect, ModelServer, Reply, Role, rules};
use serde_json::{Value, json};

use crate::client::{ask, hello, post, send, with_result};

/// What is said about one request.
fn said_about(dialect: FakeDialect, body: &Value) -> String {
    let server = ModelServer::builder().rule(rules::echo()).start().unwrap();
    post(&server, dialect, body);
    server.violations().join("\n")
}

fn calling(id: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "t", "arguments": "{}"}}]})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "r"})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[test]
fn good_conversations_pass_in_every_dialect() {
    for dialect in FakeDialect::ALL {
        let body =
            with_result(dialect, ask(dialect, "where?", true), "call_1_1", "{\"items\": []}");
        assert_eq!(said_about(dialect, &body), "", "{dialect:?}");
    }
}

#[test]
fn unpaired_results_are_seen() {
    let cases = [
        (vec![user("q"), calling("a")], "end with call `a` and no result"),
        (vec![user("q"), calling("a"), user("and?")], "no result directly after call `a`"),
        (vec![user("q"), result("a")], "result `a` answers no open call"),
        (vec![user("q"), calling("a"), result("b")], "call `a` has no result"),
        (
            vec![user("q"), calling("a"), result("a"), result("a")],
            "result `a` answers no open call",
        ),
        (
            vec![user("q"), calling("a"), result("a"), calling("a"), result("a")],
            "call id `a` comes twice",
        ),
        (vec![user("q"), calling(""), result("")], "`` is no id of a call"),
    ];
    for (messages, expected) in cases {
        let body = json!({"model": "m", "messages": messages});
        let said = said_about(FakeDialect::OpenAiChat, &body);
        assert!(said.contains(expected), "{expected} not in: {said}");
    }
}

#[test]
fn an_unpaired_result_is_seen_in_every_dialect() {
    for dialect in FakeDialect::ALL {
        let mut body = with_result(dialect, ask(dialect, "where?", false), "a", "r");
        let key = if dialect == FakeDialect::OpenAiResponses { "input" } else { "messages" };
        body[key].as_array_mut().unwrap().remove(1);
        assert!(said_about(dialect, &body).contains("answers no open call"), "{dialect:?}");
    }
}

#[test]
fn broken_rules_of_single_providers_are_seen() {
    let set = |dialect, pointer: &str, value: Value| {
        let mut body = hello(dialect, false);
        match body.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => body[pointer.trim_start_matches('/')] = value,
        }
        (dialect, body)
    };
    let anthropic = FakeDialect::Anthropic;
    let chat = FakeDialect::OpenAiChat;
    let open_schema = json!({"type": "json_schema", "json_schema": {"name": "voice", "strict": true,
        "schema": {"type": "object", "properties": {}}}});
    let cases = [
        (set(anthropic, "/max_tokens", Value::Null), "max_tokens: is required"),
        (
            set(anthropic, "/messages/0/content", json!([{"type": "text", "text": " "}])),
            "a text part is blank",
        ),
        (set(anthropic, "/messages/0/role", json!("assistant")), "the first must be the user's"),
        (set(anthropic, "/messages", json!([user("a"), user("b")])), "speaks twice in a row"),
        (set(anthropic, "/system", json!("")), "system: is blank"),
        (set(anthropic, "/response_format", json!({})), "response_format: is no parameter"),
        (set(chat, "/messages/0/content", json!("")), "is blank"),
        (set(chat, "/model", json!("")), "model: is missing"),
        (set(chat, "/messages", json!([])), "messages: are missing"),
        (set(chat, "/tools/0/function/name", json!("memory.search")), "`memory.search` is no name"),
        (set(chat, "/tools/0/function/name", json!("memory__search_facts")), "is offered twice"),
        (set(chat, "/response_format", open_schema), "additionalProperties must be false"),
        (set(FakeDialect::OpenAiResponses, "/messages", json!([])), "messages: is no parameter"),
        (set(FakeDialect::Ollama, "/options", json!({})), "num_ctx"),
    ];
    for ((dialect, body), expected) in cases {
        let said = said_about(dialect, &body);
        assert!(said.contains(expected), "{dialect:?}: {expected} not in: {said}");
    }
}

#[test]
fn size_and_form_of_the_body_are_checked() {
    let server =
        ModelServer::builder().rule(rules::echo()).request_bytes_max(1000).start().unwrap();
    let dialect = FakeDialect::Ollama;
    post(&server, dialect, &ask(dialect, &"x".repeat(1000), false));
    send(&server, "POST", dialect.path(), &[], "{\"model\"");
    let violations = server.violations();
    assert!(violations.iter().any(|said| said.contains("request 1: body: ")), "{violations:?}");
    assert!(violations.iter().any(|said| said.contains("request 2: body: is no JSON object")));
}

#[test]
fn a_refusing_server_answers_400_and_an_unscripted_request_500() {
    let server = ModelServer::builder().rule(rules::echo()).refusing().start().unwrap();
    let mut body = hello(FakeDialect::Anthropic, false);
    body["max_tokens"] = json!(0);
    let got = post(&server, FakeDialect::Anthropic, &body);
    assert_eq!(
        (got.status, got.json()["error"]["type"].clone()),
        (400, json!("invalid_request_error"))
    );
    let server = ModelServer::start().unwrap();
    assert_eq!(post(&server, FakeDialect::Ollama, &hello(FakeDialect::Ollama, false)).status, 500);
    assert!(server.violations()[0].contains("no reply is scripted"));
}

#[test]
#[should_panic(expected = "a real provider would refuse")]
fn assert_clean_fails_the_test() {
    let server = ModelServer::start().unwrap();
    post(&server, FakeDialect::Ollama, &json!({}));
    server.assert_clean();
}

#[test]
fn a_request_is_kept_in_one_shape_and_without_its_key() {
    let server = ModelServer::builder().key("secret").start().unwrap();
    server.script([Reply::text("hi")]);
    let dialect = FakeDialect::OpenAiChat;
    let mut body = with_result(dialect, ask(dialect, "where?", false), "a", "there");
    body["messages"]
        .as_array_mut()
        .unwrap()
        .insert(0, json!({"role": "system", "content": "be brief"}));
    let headers = [("authorization", "Bearer secret"), ("x-trace", "1")];
    let got = send(&server, "POST", dialect.path(), &headers, &body.to_string());
    assert_eq!(got.status, 200);
    let requests = server.requests();
    let seen = &requests[0];
    assert_eq!(
        (seen.model.as_str(), seen.system.as_str(), seen.user_text()),
        ("m", "be brief", "where?")
    );
    let roles: Vec<_> = seen.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    let (calls, results) = seen.finished_calls().unwrap();
    assert_eq!((calls[0].id.as_str(), results[0].as_str()), ("a", "there"));
    assert_eq!(seen.spelling("memory.search_facts"), "memory__search_facts");
    assert!(seen.auth_ok);
    assert!(seen.headers.iter().any(|(name, _)| name == "x-trace"));
    assert!(!format!("{:?}", seen.headers).contains("secret"));
    let wrong = [("authorization", "Bearer wrong")];
    assert_eq!(send(&server, "POST", dialect.path(), &wrong, &body.to_string()).status, 401);
}
