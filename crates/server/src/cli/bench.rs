//! `abide bench`: measures this program on this machine, each figure beside a raw loop in the same run.
//!
//! Works in a scratch folder on the disk of the home folder; the home is not touched and no keeper needs to run.

use std::path::PathBuf;

use abide_bench::{
    BenchError, BenchReport, EpochPlan, EvolutionPlan, LedgerPlan, Locomo, MemoryPlan,
    MemoryReport, QueryPlan, RankingSearchPlan, RankingSearchReport, RecoveryPlan, ToolChoicePlan,
    ToolChoiceReport, TruthPlan, TruthReport, WirePlan,
};
use abide_evolution::limits as search_limits;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    context::Context,
    error::{CliError, Exit},
};

/// Measures speed against raw loops in the same run; put `chrt -f 10` in front to keep other processes out
#[derive(Debug, Args)]
pub(crate) struct BenchCommand {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, Subcommand)]
enum Benchmark {
    #[command(flatten)]
    Speed(SpeedBenchmark),
    /// Memory: what is found and what is forgotten, how fast, and how much space it takes
    Memory {
        #[command(flatten)]
        options: BenchOptions,
        #[command(flatten)]
        memory: MemoryOptions,
    },
    /// Choosing among 200 tools: whether the needed one is shown or one search away, and what that costs in tokens
    Tools {
        #[command(flatten)]
        options: BenchOptions,
        /// Shows the tasks whose tool is not in the first prompt, of the set that is not held out
        #[arg(long)]
        misses: bool,
        /// Folder of the weights [default: where `abide model pull` puts them in the home folder]
        #[arg(long)]
        models: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
enum SpeedBenchmark {
    /// The ledger: appends against raw writes and SQLite, reading back against a bare parse
    Ledger {
        #[command(flatten)]
        options: BenchOptions,
        /// Epochs of ten events in the ledger that is read back
        #[arg(long, value_name = "N")]
        epochs: Option<u32>,
        #[command(flatten)]
        query: QueryOptions,
    },
    /// Frames: read and written, compared with the codecs of agents in Python and JavaScript, and turned into lines of the ledger
    Wire {
        #[command(flatten)]
        options: BenchOptions,
        /// The source tree whose SDKs bring these codecs [default: the one around this folder or this program]
        #[arg(long, value_name = "DIR")]
        tree: Option<PathBuf>,
    },
    /// Whole epochs with a canned model, and the program started, idle, and killed within a tool call
    Epoch {
        #[command(flatten)]
        options: BenchOptions,
        /// Epochs in one long conversation
        #[arg(long, value_name = "N")]
        epochs: Option<u32>,
        /// Only what runs inside this process; starts and kills no other
        #[arg(long)]
        no_processes: bool,
    },
    /// Agents as processes: killed and restored, checkpointed, asked, hibernated and woken
    Recovery {
        #[command(flatten)]
        options: BenchOptions,
        /// Agents that are hibernated
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
        agents: Option<u32>,
    },
    /// Changes of agents: a call of a module, live requests that are given to a change too, ten trials at once
    Evolution {
        #[command(flatten)]
        options: BenchOptions,
    },
}

#[derive(Clone, Debug, Args)]
struct QueryOptions {
    /// Queries of \stdout and of the ledger against ripgrep, jq and SQLite, instead of writing
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
struct BenchOptions {
    /// Measurements of each kind; more give tighter medians
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// A folder on the disk to measure [default: the disk of the home folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Exits with 1 when a target is missed
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, each on its own")]
struct MemoryOptions {
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
    /// Whether a search finds a better order, instead: chosen on the first five conversations, held out on the others
    #[arg(long, requires = "locomo", conflicts_with_all = ["turns", "vectors", "truth"])]
    search: bool,
    /// Searches, each from a seed of its own
    #[arg(long, value_name = "N", requires = "search", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100))]
    searches: u64,
    /// Generations of each part of a search
    #[arg(long, value_name = "N", requires = "search", default_value_t = search_limits::GENERATIONS_DEFAULT)]
    generations: u32,
    /// Expressions of a search at a time
    #[arg(long, value_name = "N", requires = "search", default_value_t = search_limits::POPULATION_DEFAULT)]
    population: usize,
    /// Whether what an agent is shown is true, instead: lives made from seeds, and questions about them
    #[arg(long, conflicts_with_all = ["locomo", "turns", "vectors"])]
    truth: bool,
    /// Lives that are made, half of them held out [default: 20]
    #[arg(long, value_name = "N", requires = "truth", value_parser = clap::value_parser!(u64).range(1..=200))]
    lives: Option<u64>,
    /// Leaves each part of the prompt out in turn, to show what is lost with it
    #[arg(long, requires = "truth")]
    ablate: bool,
    /// Shows the questions that fail, of lives that are not held out
    #[arg(long, requires = "truth")]
    failures: bool,
    /// Folder of the weights [default: where `abide model pull` puts them in the home folder]
    #[arg(long, value_name = "DIR", env = "ABIDE_MODELS")]
    models: Option<PathBuf>,
}

/// A report as text and as JSON.
struct BenchOutput {
    text: String,
    json: Value,
    is_met: bool,
}

impl From<BenchReport> for BenchOutput {
    fn from(report: BenchReport) -> Self {
        Self { text: report.to_string(), json: json!(report), is_met: report.is_met() }
    }
}

impl From<MemoryReport> for BenchOutput {
    fn from(memory: MemoryReport) -> Self {
        let is_met = memory.report.is_met();
        Self { text: memory.to_string(), json: json!(memory), is_met }
    }
}

impl From<TruthReport> for BenchOutput {
    fn from(truth: TruthReport) -> Self {
        Self { text: truth.to_string(), json: json!(truth), is_met: truth.is_met() }
    }
}

impl From<RankingSearchReport> for BenchOutput {
    fn from(search: RankingSearchReport) -> Self {
        Self { text: search.to_string(), json: json!(search), is_met: search.is_met() }
    }
}

impl From<ToolChoiceReport> for BenchOutput {
    fn from(choice: ToolChoiceReport) -> Self {
        Self { text: choice.to_string(), json: json!(choice), is_met: choice.is_met() }
    }
}

impl BenchCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let (terminal, home) = (context.terminal.clone(), context.home.root().to_owned());
        let options = self.benchmark.options().clone();
        let folder = options.dir.clone().unwrap_or(home);
        let models = context.home.models_folder();
        let report_progress = move |what: &str| terminal.say(&format!("measuring: {what}"));
        let measuring = move || match self.benchmark {
            Benchmark::Memory { memory, .. } if memory.truth => {
                bench_truth(&memory, folder, &report_progress)
            }
            Benchmark::Memory { memory, .. } if memory.search => {
                bench_search(memory, &report_progress)
            }
            Benchmark::Memory { options, memory } => {
                bench_memory(&options, memory, folder, models, &report_progress)
            }
            Benchmark::Tools { misses, models: named, .. } => {
                let models = Some(named.unwrap_or(models));
                let plan = ToolChoicePlan { show_misses: misses, models };
                let report = abide_bench::tool_choice(&plan, &report_progress);
                report.map(BenchOutput::from).map_err(|error| CliError::from_error(&error))
            }
            Benchmark::Speed(benchmark) => {
                bench_speed(benchmark, folder, &report_progress).map(BenchOutput::from)
            }
        };
        let output = tokio::task::spawn_blocking(measuring).await;
        let output = output??;
        if context.terminal.is_json() {
            context.terminal.json(&output.json)?;
        } else {
            context.terminal.data(&output.text)?;
        }
        Ok(if options.strict && !output.is_met { Exit::Failed } else { Exit::Ok })
    }
}

impl Benchmark {
    fn options(&self) -> &BenchOptions {
        match self {
            Self::Memory { options, .. }
            | Self::Tools { options, .. }
            | Self::Speed(
                SpeedBenchmark::Ledger { options, .. }
                | SpeedBenchmark::Wire { options, .. }
                | SpeedBenchmark::Epoch { options, .. }
                | SpeedBenchmark::Recovery { options, .. }
                | SpeedBenchmark::Evolution { options },
            ) => options,
        }
    }
}

fn bench_memory(
    options: &BenchOptions,
    memory: MemoryOptions,
    folder: PathBuf,
    models: PathBuf,
    report_progress: &dyn Fn(&str),
) -> Result<BenchOutput, CliError> {
    let mut plan = MemoryPlan::new(folder);
    plan.rounds = options.rounds.unwrap_or(plan.rounds);
    plan.turns = memory.turns.unwrap_or(plan.turns);
    plan.vectors = memory.vectors.unwrap_or(plan.vectors);
    plan.locomo = memory.locomo.map(|data| Locomo { data, audit: memory.audit });
    plan.models = Some(memory.models.unwrap_or(models));
    let report = abide_bench::memory(&plan, report_progress);
    report.map(BenchOutput::from).map_err(CliError::from)
}

fn bench_truth(
    memory: &MemoryOptions,
    folder: PathBuf,
    report_progress: &dyn Fn(&str),
) -> Result<BenchOutput, CliError> {
    let mut plan = TruthPlan::new(folder);
    plan.seeds = memory.lives.map_or(plan.seeds, |lives| (1..=lives).collect());
    (plan.ablate, plan.show_failures) = (memory.ablate, memory.failures);
    let report = abide_bench::truth(&plan, report_progress);
    report.map(BenchOutput::from).map_err(|error| CliError::from_error(&error))
}

fn bench_search(
    memory: MemoryOptions,
    report_progress: &dyn Fn(&str),
) -> Result<BenchOutput, CliError> {
    let MemoryOptions { locomo, audit, searches, generations, population, .. } = memory;
    let Some(data) = locomo else { return Err(CliError::usage("--search needs --locomo FILE")) };
    let (locomo, seeds) = (Locomo { data, audit }, (1..=searches).collect());
    let plan = RankingSearchPlan { locomo, generations, population, seeds };
    let report = abide_bench::ranking_search(&plan, report_progress);
    report.map(BenchOutput::from).map_err(CliError::from)
}

fn bench_speed(
    benchmark: SpeedBenchmark,
    folder: PathBuf,
    report_progress: &dyn Fn(&str),
) -> Result<BenchReport, CliError> {
    let failed = |error: BenchError| CliError::from_error(&error);
    match benchmark {
        SpeedBenchmark::Ledger { options, query, .. } if query.query => {
            let mut plan = QueryPlan::new(folder);
            plan.rounds = options.rounds.unwrap_or(plan.rounds);
            plan.entries = query.entries.unwrap_or(plan.entries);
            plan.week = query.week;
            abide_bench::query(&plan, report_progress).map_err(failed)
        }
        SpeedBenchmark::Ledger { options, epochs, .. } => {
            let mut plan = LedgerPlan::new(folder);
            plan.rounds = options.rounds.unwrap_or(plan.rounds);
            plan.epochs = epochs.unwrap_or(plan.epochs);
            abide_bench::ledger(&plan, report_progress).map_err(failed)
        }
        SpeedBenchmark::Wire { options, tree } => {
            let folders = [std::env::current_dir(), std::env::current_exe()];
            let folders: Vec<_> = folders.into_iter().filter_map(Result::ok).collect();
            let mut plan = WirePlan::new(folder, &folders);
            plan.rounds = options.rounds.unwrap_or(plan.rounds);
            plan.tree = tree.or(plan.tree);
            abide_bench::wire(&plan, report_progress).map_err(failed)
        }
        SpeedBenchmark::Epoch { options, epochs, no_processes } => {
            let binary = if no_processes { None } else { Some(std::env::current_exe()?) };
            let mut plan = EpochPlan::new(folder, binary);
            plan.rounds = options.rounds.unwrap_or(plan.rounds);
            plan.epochs = epochs.unwrap_or(plan.epochs);
            abide_bench::epoch(&plan, report_progress).map_err(failed)
        }
        SpeedBenchmark::Recovery { options, agents } => {
            let mut plan = RecoveryPlan::new(folder, std::env::current_exe()?);
            plan.rounds = options.rounds.unwrap_or(plan.rounds);
            plan.sleepers = agents.map_or(plan.sleepers, |agents| agents as usize);
            abide_bench::recovery(&plan, report_progress).map_err(failed)
        }
        SpeedBenchmark::Evolution { options } => {
            let mut plan = EvolutionPlan::new(folder, std::env::current_exe()?);
            plan.rounds = options.rounds.unwrap_or(plan.rounds);
            abide_bench::evolution(&plan, report_progress).map_err(failed)
        }
    }
}
