//! What was taken back stays taken back: by words, by id, before and after sleep, with a model that rewords and without.

use abide_testkit::{ModelServer, Reply, rules};
use serde_json::{Value, json};

use super::night::{config, facts, say, sleep};
use crate::{client::Client, home::Home, process::scene::of_kind};

const REFLEX: &str = "[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n";

/// Says something and gives the whole answer.
fn say_for(client: &Client, sender: &str, message: &str) -> Value {
    let body = json!({"message": message, "sender": sender, "channel": "direct"});
    let answer = client.post("/start-epoch?wait=1", &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// All that a model was shown in one request.
fn text_of(request: &abide_testkit::SeenRequest) -> String {
    let messages = request.messages.iter().map(|message| format!("{message:?}"));
    format!("{}\n{}", request.system, messages.collect::<Vec<_>>().join("\n"))
}

/// Everything that an agent could still say of a matter: recall, facts, what its next prompt shows.
fn traces(client: &Client, words: &str) -> Vec<String> {
    let found = client
        .post("/memory/search", &json!({"query": words, "sender": "nicolas", "limit": 50}))
        .json();
    let mut texts: Vec<String> = facts(client);
    for item in found["conversations"]["items"].as_array().into_iter().flatten() {
        texts.push(item["text"].as_str().unwrap_or_default().to_owned());
    }
    let epoch = say(client, "nicolas", "hello");
    let shown = client.read(&format!("/epochs/{epoch}?context=1"));
    texts.push(shown["context"].to_string());
    texts.retain(|text| text.contains(words));
    texts
}

#[test]
fn a_statement_is_forgotten_before_any_sleep_made_a_fact_of_it() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "nicolas", "I live in Lyon.");
    say(client, "nicolas", "I prefer tea.");
    let forget = say_for(client, "nicolas", "forget that I live in Lyon");
    let answer = forget["final_response"].as_str().unwrap();
    assert!(answer.contains("I will forget that"), "{answer}");
    assert_eq!(traces(client, "Lyon"), Vec::<String>::new());
    assert_eq!(sleep(client)["status"], "ok");
    assert_eq!(facts(client), ["nicolas prefers tea"]);
    assert_eq!(traces(client, "Lyon"), Vec::<String>::new());
    let line = of_kind(&home.ledger(), "memory.forgotten").pop().unwrap()["data"].to_string();
    assert!(!line.contains("\"slots\"") || !line.contains("Lyon"), "{line}");
    // Who says it again tells it anew.
    say(client, "nicolas", "I live in Lyon.");
    assert_eq!(sleep(client)["status"], "ok");
    assert_eq!(facts(client), ["nicolas lives in Lyon", "nicolas prefers tea"]);
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn a_model_that_rewords_does_not_bring_back_what_was_taken_back() {
    let awake = rules::echo();
    let rule = move |request: &abide_testkit::SeenRequest| match rules::asked_step(request) {
        Some("facts") => {
            let asked = text_of(request);
            let numbers: Vec<usize> =
                (1..=9).filter(|n| asked.contains(&format!("[{n}] "))).collect();
            let told = |content: &str| {
                json!({"content": content, "category": "user", "tags": [], "confidence": 0.9, "sources": numbers,
                    "subject": "nicolas", "attribute": "phone", "replaces": null})
            };
            let told = [
                told("nicolas's phone number is 0612345678"),
                told("nicolas can be reached at 0612345678"),
                told("nicolas prefers tea"),
            ];
            Reply::text(json!({ "facts": told }).to_string())
        }
        Some("identity") => Reply::text(r#"{"identity": null}"#),
        Some(_) => Reply::text(r#"{"dream": null}"#),
        None => awake(request),
    };
    let server = ModelServer::builder().rule(rule).start().unwrap();
    let home = Home::new(&config(&server));
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "nicolas", "My phone number is 0612345678.");
    say(client, "nicolas", "I prefer tea.");
    let taken = client.post("/memory/forget", &json!({"words": "my phone number"})).json();
    assert_eq!((&taken["found"], taken["epochs"].as_array().unwrap().len()), (&json!(true), 1));
    assert_eq!(sleep(client)["status"], "ok");
    assert_eq!(facts(client), ["nicolas prefers tea"]);
    let asked: Vec<String> = server.requests().iter().map(|request| text_of(request)).collect();
    let distilled = asked.iter().filter(|text| text.contains("Step: "));
    for text in distilled {
        assert!(!text.contains("0612345678"), "sleep is not even shown it");
    }
    assert_eq!(traces(client, "0612345678"), Vec::<String>::new());
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn a_fact_is_forgotten_by_its_id_after_sleep_and_stays_so_after_a_rebuild() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "nicolas", "My birthday is 3 May.");
    say(client, "nicolas", "remember that my birthday is on 3 May");
    assert_eq!(sleep(client)["status"], "ok");
    let all = client.read("/knowledge")["items"].as_array().unwrap().clone();
    assert!(!all.is_empty());
    for fact in &all {
        let id = fact["fact_id"].as_str().unwrap();
        let status = client.send("DELETE", &format!("/knowledge/{id}"), &[], "").status;
        assert!(status == 204 || status == 404, "it may have gone with the one before: {status}");
    }
    assert_eq!(traces(client, "3 May"), Vec::<String>::new());
    assert_eq!(keeper.stop(), Some(0));
    let rebuilt = home.run(["memory", "rebuild"]);
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    let keeper = home.up();
    assert_eq!(traces(&keeper.client, "3 May"), Vec::<String>::new());
    sleep(&keeper.client);
    assert_eq!(facts(&keeper.client), Vec::<String>::new());
}

#[test]
fn nobody_forgets_what_another_told() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "ann", "remember that my bank is Crest");
    say_for(client, "mallory", "forget that ann's bank is Crest");
    say_for(client, "mallory", "forget the bank Crest");
    let known = facts(client);
    assert_eq!(known.len(), 1, "{known:?}");
    say_for(client, "ann", "forget that my bank is Crest");
    assert_eq!(facts(client), Vec::<String>::new());
}

#[test]
fn the_command_line_looks_first_and_forgets_then() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    say(&keeper.client, "nicolas", "I live in Lyon.");
    let run = |arguments: &[&str]| {
        let output = home.run(["memory", "--json", "forget"].iter().chain(arguments));
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let looked = run(&["that I live in Lyon", "--look"]);
    assert_eq!(looked["epochs"].as_array().unwrap().len(), 1);
    assert_eq!(of_kind(&home.ledger(), "memory.forgotten").len(), 0, "nothing is written");
    run(&["that I live in Lyon"]);
    assert_eq!(of_kind(&home.ledger(), "memory.forgotten").len(), 1);
    assert_eq!(run(&["that I live in Lyon"])["found"], json!(false));
    let usage = home.run(["memory", "forget"]);
    assert_eq!(usage.status.code(), Some(2));
}
