//! The fake's `/embeddings`: the same words give the same vector, and what a provider would refuse is a violation.

use abide_testkit::ModelServer;
use serde_json::{Value, json};

use crate::client::send;

fn ask(server: &ModelServer, input: &Value) -> (u16, Value) {
    let body = json!({"model": "m", "input": input}).to_string();
    let got = send(server, "POST", "/v1/embeddings", &[], &body);
    (got.status, got.json())
}

#[test]
fn texts_with_the_same_words_get_the_same_vector() {
    let server = ModelServer::start().unwrap();
    let (status, answer) = ask(&server, &json!(["the race is on", "On is the RACE!", "pasta"]));
    assert_eq!((status, answer["data"][2]["index"].as_u64()), (200, Some(2)));
    let vector = |index: usize| answer["data"][index]["embedding"].clone();
    assert_eq!(vector(0).as_array().unwrap().len(), 64);
    assert_eq!(vector(0), vector(1));
    assert_ne!(vector(0), vector(2));
    server.assert_clean();
}

#[test]
fn what_a_provider_would_refuse_is_a_violation() {
    for input in [json!(["a", ""]), json!([]), json!(7), json!(vec!["a"; 2049])] {
        let server = ModelServer::start().unwrap();
        assert_eq!(ask(&server, &input).0, 400, "{input}");
        assert_eq!(server.violations().len(), 1);
    }
}
