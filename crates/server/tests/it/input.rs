//! What requests may hold: each key once, objects where objects are meant, parameters that there are. What does not fit
//! is refused in one shape, with its path, in plain words.

use serde_json::json;

use crate::{client::Answer, home::Home};

const JSON: (&str, &str) = ("content-type", "application/json");

fn said(answer: &Answer) -> String {
    answer.json()["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_key_that_stands_twice_is_refused_with_its_path_on_every_route() {
    let home = Home::new("");
    let keeper = home.up();
    let before = keeper.client.read("/snapshot")["seq"].clone();
    for (path, body, at) in [
        ("/start-epoch", r#"{"message": "a", "message": "b"}"#, "message"),
        (
            "/start-epoch",
            r#"{"stimulus": {"content": "a", "sender": "x", "sender": "y"}}"#,
            "stimulus.sender",
        ),
        ("/management/reset", r#"{"citizen": "felix", "citizen": "felix"}"#, "citizen"),
        ("/evidence", r#"{"body": {"text": "a", "text": "b"}}"#, "body.text"),
        ("/memory/graph/nodes", r#"{"node_id": "a", "node_id": "b"}"#, "node_id"),
        (
            "/memory/query",
            r#"{"query": "x", "params": {"a": [{"b": 1, "b": 2}]}}"#,
            "params.a[0].b",
        ),
        ("/alertmanager", r#"{"version": "4", "alerts": [], "version": "4"}"#, "version"),
        ("/session", r#"{"code": "a", "code": "b"}"#, "code"),
    ] {
        let answer = keeper.client.send("POST", path, &[JSON], body);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "malformed"),
            "{path}: {answer:?}"
        );
        assert_eq!(said(&answer), format!("{at}: stands there twice"), "{path}");
        assert_eq!(answer.json()["error"]["details"][0]["path"], at, "{path}");
    }
    assert_eq!(keeper.client.read("/snapshot")["seq"], before, "nothing happened");
}

#[test]
fn a_list_is_no_object_on_any_route() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the heron is grey");
    let before = keeper.client.read("/snapshot")["seq"].clone();
    for (path, body) in [
        ("/management/reset", json!(["felix", true])),
        ("/management/sleep", json!(["felix", false])),
        ("/stdout", json!(["@ann", "\\stdout write: x ---"])),
        ("/stdout/grants", json!(["@ann", "@bob"])),
        ("/identity", json!(["I am somebody else", true, "felix"])),
        ("/knowledge", json!(["the heron is blue", null, [], null, "felix"])),
        ("/session/links", json!([])),
        ("/watchdog/ack", json!(["felix", null, null, true])),
    ] {
        let answer = keeper.client.post(path, &body);
        if path == "/session/links" {
            // It takes no body at all.
            assert_eq!(answer.status, 201, "{answer:?}");
            continue;
        }
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "malformed"),
            "{path}: {answer:?}"
        );
        assert_eq!(said(&answer), "(body): must be an object", "{path}");
    }
    let alerts = json!({"version": "4", "alerts": [["firing"]]});
    let answer = keeper.client.post("/alertmanager", &alerts);
    assert_eq!((answer.status, said(&answer).as_str()), (400, "alerts[0]: must be an object"));
    assert_eq!(keeper.client.read("/snapshot")["seq"], before, "nothing happened");
}

#[test]
fn a_parameter_that_there_is_not_is_named_with_those_that_there_are() {
    let home = Home::new("");
    let keeper = home.up();
    let refused = |method: &str, path: &str| {
        let answer =
            keeper.client.send(method, path, &[JSON], if method == "GET" { "" } else { "{}" });
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "malformed"),
            "{path}: {answer:?}"
        );
        said(&answer)
    };
    assert_eq!(
        refused("GET", "/epochs?citzen=x"),
        "there is no query parameter `citzen` here; known ones are citizen, cursor, limit, thoughts"
    );
    assert_eq!(
        refused("GET", "/snapshot?x=1"),
        "there is no query parameter `x` here; this route has none"
    );
    for path in [
        "/knowledge?qq=heron",
        "/ledger?epcoh=x",
        "/events?afterr=0",
        "/identity?Citizen=felix",
        "/agents/felix?limit=1",
        "/health?verbose",
    ] {
        assert!(refused("GET", path).starts_with("there is no query parameter `"), "{path}");
    }
    for path in ["/start-epoch?wiat=1", "/management/reset?force=1", "/agents/felix/park?now=1"] {
        assert!(refused("POST", path).starts_with("there is no query parameter `"), "{path}");
    }
    assert!(
        refused("DELETE", "/memory/graph/edges?form=a")
            .contains("known ones are citizen, edge, from, reason, to")
    );
    assert_eq!(
        refused("GET", "/epochs?limit=1&limit=2"),
        "the query parameter `limit` stands twice"
    );
    // A link to a page may carry anything.
    let page = keeper.client.send("GET", "/?utm=x", &[("accept", "text/html")], "");
    assert_eq!(page.status, 200);
}

#[test]
fn a_path_that_is_no_text_gets_the_error_in_json() {
    let home = Home::new("");
    let keeper = home.up();
    for path in ["/epochs/%ff", "/agents/%C3", "/dreams/a%80.md", "/memory/graph/nodes/%fe", "/%ff"]
    {
        let answer = keeper.client.get(path);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "malformed"),
            "{path}: {answer:?}"
        );
        assert!(answer.header("content-type").starts_with("application/json"), "{answer:?}");
    }
    let answer = keeper.client.anonymous().get("/assets/%ff");
    assert_eq!((answer.status, answer.code().as_str()), (400, "malformed"), "{answer:?}");
}

#[test]
fn what_is_wrong_is_said_in_plain_words_with_its_path() {
    let home = Home::new("");
    let keeper = home.up();
    for (path, body, status, words) in [
        ("/management/reset", r#"{"force": "yes"}"#, 422, "force: must be true or false"),
        (
            "/management/reset",
            r#"{"ctizen": "x"}"#,
            422,
            "ctizen: is an unknown field; the fields are citizen, force",
        ),
        (
            "/identity/restore",
            r#"{"version": -1}"#,
            422,
            "version: must be a whole number, zero or more",
        ),
        ("/stdout", "{}", 422, "command: is missing"),
        ("/stdout", r#""x""#, 400, "(body): must be an object"),
        ("/stdout", "{\n\"command\" 1}", 400, "the body is not JSON: line 2, column 11"),
    ] {
        let answer = keeper.client.send("POST", path, &[JSON], body);
        assert_eq!((answer.status, said(&answer).as_str()), (status, words), "{path} {body}");
    }
}

#[test]
fn times_and_texts_that_no_one_means_are_refused() {
    let home = Home::new("");
    let keeper = home.up();
    let at = |timestamp: &str| {
        let stimulus =
            json!({"content": "hi", "sender": "ada", "channel": "api", "timestamp": timestamp});
        let envelope =
            json!({"stimulus": stimulus, "last_driver_output": null, "citizen": "felix"});
        keeper.client.post("/start-epoch", &envelope)
    };
    for time in ["2024-11-20T16:30:00+18:00", "2024-11-20T16:30:00-18:00"] {
        assert_eq!(at(time).status, 202, "{time}");
    }
    let end = at("9999-12-31T23:59:59Z");
    assert!(said(&end).contains("in the future") && !said(&end).contains("RFC 3339"), "{end:?}");
    let empty = json!({
        "stimulus": {"content": "hi", "sender": "ada", "channel": "api", "timestamp": "2024-11-20T16:30:00Z"},
        "last_driver_output": {}, "citizen": "felix"
    });
    let empty = keeper.client.post("/start-epoch", &empty);
    assert_eq!((empty.status, empty.code().as_str()), (422, "invalid_envelope"), "{empty:?}");
    assert!(said(&empty).contains("last_driver_output.content: is missing"), "{empty:?}");
    for time in
        ["2024-11-20T16:30:00+18:01", "2024-11-20T16:30:00-23:00", "2024-11-20T16:30:00+25:59"]
    {
        let answer = at(time);
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid_envelope"), "{time}");
        assert!(said(&answer).contains("offset of at most 18 hours"), "{answer:?}");
    }
    for blank in ["\u{200b}", " \u{2060}\u{feff}\n", "\u{202e}", "\u{3164}\u{0}"] {
        let answer = keeper.client.post("/start-epoch", &json!({"message": blank}));
        assert_eq!(answer.status, 422, "{blank:?}: {answer:?}");
        assert!(said(&answer).contains("message: must not be empty or blank"), "{answer:?}");
    }
    assert_eq!(keeper.client.post("/start-epoch", &json!({"message": "\u{200b}."})).status, 202);
    let fact = keeper.client.post("/knowledge", &json!({"content": "\u{200b}\u{feff}"}));
    assert_eq!(fact.status, 422, "{fact:?}");
}

#[test]
fn guesses_are_slowed_and_whoever_knows_passes() {
    let home = Home::new("");
    let log = home.path().join("log");
    let file = std::fs::File::create(&log).unwrap();
    let keeper = home.begin_saying(&[("ABIDE_LOG", "warn")], file.into());
    let guess = |n: usize| {
        let token = format!("Bearer {n:064}");
        keeper.client.anonymous().send("GET", "/health", &[], "");
        keeper.client.anonymous().send("GET", "/snapshot", &[("authorization", &token)], "")
    };
    let statuses: Vec<u16> = (0..20).map(|n| guess(n).status).collect();
    assert_eq!(statuses[..3], [401; 3]);
    assert_eq!(statuses[3..], [429; 17]);
    let refused = guess(20);
    assert_eq!(refused.code(), "too_many_failures");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    let code = keeper.client.anonymous().post("/session", &json!({"code": "wrong"}));
    assert_eq!(code.status, 429, "codes are tokens too");
    assert_eq!(keeper.client.get("/config").status, 200, "the right one passes at any time");
    assert_eq!(keeper.client.anonymous().get("/snapshot").status, 401, "none is no guess");
    let words = std::fs::read_to_string(log).unwrap();
    assert_eq!(words.matches("login_refused").count(), 1, "once a burst: {words}");
    assert!(!words.contains(&format!("{:064}", 7)), "a guess is in the log");
}
