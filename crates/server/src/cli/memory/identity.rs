//! `abide memory identity`: an agent's identity, its versions, and the proposal that waits for a decision.

use std::path::Path;

use abide_domain::limits::IDENTITY_BYTES_MAX;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::client::{MemoryClient, object};
use crate::{
    cli::{
        error::CliError,
        json_text::{display, items, query_string, text, url_encode},
        table::table,
        text_file::read_text,
    },
    home::write_atomically,
};

/// Shows, edits, compares and restores the identity; decides on a proposed one
#[derive(Debug, Args)]
pub(crate) struct Identity {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the identity
    Show {
        /// Prints this earlier version
        #[arg(long)]
        version: Option<u64>,
    },
    /// Lists all versions, the newest first
    Versions,
    /// Prints the differences between two versions
    Diff {
        /// The older version
        from: u64,
        /// The newer version [default: the one in force]
        to: Option<u64>,
    },
    /// Restores an earlier version as a new one
    Restore {
        /// The version's number
        version: u64,
    },
    /// Opens the identity in the editor ($VISUAL or $EDITOR) and writes a new version
    Edit {
        /// Accepts a short text, or one without a heading
        #[arg(long)]
        force: bool,
    },
    /// Writes a new version from a file
    Set {
        /// The file; `-` for stdin
        file: String,
        /// Accepts a short text, or one without a heading
        #[arg(long)]
        force: bool,
    },
    /// Shows the proposed version, and decides on it
    Review {
        /// Puts it into force
        #[arg(long, conflicts_with = "deny")]
        approve: bool,
        /// Rejects it
        #[arg(long)]
        deny: bool,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Identity {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        match self.action {
            None => show(memory, None).await,
            Some(Action::Show { version }) => show(memory, version).await,
            Some(Action::Versions) => versions(memory).await,
            Some(Action::Diff { from, to }) => diff(memory, from, to).await,
            Some(Action::Restore { version }) => {
                let body = object([("version", Some(json!(version)))]);
                print_version(memory, &memory.post("/identity/restore", body).await?)
            }
            Some(Action::Edit { force }) => edit(memory, force).await,
            Some(Action::Set { file, force }) => {
                set(memory, read_text(&file, IDENTITY_BYTES_MAX as u64)?, force).await
            }
            Some(Action::Review { approve, deny, reason }) => {
                let decision = match (approve, deny) {
                    (true, _) => Some("approve"),
                    (_, true) => Some("deny"),
                    _ => None,
                };
                review(memory, decision, reason).await
            }
        }
    }
}

async fn show(memory: &MemoryClient<'_>, version: Option<u64>) -> Result<(), CliError> {
    let answer = fetch(memory, version).await?;
    if !memory.print_json(&answer)? {
        memory.context.terminal.data(text(&answer, "/content"))?;
    }
    Ok(())
}

async fn fetch(memory: &MemoryClient<'_>, version: Option<u64>) -> Result<Value, CliError> {
    let version = version.map(|version| version.to_string());
    let query = query_string(&[("citizen", memory.agent), ("version", version.as_deref())]);
    memory.get(&format!("/identity{query}")).await
}

async fn versions(memory: &MemoryClient<'_>) -> Result<(), CliError> {
    let query = query_string(&[("citizen", memory.agent), ("limit", Some("500"))]);
    let answer = memory.get(&format!("/identity/versions{query}")).await?;
    if memory.print_json(&answer)? {
        return Ok(());
    }
    let row = |version: &Value| {
        let is_current = version.pointer("/current") == Some(&Value::Bool(true));
        vec![
            display(version, "/version"),
            display(version, "/updated_at"),
            display(version, "/source"),
            display(version, "/author"),
            if is_current { "in force".into() } else { "-".into() },
        ]
    };
    let rows: Vec<_> = items(&answer, "/items").iter().map(row).collect();
    let head = ["VERSION", "WRITTEN", "SOURCE", "BY", "STATE"];
    memory.context.terminal.table(&table(&head, &rows))
}

async fn diff(memory: &MemoryClient<'_>, from: u64, to: Option<u64>) -> Result<(), CliError> {
    let (from, to) = (from.to_string(), to.map(|to| to.to_string()));
    let query =
        query_string(&[("citizen", memory.agent), ("from", Some(&from)), ("to", to.as_deref())]);
    let answer = memory.get(&format!("/identity/diff{query}")).await?;
    if memory.print_json(&answer)? {
        return Ok(());
    }
    match text(&answer, "/diff") {
        "" => memory.context.terminal.say("no difference"),
        diff => memory.context.terminal.data(diff)?,
    }
    Ok(())
}

async fn set(memory: &MemoryClient<'_>, content: String, force: bool) -> Result<(), CliError> {
    let body = object([("content", Some(json!(content))), ("force", Some(json!(force)))]);
    print_version(memory, &memory.post("/identity", body).await?)
}

fn print_version(memory: &MemoryClient<'_>, answer: &Value) -> Result<(), CliError> {
    if !memory.print_json(answer)? {
        memory
            .context
            .terminal
            .say(&format!("version {} is in force", display(answer, "/version")));
    }
    Ok(())
}

/// The editor works on a file in the home folder, which stays where the edit could not be written.
async fn edit(memory: &MemoryClient<'_>, force: bool) -> Result<(), CliError> {
    let before = fetch(memory, None).await?;
    let name = format!("identity-edit-{}.md", memory.agent.unwrap_or("agent"));
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !is_plain {
        return Err(CliError::usage("an agent's id consists of a-z, 0-9, `.`, `_` and `-`"));
    }
    let file = memory.context.home.root().join(name);
    write_atomically(&file, text(&before, "/content").as_bytes()).map_err(|error| {
        CliError::new(format!("{} cannot be written", file.display())).caused_by(&error)
    })?;
    open_editor(memory, &file)?;
    let edited = read_text(&file.to_string_lossy(), IDENTITY_BYTES_MAX as u64)?;
    let kept = |error: CliError| error.hint(format!("your text is kept in {}", file.display()));
    if edited.trim_end() == text(&before, "/content").trim_end() {
        memory.context.terminal.say("the text is unchanged; nothing was written");
    } else {
        let now = fetch(memory, None).await.map_err(kept)?;
        if display(&now, "/version") != display(&before, "/version") {
            let message = "another version came into force in the meantime; nothing was written";
            return Err(kept(CliError::new(message)));
        }
        set(memory, edited, force).await.map_err(kept)?;
    }
    // A file that stays is harmless: the next edit writes over it.
    drop(std::fs::remove_file(&file));
    Ok(())
}

fn open_editor(memory: &MemoryClient<'_>, file: &Path) -> Result<(), CliError> {
    let environment = &memory.context.environment;
    let named = environment.get("VISUAL").or_else(|| environment.get("EDITOR"));
    let editor = named.filter(|editor| !editor.trim().is_empty()).ok_or_else(|| {
        CliError::usage("there is no editor: set EDITOR, or use `abide memory identity set FILE`")
    })?;
    // As other programs do: the variable may hold arguments, and the shell knows how they are quoted.
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(file)
        .status()
        .map_err(|error| CliError::new(format!("{editor} cannot be started")).caused_by(&error))?;
    if status.success() {
        return Ok(());
    }
    Err(CliError::new(format!("{editor} ended with {status}; nothing was written")))
}

async fn review(
    memory: &MemoryClient<'_>,
    decision: Option<&str>,
    reason: Option<String>,
) -> Result<(), CliError> {
    let query = query_string(&[("citizen", memory.agent)]);
    let answer = memory.get(&format!("/identity/proposals{query}")).await?;
    let Some(proposal) = items(&answer, "/items").first() else {
        if !memory.print_json(&answer)? {
            memory.context.terminal.say("no identity waits for a decision");
        }
        return match decision {
            None => Ok(()),
            Some(_) => Err(CliError::new("no identity waits for a decision")),
        };
    };
    let Some(decision) = decision else {
        if !memory.print_json(&answer)? {
            memory.context.terminal.data(text(proposal, "/diff"))?;
            let origin = match text(proposal, "/sleep_id") {
                "" => "found in identity.md, where a process of the agent may have written it"
                    .to_owned(),
                sleep => format!("proposed by sleep {sleep}"),
            };
            memory.context.terminal.say(&format!(
                "{origin}; based on version {}; decide with --approve or --deny",
                display(proposal, "/based_on"),
            ));
        }
        return Ok(());
    };
    let path = format!("/identity/proposals/{}", url_encode(text(proposal, "/proposal_id")));
    let body = object([("decision", Some(json!(decision))), ("reason", reason.map(Value::from))]);
    let answer = memory.post(&path, body).await?;
    if memory.print_json(&answer)? {
        return Ok(());
    }
    match decision {
        "approve" => print_version(memory, &answer)?,
        _ => memory.context.terminal.say("rejected; the version in force stays"),
    }
    Ok(())
}
