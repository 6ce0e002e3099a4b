//! An epoch as a story for a person at a terminal: what was asked, what the mind did, how it ended, what it cost. Pure.

use std::time::Duration;

use abide_domain::Timestamp;
use abide_engine::format_dollars;
use serde_json::Value;

use crate::cli::{
    json_text::{display, format_count, items, text},
    moment::{length, relative},
    style::{Piece, Tone},
    table::clip,
};

/// Longest arguments of a call that are shown, in characters.
const ARGUMENTS_MAX: usize = 200;
/// Lines of a call's result that are shown, and characters of each.
const RESULT_LINES: usize = 4;
const RESULT_CHARS: usize = 160;

/// The lines of the story.
pub(crate) fn tell(epoch: &Value, now: Timestamp) -> Vec<Vec<Piece>> {
    let mut lines = vec![headline(epoch, now), vec![dim(text(epoch, "/epoch_id"))], Vec::new()];
    lines.push(vec![
        strong(text(epoch, "/stimulus/sender")),
        dim(format!(
            " on {}, session {}",
            text(epoch, "/stimulus/channel"),
            text(epoch, "/session_id")
        )),
    ]);
    lines.extend(indented(text(epoch, "/stimulus/content"), Tone::Plain));
    for turn in items(epoch, "/turns") {
        lines.push(Vec::new());
        lines.extend(tell_turn(turn));
    }
    lines.push(Vec::new());
    lines.extend(ending(epoch));
    if let Some(shown) = epoch.get("context").filter(|shown| !shown.is_null()) {
        lines.push(Vec::new());
        lines.extend(tell_context(shown));
    }
    lines.push(Vec::new());
    lines.push(vec![dim(costs(epoch))]);
    // Texts of several lines were taken apart above: a line end that is left would begin a line of ours.
    for (_, text) in lines.iter_mut().flatten() {
        *text = text.replace('\n', " ");
    }
    lines
}

/// Who, how it stands, when, and how long it took.
fn headline(epoch: &Value, now: Timestamp) -> Vec<Piece> {
    let state = text(epoch, "/state");
    let mut pieces = vec![
        strong(text(epoch, "/citizen")),
        (Tone::Plain, " · ".to_owned()),
        (Tone::of_state(state), state.to_owned()),
    ];
    let time = |pointer: &str| text(epoch, pointer).parse::<Timestamp>().ok();
    let (sent, opened, ended) =
        (time("/stimulus/timestamp"), time("/opened_at"), time("/ended_at"));
    if let Some(at) = ended.or(opened).or(sent) {
        pieces.push((Tone::Plain, format!(" · {}", relative(at, now))));
    }
    if let (Some(opened), Some(ended)) = (opened, ended) {
        pieces.push((Tone::Plain, format!(", took {}", length(ended.since(opened)))));
    }
    let waited = sent.zip(opened).map(|(sent, opened)| opened.since(sent));
    if let Some(waited) = waited.filter(|waited| *waited >= Duration::from_secs(1)) {
        pieces.push((Tone::Plain, format!(" after {} in the queue", length(waited))));
    }
    pieces
}

fn tell_turn(turn: &Value) -> Vec<Vec<Piece>> {
    let mut lines = vec![vec![
        strong(format!("turn {}", display(turn, "/turn"))),
        dim(match text(turn, "/emotive_state") {
            "" => String::new(),
            felt => format!(" · {felt}"),
        }),
    ]];
    lines.extend(indented(text(turn, "/thought"), Tone::Dim));
    for call in items(turn, "/tool_calls") {
        lines.extend(tell_call(call));
    }
    lines
}

fn tell_call(call: &Value) -> Vec<Vec<Piece>> {
    let (outcome, effect) = (text(call, "/outcome"), text(call, "/effect"));
    let tone = match outcome {
        "ok" => Tone::Good,
        "" => Tone::Waiting,
        _ => Tone::Bad,
    };
    let outcome = if outcome.is_empty() { "not ended" } else { outcome };
    let took = call.pointer("/duration_ms").and_then(Value::as_u64).map(Duration::from_millis);
    let took = took.map(|took| format!(" in {}", length(took))).unwrap_or_default();
    let effect = if effect.is_empty() { String::new() } else { format!(" ({effect})") };
    let arguments = one_line(&display(call, "/arguments"), ARGUMENTS_MAX);
    let mut lines = vec![
        vec![
            (Tone::Plain, "  → ".to_owned()),
            (Tone::Code, text(call, "/name").to_owned()),
            dim(format!(" {arguments}{effect}")),
        ],
        vec![(tone, format!("    {outcome}")), dim(took)],
    ];
    let result = [text(call, "/content"), text(call, "/note")].concat();
    let mut result_lines = result.lines();
    for line in result_lines.by_ref().take(RESULT_LINES) {
        lines.push(vec![dim(format!("    {}", clip(line, RESULT_CHARS)))]);
    }
    match result_lines.count() {
        0 => {}
        more => lines.push(vec![dim(format!("    … {} more", format_count(more as u64, "line")))]),
    }
    lines
}

fn ending(epoch: &Value) -> Vec<Vec<Piece>> {
    match text(epoch, "/state") {
        "committed" => {
            let mut lines = vec![vec![strong(text(epoch, "/citizen"))]];
            lines.extend(indented(text(epoch, "/final_response"), Tone::Plain));
            lines
        }
        "aborted" => vec![vec![
            (Tone::Bad, format!("ended without a reply ({})", text(epoch, "/abort/code"))),
            (Tone::Plain, format!(": {}", text(epoch, "/abort/message"))),
        ]],
        "queued" => vec![vec![dim("waits in the queue".to_owned())]],
        _ => vec![vec![dim("is being worked on".to_owned())]],
    }
}

/// What the mind was shown.
fn tell_context(shown: &Value) -> Vec<Vec<Piece>> {
    let verified = if shown["verified"] == true {
        (Tone::Good, "byte for byte what its digest says".to_owned())
    } else {
        (Tone::Bad, format!("not proven: {}", text(shown, "/reason")))
    };
    let mut lines =
        vec![vec![strong("what the mind was shown"), (Tone::Plain, ", ".to_owned()), verified]];
    lines.extend(indented(text(shown, "/system"), Tone::Plain));
    for exchange in items(shown, "/history") {
        lines.push(vec![dim(format!(
            "  {}, {}",
            text(exchange, "/sender"),
            text(exchange, "/sent_at")
        ))]);
        lines.extend(indented(text(exchange, "/stimulus"), Tone::Plain));
        lines.push(vec![dim("  its reply".to_owned())]);
        lines.extend(indented(text(exchange, "/reply"), Tone::Plain));
    }
    lines.push(vec![dim("  the stimulus".to_owned())]);
    lines.extend(indented(text(shown, "/stimulus"), Tone::Plain));
    lines
}

fn costs(epoch: &Value) -> String {
    let tokens = |pointer: &str| epoch.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let price = match epoch.pointer("/usage/cost_microusd").and_then(Value::as_u64) {
        Some(microusd) => format!(", {}", format_dollars(microusd)),
        None => ", price unknown".to_owned(),
    };
    format!(
        "{} tokens read, {} written{price} · events {} to {} of the ledger",
        tokens("/usage/input_tokens"),
        tokens("/usage/output_tokens"),
        display(epoch, "/seq/0"),
        display(epoch, "/seq/1"),
    )
}

fn one_line(text: &str, chars_max: usize) -> String {
    clip(&text.replace(['\n', '\t'], " "), chars_max)
}

fn indented(text: &str, tone: Tone) -> Vec<Vec<Piece>> {
    text.lines().map(|line| vec![(tone, format!("  {line}"))]).collect()
}

fn strong(text: impl Into<String>) -> Piece {
    (Tone::Strong, text.into())
}

fn dim(text: impl Into<String>) -> Piece {
    (Tone::Dim, text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::tell;
    use crate::cli::style::painted;

    fn text_of(epoch: &serde_json::Value) -> Vec<String> {
        let now = "2026-11-29T16:30:00Z".parse().unwrap();
        tell(epoch, now).iter().map(|line| painted(line, false).trim_end().to_owned()).collect()
    }

    #[test]
    fn an_epoch_is_told_from_the_question_to_the_cost() {
        let epoch = json!({
            "epoch_id": "0193e0f0", "citizen": "felix", "session_id": "direct:ann", "state": "committed",
            "stimulus": {"content": "when does\nthe harbour open?", "sender": "ann", "channel": "direct", "timestamp": "2026-11-29T16:24:50Z"},
            "final_response": "At six.", "abort": null,
            "turns": [
                {"turn": 1, "emotive_state": "curious", "thought": "I look.", "tool_calls": [
                    {"call_id": "c", "name": "clock.now", "arguments": {"zone": "UTC"}, "effect": "read", "outcome": "ok",
                        "ethereal": false, "duration_ms": 12, "content": "1\n2\n3\n4\n5\n6"},
                    {"call_id": "d", "name": "probe.append", "arguments": {}, "effect": "world", "outcome": "failed",
                        "ethereal": true, "duration_ms": null, "note": "gone"}]},
                {"turn": 2, "emotive_state": "", "tool_calls": []},
            ],
            "usage": {"input_tokens": 1234, "output_tokens": 56, "cost_microusd": 1_200},
            "opened_at": "2026-11-29T16:24:56Z", "ended_at": "2026-11-29T16:25:00Z", "seq": [12, 31],
        });
        assert_eq!(
            text_of(&epoch),
            [
                "felix · committed · 5 min ago, took 4.0 s after 6.0 s in the queue",
                "0193e0f0",
                "",
                "ann on direct, session direct:ann",
                "  when does",
                "  the harbour open?",
                "",
                "turn 1 · curious",
                "  I look.",
                "  → clock.now {\"zone\":\"UTC\"} (read)",
                "    ok in 12 ms",
                "    1",
                "    2",
                "    3",
                "    4",
                "    … 2 lines more",
                "  → probe.append {} (world)",
                "    failed",
                "    gone",
                "",
                "turn 2",
                "",
                "felix",
                "  At six.",
                "",
                "1234 tokens read, 56 written, $0.0012 · events 12 to 31 of the ledger",
            ]
        );
    }

    #[test]
    fn one_without_a_reply_says_why_and_the_words_of_others_make_no_line_of_ours() {
        let epoch = json!({
            "epoch_id": "e", "citizen": "felix", "session_id": "s\u{1b}[2J", "state": "aborted",
            "stimulus": {"content": "x\u{202e}y", "sender": "ann", "channel": "api", "timestamp": "2026-11-29T16:30:00Z"},
            "abort": {"code": "cancelled", "message": "not now\u{7}\nfelix"}, "turns": [],
            "usage": {"input_tokens": 0, "output_tokens": 0, "cost_microusd": null},
            "opened_at": null, "ended_at": "2026-11-29T16:30:00Z", "seq": [1, 2],
        });
        let text = text_of(&epoch).join("\n");
        assert!(text.starts_with("felix · aborted · just now\n"), "{text}");
        assert!(text.contains("  x⟦U+202E⟧y\n") && text.contains("s⟦U+001B⟧[2J"), "{text}");
        assert!(
            text.contains("ended without a reply (cancelled): not now⟦U+0007⟧ felix"),
            "{text}"
        );
        assert!(text.ends_with("price unknown · events 1 to 2 of the ledger"), "{text}");
    }
}
