//! `abide ledger`: reads the ledger itself, with or without a running keeper. Prints its lines as JSON that says the
//! same, with what is hidden in texts escaped; an export is byte for byte.

use std::{
    fmt::Write as _,
    io::{BufWriter, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    EntityName, EpochId, Timestamp, escaped_json,
    event::{catalogue, kind_fits},
};
use abide_ledger::{
    ClockStatus, FileStorage, Query, QueryOrder, Record, Storage, folder,
    storage::require_folder,
    text::{Needle, TEXT_MATCHES_MAX},
};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    context::Context,
    error::{CliError, Exit},
    finding::{Finding, Verdict},
    json_text::format_count,
};

/// Between two looks at a ledger that is followed.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

/// Reads the ledger, with or without a running keeper
#[derive(Debug, Args)]
pub(crate) struct LedgerCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the last events
    Tail {
        /// How many events
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
        /// Goes on to print new events
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        filter: EventFilter,
    },
    /// Prints the events that match
    Query {
        #[command(flatten)]
        filter: EventFilter,
        /// Only events after this sequence
        #[arg(long, default_value_t = 0)]
        after: u64,
        /// Only events before this sequence
        #[arg(long)]
        before: Option<u64>,
        /// At most this many
        #[arg(long)]
        limit: Option<usize>,
        /// The newest first
        #[arg(long)]
        newest: bool,
        /// Only events whose data contains this text, without regard to case
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
    /// Checks every byte of the ledger
    Verify,
    /// Writes events byte for byte, for example as a backup
    Export {
        /// A new file [default: stdout]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The first sequence
        #[arg(long, default_value_t = 1)]
        from: u64,
        /// The last sequence
        #[arg(long, default_value_t = u64::MAX)]
        through: u64,
    },
    /// Prints figures about the ledger
    Stat,
}

#[derive(Debug, Args)]
struct EventFilter {
    /// Only events of this agent (`@felix`; `@keeper` is the keeper)
    #[arg(long)]
    entity: Option<String>,
    /// Only events that this agent or person caused
    #[arg(long)]
    author: Option<String>,
    /// Only events of these kinds, separated by commas; `epoch.*` is a group
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// Only events of this epoch
    #[arg(long)]
    epoch: Option<String>,
}

impl EventFilter {
    fn query(&self) -> Result<Query, CliError> {
        Ok(Query {
            entity: self.entity.as_deref().map(entity).transpose()?,
            author: self.author.as_deref().map(entity).transpose()?,
            kinds: self.kinds.clone(),
            epoch: self.epoch.as_deref().map(epoch).transpose()?,
            ..Query::default()
        })
    }
}

/// A kind that nothing knows is a slip, not a search without a find. One of a newer version may stand in the ledger.
fn check_kinds(kinds: &[String], folder: &folder::Folder) -> Result<(), CliError> {
    let unknown = kinds.iter().find(|kind| !catalogue().any(|known| kind_fits(kind, known.name)));
    let Some(unknown) = unknown else { return Ok(()) };
    if folder.stat()?.kinds.keys().any(|name| kind_fits(unknown, name)) {
        return Ok(());
    }
    let group = unknown.split('.').next().unwrap_or_default();
    let near: Vec<_> = catalogue()
        .map(|known| known.name)
        .filter(|name| name.split('.').next() == Some(group))
        .collect();
    let error = CliError::usage(format!("there is no kind of event {unknown:?}"));
    Err(if near.is_empty() {
        error.hint("`abide ledger stat` lists the kinds that there are")
    } else {
        error.hint(format!("kinds that begin with {group} are {}", near.join(", ")))
    })
}

fn entity(text: &str) -> Result<EntityName, CliError> {
    let name = if text.starts_with('@') { text.to_owned() } else { format!("@{text}") };
    name.parse().map_err(|error| {
        CliError::usage(format!("{text:?} is not an agent or person: the name {error}"))
    })
}

fn epoch(text: &str) -> Result<EpochId, CliError> {
    text.parse().map_err(|_| CliError::usage(format!("{text:?} is not the id of an epoch")))
}

impl LedgerCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let storage = storage(context)?;
        match self.action {
            Action::Tail { lines, follow, filter } => {
                let query = filter.query()?;
                if !query.kinds.is_empty() {
                    check_kinds(&query.kinds, &open(Arc::clone(&storage))?)?;
                }
                tail(storage, lines, follow, query).await?;
            }
            Action::Query { filter, after, before, limit, newest, text } => {
                let order = if newest { QueryOrder::NewestFirst } else { QueryOrder::OldestFirst };
                let limit = limit.unwrap_or(usize::MAX);
                let query = Query { after, before, limit, order, ..filter.query()? };
                let folder = open(storage)?;
                check_kinds(&query.kinds, &folder)?;
                if let Some(text) = text {
                    return search(context, &folder, &text, query);
                }
                print(folder.query(query).map(|record| record.map_err(CliError::from)))?;
            }
            Action::Verify => return verify(context, storage),
            Action::Export { file, from, through } => {
                export(context, storage, file.as_deref(), from..=through)?;
            }
            Action::Stat => stat(context, storage)?,
        }
        Ok(Exit::Ok)
    }
}

fn storage(context: &Context) -> Result<Arc<dyn Storage>, CliError> {
    let path = context.home.ledger_folder();
    if !require_folder(&path).map_err(|error| CliError::folder(&error))? {
        return Err(CliError::new(format!("{} has no ledger yet", context.home.root().display()))
            .hint("`abide up` creates it; use --home for another home folder"));
    }
    Ok(Arc::new(FileStorage::at(&path)))
}

fn open(storage: Arc<dyn Storage>) -> Result<folder::Folder, CliError> {
    Ok(folder::Folder::open(storage)?)
}

fn print(records: impl IntoIterator<Item = Result<Record, CliError>>) -> Result<(), CliError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for record in records {
        // The line says the same; what is hidden in its texts does nothing to a terminal.
        out.write_all(escaped_json(record?.line()).as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints the events that contain a text. A line that may contain it and cannot be read is named, and makes the command fail.
fn search(
    context: &Context,
    folder: &folder::Folder,
    text: &str,
    query: Query,
) -> Result<Exit, CliError> {
    let needle = Needle::new(text).map_err(|error| CliError::usage(error.to_string()))?;
    let limit = query.limit;
    let found = folder.search_text(&needle, query)?;
    print(found.records.into_iter().map(Ok))?;
    for line in &found.damaged {
        context.terminal.say(&format!("a line that may contain the text cannot be read: {line}"));
    }
    if found.has_more && limit > TEXT_MATCHES_MAX {
        context
            .terminal
            .say(&format!("there are more; one search shows at most {TEXT_MATCHES_MAX}"));
    }
    Ok(if found.damaged_total > 0 { Exit::Failed } else { Exit::Ok })
}

async fn tail(
    storage: Arc<dyn Storage>,
    lines: usize,
    follow: bool,
    query: Query,
) -> Result<(), CliError> {
    let mut folder = open(storage)?;
    let last = folder.tail(Query { limit: lines, ..query.clone() })?;
    print(last.into_iter().map(Ok))?;
    if !follow {
        return Ok(());
    }
    loop {
        tokio::time::sleep(FOLLOW_INTERVAL).await;
        let after = folder.head().seq;
        if folder.refresh()? {
            let query = Query { after, ..query.clone() };
            print(folder.query(query).map(|record| record.map_err(CliError::from)))?;
        }
    }
}

fn verify(context: &Context, storage: Arc<dyn Storage>) -> Result<Exit, CliError> {
    let report = folder::verify(storage)?;
    if context.terminal.is_json() {
        context.terminal.json(&json!(report))?;
    } else if report.ok {
        let folder::VerifyReport { events, batches, segments, chain, .. } = &report;
        context.terminal.data(&format!(
            "ok: {events} events in {batches} batches, {segments} segments; chain {chain}"
        ))?;
    }
    if let Some(unfinished) = &report.unfinished {
        let folder::UnfinishedTail { file, offset, bytes } = unfinished;
        context.terminal.say(&format!("{} after the last whole batch in {file} at {offset}: being written, or cut off by a crash", format_count(*bytes, "byte")));
    }
    if !context.terminal.is_json() {
        for erasure in &report.erasures {
            let folder::ErasureReport { requested_seq, by, at, lines, reason } = erasure;
            let why = reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
            context.terminal.say(&format!(
                "{} erased for {by} at {at} (seq {requested_seq}){why}",
                format_count(*lines, "line")
            ));
        }
    }
    if let Some(unknown) = &report.first_unknown {
        context.terminal.say(&format!(
            "{} of a kind that this version does not know: {unknown}",
            format_count(report.unknown_events, "event")
        ));
    }
    match &report.problem {
        None => Ok(Exit::Ok),
        Some(problem) => Err(CliError::new(problem.clone())),
    }
}

fn export(
    context: &Context,
    storage: Arc<dyn Storage>,
    file: Option<&Path>,
    seqs: std::ops::RangeInclusive<u64>,
) -> Result<(), CliError> {
    let folder = open(storage)?;
    let exported = match file {
        None if std::io::stdout().is_terminal() => {
            return Err(CliError::usage("an export is the ledger's bytes as they are, for a file")
                .hint("use --file, or a pipe; `abide ledger query` shows events"));
        }
        None => folder.export(seqs, &mut BufWriter::new(std::io::stdout().lock())),
        Some(path) => {
            let file = std::fs::File::create_new(path).map_err(|error| {
                CliError::new(format!("{} cannot be created", path.display())).caused_by(&error)
            })?;
            let mut out = BufWriter::new(file);
            folder.export(seqs, &mut out).and_then(|exported| {
                // A backup that is only in memory is not a backup.
                out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
                Ok(exported)
            })
        }
    };
    let exported = exported.map_err(|error| match error {
        folder::ExportError::Write(error) => CliError::from(error),
        folder::ExportError::Read(error) => CliError::from(error),
    })?;
    let chain = exported.chain.as_deref().unwrap_or("none");
    context
        .terminal
        .say(&format!("{} events, {} bytes; chain {chain}", exported.events, exported.bytes));
    Ok(())
}

fn stat(context: &Context, storage: Arc<dyn Storage>) -> Result<(), CliError> {
    let stat = open(storage)?.stat()?;
    if context.terminal.is_json() {
        return context.terminal.json(&json!(stat));
    }
    let mut out = format!(
        "events    {}\nsegments  {}\nbytes     {}\ntick      {}\nchain     {}\n",
        stat.head.seq, stat.segments, stat.bytes, stat.head.tick, stat.head.chain
    );
    for (kind, count) in &stat.kinds {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{count:>9}  {kind}");
    }
    context.terminal.data(&out)
}

/// How the clock and the last event fit, as far as can be told without a keeper.
pub(crate) fn clock_status(context: &Context, now: Timestamp) -> ClockStatus {
    let folder = storage(context).ok().and_then(|storage| folder::Folder::open(storage).ok());
    let last = folder.and_then(|folder| folder.head().timestamp);
    last.map_or(ClockStatus::Ok, |last| ClockStatus::of_last(last, now))
}

/// The check of the ledger for `abide doctor`.
pub(crate) fn check(context: &Context) -> Finding {
    const NAME: &str = "ledger";
    match require_folder(&context.home.ledger_folder()) {
        Ok(true) => {}
        Ok(false) => return Finding::new(NAME, Verdict::Ok, "none yet"),
        Err(error) => return Finding::failed(NAME, &error),
    }
    let storage = match storage(context) {
        Ok(storage) => storage,
        Err(error) => return Finding::new(NAME, Verdict::Fail, error.to_string()),
    };
    match folder::verify(storage) {
        Err(error) => Finding::failed(NAME, &error),
        Ok(folder::VerifyReport { problem: Some(problem), .. }) => {
            Finding::new(NAME, Verdict::Fail, problem)
        }
        Ok(report) if report.unknown_events > 0 => {
            Finding::new(NAME, Verdict::Warn, "has events of a newer version".to_owned())
        }
        Ok(report) => Finding::new(
            NAME,
            Verdict::Ok,
            format!("{}, every byte as it was written", format_count(report.events, "event")),
        ),
    }
}
