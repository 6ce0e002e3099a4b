//! BC-32 at the real socket: who is kept out however the keeper was configured, and that no secret is ever written down.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
};

use abide_testkit::{ModelServer, rules};
use serde_json::{Value, json};

use super::scene::thinking_with;
use crate::{client::Client, home::Home};

const JSON: (&str, &str) = ("content-type", "application/json");
/// What stands in the environment in place of a provider's key.
const KEY: &str = "sk-this-must-never-be-seen-0123456789";

/// A keeper whose words are collected in a file.
struct Loud {
    child: Child,
    client: Client,
    code: String,
}

impl Loud {
    fn start(home: &Home, log: File) -> Self {
        let mut child = home
            .command(["up", "--json", "--listen", "127.0.0.1:0"])
            .envs([("ABIDE_LOG", "trace"), ("MY_KEY", KEY)])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let news: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let ready: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(ready["event"], "ready");
        let address = news["address"].as_str().unwrap().parse().unwrap();
        let link = news["link"].as_str().unwrap().to_owned();
        let code = link.split_once("code=").unwrap().1.to_owned();
        assert!(!link.contains(&home.token()), "the token is in a URL");
        Self { child, client: Client::new(address, Some(home.token())), code }
    }
}

impl Drop for Loud {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn bc_32_no_secret_stands_in_a_log_a_url_a_prompt_or_a_file() {
    let server = ModelServer::builder().key(KEY).rule(rules::remember()).start().unwrap();
    let config = thinking_with(&server, &["felix"])
        .replace("[model]\n", "[model]\napi_key_env = \"MY_KEY\"\n");
    let home = Home::new(&config);
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let keeper = Loud::start(&home, File::create(&log).unwrap());
    let token = home.token();
    let client = &keeper.client;
    assert_eq!(client.say("remember that the heron is grey")["state"], "committed");
    // Every way in that a person might try, right and wrong.
    let anonymous = client.anonymous();
    assert_eq!(anonymous.get(&format!("/snapshot?token={token}")).status, 401, "not in a URL");
    assert_eq!(anonymous.get(&format!("/events?access_token={token}")).status, 401);
    let basic =
        anonymous.send("GET", "/agents", &[("authorization", &format!("Basic {token}"))], "");
    assert_eq!(basic.status, 401);
    let path = format!("/?code={}", keeper.code);
    let signed_in = anonymous.send("GET", &path, &[("accept", "text/html")], "");
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let value = cookie.split_once('=').unwrap().1.to_owned();
    assert_eq!(anonymous.send("GET", "/session", &[("cookie", &cookie)], "").status, 200);
    assert!(
        !signed_in.header("location").contains(&keeper.code),
        "the code leaves the address bar"
    );
    client.send("POST", "/start-epoch", &[JSON], "{\"message\":");
    client.send("POST", "/identity", &[JSON], &json!({"content": token}).to_string());
    let commands = [
        &["status"][..],
        &["doctor"],
        &["config", "print", "--json"],
        &["say", "hi"],
        &["epochs", "ls"],
        &["ledger", "query"],
    ];
    let said: Vec<u8> = commands
        .iter()
        .flat_map(|command| {
            let output = home.command(command.iter()).env("MY_KEY", KEY).output().unwrap();
            [output.stdout, output.stderr].concat()
        })
        .collect();
    let command_line = fs::read(format!("/proc/{}/cmdline", keeper.child.id())).unwrap();
    drop(keeper);

    let log = fs::read_to_string(&log).unwrap();
    assert!(log.lines().count() > 3, "there is no log to look through: {log}");
    for (what, secret) in [("token", token.as_str()), ("key", KEY), ("cookie", &value)] {
        assert!(!log.contains(secret), "the {what} is in the log");
        let is_said = String::from_utf8_lossy(&said).contains(secret);
        assert!(!is_said, "the {what} is printed");
        assert!(!String::from_utf8_lossy(&command_line).contains(secret));
        for (path, text) in files(&home) {
            assert!(path.ends_with("token") || !text.contains(secret), "the {what} is in {path}");
        }
        let prompts = server.requests();
        let mut bodies = prompts.iter().map(|request| request.body.to_string());
        assert!(!bodies.any(|body| body.contains(secret)), "the {what} is in a prompt");
    }
    server.assert_clean();
}

fn files(home: &Home) -> Vec<(String, String)> {
    let mut folders = vec![home.path()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                files.push((path.to_str().unwrap().to_owned(), text));
            }
        }
    }
    files
}

#[test]
fn bc_32_an_open_address_without_a_token_is_refused_wherever_it_was_said() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.7:0", "[2001:db8::7]:0"] {
        let by_file = format!("[keeper]\nlisten = \"{listen}\"\n[auth]\nrequired = false\n");
        let by_flag = ["up", "--listen", listen, "--set", "auth.required=false"];
        let outputs = [
            Home::new(&by_file).command(["up"]).output().unwrap(),
            Home::new("").command(by_flag).output().unwrap(),
            Home::new("")
                .command(["up"])
                .envs([("ABIDE_KEEPER_LISTEN", listen), ("ABIDE_AUTH_REQUIRED", "false")])
                .output()
                .unwrap(),
            Home::new(&by_file)
                .command(["up"])
                .env("ABIDE_AUTH_REQUIRED", "false")
                .output()
                .unwrap(),
        ];
        for output in outputs {
            let words = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{listen}: {words}");
            assert!(words.contains("auth.required"), "{listen}: {words}");
        }
    }
}

#[test]
fn an_open_address_is_served_without_tls_only_where_a_person_says_so() {
    for listen in ["0.0.0.0:0", "192.0.2.7:0", "[::]:0"] {
        let output = Home::new("").command(["up", "--listen", listen]).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{listen}: {words}");
        assert!(
            words.contains("plain HTTP") && words.contains("keeper.allow_plain"),
            "{listen}: {words}"
        );
    }
}

#[test]
fn bc_32_an_open_address_with_a_token_lets_nobody_in_without_it() {
    let home = Home::new("[model]\nprovider = \"reflex\"\n");
    let mut child = home
        .command(["up", "--json", "--listen", "0.0.0.0:0", "--set", "keeper.allow_plain=true"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let news: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    lines.next().unwrap().unwrap();
    let port = news["address"].as_str().unwrap().rsplit_once(':').unwrap().1.to_owned();
    let address = format!("127.0.0.1:{port}").parse().unwrap();
    let keeper =
        Loud { child, client: Client::new(address, Some(home.token())), code: String::new() };
    let anonymous = keeper.client.anonymous();
    let body = "{\"message\":\"hi\"}";
    for path in ["/start-epoch", "/management/reset"] {
        assert_eq!(anonymous.send("POST", path, &[JSON], body).status, 401, "{path}");
        let rebound = format!("evil.example:{port}");
        let answer = keeper.client.send("POST", path, &[JSON, ("host", &rebound)], body);
        assert_eq!(answer.status, 421, "{path}: a rebinding host");
        let origin = format!("http://192.0.2.7:{port}");
        let answer = keeper.client.send("POST", path, &[JSON, ("origin", &origin)], body);
        assert_eq!(answer.status, 403, "{path}: another machine's page");
    }
    let neighbour = ("host", format!("192.0.2.9:{port}"));
    let answer = keeper.client.send("GET", "/snapshot", &[(neighbour.0, &neighbour.1)], "");
    assert_eq!(answer.status, 200, "by its address, with the token");
    assert_eq!(keeper.client.read("/epochs")["items"], json!([]), "nothing was taken in");
}
