//! Tools of other programs: who is asked, what the sandbox holds, what a change of their words does, what a crash leaves.

use std::{fs, path::PathBuf};

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::home::{Home, Keeper};

const PYTHON: &str = "/usr/bin/python3";

/// A folder in which the server leaves what it did, and reads what it is to say.
pub(crate) struct Probe(TempDir);

impl Probe {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.path().join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Tells the server something by a file that is there.
    pub(crate) fn leave(&self, name: &str) {
        fs::write(self.0.path().join(name), "").unwrap();
    }

    pub(crate) fn folder(&self) -> String {
        self.0.path().display().to_string()
    }

    pub(crate) fn say(&self, text: &str) {
        fs::write(self.0.path().join("text"), text).unwrap();
    }

    /// Whether a process of the server is there; each names the folder.
    pub(crate) fn is_running(&self) -> bool {
        let folder = self.folder();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
        processes
            .filter_map(command)
            .any(|command| String::from_utf8_lossy(&command).split('\0').any(|word| word == folder))
    }

    pub(crate) fn section(&self, more: &str) -> String {
        let program =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/faulty.py");
        let program = fs::canonicalize(program).unwrap().display().to_string();
        let folder = self.folder();
        format!(
            "[[mcp]]\nname = \"test\"\ncommand = {PYTHON:?}\nargs = [{program:?}, {folder:?}]\nwrite = [{folder:?}]\n{more}\n"
        )
    }
}

pub(crate) fn home_for(server: &ModelServer, more: &str) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    let model = format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n");
    Home::new(&format!("{model}{more}"))
}

pub(crate) fn append(arguments: Value) -> Reply {
    Reply::calls([("mcp-test-append", arguments)])
}

/// What the tools gave back to the model in its newest request, oldest first.
pub(crate) fn results(server: &ModelServer) -> Vec<String> {
    let request = server.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap().clone();
    let of_tools = messages.into_iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// The names of the tools that the model was offered last.
fn offered(server: &ModelServer) -> Vec<String> {
    let request = server.requests().pop().unwrap();
    let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
    let name = |tool: &Value| tool["function"]["name"].as_str().map(str::to_owned);
    tools.iter().filter_map(name).filter(|name| name.starts_with("mcp-")).collect()
}

/// The server as people see it, once it is as they wait for it.
pub(crate) fn server_when(keeper: &Keeper, is_so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let found = keeper.client.read("/mcp/servers")["items"][0].clone();
        if is_so(&found) {
            return found;
        }
        std::thread::yield_now();
    }
}

pub(crate) fn is_ready(server: &Value) -> bool {
    server["state"] == "ready" && server["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn waits(server: &Value) -> bool {
    server["waiting"].as_array().is_some_and(|waiting| !waiting.is_empty())
}

#[test]
fn a_person_is_asked_about_a_servers_tool_and_it_ends_with_the_keeper() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section(""));
    let keeper = home.up();
    let server = server_when(&keeper, is_ready);
    assert_eq!(server["tools"][0], "mcp.test.append");

    model.script([append(json!({"line": "headless"})), Reply::text("Nobody is there.")]);
    keeper.client.say("append");
    assert!(results(&model)[0].contains("approval"), "{:?}", results(&model));
    assert_eq!(probe.lines("probe"), [""; 0]);

    model.script([append(json!({"line": "once"})), Reply::text("Done.")]);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "append", "interactive": true}));
    events.until("approval.requested");
    let approval = keeper.client.read("/approvals")["items"][0].clone();
    assert_eq!(approval["tool"], "mcp.test.append");
    let path = format!("/approvals/{}", approval["id"].as_str().unwrap());
    assert_eq!(keeper.client.post(&path, &json!({"decision": "approve"})).status, 200);
    events.until("epoch.committed");
    assert_eq!(probe.lines("probe"), ["once"]);

    let accepted = home.ledger();
    let accepted: Vec<_> =
        accepted.iter().filter(|line| line["kind"] == "mcp.tool_accepted").collect();
    assert_eq!(accepted.len(), 2);
    assert!(
        accepted.iter().all(|line| line["author"] == "@keeper" && line["data"]["server"] == "test")
    );

    assert!(probe.is_running());
    assert_eq!(keeper.stop(), Some(0));
    assert!(!probe.is_running(), "no process is left");
}

#[test]
fn a_server_sees_neither_the_keepers_variables_nor_its_token() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let more = "allow = [\"*\"]\nread_only = [\"getEnv\"]\nenvironment = [\"NAMED\"]";
    let home = home_for(&model, &probe.section(more));
    let keeper = home.up_with(&[("NAMED", "heron"), ("SECRET", "4711")]);
    let server = server_when(&keeper, is_ready);
    let name = server["tools"].as_array().unwrap().iter().filter_map(Value::as_str);
    let mut name = name;
    let name = name.find(|name| *name != "mcp.test.append").unwrap().to_owned();
    model.script([Reply::calls([(&*name.replace('.', "-"), json!({}))]), Reply::text("Done.")]);
    keeper.client.say("look");
    let seen = results(&model).remove(0);
    assert!(seen.contains("heron") && !seen.contains("4711"), "{seen}");
    let folder = home.path().join("mcp/test");
    assert!(seen.contains(&*folder.display().to_string()), "its HOME is its own folder: {seen}");
    assert!(!seen.contains("ABIDE_HOME"), "{seen}");
}

#[test]
fn a_tool_that_describes_itself_in_another_way_waits_for_a_person() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    probe.say("Appends a line\u{200b} and mails it.");
    model.script([append(json!({"line": "one", "then": "notify"})), Reply::text("Done.")]);
    keeper.client.say("append");
    let changed = server_when(&keeper, waits);
    let waiting = changed["waiting"][0].clone();
    assert_eq!(
        (waiting["tool"].as_str(), waiting["is_new"].as_bool()),
        (Some("append"), Some(false))
    );
    assert!(waiting["diff"].as_str().unwrap().contains("+Appends a line⟦U+200B⟧ and mails it."));
    let matters = keeper.client.read("/attention");
    let matter =
        matters["items"].as_array().unwrap().iter().find(|matter| matter["kind"] == "tools");
    assert!(matter.unwrap()["summary"].as_str().unwrap().contains("append"), "{matters}");

    model.script([append(json!({"line": "two"})), Reply::text("It is not there.")]);
    keeper.client.say("append");
    assert!(!offered(&model).contains(&"mcp-test-append".to_owned()), "{:?}", offered(&model));
    assert_eq!(probe.lines("probe"), ["one"]);

    let path = "/mcp/servers/test/accept";
    let stale = json!({"tools": [{"tool": "append", "digest": "0".repeat(64)}]});
    assert_eq!(keeper.client.post(path, &stale).status, 409);
    assert_eq!(keeper.client.post("/mcp/servers/none/accept", &stale).status, 404);
    let shown = home.run(["mcp", "accept", "test"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("mails it"), "{shown:?}");
    assert!(waits(&server_when(&keeper, |_| true)), "to look is not to accept");
    let said = String::from_utf8_lossy(&shown.stderr).into_owned();
    let code = said.split("--yes ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    let wrong = home.run(["mcp", "accept", "test", "--yes", "000000000000"]);
    assert!(!wrong.status.success() && waits(&server_when(&keeper, |_| true)), "{wrong:?}");
    let accepted = home.run(["mcp", "accept", "test", "--yes", &code]);
    assert!(accepted.status.success(), "{accepted:?}");
    assert!(!waits(&server_when(&keeper, |_| true)));
    model.script([append(json!({"line": "two"})), Reply::text("Done.")]);
    keeper.client.say("append");
    assert_eq!(probe.lines("probe"), ["one", "two"]);
    let ledger = home.ledger();
    let last = ledger.iter().rfind(|line| line["kind"] == "mcp.tool_accepted").unwrap();
    assert_ne!(last["author"], "@keeper", "a person accepted it: {last}");
    assert_eq!(last["data"]["description"], "Appends a line\u{200b} and mails it.");
}

#[test]
fn lists_decide_whether_a_servers_tools_run_and_nobodys_star_means_them() {
    let model = ModelServer::start().unwrap();
    let cases = [
        ("", "[tools]\nallow = [\"*\"]\n", "ask"),
        ("", "[tools]\nallow = [\"*\"]\ndeny = [\"mcp.test.other\"]\n", "ask"),
        ("", "[tools]\nallow = [\"mcp.test.*\"]\n", "allow"),
        ("allow = [\"append\"]", "", "allow"),
        ("allow = [\"*\"]", "[tools]\nask = [\"mcp.test.*\"]\n", "ask"),
        ("allow = [\"*\"]\nask = [\"append\"]", "", "ask"),
        ("allow = [\"*\"]", "[tools]\ndeny = [\"mcp.test.append\"]\n", "deny"),
    ];
    for (own, tools, expected) in cases {
        let probe = Probe::new();
        let home = home_for(&model, &format!("{tools}{}", probe.section(own)));
        let keeper = home.up();
        server_when(&keeper, is_ready);
        let body = json!({"tool": "mcp.test.append", "arguments": {"line": "x"}});
        let tried = keeper.client.post("/tools/trial", &body).json();
        assert_eq!(tried["permission"], expected, "{own} {tools}: {tried}");
        let listed = keeper.client.read("/tools?limit=500");
        let listed = listed["items"].as_array().unwrap();
        let listed = listed.iter().find(|tool| tool["name"] == "mcp.test.append").unwrap();
        assert_eq!((&listed["policy"], &listed["source"]), (&json!(expected), &json!("mcp:test")));
        assert_eq!(
            (&listed["namespace"], &listed["available"]),
            (&json!("mcp.test"), &json!(expected != "deny"))
        );
    }
}

#[test]
fn what_a_person_sets_about_a_servers_tool_stands_beside_the_servers_own_lists() {
    let model = ModelServer::start().unwrap();
    let cases = [
        ("", "allow", "allow"),
        ("ask = [\"append\"]", "allow", "ask"),
        ("allow = [\"*\"]", "ask", "ask"),
        ("allow = [\"*\"]", "deny", "deny"),
    ];
    for (own, set, expected) in cases {
        let probe = Probe::new();
        let home = home_for(&model, &probe.section(own));
        let keeper = home.up();
        server_when(&keeper, is_ready);
        let done = home.run(["tools", set, "mcp.test.append"]);
        assert!(done.status.success(), "{done:?}");
        let body = json!({"tool": "mcp.test.append", "arguments": {"line": "x"}});
        let tried = keeper.client.post("/tools/trial", &body).json();
        assert_eq!(tried["permission"], expected, "{own}, {set}: {tried}");
    }
}

#[test]
fn a_tool_that_changed_while_the_keeper_was_down_does_not_run() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    assert_eq!(keeper.stop(), Some(0));
    probe.say("Another text.");
    model.script([append(json!({"line": "late"})), Reply::text("It changed.")]);
    let keeper = home.up();
    keeper.client.say("append");
    assert_eq!(probe.lines("probe"), [""; 0]);
    // It was offered before the server said otherwise, or not at all, by who was quicker.
    let said = results(&model).remove(0);
    let is_refused = ["no longer what was offered", "there is no tool"];
    assert!(is_refused.iter().any(|words| said.contains(words)), "{said}");
}

#[test]
fn a_server_that_does_not_work_stands_under_attention() {
    let home = Home::new("[[mcp]]\nname = \"broken\"\ncommand = \"/bin/false\"\n");
    let keeper = home.up();
    server_when(&keeper, |server| server["state"] == "waiting");
    let matters = keeper.client.read("/attention");
    let matter = matters["items"].as_array().unwrap().iter().find(|it| it["kind"] == "tools");
    assert!(matter.unwrap()["summary"].as_str().unwrap().contains("broken"), "{matters}");
}

#[test]
fn acceptances_at_the_same_time_lose_nothing() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    probe.say("Another text.");
    model.script([append(json!({"line": "one", "then": "notify"})), Reply::text("Done.")]);
    keeper.client.say("append");
    let digest = server_when(&keeper, waits)["waiting"][0]["digest"].clone();
    let body = json!({"tools": [{"tool": "append", "digest": digest}]});
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| keeper.client.post("/mcp/servers/test/accept", &body).status);
        }
    });
    let server = server_when(&keeper, |server| !waits(server));
    assert_eq!(server["tools"].as_array().unwrap().len(), 2, "{server}");
}

#[test]
fn a_server_reaches_no_file_that_it_was_not_given() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("").replace("write = [", "read = ["));
    let keeper = home.up();
    server_when(&keeper, |server| server["state"] != "starting");
    assert_eq!(probe.lines("starts"), [""; 0], "it could write where it may only read");
    drop(keeper);
}

#[test]
fn a_call_that_a_death_cut_off_is_told_as_unknown_and_runs_once() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    model.script([append(json!({"line": "once", "then": "hang"})), Reply::text("I do not know.")]);
    keeper.client.post("/start-epoch", &json!({"message": "append"}));
    while probe.lines("probe").is_empty() {
        std::thread::yield_now();
    }
    keeper.kill();
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    events.until("epoch.committed");
    assert_eq!(probe.lines("probe"), ["once"]);
    assert!(results(&model)[0].contains("outcome unknown"), "{:?}", results(&model));
    assert!(offered(&model).contains(&"mcp-test-append".to_owned()), "as before the death");
    assert_eq!(keeper.stop(), Some(0));
    while probe.is_running() {
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_dies_in_a_call_is_started_again_and_the_call_is_unknown() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    model.script([
        append(json!({"line": "cut", "then": "cut"})),
        append(json!({"line": "after"})),
        Reply::text("Done."),
    ]);
    keeper.client.say("append");
    let results = results(&model);
    assert!(results[0].contains("unknown") && results[1].contains("done"), "{results:?}");
    assert_eq!(probe.lines("probe"), ["cut", "after"]);
    assert_eq!(probe.lines("starts").len(), 2);
}

#[test]
fn a_server_is_added_tried_listed_and_removed_by_commands() {
    let probe = Probe::new();
    let home = Home::new("# mine\n[keeper]\nlisten = \"127.0.0.1:0\" # any\n");
    let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/faulty.py");
    let program = fs::canonicalize(program).unwrap().display().to_string();
    let folder = probe.0.path().display().to_string();
    let text = || fs::read_to_string(home.path().join("abide.toml")).unwrap();
    let before = text();
    let refused = home.run(["mcp", "add", "No good", "--", PYTHON]);
    assert!(!refused.status.success() && text() == before, "{refused:?}");
    let added = home.run(["mcp", "add", "test", "--", PYTHON, &program, &folder]);
    assert!(added.status.success() && text().starts_with("# mine\n"), "{added:?}\n{}", text());
    let again = home.run(["mcp", "add", "test", "--", PYTHON]);
    assert!(!again.status.success(), "the name is taken: {again:?}");

    let granted = text().replace("[[mcp]]", &format!("[[mcp]]\nwrite = [{folder:?}]"));
    fs::write(home.path().join("abide.toml"), granted).unwrap();
    let tried = home.run(["mcp", "test", "test"]);
    let out = String::from_utf8_lossy(&tried.stdout).into_owned();
    assert!(tried.status.success() && out.contains("mcp.test.append"), "{tried:?}");
    assert!(!probe.is_running(), "it was for a moment");

    let keeper = home.up();
    server_when(&keeper, is_ready);
    let listed = home.run(["mcp", "ls"]);
    let out = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(out.contains("test") && out.contains("ready"), "{out}");
    assert_eq!(keeper.stop(), Some(0));
    let removed = home.run(["mcp", "rm", "test"]);
    assert!(removed.status.success() && text() == before, "{removed:?}\n{}", text());
    let said = String::from_utf8_lossy(&removed.stderr).into_owned();
    let folder = home.path().join("mcp/test");
    assert!(folder.is_dir() && said.contains(&format!("stays in {}", folder.display())), "{said}");
    assert!(!home.run(["mcp", "rm", "test"]).status.success(), "it is gone");
}

#[test]
fn a_server_without_tools_counts_as_seen_and_what_comes_later_waits() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let section = probe.section("").replace("]\nwrite", ", \"late\", \"resources\"]\nwrite");
    let home = home_for(&model, &section);
    let keeper = home.up();
    let server = server_when(&keeper, is_ready);
    assert_eq!(server["tools"], json!(["mcp.test.list_resources", "mcp.test.read_resource"]));
    probe.say("Appends a line.");
    let server = server_when(&keeper, waits);
    assert_eq!(server["waiting"].as_array().unwrap().len(), 2, "{server}");
}

#[test]
fn the_steps_of_a_servers_tool_are_seen_while_it_works() {
    let model = ModelServer::start().unwrap();
    let probe = Probe::new();
    let home = home_for(&model, &probe.section("allow = [\"*\"]"));
    let keeper = home.up();
    server_when(&keeper, is_ready);
    let step = json!({"progress": 1, "total": 3, "message": "reading\u{200b}"});
    let call = json!({"line": "a", "then": "steps", "batches": [[step]]});
    model.script([append(call), Reply::text("Done.")]);
    let mut events = keeper.client.events("/events?deltas=1", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "go"}));
    let seen = events.until("tool.progress").pop().unwrap();
    let step = json!({"done": 1.0, "total": 3.0, "message": "reading⟦U+200B⟧"});
    assert_eq!((&seen.data["step"], seen.data.get("output")), (&step, None));
    fs::write(probe.0.path().join("go-a-0"), "").unwrap();
    events.until("epoch.committed");
    assert!(results(&model)[0].contains("at last"), "{:?}", results(&model));
    assert!(home.ledger().iter().all(|line| !line.to_string().contains("⟦U+200B⟧")));
}
