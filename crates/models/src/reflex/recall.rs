//! Answers from memory: facts and earlier messages, each with its source, or the statement that there is nothing. It
//! quotes and draws no conclusions.

use std::{collections::BTreeSet, fmt::Write as _};

use abide_domain::{
    format_age,
    turn::{Exchange, TurnRequest},
    voice::Voice,
};

use super::{
    answer::{NO_MODEL, respond},
    context_findings::{ContextFindings, context_findings, says_what_became_of},
    memory::{Fact, Search, search},
    words,
};

/// Most facts in an answer.
const FACTS_MAX: usize = 5;
/// Most earlier messages in an answer.
const EXCHANGES_MAX: usize = 2;
/// Longest quotation of an earlier message, in characters.
const QUOTE_CHARS_MAX: usize = 300;

/// Answers a question about something, or about whoever asks.
pub(super) fn recall(request: &TurnRequest, about: &str) -> Voice {
    let is_oneself = ["me", "myself", "mich", "moi", "mí"].contains(&about.to_lowercase().as_str());
    let question = if is_oneself { request.sender.as_str() } else { about };
    let found = match search(request, question) {
        Ok(found) => found,
        Err(voice) => return *voice,
    };
    let wanted = words::asked(about);
    let (facts, failure) = match found {
        Search::Found(facts) => (facts, None),
        Search::Empty => (Vec::new(), None),
        Search::Failed(why) => (Vec::new(), Some(why)),
    };
    let related = if is_oneself { own(&facts, &request.sender) } else { related(&facts, &wanted) };
    let earlier = earlier(request, &wanted, &related);
    let mut answer = String::new();
    if let Some(why) = &failure {
        // Writing into a String cannot fail.
        let _ = writeln!(answer, "I could not search my memory: {why}");
    }
    write_facts(&mut answer, &related);
    write_earlier(&mut answer, request, &earlier);
    let quoted: Vec<&str> = related.iter().map(|fact| fact.content.as_str()).collect();
    let context_findings = context_findings(&request.context, &quoted, &wanted);
    write_findings(&mut answer, &context_findings);
    if related.is_empty() && earlier.is_empty() && context_findings.is_empty() {
        let nothing = if failure.is_none() { "I remember nothing about that. " } else { "" };
        let _ = write!(answer, "{nothing}{NO_MODEL}");
    }
    respond(answer.trim_end())
}

/// What the sender told.
fn own<'a>(facts: &'a [Fact], sender: &str) -> Vec<&'a Fact> {
    let own = facts
        .iter()
        .filter(|fact| fact.is_trusted && fact.told_by.trim_start_matches('@') == sender);
    own.take(FACTS_MAX).collect()
}

/// The facts that share at least half of the question's words, and half as many as the best one does. A search always finds
/// something; what was not asked for is not told.
fn related<'a>(facts: &'a [Fact], wanted: &BTreeSet<String>) -> Vec<&'a Fact> {
    let shared = |fact: &Fact| words::overlap(wanted, &fact.content);
    let best = facts.iter().map(shared).max().unwrap_or(0);
    let fits = |fact: &&Fact| {
        let shared = shared(fact);
        shared > 0 && shared * 2 >= best && shared * 2 >= wanted.len()
    };
    facts.iter().filter(fits).take(FACTS_MAX).collect()
}

/// Earlier messages about the same, best and newest first. Questions are left out, for they hold no answer, and so is
/// what a quoted fact says already, and that of which the context says what became of it.
fn earlier<'a>(
    request: &'a TurnRequest,
    wanted: &BTreeSet<String>,
    quoted: &[&Fact],
) -> Vec<&'a Exchange> {
    let is_statement = |exchange: &Exchange| {
        let said = exchange.stimulus.trim();
        // What somebody else said, or said in another place, is not this one's to hear.
        exchange.sender == request.sender
            && exchange.channel == request.channel
            && !said.ends_with('?')
            && !said.starts_with('\\')
            && !says_what_became_of(&request.context, exchange.epoch)
            && !quoted.iter().any(|fact| said.contains(&fact.content))
    };
    let mut scored: Vec<(usize, &Exchange)> = request
        .history
        .iter()
        .rev()
        .filter(|exchange| is_statement(exchange))
        .map(|exchange| (words::overlap(wanted, &exchange.stimulus), exchange))
        .filter(|&(score, _)| score > 0 && score * 2 >= wanted.len())
        .collect();
    // Stable: of two that fit alike, the newer one stays first.
    scored.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
    scored.into_iter().take(EXCHANGES_MAX).map(|(_, exchange)| exchange).collect()
}

fn write_facts(answer: &mut String, facts: &[&Fact]) {
    if let [fact] = facts {
        let _ = writeln!(answer, "From what I remember: {}", sourced(fact));
    } else if !facts.is_empty() {
        answer.push_str("From what I remember:\n");
        for fact in facts {
            let _ = writeln!(answer, "- {}", sourced(fact));
        }
    }
}

fn write_findings(answer: &mut String, sections: &[ContextFindings<'_>]) {
    for ContextFindings { title, items } in sections {
        let _ = writeln!(answer, "{title}, from my notes:");
        for item in items {
            let _ = writeln!(answer, "- {item}");
        }
    }
}

fn sourced(fact: &Fact) -> String {
    let sources: Vec<String> = [
        match (fact.is_trusted, fact.told_by.as_str()) {
            (false, _) => Some("not confirmed by a person".to_owned()),
            (true, "") => None,
            (true, by) => Some(format!("told by {by}")),
        },
        (!fact.source.is_empty()).then(|| format!("epoch {}", fact.source)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if sources.is_empty() {
        format!("{} (no source is recorded)", fact.content)
    } else {
        format!("{} ({})", fact.content, sources.join(", "))
    }
}

fn write_earlier(answer: &mut String, request: &TurnRequest, exchanges: &[&Exchange]) {
    for exchange in exchanges {
        let age = format_age(request.sent_at, exchange.sent_at);
        let age = age.unwrap_or_else(|| format!("at {}", exchange.sent_at));
        let mut quote: String = exchange.stimulus.trim().chars().take(QUOTE_CHARS_MAX).collect();
        if quote.len() < exchange.stimulus.trim().len() {
            quote.push('…');
        }
        let (sender, channel, epoch) = (&exchange.sender, exchange.channel, exchange.epoch);
        let _ = writeln!(answer, "{sender} said {age} on {channel} (epoch {epoch}): \"{quote}\"");
    }
}
