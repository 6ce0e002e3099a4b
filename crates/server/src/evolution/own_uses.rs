//! What the record holds of an agent's own tools and commands being used: each with what it was given, and what other tools gave it
//! then. Reads the ledger; runs nothing.

use std::collections::{BTreeSet, HashMap, VecDeque};

use abide_domain::{AgentId, COMMANDS, EpochId, evolution::EvolutionTarget, tool::Outcome};
use abide_engine::{
    Keeper,
    state::{CallRecord, EpochRecord, InnerCallRecord},
};
use abide_modules::ModuleKind;
use abide_tools::{Registry, parse_commands};
use serde_json::Value;

use super::recorded_calls::key;

/// Epochs that are looked through for uses, from the newest.
const LOOKED_THROUGH_MAX: usize = 2_000;
/// The tool through which minds write commands, and its argument.
const STDOUT: (&str, &str) = ("stdout", "command");

/// One use of a tool or a command.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OwnUse {
    pub(super) name: String,
    pub(super) input: UseInput,
    pub(super) inner: RecordedInner,
}

/// What it was given.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UseInput {
    Arguments(Value),
    Text(String),
}

/// What a use's inner calls gave, and have not been asked for again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RecordedInner(HashMap<(String, String), VecDeque<Result<Value, String>>>);

impl RecordedInner {
    /// Those of a call; none where what one gave is not in the record.
    fn of(calls: &[InnerCallRecord]) -> Option<Self> {
        let mut inner = Self::default();
        for call in calls {
            let finished = call.finished.as_ref()?;
            if finished.note.is_some() || finished.outcome == Outcome::Unknown {
                return None;
            }
            let content = finished.content.clone();
            let result = if finished.outcome == Outcome::Ok {
                Ok(serde_json::from_str(&content).unwrap_or(Value::String(content)))
            } else {
                Err(content)
            };
            let key = key(&call.requested.name, &call.requested.arguments);
            inner.0.entry(key).or_default().push_back(result);
        }
        Some(inner)
    }

    /// What the next call gave that asked this; none where the record has no such call, or none any more.
    pub(super) fn take(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, String>> {
        self.0.get_mut(&key(tool, arguments))?.pop_front()
    }
}

/// The uses of an epoch, in order, of what has one of these names; none where there are none, or what one was given is not in the record
/// any more.
pub(super) fn uses_of(
    kind: ModuleKind,
    record: &EpochRecord,
    is_own: &dyn Fn(&str) -> bool,
) -> Option<Vec<OwnUse>> {
    let calls = record.turns.iter().flat_map(|turn| turn.voice.tool_calls.iter().zip(&turn.calls));
    let mut uses = Vec::new();
    for (call, called) in calls {
        match kind {
            ModuleKind::Tools if is_own(&call.name) && has_run(called) => uses.push(OwnUse {
                name: call.name.clone(),
                input: UseInput::Arguments(call.arguments.clone()),
                inner: RecordedInner::of(&called.inner)?,
            }),
            ModuleKind::Dsl if call.name == STDOUT.0 => {
                let written = call.arguments.get(STDOUT.1).and_then(Value::as_str);
                uses.extend(commands_of(written.unwrap_or_default(), is_own));
            }
            _ => {}
        }
    }
    (!uses.is_empty()).then_some(uses)
}

/// Whether a call reached its tool.
fn has_run(call: &CallRecord) -> bool {
    let ended = call.finished.as_ref().map(|finished| finished.outcome);
    call.requested.is_some() && matches!(ended, Some(Outcome::Ok | Outcome::Error))
}

fn commands_of(written: &str, is_own: &dyn Fn(&str) -> bool) -> Vec<OwnUse> {
    let commands = parse_commands(written).unwrap_or_default();
    let own = commands.iter().filter(|command| is_own(&command.name().to_ascii_lowercase()));
    own.map(|command| OwnUse {
        name: command.name().to_ascii_lowercase(),
        input: UseInput::Text(command.text()),
        inner: RecordedInner::default(),
    })
    .collect()
}

/// The newest epochs up to a line of the ledger in which something was used that the keeper does not have by itself.
pub(super) async fn epochs_with_uses(
    keeper: &Keeper,
    (agent, target): (&AgentId, EvolutionTarget),
    (up_to, count): (u64, usize),
) -> Result<Vec<EpochId>, String> {
    let given = keeper.agent(agent.as_str()).map(|setup| setup.tools.given());
    let Some(given) = given else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for epoch in keeper.committed_epochs(agent, up_to, LOOKED_THROUGH_MAX) {
        if found.len() >= count {
            break;
        }
        let record = keeper.epoch(epoch).await.map_err(|error| error.to_string())?;
        if record.is_some_and(|record| has_use(&record, target, &given)) {
            found.push(epoch);
        }
    }
    Ok(found)
}

fn has_use(record: &EpochRecord, target: EvolutionTarget, given: &Registry) -> bool {
    let names: BTreeSet<&str> = record.called().collect();
    if target == EvolutionTarget::ToolFramework {
        return names.iter().any(|name| given.get(name).is_err());
    }
    let is_new = |name: &str| !COMMANDS.contains(&name);
    names.contains(STDOUT.0) && uses_of(ModuleKind::Dsl, record, &is_new).is_some()
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        CallId,
        event::{InnerToolFinished, InnerToolRequested},
        tool::{EffectClass, Outcome},
    };
    use abide_engine::state::InnerCallRecord;
    use serde_json::json;

    use super::{RecordedInner, UseInput, commands_of};

    fn inner(n: u32, content: &str, note: Option<&str>) -> InnerCallRecord {
        let call_id = CallId::new(1, 1);
        let (name, arguments) = ("memory.recall".to_owned(), json!({"query": "tea"}));
        let effect = EffectClass::Read;
        let requested = InnerToolRequested { call_id: call_id.clone(), n, name, arguments, effect };
        let (content, note) = (content.to_owned(), note.map(str::to_owned));
        let outcome = Outcome::Ok;
        let finished = InnerToolFinished { call_id, n, outcome, content, note, duration_ms: 1 };
        InnerCallRecord { requested, finished: Some(finished) }
    }

    #[test]
    fn inner_calls_that_repeat_get_what_was_given_in_that_order_and_then_nothing() {
        let calls = [inner(1, "1", None), inner(2, "\"two\"", None)];
        let mut recorded = RecordedInner::of(&calls).unwrap();
        let arguments = json!({"query": "tea"});
        assert_eq!(recorded.take("memory.recall", &arguments), Some(Ok(json!(1))));
        assert_eq!(recorded.take("memory.recall", &json!({"query": "coffee"})), None);
        assert_eq!(recorded.take("memory.recall", &arguments), Some(Ok(json!("two"))));
        assert_eq!(recorded.take("memory.recall", &arguments), None);
        assert_eq!(RecordedInner::of(&[inner(1, "", Some("a page"))]), None, "it is gone");
        let begun = InnerCallRecord { finished: None, ..inner(1, "1", None) };
        assert_eq!(RecordedInner::of(&[begun]), None, "nobody knows what it gave");
    }

    #[test]
    fn commands_of_an_agent_s_own_are_found_in_what_its_mind_wrote() {
        let is_own = |name: &str| name == "remind";
        let found = commands_of(r"\Remind tea --- \stdout write: x --- \remind milk", &is_own);
        let texts: Vec<_> = found.into_iter().map(|used| used.input).collect();
        let text = |text: &str| UseInput::Text(text.to_owned());
        assert_eq!(texts, [text("tea"), text("milk")]);
        assert!(commands_of("read: last 5", &is_own).is_empty());
    }
}
