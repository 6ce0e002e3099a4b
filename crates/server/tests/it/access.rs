//! Who gets in: tokens, links, cookies, Host, Origin, media types, bounds.

use std::fs;

use serde_json::json;

use crate::{client::Client, home::Home};

mod authors;
mod local_socket;
mod names;
pub(crate) mod rights;
mod sessions;

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn everything_but_health_and_the_page_shell_needs_a_token() {
    let home = Home::new("");
    let keeper = home.up();
    let anonymous = keeper.client.anonymous();
    for path in ["/health", "/ready", "/alive", "/version"] {
        assert_eq!(anonymous.get(path).status, 200, "{path}");
    }
    let shell = anonymous.send("GET", "/", &[("accept", "text/html")], "");
    assert_eq!(shell.status, 200);
    assert!(shell.header("content-type").starts_with("text/html"), "{shell:?}");
    assert!(shell.header("content-security-policy").contains("script-src 'self'"), "{shell:?}");
    for path in [
        "/",
        "/snapshot",
        "/events",
        "/epochs",
        "/identity",
        "/knowledge",
        "/agents",
        "/approvals",
        "/attention",
        "/metrics",
        "/openapi.json",
        "/dreams",
        "/nothing-here",
    ] {
        let answer = anonymous.get(path);
        assert_eq!((answer.status, answer.code().as_str()), (401, "unauthorized"), "{path}");
    }
    let wrong = Client::new(keeper.address, Some("0".repeat(64)));
    assert_eq!(wrong.get("/snapshot").status, 401);
    let status = keeper.client.read("/");
    assert_eq!((&status["name"], &status["status"]), (&json!("abide"), &json!("ok")));
    assert_eq!(status["agents"], json!([{"id": "felix", "state": "idle"}]));
}

#[test]
fn bc_32_what_a_web_page_could_send_is_refused() {
    let home = Home::new("");
    let keeper = home.up();
    let body = r#"{"message":"hi"}"#;
    let before = keeper.client.read("/snapshot")["seq"].clone();
    for path in ["/start-epoch", "/management/reset"] {
        let send = |headers: &[(&str, &str)]| keeper.client.send("POST", path, headers, body);
        assert_eq!(
            send(&[JSON, ("origin", "http://evil.example")]).status,
            403,
            "{path}: another origin"
        );
        assert_eq!(send(&[JSON, ("origin", "null")]).status, 403, "{path}: a sandboxed page");
        assert_eq!(send(&[JSON, ("host", "evil.example")]).status, 421, "{path}: a rebinding host");
        assert_eq!(
            send(&[("content-type", "application/x-www-form-urlencoded")]).status,
            415,
            "{path}: a form"
        );
        assert_eq!(
            send(&[("content-type", "text/plain")]).status,
            415,
            "{path}: a form that looks like JSON"
        );
        assert_eq!(send(&[]).status, 415, "{path}: no type");
        let anonymous = keeper.client.anonymous();
        assert_eq!(anonymous.send("POST", path, &[JSON], body).status, 401, "{path}: no token");
        let form = anonymous.send(
            "POST",
            path,
            &[("content-type", "multipart/form-data; boundary=x")],
            "",
        );
        assert_eq!(form.status, 415, "{path}: a form without a token");
    }
    let stream = keeper.client.send("GET", "/events", &[("origin", "http://evil.example")], "");
    assert_eq!(stream.status, 403, "an EventSource of another origin");
    let preflight =
        keeper.client.send("OPTIONS", "/start-epoch", &[("origin", "http://evil.example")], "");
    assert_eq!(preflight.status, 403);
    assert_eq!(preflight.header("access-control-allow-origin"), "");
    assert_eq!(keeper.client.read("/snapshot")["seq"], before, "nothing happened");
}

#[test]
fn a_link_signs_a_browser_in_once_and_its_cookie_survives_a_restart() {
    let home = Home::new("");
    let keeper = home.up();
    let anonymous = keeper.client.anonymous();
    let path = keeper.link.split_once(&keeper.address.to_string()).unwrap().1;
    let browse = |path: &str| anonymous.send("GET", path, &[("accept", "text/html,*/*")], "");
    let signed_in = browse(path);
    assert_eq!((signed_in.status, signed_in.header("location")), (303, "/"));
    let set = signed_in.header("set-cookie").to_owned();
    assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
    assert!(!set.contains(&home.token()), "the token is in the cookie");
    let again = browse(path);
    assert_eq!(
        (again.header("location"), again.header("set-cookie")),
        ("/#expired", ""),
        "used twice"
    );
    assert_eq!(keeper.stop(), Some(0));

    let keeper = home.up();
    let browser = keeper.client.anonymous();
    // The port is another one, and the cookie's name carries the port.
    let value = set.split_once('=').unwrap().1.split(';').next().unwrap();
    let cookie = format!("abide_{}={value}", keeper.address.port());
    let session = browser.send("GET", "/session", &[("cookie", &cookie)], "");
    assert_eq!(session.status, 200, "{session:?}");
    let csrf = session.json()["csrf"].as_str().unwrap().to_owned();
    let write = |headers: &[(&str, &str)]| {
        browser.send("POST", "/start-epoch", headers, r#"{"message":"hi"}"#)
    };
    let refused = write(&[JSON, ("cookie", &cookie)]);
    assert_eq!((refused.status, refused.code().as_str()), (403, "csrf"));
    assert_eq!(write(&[JSON, ("cookie", &cookie), ("x-abide-csrf", "1")]).status, 403);
    assert_eq!(write(&[JSON, ("cookie", &cookie), ("x-abide-csrf", &csrf)]).status, 202);
    assert_eq!(keeper.stop(), Some(0));

    fs::remove_file(home.path().join("token")).unwrap();
    let keeper = home.up();
    let cookie = format!("abide_{}={value}", keeper.address.port());
    let revoked = keeper.client.anonymous().send("GET", "/session", &[("cookie", &cookie)], "");
    assert_eq!(revoked.status, 401, "another token revokes all cookies");
}

#[test]
fn a_code_is_exchanged_by_post_too() {
    let home = Home::new("");
    let keeper = home.up();
    let link = keeper.client.post("/session/links", &json!({}));
    assert_eq!(link.status, 201);
    let anonymous = keeper.client.anonymous();
    let sign_in = |code: &str| anonymous.post("/session", &json!({ "code": code }));
    assert_eq!(sign_in("wrong").status, 401);
    let code = link.json()["code"].as_str().unwrap().to_owned();
    let signed_in = sign_in(&code);
    assert_eq!(signed_in.status, 204);
    assert!(signed_in.header("set-cookie").contains("HttpOnly"));
    assert_eq!(sign_in(&code).status, 401, "used");
}

#[test]
fn named_tokens_come_and_go_while_the_keeper_runs() {
    let home = Home::new("");
    let keeper = home.up();
    let made = home.run(["token", "create", "--name", "laptop"]);
    assert!(made.status.success(), "{made:?}");
    let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let laptop = Client::new(keeper.address, Some(token));
    assert_eq!(laptop.get("/snapshot").status, 200);
    assert!(home.run(["token", "revoke", "laptop"]).status.success());
    assert_eq!(laptop.get("/snapshot").status, 401);
    assert_eq!(home.run(["token", "revoke", "laptop"]).status.code(), Some(1));
}

#[test]
fn a_body_of_thirty_megabytes_is_answered_and_said_in_the_log_once() {
    let home = Home::new("");
    let log = home.path().join("log");
    let variables = [("ABIDE_LOG", "warn")];
    let keeper = home.begin_saying(&variables, fs::File::create(&log).unwrap().into());
    let long = format!(r#"{{"message":"{}"}}"#, "x".repeat(30 * 1000 * 1000));
    for _ in 0..3 {
        let answer = keeper.client.send("POST", "/start-epoch", &[JSON], &long);
        assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    }
    let log = fs::read_to_string(&log).unwrap();
    assert_eq!(log.matches("body_too_long").count(), 1, "{log}");
    assert!(log.contains("/start-epoch") && !log.contains("xxxx"), "{log}");
}

#[test]
fn bodies_and_unknown_routes_are_answered_in_one_shape() {
    let home = Home::new("");
    let keeper = home.up();
    let long = format!(r#"{{"message":"{}"}}"#, "x".repeat(2 * 1024 * 1024));
    let answer = keeper.client.send("POST", "/start-epoch", &[JSON], &long);
    assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    let answer = keeper.client.send("POST", "/start-epoch", &[JSON], "{");
    assert_eq!((answer.status, answer.code().as_str()), (400, "malformed"));
    assert_eq!(keeper.client.get("/nothing-here").code(), "no_route");
    assert_eq!(keeper.client.send("PUT", "/epochs", &[JSON], "{}").code(), "no_method");
    for path in [
        "/epochs/x",
        "/epochs/0193e0f0-0000-7000-8000-000000000000",
        "/agents/nobody",
        "/dreams/x.md",
    ] {
        let answer = keeper.client.get(path);
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{path}");
    }
    for path in [
        "/epochs?limit=0",
        "/epochs?limit=501",
        "/epochs?cursor=x",
        "/events?after=x",
        "/events?kinds=a.b",
    ] {
        assert_eq!(keeper.client.get(path).status, 400, "{path}");
    }
    let document = keeper.client.read("/openapi.json");
    assert!(document["paths"]["/start-epoch"]["post"].is_object());
    let metrics = keeper.client.get("/metrics");
    assert!(metrics.text.contains("abide_ledger_seq"), "{}", metrics.text);
    assert!(metrics.text.trim_end().ends_with("# EOF"));
}
