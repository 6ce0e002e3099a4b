//! `memory.forget_fact {fact_id | about, reason?}`: stages that a fact, or a matter in words, is taken back.
//!
//! Returns `{"forgotten", "facts", "exchanges", …}`. It binds what was said of it wherever it was said, also where no fact was
//! made of it yet, and this exchange, in which it is named once more (decision 53). Whoever asks forgets what they told
//! themselves and nothing of others (decision 54). The lines stay in the ledger. An id that is not known is an error, and so
//! is not being able to look.

use abide_domain::{
    EntityName, FactId,
    event::{Event, FactForgotten, IdentityChanged, IdentitySource, MemoryForgotten},
    limits::FORGET_WORDS_CHARS_MAX,
    tool::{EffectClass, ToolSpec},
};
use abide_memory::{
    ForgetAuthority, ForgetError, ForgetPlan, ForgetRequest, ForgetTarget, IdentityRule,
    check_identity,
};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use super::{check_right, lookup_failed, reason};
use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// The tool `memory.forget_fact`.
#[derive(Clone, Debug)]
pub struct ForgetFact {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    fact_id: Option<String>,
    about: Option<String>,
    reason: Option<String>,
}

impl ForgetFact {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "fact_id": {"type": ["string", "null"], "description": "as memory.search_facts gives it"},
                "about": {"type": ["string", "null"], "description": "instead: what to forget, in the asker's words"},
                "reason": {"type": ["string", "null"], "description": "in a few words"}
            }
        });
        Self {
            spec: ToolSpec {
                name: "memory.forget_fact".into(),
                description: "Forgets a fact or a matter and what was said of it, once this exchange is complete.".into(),
                parameters,
                effect: EffectClass::State,
                idempotent: true,
            },
        }
    }
}

impl Tool for ForgetFact {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(forget(&call)))
    }
}

fn forget(call: &Call<'_>) -> Result<Output, ToolError> {
    let Arguments { fact_id, about, reason: given } = parse_arguments(call.arguments)?;
    let given_reason = reason(given)?;
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let asked_by = EntityName::sender(call.sender).unwrap_or_else(|_| call.agent.entity());
    let target = match (given(fact_id), given(about)) {
        (Some(id), None) => {
            let id: FactId = id.trim().parse().map_err(|_| {
                ToolError::new("fact_id: is not the id of a fact; memory.search_facts lists them")
            })?;
            check_right(call, "fact_id", id)?;
            if is_staged_only(call, id) {
                return Ok(of_this_epoch(id, asked_by, given_reason));
            }
            Target::Fact(id)
        }
        (None, Some(about)) if about.chars().count() > FORGET_WORDS_CHARS_MAX => {
            let message = format!("about: has more than {FORGET_WORDS_CHARS_MAX} characters");
            return Err(ToolError::new(message));
        }
        (None, Some(about)) => Target::Words(about),
        _ => return Err(ToolError::new("give either fact_id or about")),
    };
    let request = ForgetRequest {
        target: match &target {
            Target::Fact(id) => ForgetTarget::Fact(*id),
            Target::Words(words) => ForgetTarget::Words(words),
        },
        authority: if call.administrator {
            ForgetAuthority::Administrator
        } else {
            ForgetAuthority::Owner(call.sender)
        },
    };
    let plan = call.memory.plan_forgetting(request).map_err(|error| match error {
        ForgetError::NoFact(id) => ToolError::new(format!(
            "fact_id: no fact {id} is known; memory.search_facts lists those that are"
        )),
        ForgetError::Unreadable(error) => lookup_failed(&error.to_string()),
        other => ToolError::new(other.to_string()),
    })?;
    Ok(output(call, &plan, &asked_by, given_reason.as_deref()))
}

enum Target {
    Fact(FactId),
    Words(String),
}

fn output(call: &Call<'_>, plan: &ForgetPlan, asked_by: &EntityName, why: Option<&str>) -> Output {
    let identity = call.memory.identity().and_then(|(version, content)| {
        Some((version, plan.matter.without(&content, Some(call.sender))?))
    });
    let fits = |content: &str| check_identity(content, IdentityRule::Strict).is_ok();
    let mut answer = json!({
        "forgotten": !plan.is_empty(),
        "facts": plan.contents,
        "exchanges": plan.epochs.len(),
    });
    let mut say = |key: &str, value: serde_json::Value| {
        if let Some(fields) = answer.as_object_mut() {
            fields.insert(key.to_owned(), value);
        }
    };
    if plan.of_others > 0 {
        say("told_by_others", json!(plan.of_others));
    }
    let mut staged: Vec<Event> = Vec::new();
    match identity {
        Some((version, content)) if fits(&content) => {
            let source = IdentitySource::Person;
            staged.push(IdentityChanged { version, content, source, restores: None }.into());
            say("identity", json!("changed"));
        }
        Some(_) => say("identity", json!("still says it; a person must edit it")),
        None => {}
    }
    staged.extend(plan.events(asked_by, why));
    let mut output = Output::json(&answer);
    output.staged = staged;
    output
}

/// Whether a fact that is known is so only because this epoch itself has staged it.
fn is_staged_only(call: &Call<'_>, id: FactId) -> bool {
    let authority = ForgetAuthority::Administrator;
    let request = ForgetRequest { target: ForgetTarget::Fact(id), authority };
    matches!(call.memory.plan_forgetting(request), Err(ForgetError::NoFact(_)))
}

/// What takes back a fact that this epoch itself has staged.
fn of_this_epoch(fact_id: FactId, asked_by: EntityName, reason: Option<String>) -> Output {
    let mut output = Output::json(&json!({"forgotten": true, "facts": [], "exchanges": 0}));
    output.staged.push(FactForgotten { fact_id, reason: reason.clone() }.into());
    let forgotten = MemoryForgotten {
        asked_by,
        subject: None,
        epochs: Vec::new(),
        facts: vec![fact_id],
        slots: Vec::new(),
        reason,
    };
    output.staged.push(forgotten.into());
    output
}
