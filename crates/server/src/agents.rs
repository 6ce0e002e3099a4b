//! Agents as the configuration wants them: which mind each gets, what else belongs to it, and what the supervisor is given.
//!
//! Reading order: `minds` (which mind) with `models` (which model) and `program` (which process), `process_setup` and
//! `processes` (agents' processes, before and while they run), `process_history` (what they showed lately), `sandbox`, `grants` and `confine` (what confines them), `socket_secret` (what one shows that connects), `tools` (what minds can call) with `command_runner` (their commands), `server_launcher` (servers of tools), `module_launcher` (agents' own code) and
//! `sandbox_probe` (what holds here, for all three),
//! `setup` (an agent's tools, policy, facts, files) with `embedders`, `spawn` (agents that agents made).

mod command_runner;
mod confine;
mod embedders;
mod grants;
mod minds;
mod models;
mod module_launcher;
mod process_history;
mod process_setup;
mod processes;
mod program;
mod sandbox;
mod sandbox_probe;
mod server_launcher;
mod setup;
mod shadows;
mod socket_secret;
mod spawn;
mod tools;

pub(crate) use embedders::{EmbedderChoice, choose_embedder};
pub(crate) use minds::{MindSelector, TrialMind};
pub(crate) use models::{MindError, probe_local_servers};
pub(crate) use module_launcher::{MODULE, ModuleProcess, SandboxedModules};
pub(crate) use process_history::{LOOK_EVERY, ProcessLook};
pub(crate) use process_setup::{
    AGENT, AgentsWithMinds, ChosenAgent, ProcessSetup, ProcessSetupError, SHIM,
};
pub(crate) use processes::Processes;
pub(crate) use sandbox::{describe as describe_sandbox, probe as probe_sandbox};
pub(crate) use sandbox_probe::SandboxProbe;
pub(crate) use server_launcher::{SandboxedServer, SandboxedServers, server_disk_limit, too_much};
pub(crate) use setup::{AgentBuilder, AgentSetupError, AgentSetups};
pub(crate) use shadows::ProgramShadow;
pub(crate) use spawn::Spawner;
pub(crate) use tools::{
    ToolParts, ToolSetupError, check_services, keeper_tool_names, named_folder,
    registry as tool_registry,
};
