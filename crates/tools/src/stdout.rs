//! `stdout {command}`: the command language for a mind: its own log, wakes, messages to other agents.
//!
//! Returns what the commands print. What is written to the log is durable at once, the rest counts when the epoch commits.
//! Spawning another agent needs a person's approval whatever the policy allows.

use abide_domain::{
    limits::COMMAND_CHARS_MAX,
    tool::{EffectClass, ToolSpec},
};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Call, Output, Tool, ToolError,
    commands::{CommandReply, parse_commands},
    tool_error::parse_arguments,
};

const ABOUT: &str = "Your own log, and more: one or several commands, each ended by ---. \
    `\\stdout write: note ---` keeps a note at once, even if this epoch fails; `\\stdout read: last 10 ---`, \
    `\\stdout query: word ---` or `query: ?(tick > 42 and content contains \"error\") ---` read yours; \
    `\\wake ?(from(@bob) or sleep(2h)) what to do then ---` wakes you once; `\\say @bob text ---` and `\\read ---` talk with \
    other agents; `\\help ---` lists everything.";

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

    fn needs_approval(&self, arguments: &Value) -> bool {
        let commands =
            Arguments::deserialize(arguments).map(|given| parse_commands(&given.command));
        // A parse error fails the call anyway.
        commands.is_ok_and(|parse_arguments| {
            parse_arguments
                .is_ok_and(|commands| commands.iter().any(|command| command.is_named("spawn")))
        })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Stdout;
    use crate::Tool as _;

    #[test]
    fn only_spawning_another_agent_needs_approval() {
        let tool = Stdout::new();
        let needs_approval = |command: &str| tool.needs_approval(&json!({"command": command}));
        assert!(needs_approval(r"\spawn @kid ---") && needs_approval(r"\stdout a --- \SPAWN @kid"));
        assert!(
            !needs_approval(r"\stdout \spawn is a command ---")
                && !needs_approval("spawn more overlords")
        );
        assert!(
            !needs_approval(r"\stdout unended $(\spawn @x"),
            "a parse error fails the call anyway"
        );
    }
}
