//! `abide mcp reload`, and how `add` and `rm` have a running keeper take in what they changed.

use serde_json::{Value, json};

use crate::cli::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{items, text},
};

/// Says what became of the servers of the running keeper.
pub(super) async fn reload(context: &Context) -> Result<Exit, CliError> {
    let changes = ask(context).await?;
    if context.terminal.is_json() {
        context.terminal.json(&changes)?;
        return Ok(exit_of(Some(&changes)));
    }
    say_problems(context, &changes);
    let mut said = false;
    for (path, what) in [("/added", "started"), ("/changed", "started anew"), ("/removed", "ended")]
    {
        let names: Vec<_> = items(&changes, path).iter().filter_map(Value::as_str).collect();
        if !names.is_empty() {
            context.terminal.say(&format!("{what}: {}", names.join(", ")));
            said = true;
        }
    }
    if !said && items(&changes, "/not_started").is_empty() {
        context.terminal.say("the servers of the keeper are those of abide.toml already");
    }
    Ok(exit_of(Some(&changes)))
}

/// Has a running keeper take in what was just written; none where no keeper runs. The error begins with what stands in the file.
pub(super) async fn reload_running(
    context: &Context,
    written: &str,
) -> Result<Option<Value>, CliError> {
    match ask(context).await {
        Ok(changes) => Ok(Some(changes)),
        Err(error) if error.exit() == Exit::NotRunning => Ok(None),
        Err(error) => {
            let file = context.home.config_file();
            let why = error.message().unwrap_or("it could not be asked").to_owned();
            Err(CliError::new(format!(
                "{written} {}, and the running keeper did not take that in: {why}",
                file.display()
            ))
            .hint("`abide mcp reload` tries it again; else it counts from the keeper's next start"))
        }
    }
}

/// Says which servers could not be started.
pub(super) fn say_problems(context: &Context, changes: &Value) {
    for problem in items(changes, "/not_started") {
        let (server, reason) = (text(problem, "/id"), text(problem, "/reason"));
        context.terminal.say(&format!("{server} cannot be started: {reason}"));
    }
}

/// How a command ends whose changes a keeper took in, or which no keeper had to.
pub(super) fn exit_of(changes: Option<&Value>) -> Exit {
    let is_whole = changes.is_none_or(|changes| items(changes, "/not_started").is_empty());
    if is_whole { Exit::Ok } else { Exit::Failed }
}

async fn ask(context: &Context) -> Result<Value, CliError> {
    Client::find(context)?.fetch(Call::post("/mcp/reload", &json!({}))).await
}
