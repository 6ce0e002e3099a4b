//! The scenario's keeper, in a folder of its own, which the scenario may kill and start again.
//!
//! It has the `[model]` and `[memory]` of the caller's `abide.toml`; the caller's agents are not touched. Dropping it ends
//! the process.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;
use tokio::process::{Child, Command};

use super::{
    super::{
        client::{Call, Client},
        context::Context,
        error::CliError,
    },
    b01::CITIZEN,
};
use crate::home::Home;

/// Longest wait until a started keeper takes stimuli.
const READY_MAX: Duration = Duration::from_secs(30);
/// Between two checks of whether it is ready.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest wait for a reply that a person pastes.
const PASTE_MAX: &str = "3600s";

/// The scenario's agent.
const AGENT: &str = r#"[[agent]]
id = "felix"
name = "Felix"
role = "runtime engineer"
partners = [
    { id = "nicolas", name = "Nicolas", role = "co-founder" },
    { id = "ada", name = "Ada", role = "architect" },
]
"#;

/// Who answers for the scenario's agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MindSource {
    /// The mind of the configuration.
    Configured,
    /// The person at the terminal, over the socket.
    Person,
}

/// The scenario's keeper.
#[derive(Debug)]
pub(super) struct LoopKeeper {
    context: Context,
    keeper: Option<Child>,
    log: PathBuf,
}

impl LoopKeeper {
    /// Creates the folder and starts the keeper.
    pub(super) async fn open(
        caller: &Context,
        folder: &Path,
        source: MindSource,
    ) -> Result<Self, CliError> {
        let failed = |error: &std::io::Error| {
            CliError::new(format!("{} cannot be created", folder.display())).caused_by(error)
        };
        let root = folder.join("keeper");
        let home = Home::resolve(Some(root), &caller.environment)?;
        home.create().map_err(|error| failed(&error))?;
        std::fs::write(home.config_file(), configuration(caller, source)?)
            .map_err(|error| failed(&error))?;
        let weights = caller.home.root().join("models");
        if weights.is_dir() {
            std::os::unix::fs::symlink(&weights, home.root().join("models"))
                .map_err(|error| failed(&error))?;
        }
        let context = Context {
            home,
            environment: caller.environment.clone(),
            terminal: caller.terminal.clone(),
        };
        let mut this = Self { context, keeper: None, log: folder.join("keeper.log") };
        this.start().await?;
        Ok(this)
    }

    pub(super) fn client(&self) -> Result<Client, CliError> {
        Client::find(&self.context)
    }

    pub(super) fn home(&self) -> &Home {
        &self.context.home
    }

    /// Starts the keeper and waits until it takes stimuli.
    pub(super) async fn start(&mut self) -> Result<(), CliError> {
        let failed = |error: &std::io::Error| {
            CliError::new("the scenario's keeper cannot be started").caused_by(error)
        };
        let program = std::env::current_exe().map_err(|error| failed(&error))?;
        let log = std::fs::OpenOptions::new().create(true).append(true).open(&self.log);
        let log = log.map_err(|error| failed(&error))?;
        let child = Command::new(program)
            .arg("--home")
            .arg(self.context.home.root())
            .args(["up", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(&error))?;
        let pid = child.id();
        self.keeper = Some(child);
        let mut waited = Duration::ZERO;
        while waited < READY_MAX {
            if self.is_ready(pid).await {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
            waited += POLL_INTERVAL;
        }
        Err(CliError::new("the scenario's keeper did not get ready")
            .hint(format!("its log is {}", self.log.display())))
    }

    async fn is_ready(&self, pid: Option<u32>) -> bool {
        let Ok(client) = self.client() else { return false };
        if Some(client.presence().pid) != pid {
            return false;
        }
        client.fetch(Call::get("/ready")).await.is_ok()
    }

    /// Kills the keeper at once, as a power cut would.
    pub(super) async fn kill(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            // Killing one that has ended by itself fails, which is fine.
            drop(keeper.kill().await);
        }
    }

    /// Ends the short-term window and gives the agent a new mind process.
    pub(super) async fn reset(&self) -> Result<(), CliError> {
        let client = self.client()?;
        let body = serde_json::json!({"citizen": CITIZEN});
        client.fetch(Call::post("/management/reset", &body)).await?;
        // A mind in the keeper keeps nothing between calls and has no process to restart.
        let path = format!("/agents/{CITIZEN}/restart");
        client.call(Call::post(&path, &Value::Object(serde_json::Map::new()))).await?;
        Ok(())
    }
}

/// The keeper's `abide.toml`: the caller's model and memory, the scenario's agent.
fn configuration(caller: &Context, source: MindSource) -> Result<String, CliError> {
    let path = caller.home.config_file();
    let text = crate::config::read_file(&path)?;
    let callers: toml_edit::DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        CliError::new(format!("{} is not TOML", path.display())).caused_by(&error)
    })?;
    let mut document = toml_edit::DocumentMut::new();
    for section in ["model", "memory"] {
        if let Some(item) = callers.get(section) {
            document.insert(section, item.clone());
        }
    }
    let (paste, socket) = match source {
        MindSource::Person => (
            format!("[limits]\nturn = \"{PASTE_MAX}\"\nepoch = \"{PASTE_MAX}\"\n"),
            "mind = \"agent\"\ntransport = \"socket\"\n",
        ),
        MindSource::Configured => (String::new(), ""),
    };
    Ok(format!("{document}\n[irc]\nlisten = \"off\"\n\n{paste}\n{AGENT}{socket}"))
}
