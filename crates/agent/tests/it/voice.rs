//! A turn is answered alike in the agent and in the keeper.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    tool::Outcome,
    turn::{MindError, Thought, TurnRequest},
    voice::VoiceError,
};
use abide_http::{AddressPolicy, Client, ClientSettings};
use abide_models::{Dialect, Model, ModelSettings, Reasoner};
use abide_sdk::SystemClock;
use abide_testkit::{FakeDialect as Spoken, ModelServer, Reply};
use abide_wire::{FromAgent, ProcessRequest};
use serde_json::json;

use crate::{
    ask, epoch,
    keeper::Store,
    request::{exchange, plain, step},
    start,
};

fn turns() -> Vec<TurnRequest> {
    let found = r#"{"facts":[{"fact_id":"f1","content":"likes tea","confidence":1.0}]}"#;
    let searched =
        step(1, &[("memory.search_facts", json!({"query": "like"}), Outcome::Ok, found)]);
    let broken = step(1, &[("clock.now", json!({}), Outcome::Unknown, "the keeper went down")]);
    vec![
        plain("hello"),
        epoch(8, "remember that I like tea"),
        epoch(9, "what do I like?"),
        TurnRequest { turn: 2, steps: vec![searched], ..epoch(9, "what do I like?") },
        TurnRequest { turn: 2, steps: vec![broken], ..epoch(10, "what time is it?") },
        TurnRequest {
            attempt: 2,
            repair: Some(VoiceError::new("final_response", "is blank")),
            ..epoch(11, "\\tool clock.now")
        },
        TurnRequest {
            history: Arc::new([exchange("I like tea", "Noted.", "2026-11-27T22:00:00Z")]),
            ..epoch(12, "and what else?")
        },
    ]
}

async fn in_keeper(request: &TurnRequest, reasoner: &Reasoner) -> Result<Thought, MindError> {
    reasoner.think(request, &|_| {}).await
}

#[tokio::test]
async fn the_reflex_says_the_same_with_the_same_cost() {
    let (mut keeper, running) = start(&[], Store::default());
    keeper.open().await;
    for request in turns() {
        let response = ask(&mut keeper, &request).await;
        let expected = in_keeper(&request, &Reasoner::Reflex).await.unwrap();
        assert_eq!(response.read_voice(), Ok(expected.voice));
        assert_eq!(response.read_usage(), expected.usage);
    }
    drop(keeper);
    running.join().unwrap().unwrap();
}

fn server(replies: usize) -> ModelServer {
    let server = ModelServer::start().unwrap();
    let reply = || Reply::text("You like tea.").thought("look at what I know").usage(812, 40);
    server.script((0..replies).map(|_| reply()));
    server
}

#[tokio::test]
async fn a_model_is_asked_the_same_and_its_answer_is_the_same() {
    for (dialect, spoken) in [
        (Dialect::OpenAiChat, Spoken::OpenAiChat),
        (Dialect::Anthropic, Spoken::Anthropic),
        (Dialect::Ollama, Spoken::Ollama),
    ] {
        let turns = turns();
        let (here, there) = (server(turns.len()), server(turns.len()));
        let told = json!({
            "dialect": dialect.as_str(), "base_url": there.base_url(spoken), "name": "small-1",
            "voice": "auto", "max_output_tokens": 900, "context_tokens": 4000, "price_file": "", "api_key_env": "KEY",
        });
        let mut settings = ModelSettings::new(dialect, "small-1");
        settings.base_url = here.base_url(spoken);
        settings.max_output_tokens = Some(900);
        settings.context_tokens = Some(4000);
        let clock = Arc::new(SystemClock::new());
        let client = Client::new(ClientSettings::new(AddressPolicy::Any, clock));
        let reasoner = Reasoner::Model(Box::new(Model::new(settings, client)));

        let (mut keeper, running) = start(&[("ABIDE_MODEL", &told.to_string())], Store::default());
        keeper.open().await;
        for request in turns {
            let response = ask(&mut keeper, &request).await;
            let expected = in_keeper(&request, &reasoner).await.unwrap();
            assert_eq!(response.read_voice(), Ok(expected.voice));
            assert_eq!(response.read_usage(), expected.usage);
        }
        assert!(keeper.deltas().join("").contains("You like tea."), "it is streamed");
        let bodies = |server: &ModelServer| -> Vec<_> {
            server.requests().iter().map(|request| request.body.clone()).collect()
        };
        assert_eq!(bodies(&there), bodies(&here));
        drop(keeper);
        running.join().unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_models_failure_keeps_its_meaning_and_ends_nothing() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::status(401), Reply::money_out(402), Reply::text("Here again.")]);
    let told =
        json!({"dialect": "openai", "base_url": server.base_url(Spoken::OpenAiChat), "name": "m"});
    let (mut keeper, running) = start(&[("ABIDE_MODEL", &told.to_string())], Store::default());
    keeper.open().await;
    let mut errors = Vec::new();
    for number in 1..=2 {
        keeper.send(ProcessRequest::from_turn(format!("r{number}"), &epoch(number, "hello"))).await;
        match keeper.next_loud().await {
            Some(FromAgent::Error(error)) => errors.push(error.to_mind_error()),
            other => panic!("no error: {other:?}"),
        }
    }
    assert!(matches!(errors[0], MindError::Rejected { .. }), "{errors:?}");
    assert!(matches!(errors[1], MindError::MoneyOut { .. }), "{errors:?}");
    let response = ask(&mut keeper, &epoch(3, "hello")).await;
    assert_eq!(response.read_voice().unwrap().final_response.unwrap(), "Here again.");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_withdrawn_turn_hangs_up_on_its_model() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::silence()]);
    let told =
        json!({"dialect": "openai", "base_url": server.base_url(Spoken::OpenAiChat), "name": "m"});
    let (mut keeper, running) = start(&[("ABIDE_MODEL", &told.to_string())], Store::default());
    keeper.open().await;
    keeper.send(ProcessRequest::from_turn("r1", &epoch(1, "hello"))).await;
    let asked = server.wait_for_requests(1);
    tokio::pin!(asked);
    let cancelled = loop {
        // The log is answered for until the model is asked.
        tokio::select! {
            () = &mut asked => break true,
            message = keeper.next() => match message.unwrap() {
                FromAgent::WalBatch(entries) => {
                    let sequence = keeper.store.add(&entries);
                    keeper.send(abide_wire::WalAck { sequence }).await;
                }
                FromAgent::Heartbeat(_) => {}
                other => panic!("{other:?}"),
            },
        }
    };
    assert!(cancelled);
    keeper.cancel("r1").await;
    assert_eq!(keeper.failure("r1").await.0, "CANCELLED");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn what_the_keeper_says_of_the_model_must_be_right() {
    for (told, words) in [
        ("nonsense", "column 2"),
        (r#"{"dialect": "latin"}"#, "names the unknown dialect `latin`"),
        (r#"{"dialect": "openai", "voice": "loud"}"#, "names the unknown voice `loud`"),
        (r#"{"dialect": "openai", "price_file": "/nowhere/prices.toml"}"#, "/nowhere/prices.toml"),
    ] {
        let (_keeper, running) = start(&[("ABIDE_MODEL", told)], Store::default());
        let Err(abide_agent::RunError::Model(error)) = running.join().unwrap() else {
            panic!("{told} was taken")
        };
        assert!(error.to_string().contains(words), "{error}");
    }
    let told = r#"{"dialect": "reflex"}"#;
    let (mut keeper, running) = start(&[("ABIDE_MODEL", told)], Store::default());
    keeper.open().await;
    let late = TurnRequest { deadline: Duration::ZERO, ..plain("hello") };
    ask(&mut keeper, &late).await;
    drop(keeper);
    running.join().unwrap().unwrap();
}
