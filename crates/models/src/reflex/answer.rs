//! The answers that all parts of the reflex share: a response, a call of a tool, and what became of a call.

use abide_domain::{
    limits::RESPONSE_CHARS_MAX,
    tool::Outcome,
    turn::{ToolResult, TurnRequest},
    voice::{EMOTIVE_STATE_DEFAULT, ToolCall, Voice},
};
use serde_json::Value;

/// What the reflex adds where a model is needed.
pub(super) const NO_MODEL: &str = "No model is configured, so I can only answer from memory. Set `provider` and `name` \
under `[model]` in abide.toml and restart Abide.";

/// A final response, within the bounds of one.
pub(super) fn respond(text: &str) -> Voice {
    let text: String = text.chars().take(RESPONSE_CHARS_MAX).collect();
    Voice {
        thought: String::new(),
        emotive_state: EMOTIVE_STATE_DEFAULT.into(),
        tool_calls: Vec::new(),
        final_response: Some(text),
    }
}

/// A call of one tool.
fn call(name: &str, arguments: Value) -> Voice {
    Voice {
        thought: String::new(),
        emotive_state: EMOTIVE_STATE_DEFAULT.into(),
        tool_calls: vec![ToolCall { name: name.to_owned(), arguments }],
        final_response: None,
    }
}

/// The result of a tool in this epoch, or the voice to answer with: a call where there was none yet, an explanation
/// where the tool is not offered or the call failed.
pub(super) fn ask_tool<'a>(
    request: &'a TurnRequest,
    name: &str,
    arguments: Value,
) -> Result<&'a ToolResult, Box<Voice>> {
    let mut results = request.steps.iter().flat_map(|step| &step.results);
    match results.find(|result| result.name == name) {
        Some(result) if result.outcome == Outcome::Ok => Ok(result),
        Some(result) => Err(Box::new(respond(&describe_failure(result)))),
        None if offers(request, name) => Err(Box::new(call(name, arguments))),
        None => Err(Box::new(respond(&not_allowed(name)))),
    }
}

/// Whether a tool that is offered takes an argument.
pub(super) fn takes(request: &TurnRequest, tool: &str, argument: &str) -> bool {
    let pointer = format!("/properties/{argument}");
    let mut tools = request.tools.iter();
    let tool = tools.find(|offered| offered.name == tool);
    tool.is_some_and(|tool| tool.parameters.pointer(&pointer).is_some())
}

pub(super) fn offers(request: &TurnRequest, tool: &str) -> bool {
    request.tools.iter().any(|offered| offered.name == tool)
}

pub(super) fn not_allowed(tool: &str) -> String {
    format!("I cannot do that here: the tool `{tool}` is not allowed.")
}

/// What went wrong with a call, and what to do about it.
fn describe_failure(result: &ToolResult) -> String {
    let (name, why) = (&result.name, result.content.trim());
    match result.outcome {
        Outcome::Denied => format!(
            "`{name}` was refused and did not run: {why}. Allow it under `[tools]` in abide.toml, or approve it when \
             asked."
        ),
        Outcome::Unknown => format!(
            "It is not known whether `{name}` ran, because the call was interrupted: {why}. Check its effect before you \
             ask for it again."
        ),
        Outcome::Error | Outcome::Ok => {
            format!("`{name}` failed: {why}. Correct that and ask again.")
        }
    }
}
