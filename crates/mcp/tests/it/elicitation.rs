//! What servers ask in mid-call.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use abide_mcp::{
    CALL_TOTAL_LIMIT, ElicitationAnswer, ElicitationHandler, ElicitationRequest, ElicitationWish,
};
use abide_tools::ToolErrorKind;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::bench::{Bench, Setup};

/// Keeps what it is asked and says yes.
#[derive(Debug, Default)]
struct Agreeing(Mutex<Vec<ElicitationRequest>>);

/// Never answers; notes that nobody waits for its answer any more.
#[derive(Debug, Default)]
struct Silent {
    asked: AtomicU64,
    given_up: AtomicU64,
}

struct GivenUp<'a>(&'a AtomicU64);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl ElicitationHandler for Silent {
    fn is_available(&self) -> bool {
        true
    }

    fn answer<'a>(&'a self, _: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let given_up = GivenUp(&self.given_up);
        Box::pin(async move {
            let _given_up = given_up;
            std::future::pending().await
        })
    }
}

impl ElicitationHandler for Agreeing {
    fn is_available(&self) -> bool {
        true
    }

    fn answer<'a>(&'a self, request: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer> {
        self.0.lock().unwrap().push(request.clone());
        let Value::Object(values) = json!({"age": 7}) else { panic!("no object") };
        let content = match &request.wish {
            ElicitationWish::Form(form) => Some(form.check(values).unwrap()),
            ElicitationWish::Visit { .. } => None,
        };
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
    let calls: Vec<_> = seen[0].calls.iter().map(|call| call.agent.as_str()).collect();
    assert_eq!(calls, ["felix"], "it is asked in a call of an agent");
    assert!(seen[0].left <= CALL_TOTAL_LIMIT && !seen[0].left.is_zero());
    assert_eq!(seen[1].wish, ElicitationWish::Visit { url: url.into() });
    assert!(bench.client.status().declined.last_reason.unwrap().contains("javascript:"));
    bench.client.stop().await;
}

#[tokio::test]
async fn a_form_that_is_not_flat_or_that_nobody_can_fill_in_is_declined_and_the_server_hears_it() {
    let people = Arc::new(Agreeing::default());
    let bench = Setup::new(&[]).asking(Arc::clone(&people) as _).ready().await;
    for (then, why) in [("deep_form", "`address`"), ("impossible_form", "`age` has no value")] {
        let answer = ask(&bench, json!({"line": "x", "then": then})).await;
        assert_eq!(answer["action"], "decline");
        assert!(people.0.lock().unwrap().is_empty());
        let reason = bench.client.status().declined.last_reason.unwrap();
        assert!(reason.contains(why), "{reason}");
    }
    bench.client.stop().await;
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_answered_with_an_error_and_noted() {
    let people = Arc::new(Agreeing::default());
    let bench = Setup::new(&[]).asking(Arc::clone(&people) as _).ready().await;
    for (then, code, reason) in
        [("huge_request", -32600, "bytes is not read"), ("deep_request", -32700, "nested too deep")]
    {
        let answer = ask(&bench, json!({"line": "x", "then": then})).await;
        assert_eq!(answer["code"], code, "{answer}");
        let noted = bench.client.status().declined.last_reason.unwrap();
        assert!(noted.contains(reason), "{noted}");
    }
    assert_eq!(bench.client.status().declined.count, 2);
    assert!(people.0.lock().unwrap().is_empty());
    bench.client.stop().await;
}

#[tokio::test]
async fn a_question_is_given_up_with_the_call_in_which_it_is_asked() {
    let people = Arc::new(Silent::default());
    let bench = Setup::new(&[]).asking(Arc::clone(&people) as _).ready().await;
    {
        let call = bench.append_with(json!({"line": "x", "then": "form"}));
        let asked = bench.until("asked", |_| people.asked.load(Ordering::SeqCst) == 1);
        tokio::select! {
            answer = call => panic!("{answer:?}"),
            () = asked => {}
        }
    }
    bench.until("given up", |_| people.given_up.load(Ordering::SeqCst) == 1).await;
    let done = bench.append_with(json!({"line": "y"})).await.unwrap();
    assert_eq!(done.content, "done", "the server lives on");
    bench.client.stop().await;
}

#[tokio::test]
async fn a_server_that_asks_outside_of_a_call_is_declined() {
    let people = Arc::new(Agreeing::default());
    let bench = Setup::new(&["asks_unasked"]).asking(Arc::clone(&people) as _).ready().await;
    bench.until("answered", |bench| !bench.left("unasked").is_empty()).await;
    assert_eq!(bench.left("unasked"), ["decline"]);
    assert!(people.0.lock().unwrap().is_empty());
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
