//! The report of a change for people, as text or as Markdown: what was tried, every figure with its interval, then what differs. Pure.
//!
//! Words of others never begin a line of ours, and end with the line that they stand in.

use abide_domain::{visible, visible_line};
use serde_json::Value;

use crate::cli::{
    json_text::{display, format_count, items, text},
    table::{Table, clip, table},
};

/// Characters of a reply that stand in a report as text.
const REPLY_CHARS: usize = 300;
/// Divergences that a report as text shows.
const DIVERGENCES_SHOWN: usize = 10;

/// A part of a report.
pub(super) enum ReportPart {
    Heading(String),
    Line(String),
    Rows(&'static [&'static str], Vec<Vec<String>>),
    /// Words of others, under a label.
    Quote(&'static str, String),
}

/// The parts of a report, in their order.
pub(super) fn parts(report: &Value, divergences_max: usize) -> Vec<ReportPart> {
    let change = &report["evolution"];
    let line = |words: &str| ReportPart::Line(visible_line(words).into_owned());
    let mut parts = vec![ReportPart::Heading(format!(
        "{} of {}: {}",
        text(change, "/target"),
        text(change, "/citizen"),
        text(change, "/state").replace('_', " ")
    ))];
    parts.push(line(&format!("{}: {}", text(change, "/by"), text(change, "/reason"))));
    parts.extend(items(change, "/notes").iter().filter_map(Value::as_str).map(line));
    let why = text(change, "/why");
    if !why.is_empty() {
        parts.push(line(why));
    }
    let measures = items(report, "/comparison/measures");
    if !measures.is_empty() {
        parts.push(ReportPart::Heading("Figures".into()));
        let head = &["MEASURE", "NOW", "NEW", "CHANGE", "95 OF 100 WITHIN", "P", "PAIRS"];
        parts.push(ReportPart::Rows(head, measures.iter().map(measure).collect()));
    }
    parts.extend(counts(report).into_iter().map(ReportPart::Line));
    parts.extend(divergences(report, divergences_max));
    parts.push(ReportPart::Heading("How it was made".into()));
    parts.push(ReportPart::Line(origin(report)));
    parts
}

/// What is counted of all pairs, a sentence each.
fn counts(report: &Value) -> Vec<String> {
    let of = |pointer: &str| report.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let mut lines = Vec::new();
    if of("/agreement/pairs") > 0 {
        lines.push(format!(
            "{}; of {} it is known whether both answered alike, and {} did",
            format_count(of("/agreement/pairs"), "pair"),
            of("/agreement/judged"),
            of("/agreement/agreeing")
        ));
    }
    if report.pointer("/agreement/floor").is_some_and(Value::is_object) {
        lines.push(format!(
            "asked twice, the mind in force answered alike on {} of {} requests, and the candidate like it on {} of the same: no agreement \
             can be expected above that floor",
            of("/agreement/floor/agreeing"),
            of("/agreement/floor/requests"),
            of("/agreement/floor/candidate_agreeing")
        ));
    }
    if !report["judge"].is_null() {
        let unread = match of("/judge/unread") {
            0 => String::new(),
            pairs => {
                format!(
                    "; about {} it gave no answer that can be read",
                    format_count(pairs, "pair")
                )
            }
        };
        lines.push(format!(
            "the judge {} found the candidate better {} and worse {}, with {} (p = {}){unread}; that decides nothing",
            visible_line(text(report, "/trial/judge")),
            format_count(of("/judge/better"), "time"),
            format_count(of("/judge/worse"), "time"),
            format_count(of("/judge/tie"), "tie"),
            display(report, "/judge/p")
        ));
    }
    lines.extend(
        [("now", "main"), ("new", "candidate")].map(|(name, leg)| totals(name, &report[leg])),
    );
    lines.extend(spent(report));
    let power = text(report, "/power");
    lines.push(if power.is_empty() {
        "power: fewer than 20 pairs were measured, which do not say how many it takes".to_owned()
    } else {
        format!("power: {power}")
    });
    if of("/watched/pairs") > 0 {
        let live = format_count(of("/watched/pairs"), "live pair");
        lines.push(format!("{live} since it was loaded"));
    }
    lines
}

/// What one of the two did in all: tokens and dollars are those of answering each request once.
fn totals(name: &str, leg: &Value) -> String {
    let number = |key: &str| leg[key].as_u64();
    let count = |key: &str, noun: &str| format_count(number(key).unwrap_or(0), noun);
    let calls = match number("calls").unwrap_or(0) {
        1 => "1 call of a tool".to_owned(),
        calls => format!("{calls} calls of tools"),
    };
    let mut said = vec![count("errors", "error"), calls];
    said.extend(number("tokens").map(|tokens| format_count(tokens, "token")));
    let unpriced = number("unpriced").unwrap_or(0);
    match number("cost_microusd") {
        Some(cost) if unpriced > 0 => {
            let answers = format_count(unpriced, "answer");
            let cost = abide_engine::format_dollars(cost);
            said.push(format!("{cost} and what {answers} of an unknown price cost"));
        }
        Some(cost) => said.push(abide_engine::format_dollars(cost)),
        None if unpriced > 0 => said.push("no known price".to_owned()),
        None => {}
    }
    format!("{name}: {}", said.join(", "))
}

/// What the trial itself cost, where that is known: whoever is asked several times costs several times.
fn spent(report: &Value) -> Option<String> {
    let sides = [("now", "/main"), ("new", "/candidate"), ("the judge", "/judge")];
    let known: Vec<(&str, u64)> = sides
        .into_iter()
        .filter_map(|(name, side)| {
            let spent = report.pointer(&format!("{side}/spent_microusd")).and_then(Value::as_u64);
            spent.map(|spent| (name, spent))
        })
        .collect();
    let all = known.iter().fold(0_u64, |sum, (_, spent)| sum.saturating_add(*spent));
    let parts: Vec<String> = known
        .iter()
        .map(|(name, spent)| format!("{name} {}", abide_engine::format_dollars(*spent)))
        .collect();
    (all > 0).then(|| {
        format!(
            "the trial itself cost {}, each question of it counted: {}",
            abide_engine::format_dollars(all),
            parts.join(", ")
        )
    })
}

fn measure(measure: &Value) -> Vec<String> {
    let name = text(measure, "/measure");
    let number = |pointer: &str| measure.pointer(pointer).and_then(Value::as_f64);
    let percent = |pointer: &str| {
        number(pointer).map_or_else(|| "-".to_owned(), |change| format!("{:+.1} %", change * 100.0))
    };
    let value =
        |pointer: &str| number(pointer).map_or_else(|| "-".to_owned(), |it| in_unit(name, it));
    let (title, _) = unit(name);
    vec![
        title.to_owned(),
        value("/main/p50"),
        value("/candidate/p50"),
        percent("/change"),
        format!("{} to {}", percent("/interval/low"), percent("/interval/high")),
        number("/p").map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")),
        display(measure, "/pairs"),
    ]
}

/// What people call a measure, and how many of its unit are one that they read.
fn unit(name: &str) -> (&str, f64) {
    match name {
        "wall" => ("time, ms", 1e3),
        "cpu" => ("processor time, ms", 1e3),
        "memory" => ("memory, MB", 1e6),
        "cost" => ("cost, $", 1e6),
        other => (other, 1.0),
    }
}

fn in_unit(name: &str, value: f64) -> String {
    let value = value / unit(name).1;
    match value {
        value if value <= 0.0 => "0".to_owned(),
        value if value < 0.01 => format!("{value:.6}"),
        value if value < 10.0 => format!("{value:.2}"),
        value => format!("{value:.0}"),
    }
}

fn divergences(report: &Value, most: usize) -> Vec<ReportPart> {
    let all = items(report, "/divergences");
    if all.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![ReportPart::Heading("What differs".into())];
    for pair in all.iter().take(most) {
        let differs = visible_line(text(pair, "/divergence")).into_owned();
        parts.push(ReportPart::Line(format!("{}: {differs}", text(pair, "/request"))));
        for (name, leg) in [("now", &pair["main"]), ("new", &pair["candidate"])] {
            parts.push(ReportPart::Quote(name, answered(leg)));
        }
    }
    let total = report["divergences_total"].as_u64().unwrap_or(0);
    let shown = u64::try_from(all.len().min(most)).unwrap_or(u64::MAX);
    if total > shown {
        parts.push(ReportPart::Line(format!("and {} more", total - shown)));
    }
    parts
}

/// What one of the two did with a request: its figures, its calls, then what it said.
fn answered(leg: &Value) -> String {
    let mut figures = vec![format!("{} ms", leg["wall_us"].as_u64().unwrap_or(0) / 1_000)];
    figures.extend(leg["tokens"].as_u64().map(|tokens| format!("{tokens} tokens")));
    figures.extend(leg["cost_microusd"].as_u64().map(abide_engine::format_dollars));
    let calls: Vec<&str> = items(leg, "/calls").iter().filter_map(Value::as_str).collect();
    let calls = if calls.is_empty() { String::new() } else { format!(" [{}]", calls.join(", ")) };
    let said = match text(leg, "/error") {
        "" => text(leg, "/answer").to_owned(),
        error => format!("error: {error}"),
    };
    format!("({}){calls} {said}", figures.join(", ")).trim_end().to_owned()
}

fn origin(report: &Value) -> String {
    let seed = match text(report, "/seed") {
        "" => "no trial yet".to_owned(),
        seed => format!("seed {seed}, attempt {}", display(report, "/evolution/attempt")),
    };
    let events = items(report, "/evolution/events");
    let lines = match (events.first(), events.last()) {
        (Some(first), Some(last)) => format!("lines {first} to {last} of the ledger"),
        _ => "no line of the ledger".to_owned(),
    };
    let form = report.pointer("/comparison/version").map(|form| format!(" and {form}"));
    format!(
        "from {lines}; {seed}; form {}{}; change {}",
        display(report, "/version"),
        form.unwrap_or_default(),
        text(report, "/evolution/id")
    )
}

/// A report as Markdown. Words of others are quoted line by line.
pub(super) fn markdown(report: &Value) -> String {
    let mut out = String::new();
    let mut push = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    for (place, part) in parts(report, usize::MAX).iter().enumerate() {
        match part {
            ReportPart::Heading(words) => {
                if place > 0 {
                    push("");
                }
                push(&format!("{} {words}", if place == 0 { "#" } else { "##" }));
                push("");
            }
            ReportPart::Line(words) => push(&format!("- {}", words.replace('<', "&lt;"))),
            ReportPart::Rows(head, rows) => {
                push(&format!("| {} |", head.join(" | ")));
                push(&format!("|{}", "---|".repeat(head.len())));
                for row in rows {
                    push(&format!("| {} |", row.join(" | ")));
                }
                push("");
            }
            ReportPart::Quote(name, words) => {
                let words = visible(words).replace('<', "&lt;");
                push(&format!("  > **{name}** {}", words.replace('\n', "\n  > ")));
                push("");
            }
        }
    }
    out
}

/// A report as text, a piece at a time: lines, and tables.
pub(super) fn plain(report: &Value, mut line: impl FnMut(PlainPart) -> PlainResult) -> PlainResult {
    for (place, part) in parts(report, DIVERGENCES_SHOWN).into_iter().enumerate() {
        match part {
            ReportPart::Heading(words) if place == 0 => line(PlainPart::Line(words))?,
            ReportPart::Heading(words) => line(PlainPart::Line(format!("\n{words}")))?,
            ReportPart::Line(words) => line(PlainPart::Line(words))?,
            ReportPart::Rows(head, rows) => line(PlainPart::Table(table(head, &rows)))?,
            ReportPart::Quote(name, words) => {
                let words = visible(&words).replace('\n', " ");
                line(PlainPart::Line(format!("  {name}  {}", clip(&words, REPLY_CHARS))))?;
            }
        }
    }
    Ok(())
}

/// A piece of a report as text.
pub(super) enum PlainPart {
    Line(String),
    Table(Table),
}

type PlainResult = Result<(), crate::cli::error::CliError>;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PlainPart, markdown, plain};

    fn report() -> Value {
        json!({
            "version": 1, "seed": "7", "power": null,
            "evolution": {
                "id": "0193", "citizen": "felix", "target": "mind", "state": "reported", "by": "@ann", "reason": "is it better?",
                "notes": ["model new against model old"], "why": "not enough was measured", "attempt": 1, "events": [4, 9],
            },
            "comparison": {"version": 1, "measures": [{
                "measure": "wall", "pairs": 40, "main": {"p50": 200_000.0}, "candidate": {"p50": 100_000.0}, "change": -0.5,
                "interval": {"low": -0.6, "high": -0.4}, "p": 0.000_2,
            }]},
            "agreement": {"pairs": 40, "judged": 40, "agreeing": 39, "floor": {"requests": 10, "agreeing": 9, "candidate_agreeing": 8}},
            "judge": {"better": 3, "worse": 1, "tie": 36, "unread": 2, "spent_microusd": 300, "p": 0.625}, "trial": {"judge": "j"},
            "main": {"errors": 0, "calls": 2, "tokens": 900, "unpriced": 0, "cost_microusd": 600, "spent_microusd": 1_200},
            "candidate": {"errors": 1, "calls": 1, "tokens": 50, "unpriced": 1, "cost_microusd": null, "spent_microusd": null}, "watched": {"pairs": 0},
            "divergences": [{
                "request": "e1", "divergence": "it declines", "main": {"wall_us": 2_000, "calls": ["a.b"], "answer": "Yes.\n# No heading"},
                "candidate": {"wall_us": 1_000, "answer": "I can't <b>."},
            }],
            "divergences_total": 3,
        })
    }

    #[test]
    fn a_report_tells_each_figure_with_its_interval_and_quotes_both_replies() {
        let text = markdown(&report());
        for said in [
            "# mind of felix: reported",
            "| time, ms | 200 | 100 | -50.0 % | -60.0 % to -40.0 % | 0.0002 | 40 |",
            "answered alike on 9 of 10 requests",
            "better 3 times and worse 1 time, with 36 ties (p = 0.625); about 2 pairs it gave no answer that can be read; that decides nothing",
            "- now: 0 errors, 2 calls of tools, 900 tokens, $0.0006",
            "- new: 1 error, 1 call of a tool, 50 tokens, no known price",
            "- the trial itself cost $0.0015, each question of it counted: now $0.0012, the judge $0.0003",
            "- e1: it declines",
            "  > **now** (2 ms) [a.b] Yes.\n  > # No heading",
            "I can't &lt;b>.",
            "and 2 more",
            "from lines 4 to 9 of the ledger; seed 7, attempt 1; form 1 and 1; change 0193",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert_eq!(text, markdown(&report()));
    }

    #[test]
    fn as_text_a_reply_is_one_line() {
        let mut lines = Vec::new();
        plain(&report(), |part| {
            if let PlainPart::Line(line) = part {
                lines.push(line);
            }
            Ok(())
        })
        .unwrap();
        assert!(lines.contains(&"  now  (2 ms) [a.b] Yes. # No heading".to_owned()), "{lines:?}");
    }
}
