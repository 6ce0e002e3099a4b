//! What an agent does to files and with commands: what a person is asked and shown, what the sandbox holds, what a crash leaves.

use std::fs;

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

/// HB-32.
#[test]
fn a_command_reaches_neither_the_token_nor_the_network() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    fs::write(work(&home).join("control.txt"), "heron\n").unwrap();
    let token = home.path().join("token").display().to_string();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!(
        "python3 -c 'import socket; print(\"tried\"); socket.create_connection((\"127.0.0.1\", {port}))'"
    );
    server.script([
        run(&format!("cat control.txt; cat {token}; cat ../../../token")),
        run(&connect),
        run("read line; echo \"got:$line\"; tty; echo \"$CI $PAGER\""),
        Reply::text("Done."),
    ]);
    keeper.client.say("try");
    let results = results(&server);
    assert!(results[0].contains("heron") && !results[0].contains(&home.token()), "{}", results[0]);
    assert!(
        results[1].contains("tried") && !results[1].contains("\"exit_code\":0"),
        "{}",
        results[1]
    );
    assert!(listener.accept().is_err(), "nobody came through");
    assert!(results[2].contains("got:") && results[2].contains("not a tty"), "{}", results[2]);
    assert!(results[2].contains("1 cat"), "{}", results[2]);
}

#[test]
fn what_lies_in_a_folder_is_nobodys_own_settings() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    fs::write(work(&home).join(".profile"), "planted\n").unwrap();
    let look = "cat ~/.profile; touch ~/mine && echo \"kept in $HOME\"; pwd";
    server.script([run(look), Reply::text("Done.")]);
    keeper.client.say("try");
    let results = results(&server);
    assert!(results[0].contains("kept in /") && !results[0].contains("planted"), "{}", results[0]);
    assert!(!work(&home).join("mine").exists(), "nothing is left in the folder");
}

/// Whether a process with these words in its command line is there.
fn runs(words: &str) -> bool {
    let lines = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read(entry.unwrap().path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .any(|line| line.contains(words))
}

/// HB-30.
#[test]
fn a_command_leaves_nothing_running_and_its_output_is_bounded() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    let unique = format!("10{:09}", std::process::id());
    server.script([
        run(&format!("sleep {unique} & setsid sleep {unique}1 & (sleep {unique}2 &) ; echo begun")),
        run("yes | head -c 3000000; echo end"),
        Reply::text("Done."),
    ]);
    keeper.client.say("try");
    let results = results(&server);
    assert!(results[0].contains("begun"), "{}", results[0]);
    assert!(!runs(&format!("sleep {unique}")), "what it left running was ended with it");
    assert!(results[1].contains("bytes left out") && results[1].contains("end"), "{}", results[1]);
    assert!(results[1].len() < 80_000);
}

#[test]
fn what_a_command_writes_is_seen_while_it_runs_and_the_ledger_holds_the_result_alone() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\"]\n");
    let keeper = home.up();
    // It waits for whoever writes to the pipe.
    let waiting = "mkfifo go && echo first && cat go && echo 'last words' >&2";
    server.script([run(waiting), Reply::text("Done.")]);
    let mut events = keeper.client.events("/events?deltas=1", &[]);
    let mut others = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "go"}));
    let seen = events.until("tool.progress");
    assert_eq!(seen.iter().filter(|event| event.kind == "tool.requested").count(), 1);
    assert!(seen.iter().all(|event| event.kind != "tool.finished"), "it runs");
    let first = seen.last().unwrap();
    assert_eq!(first.id, None, "it is in no ledger");
    assert_eq!((&first.data["call_id"], &first.data["sequence"]), (&json!("call_1_1"), &json!(0)));
    let piece = &first.data["output"][0];
    assert_eq!(piece, &json!({"stream": "stdout", "left_out_bytes": 0, "text": "first\n"}));
    fs::write(work(&home).join("go"), "go\n").unwrap();
    events.until("epoch.committed");
    let of_others = others.until("epoch.committed");
    assert!(of_others.iter().all(|event| event.kind != "tool.progress"), "nobody asked for it");
    let result = &results(&server)[0];
    assert!(result.contains("first\\ngo\\n") && result.contains("last words"), "{result}");
    let lines = home.ledger();
    let holding = lines.iter().filter(|line| line.to_string().contains("last words\\\\n"));
    assert_eq!(holding.map(|line| &line["kind"]).collect::<Vec<_>>(), ["tool.finished"]);
}

#[test]
fn a_folder_to_read_is_not_written_by_a_command_that_begins_in_it() {
    let server = ModelServer::start().unwrap();
    let docs = tempfile::tempdir().unwrap();
    fs::write(docs.path().join("a.txt"), "heron\n").unwrap();
    let folders = format!("[tools.files]\nread = [\"docs={}\"]\n", docs.path().display());
    let home = home_for(&server, &format!("[tools]\nallow = [\"shell.run\"]\n{folders}"));
    let keeper = home.up();
    let call = json!({"folder": "docs", "command": "cat a.txt; echo x > b.txt; rm a.txt"});
    server.script([Reply::calls([("shell-run", call)]), Reply::text("Done.")]);
    keeper.client.say("look");
    assert!(results(&server)[0].contains("heron"), "{:?}", results(&server));
    let left: Vec<_> =
        fs::read_dir(docs.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["a.txt"]);
}

#[test]
fn what_is_denied_runs_in_no_other_spelling_unasked() {
    let server = ModelServer::start().unwrap();
    let tools = "[tools]\nallow = [\"shell.run\"]\n[tools.shell]\ndeny = [\"touch\"]\n";
    let home = home_for(&server, tools);
    let keeper = home.up();
    server.script([
        run("touch a"),
        run("(touch b)"),
        run("touch c 2>&1"),
        run("ls"),
        Reply::text("Done."),
    ]);
    keeper.client.say("try");
    let results = results(&server);
    assert!(results[0].contains("tools.shell.deny"), "{results:?}");
    assert!(results[1].contains("approval") && results[2].contains("approval"), "{results:?}");
    assert!(results[3].contains("\"exit_code\":0"), "{results:?}");
    assert_eq!(fs::read_dir(work(&home)).unwrap().count(), 0);
}

#[test]
fn a_skills_script_runs_as_a_command() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "[tools]\nallow = [\"shell.run\", \"files.read\"]\n");
    let folder = home.path().join("skills/tidy-up");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: tidy-up\ndescription: x\n---\n").unwrap();
    fs::write(folder.join("run.sh"), "echo swept; touch ./b").unwrap();
    let keeper = home.up();
    let call = json!({"folder": "skills/tidy-up", "command": "sh run.sh"});
    let read = json!({"path": "skills/tidy-up/run.sh"});
    server.script([
        Reply::calls([("shell-run", call)]),
        Reply::calls([("files-read", read)]),
        Reply::text("Done."),
    ]);
    keeper.client.say("tidy up");
    let results = results(&server);
    assert!(results[0].contains("swept"), "{results:?}");
    assert!(results[1].contains("echo swept"), "{results:?}");
    assert!(!folder.join("b").exists(), "it is there to be read");
}

#[test]
fn no_folder_of_the_configuration_holds_the_keepers_home() {
    for access in ["read", "write"] {
        let home = Home::new(&format!("[tools.files]\n{access} = [\"all=/\"]\n"));
        let started = home.run(["up", "--listen", "127.0.0.1:0"]);
        assert!(!started.status.success());
        let said = String::from_utf8(started.stderr).unwrap();
        assert!(said.contains("the folder `all`") && said.contains("home folder"), "{said}");
    }
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

#[test]
fn a_skill_is_checked_added_and_listed_by_commands() {
    let home = Home::new("");
    let source = tempfile::tempdir().unwrap();
    let folder = source.path().join("tidy-up");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("run.sh"), "#!/bin/sh\nls\n").unwrap();
    let folder = folder.display().to_string();
    let out = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let refused = home.run(["skills", "check", &folder]);
    assert!(!refused.status.success() && out(&refused).contains("SKILL.md"), "{refused:?}");
    let refused = home.run(["skills", "add", &folder]);
    assert!(!refused.status.success() && !home.path().join("skills/tidy-up").exists());
    let text = "---\nname: tidy-up\ndescription: Tidies\u{200b} up.\nallowed-tools: Bash(*)\n---\nRun run.sh.\n";
    fs::write(format!("{folder}/SKILL.md"), text).unwrap();
    let checked = home.run(["skills", "check", &folder]);
    assert!(checked.status.success() && out(&checked).contains("run.sh"), "{checked:?}");
    assert!(out(&checked).contains("allowed-tools"), "{checked:?}");
    assert!(home.run(["skills", "add", &folder]).status.success());
    assert!(!home.run(["skills", "add", &folder]).status.success(), "nothing is overwritten");
    let listed = out(&home.run(["skills", "ls"]));
    assert!(listed.contains("tidy-up") && listed.contains("⟦U+200B⟧"), "{listed}");
    let unasked = home.run(["skills", "rm", "tidy-up"]);
    assert_eq!(unasked.status.code(), Some(2), "nobody can be asked: {unasked:?}");
    assert!(home.path().join("skills/tidy-up/run.sh").exists());
    let elsewhere = home.run(["skills", "rm", "--yes", "../skills/tidy-up"]);
    assert!(!elsewhere.status.success(), "{elsewhere:?}");
    assert!(home.run(["skills", "rm", "--yes", "tidy-up"]).status.success());
    assert!(!home.path().join("skills/tidy-up").exists());
    let again = home.run(["skills", "rm", "--yes", "tidy-up"]);
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && said.contains("no skill `tidy-up`"), "{said}");
}

/// HB-37.
#[test]
fn a_proxy_of_the_environment_is_not_asked() {
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let names =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let environment = names.map(|name| (name, address.as_str()));

    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "");
    let keeper = home.up_with(&environment);
    server.script([Reply::text("Nobody stood between.")]);
    assert_eq!(keeper.client.say("hello")["final_response"], "Nobody stood between.");
    assert!(proxy.accept().is_err(), "a proxy that nobody configured was asked");
}
