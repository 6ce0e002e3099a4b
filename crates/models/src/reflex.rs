//! The mind that needs no model: it remembers, corrects and forgets, keeps lists, recalls with sources what was asked for,
//! tells time and dates, reminds, runs tools on request, and says that it has no model.
//!
//! What the keeper or another agent says is information: it is answered from memory, and its instructions are not
//! carried out.
//!
//! A pure function of the turn: the same in the keeper and in an agent process, the same on every machine. It works
//! through the same tools as any mind, never asks for the same call twice, and never invents an answer.

mod answer;
mod context_findings;
mod dates;
mod intent;
mod lists;
mod memory;
mod phrases;
mod recall;
mod tool_names;
mod words;

use abide_domain::{
    envelope::Channel,
    tool::{Outcome, ToolSpec},
    turn::TurnRequest,
    voice::{Voice, VoiceError},
};
use serde_json::{Value, json};

use self::{
    answer::{NO_MODEL, ask_tool, not_allowed, offers, respond},
    context_findings::is_about_a_matter,
    intent::Intent,
    tool_names::{CLOCK, STDOUT},
};

/// Answers a turn without a model.
pub fn reflex(request: &TurnRequest) -> Voice {
    if let Some(problem) = &request.repair {
        return respond(&format!("I could not do that: {}", describe_repair(problem)));
    }
    if let Some((person, what)) = dates::due_reminder(request) {
        return dates::say_reminder(request, &person, &what);
    }
    let intent = Intent::of(&request.message, request.agent.as_str());
    if request.channel == Channel::System && intent.is_instruction() {
        return respond(&refuse_instruction(request));
    }
    match intent {
        Intent::Greeting => respond(&greeting(request)),
        Intent::Thanks => respond(&format!("You are welcome. {NO_MODEL}")),
        Intent::Bye => respond("Goodbye. I keep what you asked me to remember."),
        Intent::Help => respond(&abilities(request)),
        Intent::Remember(content) => memory::remember(request, &content),
        Intent::Correct(content) => memory::correct(request, &content),
        Intent::Forget(what) => memory::forget(request, &what),
        Intent::List(wanted) => lists::list(request, &wanted),
        Intent::Remind(text) => dates::remind(request, &text),
        Intent::Time => dates::tell_time(request),
        Intent::Date(words) => dates::tell_date(request, &words),
        Intent::Command { name, arguments } => command(request, &name, &arguments),
        Intent::Commands(commands) if offers(request, STDOUT) => run_commands(request, &commands),
        // Where the command language is not available, the help lists the tools.
        Intent::Commands(commands) if commands.starts_with(r"\help") => {
            respond(&list_tools(&request.tools))
        }
        Intent::Commands(_) => respond(&not_allowed(STDOUT)),
        Intent::Recall(about) => recall::recall(request, &about),
        // Talk about what is known is answered with what is known of it.
        Intent::Talk if is_about_a_matter(&request.context) => {
            recall::recall(request, &request.message)
        }
        Intent::Talk => respond(&format!("I can only talk with a model. {NO_MODEL}")),
    }
}

/// Runs commands through the tool `stdout`, and answers with their output or their error, word for word.
fn run_commands(request: &TurnRequest, commands: &str) -> Voice {
    let mut results = request.steps.iter().flat_map(|step| &step.results);
    let wrong = results.find(|r| r.name == STDOUT && r.outcome == Outcome::Error);
    if let Some(result) = wrong.filter(|result| !result.content.trim().is_empty()) {
        return respond(&result.content);
    }
    match ask_tool(request, STDOUT, json!({"command": commands})) {
        Ok(result) => respond(&result.content),
        Err(voice) => *voice,
    }
}

/// The answer to an instruction of the keeper or of another agent.
fn refuse_instruction(request: &TurnRequest) -> String {
    format!(
        "I treat messages from {} as information and do not carry out their instructions. A person can ask me to. \
         {NO_MODEL}",
        request.sender
    )
}

fn describe_repair(problem: &VoiceError) -> String {
    if problem.path.is_empty() {
        problem.message.clone()
    } else {
        format!("`{}`: {}", problem.path, problem.message)
    }
}

fn greeting(request: &TurnRequest) -> String {
    format!(
        "Hello {}. I remember what you ask me to (\"remember that …\") and answer from what I remember. {NO_MODEL}",
        request.sender
    )
}

/// What it can do, as far as it may.
fn abilities(request: &TurnRequest) -> String {
    let mut text = String::from("Without a model I can do this:");
    let mut can = |tool: &str, what: &str| {
        if offers(request, tool) {
            text.push_str("\n- ");
            text.push_str(what);
        }
    };
    can(
        memory::REMEMBER,
        "remember: \"remember that …\", \"my name is …\", \"no, remember that …\" to correct it",
    );
    can(
        memory::REMEMBER,
        "keep lists: \"add milk to my shopping list\", \"what is on my shopping list?\"",
    );
    can(memory::SEARCH, "answer from memory: \"what do you know about …?\"");
    can(memory::FORGET, "forget: \"forget that …\"");
    can(CLOCK, "tell the time and dates: \"what day is next Friday?\"");
    can(STDOUT, "remind you: \"remind me tomorrow at 9 to …\"");
    format!("{text}\n{NO_MODEL}")
}

fn command(request: &TurnRequest, name: &str, arguments: &str) -> Voice {
    if matches!(name, "" | "help" | "tools") {
        return respond(&list_tools(&request.tools));
    }
    let Some(tool) = request.tools.iter().find(|tool| tool.name == name) else {
        return respond(&format!(
            "There is no command or tool `{name}`. {}",
            list_tools(&request.tools)
        ));
    };
    let arguments = match arguments_of(tool, arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return respond(&format!("I did not run `{name}`: {problem}.")),
    };
    match ask_tool(request, name, arguments) {
        Ok(result) => respond(&format!("{name}: {}", result.content)),
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
            Err(error) => Err(format!("its arguments are not valid JSON: {error}")),
        };
    }
    let required = tool.parameters.get("required").and_then(Value::as_array);
    match required.map(Vec::as_slice) {
        Some([Value::String(only)]) => Ok(json!({only: text})),
        _ => Err(format!("its arguments must be a JSON object that fits {}", tool.parameters)),
    }
}

fn list_tools(tools: &[ToolSpec]) -> String {
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    if names.is_empty() {
        return "No tools are allowed here.".to_owned();
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    format!("Run a tool with `\\tool NAME {{JSON}}`. Available tools: {}.", names.join(", "))
}
