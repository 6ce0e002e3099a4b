//! `abide mcp`: servers of the Model Context Protocol, whose tools agents use. `ls`, `accept`, `questions` and `answer` (`questions`)
//! ask the running keeper, and so does `reload`; `add` and `rm` change the home and have a running keeper take that in (`reload`); `test`
//! and `login` work on the home, with or without one. What a server says is shown with everything hidden in it made visible.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_domain::{Clock, tool::ToolSpec, visible, visible_line};
use abide_mcp::{McpClient, McpClientParts, McpLogin};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, text, url_encode},
    table::table,
};
use crate::{
    agents::{SandboxProbe, SandboxedServers},
    config::{Config, McpSection, ServerEdit, Sources, edit_servers},
    mcp_servers::{access_tokens, login_store, request_headers, server_settings},
    system::SystemClock,
};

mod questions;
mod reload;

use questions::Answer;

/// Digits of a code.
const CODE_CHARS: usize = 12;
/// How long a server on trial has, beyond its own limit, to be ended.
const END_SLACK: Duration = Duration::from_secs(10);

/// Lists, adds, tries and removes servers of tools (Model Context Protocol); accepts what their tools say
#[derive(Debug, Args)]
pub(crate) struct McpCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the servers of the running keeper, how they do and what of them waits for you
    Ls,
    /// Adds a server to abide.toml: `abide mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/docs`
    Add {
        /// Its name, of a-z, 0-9 and _
        name: String,
        /// The address of a server that runs elsewhere
        #[arg(long, value_name = "URL", conflicts_with = "command")]
        url: Option<String>,
        /// A variable of the keeper's that it gets; may be given several times
        #[arg(long = "env", value_name = "NAME")]
        environment: Vec<String>,
        /// The program and its arguments, behind `--`
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Removes a server from abide.toml
    Rm {
        /// Its name
        name: String,
    },
    /// Has the running keeper start, change and end servers as abide.toml says now
    Reload,
    /// Starts a server of abide.toml for a moment and shows what tools it has
    Test {
        /// Its name
        name: String,
    },
    /// Shows what of a server's tools is new or changed, and a code; with that code, agents may use them as they were shown
    Accept {
        /// Its name
        name: String,
        /// Only these tools, by the server's own names
        tools: Vec<String>,
        /// Accepts what was shown with this code
        #[arg(long, value_name = "CODE")]
        yes: Option<String>,
    },
    /// Lists what servers ask of a person in the middle of calls
    Questions,
    /// Answers what a server asks; what is filled in goes to the server alone
    Answer {
        /// The question, by its id or how that begins
        id: String,
        /// Says no
        #[arg(long, conflicts_with_all = ["values", "values_stdin"])]
        decline: bool,
        /// Reads the values as a JSON object from stdin, where nobody sees them
        #[arg(long)]
        values_stdin: bool,
        /// What stands in the fields of the form; of several choices, each as one of its own, or with commas between them
        #[arg(value_name = "KEY=VALUE")]
        values: Vec<String>,
    },
    /// Logs in at a server that runs elsewhere
    Login {
        /// Its name
        name: String,
    },
}

impl McpCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Ls => list(context).await,
            Action::Add { name, url, environment, command } => {
                add(context, &name, (url, command), environment).await
            }
            Action::Rm { name } => remove(context, &name).await,
            Action::Reload => reload::reload(context).await,
            Action::Test { name } => test(context, &name).await,
            Action::Accept { name, tools, yes } => {
                accept(context, &name, (&tools, yes.as_deref())).await
            }
            Action::Questions => questions::list(context).await,
            Action::Answer { id, decline, values_stdin, values } => {
                let (is_declined, is_on_stdin) = (decline, values_stdin);
                let answer = Answer { id: &id, is_declined, pairs: &values, is_on_stdin };
                questions::answer(context, answer).await
            }
            Action::Login { name } => login(context, &name).await,
        }
    }
}

async fn servers(context: &Context) -> Result<Value, CliError> {
    Client::find(context)?.fetch(Call::get("/mcp/servers")).await
}

async fn list(context: &Context) -> Result<Exit, CliError> {
    let found = servers(context).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&found).map(|()| Exit::Ok);
    }
    let row = |server: &Value| {
        let count = |path: &str| items(server, path).len().to_string();
        let state = text(server, "/state");
        let key = if state == "ready" { "/list_problem" } else { "/last_error" };
        let problem = text(server, key);
        vec![
            text(server, "/id").to_owned(),
            state.replace('_', " "),
            count("/tools"),
            count("/waiting"),
            disk(server),
            display(server, "/software"),
            visible_line(problem).into_owned(),
        ]
    };
    let rows: Vec<_> = items(&found, "/items").iter().map(row).collect();
    if rows.is_empty() {
        context.terminal.say("no servers; `abide mcp add NAME -- COMMAND` adds one");
        return Ok(Exit::Ok);
    }
    let head = ["SERVER", "STATE", "TOOLS", "WAIT FOR YOU", "DISK", "SOFTWARE", "PROBLEM"];
    context.terminal.table(&table(&head, &rows))?;
    Ok(Exit::Ok)
}

/// What it keeps in its folder, and how much that may be.
fn disk(server: &Value) -> String {
    let number = |path: &str| server.pointer(path).and_then(Value::as_u64);
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    match (number("/disk_bytes"), number("/disk_limit_bytes")) {
        (Some(used), Some(limit)) => format!("{} of {} MB", megabytes(used), megabytes(limit)),
        _ => String::new(),
    }
}

async fn add(
    context: &Context,
    name: &str,
    (url, command): (Option<String>, Vec<String>),
    environment: Vec<String>,
) -> Result<Exit, CliError> {
    let mut values = vec![("name", text_value(name))];
    let mut words = command.into_iter();
    match (url, words.next()) {
        (Some(_), None) if !environment.is_empty() => {
            return Err(CliError::usage("--env is for a server that is started here"));
        }
        (Some(url), None) => values.push(("url", text_value(&url))),
        (None, Some(program)) => {
            values.push(("command", text_value(&program)));
            values.push(("args", texts_value(words)));
        }
        _ => {
            let usage = "say where the server is: --url URL, or its program behind `--`";
            return Err(CliError::usage(usage));
        }
    }
    if !environment.is_empty() {
        values.push(("environment", texts_value(environment)));
    }
    // It may be the first that is written into this home.
    context.home.claim().map_err(|error| CliError::new(error.to_string()))?;
    edit(context, &ServerEdit::Add(values))?;
    let reloaded = reload::reload_running(context, &format!("{name} is in")).await?;
    let file = context.home.config_file();
    let file = file.display();
    let next = match &reloaded {
        Some(changes) => {
            reload::say_problems(context, changes);
            "the keeper starts it now, and `abide mcp ls` says how it does.".to_owned()
        }
        None => {
            format!("the keeper starts it at its next start. `abide mcp test {name}` tries it now.")
        }
    };
    context.terminal.say(&format!(
        "{name} is in {file}; {next}\n\
         A person is asked before one of its tools runs; `allow` in its [[mcp]] or in [tools] changes that."
    ));
    Ok(reload::exit_of(reloaded.as_ref()))
}

fn text_value(text: &str) -> toml::Value {
    toml::Value::String(text.to_owned())
}

fn texts_value(texts: impl IntoIterator<Item = String>) -> toml::Value {
    toml::Value::Array(texts.into_iter().map(toml::Value::String).collect())
}

async fn remove(context: &Context, name: &str) -> Result<Exit, CliError> {
    edit(context, &ServerEdit::Remove(name.to_owned()))?;
    let reloaded = reload::reload_running(context, &format!("{name} is no longer in")).await;
    // A login without its server would only lie around.
    let removed = login_store(&context.home).remove(name).await;
    removed.map_err(|error| CliError::new(error.to_string()))?;
    let reloaded = reloaded?;
    if let Some(changes) = &reloaded {
        reload::say_problems(context, changes);
    }
    let ended = if reloaded.is_some() { ", and the keeper has ended it" } else { "" };
    let file = context.home.config_file();
    context.terminal.say(&format!("{name} is no longer in {}{ended}", file.display()));
    let folder = context.home.server_folder(name);
    if folder.symlink_metadata().is_ok() {
        context.terminal.say(&format!(
            "what it kept stays in {}; delete that folder if nothing in it is needed",
            folder.display()
        ));
    }
    Ok(reload::exit_of(reloaded.as_ref()))
}

fn edit(context: &Context, edit: &ServerEdit) -> Result<(), CliError> {
    let file = context.home.config_file();
    let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
    Ok(edit_servers(sources, edit)?)
}

fn section<'a>(config: &'a Config, name: &str) -> Result<&'a McpSection, CliError> {
    let found = config.settings.mcp.iter().find(|server| server.name == name);
    found.ok_or_else(|| {
        let names: Vec<_> = config.settings.mcp.iter().map(|server| &*server.name).collect();
        CliError::new(format!("there is no [[mcp]] named {name:?} in abide.toml")).hint(format!(
            "it has: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ))
    })
}

async fn test(context: &Context, name: &str) -> Result<Exit, CliError> {
    let config = context.config()?;
    let section = section(&config, name)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let failed = |error: &dyn std::fmt::Display| CliError::new(error.to_string());
    let level_max = config.settings.test.sandbox_level_max;
    let probe = Arc::new(SandboxProbe::new(&context.home, level_max));
    let launching = (Arc::clone(&clock), probe);
    let servers =
        SandboxedServers::new(&context.home, &config.settings, &context.environment, launching)
            .map_err(|error| failed(&error))?;
    let parts = McpClientParts {
        tokens: access_tokens(section, &context.home, &context.environment, &clock),
        headers: request_headers(section, &context.environment),
        ..McpClientParts::new(Arc::new(servers.launcher_of(section)), clock)
    };
    let client =
        McpClient::start(server_settings(section), parts).map_err(|error| failed(&error))?;
    let ready = tokio::time::timeout(section.start_limit.0 + END_SLACK, client.ready()).await;
    let specs: Vec<_> = client.tools().iter().map(|tool| tool.spec().clone()).collect();
    let own_names: BTreeMap<String, String> =
        client.offered_pins().into_iter().map(|pin| (pin.offered_as(), pin.tool)).collect();
    let status = client.status();
    client.stop().await;
    let problem = match ready {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("it did not become ready in time".to_owned()),
    };
    if let Some(problem) = problem {
        let stderr = visible(status.stderr_tail.trim()).into_owned();
        let said =
            if stderr.is_empty() { stderr } else { format!("\nit wrote on stderr:\n{stderr}") };
        return Err(CliError::new(format!("{name} does not work: {problem}{said}")));
    }
    if context.terminal.is_json() {
        let tool = |spec: &ToolSpec| {
            let ToolSpec { name, description, parameters, effect, .. } = spec;
            let own = own_names.get(name);
            json!({"name": name, "own_name": own, "description": description, "effect": effect, "schema": parameters})
        };
        let tools: Vec<_> = specs.iter().map(tool).collect();
        context.terminal.json(&json!({"status": status, "tools": tools}))?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<_> = specs
        .iter()
        .map(|spec| {
            let first = spec.description.lines().next().unwrap_or_default();
            let effect = json!(spec.effect);
            vec![
                spec.name.clone(),
                own_names
                    .get(&spec.name)
                    .map(|own| visible_line(own).into_owned())
                    .unwrap_or_default(),
                effect.as_str().unwrap_or_default().to_owned(),
                visible_line(first).into_owned(),
            ]
        })
        .collect();
    context.terminal.table(&table(&["TOOL", "ITS OWN NAME", "EFFECT", "WHAT IT SAYS"], &rows))?;
    if let Some(problem) = &status.list_problem {
        context.terminal.say(&visible(problem));
    }
    for dropped in &status.dropped {
        context.terminal.say(&format!("left out: {}: {}", dropped.tool, dropped.reason));
    }
    Ok(Exit::Ok)
}

async fn accept(
    context: &Context,
    name: &str,
    (wanted, code): (&[String], Option<&str>),
) -> Result<Exit, CliError> {
    let found = servers(context).await?;
    let server = items(&found, "/items").iter().find(|server| text(server, "/id") == name);
    let server = server.ok_or_else(|| {
        CliError::new(format!("there is no server {name:?}")).hint("`abide mcp ls` lists them")
    })?;
    let is_wanted = |tool: &&Value| {
        wanted.is_empty() || wanted.iter().any(|wanted| wanted == text(tool, "/tool"))
    };
    let waiting: Vec<&Value> = items(server, "/waiting").iter().filter(is_wanted).collect();
    let is_there = |wanted: &&String| waiting.iter().any(|tool| text(tool, "/tool") == **wanted);
    if let Some(missing) = wanted.iter().find(|wanted| !is_there(wanted)) {
        return Err(CliError::new(format!("no tool {missing:?} of {name} waits for you")));
    }
    if waiting.is_empty() {
        context.terminal.say(&format!("nothing of {name} waits for you"));
        return Ok(Exit::Ok);
    }
    let shown_as = code_of(&waiting);
    for tool in waiting.iter().filter(|_| code.is_none()) {
        let shown = visible_line(text(tool, "/tool"));
        let is_new = tool.get("is_new").and_then(Value::as_bool) == Some(true);
        let what = if is_new { "is new" } else { "changed" };
        let is_cut = tool.get("is_cut").and_then(Value::as_bool) == Some(true);
        let cut = if is_cut { "\n(it says more than is shown here)" } else { "" };
        let diff = visible(text(tool, "/diff"));
        context.terminal.data(&format!("{shown} {what}:\n{diff}{cut}"))?;
    }
    let Some(code) = code else {
        context.terminal.say(&format!(
            "`abide mcp accept {} --yes {shown_as}` lets agents use what is shown",
            [&[name.to_owned()], wanted].concat().join(" ")
        ));
        return Ok(Exit::Ok);
    };
    if code != shown_as {
        return Err(CliError::new(format!(
            "what waits is not what was shown with the code {code}"
        ))
        .hint(format!("`abide mcp accept {name}` shows it")));
    }
    let named = |tool: &&Value| json!({"tool": tool["tool"], "digest": tool["digest"]});
    let body = json!({"tools": waiting.iter().map(named).collect::<Vec<_>>()});
    let path = format!("/mcp/servers/{}/accept", url_encode(name));
    Client::find(context)?.fetch(Call::post(&path, &body)).await?;
    context.terminal.say(&format!("agents may use {} of {name} now", waiting.len()));
    Ok(Exit::Ok)
}

/// What stands for all that waits as it is now.
fn code_of(waiting: &[&Value]) -> String {
    let mut digest = Sha256::new();
    for tool in waiting {
        digest.update(text(tool, "/digest"));
    }
    hex::encode(digest.finalize()).chars().take(CODE_CHARS).collect()
}

async fn login(context: &Context, name: &str) -> Result<Exit, CliError> {
    let config = context.config()?;
    let section = section(&config, name)?;
    if !section.token_env.is_empty() {
        let message =
            format!("{name} has a token (token_env); take that out of abide.toml to log in");
        return Err(CliError::new(message));
    }
    let settings = server_settings(section);
    let failed = |error: abide_mcp::McpLoginError| CliError::new(error.to_string());
    let store = login_store(&context.home);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let begun = McpLogin::begin(&settings, &store, clock).await.map_err(failed)?;
    context.terminal.data(begun.url())?;
    context.terminal.say("open this address in a browser; this waits until you have logged in");
    begun.finish().await.map_err(failed)?;
    context.terminal.say(&format!("logged in at {name}; a running keeper uses it from now on"));
    Ok(Exit::Ok)
}
