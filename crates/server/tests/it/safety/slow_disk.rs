//! A disk whose syncs are slow or hang, as the keeper's callers see it.

use std::{path::PathBuf, process::Command, sync::OnceLock, thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    alertmanager::{alert, message},
    client::Client,
    home::{Home, Keeper},
    watchdog::Hook,
};

/// How often something is looked for that comes, ten times a second.
const TRIES_MAX: u32 = 1200;

/// A disk whose syncs take as long as a test says.
pub(super) struct SlowDisk {
    folder: tempfile::TempDir,
}

impl SlowDisk {
    /// A disk as it is.
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Starts a keeper on it.
    pub(super) fn up(&self, home: &Home) -> Keeper {
        self.up_with(home, &[])
    }

    /// Starts a keeper on it, with more variables.
    fn up_with(&self, home: &Home, more: &[(&str, &str)]) -> Keeper {
        let mut variables = vec![
            ("LD_PRELOAD", library().clone().into_os_string()),
            ("SLOW_SYNC_FILE", self.delays().into_os_string()),
        ];
        variables.extend(more.iter().map(|(name, value)| (*name, (*value).into())));
        home.up_with(&variables)
    }

    /// From now on each sync takes so long.
    pub(super) fn delay(&self, time: Duration) {
        let new = self.delays().with_extension("new");
        std::fs::write(&new, time.as_millis().to_string()).unwrap();
        std::fs::rename(new, self.delays()).unwrap();
    }

    fn delays(&self) -> PathBuf {
        self.folder.path().join("milliseconds")
    }
}

/// The library that delays syncs, built once.
fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow_sync.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/safety/slow_sync.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&path).arg(source).arg("-ldl");
        assert!(compiler.status().unwrap().success(), "cc builds {source}");
        (folder, path)
    });
    path
}

fn start(client: &Client, key: &str) -> Option<Value> {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    let body = json!({ "message": format!("message of {key}") }).to_string();
    let answer = client.attempt("POST", "/start-epoch", &headers, &body)?;
    assert!(matches!(answer.status, 200 | 202), "{answer:?}");
    Some(answer.json()["epoch_id"].clone())
}

/// How many keys a test uses: a few, or with `ABIDE_TEST_ROUNDS` in per cent as many as of a thousand.
fn keys() -> u32 {
    abide_testkit::rounds(1000).max(40)
}

#[test]
fn a_caller_that_leaves_and_asks_again_with_its_key_gets_the_same_epoch() {
    let home = Home::new("[limits]\nqueue = 100000\n");
    let disk = SlowDisk::new();
    let keeper = disk.up(&home);
    disk.delay(Duration::from_secs(2));
    let keys: Vec<String> = (0..keys()).map(|number| format!("key-{number}")).collect();
    // Each leaves while its line is on its way to the disk, and asks again at once.
    thread::scope(|scope| {
        for part in keys.chunks(keys.len().div_ceil(8)) {
            let client = keeper.client.with_patience(Duration::from_millis(20));
            scope.spawn(move || {
                for key in part {
                    start(&client, key);
                }
            });
        }
    });
    let again: Vec<_> = thread::scope(|scope| {
        let asked: Vec<_> = keys
            .chunks(keys.len().div_ceil(8))
            .map(|part| {
                let client = keeper.client.clone();
                scope.spawn(move || part.iter().map(|key| start(&client, key)).collect::<Vec<_>>())
            })
            .collect();
        asked.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    disk.delay(Duration::ZERO);
    keeper.kill();
    let accepted: Vec<_> = home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "stimulus.accepted")
        .map(|line| (line["data"]["idempotency"]["key"].clone(), line["epoch"].clone()))
        .collect();
    assert_eq!(accepted.len(), keys.len(), "one epoch a key");
    for (key, epoch) in keys.iter().zip(again) {
        let stored = json!(format!("http/user/{key}"));
        assert!(accepted.contains(&(stored, epoch.expect("an answer"))), "{key}");
    }
}

#[test]
fn a_queue_holds_no_more_than_it_may_when_callers_leave() {
    let home = Home::new("[limits]\nqueue = 3\n");
    let disk = SlowDisk::new();
    let keeper = disk.up(&home);
    disk.delay(Duration::from_secs(3));
    let client = keeper.client.with_patience(Duration::from_millis(20));
    for number in 0..25 {
        let body = json!({ "message": format!("message {number}") }).to_string();
        client.attempt("POST", "/start-epoch", &[("content-type", "application/json")], &body);
    }
    disk.delay(Duration::ZERO);
    // The next answer stands behind all of them.
    let full = keeper.client.post("/start-epoch", &json!({"message": "the last"}));
    assert!(matches!(full.status, 202 | 429), "{full:?}");
    keeper.kill();
    let accepted = home.ledger().iter().filter(|line| line["kind"] == "stimulus.accepted").count();
    // One may have been taken up, the last may have found room.
    assert!((1..=5).contains(&accepted), "{accepted} were accepted");
}

#[test]
fn an_alert_whose_sender_leaves_and_comes_again_is_on_the_record_once() {
    let home = Home::new("[alertmanager]\nwake = \"felix\"\n");
    let disk = SlowDisk::new();
    let keeper = disk.up(&home);
    disk.delay(Duration::from_secs(2));
    let leaving = keeper.client.with_patience(Duration::from_millis(20));
    let body = message(&[alert("firing", "a1b2")]).to_string();
    for _ in 0..5 {
        leaving.attempt("POST", "/alertmanager", &[("content-type", "application/json")], &body);
    }
    assert_eq!(
        keeper.client.post("/alertmanager", &message(&[alert("firing", "a1b2")])).status,
        200
    );
    disk.delay(Duration::ZERO);
    keeper.kill();
    let lines = home.ledger();
    let of = |kind: &str, author: &str| {
        lines.iter().filter(|line| line["kind"] == kind && line["author"] == author).count()
    };
    assert_eq!(of("stimulus.accepted", "@alertmanager"), 1);
    assert_eq!(lines.iter().filter(|line| line["author"] == "@alertmanager").count(), 2);
}

#[test]
fn a_sync_that_hangs_is_told_and_a_stop_waits_no_longer_than_it_may() {
    let notify = "[[notify]]\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\n";
    let home = Home::new(&format!("[supervisor]\nshutdown_grace = \"1s\"\n{notify}"));
    let (disk, hook) = (SlowDisk::new(), Hook::start());
    let keeper = disk.up_with(&home, &[("HOOK_URL", &hook.url)]);
    keeper.client.say("hello");
    assert_eq!(keeper.client.read("/health")["status"], "ok");
    disk.delay(Duration::from_hours(1));
    let client = keeper.client.with_patience(Duration::from_millis(20));
    client.attempt(
        "POST",
        "/start-epoch",
        &[("content-type", "application/json")],
        "{\"message\":\"lost\"}",
    );
    let health = wait_for(|| Some(keeper.client.get("/health")).filter(|h| h.status == 503));
    let health = health.json();
    assert_eq!(health["status"], "stalled");
    assert!(health["reason"].as_str().unwrap().contains("the writer of the ledger"), "{health}");
    let told = hook.next("blind").json();
    assert!(told["reason"].as_str().unwrap().contains("the writer of the ledger"), "{told}");
    let attention = keeper.client.read("/attention");
    let kinds: Vec<_> = attention["items"].as_array().unwrap().iter().map(|i| &i["kind"]).collect();
    assert_eq!(kinds, ["keeper"], "{attention}");
    let late = keeper.client.post("/start-epoch", &json!({"message": "and this?"}));
    assert_eq!((late.status, late.code().as_str()), (503, "standstill"), "{late:?}");
    let doctor = home.run(["doctor"]);
    let text = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(text.contains("the writer of the ledger stands still"), "{text}");
    // It ends by itself; the test would not.
    assert_eq!(keeper.stop(), Some(75), "the exit code of a stop that was not clean");
    disk.delay(Duration::ZERO);
    let keeper = disk.up_with(&home, &[("HOOK_URL", &hook.url)]);
    assert_eq!(keeper.client.read("/health")["status"], "ok");
}

/// Waits for something that comes.
pub(super) fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..TRIES_MAX {
        if let Some(found) = look() {
            return found;
        }
        thread::park_timeout(Duration::from_millis(100));
    }
    panic!("it never came");
}
