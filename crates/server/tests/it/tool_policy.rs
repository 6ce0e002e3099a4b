//! What people set about tools: over HTTP and by commands, in force at once, kept through a `kill -9`, and never against what the
//! configuration denies; and what one agent has of tools and skills that others have not.

use std::{fs, path::Path, process::Output};

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};

use crate::{
    access::rights::create,
    client::{Answer, Client},
    home::{Home, Keeper},
};

fn home_for(server: &ModelServer, more: &str) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{more}"
    ))
}

/// A tool as the keeper lists it.
fn tool(keeper: &Keeper, agent: &str, name: &str) -> Value {
    let found = keeper.client.read(&format!("/tools?citizen={agent}&limit=500"));
    let tools = found["items"].as_array().unwrap();
    tools.iter().find(|tool| tool["name"] == name).cloned().unwrap_or_default()
}

fn put(client: &Client, tool: &str, body: &Value) -> Answer {
    let path = format!("/tools/{tool}/policy");
    client.send("PUT", &path, &[("content-type", "application/json")], &body.to_string())
}

/// What the tools gave back to the model in its newest request, oldest first.
fn results(server: &ModelServer) -> Vec<String> {
    let request = server.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap().clone();
    let of_tools = messages.into_iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// The newest request to the model, as text.
fn prompt(server: &ModelServer) -> String {
    server.requests().pop().unwrap().body.to_string()
}

fn words(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

fn done<const N: usize>(home: &Home, arguments: [&str; N]) -> String {
    let output = home.run(arguments);
    assert!(output.status.success(), "{output:?}");
    words(&output)
}

#[test]
fn what_a_person_sets_is_in_force_at_once_and_after_a_kill_and_can_be_taken_back() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server, "");
    let keeper = home.up();
    let name = "memory.remember_fact";
    assert_eq!(tool(&keeper, "felix", name)["policy_source"], "file");
    let said = done(&home, ["tools", "deny", name]);
    assert!(said.contains("all agents: deny (before: what abide.toml says)"), "{said}");

    let is_denied = |keeper: &Keeper| {
        let shown = tool(keeper, "felix", name);
        assert_eq!(
            (&shown["policy"], &shown["policy_source"], &shown["file_policy"]),
            (&"deny".into(), &"person".into(), &"allow".into())
        );
        assert_eq!(shown["policy_set"]["agent"], Value::Null);
        assert!(shown["policy_set"]["by"].as_str().unwrap().starts_with('@'), "{shown}");
        server.script([
            Reply::calls([("memory-remember_fact", json!({"content": "the server is heron"}))]),
            Reply::text("I may not."),
        ]);
        keeper.client.say("remember");
        assert!(results(&server)[0].contains("a person denied"), "{:?}", results(&server));
        assert!(!prompt(&server).contains("\"name\":\"memory-remember_fact\",\"parameters\""));
    };
    is_denied(&keeper);
    let listed = done(&home, ["tools", "ls"]);
    let row = listed.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(row.contains("deny*"), "{listed}");
    let shown = done(&home, ["tools", "show", name]);
    assert!(
        shown.contains("deny: a person denied") && shown.contains("set for all agents by @"),
        "{shown}"
    );

    keeper.kill();
    let keeper = home.up();
    is_denied(&keeper);

    done(&home, ["tools", "reset", name]);
    let shown = tool(&keeper, "felix", name);
    assert_eq!((&shown["policy"], &shown["policy_source"]), (&"allow".into(), &"file".into()));
    server.script([
        Reply::calls([("memory-remember_fact", json!({"content": "the server is heron"}))]),
        Reply::text("Noted."),
    ]);
    keeper.client.say("remember");
    assert!(!results(&server)[0].contains("denied"), "{:?}", results(&server));
    let lines = home.ledger();
    let set = lines.iter().filter(|line| line["kind"] == "tools.policy_changed");
    let set: Vec<Value> = set.map(|line| line["data"].clone()).collect();
    assert_eq!(
        set,
        [
            json!({"tool": name, "policy": "deny", "before": null}),
            json!({"tool": name, "policy": null, "before": "deny"}),
        ]
    );
}

#[test]
fn what_the_file_denies_stays_denied_and_the_refusal_names_the_key() {
    let home = Home::new("[tools]\nallow = [\"memory.*\"]\ndeny = [\"clock.*\"]\n");
    let keeper = home.up();
    let refused = put(&keeper.client, "clock.now", &json!({"policy": "allow"}));
    assert_eq!((refused.status, refused.code().as_str()), (409, "denied_by_file"));
    assert!(refused.text.contains("`clock.*` in `tools.deny`"), "{refused:?}");
    let shown = tool(&keeper, "felix", "clock.now");
    assert_eq!((&shown["is_locked"], &shown["policy"]), (&true.into(), &"deny".into()));
    let output = home.run(["tools", "ask", "clock.now"]);
    assert!(!output.status.success() && words(&output).contains("tools.deny"), "{output:?}");
    assert!(home.ledger().iter().all(|line| line["kind"] != "tools.policy_changed"));

    // What stands in no list is denied by nobody's word: a person may allow it.
    assert_eq!(tool(&keeper, "felix", "stdout")["is_locked"], false);
    assert_eq!(put(&keeper.client, "stdout", &json!({"policy": "allow"})).status, 200);
    assert_eq!(tool(&keeper, "felix", "stdout")["policy"], "allow");
}

#[test]
fn a_setting_needs_an_administrator_a_tool_and_a_policy() {
    let home = Home::new("");
    let keeper = home.up();
    let narrow = create(&home, "narrow", &["read", "say", "approve"], &[]);
    let narrow = Client::new(keeper.address, Some(narrow));
    let deny = json!({"policy": "deny"});
    let refused = put(&narrow, "stdout", &deny);
    assert_eq!((refused.status, refused.code().as_str()), (403, "scope"), "{refused:?}");
    let unknown = put(&keeper.client, "memory.forget_fakt", &deny);
    assert_eq!(unknown.status, 404);
    assert!(unknown.text.contains("`memory.forget_fact`"), "{unknown:?}");
    assert_eq!(put(&keeper.client, "stdout", &json!({})).status, 422, "nothing is no reset");
    assert_eq!(put(&keeper.client, "stdout", &json!({"policy": "never"})).status, 422);
    let nobody = json!({"policy": "deny", "agent": "nobody"});
    assert_eq!(put(&keeper.client, "stdout", &nobody).status, 404);
    let set = put(&keeper.client, "stdout", &deny).json();
    assert_eq!(
        set,
        json!({"tool": "stdout", "agent": null, "policy": "deny", "before": null, "still_denied": []})
    );
    let undone = put(&keeper.client, "stdout", &json!({"policy": set["before"]})).json();
    assert_eq!((&undone["policy"], &undone["before"]), (&Value::Null, &"deny".into()));
}

#[test]
fn two_agents_differ_by_their_own_lists_and_by_what_is_set_for_one() {
    let home = Home::new(
        "[tools]\nallow = [\"memory.*\"]\n[[agent]]\nid = \"felix\"\n[[agent]]\nid = \"ida\"\n\
         [agent.tools]\nallow = [\"clock.*\", \"stdout\"]\ndeny = [\"stdout\"]\n",
    );
    let keeper = home.up();
    let policy =
        |agent: &str, name: &str| tool(&keeper, agent, name)["policy"].as_str().unwrap().to_owned();
    assert_eq!(
        (policy("felix", "clock.now"), policy("ida", "clock.now")),
        ("deny".into(), "allow".into())
    );
    let why = tool(&keeper, "ida", "stdout")["why_not"].as_str().unwrap().to_owned();
    assert!(why.contains("`agent.tools.deny`"), "{why}");
    let why = tool(&keeper, "ida", "memory.recall")["why_not"].as_str().unwrap().to_owned();
    assert!(why.contains("neither in `agent.tools.allow` nor in `tools.ask`"), "{why}");

    let said = done(&home, ["tools", "ask", "clock.now", "--agent", "ida"]);
    assert!(said.contains("ida alone: ask"), "{said}");
    assert_eq!(
        (policy("felix", "clock.now"), policy("ida", "clock.now")),
        ("deny".into(), "ask".into())
    );
    done(&home, ["tools", "allow", "clock.now"]);
    assert_eq!(
        (policy("felix", "clock.now"), policy("ida", "clock.now")),
        ("allow".into(), "ask".into())
    );
    let said = done(&home, ["tools", "allow", "stdout"]);
    assert!(
        said.contains("not for ida: `stdout` is denied by `stdout` in `agent.tools.deny`"),
        "{said}"
    );
    let set: Value =
        serde_json::from_str(&done(&home, ["tools", "allow", "stdout", "--json"])).unwrap();
    assert_eq!(set["still_denied"][0]["citizen"], "ida", "{set}");
    let set = put(&keeper.client, "stdout", &json!({"policy": "deny"})).json();
    assert_eq!(set["still_denied"], json!([]), "that is what is wanted");
    done(&home, ["tools", "allow", "stdout"]);
    assert_eq!(
        (policy("felix", "stdout"), policy("ida", "stdout")),
        ("allow".into(), "deny".into())
    );
    assert_eq!(
        put(&keeper.client, "stdout", &json!({"policy": "ask", "agent": "ida"})).status,
        409
    );

    let wrong = Home::new("[[agent]]\nid = \"ida\"\n[agent.tools]\nallow = [\"clok.*\"]\n");
    let started = wrong.run(["up", "--listen", "127.0.0.1:0"]);
    assert!(!started.status.success());
    assert!(words(&started).contains("agent[0].tools.allow names \"clok.*\""), "{started:?}");
}

fn write_skill(skills: &Path, about: &str) {
    let folder = skills.join("tidy-up");
    fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: tidy-up\ndescription: {about}\n---\nWe do it so: {about}.");
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

#[test]
fn an_agent_s_own_skill_is_its_alone_and_goes_before_that_of_all() {
    let server = ModelServer::start().unwrap();
    let home = home_for(
        &server,
        "[tools]\nallow = [\"skills.read\", \"files.*\", \"shell.run\"]\n[[agent]]\nid = \"felix\"\n[[agent]]\nid = \"ida\"\n",
    );
    let own = home.path().join("agents/ida/skills");
    write_skill(&home.path().join("skills"), "attic first");
    write_skill(&own, "cellar first");
    fs::create_dir_all(own.join("brew")).unwrap();
    fs::write(own.join("brew/SKILL.md"), "---\nname: brew\ndescription: Makes tea\n---\n").unwrap();
    let keeper = home.up();
    let say = |agent: &str| {
        let body = json!({"message": "where to begin?", "citizen": agent});
        assert_eq!(keeper.client.post("/start-epoch?wait=1", &body).status, 200);
    };
    let read = || Reply::calls([("skills-read", json!({"name": "tidy-up"}))]);

    server.script([read(), Reply::text("So.")]);
    say("felix");
    assert!(results(&server)[0].contains("attic first"), "{:?}", results(&server));
    assert!(!prompt(&server).contains("Makes tea") && !prompt(&server).contains("cellar first"));

    let path = "own_skills/tidy-up/SKILL.md";
    server.script([
        read(),
        Reply::calls([("files-read", json!({"path": path}))]),
        Reply::calls([("files-write", json!({"path": path, "content": "---\nname: x\n---\n"}))]),
        Reply::calls([(
            "shell-run",
            json!({"folder": "own_skills/tidy-up", "command": "cat SKILL.md; echo x > new.md"}),
        )]),
        Reply::text("So."),
    ]);
    say("ida");
    let got = results(&server);
    assert!(got[0].contains("cellar first") && got[1].contains("cellar first"), "{got:?}");
    assert!(prompt(&server).contains("Makes tea") && !prompt(&server).contains("attic first"));
    assert!(got[3].contains("cellar first") && !own.join("tidy-up/new.md").exists(), "{got:?}");
    let kept = fs::read_to_string(own.join("tidy-up/SKILL.md")).unwrap();
    assert!(kept.contains("cellar first"), "no agent writes there: {got:?}");
    drop(keeper);

    let listed = done(&home, ["skills", "ls", "--agent", "ida"]);
    assert!(listed.contains("its own") && listed.contains("brew"), "{listed}");
    assert!(listed.contains("has the same name and is used instead"), "{listed}");
    let listed = done(&home, ["skills", "ls"]);
    assert!(listed.contains("attic first") && !listed.contains("brew"), "{listed}");
    let of_all = home.path().join("skills/tidy-up").display().to_string();
    let checked = done(&home, ["skills", "check", &of_all]);
    assert!(
        checked.contains("agents/ida/skills/tidy-up in this home: has the same name"),
        "{checked}"
    );
    let checked = done(&home, ["skills", "check", &own.join("tidy-up").display().to_string()]);
    assert!(checked.contains("warning: skills/tidy-up in this home"), "{checked}");
    assert!(!checked.contains("agents/ida"), "it is no other than itself: {checked}");
}

#[test]
fn a_skill_is_added_for_one_agent_that_has_a_folder() {
    let home = Home::new("");
    let source = tempfile::tempdir().unwrap();
    write_skill(source.path(), "attic first");
    let folder = source.path().join("tidy-up").display().to_string();
    let refused = home.run(["skills", "add", &folder, "--agent", "felix"]);
    assert!(!refused.status.success() && words(&refused).contains("no folder of an agent felix"));
    assert!(!home.run(["skills", "ls", "--agent", "felix"]).status.success());
    home.up().kill();
    let said = done(&home, ["skills", "add", &folder, "--agent", "felix"]);
    assert!(said.contains("agents/felix/skills"), "{said}");
    assert!(home.path().join("agents/felix/skills/tidy-up/SKILL.md").is_file());
    assert!(!home.path().join("skills").exists());
}
