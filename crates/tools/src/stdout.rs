//! `stdout {command}`: the command language for a mind: its own log, wakes, messages to other agents.
//!
//! Returns what the commands print. What is written to the log is durable at once, the rest counts when the epoch commits.
//! Spawning another agent needs a person's approval, and so does opening one's log to somebody whom the keeper does not
//! know, unless the policy names `stdout.spawn` or `stdout.grant` and says otherwise.

use abide_domain::{
    limits::COMMAND_CHARS_MAX,
    tool::{EffectClass, ToolSpec},
};
use abide_grammar::{BodyNode, Command};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Call, DelicatePart, Output, Tool, ToolError,
    commands::{CommandReply, parse_commands},
    tool_error::parse_arguments,
};

const ABOUT: &str = "Your own log, and more: one or several commands, each ended by ---. \
    `\\stdout write: note ---` keeps a note at once, even if this epoch fails; `\\stdout read: last 10 ---`, \
    `\\stdout query: word ---` or `query: ?(tick > 42 and content contains \"error\") ---` read yours; \
    `\\wake ?(from(@bob) or sleep(2h)) what to do then ---` wakes you once; `\\say @bob text ---` and `\\read ---` talk with \
    other agents; `\\help ---` lists everything.";

/// The part that creates an agent.
const SPAWN: &str = "stdout.spawn";
/// The part that lets a reader in.
const GRANT: &str = "stdout.grant";
/// The parts of tools that a policy can name by themselves.
pub const TOOL_PARTS: [&str; 2] = [SPAWN, GRANT];

/// The tool `stdout`.
#[derive(Clone, Debug)]
pub struct Stdout {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
}

impl Stdout {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["command"],
            "properties": {
                "command": {"type": "string", "minLength": 1, "maxLength": COMMAND_CHARS_MAX}
            }
        });
        Self {
            spec: ToolSpec {
                name: "stdout".to_owned(),
                description: ABOUT.to_owned(),
                parameters,
                effect: EffectClass::State,
                idempotent: true,
            },
        }
    }
}

impl Tool for Stdout {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn delicate_parts(&self, arguments: &Value) -> Vec<DelicatePart> {
        // A parse error fails the call anyway.
        let Ok(given) = Arguments::deserialize(arguments) else { return Vec::new() };
        let Ok(commands) = parse_commands(&given.command) else { return Vec::new() };
        commands.iter().filter_map(delicate).collect()
    }

    fn writes_at_once(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let Arguments { command } = parse_arguments(call.arguments)?;
            let CommandReply { output, staged, is_cut } = call.commands.carry_out(&command).await?;
            Ok(Output { content: output, ethereal: None, staged, is_cut })
        })
    }
}

/// What a person is asked about: another agent, and a log that is opened to somebody whom the keeper may not know.
fn delicate(command: &Command) -> Option<DelicatePart> {
    if command.is_named("spawn") {
        return Some(DelicatePart { name: SPAWN, to: None });
    }
    if !command.is_named("grant") {
        return None;
    }
    let reader = match command.content().take_form() {
        Ok(Some(BodyNode::Entity(name))) => name.lower(),
        // Which fails, and asks nobody.
        _ => return None,
    };
    Some(DelicatePart { name: GRANT, to: Some(reader) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DelicatePart, Stdout};
    use crate::Tool as _;

    #[test]
    fn a_person_is_asked_about_another_agent_and_about_whom_a_log_is_opened_to() {
        let tool = Stdout::new();
        let parts = |command: &str| tool.delicate_parts(&json!({"command": command}));
        let spawn = DelicatePart { name: "stdout.spawn", to: None };
        assert_eq!(parts(r"\spawn @kid ---"), std::slice::from_ref(&spawn));
        let grant = |to: &str| DelicatePart { name: "stdout.grant", to: Some(to.into()) };
        assert_eq!(
            parts(r"\stdout a --- \SPAWN @kid --- \Grant @Bob --- \grant @eve"),
            [spawn, grant("bob"), grant("eve")]
        );
        for harmless in [
            r"\stdout \spawn is a command ---",
            "spawn more overlords",
            r"\stdout \grant @bob ---",
            r"\revoke @bob ---",
            r"\grant bob ---",
        ] {
            assert_eq!(parts(harmless), [], "{harmless}");
        }
        assert_eq!(
            parts(r"\stdout unended $(\spawn @x"),
            [],
            "a parse error fails the call anyway"
        );
    }
}
