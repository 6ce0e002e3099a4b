//! The question of Act 3 in two hundred other words: each must find the conversation that it is about, before all others.
//!
//! The conversations are real epochs; the questions share few words with them, or none. Needs the weights of the default
//! embedder, where others have them too.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::{agents::world::until, client::Client, home::Home, weights::models};

/// What Nicolas and Felix talked about, a conversation a line: the session and the messages.
const TALKS: [(&str, [&str; 2]); 8] = [
    (
        "race",
        [
            "Hey Felix, the race condition is back: two ticks add up the energy at once.",
            "It hits the energy lock under load, the third time this month. Find the cause of this bug, no more patches.",
        ],
    ),
    (
        "invoice",
        [
            "The invoice of the printing house is wrong again.",
            "They billed the posters twice, please write to them.",
        ],
    ),
    (
        "garden",
        [
            "The tomatoes on the balcony need water while I am away.",
            "And the basil stands too much in the sun.",
        ],
    ),
    (
        "travel",
        [
            "My train to Lyon leaves at seven on Friday.",
            "The hotel there has no breakfast, remind me to buy bread.",
        ],
    ),
    (
        "hiring",
        [
            "We talk to three candidates for the design job next week.",
            "The second one asked about working from home.",
        ],
    ),
    (
        "server",
        [
            "The new mail server answers slowly since the move.",
            "The certificate runs out in May, put it on the list.",
        ],
    ),
    (
        "music",
        [
            "The choir sings Bach in the old church in June.",
            "I still need the sheet for the second voice.",
        ],
    ),
    (
        "guide",
        [
            "Chapter two of the onboarding guide has old screenshots.",
            "Ada wants the glossary at the end of it.",
        ],
    ),
];

const OPENINGS: [&str; 10] = [
    "Did you figure out",
    "Have you got anywhere with",
    "Any news about",
    "Is there progress on",
    "How is it going with",
    "Did you find what causes",
    "Were you able to solve",
    "Do you understand by now",
    "What came of",
    "Can we close",
];

const MATTERS: [&str; 20] = [
    "that race condition",
    "the race condition",
    "the race in the energy code",
    "that bug with the two ticks",
    "the bug that keeps coming back",
    "this recurring bug",
    "the bug from before",
    "the locking bug",
    "the energy lock",
    "the lock that fails under load",
    "the trouble with the ticks",
    "the two ticks at the same time",
    "the energy being added twice",
    "the energy problem",
    "the fault under load",
    "the cause of the race",
    "what broke for the third time",
    "the condition that hits under load",
    "the ticks and the lock",
    "the bug we did not want to patch again",
];

#[test]
fn two_hundred_wordings_of_one_question_find_its_conversation_first() {
    let home = Home::new("[model]\nprovider = \"reflex\"\n");
    let Some(models) = models() else { return };
    symlink(models, home.path().join("models")).unwrap();
    let keeper = home.up();
    for (hour, (session, messages)) in (8..).zip(TALKS) {
        for (minute, message) in (0..).zip(messages) {
            tell(&keeper.client, session, message, (hour, minute));
        }
    }
    until("every text has its vector", || is_certain(&keeper.client).then_some(()));
    let race = found_first(&keeper.client, "race condition");
    let questions =
        OPENINGS.iter().flat_map(|opening| MATTERS.map(|matter| format!("{opening} {matter}?")));
    let missed: Vec<String> =
        questions.filter(|question| found_first(&keeper.client, question) != race).collect();
    assert!(missed.len() <= 10, "{} of 200: {missed:#?}", missed.len());
}

fn tell(client: &Client, session: &str, message: &str, (hour, minute): (u32, u32)) {
    let body = json!({
        "stimulus": {
            "content": message, "sender": "nicolas", "channel": "telegram",
            "timestamp": format!("2024-11-20T{hour:02}:{minute:02}:00Z"),
        },
        "last_driver_output": {"content": null, "timestamp": null},
        "citizen": "felix",
        "session_id": session,
    });
    assert_eq!(client.post("/start-epoch?wait=1", &body).json()["state"], "committed");
}

fn ask(client: &Client, words: &str) -> Value {
    let params = json!({"partner_id": "nicolas", "keywords": [words]});
    let body = json!({"citizen": "felix", "query": "query_conversations", "params": params});
    client.post("/memory/query", &body).json()
}

/// The id of the conversation that stands first.
fn found_first(client: &Client, words: &str) -> Value {
    ask(client, words)["data"][0]["id"].clone()
}

/// Absence is certain only once meanings were compared too.
fn is_certain(client: &Client) -> bool {
    let nothing = ask(client, "zymurgy");
    nothing["status"] == "empty" && nothing["confidence"] == 1.0
}
