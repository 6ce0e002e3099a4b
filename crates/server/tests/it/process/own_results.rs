//! BC-39: what a tool gave is shown in the epoch that asked for it and in no other, though all name their calls alike.

use abide_testkit::{ModelServer, Reply, SeenRequest, rounds};
use serde_json::{Value, json};

use super::scene::{all_epochs, thinking_with, wait_for_ends};
use crate::home::Home;

const AGENTS: [&str; 2] = ["ada", "bob"];
/// Epochs of each agent in `make soak`, all of which wait at once.
const EPOCHS: u32 = 100;

/// The word that an epoch is about, as it stands at the end of its stimulus.
fn topic(request: &SeenRequest) -> String {
    let text = request.user_text();
    let at = text.rfind("topic-").expect("every stimulus has a topic");
    let word = text[at..].split_whitespace().next().unwrap();
    word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// Names its call as every other epoch does.
fn look_up(request: &SeenRequest) -> Reply {
    let topic = topic(request);
    if let Some((_, results)) = request.finished_calls() {
        return Reply::text(format!("found {}", results.join(" ")));
    }
    let call = if request.user_text().contains("learn") {
        let content = format!("{topic} stands for secret-{topic}");
        (request.spelling("memory.remember_fact"), json!({"content": content}))
    } else {
        (request.spelling("memory.search_facts"), json!({"query": topic}))
    };
    Reply::calls([call]).call_ids(&["call_1"])
}

/// Every topic that a text tells the secret of.
fn secrets(text: &str) -> Vec<&str> {
    let parts = text.split("secret-").skip(1);
    let is_end = |c: char| !(c.is_alphanumeric() || c == '-');
    parts.map(|part| part.split(is_end).next().unwrap_or_default()).collect()
}

#[test]
fn bc_39_results_are_bound_to_their_epoch_whoever_asks_at_the_same_time() {
    let server = ModelServer::builder().rule(look_up).journal_max(10_000).start().unwrap();
    let home = Home::new(&thinking_with(&server, &AGENTS));
    let keeper = home.up();
    let epochs = rounds(EPOCHS);
    for (work, times) in [("learn about", 1), ("what is", 2)] {
        for _ in 0..times {
            for n in 0..epochs {
                for agent in AGENTS {
                    let message = format!("{work} topic-{agent}x{n}x");
                    let body = json!({"message": message, "citizen": agent});
                    assert_eq!(keeper.client.post("/start-epoch", &body).status, 202);
                }
            }
        }
    }
    let all = 3 * epochs as usize * AGENTS.len();
    wait_for_ends(&keeper.client, all);

    let mut with_results = 0;
    for request in server.requests() {
        let results: Vec<&str> = request
            .messages
            .iter()
            .flat_map(|message| &message.results)
            .map(|result| &*result.text)
            .collect();
        assert!(results.len() <= 1, "an epoch has one call: {results:?}");
        let topic = topic(&request);
        for secret in results.iter().flat_map(|text| secrets(text)) {
            assert_eq!(secret, topic, "{results:?}");
            with_results += 1;
        }
    }
    assert!(with_results >= 2 * epochs as usize * AGENTS.len(), "{with_results}");
    for epoch in all_epochs(&keeper.client) {
        assert_eq!(epoch["state"], "committed", "{epoch}");
        let asked = epoch["stimulus"]["content"].as_str().unwrap();
        let said = epoch["final_response"].as_str().unwrap();
        let told = secrets(said);
        assert!(told.iter().all(|secret| asked.ends_with(secret)), "{asked}: {said}");
        assert!(!told.is_empty() || asked.starts_with("learn"), "{asked}: {said}");
        let call: &Value = &epoch["turns"][0]["tool_calls"][0];
        assert!(call["arguments"].to_string().contains(asked.rsplit(' ').next().unwrap()));
    }
    assert_eq!(keeper.stop(), Some(0));
    server.assert_clean();
}
