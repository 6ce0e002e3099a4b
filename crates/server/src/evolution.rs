//! Changes of agents, from a proposal to what is in force (decisions 35 to 37): who tries them, and what runs because of them.
//!
//! The machine and what stands in the ledger are `abide_domain::evolution` and the engine's fold; what pairs say is `abide_evolution`;
//! the processes that run agents' code are `abide_modules`. Here they meet. Nothing of a candidate reaches an agent before the line
//! that puts it in force is durable, and no trial runs a tool.
//!
//! Reading order: `codes` (what is in force, as the ranker and the task see it), `module_pool` (the processes that serve it), `module_metrics`, `ranker` (the agent's own order of passages, live), `own_parts` and `own_modules` (its own tools and commands, live),
//! `live_requests` (requests that a trial or a watch is given besides), `recorded` (what the ledger holds of a proposal), `memory_trial`
//! (a question given to both codes), `own_uses`, `own_trial` and `own_checks` (the same for tools and commands), `mind_change`, `mind_checks`, `mind_leg`, `mind_differences`, `mind_judge`, `mind_quotes`, `mind_trial` and
//! `recorded_calls` (an epoch asked of two minds), `trial` (either), `pairs` (pairs as lines and as statistics), `judging` (what they say), `work` with `moves`, `checks` and
//! `watching` (the next move of each change), `programs` with `program_trial` and `program_watch` (the same for agents that are programs of
//! their own) and `program_codes` (what their processes are told), `task` (which of them is worked at), `report` (what was tried, as evidence), `trial_report` (a trial with all its figures, made again from the ledger), `search`
//! (a better order that is looked for, and proposed like any).

mod checks;
mod codes;
mod judging;
mod kept_processes;
mod live_requests;
mod memory_trial;
mod mind_change;
mod mind_checks;
mod mind_costs;
mod mind_differences;
mod mind_judge;
mod mind_leg;
mod mind_quotes;
mod mind_trial;
mod module_metrics;
mod module_pool;
mod moves;
mod own_checks;
mod own_modules;
mod own_parts;
mod own_trial;
mod own_uses;
mod pairs;
mod program_codes;
mod program_trial;
mod program_watch;
mod programs;
mod ranker;
mod recorded;
mod recorded_calls;
mod report;
mod search;
mod task;
mod trial;
mod trial_report;
mod watching;
mod work;

pub(crate) use mind_change::MindChange;
pub(crate) use mind_checks::judge_change;
pub(crate) use module_metrics::ModuleMetrics;
pub(crate) use own_checks::check_cases;
pub(crate) use own_modules::OwnModules;
pub(crate) use search::{
    SearchEnd, SearchPhase, SearchStartError, SearchStatus, Searches, SearchesParts, search_winner,
};
pub(crate) use task::EvolutionTask;
pub(crate) use trial_report::{TrialReport, trial_report};
pub(crate) use work::EvolutionParts;
