//! What a token opened ends with it: browsers, links and open streams.

use serde_json::json;

use super::rights::create;
use crate::{
    client::{Answer, Client},
    home::Home,
    home::Keeper,
};

const JSON: (&str, &str) = ("content-type", "application/json");

/// A browser that was signed in by a token.
struct Browser {
    client: Client,
    cookie: String,
    csrf: String,
}

impl Browser {
    fn of(keeper: &Keeper, client: &Client) -> Self {
        let link = client.post("/session/links", &json!({}));
        assert_eq!(link.status, 201, "{link:?}");
        let code = link.json()["code"].as_str().unwrap().to_owned();
        let anonymous = keeper.client.anonymous();
        let signed_in = anonymous.post("/session", &json!({ "code": code }));
        assert_eq!(signed_in.status, 204, "{signed_in:?}");
        let set = signed_in.header("set-cookie");
        assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
        let cookie = set.split(';').next().unwrap().to_owned();
        let session = anonymous.send("GET", "/session", &[("cookie", &cookie)], "").json();
        let csrf = session["csrf"].as_str().unwrap().to_owned();
        Self { client: anonymous, cookie, csrf }
    }

    fn get(&self, path: &str) -> Answer {
        self.client.send("GET", path, &[("cookie", &self.cookie)], "")
    }

    fn post(&self, path: &str) -> Answer {
        let headers = [JSON, ("cookie", &*self.cookie), ("x-abide-csrf", &*self.csrf)];
        self.client.send("POST", path, &headers, r#"{"message":"hi"}"#)
    }

    fn sign_out(&self) -> Answer {
        let headers = [JSON, ("cookie", &*self.cookie), ("x-abide-csrf", &*self.csrf)];
        self.client.send("DELETE", "/session", &headers, "")
    }
}

#[test]
fn revoking_a_token_ends_its_cookie_its_link_and_its_open_streams() {
    let home = Home::new("");
    let keeper = home.up();
    let token = create(&home, "ann", &["read", "say"], &[]);
    let ann = Client::new(keeper.address, Some(token));
    let browser = Browser::of(&keeper, &ann);
    assert_eq!(browser.get("/session").json()["name"], "ann");
    assert_eq!(browser.post("/start-epoch?wait=1").status, 200);
    assert_eq!(browser.post("/management/reset").code(), "scope", "as narrow as its token");
    let mut by_token = ann.events("/events", &[]);
    let mut by_cookie = browser.client.events("/events", &[("cookie", &browser.cookie)]);
    keeper.client.say("one");
    by_token.until("epoch.committed");
    by_cookie.until("epoch.committed");
    let unused = ann.post("/session/links", &json!({})).json()["code"].clone();

    assert!(home.run(["token", "revoke", "ann"]).status.success());
    keeper.client.say("the secret that comes after");
    for (name, stream) in [("token", &mut by_token), ("cookie", &mut by_cookie)] {
        let mut rest = Vec::new();
        while let Some(event) = stream.next() {
            rest.push(event);
        }
        assert!(!format!("{rest:?}").contains("secret that comes after"), "{name}: {rest:?}");
    }
    assert_eq!(browser.get("/snapshot").status, 401);
    assert_eq!(browser.post("/start-epoch").status, 401);
    let late = keeper.client.anonymous().post("/session", &json!({ "code": unused }));
    assert_eq!(late.status, 401, "a link of a token that is gone");
    create(&home, "ann", &["read"], &[]);
    assert_eq!(browser.get("/snapshot").status, 401, "another token of the same name");
}

#[test]
fn a_silent_stream_ends_with_its_token_too() {
    let home = Home::new("");
    let keeper = home.up();
    let token = create(&home, "ann", &["read"], &[]);
    let mut stream = Client::new(keeper.address, Some(token)).events("/events", &[]);
    assert!(home.run(["token", "revoke", "ann"]).status.success());
    assert_eq!(stream.next(), None);
}

#[test]
fn a_token_that_ends_by_its_time_takes_its_cookie_and_streams_with_it() {
    let home = Home::new("");
    let keeper = home.up();
    let token = create(&home, "ann", &["read"], &["--expires", "4s"]);
    let ann = Client::new(keeper.address, Some(token));
    let browser = Browser::of(&keeper, &ann);
    assert_eq!(browser.get("/snapshot").status, 200);
    let mut stream = ann.events("/events", &[]);
    assert_eq!(stream.next(), None, "the stream ends by itself");
    assert_eq!(ann.get("/snapshot").status, 401);
    assert_eq!(browser.get("/snapshot").status, 401);
}

#[test]
fn signing_out_ends_the_session_on_the_server_and_its_streams_and_no_others() {
    let home = Home::new("");
    let keeper = home.up();
    let (here, elsewhere) =
        (Browser::of(&keeper, &keeper.client), Browser::of(&keeper, &keeper.client));
    let mut stream = here.client.events("/events", &[("cookie", &here.cookie)]);
    let out = here.sign_out();
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{out:?}");
    assert_eq!(stream.next(), None);
    assert_eq!(here.get("/snapshot").status, 401, "a copy of the cookie is worth nothing");
    assert_eq!(elsewhere.get("/snapshot").status, 200);
    assert_eq!(keeper.stop(), Some(0));
    let keeper = home.up();
    let value = here.cookie.split_once('=').unwrap().1;
    let cookie = format!("abide_{}={value}", keeper.address.port());
    let again = keeper.client.anonymous().send("GET", "/snapshot", &[("cookie", &cookie)], "");
    assert_eq!(again.status, 401, "after a restart too");
}
