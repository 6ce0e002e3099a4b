//! What servers of tools ask of people in mid-call: who is asked, who may answer, where values go, what ends a question.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::Stdio,
};

use abide_testkit::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::{
    client::{Client, Events},
    home::{Home, Keeper},
    mcp::{Probe, append, home_for, is_ready, results, server_when},
};

const ASK: &str = "allow = [\"*\"]\nquestions = \"ask\"";
/// What a person fills in, and nothing but the server may hold.
const HUSH: &str = "hush-4711-heron";

/// A keeper whose server may ask, and all that it is made of.
struct Life {
    model: ModelServer,
    probe: Probe,
    home: Home,
    keeper: Keeper,
}

impl Life {
    fn new(config: &str) -> Self {
        let (model, probe) = (ModelServer::start().unwrap(), Probe::new());
        let home = home_for(&model, &format!("{config}{}", probe.section(ASK)));
        let keeper = home.up();
        server_when(&keeper, is_ready);
        Self { model, probe, home, keeper }
    }

    /// Has the agent call the server, which then asks; a person looks on.
    fn ask(&self, arguments: Value) -> (Events, Value) {
        self.model.script([append(arguments), Reply::text("Done.")]);
        let mut events = self.keeper.client.events("/events", &[]);
        let begins = json!({"message": "append", "interactive": true});
        assert!(self.keeper.client.post("/start-epoch", &begins).status < 300);
        events.until("mcp.question_asked");
        (events, only_question(&self.keeper.client))
    }

    fn events_of(&self, kind: &str) -> Vec<Value> {
        self.home.ledger().into_iter().filter(|line| line["kind"] == kind).collect()
    }
}

fn only_question(client: &Client) -> Value {
    let found = client.read("/mcp/questions");
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
    found["items"][0].clone()
}

fn path_of(question: &Value) -> String {
    format!("/mcp/questions/{}/answer", question["id"].as_str().unwrap())
}

fn login() -> Value {
    json!({"line": "x", "then": "login"})
}

/// The files below a folder that hold a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn the_values_of_a_form_go_to_the_server_and_nowhere_else() {
    let life = Life::new("");
    let client = &life.keeper.client;
    let (mut events, question) = life.ask(login());
    assert_eq!((&question["server"], &question["citizen"]), (&json!("test"), &json!("felix")));
    assert_eq!(question["message"], "Who are you?⟦U+200B⟧");
    let fields = question["fields"].as_array().unwrap();
    let field = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap();
    assert_eq!(
        (&field("user")["required"], &field("days")["kind"]),
        (&json!(true), &json!("integer"))
    );
    assert_eq!(field("password")["secret"], true);
    let matters = client.read("/attention");
    let matter = matters["items"].as_array().unwrap().iter().find(|it| it["kind"] == "question");
    assert_eq!(matter.unwrap()["citizen"], "felix", "{matters}");

    let path = path_of(&question);
    for wrong in [
        json!({"user": HUSH, "days": HUSH}),
        json!({"password": HUSH}),
        json!({"user": "ann", "password": HUSH, "more": HUSH}),
    ] {
        let refused = client.post(&path, &json!({"accept": true, "values": wrong}));
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(!refused.text.contains(HUSH), "{}", refused.text);
    }
    assert_eq!(client.post(&path, &json!({"accept": true, "reason": "x"})).status, 422);
    let values = json!({"user": "ann", "password": HUSH, "days": 7});
    let answered = client.post(&path, &json!({"accept": true, "values": values}));
    assert_eq!((answered.status, answered.json()["answer"].as_str()), (200, Some("accepted")));
    events.until("epoch.committed");
    for late in [json!({"accept": true, "values": values}), json!({"accept": false})] {
        assert_eq!(client.post(&path, &late).status, 409);
    }

    let got: Value = serde_json::from_str(&life.probe.lines("answers")[0]).unwrap();
    assert_eq!(got, json!({"action": "accept", "content": values}));
    assert_eq!(results(&life.model), ["accept"]);
    let ended = life.events_of("mcp.question_answered");
    assert_eq!((ended.len(), &ended[0]["data"]["answer"]), (1, &json!("accepted")));
    assert_ne!(ended[0]["author"], "@keeper", "a person answered");
    let asked = &life.events_of("mcp.question_asked")[0];
    assert_eq!(ended[0]["entity"], asked["entity"], "whoever heard of it hears of its end");
    assert_eq!(asked["entity"], "@felix");
    assert_eq!(life.events_of("mcp.question_asked")[0]["data"]["call_id"], "call_1_1");
    let requests = life.model.requests();
    assert!(requests.iter().all(|request| !request.body.to_string().contains(HUSH)));
    assert_eq!(life.keeper.stop(), Some(0));
    assert_eq!(files_with(&life.home.path(), HUSH), [""; 0]);
}

#[test]
fn commands_list_decline_and_answer_with_values_that_no_command_line_holds() {
    let life = Life::new("");
    let (mut events, question) = life.ask(login());
    let listed = life.home.run(["mcp", "questions"]);
    let shown = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        shown.contains("> Who are you?⟦U+200B⟧") && shown.contains("password (text"),
        "{shown}"
    );
    let id = question["id"].as_str().unwrap();
    let declined = life.home.run(["mcp", "answer", id, "--decline"]);
    assert!(declined.status.success(), "{declined:?}");
    events.until("epoch.committed");
    assert_eq!(results(&life.model), ["decline"]);

    let (mut events, question) = life.ask(login());
    let id = question["id"].as_str().unwrap();
    let mut command = life.home.command(["mcp", "answer", id, "--values-stdin", "days=7"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let values = json!({"user": "ann", "password": HUSH}).to_string();
    child.stdin.take().unwrap().write_all(values.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    events.until("epoch.committed");
    let got: Value = serde_json::from_str(&life.probe.lines("answers")[1]).unwrap();
    assert_eq!(got["content"], json!({"user": "ann", "password": HUSH, "days": 7}));
    let ends = life.events_of("mcp.question_answered");
    let ends: Vec<_> = ends.iter().map(|end| end["data"]["answer"].as_str().unwrap()).collect();
    assert_eq!(ends, ["declined", "accepted"]);
    assert!(!life.home.run(["mcp", "answer", id]).status.success(), "it is over");
}

#[test]
fn an_address_is_shown_whole_and_only_a_web_address_gets_that_far() {
    let life = Life::new("");
    let url = "https://login.example/start?state=1#here";
    let visit = |url: &str| json!({"line": "x", "then": "visit", "url": url});
    let (mut events, question) = life.ask(visit(url));
    assert_eq!((&question["url"], &question["fields"]), (&json!(url), &Value::Null));
    let path = path_of(&question);
    let with_values = json!({"accept": true, "values": {}});
    assert_eq!(life.keeper.client.post(&path, &with_values).status, 422);
    assert_eq!(life.keeper.client.post(&path, &json!({"accept": true})).status, 200);
    events.until("epoch.committed");
    assert_eq!(results(&life.model), [r#"{"action": "accept"}"#]);

    life.model.script([append(visit("javascript:alert(1)")), Reply::text("No.")]);
    life.keeper.client.say("append");
    assert_eq!(results(&life.model).pop().unwrap(), r#"{"action": "decline"}"#);
    assert_eq!(life.events_of("mcp.question_asked").len(), 1, "nobody saw the other one");
}

#[test]
fn where_nobody_is_there_the_server_hears_so_at_once_and_lives_on() {
    let life = Life::new("");
    for _ in 0..2 {
        life.model.script([append(login()), Reply::text("Nobody is there.")]);
        life.keeper.client.say("append");
        assert_eq!(results(&life.model).pop().unwrap(), "cancel");
    }
    assert_eq!(life.events_of("mcp.question_asked").len(), 0);
    assert_eq!(life.probe.lines("starts").len(), 1);
}

#[test]
fn a_question_that_nobody_answers_expires_and_the_call_goes_on() {
    let life = Life::new("[limits]\napproval = \"1s\"\n");
    life.model.script([append(login()), Reply::text("Nobody answered.")]);
    let mut events = life.keeper.client.events("/events", &[]);
    life.keeper.client.post("/start-epoch", &json!({"message": "append", "interactive": true}));
    let seen = events.until("epoch.committed");
    let asked = seen.iter().find(|event| event.kind == "mcp.question_asked").unwrap();
    let ended = seen.iter().find(|event| event.kind == "mcp.question_answered").unwrap();
    assert_eq!(ended.data["data"]["answer"], "expired");
    assert_eq!(ended.data["author"], "@keeper");
    assert_eq!(results(&life.model), ["cancel"]);
    let id = asked.data["data"]["question_id"].as_str().unwrap();
    let late =
        life.keeper.client.post(&format!("/mcp/questions/{id}/answer"), &json!({"accept": false}));
    assert_eq!((late.status, late.code()), (409, "over".to_owned()));
}

#[test]
fn a_question_is_withdrawn_when_its_epoch_is_stopped() {
    let life = Life::new("");
    let (mut events, question) = life.ask(login());
    let epoch = question["epoch_id"].as_str().unwrap();
    let stopped = life.keeper.client.post(&format!("/epochs/{epoch}/abort"), &json!({}));
    assert_eq!(stopped.status, 200, "{}", stopped.text);
    let ended = events.until("mcp.question_answered").pop().unwrap();
    assert_eq!(ended.data["data"]["answer"], "withdrawn");
    let late = life.keeper.client.post(&path_of(&question), &json!({"accept": false}));
    assert_eq!(late.status, 409);
    assert!(life.keeper.client.read("/mcp/questions")["items"].as_array().unwrap().is_empty());

    life.model.script([append(json!({"line": "after"})), Reply::text("Done.")]);
    life.keeper.client.say("append");
    assert_eq!(life.probe.lines("starts").len(), 1, "the server lives on");
}

#[test]
fn a_question_does_not_outlive_its_server() {
    let life = Life::new("");
    let (mut events, _) = life.ask(json!({"line": "x", "then": "login_then_die"}));
    life.probe.leave("die");
    let seen = events.until("epoch.committed");
    let ended = seen.iter().find(|event| event.kind == "mcp.question_answered");
    let ended =
        ended.cloned().unwrap_or_else(|| events.until("mcp.question_answered").pop().unwrap());
    assert_eq!(ended.data["data"]["answer"], "withdrawn");
    assert!(results(&life.model)[0].contains("unknown"), "{:?}", results(&life.model));
}

#[test]
fn a_keeper_that_died_with_a_question_withdraws_it_and_nobody_answers_it_twice() {
    let life = Life::new("");
    let (_, question) = life.ask(login());
    let Life { model, probe, home, keeper } = life;
    keeper.kill();
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    events.until("epoch.committed");
    assert!(results(&model)[0].contains("outcome unknown"), "{:?}", results(&model));
    let late = keeper
        .client
        .post(&path_of(&question), &json!({"accept": true, "values": {"user": "ann"}}));
    assert_eq!(late.status, 404, "{}", late.text);
    assert!(keeper.client.read("/mcp/questions")["items"].as_array().unwrap().is_empty());
    assert_eq!(probe.lines("answers"), [""; 0]);
    assert_eq!(probe.lines("probe"), ["x"], "the call ran once");
    assert_eq!(keeper.stop(), Some(0));
    let ends = |home: &Home| {
        let ledger = home.ledger();
        let ends = ledger.iter().filter(|line| line["kind"] == "mcp.question_answered");
        ends.map(|end| end["data"]["answer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ends(&home), ["withdrawn"]);
    assert_eq!(home.up().stop(), Some(0));
    assert_eq!(ends(&home), ["withdrawn"], "once");
}

#[test]
fn only_who_may_decide_may_answer() {
    let life = Life::new("");
    let token = |name: &str, scope: &str| {
        let made = life.home.run(["token", "create", name, "--scope", scope]);
        assert!(made.status.success(), "{made:?}");
        let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        Client::new(life.keeper.address, Some(token))
    };
    let (speaker, reader, decider) =
        (token("sue", "say"), token("rob", "read"), token("ann", "approve"));
    let (mut events, question) = life.ask(login());
    let (path, body) = (path_of(&question), json!({"accept": true, "values": {"user": "ann"}}));
    for refused in [&speaker, &reader] {
        assert_eq!(refused.post(&path, &body).status, 403);
    }
    assert_eq!(speaker.get("/mcp/questions").status, 403);
    assert_eq!(reader.get("/mcp/questions").status, 200);
    assert_eq!(only_question(&decider)["id"], question["id"]);
    assert_eq!(decider.post(&path, &body).status, 200);
    events.until("epoch.committed");
    assert_eq!(life.events_of("mcp.question_answered")[0]["author"], "@ann");
}

#[test]
fn a_flood_of_questions_is_bounded_and_so_is_the_log() {
    let (model, probe) = (ModelServer::start().unwrap(), Probe::new());
    let home = home_for(&model, &probe.section(ASK));
    let log = home.path().join("log");
    let file = fs::File::create(&log).unwrap();
    let mut keeper = home.begin_saying(&[("ABIDE_LOG", "json,debug")], file.into());
    assert_eq!(keeper.news()["event"], "ready");
    server_when(&keeper, is_ready);
    model.script([
        append(json!({"line": "x", "then": "flood", "count": 200})),
        Reply::text("Done."),
    ]);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "append", "interactive": true}));
    while probe.lines("answers").len() < 196 {
        std::thread::yield_now();
    }
    let open = keeper.client.read("/mcp/questions")["items"].as_array().unwrap().clone();
    assert_eq!(open.len(), 4, "{open:?}");
    for question in &open {
        let body = json!({"accept": true, "values": {"user": "ann", "password": HUSH}});
        assert_eq!(keeper.client.post(&path_of(question), &body).status, 200);
    }
    events.until("epoch.committed");
    assert_eq!(probe.lines("answers").len(), 200);
    assert_eq!(keeper.stop(), Some(0));
    let log = fs::read_to_string(&log).unwrap();
    assert!(!log.contains(HUSH), "no log has what a person filled in");
    let lines = log.lines().filter(|line| line.contains("requests_declined")).count();
    // A line a minute: a machine that takes longer than that for this test writes a second one.
    assert!((1..=5).contains(&lines), "{lines} lines");
    assert!(!log.contains("rmcp::service"), "the library has a line about each");
}

#[test]
fn a_server_that_may_not_ask_is_declined_and_nobody_hears_of_it() {
    let (model, probe) = (ModelServer::start().unwrap(), Probe::new());
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    model.script([append(login()), Reply::text("Declined.")]);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "append", "interactive": true}));
    let seen = events.until("epoch.committed");
    assert!(seen.iter().all(|event| event.kind != "mcp.question_asked"));
    assert_eq!(results(&model), ["decline"]);
    assert_eq!(probe.lines("elicitation"), ["false"], "it was not told that it may ask");
}

#[test]
fn whoever_chats_hears_that_a_server_asks() {
    let life = Life::new("");
    life.model.script([append(login()), Reply::text("It said no.")]);
    let mut command = life.home.command(["chat"]);
    let mut chat =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut typed = chat.stdin.take().unwrap();
    typed.write_all(b"append\n").unwrap();
    let mut said = BufReader::new(chat.stderr.take().unwrap()).lines().map(Result::unwrap);
    let asked = said.find(|line| line.contains("abide mcp questions"));
    assert!(asked.unwrap().contains("the server test asks you something"));
    let question = only_question(&life.keeper.client);
    let declined = life.keeper.client.post(&path_of(&question), &json!({"accept": false}));
    assert_eq!(declined.status, 200);
    drop(typed);
    chat.wait().unwrap();
    assert_eq!(results(&life.model), ["decline"]);
}
