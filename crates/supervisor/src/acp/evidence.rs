//! What an agent's own work leaves as evidence: its tool calls as they begin and end, and its plans.
//!
//! Pure; time is handed in. Size and rate are bounded, and what was left out is counted and said. It must never report that
//! an agent only talks: talk is no progress.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use abide_domain::event::EvidenceReported;
use agent_client_protocol::v1::schema::{
    Plan, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolKind,
};
use serde_json::{Value, json};

use super::answer;

/// Reports of one prompt.
const REPORTS_MAX: u32 = 800;
/// Reports that may come at once.
const BURST: u32 = 40;
/// One more may come after each.
const EVERY: Duration = Duration::from_millis(250);
/// Tool calls of one prompt that are remembered.
const CALLS_MAX: usize = 256;
/// Longest id, title or name, in characters.
const TITLE_CHARS_MAX: usize = 200;
/// Longest input or output of a tool that is kept, in characters of text or JSON.
const DETAIL_CHARS_MAX: usize = 2_000;
/// Locations of a call that are kept.
const LOCATIONS_MAX: usize = 8;
/// Entries of a plan that are kept.
const ENTRIES_MAX: usize = 32;

/// The reports of one prompt.
#[derive(Debug, Default)]
pub(super) struct PromptEvidence {
    calls: BTreeMap<String, ToolCallRecord>,
    reports: u32,
    left_out: u64,
    /// When the allowance is whole again.
    whole_at: Duration,
}

/// A tool call that began.
#[derive(Debug)]
struct ToolCallRecord {
    title: String,
    name: Option<String>,
    kind: ToolKind,
    is_over: bool,
}

impl PromptEvidence {
    /// Reports a tool call that begins; some begin and end at once.
    pub(super) fn start_call(
        &mut self,
        call: &ToolCall,
        now: Duration,
    ) -> Option<EvidenceReported> {
        let is_over = is_over(call.status);
        let known = ToolCallRecord {
            title: short(&call.title),
            name: call.name.as_deref().map(short),
            kind: call.kind,
            is_over,
        };
        let body = body(
            &call.tool_call_id,
            &known,
            call.status,
            CallDetail {
                locations: &call.locations,
                input: call.raw_input.as_ref(),
                output: output(Some(&call.content), call.raw_output.as_ref()).filter(|_| is_over),
            },
        );
        let tags = tags(known.kind, call.status);
        if self.calls.len() < CALLS_MAX {
            self.calls.insert(short(&call.tool_call_id.0), known);
        }
        self.report("tool_call", tags, body, now)
    }

    /// Takes in an update of a tool call, and reports it when the call is over.
    pub(super) fn update_call(
        &mut self,
        update: &ToolCallUpdate,
        now: Duration,
    ) -> Option<EvidenceReported> {
        let fields = &update.fields;
        let id = short(&update.tool_call_id.0);
        let has_room = self.calls.len() < CALLS_MAX;
        let new = || ToolCallRecord {
            title: id.clone(),
            name: None,
            kind: ToolKind::Other,
            is_over: false,
        };
        let mut unknown = new();
        let call = match self.calls.get_mut(&id) {
            Some(call) => call,
            None if has_room => self.calls.entry(id.clone()).or_insert_with(new),
            None => &mut unknown,
        };
        if let Some(title) = &fields.title {
            call.title = short(title);
        }
        if let Some(name) = &fields.name {
            call.name = Some(short(name));
        }
        call.kind = fields.kind.unwrap_or(call.kind);
        let status = fields.status.filter(|status| is_over(*status) && !call.is_over)?;
        call.is_over = true;
        let body = body(
            &update.tool_call_id,
            call,
            status,
            CallDetail {
                locations: fields.locations.as_deref().unwrap_or_default(),
                input: fields.raw_input.as_ref(),
                output: output(fields.content.as_deref(), fields.raw_output.as_ref()),
            },
        );
        let tags = tags(call.kind, status);
        self.report("tool_call", tags, body, now)
    }

    /// Reports a plan that the agent made or changed.
    pub(super) fn report_plan(&mut self, plan: &Plan, now: Duration) -> Option<EvidenceReported> {
        let entries: Vec<Value> = plan
            .entries
            .iter()
            .take(ENTRIES_MAX)
            .map(|entry| {
                json!({
                    "content": short(&entry.content),
                    "priority": &entry.priority,
                    "status": &entry.status,
                })
            })
            .collect();
        let body = json!({"entries": entries, "entries_total": plan.entries.len()});
        self.report("plan", vec!["acp".into()], body, now)
    }

    /// Reports how much was left out, if anything, at the end of a prompt.
    pub(super) fn report_left_out(&self) -> Option<EvidenceReported> {
        (self.left_out > 0).then(|| EvidenceReported {
            run: None,
            claim_type: "left_out".into(),
            tags: vec!["acp".into()],
            body: json!({"reports": self.left_out}),
        })
    }

    /// The title and name of a tool call that began.
    pub(super) fn call_title(&self, id: &ToolCallId) -> Option<(&str, Option<&str>)> {
        let call = self.calls.get(&short(&id.0))?;
        Some((&call.title, call.name.as_deref()))
    }

    /// Titles of the tool calls that began and did not end.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &str> {
        self.calls.values().filter(|call| !call.is_over).map(|call| call.title.as_str())
    }

    fn report(
        &mut self,
        claim_type: &str,
        tags: Vec<String>,
        body: Value,
        now: Duration,
    ) -> Option<EvidenceReported> {
        let whole_at = self.whole_at.max(now) + EVERY;
        if self.reports >= REPORTS_MAX || whole_at > now + EVERY * BURST {
            self.left_out += 1;
            return None;
        }
        self.whole_at = whole_at;
        self.reports += 1;
        Some(EvidenceReported { run: None, claim_type: claim_type.into(), tags, body })
    }
}

/// What a call works with.
struct CallDetail<'a> {
    locations: &'a [ToolCallLocation],
    input: Option<&'a Value>,
    output: Option<String>,
}

const fn is_over(status: ToolCallStatus) -> bool {
    matches!(status, ToolCallStatus::Completed | ToolCallStatus::Failed)
}

fn tags(kind: ToolKind, status: ToolCallStatus) -> Vec<String> {
    let name = |value: Value| value.as_str().unwrap_or_default().to_owned();
    vec!["acp".into(), name(json!(kind)), name(json!(status))]
}

fn body(
    id: &ToolCallId,
    call: &ToolCallRecord,
    status: ToolCallStatus,
    detail: CallDetail<'_>,
) -> Value {
    let mut body = json!({
        "id": short(&id.0), "title": call.title, "kind": call.kind, "status": status,
    });
    let Value::Object(object) = &mut body else { return body };
    if let Some(name) = &call.name {
        object.insert("name".into(), json!(name));
    }
    if !detail.locations.is_empty() {
        let paths = detail.locations.iter().take(LOCATIONS_MAX);
        let paths: Vec<_> = paths.map(|at| short(&at.path.to_string_lossy())).collect();
        object.insert("locations".into(), json!(paths));
    }
    if let Some(input) = detail.input {
        object.insert("input".into(), bounded(input, DETAIL_CHARS_MAX));
    }
    if let Some(output) = detail.output {
        object.insert("output".into(), json!(output));
    }
    body
}

/// What a tool gave, as text.
fn output(content: Option<&[ToolCallContent]>, raw: Option<&Value>) -> Option<String> {
    let mut text = String::new();
    for piece in content.unwrap_or_default() {
        match piece {
            ToolCallContent::Content(content) => {
                text.push_str(&answer::block_text(&content.content));
            }
            ToolCallContent::Diff(diff) => {
                _ = write!(text, "[diff {}]", diff.path.display());
            }
            _ => {}
        }
        text.push('\n');
        if text.len() > DETAIL_CHARS_MAX * 4 {
            break;
        }
    }
    if text.trim().is_empty() {
        text = raw.map(Value::to_string)?;
    }
    Some(text.trim().chars().take(DETAIL_CHARS_MAX).collect())
}

/// A value if it is short, else the beginning of its JSON and its length.
pub(super) fn bounded(value: &Value, chars_max: usize) -> Value {
    let text = value.to_string();
    if text.len() <= chars_max {
        return value.clone();
    }
    let beginning: String = text.chars().take(chars_max).collect();
    json!({"cut": beginning, "bytes": text.len()})
}

/// A text at most as long as a title.
pub(super) fn short(text: &str) -> String {
    text.chars().take(TITLE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agent_client_protocol::v1::schema::{
        ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
    };
    use serde_json::json;

    use super::{BURST, CALLS_MAX, PromptEvidence, REPORTS_MAX};

    const NOW: Duration = Duration::from_secs(100);

    fn status(id: String, status: ToolCallStatus) -> ToolCallUpdate {
        ToolCallUpdate::new(id, ToolCallUpdateFields::new().status(status))
    }

    #[test]
    fn a_tool_call_is_reported_when_it_begins_and_when_it_ends() {
        let mut evidence = PromptEvidence::default();
        let call = ToolCall::new("1", "Read shed.txt")
            .kind(ToolKind::Read)
            .raw_input(json!({"path": "shed.txt"}));
        let began = evidence.start_call(&call, NOW).unwrap();
        assert_eq!(began.tags, ["acp", "read", "pending"]);
        assert_eq!(
            began.body,
            json!({"id": "1", "title": "Read shed.txt", "kind": "read", "status": "pending",
                   "input": {"path": "shed.txt"}})
        );
        assert_eq!(evidence.unfinished().collect::<Vec<_>>(), ["Read shed.txt"]);
        assert!(
            evidence.update_call(&status("1".into(), ToolCallStatus::InProgress), NOW).is_none()
        );
        let ended =
            evidence.update_call(&status("1".into(), ToolCallStatus::Completed), NOW).unwrap();
        assert_eq!(ended.tags, ["acp", "read", "completed"]);
        assert!(
            evidence.update_call(&status("1".into(), ToolCallStatus::Completed), NOW).is_none()
        );
        assert_eq!(evidence.unfinished().count(), 0);
        assert!(evidence.report_left_out().is_none());
    }

    #[test]
    fn reports_have_a_size_a_rate_and_a_number() {
        let mut evidence = PromptEvidence::default();
        let call = ToolCall::new("1", "x".repeat(10_000)).raw_input(json!("y".repeat(100_000)));
        assert!(evidence.start_call(&call, NOW).unwrap().body.to_string().len() < 4_000);
        let mut at_once = 1;
        for id in 0..1_000 {
            let call = ToolCall::new(id.to_string(), "t");
            at_once += u32::from(evidence.start_call(&call, NOW).is_some());
        }
        assert_eq!(at_once, BURST);
        assert_eq!(evidence.report_left_out().unwrap().body, json!({"reports": 1_001 - BURST}));
        assert_eq!(evidence.calls.len(), CALLS_MAX);
        let mut all = at_once;
        for second in 0..10_000 {
            let now = NOW + Duration::from_secs(second);
            all += u32::from(evidence.start_call(&ToolCall::new("2", "t"), now).is_some());
        }
        assert_eq!(all, REPORTS_MAX);
    }
}
