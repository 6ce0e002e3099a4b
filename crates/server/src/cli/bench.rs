//! `abide bench`: measures this machine with this program, each figure beside a raw loop in the same run.
//!
//! Works in a scratch folder on the disk of the home; no home is touched and no keeper needs to run.

use std::path::PathBuf;

use abide_bench::{
    BenchError, BenchReport, EpochPlan, LedgerPlan, Locomo, MemoryPlan, MemoryReport, QueryPlan,
    RecoveryPlan, WirePlan,
};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    Context,
    failure::{Exit, Failure},
};

/// Measures speed beside raw loops in the same run; `chrt -f 10` in front keeps neighbours out
#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Debug, Subcommand)]
enum Subject {
    #[command(flatten)]
    Speed(Speed),
    /// Memory: which turns are found, what is known and forgotten, how fast, and what it takes
    Memory {
        #[command(flatten)]
        how: How,
        #[command(flatten)]
        what: Remembering,
    },
}

#[derive(Debug, Subcommand)]
enum Speed {
    /// The log: appends against raw writes and SQLite, reading back against a bare parse
    Ledger {
        #[command(flatten)]
        how: How,
        /// Epochs of ten events in the log that is read back
        #[arg(long, value_name = "N")]
        epochs: Option<u32>,
        #[command(flatten)]
        asking: Asking,
    },
    /// Frames: read and written against the codecs that agents in Python and JavaScript have, and made lines of the log
    Wire {
        #[command(flatten)]
        how: How,
        /// The source tree whose SDKs bring these codecs [default: the one around this folder or this program]
        #[arg(long, value_name = "DIR")]
        tree: Option<PathBuf>,
    },
    /// Whole epochs against a canned model, and the binary started, at rest, and killed in a tool
    Epoch {
        #[command(flatten)]
        how: How,
        /// Epochs in one long conversation
        #[arg(long, value_name = "N")]
        epochs: Option<u32>,
        /// Only what runs inside this process; starts and kills no other
        #[arg(long)]
        no_processes: bool,
    },
    /// Agents as processes: killed and restored, written down, asked, put to rest and woken
    Recovery {
        #[command(flatten)]
        how: How,
        /// Agents that are put to rest
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
        agents: Option<u32>,
    },
}

#[derive(Clone, Debug, Args)]
struct Asking {
    /// What is asked of \stdout and of the log, against ripgrep, jq and SQLite, in place of how they are written
    #[arg(long, conflicts_with = "epochs")]
    query: bool,
    /// Entries in all logs together; ten million take 4 GB of disk
    #[arg(long, value_name = "N", requires = "query", value_parser = clap::value_parser!(u64).range(1..))]
    entries: Option<u64>,
    /// A simulated week of 800 entities too; it takes 2 GB of disk
    #[arg(long, requires = "query")]
    week: bool,
}

#[derive(Clone, Debug, Args)]
struct How {
    /// Slices of each kind; more give tighter medians
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// A folder on the disk to measure [default: the home's disk]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Exit 1 when a bar is missed
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Debug, Args)]
struct Remembering {
    /// LoCoMo's `locomo10.json`, for recall of evidence; it is read and never kept
    #[arg(long, value_name = "FILE")]
    locomo: Option<PathBuf>,
    /// Corrections of its evidence, as `dial481/locomo-audit` has them
    #[arg(long, value_name = "FILE", requires = "locomo")]
    audit: Option<PathBuf>,
    /// Turns among which questions are timed
    #[arg(long, value_name = "N")]
    turns: Option<usize>,
    /// Vectors that are compared
    #[arg(long, value_name = "N")]
    vectors: Option<usize>,
    /// Folder of the weights [default: the home's, where `abide model pull` puts them]
    #[arg(long, value_name = "DIR", env = "ABIDE_MODELS")]
    models: Option<PathBuf>,
}

/// A report in both its forms.
struct Measured {
    text: String,
    json: Value,
    is_met: bool,
}

impl From<BenchReport> for Measured {
    fn from(report: BenchReport) -> Self {
        Self { text: report.to_string(), json: json!(report), is_met: report.is_met() }
    }
}

impl From<MemoryReport> for Measured {
    fn from(memory: MemoryReport) -> Self {
        let is_met = memory.report.is_met();
        Self { text: memory.to_string(), json: json!(memory), is_met }
    }
}

impl Bench {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let (terminal, home) = (context.terminal.clone(), context.home.root().to_owned());
        let how = self.subject.how().clone();
        let folder = how.dir.clone().unwrap_or(home);
        let models = context.home.models_folder();
        let tell = move |what: &str| terminal.say(&format!("measuring: {what}"));
        let measuring = move || match self.subject {
            Subject::Memory { how, what } => remember(&how, what, folder, models, &tell),
            Subject::Speed(subject) => measure(subject, folder, &tell).map(Measured::from),
        };
        let measured = tokio::task::spawn_blocking(measuring).await;
        let measured = measured.map_err(|error| Failure::from_error(&error))??;
        if context.terminal.is_json() {
            context.terminal.json(&measured.json)?;
        } else {
            context.terminal.data(&measured.text)?;
        }
        Ok(if how.strict && !measured.is_met { Exit::Failed } else { Exit::Ok })
    }
}

impl Subject {
    fn how(&self) -> &How {
        match self {
            Self::Memory { how, .. }
            | Self::Speed(
                Speed::Ledger { how, .. }
                | Speed::Wire { how, .. }
                | Speed::Epoch { how, .. }
                | Speed::Recovery { how, .. },
            ) => how,
        }
    }
}

fn remember(
    how: &How,
    what: Remembering,
    folder: PathBuf,
    models: PathBuf,
    tell: &dyn Fn(&str),
) -> Result<Measured, Failure> {
    let mut plan = MemoryPlan::new(folder);
    plan.rounds = how.rounds.unwrap_or(plan.rounds);
    plan.turns = what.turns.unwrap_or(plan.turns);
    plan.vectors = what.vectors.unwrap_or(plan.vectors);
    plan.locomo = what.locomo.map(|data| Locomo { data, audit: what.audit });
    plan.models = Some(what.models.unwrap_or(models));
    let memory = abide_bench::memory(&plan, tell);
    memory.map(Measured::from).map_err(|error| Failure::from_error(&error))
}

fn measure(subject: Speed, folder: PathBuf, tell: &dyn Fn(&str)) -> Result<BenchReport, Failure> {
    let failed = |error: BenchError| Failure::from_error(&error);
    match subject {
        Speed::Ledger { how, asking, .. } if asking.query => {
            let mut plan = QueryPlan::new(folder);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.entries = asking.entries.unwrap_or(plan.entries);
            plan.week = asking.week;
            abide_bench::query(&plan, tell).map_err(failed)
        }
        Speed::Ledger { how, epochs, .. } => {
            let mut plan = LedgerPlan::new(folder);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.epochs = epochs.unwrap_or(plan.epochs);
            abide_bench::ledger(&plan, tell).map_err(failed)
        }
        Speed::Wire { how, tree } => {
            let places = [std::env::current_dir(), std::env::current_exe()];
            let places: Vec<_> = places.into_iter().filter_map(Result::ok).collect();
            let mut plan = WirePlan::new(folder, &places);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.tree = tree.or(plan.tree);
            abide_bench::wire(&plan, tell).map_err(failed)
        }
        Speed::Epoch { how, epochs, no_processes } => {
            let binary = if no_processes { None } else { Some(std::env::current_exe()?) };
            let mut plan = EpochPlan::new(folder, binary);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.epochs = epochs.unwrap_or(plan.epochs);
            abide_bench::epoch(&plan, tell).map_err(failed)
        }
        Speed::Recovery { how, agents } => {
            let mut plan = RecoveryPlan::new(folder, std::env::current_exe()?);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.sleepers = agents.map_or(plan.sleepers, |agents| agents as usize);
            abide_bench::recovery(&plan, tell).map_err(failed)
        }
    }
}
