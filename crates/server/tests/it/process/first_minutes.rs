//! The README's first minutes, as somebody has them who has just built it: no configuration, no key, no model; then
//! with a provider. The words after `abide` are the README's.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use abide_testkit::{FakeDialect, ModelServer, Reply, program, rules};
use serde_json::{Value, json};

use super::scene::thinking_with;
use crate::home::Home;

/// Where local model servers are looked for; a machine that has one would be asked.
const LOCAL_SERVERS: [&str; 4] =
    ["127.0.0.1:11434", "127.0.0.1:1234", "127.0.0.1:8080", "127.0.0.1:8000"];

/// A home that does not exist yet, and its keeper.
struct Fresh {
    folder: tempfile::TempDir,
    keeper: Option<Child>,
}

impl Fresh {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), keeper: None }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(".abide")
    }

    /// A command as a person types it: nothing but their own folder is known.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program(env!("CARGO_BIN_EXE_abide")));
        command.env_clear().env("HOME", self.folder.path()).args(arguments);
        if LOCAL_SERVERS.iter().any(|address| TcpStream::connect(address).is_ok()) {
            command.env("ABIDE_MODEL_PROVIDER", "reflex");
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Starts it and gives its words up to the last of a start.
    fn up(&mut self) -> Vec<String> {
        let mut child = self
            .command(&["up", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        self.keeper = Some(child);
        let mut words = Vec::new();
        while words.last().is_none_or(|line: &String| !line.starts_with("ready")) {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it ended: {words:?}");
            words.push(line.trim_end().to_owned());
        }
        // Whatever it says later must not block it.
        std::thread::spawn(move || stderr.lines().for_each(drop));
        words
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            drop(keeper.kill());
            drop(keeper.wait());
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Whether `jq` is there. With `CI=true` it must be: no kind of test is skipped there.
fn has_jq() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one switch that says that nothing may be skipped"
    )]
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    assert!(has_jq || !is_ci, "jq is not there; scripts/prepare installs it");
    has_jq
}

/// Reads every segment as the README does, one line an event.
fn jq(ledger: &Path) -> Vec<String> {
    let mut segments: Vec<PathBuf> = std::fs::read_dir(ledger)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    segments.sort();
    let output = Command::new("jq").args(["-c", "[.seq, .kind]"]).args(segments).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn without_anything_it_remembers_and_recalls_and_its_ledger_can_be_read() {
    let mut fresh = Fresh::new();
    let before = fresh.run(&["say", "hello?"]);
    assert_eq!(before.status.code(), Some(3), "no keeper runs yet: {before:?}");
    let words = fresh.up();
    let is_link = |line: &String| line.starts_with("open http://127.0.0.1:");
    assert!(words.iter().any(is_link), "it says where to look: {words:?}");
    assert!(words.iter().any(|line| line.starts_with("felix: reflex")), "its mind: {words:?}");

    let told = fresh.run(&["say", "remember that the staging server is called heron"]);
    assert!(told.status.success() && told.stderr.is_empty(), "{told:?}");
    let asked = fresh.run(&["say", "what is the staging server called?"]);
    assert!(asked.status.success() && asked.stderr.is_empty(), "{asked:?}");
    assert!(text(&asked.stdout).contains("heron"), "{asked:?}");
    assert_eq!(text(&asked.stdout).lines().count(), 1, "the reply alone: {asked:?}");

    let verified = fresh.run(&["ledger", "verify"]);
    assert!(verified.status.success(), "{verified:?}");
    let lines = text(&fresh.run(&["ledger", "query"]).stdout).lines().count();
    if has_jq() {
        let read = jq(&fresh.path().join("ledger"));
        assert_eq!(read.len(), lines, "every line, padding and all");
        assert_eq!(read[0], "[1,\"keeper.segment_opened\"]");
        let commits = read.iter().filter(|line| line.contains("epoch.committed")).count();
        assert_eq!(commits, 2);
    }
}

#[test]
fn with_a_provider_the_same_words_do_the_same() {
    let server = ModelServer::builder().rule(rules::remember()).dribble(7).start().unwrap();
    for dialect in ["openai", "openai-responses", "anthropic", "ollama"] {
        let base_url = server.base_url(match dialect {
            "openai" => FakeDialect::OpenAiChat,
            "openai-responses" => FakeDialect::OpenAiResponses,
            "anthropic" => FakeDialect::Anthropic,
            _ => FakeDialect::Ollama,
        });
        let mut fresh = Fresh::new();
        let made = fresh.run(&["init", "--provider", dialect, "--model", "none-such"]);
        assert!(made.status.success(), "{made:?}");
        for (key, value) in [("model.name", "fake-model"), ("model.base_url", &base_url)] {
            let set = fresh.run(&["config", "set", key, value]);
            assert!(set.status.success(), "{set:?}");
        }
        let words = fresh.up();
        assert!(words.iter().any(|line| line.contains("fake-model")), "{words:?}");
        let told = fresh.run(&["say", "remember that the staging server is called heron"]);
        assert!(told.status.success(), "{dialect}: {told:?}");
        let asked = fresh.run(&["say", "what is the staging server called?"]);
        assert!(text(&asked.stdout).contains("heron"), "{dialect}: {asked:?}");
        assert!(fresh.run(&["ledger", "verify"]).status.success());
    }
    server.assert_clean();
}

#[test]
fn say_says_by_its_exit_code_and_json_how_it_went() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::text("Here."), Reply::status(401), Reply::status(401)]);
    let home = Home::new(&thinking_with(&server, &["ada"]));
    let keeper = home.up();
    let good = home.run(["say", "--json", "are you there?"]);
    assert_eq!(good.status.code(), Some(0), "{good:?}");
    let epoch: Value = serde_json::from_slice(&good.stdout).unwrap();
    let shape: Vec<&str> = epoch.as_object().unwrap().keys().map(String::as_str).collect();
    let fields = [
        "epoch_id",
        "citizen",
        "session_id",
        "state",
        "stimulus",
        "final_response",
        "emotive_state",
        "abort",
        "turns",
        "usage",
        "opened_at",
        "ended_at",
        "seq",
    ];
    assert_eq!(shape, fields);
    assert_eq!((&epoch["final_response"], &epoch["abort"]), (&json!("Here."), &Value::Null));

    let bad = home.run(["say", "are you there?"]);
    assert_eq!((bad.status.code(), bad.stdout.len()), (Some(1), 0), "{bad:?}");
    assert!(text(&bad.stderr).contains("there is no answer"), "{bad:?}");
    let bad = home.run(["say", "--json", "are you there?"]);
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    let epoch: Value = serde_json::from_slice(&bad.stdout).unwrap();
    assert_eq!((&epoch["state"], &epoch["final_response"]), (&json!("aborted"), &Value::Null));
    assert!(epoch["abort"]["message"].as_str().is_some_and(|message| !message.is_empty()));

    for wrong in [&["say"][..], &["say", "--agent"], &["say", "a", "b"]] {
        assert_eq!(home.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(home.run(["say", "--agent", "nobody", "hi"]).status.code(), Some(1));
    keeper.kill();
    let gone = home.run(["say", "are you there?"]);
    assert_eq!((gone.status.code(), gone.stdout.len()), (Some(3), 0), "{gone:?}");
}
