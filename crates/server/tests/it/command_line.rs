//! The command line: data on stdout, words on stderr, exit codes.

use std::{
    io::{Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
};

use abide_testkit::{ModelServer, Reply, ReplyHold, SeenRequest, program};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{home::Home, process::scene::thinking_with};

fn words(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn data(output: &std::process::Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn without_a_keeper_commands_say_so_and_exit_3() {
    let home = Home::new("");
    for arguments in [
        &["say", "hi"][..],
        &["status"],
        &["epochs", "ls"],
        &["agents", "ls"],
        &["chat"],
        &["token", "link"],
        &["epochs", "show", "x"],
        &["agents", "park", "felix"],
        &["stdout", "read:"],
        &["stdout", "grants"],
        &["memory", "facts"],
        &["memory", "search", "heron"],
        &["evidence"],
        &["sleep"],
        &["watchdog", "status"],
    ] {
        let output = home.run(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {output:?}");
        assert!(words(&output).contains("abide up"), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let keeper = home.up();
    keeper.kill();
    assert_eq!(home.run(["status"]).status.code(), Some(3), "a stale keeper.json is no keeper");
}

#[test]
fn mistakes_of_usage_exit_2_and_help_is_data() {
    let home = Home::new("");
    for arguments in [&["dance"][..], &["say"], &["epochs", "show"], &["ledger", "tail", "-n", "x"]]
    {
        let output = home.run(arguments);
        assert_eq!(
            (output.status.code(), output.stdout.is_empty()),
            (Some(2), true),
            "{arguments:?}"
        );
    }
    let bare = home.run::<&str>([]);
    assert_eq!(bare.status.code(), Some(2), "{bare:?}");
    assert!(words(&bare).contains("Usage: abide [OPTIONS] <COMMAND>"), "{bare:?}");
    let help = home.run(["--help"]);
    assert!(data(&help).starts_with("Keeps AI agents alive"), "{help:?}");
    assert_eq!((help.status.code(), help.stderr.is_empty()), (Some(0), true));
    for command in [
        "up",
        "say",
        "chat",
        "stdout",
        "status",
        "doctor",
        "init",
        "config",
        "ledger",
        "epochs",
        "agents",
        "token",
        "completions",
        "man",
    ] {
        assert!(data(&help).contains(&format!("\n  {command} ")), "{command}");
    }
}

#[test]
fn each_kind_of_end_has_one_exit_code() {
    let home = Home::new("[[agent]]\nid = \"felix\"\n[[agent]]\nid = \"ivy\"\n");
    let keeper = home.up();
    let said =
        keeper.client.post("/start-epoch?wait=1", &json!({"message": "hi", "citizen": "felix"}));
    let ended = said.json()["epoch_id"].as_str().unwrap().to_owned();
    let nothing = "0193e0f0-0000-7000-8000-000000000000";
    for (code, arguments) in [
        (0, vec!["ledger", "query", "--kinds", "epoch.*,stimulus.accepted"]),
        // What cannot be meant.
        (2, vec!["ledger", "query", "--kinds", "nope"]),
        (2, vec!["ledger", "query", "--kinds", "epoch.nope"]),
        (2, vec!["ledger", "tail", "--kinds", "nope.*"]),
        (2, vec!["epochs", "ls", "--limit", "0"]),
        (2, vec!["epochs", "ls", "--cursor", "x"]),
        (2, vec!["say", "for whom?"]),
        (2, vec!["chat"]),
        (2, vec!["memory", "facts"]),
        // What there is not, what does not fit, what breaks a rule.
        (1, vec!["epochs", "show", nothing]),
        (1, vec!["epochs", "abort", &ended]),
        (1, vec!["agents", "show", "nobody"]),
        (1, vec!["epochs", "ls", "--agent", "nobody"]),
        (1, vec!["say", "--agent", "felix", "--channel", "pigeon", "hi"]),
        (1, vec!["stdout", "read: last 0"]),
    ] {
        let output = home.run(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        assert_eq!(output.stderr.is_empty(), code == 0, "{arguments:?}: {output:?}");
    }
    let near = words(&home.run(["ledger", "query", "--kinds", "epoch.open"]));
    assert!(near.contains("epoch.opened"), "{near}");
}

#[test]
fn ctrl_c_in_a_chat_stops_the_answer_and_not_the_conversation() {
    let server = ModelServer::builder()
        .rule(|request: &SeenRequest| match request.user_text() {
            asked if asked.contains("are you there?") => Reply::text("here I am"),
            _ => Reply::text("on and ".repeat(200)).silence_after(900),
        })
        .start()
        .unwrap();
    let home = Home::new(&thinking_with(&server, &["felix"]));
    let _keeper = home.up();
    let mut chat = home
        .command(["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = chat.stdin.take().unwrap();
    stdin.write_all(b"go on and on\n").unwrap();
    let mut stdout = chat.stdout.take().unwrap();
    let mut begun = [0; 3];
    stdout.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"on ", "the answer has begun");
    kill_process(Pid::from_child(&chat), Signal::INT).unwrap();
    stdin.write_all(b"are you there?\n").unwrap();
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let output = chat.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let words = words(&output);
    assert!(words.lines().any(|line| line == "stopped: user stopped it"), "{words}");
    // What was said up to then ends its line.
    assert!(rest.ends_with("\nhere I am\n"), "{rest}");
    let ends: Vec<Value> = home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "epoch.aborted" || line["kind"] == "epoch.committed")
        .collect();
    assert_eq!((ends.len(), &ends[0]["data"]["code"]), (2, &"cancelled".into()));
}

#[cfg(not(feature = "bench"))]
#[test]
fn a_build_without_benchmarks_says_how_to_get_them() {
    let output = Home::new("").run(["bench", "ledger", "--rounds", "2"]);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true));
    let words = words(&output);
    assert!(words.contains("make bench") && words.lines().count() == 1, "{words}");
}

#[test]
fn say_prints_the_reply_alone() {
    let home = Home::new("");
    let _keeper = home.up();
    let output = home.run([
        "say",
        "--sender",
        "nicolas",
        "--session",
        "s1",
        "remember that the heron is grey",
    ]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(data(&output).lines().count(), 1);
    let output = home.run(["say", "--json", "what colour is the heron?"]);
    let epoch: Value = serde_json::from_str(&data(&output)).unwrap();
    assert_eq!(
        (&epoch["stimulus"]["channel"], &epoch["session_id"]),
        (&"direct".into(), &"direct:user".into())
    );
    let invalid = home.run(["say", "--channel", "pigeon", "hi"]);
    assert_eq!(invalid.status.code(), Some(1));
    assert!(words(&invalid).contains("channel: `pigeon` is not one of"), "{}", words(&invalid));
    let whole_name = home.run(["say", "--sender", "Nicolas Müller", "hi"]);
    assert_eq!(whole_name.status.code(), Some(1));
    let said = words(&whole_name);
    assert!(said.contains("a short name") && said.contains("--sender nicolas"), "{said}");
}

#[test]
fn chat_answers_each_line_and_asks_for_approval() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n");
    let _keeper = home.up();
    let mut chat = home
        .command(["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = chat.stdin.take().unwrap();
    stdin
        .write_all(
            b"remember that the heron is grey\nwhat colour is the heron?\n\\tool clock.now {}\ny\n",
        )
        .unwrap();
    drop(stdin);
    let output = chat.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(data(&output).contains("grey"), "{output:?}");
    assert!(words(&output).contains("wants to run clock.now"), "{output:?}");
    let calls: Vec<Value> =
        home.ledger().into_iter().filter(|line| line["kind"] == "approval.decided").collect();
    assert_eq!(calls[0]["data"]["decision"], "approve");
}

/// `abide chat` at a terminal: the process, what is typed, and what is shown up to some words.
fn chat_at_terminal(home: &Home) -> (Child, ChildStdin, impl FnMut(&str) -> String) {
    let line = format!("{} chat", program(env!("CARGO_BIN_EXE_abide")).display());
    let mut chat = Command::new("script")
        .args(["-qfec", &line, "/dev/null"])
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("TERM", "xterm"), ("ABIDE_TEST", "1")])
        .env("ABIDE_HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (typed, mut shown) = (chat.stdin.take().unwrap(), chat.stdout.take().unwrap());
    let until = move |end: &str| {
        let (mut seen, mut byte) = (Vec::new(), [0]);
        while !String::from_utf8_lossy(&seen).contains(end) {
            shown.read_exact(&mut byte).unwrap();
            seen.push(byte[0]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    };
    (chat, typed, until)
}

#[test]
fn a_chat_that_waits_for_nothing_shows_what_others_need_a_person_for() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n");
    let keeper = home.up();
    let (mut chat, mut typed, mut until) = chat_at_terminal(&home);
    until("> ");
    let call = json!({"message": r"\tool clock.now {}", "sender": "bob"});
    assert_eq!(keeper.client.post("/start-epoch", &call).status, 202);
    let asked = until("decides\r\n");
    assert!(asked.contains("felix wants to run clock.now"), "{asked}");
    let (_, short) = asked.split_once("`/approve ").unwrap();
    let short = short.split('`').next().unwrap().to_owned();
    let decided = || home.ledger().into_iter().find(|line| line["kind"] == "approval.decided");
    // What is meant for the agent decides nothing; its answer comes behind the call that waits.
    typed.write_all(b"yes\n/approve 000\n").unwrap();
    assert!(until("those that wait: ").contains("which call?"));
    assert!(decided().is_none());
    typed.write_all(format!("/approve {short}\n").as_bytes()).unwrap();
    until("> ");
    assert_eq!(decided().unwrap()["data"]["decision"], "approve");
    typed.write_all(b"/quit\n").unwrap();
    assert!(chat.wait().unwrap().success());
}

#[test]
fn a_line_that_was_typed_before_a_question_does_not_answer_it() {
    let server = ModelServer::start().unwrap();
    let gate = ReplyHold::closed();
    let call = Reply::calls([("clock-now", json!({}))]).held_by(&gate);
    server.script([call, Reply::text("Done.")]);
    let tools = "[tools]\nask = [\"clock.*\"]\n";
    let home = Home::new(&format!("{}{tools}", thinking_with(&server, &["felix"])));
    let _keeper = home.up();
    let (mut chat, mut typed, mut until) = chat_at_terminal(&home);
    until("> ");
    typed.write_all(b"what time is it?\n").unwrap();
    while server.requests().is_empty() {
        std::thread::yield_now();
    }
    typed.write_all(b"yes\n").unwrap();
    // Echoed by the terminal: it has been typed.
    until("yes\r\n");
    gate.open();
    until("y or n: ");
    assert!(until("y or n: ").contains("typed before the question"));
    let decided = || home.ledger().into_iter().find(|line| line["kind"] == "approval.decided");
    assert!(decided().is_none());
    typed.write_all(b"n\n").unwrap();
    until("Done.");
    assert_eq!(decided().unwrap()["data"]["decision"], "deny");
    until("> ");
    typed.write_all(b"/quit\n").unwrap();
    assert!(chat.wait().unwrap().success());
}

#[test]
fn status_doctor_and_the_ledger_commands_have_json() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("hi");
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["ledger", "stat"],
        &["ledger", "verify"],
        &["epochs", "ls"],
        &["agents", "ls"],
        &["config", "print"],
        &["config", "schema"],
        &["token", "ls"],
        &["test", "failpoints"],
    ] {
        let output = home.run(arguments.iter().copied().chain(["--json"]));
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let value: Value = serde_json::from_str(&data(&output))
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        assert!(value.is_object(), "{arguments:?}");
    }
    assert_eq!(home.run(["status"]).status.code(), Some(0));
}

#[test]
fn the_ledger_can_be_read_while_a_keeper_runs_and_after() {
    let home = Home::new("");
    let missing = home.run(["ledger", "tail"]);
    assert_eq!(missing.status.code(), Some(1));
    let keeper = home.up();
    keeper.client.say("hi");
    let while_running = home.ledger();
    let tail = data(&home.run(["ledger", "tail", "-n", "2"]));
    assert_eq!(tail.lines().count(), 2);
    let kinds = data(&home.run(["ledger", "query", "--entity", "felix", "--kinds", "epoch.*"]));
    assert_eq!(kinds.lines().count(), 2, "{kinds}");
    keeper.kill();
    assert_eq!(home.ledger(), while_running);
    let file = home.path().join("copy.jsonl");
    let export = home.run(["ledger", "export", file.to_str().unwrap()]);
    assert!(export.status.success(), "{export:?}");
    let copy = std::fs::read_to_string(&file).unwrap();
    assert_eq!(copy, data(&home.run(["ledger", "query"])), "byte for byte");
    assert_eq!(
        home.run(["ledger", "export", file.to_str().unwrap()]).status.code(),
        Some(1),
        "never overwrites"
    );
}

#[test]
fn bc_35_the_values_in_force_are_visible_with_their_origin() {
    let home = Home::new("");
    let set = home.run(["config", "set", "limits.turns", "3"]);
    assert!(set.status.success(), "{set:?}");
    assert_eq!(home.run(["config", "set", "limits.turns", "none"]).status.code(), Some(1));
    let printed = home
        .command(["config", "print", "--json"])
        .env("ABIDE_LIMITS_CALLS", "5")
        .output()
        .unwrap();
    let printed: Value = serde_json::from_str(&data(&printed)).unwrap();
    let find = |key: &str| {
        printed["items"].as_array().unwrap().iter().find(|item| item["key"] == key).unwrap().clone()
    };
    assert_eq!(find("limits.turns")["value"], 3);
    assert!(find("limits.turns")["origin"].as_str().unwrap().contains("abide.toml:"));
    assert_eq!(find("limits.calls")["origin"], "ABIDE_LIMITS_CALLS");
    assert_eq!(find("limits.attempts")["origin"], "default");
    assert!(data(&home.run(["config", "path"])).trim().ends_with("abide.toml"));
}

#[test]
fn init_makes_a_home_and_overwrites_nothing() {
    let home = Home::new("");
    let refused = home.run(["init"]);
    assert_eq!(refused.status.code(), Some(1));
    std::fs::remove_file(home.path().join("abide.toml")).unwrap();
    let made = home.run(["init", "--agent", "ada", "--role", "librarian", "--provider", "reflex"]);
    assert!(made.status.success(), "{made:?}");
    let keeper = home.up();
    let agent = keeper.client.read("/agents/ada");
    assert_eq!(
        (&agent["name"], &agent["role"], &agent["mind"]),
        (&"Ada".into(), &"librarian".into(), &"agent reflex".into())
    );
}

#[test]
fn init_says_who_keeps_the_home_and_where_and_asks_nothing_without_a_terminal() {
    let home = Home::new("");
    let file = home.path().join("abide.toml");
    let init = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = home.command(["init", "--force", "--provider", "reflex"]);
        command.args(arguments).envs(variables.iter().copied());
        // Nothing is typed, and the pipe stays open: who waits for an answer waits for ever.
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let unused = child.stdin.take();
        let made = child.wait_with_output().unwrap();
        drop(unused);
        (made.status.success(), std::fs::read_to_string(&file).unwrap())
    };
    let (done, text) = init(&[], &[("TZ", "Europe/Berlin")]);
    assert!(done && text.contains("time_zone = \"Europe/Berlin\""), "{text}");
    assert!(
        text.contains("role = \"owner\"") && !text.to_lowercase().contains("nicolas"),
        "{text}"
    );
    let (done, text) = init(
        &["--name", "Clara Müller", "--time-zone", "asia/tokyo", "--yes", "--agent-name", "Fee"],
        &[],
    );
    assert!(done && text.contains("time_zone = \"Asia/Tokyo\""), "{text}");
    assert!(
        text.contains(r#"partners = [{ id = "clara", name = "Clara Müller", role = "owner" }]"#)
    );
    assert!(text.contains("name = \"Fee\""), "{text}");
    let (done, kept) = init(&["--time-zone", "Mars/Olympus"], &[]);
    assert!(!done && kept == text, "a zone that does not exist changes nothing: {kept}");
    let secret = [("OPENAI_API_KEY", "sk-secret"), ("TZ", "UTC")];
    let mut command = home.command(["init", "--force", "--model", "gpt-x", "--json"]);
    let made = command.envs(secret).output().unwrap();
    assert!(data(&made).contains("OPENAI_API_KEY"), "{made:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("gpt-x") && !text.contains("sk-secret") && !data(&made).contains("sk-"));
    let keeper = {
        init(&["--name", "Clara"], &[]);
        home.up()
    };
    assert_eq!(keeper.client.read("/agents/felix")["partners"][0]["id"], "clara");
    assert!(home.run(["say", "hello"]).status.success());
    let entries = home.ledger();
    let said = entries.iter().find(|line| line["kind"] == "stimulus.accepted").unwrap();
    assert_eq!(said["data"]["sender"], "clara", "who says nothing else is the owner");
}

#[test]
fn completions_and_the_manual_are_printed() {
    let home = Home::new("");
    for shell in ["bash", "zsh", "fish"] {
        assert!(data(&home.run(["completions", shell])).contains("abide"), "{shell}");
    }
    assert!(data(&home.run(["man"])).contains(".TH abide"));
}
