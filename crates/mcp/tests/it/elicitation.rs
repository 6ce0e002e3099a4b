//! What servers ask in mid-call.

use std::sync::{Arc, Mutex};

use abide_mcp::{ElicitationAnswer, ElicitationHandler, ElicitationRequest, ElicitationWish};
use abide_tools::ToolErrorKind;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::bench::{Bench, Setup};

/// Keeps what it is asked and says yes.
#[derive(Debug, Default)]
struct Agreeing(Mutex<Vec<ElicitationRequest>>);

impl ElicitationHandler for Agreeing {
    fn is_available(&self) -> bool {
        true
    }

    fn answer<'a>(&'a self, request: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer> {
        self.0.lock().unwrap().push(request.clone());
        let content = Some(json!({"age": 7}));
        Box::pin(std::future::ready(ElicitationAnswer::Accept { content }))
    }
}

async fn ask(bench: &Bench, arguments: Value) -> Value {
    serde_json::from_str(&bench.append_with(arguments).await.unwrap().content).unwrap()
}

#[tokio::test]
async fn without_people_every_question_is_declined_and_noted() {
    let bench = Setup::new(&[]).ready().await;
    let answer = ask(&bench, json!({"line": "x", "then": "form"})).await;
    assert_eq!(answer["action"], "decline");
    for then in ["sample", "roots"] {
        let answer = ask(&bench, json!({"line": "x", "then": then})).await;
        assert_eq!(answer["code"], -32601, "{answer}");
    }
    let declined = bench.client.status().declined;
    assert_eq!(declined.count, 3);
    assert!(declined.last_reason.unwrap().contains("folders"));
    bench.client.stop().await;
}

#[tokio::test]
async fn a_person_sees_the_words_of_the_server_and_web_addresses_alone() {
    let people = Arc::new(Agreeing::default());
    let bench = Setup::new(&[]).asking(Arc::clone(&people) as _).ready().await;
    let answer = ask(&bench, json!({"line": "x", "then": "form"})).await;
    assert_eq!(answer, json!({"action": "accept", "content": {"age": 7}}));
    let url = "https://a.example/login?x=1";
    let answer = ask(&bench, json!({"line": "x", "then": "visit", "url": url})).await;
    assert_eq!(answer["action"], "accept");
    let script = json!({"line": "x", "then": "visit", "url": "javascript:alert(1)"});
    assert_eq!(ask(&bench, script).await["action"], "decline");
    let seen = people.0.lock().unwrap().clone();
    assert_eq!(seen.len(), 2, "the script never reached a person");
    assert_eq!(seen[0].message, "How old?⟦U+200B⟧");
    assert_eq!(seen[1].wish, ElicitationWish::Visit { url: url.into() });
    assert!(bench.client.status().declined.last_reason.unwrap().contains("javascript:"));
    bench.client.stop().await;
}

#[tokio::test]
async fn an_answer_that_asks_for_input_ends_the_call_as_unknown() {
    let bench = Setup::new(&[]).ready().await;
    let error = bench.append("input").await.unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Unknown);
    assert_eq!(bench.left("probe"), ["input"]);
    bench.client.stop().await;
}
