//! Stimuli in, epochs out.

use abide_testkit::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::{home::Home, process::scene::thinking_with};

fn envelope(content: &str) -> Value {
    json!({
        "stimulus": {"content": content, "sender": "nicolas", "channel": "telegram", "timestamp": "2024-11-20T16:30:00Z"},
        "last_driver_output": {"content": null, "timestamp": null},
        "citizen": "felix",
        "session_id": "telegram_1",
    })
}

#[test]
fn a_message_becomes_a_committed_epoch_that_can_be_read_back() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the staging server is called heron");
    let epoch = keeper.client.say("what is the staging server called?");
    assert_eq!(epoch["state"], "committed");
    assert!(epoch["final_response"].as_str().unwrap().contains("heron"), "{epoch}");
    assert_eq!(epoch["citizen"], "felix");
    assert_eq!(epoch["session_id"], "api:user");
    assert_eq!(epoch["stimulus"]["channel"], "api");
    assert_eq!(epoch["abort"], Value::Null);
    let call = &epoch["turns"][0]["tool_calls"][0];
    assert_eq!(
        (&call["name"], &call["effect"], &call["outcome"]),
        (&json!("memory.search_facts"), &json!("read"), &json!("ok"))
    );
    assert!(call["content"].is_string() && call["ethereal"] == false, "{call}");
    assert!(epoch["turns"][0].get("thought").is_none());
    let id = epoch["epoch_id"].as_str().unwrap();
    assert_eq!(keeper.client.read(&format!("/epochs/{id}")), epoch);
    let with = keeper.client.read(&format!("/epochs/{id}?thoughts=1&context=1"));
    assert!(with["turns"][0]["thought"].is_string());
    assert_eq!(with["context"]["verified"], true, "{}", with["context"]);
    assert_eq!(with["context"]["history"].as_array().unwrap().len(), 1);
    let lines = home.ledger();
    let own: Vec<_> = lines.iter().filter(|line| line["epoch"] == id).collect();
    assert_eq!(own.first().unwrap()["seq"], epoch["seq"][0]);
    assert_eq!(own.last().unwrap()["seq"], epoch["seq"][1]);
}

#[test]
fn the_context_of_an_epoch_shows_every_part_that_the_model_was_sent() {
    let server = ModelServer::builder().rule(|_| Reply::text("Noted.")).start().unwrap();
    let home = Home::new(&thinking_with(&server, &["felix"]));
    let keeper = home.up();
    keeper.client.say("Always answer in French.");
    let epoch = keeper.client.say("The heron is grey. Is the heron due tomorrow?");
    let id = epoch["epoch_id"].as_str().unwrap();
    let context = keeper.client.read(&format!("/epochs/{id}?context=1"))["context"].clone();
    let sent = server.requests().pop().unwrap();
    assert_eq!((&context["verified"], &context["tools_verified"]), (&json!(true), &json!(true)));
    let parts = context["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part["part"].as_str().unwrap()).collect();
    let sections = std::iter::repeat_n("section", 7);
    let expected = ["tools", "identity", "rules", "wishes", "history", "moment"].into_iter();
    assert_eq!(names, expected.chain(sections).chain(["message"]).collect::<Vec<_>>());
    // What was sent is the parts, and nothing beside them.
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts = |wanted: &[&str]| {
        let wanted = parts.iter().filter(|part| wanted.contains(&part["part"].as_str().unwrap()));
        let texts: Vec<&str> = wanted.map(|part| part["text"].as_str().unwrap()).collect();
        squeezed(&texts.join("\n"))
    };
    assert_eq!(squeezed(&sent.system), texts(&["identity", "rules", "wishes"]));
    let newest = sent.messages.last().unwrap();
    assert_eq!(squeezed(&newest.text), texts(&["moment", "section", "message"]));
    assert_eq!(sent.messages.len(), 3, "one exchange, the message: {sent:?}");
    let history = &context["history"][0];
    assert!(sent.messages[0].text.ends_with(history["stimulus"].as_str().unwrap()), "{sent:?}");
    assert_eq!(sent.messages[1].text, history["reply"]);
    let told: Vec<Value> =
        sent.tools.iter().map(|tool| json!([tool.description, tool.parameters])).collect();
    let shown = context["tools"].as_array().unwrap().iter();
    let shown: Vec<Value> =
        shown.map(|tool| json!([tool["description"], tool["parameters"]])).collect();
    assert_eq!(told, shown);
    // And the sizes are those of what was sent.
    let chars = |part: &Value| usize::try_from(part["chars"].as_u64().unwrap()).unwrap();
    let all: usize = parts.iter().map(chars).sum();
    let tools = sent.tools.iter().map(|tool| {
        tool.name.len()
            + tool.description.chars().count()
            + tool.parameters.to_string().chars().count()
    });
    let texts = sent.messages.iter().map(|message| message.text.chars().count());
    let sum: usize = tools.chain(texts).chain([sent.system.chars().count()]).sum();
    assert!(all.abs_diff(sum) <= 40, "{all} of {sum} characters");
    assert!(parts.iter().all(|part| part["tokens"].as_u64().unwrap() > 0), "{parts:?}");
    // What changes stands behind what stays.
    let whole = sent.body.to_string();
    assert!(whole.find("Standing wishes of user") < whole.find("What you know at this moment"));
}

#[test]
fn both_forms_are_taken_and_every_violation_is_told_at_once() {
    let home = Home::new("");
    let keeper = home.up();
    let accepted = keeper.client.post("/start-epoch", &envelope("hello"));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let body = accepted.json();
    assert!(body["seq"].as_u64().unwrap() > 0 && body["epoch_id"].is_string(), "{body}");
    assert!(["queued", "open"].contains(&body["state"].as_str().unwrap()));

    let mut both = envelope("hello");
    both["message"] = "hello".into();
    assert_eq!(keeper.client.post("/start-epoch", &both).status, 422, "both forms at once");

    let mut broken = envelope(" ");
    broken["stimulus"]["channel"] = "pigeon".into();
    broken["stimulus"]["timestamp"] = "yesterday".into();
    broken["citizen"] = "nobody".into();
    broken["extra"] = 1.into();
    let refused = keeper.client.post("/start-epoch", &broken);
    assert_eq!(refused.status, 422);
    let error = &refused.json()["error"];
    let paths: Vec<_> = error["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["path"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        paths,
        ["stimulus.content", "stimulus.channel", "stimulus.timestamp", "citizen", "extra"]
    );
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("Invalid stimulus envelope: stimulus.content: ")
    );

    let short = json!({"message": "", "sender": "not valid!", "channel": "x", "interactive": "yes", "mesage": 1});
    let refused = keeper.client.post("/start-epoch", &short).json();
    let details = refused["error"]["details"].as_array().unwrap();
    let mut paths: Vec<_> = details.iter().map(|d| d["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        ["channel", "interactive", "mesage", "message", "sender"],
        "in the caller's own words"
    );
    for body in [json!([]), json!({}), json!("hi")] {
        assert_eq!(keeper.client.post("/start-epoch", &body).status, 422, "{body}");
    }
}

#[test]
fn with_several_agents_the_citizen_must_be_named() {
    let home = Home::new("[[agent]]\nid = \"ada\"\n[[agent]]\nid = \"bob\"\n");
    let keeper = home.up();
    let unnamed = keeper.client.post("/start-epoch", &json!({"message": "hi"}));
    assert_eq!(unnamed.status, 400);
    assert!(unnamed.text.contains("ada, bob"), "{unnamed:?}");
    assert_eq!(keeper.client.get("/identity").status, 400);
    assert_eq!(keeper.client.get("/identity?citizen=BOB").status, 200, "ids do not depend on case");
    let named =
        keeper.client.post("/start-epoch?wait=1", &json!({"message": "hi", "citizen": "ada"}));
    assert_eq!(named.json()["citizen"], "ada");
    let of = |citizen: &str| {
        keeper.client.read(&format!("/epochs?citizen={citizen}"))["items"].as_array().unwrap().len()
    };
    assert_eq!((of("ada"), of("bob")), (1, 0));
    assert_eq!(keeper.client.read("/agents")["items"].as_array().unwrap().len(), 2);
}

#[test]
fn an_idempotency_key_answers_once_and_refuses_another_body() {
    let home = Home::new("");
    let keeper = home.up();
    let send = |client: &crate::client::Client, body: &str, key: &str| {
        client.send(
            "POST",
            "/start-epoch",
            &[("content-type", "application/json"), ("idempotency-key", key)],
            body,
        )
    };
    let first = send(&keeper.client, r#"{"message":"once"}"#, "k1").json();
    let second = send(&keeper.client, r#"{"message":"once"}"#, "k1").json();
    assert_eq!((&first["epoch_id"], &first["seq"]), (&second["epoch_id"], &second["seq"]));
    let other = send(&keeper.client, r#"{"message":"twice"}"#, "k1");
    assert_eq!((other.status, other.code().as_str()), (409, "key_reused"));
    assert_eq!(other.json()["error"]["epoch_id"], first["epoch_id"]);
    assert_eq!(send(&keeper.client, r#"{"message":"once"}"#, &"k".repeat(129)).status, 400);
    keeper.kill();
    let keeper = home.up();
    let third = send(&keeper.client, r#"{"message":"once"}"#, "k1").json();
    assert_eq!(third["epoch_id"], first["epoch_id"], "a key lives as long as the ledger");
    let accepted = home.ledger().iter().filter(|line| line["kind"] == "stimulus.accepted").count();
    assert_eq!(accepted, 1);
}

#[test]
fn lists_are_paged_to_the_end_the_newest_first() {
    let home = Home::new("");
    let keeper = home.up();
    let ids: Vec<Value> =
        (0..7).map(|n| keeper.client.say(&format!("hi {n}"))["epoch_id"].clone()).collect();
    let mut seen = Vec::new();
    let mut path = "/epochs?limit=3".to_owned();
    loop {
        let page = keeper.client.read(&path);
        seen.extend(
            page["items"].as_array().unwrap().iter().map(|epoch| epoch["epoch_id"].clone()),
        );
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/epochs?limit=3&cursor={next}");
    }
    let newest_first: Vec<Value> = ids.into_iter().rev().collect();
    assert_eq!(seen, newest_first);
}

#[test]
fn an_ended_epoch_cannot_be_aborted_and_any_can_be_forked() {
    let home = Home::new("");
    let keeper = home.up();
    let epoch = keeper.client.say("remember that the heron is grey");
    let id = epoch["epoch_id"].as_str().unwrap();
    let abort = keeper.client.post(&format!("/epochs/{id}/abort"), &json!({"reason": "late"}));
    assert_eq!((abort.status, abort.code().as_str()), (409, "ended"));
    let fork = keeper
        .client
        .post(&format!("/epochs/{id}/fork"), &json!({"message": "what colour is the heron?"}));
    assert_eq!(fork.status, 200, "{fork:?}");
    let forked = fork.json()["epoch_id"].as_str().unwrap().to_owned();
    let mut events = keeper.client.events("/events?after=0", &[]);
    while events.next().unwrap().data["epoch"] != json!(forked) {}
    events.until("epoch.committed");
    let forked = keeper.client.read(&format!("/epochs/{forked}"));
    assert_eq!(forked["session_id"], epoch["session_id"]);
    assert!(forked["final_response"].as_str().unwrap().contains("grey"), "{forked}");
    let long = json!({"message": "x".repeat(10_001)});
    assert_eq!(keeper.client.post(&format!("/epochs/{id}/fork"), &long).status, 422);
}

#[test]
fn a_full_queue_answers_429_and_says_when_to_come_back() {
    let home = Home::new("[limits]\nqueue = 2\n");
    let keeper = home.up();
    keeper.client.post("/agents/felix/park", &json!({}));
    let send = || keeper.client.post("/start-epoch", &json!({"message": "hi"}));
    assert_eq!((send().status, send().status), (202, 202));
    let full = send();
    assert_eq!((full.status, full.code().as_str()), (429, "queue_full"));
    assert!(full.header("retry-after").parse::<u32>().is_ok(), "{full:?}");
    assert_eq!(keeper.client.read("/agents/felix")["queue"], 2);
}

#[test]
fn a_busy_agent_answers_423_to_those_who_will_not_queue() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n");
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let asked = keeper
        .client
        .post("/start-epoch", &json!({"message": "\\tool clock.now {}", "interactive": true}));
    events.until("approval.requested");
    let busy = keeper.client.post("/start-epoch?if_idle=1", &json!({"message": "hi"}));
    assert_eq!((busy.status, busy.code().as_str()), (423, "busy"));
    let queued = keeper.client.post("/start-epoch", &json!({"message": "hi"})).json();
    assert_eq!(queued["state"], "queued");
    let snapshot = keeper.client.read("/snapshot");
    let agent = &snapshot["agents"][0];
    assert_eq!(
        (&agent["lane"], &agent["state"], &agent["queue"]),
        (&json!("EXECUTING"), &json!("waiting_approval"), &json!(1))
    );
    let id = asked.json()["epoch_id"].as_str().unwrap().to_owned();
    let aborted =
        keeper.client.post(&format!("/epochs/{id}/abort"), &json!({"reason": "enough"})).json();
    assert_eq!(
        (&aborted["state"], &aborted["abort"]),
        (&json!("aborted"), &json!({"code": "cancelled", "message": "enough"}))
    );
    events.until("epoch.committed");
}
