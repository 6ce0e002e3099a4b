//! `abide tools`: what an agent can call, what the policy says about each, how a person changes that, and a call on trial.

use abide_domain::visible;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, text, url_encode},
    table::table,
};

/// Most agents that are named for which a tool does not run although it was set for all.
const STILL_DENIED_SHOWN_MAX: usize = 10;
/// Pages at most that are read.
const PAGES_MAX: usize = 50;

/// Lists the tools of agents, shows one, sets what agents may do with it, tries a call
#[derive(Debug, Args)]
pub(crate) struct ToolsCommand {
    /// The agent's id [default: the only one; for allow, ask, deny and reset: all]
    #[arg(long, global = true)]
    agent: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists them, and whether each runs, asks or is denied; * where a person set that
    Ls,
    /// Shows what a tool does and what it is called with
    Show {
        /// The tool's name
        name: String,
    },
    /// Lets a tool run from the next call on, whatever tools.ask says; what tools.deny names stays denied
    Allow {
        /// The tool's name
        name: String,
    },
    /// Has a person asked before each run of a tool
    Ask {
        /// The tool's name
        name: String,
    },
    /// Lets a tool not run, and hides it from agents
    Deny {
        /// The tool's name
        name: String,
    },
    /// Takes back what was set: what abide.toml says holds again
    Reset {
        /// The tool's name
        name: String,
    },
    /// Tries a call as the agent would make it; what would change something is judged and shown, and not run
    Test {
        /// The tool's name
        name: String,
        /// Its arguments, a JSON object
        #[arg(default_value = "{}")]
        arguments: String,
    },
}

impl ToolsCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let agent = self.agent.as_deref();
        match self.action {
            Action::Ls => list(context, agent).await,
            Action::Show { name } => show(context, agent, &name).await,
            Action::Allow { name } => set(context, agent, &name, Some("allow")).await,
            Action::Ask { name } => set(context, agent, &name, Some("ask")).await,
            Action::Deny { name } => set(context, agent, &name, Some("deny")).await,
            Action::Reset { name } => set(context, agent, &name, None).await,
            Action::Test { name, arguments } => trial(context, agent, &name, &arguments).await,
        }
    }
}

/// All tools of an agent; a page has 500.
async fn fetch(context: &Context, agent: Option<&str>) -> Result<Value, CliError> {
    let client = Client::find(context)?;
    let of = agent.map(|agent| format!("&citizen={}", url_encode(agent))).unwrap_or_default();
    let (mut all, mut cursor) = (Vec::new(), String::new());
    for _ in 0..PAGES_MAX {
        let page = client.fetch(Call::get(&format!("/tools?limit=500{of}{cursor}"))).await?;
        all.extend(items(&page, "/items").iter().cloned());
        match text(&page, "/next") {
            "" => break,
            next => cursor = format!("&cursor={next}"),
        }
    }
    Ok(json!({"items": all, "next": null}))
}

async fn list(context: &Context, agent: Option<&str>) -> Result<Exit, CliError> {
    let found = fetch(context, agent).await?;
    let rows: Vec<_> = items(&found, "/items")
        .iter()
        .map(|tool| {
            let about = text(tool, "/description");
            let first = about.split_once(". ").map_or(about, |(first, _)| first);
            let mark = if is_set(tool) { "*" } else { "" };
            vec![
                display(tool, "/name"),
                format!("{}{mark}", display(tool, "/policy")),
                display(tool, "/effect"),
                first.trim_end_matches('.').to_owned(),
            ]
        })
        .collect();
    let head = ["TOOL", "POLICY", "EFFECT", "WHAT IT DOES"];
    if context.terminal.is_json() {
        return context.terminal.json(&found).map(|()| Exit::Ok);
    }
    context.terminal.table(&table(&head, &rows))?;
    if items(&found, "/items").iter().any(is_set) {
        context.terminal.say("* set by a person; `abide tools show NAME` says by whom and for whom, `abide tools reset NAME` takes it back");
    }
    Ok(Exit::Ok)
}

/// Whether a setting of a person's is in force for a tool.
fn is_set(tool: &Value) -> bool {
    text(tool, "/policy_source") == "person"
}

/// Sets what agents may do with a tool; none: what held before anything was set.
async fn set(
    context: &Context,
    agent: Option<&str>,
    name: &str,
    policy: Option<&str>,
) -> Result<Exit, CliError> {
    let body = json!({"policy": policy, "agent": agent});
    let path = format!("/tools/{}/policy", url_encode(name));
    let set = Client::find(context)?.fetch(Call::put(&path, &body)).await?;
    let whom = agent.map_or_else(|| "all agents".to_owned(), |agent| format!("{agent} alone"));
    let word = |path| match text(&set, path) {
        "" => "what abide.toml says",
        word => word,
    };
    let shown = format!("{name} for {whom}: {} (before: {})", word("/policy"), word("/before"));
    print(context, &set, &shown)?;
    if context.terminal.is_json() {
        return Ok(Exit::Ok);
    }
    let denied = items(&set, "/still_denied");
    for agent in denied.iter().take(STILL_DENIED_SHOWN_MAX) {
        let (agent, reason) = (display(agent, "/citizen"), display(agent, "/reason"));
        context.terminal.say(&format!("not for {agent}: {reason}, and no setting undoes that"));
    }
    if let Some(more) = denied.len().checked_sub(STILL_DENIED_SHOWN_MAX).filter(|more| *more > 0) {
        context.terminal.say(&format!("nor for {more} others; --json lists all"));
    }
    Ok(Exit::Ok)
}

async fn show(context: &Context, agent: Option<&str>, name: &str) -> Result<Exit, CliError> {
    let found = fetch(context, agent).await?;
    let tool = items(&found, "/items").iter().find(|tool| text(tool, "/name") == name);
    let Some(tool) = tool else {
        return Err(
            CliError::new(format!("there is no tool {name:?}")).hint("`abide tools ls` lists them")
        );
    };
    let policy = match text(tool, "/why_not") {
        "" => text(tool, "/policy").to_owned(),
        reason => format!("deny: {reason}"),
    };
    let source = source_of(tool);
    let parameters = tool.get("schema").map(|schema| format!("{schema:#}")).unwrap_or_default();
    let (about, effect) = (text(tool, "/description"), text(tool, "/effect"));
    let shown = format!(
        "{name}\n\n{about}\n\npolicy: {policy}{source}\neffect: {effect}\n\narguments:\n{parameters}"
    );
    print(context, tool, &shown)?;
    Ok(Exit::Ok)
}

/// Who set the policy of a tool, for whom, and what it stands in place of; nothing where abide.toml says it.
fn source_of(tool: &Value) -> String {
    if !is_set(tool) {
        return String::new();
    }
    let whom = match text(tool, "/policy_set/agent") {
        "" => "all agents".to_owned(),
        agent => format!("{agent} alone"),
    };
    let [by, at] = ["/policy_set/by", "/policy_set/at"].map(|path| text(tool, path));
    format!(", set for {whom} by {by} at {at}; abide.toml: {}", text(tool, "/file_policy"))
}

/// A value for programs, or its text for people, in which nothing of a tool's passes for the terminal's own signs.
fn print(context: &Context, value: &Value, shown: &str) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(value);
    }
    context.terminal.data(&visible(shown))
}

async fn trial(
    context: &Context,
    agent: Option<&str>,
    name: &str,
    arguments: &str,
) -> Result<Exit, CliError> {
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| CliError::usage(format!("the arguments are no JSON: {error}")))?;
    let body = json!({"citizen": agent, "tool": name, "arguments": arguments});
    let tried = Client::find(context)?.fetch(Call::post("/tools/trial", &body)).await?;
    let mut lines = vec![match (text(&tried, "/permission"), text(&tried, "/reason")) {
        ("deny", reason) => format!("denied: {reason}"),
        ("ask", _) => "a person would be asked".to_owned(),
        _ => "it would run unasked".to_owned(),
    }];
    let preview = text(&tried, "/preview");
    if !preview.is_empty() {
        lines.push(format!("what it would change:\n{preview}"));
    }
    let error = text(&tried, "/error");
    let ran = tried.get("ran").and_then(Value::as_bool) == Some(true);
    match (ran, error) {
        (false, _) => lines.push(
            "not run: a trial runs only what changes nothing and needs nobody's yes".to_owned(),
        ),
        (true, "") => lines.push(text(&tried, "/result").to_owned()),
        (true, error) => lines.push(format!("failed: {error}")),
    }
    print(context, &tried, &lines.join("\n\n"))?;
    Ok(if error.is_empty() { Exit::Ok } else { Exit::Failed })
}
