//! What an agent does to files and with commands: what a person is asked and shown, what the sandbox holds, what a crash leaves.

use std::{fs, path::Path};

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};

use crate::home::{Home, Keeper};

const HANDS: &str = "[tools]\nallow = [\"files.*\"]\nask = [\"shell.run\"]\n";

fn home_for(server: &ModelServer, more: &str) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{more}"
    ))
}

/// What the tools gave back to the model in its newest request, oldest first.
fn results(server: &ModelServer) -> Vec<String> {
    let request = server.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap().clone();
    let of_tools = messages.into_iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

fn run(command: &str) -> Reply {
    Reply::calls([("shell-run", json!({"command": command}))])
}

fn work(home: &Home) -> std::path::PathBuf {
    let agents = fs::read_dir(home.path().join("agents")).unwrap();
    agents.map(|agent| agent.unwrap().path().join("work")).next().unwrap()
}

/// Waits for the approval that a stimulus leads to.
fn asked(keeper: &Keeper, message: &str) -> Value {
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": message, "interactive": true}));
    events.until("approval.requested");
    keeper.client.read("/approvals")["items"][0].clone()
}

fn approve(keeper: &Keeper, approval: &Value) {
    let mut events = keeper.client.events("/events", &[]);
    let path = format!("/approvals/{}", approval["id"].as_str().unwrap());
    assert_eq!(keeper.client.post(&path, &json!({"decision": "approve"})).status, 200);
    events.until("epoch.committed");
}

#[test]
fn a_person_sees_what_a_write_would_change_before_it_does() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"files.read\"]\nask = [\"files.*\"]\n");
    let keeper = home.up();
    fs::write(work(&home).join("plan.txt"), "one\ntwo\n").unwrap();
    server.script([
        Reply::calls([(
            "files-edit",
            json!({"path": "work/plan.txt", "edits": [{"old": "two", "new": "three"}]}),
        )]),
        Reply::text("Done."),
    ]);
    let approval = asked(&keeper, "change the plan");
    let preview = approval["preview"].as_str().unwrap();
    assert!(preview.contains("-two") && preview.contains("+three"), "{preview}");
    assert_eq!(fs::read_to_string(work(&home).join("plan.txt")).unwrap(), "one\ntwo\n");
    approve(&keeper, &approval);
    assert_eq!(fs::read_to_string(work(&home).join("plan.txt")).unwrap(), "one\nthree\n");
    let kept = home.ledger();
    let requested = kept.iter().find(|line| line["kind"] == "approval.requested").unwrap();
    assert_eq!(requested["data"]["preview"], approval["preview"]);
}

#[test]
fn a_command_runs_in_the_sandbox_unasked_only_where_a_rule_is_for_it() {
    let server = ModelServer::start().unwrap();
    let rules = "[tools.shell]\nallow = [\"cat *\", \"ls\"]\ndeny = [\"rm\"]\n";
    let home = home_for(&server, &format!("{HANDS}{rules}"));
    let keeper = home.up();
    fs::write(work(&home).join("a.txt"), "heron\n").unwrap();
    server.script([
        run("cat a.txt && ls"),
        run("rm a.txt"),
        run("cat a.txt; touch b"),
        Reply::text("Done."),
    ]);
    keeper.client.say("what is there?");
    let results = results(&server);
    assert!(
        results[0].contains("\"exit_code\":0") && results[0].contains("heron\\na.txt"),
        "{results:?}"
    );
    assert!(results[1].contains("tools.shell.deny"), "{results:?}");
    assert!(results[2].contains("approval"), "nobody is there to be asked: {results:?}");
    assert!(!work(&home).join("b").exists());
}

#[test]
fn a_command_reaches_neither_the_token_nor_the_network_and_leaves_nothing_running() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    let token = home.path().join("token").display().to_string();
    let port = keeper.address.port();
    let commands = [
        format!("cat {token}; cat ../../../token; ls {}", home.path().display()),
        format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port}; python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'"
        ),
        "(while true; do echo x >> alive; sleep 0.05; done) & setsid sleep 1000 & echo begun"
            .to_owned(),
        "yes | head -c 3000000; echo end".to_owned(),
        "read line; echo \"got:$line\"; tty; echo $HOME $CI".to_owned(),
    ];
    let calls: Vec<_> =
        commands.iter().map(|command| run(command)).chain([Reply::text("Done.")]).collect();
    server.script(calls);
    keeper.client.say("try");
    let results = results(&server);
    assert!(!results[0].contains(&home.token()), "{}", results[0]);
    assert!(!results[1].contains("\"exit_code\":0"), "{}", results[1]);
    assert!(results[2].contains("begun"), "{}", results[2]);
    let size = |path: &Path| fs::metadata(path).map(|file| file.len()).unwrap_or_default();
    let before = size(&work(&home).join("alive"));
    assert!(results[3].contains("bytes left out") && results[3].contains("end"), "{}", results[3]);
    assert!(results[3].len() < 80_000);
    assert!(results[4].contains("got:") && results[4].contains("not a tty"), "{}", results[4]);
    assert_eq!(size(&work(&home).join("alive")), before, "what it left running was ended with it");
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_that_it_started() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    let call = json!({"command": "trap '' TERM; echo begun; sleep 1000", "seconds": 1});
    server.script([Reply::calls([("shell-run", call)]), Reply::text("Done.")]);
    keeper.client.say("wait");
    let results = results(&server);
    assert!(
        results[0].contains("ran longer than 1 s") && results[0].contains("begun"),
        "{results:?}"
    );
}

#[test]
fn a_command_that_a_death_cut_off_is_told_as_unknown_and_runs_once() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    server.script([run("echo once >> runs; sleep 1000"), Reply::text("I do not know.")]);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "run it"}));
    events.until("tool.requested");
    let runs = work(&home).join("runs");
    while !runs.exists() {
        std::thread::yield_now();
    }
    keeper.kill();
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    events.until("epoch.committed");
    assert_eq!(fs::read_to_string(&runs).unwrap(), "once\n");
    assert!(results(&server)[0].contains("outcome unknown"), "{:?}", results(&server));
}

#[test]
fn a_skill_is_named_to_the_mind_and_read_when_it_is_needed() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"skills.read\"]\n");
    let folder = home.path().join("skills/tidy-up");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("SKILL.md"),
        "---\nname: tidy-up\ndescription: How we tidy up here\n---\nBegin with the attic.",
    )
    .unwrap();
    let keeper = home.up();
    server.script([
        Reply::calls([("skills-read", json!({"name": "tidy-up"}))]),
        Reply::text("The attic."),
    ]);
    assert_eq!(keeper.client.say("where to begin?")["final_response"], "The attic.");
    let shown = &server.requests()[0].tools;
    assert!(
        shown.iter().any(|tool| format!("{tool:?}").contains("How we tidy up here")),
        "{shown:?}"
    );
    assert!(results(&server)[0].contains("Begin with the attic."));
}

#[test]
fn people_list_and_try_tools_and_nothing_changes_by_it() {
    let home = Home::new(HANDS);
    let keeper = home.up();
    let text = |arguments: &[&str]| String::from_utf8(home.run(arguments).stdout).unwrap();
    let listed = text(&["tools", "ls"]);
    let row = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("files.write").contains("allow") && row("shell.run").contains("ask"), "{listed}");
    assert!(row("stdout").contains("deny"), "{listed}");
    fs::write(work(&home).join("a.txt"), "heron\n").unwrap();
    assert!(text(&["tools", "test", "files.read", "{\"path\": \"work/a.txt\"}"]).contains("heron"));
    let tried = text(&["tools", "test", "files.remove", "{\"path\": \"work/a.txt\"}"]);
    assert!(tried.contains("not run") && work(&home).join("a.txt").exists(), "{tried}");
    assert!(text(&["tools", "show", "shell.run"]).contains("arguments:"));
    let failed = home.run(["tools", "test", "files.read", "{\"path\": \"/etc/passwd\"}"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    drop(keeper);
}
