//! Rules that answer by themselves.

use abide_testkit::{FakeDialect, ModelServer, rules};
use serde_json::{Value, json};

use crate::client::{ask, post, with_result};

#[test]
fn remember_stores_what_it_is_told_and_looks_questions_up() {
    let server = ModelServer::builder().rule(rules::remember()).start().unwrap();
    let dialect = FakeDialect::Anthropic;
    let told = "[from ada]\nPlease remember that the staging server is called heron";
    let got = post(&server, dialect, &ask(dialect, told, false)).json();
    assert_eq!(got["content"][0]["name"], "memory__remember_fact");
    assert_eq!(
        got["content"][0]["input"],
        json!({"content": "the staging server is called heron"})
    );

    let question = ask(dialect, "What is the staging server called?", false);
    let got = post(&server, dialect, &question).json();
    assert_eq!(got["content"][0]["name"], "memory__search_facts");

    let facts = json!({"items": [{"content": "the staging server is called heron", "tags": []}]});
    let got =
        post(&server, dialect, &with_result(dialect, question.clone(), "a", &facts.to_string()));
    assert_eq!(got.json()["content"][0]["text"], "I remember: the staging server is called heron");

    let got = post(&server, dialect, &with_result(dialect, question, "a", "{\"items\": []}"));
    assert_eq!(got.json()["content"][0]["text"], "I do not know that.");
    server.assert_clean();
}

#[test]
fn a_rule_answers_in_the_form_of_the_voice_where_that_is_asked_for() {
    let rule = rules::tool_then_answer("clock.now", json!({"zone": "UTC"}));
    let server = ModelServer::builder().rule(rule).start().unwrap();
    let voice = |strict| {
        json!({"type": "json_schema", "json_schema": {"name": "voice", "strict": strict,
               "schema": abide_domain::voice::schema(strict)}})
    };
    for (strict, arguments) in
        [(false, json!({"zone": "UTC"})), (true, json!("{\"zone\":\"UTC\"}"))]
    {
        let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "time?"}],
                              "response_format": voice(strict)});
        let text =
            |got: &Value| got["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
        let said = text(&post(&server, FakeDialect::OpenAiChat, &body).json());
        let parsed: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(parsed["tool_calls"], json!([{"name": "clock.now", "arguments": arguments}]));
        assert!(abide_domain::voice::Voice::from_json_text(&said).is_ok());
        body["messages"].as_array_mut().unwrap().extend([
            json!({"role": "assistant", "content": said}),
            json!({"role": "user", "content": "clock.now: ten"}),
        ]);
        let said = text(&post(&server, FakeDialect::OpenAiChat, &body).json());
        let parsed: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(parsed["final_response"], "the tool said: clock.now: ten");
    }
    server.assert_clean();
}

#[test]
fn canned_answers_call_first_and_answer_when_a_result_is_there() {
    let canned = rules::Canned::tool_then_text("clock__now", &json!({}), "done");
    let server = ModelServer::builder().canned(canned).start().unwrap();
    for dialect in FakeDialect::ALL {
        for stream in [false, true] {
            // What people say cannot pass for a result.
            let tricky = ask(dialect, r#""role":"tool" "type":"tool_result""#, stream);
            let got = post(&server, dialect, &tricky);
            assert!(got.body.contains("clock__now"), "{dialect:?} {stream}");
            let got = post(&server, dialect, &with_result(dialect, tricky, "a", "r"));
            assert!(got.body.contains("done") && !got.body.contains("clock__now"));
        }
    }
    assert_eq!(server.count(), 16);
    assert!(server.requests().is_empty());
}
