//! `abide memory identity`: who an agent is, its versions, and what waits to be one.

use std::path::Path;

use abide_domain::limits::IDENTITY_BYTES_MAX;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Scene, object, text_of};
use crate::{
    cli::{
        failure::Failure,
        table::table,
        words::{encoded, items, query, shown, text},
    },
    home::write_atomically,
};

/// Shows, edits, compares and restores the identity; decides on one that waits
#[derive(Debug, Args)]
pub(crate) struct Identity {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints it
    Show {
        /// An earlier version
        #[arg(long)]
        version: Option<u64>,
    },
    /// Lists all versions, the newest first
    Versions,
    /// Says what two versions differ in
    Diff {
        /// The older one
        from: u64,
        /// The newer one [default: the one in force]
        to: Option<u64>,
    },
    /// Brings an earlier version back, as a new one
    Restore {
        /// Its number
        version: u64,
    },
    /// Opens it in the editor ($VISUAL or $EDITOR) and writes a new version
    Edit {
        /// Takes a short text, or one without a heading
        #[arg(long)]
        force: bool,
    },
    /// Writes a new version from a file
    Set {
        /// The file; `-` for stdin
        file: String,
        /// Takes a short text, or one without a heading
        #[arg(long)]
        force: bool,
    },
    /// Shows the version that waits for a person, and decides on it
    Review {
        /// Puts it in force
        #[arg(long, conflicts_with = "deny")]
        approve: bool,
        /// Drops it
        #[arg(long)]
        deny: bool,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Identity {
    pub(super) async fn run(self, scene: &Scene<'_>) -> Result<(), Failure> {
        match self.action {
            None => show(scene, None).await,
            Some(Action::Show { version }) => show(scene, version).await,
            Some(Action::Versions) => versions(scene).await,
            Some(Action::Diff { from, to }) => diff(scene, from, to).await,
            Some(Action::Restore { version }) => {
                let body = object([("version", Some(json!(version)))]);
                told(scene, &scene.post("/identity/restore", body).await?)
            }
            Some(Action::Edit { force }) => edit(scene, force).await,
            Some(Action::Set { file, force }) => {
                set(scene, text_of(&file, IDENTITY_BYTES_MAX as u64)?, force).await
            }
            Some(Action::Review { approve, deny, reason }) => {
                let decision = match (approve, deny) {
                    (true, _) => Some("approve"),
                    (_, true) => Some("deny"),
                    _ => None,
                };
                review(scene, decision, reason).await
            }
        }
    }
}

async fn show(scene: &Scene<'_>, version: Option<u64>) -> Result<(), Failure> {
    let answer = fetch(scene, version).await?;
    if !scene.is_printed(&answer)? {
        scene.context.terminal.data(text(&answer, "/content"))?;
    }
    Ok(())
}

async fn fetch(scene: &Scene<'_>, version: Option<u64>) -> Result<Value, Failure> {
    let version = version.map(|version| version.to_string());
    let query = query(&[("citizen", scene.agent), ("version", version.as_deref())]);
    scene.get(&format!("/identity{query}")).await
}

async fn versions(scene: &Scene<'_>) -> Result<(), Failure> {
    let query = query(&[("citizen", scene.agent), ("limit", Some("500"))]);
    let answer = scene.get(&format!("/identity/versions{query}")).await?;
    if scene.is_printed(&answer)? {
        return Ok(());
    }
    let row = |version: &Value| {
        let is_current = version.pointer("/current") == Some(&Value::Bool(true));
        vec![
            shown(version, "/version"),
            shown(version, "/updated_at"),
            shown(version, "/source"),
            shown(version, "/author"),
            if is_current { "in force".into() } else { "-".into() },
        ]
    };
    let rows: Vec<_> = items(&answer, "/items").iter().map(row).collect();
    let head = ["VERSION", "WRITTEN", "SOURCE", "BY", "STATE"];
    scene.context.terminal.data_part(&table(&head, &rows))
}

async fn diff(scene: &Scene<'_>, from: u64, to: Option<u64>) -> Result<(), Failure> {
    let (from, to) = (from.to_string(), to.map(|to| to.to_string()));
    let query = query(&[("citizen", scene.agent), ("from", Some(&from)), ("to", to.as_deref())]);
    let answer = scene.get(&format!("/identity/diff{query}")).await?;
    if scene.is_printed(&answer)? {
        return Ok(());
    }
    match text(&answer, "/diff") {
        "" => scene.context.terminal.say("no difference"),
        diff => scene.context.terminal.data(diff)?,
    }
    Ok(())
}

async fn set(scene: &Scene<'_>, content: String, force: bool) -> Result<(), Failure> {
    let body = object([("content", Some(json!(content))), ("force", Some(json!(force)))]);
    told(scene, &scene.post("/identity", body).await?)
}

fn told(scene: &Scene<'_>, answer: &Value) -> Result<(), Failure> {
    if !scene.is_printed(answer)? {
        scene.context.terminal.say(&format!("version {} is in force", shown(answer, "/version")));
    }
    Ok(())
}

/// The editor works on a file in the home, which is kept where the edit could not be taken.
async fn edit(scene: &Scene<'_>, force: bool) -> Result<(), Failure> {
    let before = fetch(scene, None).await?;
    let name = format!("identity-edit-{}.md", scene.agent.unwrap_or("agent"));
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !is_plain {
        return Err(Failure::usage("an agent's id has only a-z, 0-9, `.`, `_` and `-`"));
    }
    let file = scene.context.home.root().join(name);
    write_atomically(&file, text(&before, "/content").as_bytes()).map_err(|error| {
        Failure::new(format!("{} cannot be written", file.display())).because(&error)
    })?;
    open_editor(scene, &file)?;
    let edited = text_of(&file.to_string_lossy(), IDENTITY_BYTES_MAX as u64)?;
    let kept = |failure: Failure| failure.hint(format!("your text is kept in {}", file.display()));
    if edited.trim_end() == text(&before, "/content").trim_end() {
        scene.context.terminal.say("nothing was changed");
    } else {
        let now = fetch(scene, None).await.map_err(kept)?;
        if shown(&now, "/version") != shown(&before, "/version") {
            let message = "another version has come into force meanwhile; nothing was written";
            return Err(kept(Failure::new(message)));
        }
        set(scene, edited, force).await.map_err(kept)?;
    }
    // Left over, it hurts nobody: the next edit writes over it.
    drop(std::fs::remove_file(&file));
    Ok(())
}

fn open_editor(scene: &Scene<'_>, file: &Path) -> Result<(), Failure> {
    let environment = &scene.context.environment;
    let named = environment.get("VISUAL").or_else(|| environment.get("EDITOR"));
    let editor = named.filter(|editor| !editor.trim().is_empty()).ok_or_else(|| {
        Failure::usage("no editor is named: set EDITOR, or use `abide memory identity set FILE`")
    })?;
    // As other programs do: the variable may hold arguments, and the shell knows how they are quoted.
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(file)
        .status()
        .map_err(|error| Failure::new(format!("{editor} cannot be started")).because(&error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("{editor} ended with {status}; nothing was written")))
}

async fn review(
    scene: &Scene<'_>,
    decision: Option<&str>,
    reason: Option<String>,
) -> Result<(), Failure> {
    let query = query(&[("citizen", scene.agent)]);
    let answer = scene.get(&format!("/identity/proposals{query}")).await?;
    let Some(proposal) = items(&answer, "/items").first() else {
        if !scene.is_printed(&answer)? {
            scene.context.terminal.say("nothing waits");
        }
        return match decision {
            None => Ok(()),
            Some(_) => Err(Failure::new("no identity waits for a decision")),
        };
    };
    let Some(decision) = decision else {
        if !scene.is_printed(&answer)? {
            scene.context.terminal.data(text(proposal, "/diff"))?;
            scene.context.terminal.say(&format!(
                "made from version {} by sleep {}; decide with --approve or --deny",
                shown(proposal, "/based_on"),
                shown(proposal, "/sleep_id")
            ));
        }
        return Ok(());
    };
    let path = format!("/identity/proposals/{}", encoded(text(proposal, "/proposal_id")));
    let body = object([("decision", Some(json!(decision))), ("reason", reason.map(Value::from))]);
    let answer = scene.post(&path, body).await?;
    if scene.is_printed(&answer)? {
        return Ok(());
    }
    match decision {
        "approve" => told(scene, &answer)?,
        _ => scene.context.terminal.say("dropped; the version in force stays"),
    }
    Ok(())
}
