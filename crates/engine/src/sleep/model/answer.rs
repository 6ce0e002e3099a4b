//! What is read of a model's answer: one JSON object, alone, fenced or between words. Anything else is unusable, which is
//! not the same as empty.

use abide_domain::limits::FACT_CHARS_MAX;
use abide_memory::{
    DistillInput, FACTS_A_PART_MAX, FactCategory, FactDoubt, FoundDream, FoundFact, Revision,
    held_by, is_supported, revise, said_in,
};
use serde::Deserialize;
use serde_json::Value;

use super::prompt::KNOWN_SHOWN_MAX;

/// Most facts that an answer may claim before they are checked against what was said.
const CLAIMS_A_PART_MAX: usize = 1_000;
/// Most tags of a fact.
const TAGS_MAX: usize = 8;
/// Longest tag, in characters.
const TAG_CHARS_MAX: usize = 40;

/// Why an answer cannot be used; the repair repeats it to the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("the answer is empty")]
    Empty,
    #[error("the answer contains no JSON object")]
    NoJson,
    #[error("the JSON does not have the required form: {0}")]
    Form(String),
    #[error("{0}")]
    Invalid(String),
}

#[derive(Debug, Deserialize)]
struct FactsAnswer {
    facts: Vec<FactAnswer>,
}

#[derive(Debug, Deserialize)]
struct FactAnswer {
    content: String,
    category: String,
    #[serde(default)]
    tags: Vec<String>,
    confidence: Option<f64>,
    sources: Vec<usize>,
    subject: Option<String>,
    attribute: Option<String>,
    replaces: Option<String>,
}

/// The facts of an answer that rest on what people said; none where there are none.
pub(super) fn facts(
    text: &str,
    material: &DistillInput,
) -> Result<Option<Vec<FoundFact>>, AnswerError> {
    let FactsAnswer { facts } = form(object(text)?)?;
    fits(facts.len(), CLAIMS_A_PART_MAX)?;
    let claimed = facts.len();
    let mut found = Vec::new();
    for fact in facts {
        found.extend(checked(fact, material)?);
    }
    if claimed > 0 && found.is_empty() {
        return Err(AnswerError::Invalid(
            "none of the facts rests on what people said in the exchanges that it names; if there is nothing, answer {\"facts\": []}"
                .to_owned(),
        ));
    }
    // Only what people said is counted: one claim too many must not cost the true facts.
    fits(found.len(), FACTS_A_PART_MAX)?;
    found.sort_by_key(|fact| fact.said_at);
    Ok((!found.is_empty()).then_some(found))
}

fn fits(number: usize, most: usize) -> Result<(), AnswerError> {
    let many = || {
        AnswerError::Invalid(format!("at most {most} facts are allowed; the answer has {number}"))
    };
    if number <= most { Ok(()) } else { Err(many()) }
}

/// A fact of the required form; none where no person said it.
fn checked(fact: FactAnswer, material: &DistillInput) -> Result<Option<FoundFact>, AnswerError> {
    let invalid = |what: &str| {
        AnswerError::Invalid(format!("{what} of the fact {:?} is invalid", fact.content))
    };
    if fact.content.trim().is_empty() || fact.content.chars().count() > FACT_CHARS_MAX {
        return Err(invalid("the length of the content"));
    }
    let category =
        FactCategory::from_word(&fact.category).ok_or_else(|| invalid("the category"))?;
    let passages = &material.passages;
    let is_known = |number: &usize| (1..=passages.len()).contains(number);
    if fact.sources.is_empty() || !fact.sources.iter().all(is_known) {
        return Err(invalid("the list of sources"));
    }
    let mut sources: Vec<usize> = fact.sources.iter().map(|number| number - 1).collect();
    sources.sort_unstable();
    sources.dedup();
    if !is_supported(&fact.content, passages, &sources) {
        return Ok(None);
    }
    // Words alone do not tell what was said from its opposite.
    let held = held_by(&fact.content, passages, &sources);
    let teller = held.ok().or_else(|| sources.last().copied()).and_then(|at| passages.get(at));
    let Some(newest) = teller else { return Ok(None) };
    let doubt = held.err().map(|reason| FactDoubt { reason, said: said_in(passages, &sources) });
    let replaces =
        fact.replaces.as_deref().and_then(|name| name.strip_prefix('K')?.parse::<usize>().ok());
    let replaced = replaces
        .and_then(|number| material.known.iter().take(KNOWN_SHOWN_MAX).nth(number.checked_sub(1)?));
    let word = |word: Option<String>| {
        word.map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty())
    };
    let slot =
        word(fact.subject).zip(word(fact.attribute)).map(|(subject, of)| format!("{subject}/{of}"));
    let tags =
        fact.tags.iter().map(|tag| tag.trim().chars().take(TAG_CHARS_MAX).collect::<String>());
    Ok(Some(FoundFact {
        category,
        tags: tags
            .filter(|tag| !tag.is_empty() && !tag.starts_with("slot:"))
            .take(TAGS_MAX)
            .collect(),
        confidence: fact.confidence.unwrap_or(0.7),
        slot,
        replaces: replaced.map(|fact| fact.fact_id),
        sources: sources.iter().filter_map(|at| Some(passages.get(*at)?.epoch)).collect(),
        told_by: newest.sender.clone(),
        said_at: newest.sent_at,
        untrusted: false,
        doubt,
        content: fact.content,
    }))
}

/// The identity of an answer; none where it stays as it is.
pub(super) fn identity(text: &str, material: &DistillInput) -> Result<Option<String>, AnswerError> {
    let object = object(text)?;
    match object.get("identity") {
        Some(Value::Null) => Ok(None),
        Some(Value::String(document)) => match revise(&material.identity, document) {
            Ok(Revision::Unchanged) => Ok(None),
            Ok(Revision::Small(_) | Revision::Large(_)) => Ok(Some(document.clone())),
            Err(error) => Err(AnswerError::Invalid(error.to_string())),
        },
        _ => Err(AnswerError::Form("identity must be a text or null".to_owned())),
    }
}

#[derive(Debug, Deserialize)]
struct DreamAnswer {
    title: String,
    text: String,
}

/// The dream of an answer; none where there is none.
pub(super) fn dream(text: &str) -> Result<Option<FoundDream>, AnswerError> {
    let object = object(text)?;
    match object.get("dream") {
        Some(Value::Null) => Ok(None),
        Some(dream) => {
            let DreamAnswer { title, text } = form(dream.clone())?;
            if title.trim().is_empty() || text.trim().is_empty() {
                return Err(AnswerError::Invalid(
                    "a dream must have a title and a text, or be null".to_owned(),
                ));
            }
            Ok(Some(FoundDream { title, text }))
        }
        None => Err(AnswerError::Form("dream must be an object or null".to_owned())),
    }
}

fn form<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, AnswerError> {
    serde_json::from_value(value).map_err(|error| AnswerError::Form(error.to_string()))
}

/// The one object of an answer, whatever stands around it.
fn object(text: &str) -> Result<Value, AnswerError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AnswerError::Empty);
    }
    for (at, _) in text.match_indices('{') {
        let mut values = serde_json::Deserializer::from_str(text.get(at..).unwrap_or_default())
            .into_iter::<Value>();
        if let Some(Ok(value @ Value::Object(_))) = values.next() {
            return Ok(value);
        }
    }
    Err(AnswerError::NoJson)
}

#[cfg(test)]
mod tests;
