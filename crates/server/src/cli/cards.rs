//! `abide cards`: fetches the cards of decks, and says which are there. Works with and without a keeper; one that runs takes new
//! cards up by itself.

use std::{path::PathBuf, sync::Arc, time::Duration};

use abide_domain::Clock as _;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    Context,
    error::{CliError, Exit},
    progress::Progress,
};
use crate::{
    cards::{
        CardFolder, CardManifest, CardPull, CardPullError, CardSource, CardsStatus, DownloadLimits,
        PullOutcome, status_of,
    },
    config::TimeSpan,
    system::SystemClock,
};

/// Fetches Magic's cards for decks from Scryfall, and says which are there
#[derive(Debug, Args)]
pub(crate) struct CardsCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetches all cards; one that was interrupted goes on where it was, and the cards of before stay until the new ones are whole
    Pull(Pull),
    /// Says which cards are there, how old they are and whether they are whole
    Status,
}

#[derive(Debug, Args)]
struct Pull {
    /// Does nothing where the cards were pulled less than this ago, such as 7d or 12h
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    if_older: Option<Duration>,
    /// Takes the cards from a file instead: Scryfall's bulk data as JSON lines in gzip, fetched on another machine
    #[arg(long, value_name = "PATH", conflicts_with = "if_older")]
    file: Option<PathBuf>,
    /// Takes the tags of cards from a file, with --file: Scryfall's `oracle_tags`
    #[arg(long, value_name = "PATH", requires = "file")]
    tags_file: Option<PathBuf>,
    /// Takes new cards also where they are far fewer than those of before
    #[arg(long)]
    accept_fewer: bool,
}

fn time_span(text: &str) -> Result<Duration, String> {
    let span: Result<TimeSpan, _> = text.parse();
    span.map(|span| span.0).map_err(|error| error.to_string())
}

impl CardsCommand {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Pull(pull) => pull.run(context).await,
            Action::Status => status(context),
        }
    }
}

impl Pull {
    async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let terminal = &context.terminal;
        let settings = context.config()?.settings;
        context.create_home()?;
        let mut progress = Progress::new(terminal);
        let mut show = |what: &str, done: u64, all: u64| progress.show(what, done, all);
        let clock = Arc::new(SystemClock::new());
        let mut pull = CardPull {
            folder: CardFolder::new(context.home.cards_folder()),
            source: CardSource::new(&settings.tools.scryfall.url, clock),
            bulk: settings.decks.bulk.to_string(),
            accepts_fewer: self.accept_fewer,
            limits: DownloadLimits::default(),
            progress: &mut show,
        };
        let ended = match &self.file {
            Some(file) => pull.take_files(file, self.tags_file.as_deref()),
            None => Box::pin(pull.run(self.if_older)).await,
        };
        drop(progress);
        let outcome = ended.map_err(|error| failure(&error))?;
        let (state, manifest, notes) = match &outcome {
            PullOutcome::Young(manifest) => ("young", manifest, &[][..]),
            PullOutcome::Unchanged(manifest) => ("unchanged", manifest, &[][..]),
            PullOutcome::Pulled { manifest, notes } => ("pulled", manifest, notes.as_slice()),
        };
        for note in notes {
            terminal.say(note);
        }
        if terminal.is_json() {
            terminal.json(&json!({"outcome": state, "cards": view(manifest), "notes": notes}))?;
            return Ok(Exit::Ok);
        }
        terminal.say(match outcome {
            PullOutcome::Young(_) => "the cards are young enough; nobody was asked",
            PullOutcome::Unchanged(_) => "there are no newer cards",
            PullOutcome::Pulled { .. } => {
                "there are new cards; a running keeper takes them up by itself"
            }
        });
        terminal.data(&sentence(manifest))?;
        Ok(Exit::Ok)
    }
}

fn status(context: &Context) -> Result<Exit, CliError> {
    let terminal = &context.terminal;
    let folder = CardFolder::new(context.home.cards_folder());
    let Looked { state, status, text } = look(&folder);
    if terminal.is_json() {
        let cards = status.as_ref().and_then(|status| status.manifest.as_ref()).map(view);
        let is_pulling = status.as_ref().is_some_and(|status| status.is_pulling);
        terminal.json(&json!({
            "state": state, "detail": text, "cards": cards, "pulling": is_pulling, "folder": folder.path(),
        }))?;
    } else {
        terminal.data(&text)?;
    }
    Ok(if state == DAMAGED { Exit::Failed } else { Exit::Ok })
}

/// What there is, in one word and in one sentence.
pub(super) struct Looked {
    /// `missing`, `damaged` or `ready`.
    pub(super) state: &'static str,
    /// What the folder says; none where it cannot be read.
    pub(super) status: Option<CardsStatus>,
    /// For people, with what to do.
    pub(super) text: String,
}

/// The state of cards that are not as they were written.
pub(super) const DAMAGED: &str = "damaged";

/// Looks at the cards of a folder; every byte is checked.
pub(super) fn look(folder: &CardFolder) -> Looked {
    let status = match status_of(folder) {
        Ok(status) => status,
        Err(error) => {
            let text = format!(
                "the cards in {} cannot be read: {error}; run `abide cards pull`",
                folder.path().display()
            );
            return Looked { state: DAMAGED, status: None, text };
        }
    };
    let pulling = if status.is_pulling { "; a pull is at work" } else { "" };
    let (state, text) = match (&status.manifest, &status.damaged) {
        (Some(manifest), _) => {
            let mut files = std::iter::once(&manifest.table).chain(&manifest.tags);
            match files.find(|stored| !folder.is_whole(stored)) {
                None => ("ready", sentence(manifest)),
                Some(stored) => {
                    let text = format!("{} is damaged; run `abide cards pull`", stored.file);
                    (DAMAGED, text)
                }
            }
        }
        (None, Some(aside)) => {
            let aside = aside.display();
            let text =
                format!("the cards were damaged and set aside as {aside}; run `abide cards pull`");
            (DAMAGED, text)
        }
        (None, None) => ("missing", "no cards are here yet; run `abide cards pull`".to_owned()),
    };
    Looked { state, text: text + pulling, status: Some(status) }
}

fn sentence(manifest: &CardManifest) -> String {
    let CardManifest { cards, printings, source, bulk, .. } = manifest;
    let made = manifest.updated_at.map(|at| format!(", made {at}")).unwrap_or_default();
    let tags = if manifest.tags.is_some() { "" } else { "; without tags" };
    let unread = match manifest.unread {
        0 => String::new(),
        unread => format!("; {unread} lines were no cards"),
    };
    let pulled = manifest.pulled_at;
    format!(
        "{cards} cards in {printings} printings ({source} {bulk}{made}), pulled {pulled}{tags}{unread}"
    )
}

fn view(manifest: &CardManifest) -> Value {
    json!({
        "cards": manifest.cards, "printings": manifest.printings, "unread": manifest.unread, "source": manifest.source,
        "bulk": manifest.bulk, "updated_at": manifest.updated_at, "pulled_at": manifest.pulled_at,
        "tags": manifest.tags.is_some(), "age_s": SystemClock::new().now().since(manifest.pulled_at).as_secs(),
    })
}

fn failure(error: &CardPullError) -> CliError {
    let failure = CliError::from_error(error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
