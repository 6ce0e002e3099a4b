//! `abide ledger`: reads the log itself, with or without a running keeper. Prints lines exactly as they stand.

use std::{
    fmt::Write as _,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use abide_domain::{EntityName, EpochId};
use abide_ledger::{
    FileStorage, Query, QueryOrder, Record, Storage, folder,
    text::{Needle, TEXT_MATCHES_MAX},
};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    Context,
    doctor::{Finding, Verdict},
    failure::{Exit, Failure},
};

/// How often a followed log is looked at.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

/// Reads the log, with or without a running keeper
#[derive(Debug, Args)]
pub(crate) struct LedgerCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the last events
    Tail {
        /// How many
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
        /// Goes on printing new ones
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        wanted: Wanted,
    },
    /// Prints the events that fit
    Query {
        #[command(flatten)]
        wanted: Wanted,
        /// Only events after this sequence
        #[arg(long, default_value_t = 0)]
        after: u64,
        /// Only events before this sequence
        #[arg(long)]
        before: Option<u64>,
        /// At most so many
        #[arg(long)]
        limit: Option<usize>,
        /// The newest first
        #[arg(long)]
        newest: bool,
        /// Only events in whose data this stands, in any case
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
    /// Reads every byte and checks it
    Verify,
    /// Writes events byte for byte, such as for a backup
    Export {
        /// A file; default: stdout
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The first sequence
        #[arg(long, default_value_t = 1)]
        from: u64,
        /// The last sequence
        #[arg(long, default_value_t = u64::MAX)]
        through: u64,
    },
    /// Prints numbers about the log
    Stat,
}

#[derive(Debug, Args)]
struct Wanted {
    /// Only events of this agent (`@felix`; `@keeper` is the house)
    #[arg(long)]
    entity: Option<String>,
    /// Only events that this one caused
    #[arg(long)]
    author: Option<String>,
    /// Only events of these kinds, separated by commas; `epoch.*` is a group
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// Only events of this epoch
    #[arg(long)]
    epoch: Option<String>,
}

impl Wanted {
    fn query(&self) -> Result<Query, Failure> {
        Ok(Query {
            entity: self.entity.as_deref().map(entity).transpose()?,
            author: self.author.as_deref().map(entity).transpose()?,
            kinds: self.kinds.clone(),
            epoch: self.epoch.as_deref().map(epoch).transpose()?,
            ..Query::default()
        })
    }
}

fn entity(text: &str) -> Result<EntityName, Failure> {
    let name = if text.starts_with('@') { text.to_owned() } else { format!("@{text}") };
    name.parse().map_err(|error| Failure::usage(format!("{text:?} is no entity: its name {error}")))
}

fn epoch(text: &str) -> Result<EpochId, Failure> {
    text.parse().map_err(|_| Failure::usage(format!("{text:?} is no id of an epoch")))
}

impl LedgerCommand {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let storage = storage(context)?;
        match self.action {
            Action::Tail { lines, follow, wanted } => {
                tail(storage, lines, follow, wanted.query()?).await?;
            }
            Action::Query { wanted, after, before, limit, newest, text } => {
                let order = if newest { QueryOrder::NewestFirst } else { QueryOrder::OldestFirst };
                let limit = limit.unwrap_or(usize::MAX);
                let query = Query { after, before, limit, order, ..wanted.query()? };
                let folder = open(storage)?;
                if let Some(text) = text {
                    return search(context, &folder, &text, query);
                }
                print(folder.query(query).map(|record| record.map_err(|error| failed(&error))))?;
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

fn storage(context: &Context) -> Result<Arc<dyn Storage>, Failure> {
    let path = context.home.ledger_folder();
    if !path.is_dir() {
        return Err(Failure::new(format!("{} holds no ledger yet", context.home.root().display()))
            .hint("`abide up` makes it; --home names another folder"));
    }
    Ok(Arc::new(FileStorage::at(&path)))
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::from_error(error)
}

fn open(storage: Arc<dyn Storage>) -> Result<folder::Folder, Failure> {
    folder::Folder::open(storage).map_err(|error| failed(&error))
}

fn print(records: impl IntoIterator<Item = Result<Record, Failure>>) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for record in records {
        out.write_all(record?.line().as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints what holds a text. A line that may hold it and cannot be read is named, and is a failure of the command.
fn search(
    context: &Context,
    folder: &folder::Folder,
    text: &str,
    query: Query,
) -> Result<Exit, Failure> {
    let needle = Needle::new(text).map_err(|error| Failure::usage(error.to_string()))?;
    let limit = query.limit;
    let found = folder.search_text(&needle, query).map_err(|error| failed(&error))?;
    print(found.records.into_iter().map(Ok))?;
    for line in &found.damaged {
        context.terminal.say(&format!("a line that may hold it cannot be read: {line}"));
    }
    if found.has_more && limit > TEXT_MATCHES_MAX {
        context.terminal.say(&format!("there are more; one search shows {TEXT_MATCHES_MAX}"));
    }
    Ok(if found.damaged_total > 0 { Exit::Failed } else { Exit::Ok })
}

async fn tail(
    storage: Arc<dyn Storage>,
    lines: usize,
    follow: bool,
    query: Query,
) -> Result<(), Failure> {
    let mut folder = open(storage)?;
    let last =
        folder.tail(Query { limit: lines, ..query.clone() }).map_err(|error| failed(&error))?;
    print(last.into_iter().map(Ok))?;
    if !follow {
        return Ok(());
    }
    loop {
        tokio::time::sleep(FOLLOW_INTERVAL).await;
        let after = folder.head().seq;
        if folder.refresh().map_err(|error| failed(&error))? {
            let query = Query { after, ..query.clone() };
            print(folder.query(query).map(|record| record.map_err(|error| failed(&error))))?;
        }
    }
}

fn verify(context: &Context, storage: Arc<dyn Storage>) -> Result<Exit, Failure> {
    let report = folder::verify(storage).map_err(|error| failed(&error))?;
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
        context.terminal.say(&format!("{bytes} bytes behind the last whole batch in {file} at {offset}: being written, or cut by a crash"));
    }
    if let Some(unknown) = &report.first_unknown {
        context.terminal.say(&format!(
            "{} events are not known to this version: {unknown}",
            report.unknown_events
        ));
    }
    match &report.problem {
        None => Ok(Exit::Ok),
        Some(problem) => Err(Failure::new(problem.clone())),
    }
}

fn export(
    context: &Context,
    storage: Arc<dyn Storage>,
    file: Option<&Path>,
    seqs: std::ops::RangeInclusive<u64>,
) -> Result<(), Failure> {
    let folder = open(storage)?;
    let exported = match file {
        None => folder.export(seqs, &mut BufWriter::new(std::io::stdout().lock())),
        Some(path) => {
            let file = std::fs::File::create_new(path).map_err(|error| {
                Failure::new(format!("{} cannot be made", path.display())).because(&error)
            })?;
            let mut out = BufWriter::new(file);
            folder.export(seqs, &mut out).and_then(|exported| {
                // A backup that is only in memory is none.
                out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
                Ok(exported)
            })
        }
    };
    let exported = exported.map_err(|error| match error {
        folder::ExportError::Write(error) => Failure::from(error),
        folder::ExportError::Read(error) => failed(&error),
    })?;
    let chain = exported.chain.as_deref().unwrap_or("none");
    context
        .terminal
        .say(&format!("{} events, {} bytes; chain {chain}", exported.events, exported.bytes));
    Ok(())
}

fn stat(context: &Context, storage: Arc<dyn Storage>) -> Result<(), Failure> {
    let stat = open(storage)?.stat().map_err(|error| failed(&error))?;
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

/// What `doctor` says about the ledger.
pub(crate) fn finding(context: &Context) -> Finding {
    const NAME: &str = "ledger";
    let Ok(storage) = storage(context) else {
        return Finding::new(NAME, Verdict::Ok, "none yet");
    };
    match folder::verify(storage) {
        Err(error) => Finding::new(NAME, Verdict::Fail, failed(&error).to_string()),
        Ok(folder::VerifyReport { problem: Some(problem), .. }) => {
            Finding::new(NAME, Verdict::Fail, problem)
        }
        Ok(report) if report.unknown_events > 0 => {
            Finding::new(NAME, Verdict::Warn, "holds events of a newer version".to_owned())
        }
        Ok(report) => Finding::new(
            NAME,
            Verdict::Ok,
            format!("{} events, every byte as it was written", report.events),
        ),
    }
}
