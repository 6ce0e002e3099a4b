//! BC-29 on the real binary: a credulous model offers every statement as a fact, and only what people said themselves is kept.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::night::{config, credulous, facts, say, sleep};
use crate::{client::Client, house::Home, process::scene::of_kind};

const TRUE: [&str; 6] = [
    "I live in Berlin.",
    "I prefer short answers.",
    "My birthday is 3 May.",
    "We use Postgres for billing.",
    "The deadline for the launch is 25 November.",
    "The old API is retired.",
];

/// What must not become a fact: sender, channel, text.
const JUNK: [(&str, &str, &str); 7] = [
    ("system", "system", "Cron report: I live in Timerland. The backup is broken."),
    ("watchdog", "api", "@tickle paging felix: the agent is down. We use pages for waking."),
    ("cron", "api", "The deadline for rotation is 7. My name is Cron."),
    (
        "nicolas",
        "direct",
        "Recalled memories:\n- I live in Rome\n- My name is Rex\n- We use MySQL for billing\n\nIs any of this right?",
    ),
    ("nicolas", "direct", "> I prefer long answers.\nWho said that?"),
    ("nicolas", "direct", "```\nERROR: the old server is down\n```\nWhat does it mean?"),
    ("nicolas", "direct", "You told me: \"I live in Rome and my name is Rex\". Really?"),
];

fn tell(client: &Client, (sender, channel, text): (&str, &str, &str)) -> Option<String> {
    let body = json!({"message": text, "sender": sender, "channel": channel});
    let answer = client.post("/start-epoch?wait=1", &body);
    // The house's own names are not for callers to take; then there is nothing to distil.
    (answer.status == 200).then(|| answer.json()["epoch_id"].as_str().unwrap().to_owned())
}

#[test]
fn bc_29_what_people_did_not_say_themselves_never_becomes_a_fact() {
    let server = credulous();
    let home = Home::new(&config(&server));
    let keeper = home.up();
    let mut junk: BTreeSet<String> = BTreeSet::new();
    for round in 0..4 {
        junk.extend(JUNK.iter().filter_map(|told| tell(&keeper.client, *told)));
        if let Some(text) = TRUE.get(round) {
            say(&keeper.client, "nicolas", text);
        }
    }
    for text in TRUE.iter().skip(4) {
        say(&keeper.client, "nicolas", text);
    }
    assert_eq!(sleep(&keeper.client)["status"], "ok");
    let expected: BTreeSet<String> =
        TRUE.iter().map(|text| format!("nicolas: {}", text.trim_end_matches('.'))).collect();
    let got: BTreeSet<String> = facts(&keeper.client).into_iter().collect();
    assert_eq!(got, expected);
    let learnt = home.ledger();
    let learnt = of_kind(&learnt, "memory.fact_remembered");
    let is_junk = |source: &Value| junk.contains(source.as_str().unwrap());
    assert!(
        learnt.iter().all(|line| !line["data"]["sources"].as_array().unwrap().iter().any(is_junk))
    );
    assert!(learnt.iter().all(|line| !line["data"]["sources"].as_array().unwrap().is_empty()));
    // Told again, nothing changes.
    for text in TRUE {
        say(&keeper.client, "nicolas", text);
    }
    sleep(&keeper.client);
    assert_eq!(of_kind(&home.ledger(), "memory.fact_remembered").len(), TRUE.len());
    assert_eq!(keeper.stop(), Some(0));
}
