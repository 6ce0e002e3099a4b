//! `memory.remember_fact {content, category?, tags?, confidence?, supersedes?}`: stages a fact.
//!
//! Returns `{"fact_id", "remembered": true}`: the text stands in the fact's own event and nowhere a second time. It must
//! never write by itself: the fact is known when the epoch commits. A fact that says the same as a known one is staged all
//! the same; memory joins the two, and both ids lead to it. One that supersedes another closes it; both stay. What is known
//! from text that nobody vouches for stays so when it is remembered again, unless the sender says it.

use abide_domain::{
    EntityName, FactId,
    event::FactRemembered,
    is_blank,
    limits::FACT_CHARS_MAX,
    tool::{EffectClass, ToolSpec},
};
use abide_memory::{Lookup, is_said_in};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::check_right;
use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// Most tags of a fact.
pub const FACT_TAGS_MAX: usize = 16;
/// Longest tag, in Unicode scalar values.
pub const FACT_TAG_CHARS_MAX: usize = 64;
/// Known facts that are compared with a new one.
const NEAR_FACTS_MAX: usize = 8;

const CATEGORIES: [&str; 3] = ["user", "project", "world"];
/// The category of a fact that names none: it claims nothing about a person or a project.
const CATEGORY_DEFAULT: &str = "world";

/// The tool `memory.remember_fact`.
#[derive(Clone, Debug)]
pub struct RememberFact {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    content: String,
    category: Option<String>,
    tags: Option<Vec<String>>,
    confidence: Option<f64>,
    supersedes: Option<String>,
}

impl RememberFact {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["content"],
            "properties": {
                "content": {
                    "type": "string",
                    "description": format!("one statement that stands by itself, up to {FACT_CHARS_MAX} characters")
                },
                "category": {
                    "type": ["string", "null"],
                    "description": "user (about a person), project (the work) or world (the default)"
                },
                "tags": {
                    "type": ["array", "null"],
                    "items": {"type": "string"},
                    "description": format!("up to {FACT_TAGS_MAX}")
                },
                "confidence": {
                    "type": ["number", "null"],
                    "description": "0 to 1; 1 unless given"
                },
                "supersedes": {
                    "type": ["string", "null"],
                    "description": "the id of the fact that it replaces"
                }
            }
        });
        let description =
            "Remembers a fact beyond this conversation, once this exchange is complete.";
        Self {
            spec: ToolSpec {
                name: "memory.remember_fact".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::State,
                idempotent: false,
            },
        }
    }
}

impl Tool for RememberFact {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(remember(call))
    }
}

async fn remember(call: Call<'_>) -> Result<Output, ToolError> {
    let call = &call;
    let arguments: Arguments = parse_arguments(call.arguments)?;
    let content = content(&arguments.content)?;
    let untrusted = call.untrusted || repeats_untrusted(call, &content).await;
    let fact = FactRemembered {
        fact_id: FactId::new(call.ids, call.now),
        content,
        category: category(arguments.category)?,
        tags: tags(arguments.tags.unwrap_or_default())?,
        confidence: confidence(arguments.confidence)?,
        told_by: EntityName::sender(call.sender).ok(),
        untrusted,
        sources: Vec::new(),
        supersedes: supersedes(call, arguments.supersedes.as_deref())?,
        valid_from: None,
    };
    let mut output = Output::json(&json!({"fact_id": fact.fact_id, "remembered": true}));
    output.staged.push(fact.into());
    Ok(output)
}

/// Whether a fact says again what is known from text that nobody vouches for, and the sender does not say it: to be remembered
/// a second time makes nothing true. Where memory cannot be looked into, it may.
async fn repeats_untrusted(call: &Call<'_>, content: &str) -> bool {
    if is_said_in(content, call.said) {
        return false;
    }
    match call.memory.facts(call.question(content), NEAR_FACTS_MAX).await {
        Lookup::Items(known) => {
            known.iter().any(|fact| !fact.trusted && is_said_in(content, &fact.content))
        }
        Lookup::Empty => false,
        Lookup::Failed(_) => true,
    }
}

fn supersedes(call: &Call<'_>, older: Option<&str>) -> Result<Option<FactId>, ToolError> {
    let Some(older) = older.map(str::trim).filter(|older| !older.is_empty()) else {
        return Ok(None);
    };
    let unknown = || {
        ToolError::new("supersedes: is not the id of a known fact; memory.search_facts lists them")
    };
    let older: FactId = older.parse().map_err(|_| unknown())?;
    check_right(call, "supersedes", older)?;
    Ok(Some(older))
}

fn content(content: &str) -> Result<String, ToolError> {
    let content = content.trim();
    let chars = content.chars().count();
    if is_blank(content) {
        return Err(ToolError::new("content: is blank; give one statement"));
    }
    if chars > FACT_CHARS_MAX {
        return Err(ToolError::new(format!(
            "content: has {chars} characters; a fact has at most {FACT_CHARS_MAX}: split it"
        )));
    }
    Ok(content.to_owned())
}

fn category(category: Option<String>) -> Result<String, ToolError> {
    match category {
        None => Ok(CATEGORY_DEFAULT.to_owned()),
        Some(category) if CATEGORIES.contains(&category.as_str()) => Ok(category),
        Some(_) => {
            let known = CATEGORIES.join(", ");
            Err(ToolError::new(format!("category: must be one of {known}")))
        }
    }
}

fn tags(tags: Vec<String>) -> Result<Vec<String>, ToolError> {
    if tags.len() > FACT_TAGS_MAX {
        let message = format!("tags: there are {}; a fact has at most {FACT_TAGS_MAX}", tags.len());
        return Err(ToolError::new(message));
    }
    tags.into_iter()
        .map(|tag| match tag.trim() {
            tag if tag.is_empty() || tag.chars().count() > FACT_TAG_CHARS_MAX => {
                Err(ToolError::new(format!("tags: each has 1 to {FACT_TAG_CHARS_MAX} characters")))
            }
            tag => Ok(tag.to_owned()),
        })
        .collect()
}

fn confidence(confidence: Option<f64>) -> Result<f64, ToolError> {
    let confidence = confidence.unwrap_or(1.0);
    if (0.0..=1.0).contains(&confidence) {
        Ok(confidence)
    } else {
        Err(ToolError::new("confidence: must be from 0 to 1"))
    }
}
