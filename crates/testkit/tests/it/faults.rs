//! What goes wrong, exactly as told.

use std::time::Duration;

use abide_testkit::{FakeDialect, ModelServer, Reply, ReplyHold};

use crate::client::{End, connect, hello, post, post_and_leave, receive, write};

#[test]
fn failures_have_each_dialects_documented_shape() {
    let server = ModelServer::start().unwrap();
    let code = "/error/code";
    let class = "/error/type";
    let cases = [
        (FakeDialect::OpenAiChat, Reply::money_out(429), 429, code, "insufficient_quota"),
        (FakeDialect::OpenAiChat, Reply::money_out(402), 402, code, "credit_balance_exhausted"),
        (FakeDialect::OpenAiChat, Reply::rate_limited(Some(7)), 429, code, "rate_limit_exceeded"),
        (
            FakeDialect::OpenAiResponses,
            Reply::context_too_long(),
            400,
            code,
            "context_length_exceeded",
        ),
        (FakeDialect::OpenAiResponses, Reply::status(401), 401, code, "invalid_api_key"),
        (FakeDialect::OpenAiChat, Reply::overloaded(), 503, class, "server_error"),
        (FakeDialect::Anthropic, Reply::overloaded(), 529, class, "overloaded_error"),
        (FakeDialect::Anthropic, Reply::money_out(402), 402, class, "billing_error"),
        (FakeDialect::Anthropic, Reply::money_out(400), 400, class, "invalid_request_error"),
        (FakeDialect::Anthropic, Reply::rate_limited(None), 429, class, "rate_limit_error"),
        (FakeDialect::Anthropic, Reply::status(413), 413, class, "request_too_large"),
        (
            FakeDialect::Ollama,
            Reply::status(500),
            500,
            "/error",
            "an internal error was encountered",
        ),
    ];
    for (dialect, reply, status, place, expected) in cases {
        server.script([reply]);
        let got = post(&server, dialect, &hello(dialect, true));
        assert_eq!(got.status, status);
        assert_eq!(got.json().pointer(place).unwrap(), expected, "{dialect:?} {status}");
    }
    server.script([Reply::rate_limited(Some(7)), Reply::status(503).body("<html>busy</html>")]);
    let dialect = FakeDialect::OpenAiChat;
    assert!(post(&server, dialect, &hello(dialect, false)).head.contains("retry-after: 7"));
    assert_eq!(post(&server, dialect, &hello(dialect, false)).body, "<html>busy</html>");
    server.assert_clean();
}

/// A reply longer than any of the breaks below.
fn long() -> Reply {
    Reply::text("many words that make a long reply ".repeat(20))
}

#[test]
fn a_reply_breaks_where_it_is_told_to() {
    let server = ModelServer::start().unwrap();
    for dialect in FakeDialect::ALL {
        let cases = [
            (long().cut_after(100), End::Cut, 200, 100),
            (long().cut_after(0), End::Cut, 200, 0),
            (Reply::reset(), End::Reset, 0, 0),
        ];
        for (reply, end, status, bytes) in cases {
            server.script([reply]);
            let got = post(&server, dialect, &hello(dialect, true));
            assert_eq!((got.end, got.status, got.body.len()), (end, status, bytes), "{dialect:?}");
        }
    }
    assert_eq!(server.hangups(), 0);
}

#[test]
fn a_silent_reply_says_nothing_more_until_the_client_leaves() {
    let server = ModelServer::start().unwrap();
    let cases = [
        (long().silence_after(100), 200, 100),
        (Reply::silence_after_head(), 200, 0),
        (Reply::silence(), 0, 0),
    ];
    for (number, (reply, status, bytes)) in cases.into_iter().enumerate() {
        server.script([reply]);
        let got =
            post_and_leave(&server, FakeDialect::Anthropic, &hello(FakeDialect::Anthropic, true));
        assert_eq!((got.end, got.status, got.body.len()), (End::Cut, status, bytes));
        assert_eq!(server.hangups(), number + 1, "the server waited, and the client left");
    }
}

#[test]
fn a_stream_can_end_in_the_dialects_error_event() {
    let server = ModelServer::start().unwrap();
    for dialect in FakeDialect::ALL {
        server.script([Reply::text("a longer text in pieces").error_event_after(2)]);
        let got = post(&server, dialect, &hello(dialect, true));
        assert_eq!(got.end, End::Whole);
        let events = got.events();
        assert_eq!(events.len(), 3, "{dialect:?}");
        let last = events.last().unwrap();
        assert!(last.get("error").is_some() || last["type"] == "error", "{dialect:?} {last}");
    }
}

#[test]
fn a_huge_reply_has_at_least_its_bytes_and_is_still_well_formed() {
    let server = ModelServer::start().unwrap();
    for stream in [false, true] {
        server.script([Reply::huge(3_000_000)]);
        let dialect = FakeDialect::Anthropic;
        let got = post(&server, dialect, &hello(dialect, stream));
        assert_eq!(got.end, End::Whole);
        assert!(got.body.len() > 3_000_000);
        assert!(!got.events().is_empty());
    }
}

#[test]
fn broken_json_is_broken() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::wrong_json(), Reply::raw("data: {\"cut\n\n")]);
    let dialect = FakeDialect::OpenAiChat;
    let got = post(&server, dialect, &hello(dialect, false));
    assert!(got.status == 200 && serde_json::from_str::<serde_json::Value>(&got.body).is_err());
    assert_eq!(post(&server, dialect, &hello(dialect, true)).body, "data: {\"cut\n\n");
}

#[tokio::test]
async fn a_held_reply_waits_for_its_gate_and_a_lost_client_is_counted() {
    let server = ModelServer::start().unwrap();
    let gate = ReplyHold::closed();
    server.script([Reply::text("one").held_by(&gate), Reply::text("two").held_by(&gate)]);
    let dialect = FakeDialect::Ollama;
    let body = hello(dialect, false).to_string();
    let mut patient = connect(&server);
    write(&mut patient, "POST", dialect.path(), &[], &body);
    server.wait_for_requests(1).await;
    let mut impatient = connect(&server);
    write(&mut impatient, "POST", dialect.path(), &[], &body);
    server.wait_for_requests(2).await;
    drop(impatient);
    server.wait_for_hangups(1).await;
    gate.open();
    assert_eq!(receive(&mut patient).json()["message"]["content"], "one");
    assert_eq!(server.hangups(), 1);
}

#[test]
fn one_connection_serves_many_requests() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::text("one"), Reply::text("two").delay(Duration::from_millis(1))]);
    let mut stream = connect(&server);
    let dialect = FakeDialect::Ollama;
    for expected in ["one", "two"] {
        write(&mut stream, "POST", dialect.path(), &[], &hello(dialect, false).to_string());
        assert_eq!(receive(&mut stream).json()["message"]["content"], expected);
    }
}
