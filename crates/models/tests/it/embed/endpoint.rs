//! An endpoint against real sockets: what is sent, what is tried again, what is refused.

use std::{sync::Arc, time::Duration};

use abide_domain::{Clock, Timestamp};
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_models::{
    BATCH_TEXTS_MAX, Dialect, EmbedError, Embeddings, ModelSettings, RetryPolicy, TEXT_CHARS_MAX,
};
use serde_json::{Value, json};

use crate::{
    request::at,
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

fn http(status: u16, headers: &str, body: &str) -> Act {
    let length = body.len();
    Act::Write(format!(
        "HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    ))
}

fn vectors(vectors: &Value) -> Act {
    let vectors = vectors.as_array().unwrap().iter().enumerate();
    let data: Vec<Value> =
        vectors.map(|(index, v)| json!({"index": index, "embedding": v})).collect();
    http(200, "", &json!({"data": data, "model": "m-1"}).to_string())
}

fn embeddings(server: &Server) -> Embeddings {
    let mut settings = ModelSettings::new(Dialect::OpenAiChat, "m-1");
    settings.base_url = server.url("/v1/");
    settings.api_key = Some(Secret::new("sk-key-12345"));
    settings.retry = RetryPolicy {
        wait: Duration::from_millis(1),
        wait_max: Duration::from_millis(2),
        retry_after_max: Duration::from_secs(1),
        ..RetryPolicy::default()
    };
    let http = Client::new(ClientSettings::new(AddressPolicy::Any, Arc::new(Still)));
    Embeddings::endpoint(settings, http)
}

fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn dimensions_are_learnt_from_the_first_answer_and_blank_texts_stay_here() {
    let server = Server::start(vec![vectors(&json!([[3.0, 4.0], [0.0, 2]]))]).await;
    let embeddings = embeddings(&server);
    let before = embeddings.model().clone();
    assert_eq!((before.name.as_str(), before.dimensions), ("openai/m-1", 0));
    let long = "é".repeat(TEXT_CHARS_MAX + 1);
    let vectors = embeddings.embed(&["a", " \n", &long]).await.unwrap();
    assert_eq!(vectors, [[0.6, 0.8], [0.0, 0.0], [0.0, 1.0]]);
    assert_eq!(embeddings.model().dimensions, 2);
    assert_eq!(embeddings.model().id, before.id);

    let asked = server.asked();
    assert!(asked[0].starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{}", asked[0]);
    assert!(asked[0].contains("authorization: Bearer sk-key-12345\r\n"), "{}", asked[0]);
    let sent = body(&asked[0]);
    assert_eq!((&sent["model"], &sent["encoding_format"]), (&json!("m-1"), &json!("float")));
    assert_eq!(sent["input"].as_array().unwrap().len(), 2);
    assert_eq!(sent["input"][1].as_str().unwrap().chars().count(), TEXT_CHARS_MAX);
}

#[tokio::test]
async fn many_texts_go_out_in_batches_and_come_back_in_order() {
    let first = json!(vec![[1.0, 0.0]; BATCH_TEXTS_MAX]);
    let server = Server::start(vec![vectors(&first), vectors(&json!([[0.0, 1.0]]))]).await;
    let texts = vec!["a"; BATCH_TEXTS_MAX + 1];
    let vectors = embeddings(&server).embed(&texts).await.unwrap();
    assert_eq!(vectors[BATCH_TEXTS_MAX - 1], [1.0, 0.0]);
    assert_eq!(vectors[BATCH_TEXTS_MAX], [0.0, 1.0]);
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn vectors_are_put_where_their_index_says() {
    let data =
        json!({"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]});
    let server = Server::start(vec![http(200, "", &data.to_string())]).await;
    assert_eq!(embeddings(&server).embed(&["a", "b"]).await.unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
}

#[tokio::test]
async fn failures_are_tried_again_as_those_of_a_chat_model_are() {
    let money = r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#;
    let cases = [
        (http(429, "", "{}"), "unavailable", 4),
        (http(429, "retry-after: 99\r\n", "{}"), "unavailable", 1),
        (http(503, "", "{}"), "unavailable", 4),
        (http(500, "", "{}"), "unavailable", 3),
        (Act::Close, "unavailable", 3),
        (http(429, "", money), "rejected", 1),
        (http(401, "", r#"{"error":"no such key: sk-key-12345"}"#), "rejected", 1),
        (http(404, "", "{}"), "rejected", 1),
    ];
    for (act, expected, asked) in cases {
        let server = Server::start(vec![act.clone()]).await;
        let error = embeddings(&server).embed(&["a"]).await.unwrap_err();
        let name = match &error {
            EmbedError::Unavailable { .. } => "unavailable",
            EmbedError::Rejected { .. } => "rejected",
            _ => "other",
        };
        assert_eq!((name, server.asked().len()), (expected, asked), "{act:?}: {error}");
        assert!(!error.to_string().contains("sk-key"), "{error}");
    }
    let act = http(429, "retry-after: 99\r\n", "{}");
    let server = Server::start(vec![act]).await;
    let error = embeddings(&server).embed(&["a"]).await.unwrap_err();
    let EmbedError::Unavailable { retry_after, .. } = error else { panic!("{error}") };
    assert_eq!(retry_after, Some(Duration::from_secs(99)));

    let server = Server::start(vec![http(503, "", "{}"), vectors(&json!([[1]]))]).await;
    assert_eq!(embeddings(&server).embed(&["a"]).await.unwrap(), [[1.0]]);
}

#[tokio::test]
async fn an_answer_that_holds_no_usable_vectors_is_refused() {
    let cases = [
        "no JSON".to_owned(),
        "{}".to_owned(),
        json!({"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": [1]}]})
            .to_string(),
        json!({"data": [{"index": 0, "embedding": ["x"]}, {"index": 1, "embedding": [1]}]})
            .to_string(),
        json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]})
            .to_string(),
        json!({"data": [{"index": 0, "embedding": [1]}, {"index": 7, "embedding": [1]}]})
            .to_string(),
        json!({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]})
            .to_string(),
        r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1e999]}]}"#
            .to_owned(),
    ];
    for answer in cases {
        let server = Server::start(vec![http(200, "", &answer)]).await;
        let error = embeddings(&server).embed(&["a", "b"]).await.unwrap_err();
        assert!(matches!(&error, EmbedError::Unusable { .. }), "{answer}: {error}");
        assert_eq!(server.asked().len(), 1, "the same answer would come again");
    }
}
