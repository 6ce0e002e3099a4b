//! Every route, asked by everybody: who holds no token, a wrong one, one that has ended or was revoked, and one of each
//! scope. What the interface declares about itself is what it does.

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    home::{Home, Keeper},
};

const TWO: &str =
    "[[agent]]\nid = \"felix\"\nname = \"Felix\"\n[[agent]]\nid = \"ivy\"\nname = \"Ivy\"\n";

/// Creates a token with these scopes.
pub(crate) fn create(home: &Home, name: &str, scopes: &[&str], rest: &[&str]) -> String {
    let mut arguments = vec!["token", "create", name];
    for scope in scopes {
        arguments.extend(["--scope", scope]);
    }
    arguments.extend(rest);
    let made = home.run(arguments);
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

/// A route with what it declares that it needs.
struct Route {
    method: String,
    path: String,
    scope: String,
}

fn routes(client: &Client) -> Vec<Route> {
    let document = client.read("/openapi.json");
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let scope = operation["x-abide-scope"].as_str();
            let scope = scope.unwrap_or_else(|| panic!("{method} {path} declares no scope"));
            let (method, path) = (method.to_uppercase(), path.clone());
            routes.push(Route { method, path, scope: scope.to_owned() });
        }
    }
    assert!(routes.len() > 50, "{}", routes.len());
    routes
}

impl Route {
    /// Asks about felix, in each place where a request names an agent.
    fn ask(&self, client: &Client, epoch: &str) -> Answer {
        let id = if self.path.starts_with("/epochs") { epoch } else { "felix" };
        let path = self.path.replace("{id}", id).replace("{action}", "nothing");
        let path = path.replace("{file}", "x").replace("{filename}", "x").replace("{fact_id}", "x");
        if self.path == "/events" {
            // The stream would not end; a client that asks for what cannot be is answered at once, if it may ask.
            return client.get("/events?citizen=felix&after=x");
        }
        let names_agent = self.scope.contains("query");
        let path = if names_agent { format!("{path}?citizen=felix") } else { path };
        if self.method == "GET" {
            return client.get(&path);
        }
        let body = match self.path.as_str() {
            "/start-epoch" => json!({"message": "hi", "citizen": "felix"}),
            _ => json!({}),
        };
        let json = [("content-type", "application/json")];
        client.send(&self.method, &path, &json, &body.to_string())
    }

    /// Whether who holds these scopes may ask it about felix, by its own declaration.
    fn allows(&self, scopes: &[&str]) -> bool {
        let has = |scope: &str| scopes.contains(&scope) || scopes.contains(&"admin");
        match self.scope.as_str() {
            "open" | "signed-in" => true,
            "read" | "say" | "approve" | "admin" => has(&self.scope),
            "read:query" | "read:path" | "read:epoch" => has("read") || has("read:felix"),
            // What is asked about is no change of felix's.
            "read:evolution" => has("read"),
            "read:query|approve" => has("read") || has("read:felix") || has("approve"),
            "say:body" | "say:epoch" => has("say") || has("say:felix"),
            unknown => panic!("{unknown}"),
        }
    }
}

fn epoch_of_felix(keeper: &Keeper) -> String {
    let body = json!({"message": "hello", "citizen": "felix"});
    let said = keeper.client.post("/start-epoch?wait=1", &body);
    assert_eq!(said.status, 200, "{said:?}");
    said.json()["epoch_id"].as_str().unwrap().to_owned()
}

#[test]
fn every_route_refuses_whoever_holds_no_valid_token() {
    let home = Home::new(TWO);
    let keeper = home.up();
    let epoch = epoch_of_felix(&keeper);
    let ended = create(&home, "ended", &["admin"], &["--expires", "1ms"]);
    let revoked = create(&home, "revoked", &["admin"], &[]);
    assert!(home.run(["token", "revoke", "revoked"]).status.success());
    let other_home = Home::new(TWO);
    assert!(other_home.run(["init", "--force"]).status.success());
    let foreign = other_home.token();
    let nobody = [None, Some("0".repeat(86)), Some(foreign), Some(ended), Some(revoked)];
    let before = keeper.client.read("/snapshot")["seq"].clone();
    for route in routes(&keeper.client) {
        let is_open = route.scope == "open";
        for token in &nobody {
            let answer = route.ask(&Client::new(keeper.address, token.clone()), &epoch);
            let what = format!("{} {} with {token:?}: {answer:?}", route.method, route.path);
            if is_open && route.method == "GET" {
                assert!(![401, 403].contains(&answer.status), "{what}");
            } else {
                // The one open write exchanges a code, and an empty body has none.
                // Wrong tokens are counted, and who has sent some is told to wait.
                let expected = if is_open { vec![401, 422, 429] } else { vec![401, 429] };
                assert!(expected.contains(&answer.status), "{what}");
            }
        }
    }
    assert_eq!(keeper.client.read("/snapshot")["seq"], before, "nothing happened");
    // A request without a token is no guess.
    for path in ["/nothing-here", "/agents/felix/nothing/more"] {
        assert_eq!(keeper.client.anonymous().get(path).status, 401, "{path}");
    }
    let wrong_method = keeper.client.anonymous().send("DELETE", "/epochs", &[], "");
    assert_eq!(wrong_method.status, 401);
    let head = keeper.client.anonymous().send("HEAD", "/snapshot", &[], "");
    assert_eq!(head.status, 401, "as a read");
}

#[test]
fn every_route_lets_in_the_scopes_that_it_declares_and_no_others() {
    let home = Home::new(TWO);
    let keeper = home.up();
    let epoch = epoch_of_felix(&keeper);
    let held: [&[&str]; 9] = [
        &["read"],
        &["read:felix"],
        &["read:ivy"],
        &["say"],
        &["say:felix"],
        &["say:ivy"],
        &["approve"],
        &["read:ivy", "say:felix"],
        &["admin"],
    ];
    let routes = routes(&keeper.client);
    for (number, scopes) in held.into_iter().enumerate() {
        let token = create(&home, &format!("t{number}"), scopes, &[]);
        let client = Client::new(keeper.address, Some(token));
        for route in &routes {
            let answer = route.ask(&client, &epoch);
            let what = format!("{} {} with {scopes:?}: {answer:?}", route.method, route.path);
            if route.allows(scopes) {
                // An epoch of somebody else is asked again by who may speak as that person.
                let is_foreign = answer.status == 403 && answer.code() == "sender";
                assert!(
                    answer.status != 403 || is_foreign && route.path.ends_with("/fork"),
                    "{what}"
                );
                assert!(answer.status != 401 || route.path == "/session", "{what}");
            } else {
                assert_eq!((answer.status, answer.code().as_str()), (403, "scope"), "{what}");
            }
        }
    }
}

#[test]
fn what_changes_or_shows_something_needs_a_scope() {
    let home = Home::new("");
    let keeper = home.up();
    let declared = routes(&keeper.client);
    let open: Vec<_> = declared
        .iter()
        .filter(|route| matches!(route.scope.as_str(), "open" | "signed-in"))
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    let mut expected = vec![
        "GET /assets/{file}",
        "GET /plain",
        "GET /health",
        "GET /ready",
        "GET /alive",
        "GET /version",
        "POST /session",
        "GET /session",
        "DELETE /session",
        "POST /session/links",
        "GET /openapi.json",
    ];
    let mut open: Vec<&str> = open.iter().map(String::as_str).collect();
    open.sort_unstable();
    expected.sort_unstable();
    assert_eq!(open, expected);
    for route in declared.iter().filter(|route| route.method != "GET" && route.scope != "open") {
        // Questions whose words are too long for a path, and what is only reckoned.
        let is_question = route.path.starts_with("/memory/") || route.path == "/deck/effect";
        assert!(!route.scope.starts_with("read") || is_question, "{}", route.path);
    }
}

#[test]
fn a_narrow_token_sees_its_agent_alone_however_it_asks() {
    let home = Home::new(TWO);
    let keeper = home.up();
    let epoch = epoch_of_felix(&keeper);
    let token = create(&home, "ann", &["read:ivy", "say:ivy"], &[]);
    let ann = Client::new(keeper.address, Some(token));
    for path in [
        "/epochs".to_owned(),
        "/epochs?citizen=".to_owned(),
        "/epochs?citizen=felix".to_owned(),
        "/epochs?citizen=ivy&citizen=felix".to_owned(),
        "/epochs?citizen=FELIX".to_owned(),
        format!("/epochs/{epoch}"),
        format!("/epochs/{epoch}?citizen=ivy"),
        "/agents/felix".to_owned(),
        "/agents/felix?citizen=ivy".to_owned(),
        "/agents/%66elix".to_owned(),
        "/agents".to_owned(),
        "/events".to_owned(),
        "/events?citizen=felix".to_owned(),
        "/knowledge?citizen=felix".to_owned(),
        "/identity?citizen=felix".to_owned(),
        "/ledger?citizen=ivy".to_owned(),
    ] {
        let answer = ann.get(&path);
        assert_eq!((answer.status, answer.code().as_str()), (403, "scope"), "{path}");
    }
    for path in ["/epochs?citizen=ivy", "/agents/ivy", "/agents/IVY", "/knowledge?citizen=ivy"] {
        assert_eq!(ann.get(path).status, 200, "{path}");
    }
    let say = |body: Value| ann.post("/start-epoch?wait=1", &body);
    assert_eq!(say(json!({"message": "hi", "citizen": "felix"})).code(), "scope");
    assert_eq!(say(json!({"message": "hi"})).status, 400, "there are two agents");
    assert_eq!(say(json!({"message": "hi", "citizen": "ivy"})).status, 200);
    // A client that claims to have seen more than there is gets no state of others.
    let far = [("last-event-id", "99999999")];
    let mut events = ann.events("/events?citizen=ivy", &far);
    assert_eq!(say(json!({"message": "again", "citizen": "ivy"})).status, 200);
    let seen = events.until("epoch.committed");
    assert!(seen.iter().all(|event| event.kind != "snapshot"), "{seen:?}");
}
