//! `abide tools`: what an agent can call, what the policy says about each, and a call on trial.

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

/// Pages at most that are read.
const PAGES_MAX: usize = 50;

/// Lists the tools of an agent, shows one, tries a call
#[derive(Debug, Args)]
pub(crate) struct ToolsCommand {
    /// The agent's id [default: the only one]
    #[arg(long, global = true)]
    agent: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists them, and whether each runs, asks or is denied
    Ls,
    /// Shows what a tool does and what it is called with
    Show {
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
            ["/name", "/policy", "/effect"]
                .map(|path| display(tool, path))
                .into_iter()
                .chain([first.trim_end_matches('.').to_owned()])
                .collect::<Vec<_>>()
        })
        .collect();
    let head = ["TOOL", "POLICY", "EFFECT", "WHAT IT DOES"];
    if context.terminal.is_json() {
        return context.terminal.json(&found).map(|()| Exit::Ok);
    }
    context.terminal.table(&table(&head, &rows))?;
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
    let parameters = tool.get("schema").map(|schema| format!("{schema:#}")).unwrap_or_default();
    let (about, effect) = (text(tool, "/description"), text(tool, "/effect"));
    let shown = format!(
        "{name}\n\n{about}\n\npolicy: {policy}\neffect: {effect}\n\narguments:\n{parameters}"
    );
    print(context, tool, &shown)?;
    Ok(Exit::Ok)
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
