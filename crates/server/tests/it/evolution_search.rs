//! A search for a better order against the real program: it finds an order that was planted, proposes it with its evidence, goes on
//! after `kill -9` as if nothing had been, and says what it lacks.

use std::{fs, process::Stdio, thread, time::Duration};

use abide_testkit::{FakeDialect, ModelServer, Reply};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    access::rights::create,
    client::Client,
    home::{Home, Keeper},
};

/// What is talked about, each with messages of its own.
const TOPICS: [&str; 11] = [
    "parcel", "harbour", "violin", "garden", "ladder", "kettle", "museum", "bridge", "carpet",
    "lantern", "orchard",
];
/// How often each is asked about: together a few more questions than a search needs at least.
const ROUNDS: usize = 4;
/// Short messages about each, which match a question better than what it needs.
const SHORT: usize = 11;
/// How often a search is looked at, and how many times at most.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS_MAX: usize = 4_800;

/// A word that stands in one message alone.
fn rare_word(message: usize, place: usize) -> String {
    const SYLLABLES: [&str; 8] = ["ba", "ko", "du", "mi", "ro", "fe", "lu", "za"];
    let mut number = message * 4 + place + 64;
    let mut word = String::new();
    while number > 0 {
        word.push_str(SYLLABLES[number % 8]);
        number /= 8;
    }
    word + "x"
}

/// Four of them, which a reply quotes.
fn rare_words(message: usize) -> String {
    (0..4).map(|place| rare_word(message, place)).collect::<Vec<_>>().join(" ")
}

/// A home whose agent was asked, each time, for what the longest message about a topic says, and shows short ones first.
fn lived() -> (Home, Keeper, ModelServer) {
    let model = ModelServer::start().unwrap();
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{}\"\nname = \"m\"\n[evolution]\nenabled = true\napprove = [\"memory\"]\n",
        model.base_url(FakeDialect::OpenAiChat)
    ));
    let keeper = home.up();
    let say = |message: &str, reply: &str| {
        model.script([Reply::text(reply)]);
        keeper.client.say(message);
    };
    for topic in TOPICS {
        for number in 0..SHORT {
            say(&format!("The {topic} again, note {number}."), "Noted.");
        }
    }
    for round in 0..ROUNDS {
        let first = round * TOPICS.len();
        for (message, topic) in (first..).zip(TOPICS) {
            let stones = "stone ".repeat(14 + 8 * round);
            say(&format!("{topic} {} {stones}", rare_words(message)), "Noted.");
            // Right behind what it needs: when it was asked, nothing stood there.
            say(&format!("What about the {topic}?"), &rare_words(message));
        }
    }
    (home, keeper, model)
}

fn search_of(client: &Client) -> Value {
    client.read("/evolutions/search?citizen=felix")["items"][0].clone()
}

fn start(client: &Client, generations: u32) -> Value {
    let body = json!({"citizen": "felix", "seed": 7, "generations": generations, "population": 24});
    let answer = client.post("/evolutions/search", &body);
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()
}

/// Looks at the search until something is true of it.
fn until(client: &Client, is_it: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..LOOKS_MAX {
        let search = search_of(client);
        if is_it(&search) {
            return search;
        }
        thread::park_timeout(LOOK);
    }
    panic!("it never came to that: {}", search_of(client));
}

fn ended(client: &Client) -> Value {
    until(client, |search| search["state"] == "ended")
}

#[test]
fn a_planted_order_is_found_and_proposed_with_its_evidence() {
    let (home, keeper, _model) = lived();
    let client = &keeper.client;
    let reader = Client::new(keeper.address, Some(create(&home, "rita", &["read"], &[])));
    assert_eq!(reader.post("/evolutions/search", &json!({"citizen": "felix"})).status, 403);
    let started = start(client, 10);
    assert_eq!((&started["seed"], &started["generations"]), (&json!(7), &json!(20)));
    let search = ended(client);
    assert_eq!(search["outcome"]["kind"], "proposed", "{search:#}");
    let report = &search["report"];
    let winner = report["found"].as_array().unwrap().iter().find(|it| it["is_winner"] == true);
    let winner = winner.unwrap();
    assert!(winner["score"].as_f64().unwrap() > 0.9, "{search:#}");
    assert!(report["today"].as_f64().unwrap() < 0.1, "{search:#}");
    assert_eq!((&search["questions"], &search["held_out"]), (&json!(31), &json!(13)));
    assert_eq!(reader.read("/evolutions/search")["items"][0]["outcome"], search["outcome"]);

    let id = search["outcome"]["evolution_id"].as_str().unwrap();
    let change = client.read(&format!("/evolutions/{id}"));
    assert_eq!((&change["target"], &change["by"]), (&json!("memory_system"), &json!("@user")));
    let reason = change["reason"].as_str().unwrap();
    for part in
        ["seed 7, 20 generations of 24 in all", "never saw", "today's order", "weights alone"]
    {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    let code = change["code"].as_str().unwrap();
    assert!(code.contains(winner["expression"].as_str().unwrap()), "{code}");
    assert!(change["predicted"]["errors"].as_f64().unwrap() < 0.0, "{change}");
    let proposals = || {
        let lines = home.ledger().into_iter();
        lines.filter(|line| line["kind"] == "evolution.proposed").count()
    };
    assert_eq!(proposals(), 1);

    // After a start its end is still to be seen, and nothing is proposed again.
    keeper.kill();
    let keeper = home.up();
    assert_eq!(search_of(&keeper.client)["outcome"], search["outcome"]);
    assert_eq!(proposals(), 1);
    // What is damaged is set aside, and the keeper does without it.
    keeper.kill();
    let folder = home.path().join("cache/searches");
    fs::write(folder.join("felix.search.json"), "{}").unwrap();
    let keeper = home.up();
    assert_eq!(keeper.client.read("/evolutions/search")["items"], json!([]));
    assert!(folder.join("felix.search.json.damaged").exists());
}

#[test]
fn after_a_kill_a_search_goes_on_and_finds_what_it_would_have_found() {
    let (home, mut keeper, _model) = lived();
    start(&keeper.client, 300);
    let whole = ended(&keeper.client);
    start(&keeper.client, 300);
    for part in [40, 200, 380] {
        until(&keeper.client, |search| search["generation"].as_u64().unwrap() > part);
        keeper.kill();
        keeper = home.up();
        let search = search_of(&keeper.client);
        assert!(search["generation"].as_u64().unwrap() > 0, "it began again: {search:#}");
    }
    let again = ended(&keeper.client);
    for same in ["report", "evaluations", "questions", "held_out", "generation"] {
        assert_eq!(again[same], whole[same], "{same}");
    }
}

#[test]
fn one_runs_at_a_time_and_whoever_stops_it_is_heard() {
    let (home, keeper, _model) = lived();
    let client = &keeper.client;
    assert_eq!(client.post("/evolutions/search/stop", &json!({})).code(), "no_search");
    start(client, 500);
    let again = client.post("/evolutions/search", &json!({"citizen": "felix"}));
    assert_eq!((again.status, &*again.code()), (409, "search_runs"), "{}", again.text);
    // A second command shows the one that runs; an interrupt ends it.
    let shown = home.run(["evolve", "search", "--no-wait"]);
    assert!(shown.status.success(), "{shown:?}");
    let mut watching = home.command(["evolve", "search", "--json"]);
    let watching = watching.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(client, |search| search["generation"].as_u64().unwrap() > 2);
    // It has asked by now, and waits: a signal that comes too early would end it without a word.
    thread::park_timeout(Duration::from_secs(2));
    kill_process(Pid::from_child(&watching), Signal::INT).unwrap();
    let watched = watching.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&watched.stderr).into_owned();
    assert!(words.contains("runs already") && words.contains("stopped"), "{words}");
    let last: Value = serde_json::from_slice(&watched.stdout).unwrap();
    assert_eq!((&last["state"], &last["outcome"]["kind"]), (&json!("ended"), &json!("stopped")));
    assert_eq!(client.post("/evolutions/search/stop", &json!({})).code(), "no_search");
    assert!(!home.ledger().iter().any(|line| line["kind"] == "evolution.proposed"));
    // The next is shown as a table.
    let found = home.run([
        "evolve",
        "search",
        "--kind",
        "weights",
        "--generations",
        "4",
        "--population",
        "12",
        "--seed",
        "7",
    ]);
    let words = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(found.status.success() && words.contains("HELD OUT"), "{found:?}");
    assert!(!words.contains("structure"), "{words}");
}

#[test]
fn what_a_search_lacks_is_said_with_its_number() {
    let home = Home::new("[evolution]\nenabled = true\n");
    let keeper = home.up();
    let client = &keeper.client;
    keeper.client.say("hello");
    let refused = client.post("/evolutions/search", &json!({}));
    assert_eq!((refused.status, &*refused.code()), (409, "too_few"), "{}", refused.text);
    assert!(
        refused.text.contains("1 questions") && refused.text.contains("needs 40"),
        "{}",
        refused.text
    );
    for (key, value) in [("generations", json!(0)), ("population", json!(5)), ("kind", json!("x"))]
    {
        let refused = client.post("/evolutions/search", &json!({key: value}));
        assert_eq!(refused.status, 422, "{}", refused.text);
    }
    // Conversations there are, but none that found a memory.
    for _ in 0..40 {
        client.say("hello");
    }
    let started = client.post("/evolutions/search", &json!({}));
    assert_eq!(started.status, 201, "{}", started.text);
    let search = ended(client);
    assert_eq!(search["outcome"]["kind"], "too_few", "{search}");
    let failed = home.run(["evolve", "search"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");

    let home = Home::new("");
    let keeper = home.up();
    let refused = keeper.client.post("/evolutions/search", &json!({}));
    assert_eq!((refused.status, &*refused.code()), (409, "evolution_off"), "{}", refused.text);
}
