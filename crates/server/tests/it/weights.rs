//! `abide model`: what is there, what is fetched from a folder, and what is refused. Every other source has its tests
//! beside the code.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::Home;

/// The real weights, where `scripts/models` put them.
pub(crate) fn models() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let models = variable("ABIDE_MODELS").map_or(built, PathBuf::from);
    if models.join("wordllama").is_dir() {
        return Some(models);
    }
    assert_ne!(variable("CI").as_deref(), Some("true"), "scripts/models fetches the weights");
    say("skipped: the weights of wordllama are not there");
    None
}

#[expect(clippy::disallowed_methods, reason = "where the weights are, and whether a test may skip")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[expect(
    clippy::print_stderr,
    reason = "a test that did nothing must not look like one that passed"
)]
fn say(line: &str) {
    eprintln!("{line}");
}

fn words(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &std::process::Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn without_weights_search_goes_by_words_alone_and_says_so() {
    let home = Home::new("");
    let list = home.run(["model", "ls"]);
    assert!(list.status.success(), "{list:?}");
    assert!(words(&list).contains("by words only") && words(&list).contains("abide model pull"));
    let list = json(&home.run(["model", "ls", "--json"]));
    assert_eq!(
        (&list["items"][0]["name"], &list["items"][0]["state"]),
        (&"wordllama".into(), &"absent".into())
    );
    assert_eq!(list["used"], Value::Null);
}

#[test]
fn configured_weights_that_are_missing_are_a_failure() {
    let home = Home::new("[memory]\nembedder = \"minilm\"\n");
    let list = home.run(["model", "ls"]);
    assert_eq!(list.status.code(), Some(1));
    assert!(words(&list).contains("there are no weights at"), "{}", words(&list));
    assert!(String::from_utf8(list.stdout).unwrap().contains("minilm"), "the list comes first");
}

#[test]
fn what_is_not_known_or_not_there_is_refused() {
    let home = Home::new("");
    assert_eq!(home.run(["model", "pull", "gpt"]).status.code(), Some(2));
    let empty = tempfile::tempdir().unwrap();
    let from = empty.path().to_str().unwrap();
    let output = home.run(["model", "pull", "wordllama", "--from", from]);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("has no l2_supercat_256.safetensors"), "{}", words(&output));

    std::fs::write(empty.path().join("model.safetensors"), b"something else").unwrap();
    let output = home.run(["model", "pull", "wordllama", "--from", from]);
    let words = words(&output);
    assert_eq!(output.status.code(), Some(1));
    let (pinned, found) = ("should be 64b47a2dc493cb8e", "its SHA-256 is f41f3fa625ff120d");
    assert!(words.contains(pinned) && words.contains(found), "{words}");
    assert!(!home.path().join("models/wordllama/model.safetensors").exists());
}

#[test]
fn weights_from_a_folder_are_used_from_then_on() {
    let Some(models) = models() else { return };
    let home = Home::new("");
    let from = models.to_str().unwrap();
    let pull = ["model", "pull", "wordllama", "--from", from, "--json"];
    let first = json(&home.run(pull));
    assert_eq!((&first["name"], &first["from"]), (&"wordllama".into(), &from.into()));
    assert_eq!(json(&home.run(pull))["from"], Value::Null, "it was there");

    let list = json(&home.run(["model", "ls", "--json"]));
    assert_eq!(
        (&list["items"][0]["state"], &list["used"]),
        (&"ready".into(), &"wordllama-256-64b47a2dc493cb8e".into())
    );
    let file = home.path().join("models/wordllama/tokenizer.json");
    std::fs::write(&file, b"{}").unwrap();
    let list = json(&home.run(["model", "ls", "--json"]));
    assert_eq!(list["items"][0]["state"], "damaged");
    assert!(json(&home.run(pull))["from"].is_string(), "mended");
}

#[test]
fn a_module_in_the_folder_of_the_caller_is_not_run() {
    let home = Home::new("");
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("was-run");
    let module = format!("open({:?}, 'w').close()\n", marker.display().to_string());
    std::fs::write(folder.path().join("pip.py"), module).unwrap();
    let pull = home
        .command(["model", "pull", "wordllama", "--from", "pip"])
        .current_dir(folder.path())
        .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("PIP_INDEX_URL", "http://127.0.0.1:9/")])
        .envs([("PIP_RETRIES", "0"), ("PIP_TIMEOUT", "1")])
        .output()
        .unwrap();
    assert!(!pull.status.success(), "{pull:?}");
    assert!(!marker.exists(), "{pull:?}");
}
