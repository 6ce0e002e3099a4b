//! The mind that needs no model: remembers, recalls with its sources, tells the time, runs the tools that it is told to
//! run, and says plainly that it cannot think.
//!
//! What the house or another agent says is information: it is answered from memory, and nothing that it asks for is done.
//!
//! A pure function of the turn: the same in the keeper and in an agent process, the same on every machine. It works
//! through the same tools as any mind, never asks for the same call twice, and never says what it was not told.

mod intent;
mod memory;
mod noted;
mod recall;
mod words;

use abide_domain::{
    Timestamp,
    envelope::Channel,
    limits::RESPONSE_CHARS_MAX,
    tool::{Outcome, ToolSpec},
    turn::{ToolResult, TurnRequest},
    voice::{EMOTIVE_STATE_DEFAULT, ToolCall, Voice, VoiceError},
};
use serde_json::{Value, json};

use self::intent::Intent;

/// What the reflex adds where it was asked to think.
const NO_MODEL: &str = "No model is configured, so I cannot think about it: set `provider` and `name` under `[model]` \
in abide.toml and start again.";

/// The tool that carries the command language out.
const STDOUT: &str = "stdout";

/// Answers a turn without a model.
pub fn reflex(request: &TurnRequest) -> Voice {
    if let Some(problem) = &request.repair {
        return say(&format!("I could not do that: {}", repair(problem)));
    }
    let intent = Intent::of(&request.message, request.agent.as_str());
    if request.channel == Channel::System && intent.is_order() {
        return say(&unheeded(request));
    }
    match intent {
        Intent::Greeting => say(&greeting(request)),
        Intent::Remember(content) => memory::remember(request, &content),
        Intent::Forget(what) => memory::forget(request, &what),
        Intent::Time => time(request),
        Intent::Command { name, arguments } => command(request, &name, &arguments),
        Intent::Commands(commands) if offers(request, STDOUT) => carry_out(request, &commands),
        // Its own help, where there is no command language to help with.
        Intent::Commands(commands) if commands.starts_with(r"\help") => {
            say(&available(&request.tools))
        }
        Intent::Commands(_) => say(&not_allowed(STDOUT)),
        Intent::Recall => recall::recall(request),
    }
}

/// Hands commands to the tool that carries them out, and says what they gave, word for word, a mistake in them too.
fn carry_out(request: &TurnRequest, commands: &str) -> Voice {
    let mut results = request.steps.iter().flat_map(|step| &step.results);
    let wrong = results.find(|r| r.name == STDOUT && r.outcome == Outcome::Error);
    if let Some(result) = wrong.filter(|result| !result.content.trim().is_empty()) {
        return say(&result.content);
    }
    match ask_tool(request, STDOUT, json!({"command": commands})) {
        Ok(result) => say(&result.content),
        Err(voice) => *voice,
    }
}

/// What is said where the house or another agent wants something done.
fn unheeded(request: &TurnRequest) -> String {
    format!(
        "I take what {} says as information and do nothing that it asks for. A person can tell me to. {NO_MODEL}",
        request.sender
    )
}

/// A final response, within the bounds of one.
fn say(text: &str) -> Voice {
    let text: String = text.chars().take(RESPONSE_CHARS_MAX).collect();
    Voice {
        thought: String::new(),
        emotive_state: EMOTIVE_STATE_DEFAULT.into(),
        tool_calls: Vec::new(),
        final_response: Some(text),
    }
}

/// One call.
fn call(name: &str, arguments: Value) -> Voice {
    Voice {
        thought: String::new(),
        emotive_state: EMOTIVE_STATE_DEFAULT.into(),
        tool_calls: vec![ToolCall { name: name.to_owned(), arguments }],
        final_response: None,
    }
}

/// What a tool gave in this epoch, or the voice that gets or explains it: a call where there was none yet, a plain
/// sentence where it is not offered or did not work.
fn ask_tool<'a>(
    request: &'a TurnRequest,
    name: &str,
    arguments: Value,
) -> Result<&'a ToolResult, Box<Voice>> {
    let mut results = request.steps.iter().flat_map(|step| &step.results);
    match results.find(|result| result.name == name) {
        Some(result) if result.outcome == Outcome::Ok => Ok(result),
        Some(result) => Err(Box::new(say(&failure(result)))),
        None if offers(request, name) => Err(Box::new(call(name, arguments))),
        None => Err(Box::new(say(&not_allowed(name)))),
    }
}

fn offers(request: &TurnRequest, tool: &str) -> bool {
    request.tools.iter().any(|offered| offered.name == tool)
}

fn not_allowed(tool: &str) -> String {
    format!("I cannot do that here: the tool `{tool}` is not allowed.")
}

/// What went wrong with a call, and what to do about it.
fn failure(result: &ToolResult) -> String {
    let (name, why) = (&result.name, result.content.trim());
    match result.outcome {
        Outcome::Denied => format!(
            "`{name}` was refused and did not run: {why}. Allow it under `[tools]` in abide.toml, or approve it when \
             asked."
        ),
        Outcome::Unknown => format!(
            "Nobody knows whether `{name}` ran, for the house went down in the middle: {why}. Look at its effect before \
             you ask for it again."
        ),
        Outcome::Error | Outcome::Ok => format!("`{name}` failed: {why}. Mend that and ask again."),
    }
}

fn repair(problem: &VoiceError) -> String {
    if problem.path.is_empty() {
        problem.message.clone()
    } else {
        format!("`{}`: {}", problem.path, problem.message)
    }
}

fn greeting(request: &TurnRequest) -> String {
    format!(
        "Hello {}. I remember what you tell me to (\"remember that …\") and answer from it. {NO_MODEL}",
        request.sender
    )
}

fn time(request: &TurnRequest) -> Voice {
    let result = match ask_tool(request, "clock.now", json!({})) {
        Ok(result) => result,
        Err(voice) => return *voice,
    };
    let value: Value = serde_json::from_str(&result.content).unwrap_or_default();
    let utc = value.get("utc").and_then(Value::as_str).unwrap_or(&result.content);
    let spoken = utc.parse::<Timestamp>().ok().and_then(|now| {
        let text = now.to_string();
        let (date, time) = text.split_once('T')?;
        Some(format!("It is {} UTC on {date}.", time.get(..8)?))
    });
    say(&spoken.unwrap_or_else(|| format!("The clock says: {utc}")))
}

fn command(request: &TurnRequest, name: &str, arguments: &str) -> Voice {
    if matches!(name, "" | "help" | "tools") {
        return say(&available(&request.tools));
    }
    let Some(tool) = request.tools.iter().find(|tool| tool.name == name) else {
        return say(&format!("I know no command or tool `{name}`. {}", available(&request.tools)));
    };
    let arguments = match arguments_of(tool, arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return say(&format!("I did not run `{name}`: {problem}.")),
    };
    match ask_tool(request, name, arguments) {
        Ok(result) => say(&format!("{name}: {}", result.content)),
        Err(voice) => *voice,
    }
}

/// Reads a command's arguments: a JSON object, nothing, or bare text for a tool that needs exactly one text.
fn arguments_of(tool: &ToolSpec, text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Ok(json!({}));
    }
    if text.starts_with('{') {
        return match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(Value::Object(object)),
            Ok(_) => Err("its arguments must be a JSON object".into()),
            Err(error) => Err(format!("its arguments are no JSON: {error}")),
        };
    }
    let required = tool.parameters.get("required").and_then(Value::as_array);
    match required.map(Vec::as_slice) {
        Some([Value::String(only)]) => Ok(json!({only: text})),
        _ => Err(format!("its arguments must be a JSON object that fits {}", tool.parameters)),
    }
}

fn available(tools: &[ToolSpec]) -> String {
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    if names.is_empty() {
        return "No tools are allowed here.".to_owned();
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    format!("I can run `\\tool NAME {{JSON}}` with: {}.", names.join(", "))
}
