//! `abide memory erase`: the words are in no file of the home, the ledger verifies and says so, and the keeper starts from it.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::home::Home;

const REFLEX: &str = "[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n";

fn say(client: &crate::client::Client, sender: &str, message: &str) -> String {
    let body = json!({"message": message, "sender": sender, "channel": "direct"});
    let answer = client.post("/start-epoch?wait=1", &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["epoch_id"].as_str().unwrap().to_owned()
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(holding(&path, text));
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

fn verified(home: &Home) -> Value {
    let output = home.run(["ledger", "--json", "verify"]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn erased(home: &Home, arguments: &[&str]) -> std::process::Output {
    home.run(["memory", "erase"].iter().chain(arguments))
}

#[test]
fn an_erased_exchange_is_in_no_file_and_the_keeper_lives_on() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    let epoch = say(&keeper.client, "ann", "remember that the vault code is 47114711");
    say(&keeper.client, "ann", "what is the vault code?");
    say(&keeper.client, "ann", "remember that the heron is grey");
    let refused = erased(&home, &["--epoch", &epoch, "--yes"]);
    assert_eq!(refused.status.code(), Some(1), "a running keeper holds the files: {refused:?}");
    assert_eq!(keeper.stop(), Some(0));

    let looked = erased(&home, &["--epoch", &epoch]);
    assert!(looked.status.success(), "{looked:?}");
    assert!(String::from_utf8_lossy(&looked.stderr).contains("nothing was erased"), "{looked:?}");
    assert!(!holding(&home.path(), "47114711").is_empty());
    // What the second exchange says of it is not of this epoch: the fact names both.
    let keeper = home.up();
    let facts = keeper.client.read("/knowledge?q=vault");
    let fact = facts["items"][0]["fact_id"].as_str().unwrap().to_owned();
    assert_eq!(keeper.stop(), Some(0));
    let done =
        erased(&home, &["--fact", &fact, "--yes", "--by", "ann", "--reason", "asked by mail"]);
    assert!(done.status.success(), "{done:?}");
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(words.contains("out of reach"), "{words}");
    assert_eq!(holding(&home.path(), "47114711"), Vec::<String>::new());

    let report = verified(&home);
    let erasure = &report["erasures"][0];
    assert_eq!((&erasure["by"], &erasure["reason"]), (&json!("@ann"), &json!("asked by mail")));
    assert!(erasure["lines"].as_u64().unwrap() > 2, "{report}");

    let keeper = home.up();
    let answer = keeper.client.say("what colour is the heron?");
    assert!(answer["final_response"].as_str().unwrap().contains("grey"), "{answer}");
    assert_eq!(keeper.client.read("/knowledge?q=vault")["items"], json!([]));
    let old = keeper.client.read(&format!("/epochs/{epoch}"));
    assert_eq!(old["state"], "committed", "that it was is still known");
    assert_eq!(keeper.stop(), Some(0));
    assert_eq!(holding(&home.path(), "47114711"), Vec::<String>::new());
    assert!(home.run(["memory", "rebuild"]).status.success());
    verified(&home);
}

#[test]
fn everything_of_a_person_is_erased_and_nothing_of_others() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    say(&keeper.client, "ann", "My sister lives in Porto Alegre, and I adore marzipan.");
    say(&keeper.client, "bob", "I adore liquorice.");
    assert_eq!(keeper.stop(), Some(0));
    let done = erased(&home, &["--person", "ann", "--yes"]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(holding(&home.path(), "marzipan"), Vec::<String>::new());
    assert!(!holding(&home.path(), "liquorice").is_empty());
    verified(&home);
    let keeper = home.up();
    let found = keeper.client.post("/memory/search", &json!({"query": "liquorice"})).json();
    assert!(found.to_string().contains("liquorice"), "{found}");
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn what_is_no_target_is_refused() {
    let home = Home::new(REFLEX);
    let keeper = home.up();
    say(&keeper.client, "ann", "hello");
    assert_eq!(keeper.stop(), Some(0));
    for (arguments, code) in [
        (vec![], 2),
        (vec!["--epoch", "x"], 2),
        (vec!["--fact", "x"], 2),
        (vec!["--epoch", "0193e0f0-0000-7000-8000-000000000000", "--yes"], 1),
        (vec!["--fact", "0193e0f0-0000-7000-8000-000000000000", "--yes"], 1),
        (vec!["--person", "nobody", "--yes"], 1),
    ] {
        assert_eq!(erased(&home, &arguments).status.code(), Some(code), "{arguments:?}");
    }
    assert!(erased(&home, &["--resume"]).status.success());
    assert_eq!(verified(&home)["erasures"], json!([]));
}
