//! The watchdog from outside: an agent that hangs is noticed, tried, told of once, and written down.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

use abide_testkit::{FakeDialect, ModelServer, Reply, ReplyHold};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    access::rights::create,
    client::Client,
    home::{Home, Keeper},
};

mod attention;
mod escalation;
mod outage;
mod waits;

/// Longest wait for a notice; nothing is asserted about how long one takes.
const PATIENCE: Duration = Duration::from_mins(1);
const KEY: &str = "a key that only the two know";
const FAST: &str = "[watchdog]\ninterval = \"100ms\"\nthreshold = \"300ms\"\nbell_window = \"100ms\"\n\
                    channel_window = \"200ms\"\ncooldown = \"1s\"\ngrace = \"0s\"\n";

/// What came to the fake webhook.
pub(super) struct ReceivedNotice {
    request: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl ReceivedNotice {
    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn assert_signed(&self) {
        let mut keyed = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).unwrap();
        keyed.update(self.header("x-signature-timestamp").as_bytes());
        keyed.update(b".");
        keyed.update(self.body.as_bytes());
        let expected = format!("sha256={}", hex::encode(keyed.finalize().into_bytes()));
        assert_eq!(self.header("x-signature"), expected);
    }
}

/// A webhook that takes everything.
pub(super) struct Hook {
    pub(super) url: String,
    told: Receiver<ReceivedNotice>,
}

impl Hook {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hooks/secret-path", listener.local_addr().unwrap());
        let (sender, told) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if take(stream.unwrap(), &sender).is_none() {
                    return;
                }
            }
        });
        Self { url, told }
    }

    /// The next notice of a kind; others in between are a mistake.
    pub(super) fn next(&self, kind: &str) -> ReceivedNotice {
        let told = self.told.recv_timeout(PATIENCE).expect("nobody was told");
        assert_eq!(told.json()["kind"], kind, "{}", told.body);
        told
    }
}

fn take(stream: TcpStream, sender: &Sender<ReceivedNotice>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let request = line.trim_end().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    reader.get_mut().write_all(answer.as_bytes()).unwrap();
    sender.send(ReceivedNotice { request, headers, body: String::from_utf8(body).unwrap() }).ok()
}

fn home_for(server: &ModelServer, more: &str) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{FAST}{more}"
    ))
}

fn up(home: &Home, hook: &Hook) -> Keeper {
    home.up_with(&[("HOOK_URL", hook.url.as_str()), ("HOOK_KEY", KEY)])
}

const IN_KEEPER: &str = "[[agent]]\nid = \"felix\"\nmind = \"model\"\n";
const HOOK: &str =
    "[[notify]]\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nsecret_env = \"HOOK_KEY\"\n";

fn count(home: &Home, kind: &str) -> usize {
    home.ledger().iter().filter(|line| line["kind"] == kind).count()
}

fn stall_of(keeper: &Keeper) -> Value {
    let matters = keeper.client.read("/attention");
    let mut items = matters["items"].as_array().unwrap().iter();
    items.find(|item| item["kind"] == "stall").cloned().unwrap_or_default()
}

/// A person takes the stall in hand at a shell: who was told hears of it, and nothing is left to press.
fn acknowledge(home: &Home, keeper: &Keeper, hook: &Hook) {
    let acked = home.run(["watchdog", "ack", "felix", "--for", "2h"]);
    let words = String::from_utf8(acked.stderr).unwrap();
    assert!(words.contains("you have acknowledged 1 stall for 2h"), "{words}");
    let told = hook.next("acknowledged").json();
    assert_eq!(told["by"], "user");
    assert!(told["summary"].as_str().unwrap().starts_with("felix: acknowledged by user until "));
    let held = stall_of(keeper);
    assert_eq!(held["acknowledged"]["by"], "user", "{held}");
    assert_ne!(held["actions"][0]["path"], "/watchdog/ack", "there is nothing left to press");
    assert_eq!(home.run(["watchdog", "ack", "nobody"]).status.code(), Some(1));
}

#[test]
fn a_mind_that_hangs_is_rung_paged_told_of_once_and_resolved_with_a_par_over_a_restart() {
    let server = ModelServer::start().unwrap();
    let (never, gate) = (ReplyHold::closed(), ReplyHold::closed());
    server.script([
        Reply::text("never").held_by(&never),
        Reply::text("nor this").held_by(&never),
        Reply::text("I am back.").held_by(&gate),
    ]);
    let hook = Hook::start();
    let home = home_for(&server, &format!("{HOOK}{IN_KEEPER}"));
    let keeper = up(&home, &hook);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "are you there?"}));
    let seen = events.until("watchdog.notified");
    let data = |kind: &str| {
        let event = seen.iter().find(|event| event.kind == kind);
        event.unwrap_or_else(|| panic!("no {kind}: {seen:?}")).data["data"].clone()
    };
    assert_eq!(data("watchdog.bell_failed")["code"], "no_process", "its mind is in the keeper");
    // The asking that hung was cancelled by it, and that is where a page is to arrive, with IRC or without.
    assert_eq!(data("watchdog.page_delivered")["proof"], "confirmed");
    assert_eq!(data("watchdog.page_delivered")["by"], "the agents themselves");
    assert_eq!(data("watchdog.escalated")["cause"], "no-evidence");
    let told = hook.next("stalled");
    told.assert_signed();
    assert_eq!(told.header("idempotency-key"), data("watchdog.notified")["notice"]);
    assert_eq!(told.json()["items"][0]["agent"], "felix");

    // What the ledger says is shown with the next look.
    events.until("watchdog.scanned");
    let stall = stall_of(&keeper);
    let summary = stall["summary"].as_str().unwrap();
    for tried in ["bell (there is no process)", "a person was notified"] {
        assert!(summary.contains(tried), "{tried}: {summary}");
    }
    assert_eq!(stall["citizen"], "felix");
    assert_eq!(stall["actions"][0]["path"], "/watchdog/ack");
    assert_eq!(stall["acknowledged"], Value::Null);
    // A service outside learns whose message waits, and none of its words.
    let task = told.json()["items"][0]["task"].clone();
    let task = task.as_str().unwrap();
    assert!(task.starts_with("a message of ") && task.ends_with(", just now"), "{task}");
    assert!(told.json()["text"].as_str().unwrap().contains(task), "{}", told.body);
    assert!(!told.body.contains("are you there"), "{}", told.body);
    acknowledge(&home, &keeper, &hook);
    assert_eq!(keeper.client.read("/snapshot")["watchdog"]["stalled"], json!(["felix"]));
    keeper.kill();

    let keeper = up(&home, &hook);
    let mut events = keeper.client.events("/events", &[]);
    for _ in 0..5 {
        events.until("watchdog.scanned");
    }
    assert_eq!(stall_of(&keeper)["id"], stall["id"], "the same stall, still open");
    gate.open();
    events.until("watchdog.resolved");
    events.until("par.written");
    assert_eq!(hook.next("resolved").json()["items"][0]["agent"], "felix");
    assert_eq!(stall_of(&keeper), Value::Null);
    for kind in ["stall_opened", "paged", "escalated", "notified", "resolved"] {
        assert_eq!(count(&home, &format!("watchdog.{kind}")), 1, "{kind}");
    }
    let failed = home.ledger().into_iter().filter(|line| line["kind"] == "turn.failed");
    let codes: Vec<_> = failed.map(|line| line["data"]["code"].clone()).collect();
    assert_eq!(codes, ["paged"], "the page cancelled the asking that hung");

    let report = home.run(["watchdog", "report", "--since", "1h"]);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("felix") && report.contains("without a person"), "{report}");
    let pars = keeper.client.read("/evidence?tag=par");
    assert_eq!(pars["items"][0]["author"], "tickle-1", "{pars}");
    assert!(!home.ledger().iter().any(|line| line.to_string().contains("secret-path")));
}

#[test]
fn a_page_alone_brings_an_agent_back_whose_asking_hangs() {
    let server = ModelServer::start().unwrap();
    let never = ReplyHold::closed();
    server.script([Reply::text("never").held_by(&never), Reply::text("Here I am.")]);
    let home = home_for(&server, "");
    let keeper = home.up();
    let epoch = keeper.client.say("are you there?");
    assert_eq!(epoch["final_response"], "Here I am.", "{epoch}");
    server.assert_clean();
}

#[test]
fn a_process_that_breathes_answers_the_bell_and_that_ends_nothing() {
    let server = ModelServer::start().unwrap();
    let never = ReplyHold::closed();
    server.script([Reply::text("never").held_by(&never)]);
    let url = server.base_url(FakeDialect::OpenAiChat);
    let patient = FAST.replace("bell_window = \"100ms\"", "bell_window = \"1h\"");
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{patient}"
    ));
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "are you there?"}));
    events.until("watchdog.bell_answered");
    events.until("watchdog.scanned");
    let stall = stall_of(&keeper);
    assert!(stall["summary"].as_str().unwrap().contains("alive, not moving"), "{stall}");
    let labels: Vec<_> = stall["actions"].as_array().unwrap().iter().collect();
    assert!(labels.iter().any(|action| action["path"] == "/agents/felix/restart"), "{stall}");
}

#[test]
fn people_steer_it_and_every_order_is_on_the_record() {
    let home = Home::new(FAST);
    let keeper = home.up();
    let ok = |arguments: &[&str]| {
        let output = home.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(ok(&["watchdog", "scan"]).starts_with("scanned 1, stalled: none"));
    ok(&["watchdog", "silence", "felix", "--for", "2h", "--reason", "it is being rebuilt"]);
    ok(&["watchdog", "pause", "--for", "1h"]);
    let status = ok(&["watchdog", "status"]);
    assert!(status.contains("paused by user") && status.contains("felix"), "{status}");
    let view = keeper.client.read("/watchdog");
    assert_eq!(view["silences"][0]["agent"], "felix", "{view}");
    ok(&["watchdog", "resume"]);
    ok(&["watchdog", "silence", "felix", "--off"]);
    let tested = home.run(["watchdog", "test-page"]);
    let words = String::from_utf8(tested.stdout).unwrap();
    assert_eq!(tested.status.code(), Some(1), "{words}");
    assert!(words.contains("irc is off") && words.contains("no notifier"), "{words}");
    let by = |kind: &str| {
        let line = home.ledger().into_iter().find(|line| line["kind"] == kind);
        line.unwrap_or_else(|| panic!("no {kind}"))["author"].clone()
    };
    for kind in ["silenced", "unsilenced", "paused", "resumed"] {
        assert_eq!(by(&format!("watchdog.{kind}")), "@user", "{kind}");
    }
    let ack = |body: &Value| keeper.client.post("/watchdog/ack", body).status;
    assert_eq!(ack(&json!({"agent": "felix"})), 404, "nothing is open");
    assert_eq!(ack(&json!({})), 422);
    assert_eq!(keeper.client.post("/watchdog/resume", &json!({})).status, 409);
    assert_eq!(keeper.client.post("/watchdog/dance", &json!({})).status, 404);
}

#[test]
fn who_may_decide_may_take_a_stall_in_hand_and_silence_one_agent_and_nothing_more() {
    let home = Home::new(FAST);
    let keeper = home.up();
    let token = create(&home, "ann", &["read", "approve"], &[]);
    let ann = Client::new(keeper.address, Some(token));
    let order = |action: &str, body: &Value| ann.post(&format!("/watchdog/{action}"), body).status;
    assert_eq!(order("ack", &json!({"agent": "felix"})), 404, "nothing is open");
    assert_eq!(order("silence", &json!({"agent": "felix"})), 200);
    assert_eq!(order("unsilence", &json!({"agent": "felix"})), 200);
    assert_eq!(order("silence", &json!({})), 403);
    for action in ["scan", "pause", "resume", "test-page"] {
        assert_eq!(order(action, &json!({})), 403, "{action}");
    }
}

#[test]
fn a_notifier_without_its_address_is_found_at_the_start() {
    let home = Home::new(&format!("{FAST}{HOOK}"));
    let output = home.run(["config", "print"]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    for key in ["notify[0].url_env", "notify[0].secret_env"] {
        assert!(words.contains(key), "{words}");
    }
}
