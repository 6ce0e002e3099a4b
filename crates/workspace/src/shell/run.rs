//! `shell.run {command, folder, seconds, network}`: runs a command line in the sandbox and gives what it wrote.
//!
//! The command reaches the agent's folders and nothing else of its people's files, has no terminal and no input, and nothing
//! that it started is left when the result is there. Whether a person is asked first is decided by the policy and by
//! [`CommandRules`]; the sandbox holds in either case. A command that fails is a result, not a failure of the tool.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Permission, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    command::COMMAND_BYTES_MAX,
    rules::{CommandRules, CommandRuling},
    runner::{CommandEnd, CommandOrder, CommandRunError, CommandRunner, FinishedCommand},
};
use crate::folder::{FilePath, FolderAccess, FolderResolver, NamedFolder};

/// The shortest time that a command may be given, in seconds.
const SECONDS_MIN: u64 = 1;
/// What a call may take beside its command: others that run, the sandbox, the end of what hangs.
const AROUND_A_COMMAND: Duration = Duration::from_secs(30);

/// What `[tools.shell]` says.
#[derive(Clone, Debug)]
pub struct ShellSettings {
    /// Which commands run unasked and which never.
    pub rules: CommandRules,
    /// Whether commands may reach the network without a person's yes.
    pub network: bool,
    /// How long a command may take that names no time.
    pub seconds: u64,
    /// How long any command may take.
    pub seconds_max: u64,
}

impl Default for ShellSettings {
    fn default() -> Self {
        let rules = CommandRules::default();
        Self { rules, network: false, seconds: 60, seconds_max: 600 }
    }
}

/// The tool `shell.run`.
#[derive(Clone, Debug)]
pub struct RunCommand {
    spec: ToolSpec,
    settings: ShellSettings,
    folders: Arc<dyn FolderResolver>,
    runner: Arc<dyn CommandRunner>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    folder: Option<String>,
    seconds: Option<u64>,
    #[serde(default)]
    network: bool,
}

impl RunCommand {
    /// The tool, with who runs its commands.
    pub fn new(
        settings: ShellSettings,
        folders: Arc<dyn FolderResolver>,
        runner: Arc<dyn CommandRunner>,
    ) -> Self {
        let description = "Runs a command line with sh in one of your folders and returns what it wrote and its exit \
            code. No input, no terminal; no network unless you ask for it and a person agrees. Ends with everything that \
            it started. Output is cut in the middle where it is long."
            .to_owned();
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["command"],
            "properties": {
                "command": {"type": "string", "minLength": 1, "maxLength": COMMAND_BYTES_MAX},
                "folder": {"type": "string", "description": "where it begins, such as `work` or `work/project`"},
                "seconds": {"type": "integer", "minimum": SECONDS_MIN, "maximum": settings.seconds_max},
                "network": {"type": "boolean", "description": "whether it needs the network"}
            }
        });
        let (name, effect) = ("shell.run".to_owned(), EffectClass::World);
        let spec = ToolSpec { name, description, parameters, effect, idempotent: false };
        Self { spec, settings, folders, runner }
    }

    /// What a call asks for, the folder that it names, and what is to be run.
    fn read(
        &self,
        agent: &AgentId,
        arguments: &Value,
    ) -> Result<(Arguments, String, CommandOrder), ToolError> {
        let given: Arguments = parse_arguments(arguments)?;
        if given.command.contains('\0') {
            return Err(ToolError::new("command: has a NUL character in it"));
        }
        let (named, order) = self.order(agent, &given)?;
        Ok((given, named, order))
    }

    fn order(
        &self,
        agent: &AgentId,
        given: &Arguments,
    ) -> Result<(String, CommandOrder), ToolError> {
        let folders = self.folders.folders(agent);
        let Some(first) = folders.iter().find(|folder| folder.access == FolderAccess::Write) else {
            let message = "you have no folder to run a command in";
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        };
        let named = given.folder.as_deref().unwrap_or(&first.name);
        let start = FilePath::parse(&folders, "folder", named)?;
        let paths = |access| {
            let of_access = move |folder: &&NamedFolder| folder.access == access;
            folders.iter().filter(of_access).map(|folder| folder.path.clone())
        };
        let seconds = given.seconds.unwrap_or(self.settings.seconds).min(self.settings.seconds_max);
        let order = CommandOrder {
            agent: agent.clone(),
            command: given.command.clone(),
            below: start.parts.join("/"),
            write: paths(FolderAccess::Write).collect(),
            read: paths(FolderAccess::Read).collect(),
            folder: start.folder.path,
            network: given.network || self.settings.network,
            limit: Duration::from_secs(seconds.max(SECONDS_MIN)),
        };
        Ok((named.to_owned(), order))
    }
}

impl Tool for RunCommand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn judge(&self, _agent: &AgentId, arguments: &Value) -> Option<Permission> {
        let given = Arguments::deserialize(arguments).ok()?;
        match self.settings.rules.decide(&given.command) {
            CommandRuling::Refused(reason) => Some(Permission::Deny { reason }),
            CommandRuling::Uncertain(_) => Some(Permission::Ask),
            _ if given.network && !self.settings.network => Some(Permission::Ask),
            CommandRuling::Unasked => Some(Permission::Allow),
            CommandRuling::Ask(_) => None,
        }
    }

    fn time_limit(&self, arguments: &Value) -> Option<Duration> {
        let given = Arguments::deserialize(arguments).ok()?;
        let seconds = given.seconds.unwrap_or(self.settings.seconds).min(self.settings.seconds_max);
        Some(Duration::from_secs(seconds) + AROUND_A_COMMAND)
    }

    fn preview<'a>(
        &'a self,
        agent: &'a AgentId,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        let preview = self.read(agent, arguments).map(|(given, named, order)| {
            let network = if order.network { "with network" } else { "without network" };
            let why = match self.settings.rules.decide(&given.command) {
                CommandRuling::Ask(reason) | CommandRuling::Uncertain(reason) => {
                    format!("\n({reason})")
                }
                _ => String::new(),
            };
            let seconds = order.limit.as_secs();
            let command = given.command;
            Some(format!("in `{named}`, {network}, for at most {seconds} s:\n\n{command}\n{why}"))
        });
        Box::pin(ready(preview))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let (_, _, order) = self.read(call.agent, call.arguments)?;
            let limit = order.limit;
            let finished = self.runner.run(order, call.progress).await;
            let finished = finished.map_err(|error| tool_error(&error))?;
            Ok(Output::json(&result(&finished, limit)))
        })
    }
}

fn tool_error(error: &CommandRunError) -> ToolError {
    let kind = match error {
        CommandRunError::NoSandbox(_) => ToolErrorKind::Blocked,
        CommandRunError::NotStarted(_) => ToolErrorKind::Upstream,
        CommandRunError::Lost(_) => ToolErrorKind::Unknown,
    };
    ToolError::of(kind, error.to_string())
}

fn result(finished: &FinishedCommand, limit: Duration) -> Value {
    let mut result = match finished.end {
        CommandEnd::Code(code) => json!({"exit_code": code}),
        CommandEnd::Signal(signal) => json!({"signal": signal}),
        CommandEnd::TimedOut => {
            let seconds = limit.as_secs();
            json!({"timed_out": format!("it ran longer than {seconds} s and was ended with everything that it started")})
        }
    };
    let more = json!({
        "stdout": finished.stdout.to_json(),
        "stderr": finished.stderr.to_json(),
        "duration_ms": u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
    });
    if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
        result.extend(more);
    }
    result
}
