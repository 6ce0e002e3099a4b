//! A model that is asked to distil days: credulous, so that whatever should not become a fact is offered as one.

use serde_json::{Value, json};

use super::super::{Reply, SeenRequest};

/// What every question of a sleeping agent begins with.
const OPENING: &str = "You distil the recent exchanges of the agent";
/// How statements begin that look like facts.
const STATEMENTS: &[&str] = &[
    "i live in ",
    "my name is ",
    "i prefer ",
    "i work at ",
    "i'm allergic to ",
    "my birthday is ",
    "my timezone is ",
    "my favourite ",
    "we use ",
    "we decided to ",
    "the deadline ",
    "the gate code is ",
];
/// How they end.
const STATES: &[&str] =
    &[" is down", " is deprecated", " is retired", " is broken", " is down since Monday"];

/// Answers the questions of a sleeping agent, and everything else by another rule. Every statement of the material becomes a
/// fact, whoever made it: the person, the agent, a quotation, a report.
pub fn sleeping(
    awake: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static,
) -> impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static {
    move |request| {
        let answer = match asked_step(request) {
            Some("facts") => json!({"facts": facts(request.user_text())}),
            Some("identity") => json!({"identity": identity(request.user_text())}),
            Some(_) => json!({"dream": dream(request.user_text())}),
            None => return awake(request),
        };
        Reply::text(answer.to_string()).in_form_of(request)
    }
}

/// The step that a sleeping agent asks about: `facts`, `identity` or `dream`; none where it is awake.
pub fn asked_step(request: &SeenRequest) -> Option<&'static str> {
    let is_asleep = request.system.contains(OPENING);
    let steps = ["facts", "identity", "dream"];
    steps.into_iter().find(|step| is_asleep && request.system.contains(&format!("Step: {step}.")))
}

/// Every statement, with the number of the exchange that it stands in.
fn facts(material: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let (mut number, mut sender) = (0, "");
    for line in material.lines() {
        if let Some((n, who)) = exchange(line) {
            (number, sender) = (n, who);
        }
        for sentence in line.split(['.', '?', '!', '-']).map(str::trim) {
            let lower = sentence.to_lowercase();
            let is_statement = STATEMENTS.iter().any(|begin| lower.contains(begin))
                || STATES.iter().any(|end| sentence.ends_with(end));
            if is_statement && number > 0 {
                let category = if lower.starts_with('i') || lower.starts_with("my") {
                    "user"
                } else {
                    "project"
                };
                found.push(json!({
                    "content": format!("{sender}: {sentence}"),
                    "category": category,
                    "tags": ["said"],
                    "confidence": 0.9,
                    "sources": [number],
                    "subject": null, "attribute": null, "replaces": null,
                }));
            }
        }
    }
    found
}

/// `[3] nicolas over direct, 2026-11-27 22:10:`
fn exchange(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (sender, _) = rest.split_once(" over ")?;
    Some((number.parse().ok()?, sender))
}

/// The document with one sentence more, naming who spoke; null where nobody new did.
fn identity(material: &str) -> Value {
    let document = material.split_once("<<<\n").and_then(|(_, rest)| rest.split_once("\n>>>"));
    let Some((document, rest)) = document else { return Value::Null };
    let Some((_, sender)) = rest.lines().find_map(exchange) else { return Value::Null };
    let sentence = format!("I have talked with {sender}.");
    if document.contains(&sentence) {
        return Value::Null;
    }
    Value::String(format!("{}\n{sentence}\n", document.trim_end()))
}

fn dream(material: &str) -> Value {
    let exchanges = material.lines().filter_map(exchange).count();
    json!({"title": "What was said", "text": format!("I went through {exchanges} exchanges again.")})
}
