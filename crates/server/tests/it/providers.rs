//! Providers as they are: reasoning that must go back, ends that are none, refusals in words of their own, calls in the text,
//! and what an attempt costs that was stopped.

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};

use crate::home::Home;

fn home_for(server: &ModelServer, more: &str) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{more}"
    ))
}

/// A stream of chat completions with these deltas and this end.
fn stream(deltas: &[Value], end: &str) -> Reply {
    let frame = |delta: &Value, end: Option<&str>| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta, "finish_reason": end}]})
        )
    };
    let mut text: String =
        deltas.iter().map(|delta| frame(delta, None)).collect::<Vec<_>>().concat();
    text.push_str(&frame(&json!({}), Some(end)));
    Reply::raw(text + "data: [DONE]\n\n")
}

/// The assistant's message with calls in the newest request.
fn returned(server: &ModelServer) -> Value {
    let request = server.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap().clone();
    messages.into_iter().find(|message| message.get("tool_calls").is_some()).unwrap()
}

#[tokio::test]
async fn reasoning_goes_back_with_the_result_of_its_call_also_after_a_kill() {
    let server = ModelServer::start().unwrap();
    let call = json!({"tool_calls": [{"index": 0, "id": "call_abc", "type": "function",
        "function": {"name": "clock-now", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "sig=="}}}]});
    server.script([
        stream(
            &[json!({"reasoning_content": "Let me "}), json!({"reasoning_content": "look."}), call],
            "tool_calls",
        ),
        Reply::silence(),
    ]);
    let home = home_for(&server, "");
    let keeper = home.up();
    keeper.client.post("/start-epoch", &json!({"message": "what time is it?"}));
    server.wait_for_requests(2).await;
    let first = returned(&server);
    assert_eq!(first["reasoning_content"], "Let me look.");
    assert_eq!(first["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "sig==");
    assert_eq!(first["tool_calls"][0]["id"], "call_abc");

    keeper.kill();
    server.script([Reply::text("Noon.")]);
    let keeper = home.up();
    keeper.client.events("/events?after=0", &[]).until("epoch.committed");
    assert_eq!(returned(&server), first, "the next keeper hands back the same");
    // A keeper that stops has done with its epochs.
    assert_eq!(keeper.stop(), Some(0));
    let ledger: String = home.ledger().iter().map(Value::to_string).collect();
    assert!(!ledger.contains("sig=="), "it is in no line of the ledger");
    let left = std::fs::read_dir(home.path().join("blobs")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "it is gone with its epoch");
}

#[test]
fn what_is_no_end_no_answer_and_no_clear_refusal_still_ends_in_an_answer() {
    let server = ModelServer::builder()
        .rule(|request| {
            let is_long = request.bytes > 30_000;
            let odd = r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"capacity of this deployment was not met"}}]"#;
            if is_long { Reply::status(400).body(odd) } else { Reply::text("A good answer.") }
        })
        .start()
        .unwrap();
    let home = home_for(&server, "");
    let keeper = home.up();
    let response = |epoch: &Value| epoch["final_response"].as_str().unwrap_or_default().to_owned();

    server.script([stream(&[json!({"content": "The heron is"})], "network_error")]);
    let epoch = keeper.client.say("what colour is the heron?");
    assert_eq!(response(&epoch), "A good answer.", "{epoch}");

    let call = "<tool_call>\n{\"name\": \"clock-now\", \"arguments\": {}}\n</tool_call>";
    server.script([stream(&[json!({"content": call})], "stop")]);
    let epoch = keeper.client.say("what time is it?");
    assert_eq!(response(&epoch), "A good answer.", "{epoch}");
    let id = epoch["epoch_id"].as_str().unwrap();
    let shown = keeper.client.read(&format!("/epochs/{id}")).to_string();
    assert!(shown.contains("clock.now") && !shown.contains("tool_call>"), "{shown}");

    let long = "The heron stands in the shallow water and waits. ".repeat(200);
    for number in 0..5 {
        let epoch = keeper.client.say(&format!("{number}. {long}"));
        assert_eq!(response(&epoch), "A good answer.", "{number}: {epoch}");
    }
    drop(keeper);
    let ledger = home.ledger();
    let failures: Vec<&str> = ledger
        .iter()
        .filter(|line| line["kind"] == "turn.failed")
        .filter_map(|line| line["data"]["code"].as_str())
        .collect();
    assert!(
        failures.contains(&"unavailable") && failures.contains(&"perhaps_too_long"),
        "{failures:?}"
    );
}

#[tokio::test]
async fn an_attempt_that_was_stopped_or_cut_costs_what_it_cost() {
    let server = ModelServer::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let prices = folder.path().join("prices.toml");
    let price = "[[price]]\nmodel = \"*\"\neffective_from = \"2020-01-01\"\ninput = 1_000_000\noutput = 2_000_000\n";
    std::fs::write(&prices, price).unwrap();
    let home = home_for(&server, &format!("price_file = {:?}\n", prices.to_str().unwrap()));
    let keeper = home.up();
    let cost = || {
        let agent = keeper.client.read("/snapshot")["agents"][0].clone();
        agent["usage_today"]["cost_microusd"].as_u64().unwrap_or_default()
    };

    server.script([Reply::text("The heron is grey and stands in the water.").silence_after(300)]);
    let mut events = keeper.client.events("/events?deltas=1", &[]);
    let epoch =
        keeper.client.post("/start-epoch", &json!({"message": "what colour is the heron?"})).json();
    let id = epoch["epoch_id"].as_str().unwrap().to_owned();
    events.until("turn.started");
    server.wait_for_requests(1).await;
    let aborted = keeper.client.post(&format!("/epochs/{id}/abort"), &json!({"reason": "enough"}));
    assert_eq!(aborted.status, 200, "{aborted:?}");
    let seen = events.until("epoch.aborted");
    let failed = seen.iter().find(|event| event.kind == "turn.failed").unwrap();
    assert_eq!(failed.data["data"]["code"], "stopped");
    let stopped = cost();
    assert!(stopped > 100, "{stopped}");

    server.script([Reply::text("The heron is grey.").cut_after(300), Reply::text("Grey.")]);
    let epoch = keeper.client.say("and now?");
    assert_eq!(epoch["final_response"], "Grey.", "{epoch}");
    let failed = keeper.client.read("/ledger?after=0&limit=500").to_string();
    assert!(failed.contains("unavailable"), "{failed}");
    let answered = cost() - stopped;
    let own = epoch["usage"]["cost_microusd"].as_u64().unwrap();
    assert_eq!(own, answered, "the epoch's cost is the day's");
    assert!(own > stopped / 2, "the cut attempt is counted: {own} after {stopped}");
}

#[test]
fn doctor_says_what_an_endpoint_can_do() {
    let server = ModelServer::builder().models(&["m"]).start().unwrap();
    let home = home_for(&server, "");
    let line = |home: &Home| {
        let text = String::from_utf8(home.run(["doctor", "--model"]).stdout).unwrap();
        text.lines().find(|line| line.contains("  model ")).unwrap().to_owned()
    };
    server.script([Reply::calls([("doctor-echo", json!({"word": "heron"}))])]);
    let good = line(&home);
    assert!(
        good.starts_with("ok ") && good.contains("calls tools") && good.contains("counts tokens"),
        "{good}"
    );
    server.script([Reply::text("heron")]);
    let silent = line(&home);
    assert!(silent.starts_with("warn ") && silent.contains("without calling"), "{silent}");
    server.script([Reply::raw("<!doctype html><title>Login</title>")]);
    let page = line(&home);
    assert!(
        page.starts_with("fail ") && page.contains("web page") && page.contains("base_url"),
        "{page}"
    );
    server.script([Reply::status(401)]);
    let key = line(&home);
    assert!(key.starts_with("fail ") && key.contains("the key"), "{key}");
    server.assert_clean();
}

#[test]
fn a_provider_is_named_and_its_key_is_missed_at_the_start() {
    let home = Home::new("[model]\nprovider = \"groq\"\nname = \"m\"\n");
    let started = home.run(["up", "--listen", "127.0.0.1:0"]);
    assert!(!started.status.success());
    let said = String::from_utf8(started.stderr).unwrap();
    assert!(said.contains("GROQ_API_KEY"), "{said}");
    let unknown = home.run(["config", "set", "model.provider", "grok"]);
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(!unknown.status.success() && said.contains("the nearest is \"groq\""), "{said}");
}

#[test]
fn the_key_of_a_known_provider_goes_to_another_address_only_where_somebody_says_so() {
    let server = ModelServer::builder().key("gsk-secret").start().unwrap();
    let url = server.base_url(FakeDialect::OpenAiChat);
    let section = format!("[model]\nprovider = \"groq\"\nbase_url = \"{url}\"\nname = \"m\"\n");
    for (named, knows_key) in [("", false), ("api_key_env = \"GROQ_API_KEY\"\n", true)] {
        server.script([Reply::text("Noon.")]);
        let home = Home::new(&format!("{section}{named}"));
        let keeper = home.up_with(&[("GROQ_API_KEY", "gsk-secret")]);
        let asked = server.requests().len();
        keeper.client.say("what time is it?");
        let requests = server.requests();
        assert!(requests.len() > asked);
        assert!(requests[asked..].iter().all(|seen| seen.auth_ok == knows_key), "{named:?}");
    }
}
