//! Who is told first and who next, from the configuration to two services; and the switch that misses the watchdog itself.

use abide_testkit::{FakeDialect, ModelServer, Reply, ReplyHold};
use serde_json::{Value, json};

use super::{FAST, Hook, IN_KEEPER, PATIENCE, count};
use crate::home::Home;

const TWO: &str = "[[notify]]\nkind = \"webhook\"\nname = \"phone\"\nurl_env = \"PHONE_URL\"\n\
                   [[notify]]\nkind = \"webhook\"\nname = \"pager\"\nurl_env = \"PAGER_URL\"\n";
const POLICY: &str = "[[escalation]]\nagents = [\"*\"]\nsteps = [{ notify = [\"phone\"] }, \
                      { after = \"300ms\", notify = [\"pager\"] }]\n";

#[test]
fn steps_of_a_policy_reach_one_service_after_the_other_and_the_end_reaches_both() {
    let server = ModelServer::start().unwrap();
    let (never, gate) = (ReplyHold::closed(), ReplyHold::closed());
    server.script([Reply::text("never").held_by(&never), Reply::text("I am back.").held_by(&gate)]);
    let (phone, pager) = (Hook::start(), Hook::start());
    let url = server.base_url(FakeDialect::OpenAiChat);
    let model = format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n");
    let home = Home::new(&format!("{model}{FAST}{TWO}{POLICY}{IN_KEEPER}"));
    let variables = [("PHONE_URL", phone.url.as_str()), ("PAGER_URL", pager.url.as_str())];
    let keeper = home.up_with(&variables);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "are you there?"}));
    let first = phone.next("stalled").json();
    let second = pager.next("stalled").json();
    assert_eq!(first["items"][0]["episode"], second["items"][0]["episode"], "it is one stall");
    assert_ne!(first["id"], second["id"], "and two notices");
    let seen = events.until("watchdog.stepped");
    let step = seen.last().unwrap().data["data"].clone();
    assert_eq!((&step["step"], &step["to"]), (&json!(2), &json!(["pager"])));
    let seen = events.until("watchdog.notified");
    let told = seen.last().unwrap().data["data"].clone();
    assert_eq!(told["attempts"][0]["service"], "pager", "{told}");
    assert_eq!(told["attempts"][0]["outcome"], "confirmed", "{told}");
    gate.open();
    for hook in [&phone, &pager] {
        assert_eq!(hook.next("resolved").json()["items"][0]["agent"], "felix");
    }
    events.until("watchdog.closed");
    for kind in ["escalated", "stepped", "closed"] {
        assert_eq!(count(&home, &format!("watchdog.{kind}")), 1, "{kind}");
    }
}

#[test]
fn a_policy_that_names_nobody_is_found_at_the_start() {
    let policy = POLICY.replace("pager", "fax").replace('*', "ada");
    let home = Home::new(&format!("{FAST}{TWO}{policy}"));
    let output = home.run(["config", "print"]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    for problem in ["no such agent", "no such service in [[notify]]"] {
        assert!(words.contains(problem), "{words}");
    }
}

#[test]
fn the_dead_man_s_switch_hears_of_every_good_scan_and_its_address_stays_secret() {
    let switch = Hook::start();
    let home = Home::new(&format!("{FAST}ping_env = \"PING_URL\"\n"));
    let keeper = home.up_with(&[("PING_URL", switch.url.as_str())]);
    for _ in 0..3 {
        let ping = switch.told.recv_timeout(PATIENCE).expect("no ping");
        assert!(ping.request.starts_with("GET /hooks/secret-path "), "{}", ping.request);
        assert_eq!(ping.body, "");
    }
    let mut events = keeper.client.events("/events", &[]);
    events.until("watchdog.scanned");
    let view = keeper.client.read("/watchdog");
    assert_eq!((&view["dead_man_set"], &view["dead_man"]), (&json!(true), &Value::Null), "{view}");
    assert!(view["dead_man_reached_at"].is_string(), "{view}");
    let status = home.run(["watchdog", "status"]);
    let words = String::from_utf8(status.stdout).unwrap();
    assert!(words.contains("the dead man's switch was last reached at "), "{words}");
    assert!(!view.to_string().contains("secret-path") && !words.contains("secret-path"));
}

#[test]
fn a_switch_that_is_not_there_is_said_and_stops_no_scan() {
    // Nobody listens at this port: it was free a moment ago, and is closed.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let home = Home::new(&format!("{FAST}ping_env = \"PING_URL\"\n"));
    let keeper = home.up_with(&[("PING_URL", &format!("http://{address}/ping/secret-path"))]);
    let mut events = keeper.client.events("/events", &[]);
    let why = loop {
        events.until("watchdog.scanned");
        let view = keeper.client.read("/watchdog");
        if let Some(why) = view["dead_man"].as_str() {
            break why.to_owned();
        }
    };
    assert!(why.contains("could not reach 127.0.0.1") && !why.contains("secret-path"), "{why}");
    events.until("watchdog.scanned");
}
