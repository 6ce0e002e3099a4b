//! The key goes to the model's provider and nowhere else.

use abide_domain::turn::TurnRequest;
use abide_testkit::{FakeDialect, ModelServer, Reply};
use abide_wire::{FromAgent, Message, ProcessRequest, Version};
use serde_json::json;

use crate::{epoch, keeper::Store, start};

const KEY: &str = "sk-very-secret-0123456789";

#[tokio::test]
async fn no_frame_and_no_error_holds_the_key_even_where_the_provider_repeats_it() {
    let server = ModelServer::builder().key(KEY).start().unwrap();
    let echoing = format!(r#"{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}"#);
    server.script([Reply::text("fine"), Reply::status(401).body(&echoing)]);
    let base_url = server.base_url(FakeDialect::OpenAiChat);
    let told =
        json!({"dialect": "openai", "base_url": base_url, "name": "m", "api_key_env": "MY_KEY"});
    let (mut keeper, running) =
        start(&[("ABIDE_MODEL", &told.to_string()), ("MY_KEY", KEY)], Store::default());
    keeper.open().await;
    for (number, id) in [(1, "r1"), (2, "r2")] {
        let request: TurnRequest = epoch(number, "hello");
        keeper.send(ProcessRequest::from_turn(id, &request)).await;
        keeper.next_loud().await.unwrap();
    }
    keeper.take_checkpoint().await;
    assert!(server.requests().iter().all(|request| request.auth_ok), "the provider got it");
    for message in std::mem::take(&mut keeper.seen) {
        assert!(!format!("{message:?}").contains(KEY));
        let now = abide_domain::Timestamp::default();
        let frame = Message::<FromAgent>::new(Version::V3, now, message).encode().unwrap();
        assert!(!frame.windows(KEY.len()).any(|window| window == KEY.as_bytes()));
    }
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[test]
fn a_key_that_stands_in_the_wrong_place_is_not_repeated() {
    for told in [
        format!(r#"{{"dialect": "openai", "context_tokens": "{KEY}"}}"#),
        format!(r#"{{"dialect": "openai", "{KEY}": 1}}"#),
        format!(r#"{{"dialect": "openai" {KEY}"#),
    ] {
        let (_keeper, running) = start(&[("ABIDE_MODEL", &told)], Store::default());
        let error = running.join().unwrap().unwrap_err();
        let words = format!("{error} {error:?}");
        assert!(!words.contains(KEY), "{words}");
    }
}
