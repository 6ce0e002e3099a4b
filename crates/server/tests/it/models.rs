//! Minds that ask a model, over real HTTP: streaming, and a keeper whose model is away.

use abide_testkit::{FakeDialect, ModelServer, Reply, ReplyHold};
use serde_json::json;

use crate::home::{Home, Keeper};

fn home_for(server: &ModelServer) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n"))
}

#[test]
fn an_answer_streams_as_it_grows_and_a_page_opened_meanwhile_sees_it() {
    let server = ModelServer::start().unwrap();
    let gate = ReplyHold::closed();
    server.script([Reply::text("The heron is grey.").held_by(&gate)]);
    let home = home_for(&server);
    let keeper = home.up();
    let mut events = keeper.client.events("/events?deltas=1", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "what colour is the heron?"}));
    events.until("turn.started");
    let agent = keeper.client.read("/snapshot")["agents"][0].clone();
    assert_eq!(
        (&agent["state"], &agent["lane"], &agent["turn"]),
        (&json!("busy"), &json!("OPEN"), &json!(1))
    );
    gate.open();
    let seen = events.until("epoch.committed");
    let said: String = seen
        .iter()
        .filter(|event| event.kind == "turn.delta")
        .map(|event| event.data["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(said, "The heron is grey.");
    assert!(seen.iter().filter(|event| event.kind == "turn.delta").all(|event| event.id.is_none()));
    let last_delta = seen.iter().rposition(|event| event.kind == "turn.delta").unwrap();
    let completed = seen.iter().position(|event| event.kind == "turn.completed").unwrap();
    assert!(last_delta < completed, "what was said comes before its end");
    server.assert_clean();
}

#[test]
fn thoughts_are_left_out_unless_they_are_asked_for() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::text("Grey.").thought("They said grey before.")]);
    let home = home_for(&server);
    let keeper = home.up();
    let epoch = keeper.client.say("what colour is the heron?");
    let id = epoch["epoch_id"].as_str().unwrap();
    let with = keeper.client.read(&format!("/epochs/{id}?thoughts=1"));
    assert_eq!(with["turns"][0]["thought"], "They said grey before.");
    let turn =
        |path: &str| keeper.client.events(path, &[]).until("turn.completed").pop().unwrap().data;
    assert_eq!(
        turn("/events?after=0&thoughts=1")["data"]["voice"]["thought"],
        "They said grey before."
    );
    assert!(!turn("/events?after=0").to_string().contains("They said"));
    let said = |path: &str| keeper.client.read(path).to_string().contains("They said");
    assert!(said("/ledger?after=0&limit=500&thoughts=1") && !said("/ledger?after=0&limit=500"));
}

#[test]
fn doctor_says_whether_the_model_is_there() {
    let server = ModelServer::builder().models(&["m"]).start().unwrap();
    let home = home_for(&server);
    let found = |home: &Home| String::from_utf8(home.run(["doctor"]).stdout).unwrap();
    let line = |text: &str| text.lines().find(|line| line.contains("  model ")).unwrap().to_owned();
    assert!(line(&found(&home)).starts_with("ok "), "{}", found(&home));
    home.run(["config", "set", "model.name", "other"]);
    assert!(line(&found(&home)).starts_with("warn "), "{}", found(&home));
    drop(server);
    assert!(line(&found(&home)).starts_with("fail "), "{}", found(&home));
}

#[test]
fn the_limit_of_an_answer_reaches_the_model_from_the_keeper_and_from_an_agent_of_its_own() {
    for mind in ["", "[[agent]]\nid = \"felix\"\nmind = \"agent\"\n"] {
        let server = ModelServer::start().unwrap();
        server.script([Reply::text("Here I am.")]);
        let url = server.base_url(FakeDialect::OpenAiChat);
        let model = format!(
            "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\nmax_output_tokens = 300\n"
        );
        let home = Home::new(&format!("{mind}{model}"));
        let keeper = home.up();
        assert_eq!(keeper.client.say("are you there?")["final_response"], "Here I am.");
        let limits: Vec<_> = server.requests().iter().map(|asked| asked.tokens_max).collect();
        assert_eq!(limits, [Some(300)], "{mind}");
    }
}

#[test]
fn an_epoch_that_failed_is_shown_and_can_be_asked_again() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::status(400), Reply::text("Here I am.")]);
    let home = home_for(&server);
    let keeper = home.up();
    let said = home.run(["say", "are you there?"]);
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(said.stdout.is_empty());
    assert!(String::from_utf8(said.stderr).unwrap().contains("the model rejected the request"));
    let matter = keeper.client.read("/attention")["items"][0].clone();
    assert_eq!(matter["kind"], "epoch_failed");
    let action = &matter["actions"][0];
    let mut events = keeper.client.events("/events", &[]);
    assert_eq!(keeper.client.post(action["path"].as_str().unwrap(), &action["body"]).status, 200);
    events.until("epoch.committed");
    assert_eq!(keeper.client.read("/attention")["items"], json!([]));
}

#[test]
fn an_epoch_that_failed_can_be_dismissed_once_and_stays_dismissed() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::status(400), Reply::status(400), Reply::text("Here I am.")]);
    let home = home_for(&server);
    let keeper = home.up();
    home.run(["say", "are you there?"]);
    home.run(["say", "and now?"]);
    let matters = keeper.client.read("/attention")["items"].clone();
    let dismiss = &matters[0]["actions"][2];
    assert_eq!(
        (&matters[1]["kind"], &dismiss["label"]),
        (&json!("epoch_failed"), &json!("Dismiss"))
    );
    let path = dismiss["path"].as_str().unwrap();
    assert_eq!(keeper.client.post(path, &dismiss["body"]).status, 204);
    let again = keeper.client.post(path, &json!({}));
    assert_eq!((again.status, again.code().as_str()), (409, "nothing_waits"));
    let left = |keeper: &Keeper| keeper.client.read("/attention")["items"].clone();
    assert_eq!(left(&keeper), json!([matters[1]]), "the other one waits on");
    let epoch = path.split('/').nth(2).unwrap().to_owned();
    let shown = keeper.client.read(&format!("/epochs/{epoch}"));
    assert_eq!(shown["state"], "aborted", "it is what it was: {shown}");
    keeper.kill();
    let keeper = home.up();
    assert_eq!(left(&keeper), json!([matters[1]]));
    let other = matters[1]["id"].as_str().unwrap().trim_start_matches("epoch:");
    assert!(home.run(["epochs", "dismiss", other]).status.success());
    assert_eq!(left(&keeper), json!([]));
    let answered = keeper.client.say("and at last?");
    let id = answered["epoch_id"].as_str().unwrap();
    let late = home.run(["epochs", "dismiss", id]);
    assert!(!late.status.success());
    assert!(String::from_utf8(late.stderr).unwrap().contains("nobody is waited for"), "{id}");
}
