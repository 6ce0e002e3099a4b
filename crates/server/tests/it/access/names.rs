//! Names: agents, people and Abide itself have different ones.

use serde_json::json;

use super::rights::create;
use crate::{client::Client, home::Home};

/// An agent that works with somebody whom no token names.
const WITH_NICOLAS: &str = "[[agent]]\nid = \"felix\"\nname = \"Felix\"\n\
                            partners = [{ id = \"nicolas\", name = \"Nicolas\", role = \"co-founder\" }]\n";

fn words(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_agent_has_no_name_of_abide_itself_or_of_a_person() {
    for name in ["keeper", "system", "user", "tickle-1", "watchdog", "abide", "System"] {
        let config = format!("[[agent]]\nid = \"{name}\"\nname = \"X\"\n");
        let output = Home::new(&config).run(["config", "print"]);
        assert!(!output.status.success(), "{name}");
        assert!(words(&output).contains("a name of Abide itself"), "{name}: {}", words(&output));
    }
    let config = "[[agent]]\nid = \"felix\"\nname = \"X\"\n[[irc.network]]\nname = \"x\"\nhost = \"h\"\nagent = \"felix\"\npeople = [\"a=felix\"]\n";
    let output = Home::new(config).run(["config", "print"]);
    assert!(words(&output).contains("cannot have the same name"), "{}", words(&output));
}

#[test]
fn a_token_has_no_name_of_abide_itself_or_of_an_agent() {
    let home = Home::new("");
    for name in ["keeper", "system", "user", "tickle-1", "felix", "Ann", "a b"] {
        let made = home.run(["token", "create", name]);
        assert_eq!(made.status.code(), Some(2), "{name}: {made:?}");
    }
    create(&home, "ivy", &["admin"], &[]);
    std::fs::write(home.path().join("abide.toml"), "[[agent]]\nid = \"ivy\"\nname = \"Ivy\"\n")
        .unwrap();
    let output = home.run(["up", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        words(&output).contains("ivy is an agent and the name of a token"),
        "{}",
        words(&output)
    );
}

#[test]
fn no_agent_is_spawned_under_the_name_of_a_person_or_of_abide_itself() {
    let allow = "[tools]\nallow = [\"stdout\", \"stdout.spawn\"]\n";
    let home = Home::new(&format!("{allow}{WITH_NICOLAS}"));
    let keeper = home.up();
    create(&home, "ann", &["say"], &[]);
    for name in ["ann", "user", "system", "tickle-1", "keeper", "nicolas"] {
        let text = format!("\\tool stdout {{\"command\": \"\\\\spawn @{name} a helper ---\"}}");
        keeper.client.say(&text);
    }
    keeper.client.say("\\tool stdout {\"command\": \"\\\\spawn @kid a helper ---\"}");
    drop(keeper);
    let spawned: Vec<_> = home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "agent.spawned")
        .map(|line| line["data"]["agent"].clone())
        .collect();
    assert_eq!(spawned, ["kid"]);
}

#[test]
fn a_grant_to_a_stranger_waits_for_a_person_and_one_to_somebody_known_does_not() {
    let home = Home::new(WITH_NICOLAS);
    let keeper = home.up();
    create(&home, "ann", &["read"], &[]);
    let grant = |to: &str| {
        let text = format!("\\tool stdout {{\"command\": \"\\\\grant @{to} ---\"}}");
        keeper.client.post("/start-epoch?wait=1", &json!({"message": text}))
    };
    for known in ["ann", "nicolas", "user"] {
        assert_eq!(grant(known).status, 200, "{known}");
    }
    assert_eq!(grant("mallory").status, 200, "nobody is there to be asked, which is a no");
    let text = "\\tool stdout {\"command\": \"\\\\grant @eve ---\"}";
    let body = json!({"message": text, "interactive": true});
    let epoch = keeper.client.post("/start-epoch", &body).json()["epoch_id"].clone();
    let mut events = keeper.client.events("/events?after=0", &[]);
    let asked = loop {
        let event = events.next().unwrap();
        if event.kind == "approval.requested" && event.data["epoch"] == epoch {
            break event.data["data"]["approval_id"].as_str().unwrap().to_owned();
        }
    };
    // Only who may decide does.
    let reader = Client::new(keeper.address, Some(create(&home, "rita", &["read", "say"], &[])));
    let decide = |client: &Client| {
        client.post(&format!("/approvals/{asked}"), &json!({"decision": "approve"}))
    };
    assert_eq!(decide(&reader).code(), "scope");
    let boss = Client::new(keeper.address, Some(create(&home, "boss", &["approve"], &[])));
    assert_eq!(decide(&boss).status, 200);
    events.until("epoch.committed");
    drop(keeper);
    let ledger = home.ledger();
    let granted: Vec<_> = ledger
        .iter()
        .filter(|line| line["kind"] == "stdout.granted")
        .map(|line| line["data"]["to"].as_str().unwrap())
        .collect();
    assert_eq!(granted, ["@ann", "@nicolas", "@user", "@eve"]);
    let decided = ledger.iter().rev().find(|line| line["kind"] == "approval.decided").unwrap();
    assert_eq!(decided["author"], "@boss");
}

#[test]
fn the_policy_decides_about_parts_of_a_tool_that_it_names() {
    let grant = "\\tool stdout {\"command\": \"\\\\grant @mallory ---\"}";
    for (tools, count) in [
        ("allow = [\"*\"]", 0),
        ("allow = [\"stdout\", \"stdout.grant\"]", 1),
        ("allow = [\"stdout\", \"stdout.*\"]\ndeny = [\"stdout.grant\"]", 0),
    ] {
        let home = Home::new(&format!("[tools]\n{tools}\n"));
        let keeper = home.up();
        keeper.client.say(grant);
        drop(keeper);
        let ledger = home.ledger();
        let granted = ledger.iter().filter(|line| line["kind"] == "stdout.granted").count();
        assert_eq!(granted, count, "{tools}");
    }
}

#[test]
fn tokens_that_are_created_at_the_same_time_are_all_kept() {
    let home = Home::new("");
    let names: Vec<_> = (0..8).map(|number| format!("p{number}")).collect();
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            let mut command = home.command(["token", "create", name]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let list = home.run(["token", "list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    let mut kept: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    kept.sort_unstable();
    assert_eq!(kept, names);
}

#[test]
fn the_list_says_what_each_token_may_do_and_when_it_ends_and_old_ones_may_do_everything() {
    let home = Home::new("");
    let digest = "0".repeat(64);
    let old = format!(
        "{{\"tokens\": [{{\"name\": \"old\", \"sha256\": \"{digest}\", \"created_at\": \"2026-11-27T22:10:03.000000Z\"}}]}}"
    );
    std::fs::write(home.path().join("tokens.json"), old).unwrap();
    let ann = create(&home, "ann", &["say:felix", "read"], &["--expires", "never"]);
    create(&home, "bob", &[], &["--expires", "1ms"]);
    let list = String::from_utf8(home.run(["token", "ls"]).stdout).unwrap();
    let line = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("old").contains("admin") && line("old").contains("never"), "{list}");
    assert!(line("ann").contains("read,say:felix") && line("ann").contains("never"), "{list}");
    assert!(
        line("bob").contains("approve,read,say") || line("bob").contains("read,say,approve"),
        "{list}"
    );
    assert!(line("bob").contains("(ended)"), "{list}");
    let rotated = home.run(["token", "rotate", "ann"]);
    let rotated = String::from_utf8(rotated.stdout).unwrap().trim().to_owned();
    let keeper = home.up();
    assert_eq!(Client::new(keeper.address, Some(ann)).get("/snapshot").status, 401);
    let session = Client::new(keeper.address, Some(rotated)).read("/session");
    assert_eq!(session["scopes"], json!(["read", "say:felix"]));
    assert_eq!(home.run(["token", "create", "x", "--scope", "root"]).status.code(), Some(2));
    assert_eq!(home.run(["token", "create", "x", "--expires", "soon"]).status.code(), Some(2));
    assert_eq!(home.run(["token", "create", "x", "--expires", "0s"]).status.code(), Some(2));
}
