//! `abide bench`: measures this machine with this program, each figure beside a raw loop in the same run.
//!
//! Works in a scratch folder on the disk of the home; no home is touched and no keeper needs to run.

use std::path::PathBuf;

use abide_bench::{BenchError, EpochPlan, LedgerPlan, RecoveryPlan, Report, WirePlan};
use clap::{Args, Subcommand};
use serde_json::json;

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
    /// The log: appends against raw writes and SQLite, reading back against a bare parse
    Ledger {
        #[command(flatten)]
        how: How,
        /// Epochs of ten events in the log that is read back
        #[arg(long, value_name = "N")]
        epochs: Option<u32>,
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

impl Bench {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let (terminal, home) = (context.terminal.clone(), context.home.root().to_owned());
        let how = self.subject.how().clone();
        let folder = how.dir.clone().unwrap_or(home);
        let tell = move |what: &str| terminal.say(&format!("measuring: {what}"));
        let measuring = move || measure(self.subject, folder, &tell);
        let measured = tokio::task::spawn_blocking(measuring).await;
        let report = measured.map_err(|error| Failure::from_error(&error))??;
        if context.terminal.is_json() {
            context.terminal.json(&json!(report))?;
        } else {
            context.terminal.data(&report.to_string())?;
        }
        Ok(if how.strict && !report.is_met() { Exit::Failed } else { Exit::Ok })
    }
}

impl Subject {
    fn how(&self) -> &How {
        match self {
            Self::Ledger { how, .. }
            | Self::Wire { how, .. }
            | Self::Epoch { how, .. }
            | Self::Recovery { how, .. } => how,
        }
    }
}

fn measure(subject: Subject, folder: PathBuf, tell: &dyn Fn(&str)) -> Result<Report, Failure> {
    let failed = |error: BenchError| Failure::from_error(&error);
    match subject {
        Subject::Ledger { how, epochs } => {
            let mut plan = LedgerPlan::new(folder);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.epochs = epochs.unwrap_or(plan.epochs);
            abide_bench::ledger(&plan, tell).map_err(failed)
        }
        Subject::Wire { how, tree } => {
            let places = [std::env::current_dir(), std::env::current_exe()];
            let places: Vec<_> = places.into_iter().filter_map(Result::ok).collect();
            let mut plan = WirePlan::new(folder, &places);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.tree = tree.or(plan.tree);
            abide_bench::wire(&plan, tell).map_err(failed)
        }
        Subject::Epoch { how, epochs, no_processes } => {
            let binary = if no_processes { None } else { Some(std::env::current_exe()?) };
            let mut plan = EpochPlan::new(folder, binary);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.epochs = epochs.unwrap_or(plan.epochs);
            abide_bench::epoch(&plan, tell).map_err(failed)
        }
        Subject::Recovery { how, agents } => {
            let mut plan = RecoveryPlan::new(folder, std::env::current_exe()?);
            plan.rounds = how.rounds.unwrap_or(plan.rounds);
            plan.sleepers = agents.map_or(plan.sleepers, |agents| agents as usize);
            abide_bench::recovery(&plan, tell).map_err(failed)
        }
    }
}
