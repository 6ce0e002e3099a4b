//! An agent's request for permission as a question to a person, and the person's decision as one of its options.
//!
//! Pure. A person allows one thing once: it must never choose an option that lasts longer than that in the person's name.

use abide_engine::mind::PermissionRequest;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
};
use serde_json::{Map, Value, json};

use super::evidence::{PromptEvidence, bounded, short};

/// Longest input of a tool that a person is shown, in characters of JSON; a longer one is cut, and that is shown.
const INPUT_CHARS_MAX: usize = 16_000;
/// Locations that a person is shown.
const LOCATIONS_MAX: usize = 32;
/// The tool of an agent that names none.
const UNNAMED: &str = "tool";

/// The options of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PermissionChoice {
    /// The option that allows this once; None where the agent offers none.
    pub(super) once: Option<PermissionOptionId>,
    /// The option that refuses, the mildest that there is.
    no: Option<PermissionOptionId>,
}

impl PermissionChoice {
    /// Of an agent's options.
    pub(super) fn of(options: &[PermissionOption]) -> Self {
        let find = |kind: PermissionOptionKind| {
            options.iter().find(|option| option.kind == kind).map(|option| option.option_id.clone())
        };
        Self {
            once: find(PermissionOptionKind::AllowOnce),
            no: find(PermissionOptionKind::RejectOnce)
                .or_else(|| find(PermissionOptionKind::RejectAlways)),
        }
    }

    /// The answer to the agent.
    pub(super) fn answer(&self, is_allowed: bool) -> Value {
        let chosen = if is_allowed { &self.once } else { &self.no };
        outcome(chosen.clone().map_or(RequestPermissionOutcome::Cancelled, |id| {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id))
        }))
    }
}

/// The answer where nobody will decide any more.
pub(super) fn withdrawn() -> Value {
    outcome(RequestPermissionOutcome::Cancelled)
}

fn outcome(outcome: RequestPermissionOutcome) -> Value {
    json!(RequestPermissionResponse::new(outcome))
}

/// The question to a person.
pub(super) fn question(
    request: &RequestPermissionRequest,
    evidence: &PromptEvidence,
) -> PermissionRequest {
    let fields = &request.tool_call.fields;
    let (title, name) = evidence.call_title(&request.tool_call.tool_call_id).unwrap_or(("", None));
    let title = fields.title.as_deref().unwrap_or(title);
    let name = fields.name.as_deref().or(name);
    let mut arguments = Map::new();
    let mut put = |key: &str, value: Value| arguments.insert(key.into(), value);
    put("title", json!(short(title)));
    if let Some(kind) = fields.kind {
        put("kind", json!(kind));
    }
    if let Some(input) = &fields.raw_input {
        put("input", bounded(input, INPUT_CHARS_MAX));
    }
    if let Some(content) = fields.content.as_ref().filter(|content| !content.is_empty()) {
        put("content", bounded(&json!(content), INPUT_CHARS_MAX));
    }
    if let Some(locations) = fields.locations.as_ref().filter(|places| !places.is_empty()) {
        let paths = locations.iter().take(LOCATIONS_MAX);
        let paths: Vec<_> = paths.map(|at| short(&at.path.to_string_lossy())).collect();
        put("locations", json!(paths));
    }
    let names = [name, Some(title), Some(UNNAMED)];
    let tool = names.into_iter().flatten().find(|name| !name.trim().is_empty());
    PermissionRequest { tool: short(tool.unwrap_or(UNNAMED)), arguments: Value::Object(arguments) }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        PermissionOption, PermissionOptionKind, RequestPermissionRequest, ToolCallUpdate,
        ToolCallUpdateFields,
    };
    use serde_json::json;

    use super::{PermissionChoice, question};
    use crate::acp::evidence::PromptEvidence;

    fn option(id: &'static str, kind: PermissionOptionKind) -> PermissionOption {
        PermissionOption::new(id, id, kind)
    }

    #[test]
    fn a_decision_is_for_once() {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let all = [
            option("aa", AllowAlways),
            option("ao", AllowOnce),
            option("ra", RejectAlways),
            option("ro", RejectOnce),
        ];
        let chosen = |id: &str| json!({"outcome": {"outcome": "selected", "optionId": id}});
        assert_eq!(PermissionChoice::of(&all).answer(true), chosen("ao"));
        assert_eq!(PermissionChoice::of(&all).answer(false), chosen("ro"));
        let lasting = PermissionChoice::of(&all[..1]);
        assert_eq!(lasting.once, None);
        assert_eq!(lasting.answer(false), json!({"outcome": {"outcome": "cancelled"}}));
        assert_eq!(PermissionChoice::of(&all[2..3]).answer(false), chosen("ra"));
    }

    #[test]
    fn a_person_sees_what_is_asked_and_what_is_cut() {
        let fields = ToolCallUpdateFields::new()
            .title("Run a command".to_owned())
            .raw_input(json!({"command": "x".repeat(20_000)}));
        let request =
            RequestPermissionRequest::new("s", ToolCallUpdate::new("1", fields), Vec::new());
        let asked = question(&request, &PromptEvidence::default());
        assert_eq!(asked.tool, "Run a command");
        assert_eq!(asked.arguments["input"]["bytes"], json!(20_014));
    }
}
