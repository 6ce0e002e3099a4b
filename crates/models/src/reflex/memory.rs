//! Remembering and forgetting through the memory tools, and the form in which those tools answer.

use std::fmt::Write as _;

use abide_domain::{
    limits::{FACT_CHARS_MAX, FORGET_WORDS_CHARS_MAX, REASON_CHARS_MAX},
    turn::TurnRequest,
    voice::Voice,
};
use serde_json::{Value, json};

use super::{
    answer::{ask_tool, respond, takes},
    words,
};

pub(super) const REMEMBER: &str = "memory.remember_fact";
pub(super) const SEARCH: &str = "memory.search_facts";
pub(super) const FORGET: &str = "memory.forget_fact";
/// Longest query that is made of a message, in characters.
const QUERY_CHARS_MAX: usize = 1_000;
/// Most facts that are quoted or offered.
const FACTS_MAX: usize = 5;

/// The result of a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// These facts, best first.
    Found(Vec<Fact>),
    /// There is nothing.
    Empty,
    /// The search failed, and why.
    Failed(String),
}

/// A fact as the memory tools give it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) id: String,
    pub(super) content: String,
    pub(super) told_by: String,
    /// Whether a person vouches for it.
    pub(super) is_trusted: bool,
    pub(super) source: String,
}

/// Remembers something in place of what was remembered before, where exactly one fact is meant by it.
pub(super) fn correct(request: &TurnRequest, content: &str) -> Voice {
    let content = content.trim();
    if content.is_empty() || !takes(request, REMEMBER, "supersedes") {
        return remember(request, content);
    }
    let facts = match search(request, content) {
        Ok(Search::Found(facts)) => facts,
        Ok(Search::Empty | Search::Failed(_)) => Vec::new(),
        Err(voice) => return *voice,
    };
    let Some(older) = corrected(&facts, content, &request.sender) else {
        return remember(request, content);
    };
    if content.chars().count() > FACT_CHARS_MAX {
        return remember(request, content);
    }
    match ask_tool(request, REMEMBER, json!({"content": content, "supersedes": older.id})) {
        Ok(_) => respond(&format!("I will remember: {content} (and no longer: {})", older.content)),
        Err(voice) => *voice,
    }
}

/// The fact that a correction takes the place of: the sender's own that says most of the same, if it is the only one.
fn corrected<'a>(facts: &'a [Fact], content: &str, sender: &str) -> Option<&'a Fact> {
    let wanted = words::meaningful(content);
    let shared = |fact: &Fact| words::overlap(&wanted, &fact.content);
    let own = facts.iter().filter(|fact| fact.told_by.trim_start_matches('@') == sender);
    let fits = own.filter(|fact| {
        let words = words::meaningful(&fact.content).len().min(wanted.len());
        shared(fact) > 0 && shared(fact) * 2 >= words
    });
    let mut fits: Vec<&Fact> = fits.collect();
    fits.sort_by_key(|fact| std::cmp::Reverse(shared(fact)));
    match fits.as_slice() {
        [only] => Some(only),
        [best, next, ..] if shared(best) > shared(next) => Some(best),
        _ => None,
    }
}

pub(super) fn remember(request: &TurnRequest, content: &str) -> Voice {
    let content = content.trim();
    if content.is_empty() {
        return respond("What should I remember? Say: remember that …");
    }
    let letters = content.chars().count();
    if letters > FACT_CHARS_MAX {
        return respond(&format!(
            "I did not store that: it has {letters} characters, and a fact may have at most {FACT_CHARS_MAX}. Please \
             split it up."
        ));
    }
    match ask_tool(request, REMEMBER, json!({"content": content})) {
        Ok(result) => {
            let value: Value = serde_json::from_str(&result.content).unwrap_or_default();
            let stored = text(&value, "content");
            respond(&format!(
                "I will remember: {}",
                if stored.is_empty() { content } else { stored }
            ))
        }
        Err(voice) => *voice,
    }
}

pub(super) fn forget(request: &TurnRequest, what: &str) -> Voice {
    if what.is_empty() {
        return respond("What should I forget? Say: forget that …");
    }
    let facts = match search(request, what) {
        Ok(Search::Found(facts)) => facts,
        Ok(Search::Empty) => Vec::new(),
        Ok(Search::Failed(why)) => {
            return respond(&format!("I could not search my memory, so I forgot nothing: {why}"));
        }
        Err(voice) => return *voice,
    };
    // A search finds similar facts; only a fact with every word of the request is meant.
    let wanted = words::meaningful(what);
    let meant: Vec<&Fact> = facts
        .iter()
        .filter(|fact| !wanted.is_empty() && words::overlap(&wanted, &fact.content) == wanted.len())
        .collect();
    let fact = match meant.as_slice() {
        [fact] => fact,
        [] => return forget_said(request, what, &facts),
        _ => return respond(&candidates(&facts)),
    };
    match ask_tool(request, FORGET, forget_arguments(request, ("fact_id", &fact.id))) {
        Ok(_) => respond(&format!("I will forget: {}", fact.content)),
        Err(voice) => *voice,
    }
}

/// Forgets what no fact was made of yet: it may have been said all the same.
fn forget_said(request: &TurnRequest, what: &str, facts: &[Fact]) -> Voice {
    let nothing = || match facts {
        [] => {
            respond(&format!("I remember nothing about \"{what}\", so there is nothing to forget."))
        }
        _ => respond(&candidates(facts)),
    };
    if !takes(request, FORGET, "about") {
        return nothing();
    }
    let about: String = what.chars().take(FORGET_WORDS_CHARS_MAX).collect();
    match ask_tool(request, FORGET, forget_arguments(request, ("about", &about))) {
        Ok(result) => {
            let value: Value = serde_json::from_str(&result.content).unwrap_or_default();
            let found = value.get("forgotten").and_then(Value::as_bool).unwrap_or_default();
            if found { respond("I will forget that, and what was said of it.") } else { nothing() }
        }
        Err(voice) => *voice,
    }
}

/// The arguments of `memory.forget_fact`; with a reason where the tool takes one.
fn forget_arguments(request: &TurnRequest, (what, named): (&str, &str)) -> Value {
    let mut arguments = json!({});
    if let Some(fields) = arguments.as_object_mut() {
        fields.insert(what.to_owned(), named.into());
        if takes(request, FORGET, "reason") {
            let asked: String = request.message.chars().take(REASON_CHARS_MAX - 100).collect();
            let reason = format!("{} asked: {asked}", request.sender);
            fields.insert("reason".to_owned(), reason.into());
        }
    }
    arguments
}

fn candidates(facts: &[Fact]) -> String {
    let mut text = String::from(
        "I am not sure which fact you mean, so I forgot nothing. Say `\\tool memory.forget_fact {\"fact_id\": \"…\"}` \
         with one of these:",
    );
    for fact in facts.iter().take(FACTS_MAX) {
        // Writing into a String cannot fail.
        let _ = write!(text, "\n- {}: {}", fact.id, fact.content);
    }
    text
}

/// The result of a search, or the voice that requests it or explains its failure.
pub(super) fn search(request: &TurnRequest, query: &str) -> Result<Search, Box<Voice>> {
    let query: String = query.chars().take(QUERY_CHARS_MAX).collect();
    let result = ask_tool(request, SEARCH, json!({"query": query}))?;
    Ok(read_search(&result.content))
}

fn read_search(content: &str) -> Search {
    let Ok(value) = serde_json::from_str::<Value>(content) else {
        return Search::Failed("the search did not return a list of facts".into());
    };
    if text(&value, "status") == "failed" {
        let why = text(&value, "message");
        return Search::Failed(if why.is_empty() {
            "it gave no reason".into()
        } else {
            why.into()
        });
    }
    let items = value.get("items").or_else(|| value.get("data")).and_then(Value::as_array);
    let facts: Vec<Fact> = items
        .into_iter()
        .flatten()
        .map(read_fact)
        .filter(|fact| !fact.content.is_empty())
        .collect();
    if facts.is_empty() { Search::Empty } else { Search::Found(facts) }
}

fn read_fact(item: &Value) -> Fact {
    let source =
        match item.get("sources").and_then(Value::as_array).and_then(|sources| sources.first()) {
            Some(Value::String(epoch)) => epoch.clone(),
            Some(source) => text(source, "epoch").to_owned(),
            None => String::new(),
        };
    Fact {
        id: text(item, "fact_id").to_owned(),
        content: text(item, "content").to_owned(),
        told_by: text(item, "told_by").to_owned(),
        is_trusted: item.get("trusted").and_then(Value::as_bool) != Some(false),
        source,
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default().trim()
}
