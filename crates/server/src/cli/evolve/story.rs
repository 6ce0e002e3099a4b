//! A change as a story for a person: what it is for, what happened, what was measured. Pure. Nothing of others' words begins a line
//! of ours.

use abide_domain::{Timestamp, visible_line};
use serde_json::Value;

use crate::cli::{
    json_text::{display, display_count, items, text},
    moment::relative,
    style::{Piece, Tone},
};

/// What the name of a figure's p value ends with.
const P: &str = "_p";
/// The figure that is a count.
const PAIRS: &str = "pairs";
/// How figures begin that are a share of the pairs, and no change.
const AGREEMENT: &str = "agreement";
/// Width of the names of figures.
const NAME_WIDTH: usize = 16;

/// The lines of the story; with `now` times are those that have passed since.
pub(super) fn story(change: &Value, now: Option<Timestamp>) -> Vec<Vec<Piece>> {
    let mut lines = vec![headline(change), vec![dim(text(change, "/id"))], Vec::new()];
    let reason = visible_line(text(change, "/reason")).into_owned();
    lines.push(vec![strong(text(change, "/by")), (Tone::Plain, format!(": {reason}"))]);
    let notes = items(change, "/notes").iter().filter_map(Value::as_str);
    lines.extend(notes.map(|note| vec![dim(format!("  {}", visible_line(note)))]));
    lines.push(Vec::new());
    let events = items(change, "/story").iter();
    lines.extend(events.map(|event| event_line(event, now)));
    let figures = figures(change);
    if !figures.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![dim(format!(
            "{:NAME_WIDTH$}  {:>9}  {:>9}  {}",
            "FIGURE", "EXPECTED", "MEASURED", "P"
        ))]);
        lines.extend(figures);
    }
    let diverging = items(change, "/compared").iter().filter(|pair| pair["agrees"] == false);
    let diverging = diverging.count();
    if diverging > 0 {
        lines.push(Vec::new());
        let shown = items(change, "/compared").len();
        let sentence = format!("{diverging} of {shown} pairs differ; --json has them");
        lines.push(vec![dim(sentence)]);
    }
    lines
}

/// The code of a change, or what would change of a mind.
pub(super) fn code(change: &Value) -> String {
    match text(change, "/code") {
        "" => format!("{:#}", change["change"]),
        code => code.to_owned(),
    }
}

fn headline(change: &Value) -> Vec<Piece> {
    let state = text(change, "/state");
    let share =
        change["stage_percent"].as_u64().map(|share| format!(" with {share} of 100 requests"));
    let pairs = display_count(change, "/pairs", "pair");
    // A comparison of programs goes on over its requests until enough pairs are there.
    let asked =
        change["requests"].as_u64().filter(|asked| change["pairs"].as_u64() <= Some(*asked));
    let of = asked.map(|requests| format!(" of {requests}"));
    vec![
        strong(text(change, "/citizen")),
        (Tone::Plain, format!(" · {} · ", text(change, "/target"))),
        (tone_of(state), state.replace('_', " ")),
        (Tone::Plain, share.unwrap_or_default()),
        (
            Tone::Plain,
            if change["in_force"] == true { " · in force".into() } else { String::new() },
        ),
        (Tone::Plain, format!(" · {pairs}{}", of.unwrap_or_default())),
    ]
}

fn event_line(event: &Value, now: Option<Timestamp>) -> Vec<Piece> {
    let at = text(event, "/at");
    let since = now.zip(at.parse::<Timestamp>().ok()).map(|(now, at)| relative(at, now));
    let sentence = visible_line(text(event, "/text")).into_owned();
    vec![
        dim(format!("  {}  ", since.unwrap_or_else(|| at.to_owned()))),
        dim(format!("{}  ", display(event, "/by"))),
        (Tone::Plain, sentence),
    ]
}

/// A line a figure that was expected or measured, with how likely that is without effect where it is known.
fn figures(change: &Value) -> Vec<Vec<Piece>> {
    let of = |key: &str| change[key].as_object().cloned().unwrap_or_default();
    let (expected, measured) = (of("predicted"), of("measured"));
    let all = expected.keys().chain(measured.keys());
    // How many pairs there are stands at the top.
    let mut names: Vec<&str> = all
        .map(|name| name.strip_suffix(P).unwrap_or(name))
        .filter(|name| *name != PAIRS)
        .collect();
    names.sort_unstable();
    names.dedup();
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let line = |name: &str| {
        let cell = |value: Option<f64>| match value {
            Some(share) if name.starts_with(AGREEMENT) => format!("{:.1} %", share * 100.0),
            Some(change) => format!("{:+.1} %", change * 100.0),
            None => "-".to_owned(),
        };
        let (expected, found) = (number(expected.get(name)), number(measured.get(name)));
        let p = number(measured.get(&[name, P].concat())).map(|p| format!("{p:.4}"));
        let (expected, found, p) = (cell(expected), cell(found), p.unwrap_or_default());
        let line = format!("{:NAME_WIDTH$}  {expected:>9}  {found:>9}  {p}", visible_line(name));
        vec![(Tone::Plain, line.trim_end().to_owned())]
    };
    names.into_iter().map(line).collect()
}

fn tone_of(state: &str) -> Tone {
    match state {
        "kept" | "reported" => Tone::Good,
        "rejected" | "rolled_back" | "aborted" => Tone::Bad,
        _ => Tone::Waiting,
    }
}

fn strong(text: &str) -> Piece {
    (Tone::Strong, text.to_owned())
}

fn dim(text: impl Into<String>) -> Piece {
    (Tone::Dim, text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{code, story};
    use crate::cli::style::painted;

    #[test]
    fn a_change_is_told_a_line_an_event_with_its_figures() {
        let change = json!({
            "id": "0193", "citizen": "felix", "target": "memory_system", "state": "watching", "stage_percent": 10,
            "in_force": true, "pairs": 120, "requests": 200, "by": "@ann", "reason": "quicker\n\u{202e}x", "notes": ["defines rank"],
            "predicted": {"time": -0.2}, "measured": {"time": -0.143, "time_p": 0.00312, "memory": 0.01, "agreement": 0.97, "errors_p": 1.0, "pairs": 120.0},
            "story": [{"at": "2026-11-30T08:00:00Z", "by": "@keeper", "text": "loaded: it answers 10 of 100 requests"}],
            "compared": [{"agrees": false}, {"agrees": true}], "code": "(define rank 1)", "change": {},
        });
        let lines: Vec<_> = story(&change, None).iter().map(|line| painted(line, false)).collect();
        let all = lines.join("\n");
        assert!(all.contains("felix · memory_system · watching with 10 of 100 requests · in force · 120 pairs of 200"), "{all}");
        assert!(
            all.contains("2026-11-30T08:00:00Z  @keeper  loaded: it answers 10 of 100 requests"),
            "{all}"
        );
        assert!(
            lines.iter().any(
                |line| line.starts_with("time") && line.ends_with("-20.0 %    -14.3 %  0.0031")
            ),
            "{all}"
        );
        assert!(
            lines.iter().any(|line| line.starts_with("memory") && line.ends_with("-     +1.0 %")),
            "{all}"
        );
        let ends = |name: &str, end: &str| {
            lines.iter().any(|line| line.starts_with(name) && line.ends_with(end))
        };
        assert!(
            ends("agreement", "     97.0 %") && ends("errors", "-          -  1.0000"),
            "{all}"
        );
        assert!(!ends("pairs", ""), "{all}");
        assert!(all.contains("1 of 2 pairs differ") && !all.contains('\u{202e}'), "{all}");
        assert_eq!(code(&change), "(define rank 1)");
        assert!(code(&json!({"code": "", "change": {"model": "m"}})).contains("\"model\": \"m\""));
    }
}
