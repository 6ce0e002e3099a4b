//! A network that leads to no model: nobody is paged for it, and people hear of it once.

use std::{ffi::OsString, path::PathBuf, process::Command};

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};

use super::{FAST, HOOK, Hook, KEY, count, up};
use crate::{
    client::Client,
    home::{Home, Keeper},
};

/// People are told of a host at once instead of after five minutes.
const AT_ONCE: &str = "[[attention]]\nkinds = [\"unreachable\"]\nafter = \"0s\"\n";

/// A name, `model.test`, that keepers do not find before a test says so.
struct HiddenName {
    folder: tempfile::TempDir,
}

impl HiddenName {
    fn new() -> Self {
        let hidden = Self { folder: tempfile::tempdir().unwrap() };
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/watchdog/resolve_name.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(hidden.library()).arg(source).arg("-ldl");
        assert!(compiler.status().unwrap().success(), "cc builds {source}");
        hidden
    }

    fn up(&self, home: &Home, hook: &Hook) -> Keeper {
        home.up_with(&[
            ("HOOK_URL", OsString::from(&hook.url)),
            ("HOOK_KEY", KEY.into()),
            ("LD_PRELOAD", self.library().into()),
            ("MODEL_TEST_FILE", self.file().into()),
        ])
    }

    /// From now on it is found.
    fn show(&self) {
        std::fs::write(self.file(), "").unwrap();
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("resolve_name.so")
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("found")
    }
}

/// What is shown of hosts that are out of reach, after a look that began after this call.
fn unreachable(keeper: &Keeper) -> Vec<Value> {
    let mut events = keeper.client.events("/events", &[]);
    // The first look may have begun before, and a look is written down before it is shown.
    for _ in 0..3 {
        events.until("watchdog.scanned");
    }
    let mut items = keeper.client.read("/attention")["items"].as_array().unwrap().clone();
    items.retain(|item| item["kind"] == "unreachable");
    items
}

/// Says something to an agent, and waits for the epoch's end.
fn say(client: &Client, agent: &str) -> Value {
    let body = json!({"message": "hello", "citizen": agent});
    client.post("/start-epoch?wait=1", &body).json()
}

#[test]
fn a_host_that_is_out_of_reach_is_told_of_once_with_its_agents_and_so_is_its_end() {
    let (hook, name) = (Hook::start(), HiddenName::new());
    let server = ModelServer::start().unwrap();
    let url = server.base_url(FakeDialect::OpenAiChat).replace("127.0.0.1", "model.test");
    // Shorter than the retries of a request would take: an asking that went on by itself would be found silent, and be cut off
    // before it has shown why.
    let soon = FAST.replace("threshold = \"300ms\"", "threshold = \"700ms\"");
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{soon}{HOOK}{AT_ONCE}\
         [limits]\nattempts = 1\n[[agent]]\nid = \"felix\"\nmind = \"model\"\n\
         [[agent]]\nid = \"iris\"\nmind = \"model\"\n[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n"
    ));
    let keeper = name.up(&home, &hook);
    assert_eq!(say(&keeper.client, "felix")["state"], "aborted");
    let told = hook.next("attention").json();
    let matter = &told["matters"][0];
    assert_eq!(matter["id"], "unreachable:model.test", "{told}");
    assert_eq!(matter["summary"], "no connection to model.test: no model for felix", "{told}");
    assert_eq!(matter["agent"], Value::Null, "no agent is to blame: {told}");

    // One more that waits for the host is shown, and tells nobody again; who asks no model goes on.
    assert_eq!(say(&keeper.client, "iris")["state"], "aborted");
    assert_eq!(say(&keeper.client, "ada")["state"], "committed");
    let shown = unreachable(&keeper);
    let summaries: Vec<_> = shown.iter().map(|item| item["summary"].clone()).collect();
    assert_eq!(summaries, ["no connection to model.test: no model for felix, iris"], "{shown:?}");
    let view = keeper.client.read("/watchdog");
    let verdict = |agent: &str| {
        let all = view["agents"].as_array().unwrap();
        all.iter().find(|one| one["agent"] == agent).unwrap()["verdict"].clone()
    };
    assert_eq!([verdict("felix"), verdict("iris")], ["unreachable", "unreachable"]);
    assert_eq!((verdict("ada"), &view["blind"]), (json!("idle"), &Value::Null));

    name.show();
    server.script([Reply::text("Here I am.")]);
    assert_eq!(say(&keeper.client, "felix")["final_response"], "Here I am.");
    assert_eq!(hook.next("attention_over").json()["matters"][0]["id"], "unreachable:model.test");
    assert_eq!(unreachable(&keeper), [Value::Null; 0]);
    for (kind, expected) in
        [("attention_raised", 1), ("attention_ended", 1), ("stall_opened", 0), ("blinded", 0)]
    {
        assert_eq!(count(&home, &format!("watchdog.{kind}")), expected, "{kind}");
    }
    server.assert_clean();
}

#[test]
fn a_name_that_does_not_resolve_is_out_of_reach_and_the_other_agent_goes_on() {
    let hook = Hook::start();
    // No name under `invalid` is ever found.
    let model =
        "[model]\nprovider = \"openai\"\nbase_url = \"http://model.invalid/v1\"\nname = \"m\"\n";
    let agents =
        "[[agent]]\nid = \"felix\"\nmind = \"model\"\n[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n";
    // A look-up may take its time before it fails.
    let patient = FAST.replace("threshold = \"300ms\"", "threshold = \"1m\"");
    let home = Home::new(&format!("{model}{patient}{HOOK}{AT_ONCE}{agents}"));
    let keeper = up(&home, &hook);
    keeper.client.post("/start-epoch", &json!({"message": "hello", "citizen": "felix"}));
    let told = hook.next("attention").json();
    assert_eq!(told["matters"][0]["id"], "unreachable:model.invalid", "{told}");
    assert_eq!(say(&keeper.client, "ada")["state"], "committed");
    assert_eq!(unreachable(&keeper).len(), 1);
    for kind in ["stall_opened", "paged", "blinded"] {
        assert_eq!(count(&home, &format!("watchdog.{kind}")), 0, "{kind}");
    }
}

#[test]
fn a_network_that_is_down_is_told_of_instead_of_the_agents_that_it_stops() {
    let hook = Hook::start();
    // No name under `invalid` is ever found.
    let model =
        "[model]\nprovider = \"openai\"\nbase_url = \"http://model.invalid/v1\"\nname = \"m\"\n";
    // The one thinks in the keeper, the other in a process, whose words come over frames.
    let agents = "[[agent]]\nid = \"felix\"\nmind = \"model\"\nalways_active = true\n\
                  [[agent]]\nid = \"ada\"\nmind = \"agent\"\n";
    // Nobody stalls before both have tried.
    let patient = FAST.replace("threshold = \"300ms\"", "threshold = \"4s\"");
    let home = Home::new(&format!("{model}{patient}{HOOK}[limits]\nattempts = 1\n{agents}"));
    let keeper = up(&home, &hook);
    let mut events = keeper.client.events("/events", &[]);
    for citizen in ["felix", "ada"] {
        keeper.client.post("/start-epoch", &json!({"message": "hello", "citizen": citizen}));
    }
    let seen = events.until("watchdog.blinded");
    let blinded = seen.last().unwrap().data["data"].clone();
    assert_eq!(blinded["cause"], "network", "{blinded}");
    assert!(blinded["message"].as_str().unwrap().contains("no connection to model.invalid"));
    // One of them is to be active always and is not: nobody blames it.
    let told = hook.next("blind").json();
    assert!(told["reason"].as_str().unwrap().contains("model.invalid"), "{told}");
    events.until("watchdog.notified");
    for _ in 0..5 {
        events.until("watchdog.scanned");
    }
    let view = keeper.client.read("/watchdog");
    assert!(view["blind"].as_str().unwrap().contains("no connection"), "{view}");
    assert_eq!((count(&home, "watchdog.stall_opened"), count(&home, "watchdog.paged")), (0, 0));
    assert_eq!(count(&home, "watchdog.notified"), 1, "one message for all");
}
