//! The stage of a play: a keeper of its own, in a folder of its own, that a play may kill and start again.
//!
//! It thinks with what the caller's `abide.toml` says under `[model]` and searches with what it says under `[memory]`;
//! nothing of the caller's agents is touched. The process is ended when the stage is dropped.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;
use tokio::process::{Child, Command};

use super::{
    super::{
        Context,
        client::{Call, Client},
        failure::Failure,
    },
    b01::CITIZEN,
};
use crate::home::Home;

/// How long a keeper may take to take stimuli.
const READY_MAX: Duration = Duration::from_secs(30);
/// Between two looks at it.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// How long a person may take to paste a reply.
const PASTE: &str = "3600s";

/// The agent of the play.
const AGENT: &str = r#"[[agent]]
id = "felix"
name = "Felix"
role = "runtime engineer"
partners = [
    { id = "nicolas", name = "Nicolas", role = "co-founder" },
    { id = "ada", name = "Ada", role = "architect" },
]
"#;

/// Who answers on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// What the configuration says.
    Configured,
    /// The person, over the socket.
    Person,
}

/// A keeper of its own.
#[derive(Debug)]
pub(super) struct Stage {
    context: Context,
    keeper: Option<Child>,
    log: PathBuf,
}

impl Stage {
    /// Makes the folder and starts the keeper.
    pub(super) async fn open(
        caller: &Context,
        folder: &Path,
        driver: Driver,
    ) -> Result<Self, Failure> {
        let failed = |error: &std::io::Error| {
            Failure::new(format!("{} cannot be made", folder.display())).because(error)
        };
        let root = folder.join("keeper");
        let home = Home::resolve(Some(root), &caller.environment)
            .map_err(|error| Failure::from_error(&error))?;
        home.create().map_err(|error| failed(&error))?;
        std::fs::write(home.config_file(), configuration(caller, driver)?)
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
        let mut stage = Self { context, keeper: None, log: folder.join("keeper.log") };
        stage.start().await?;
        Ok(stage)
    }

    /// The way to the keeper.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        Client::find(&self.context)
    }

    /// Where it lives.
    pub(super) fn home(&self) -> &Home {
        &self.context.home
    }

    /// Starts the keeper and waits until it takes stimuli.
    pub(super) async fn start(&mut self) -> Result<(), Failure> {
        let failed = |error: &std::io::Error| {
            Failure::new("the keeper of the play cannot be started").because(error)
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
            tokio::time::sleep(LOOK_INTERVAL).await;
            waited += LOOK_INTERVAL;
        }
        Err(Failure::new("the keeper of the play did not get ready")
            .hint(format!("its words are in {}", self.log.display())))
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
            // One that has ended by itself needs no killing.
            drop(keeper.kill().await);
        }
    }

    /// Ends the short-term window and gives the agent a new mind process.
    pub(super) async fn reset(&self) -> Result<(), Failure> {
        let client = self.client()?;
        let body = serde_json::json!({"citizen": CITIZEN});
        client.fetch(Call::post("/management/reset", &body)).await?;
        // A mind in the keeper keeps nothing between calls and has no process to restart.
        let path = format!("/agents/{CITIZEN}/restart");
        client.ask(Call::post(&path, &Value::Object(serde_json::Map::new()))).await?;
        Ok(())
    }
}

/// The stage's `abide.toml`: the caller's model and memory, the play's agent.
fn configuration(caller: &Context, driver: Driver) -> Result<String, Failure> {
    let path = caller.home.config_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(Failure::new(format!("{} cannot be read", path.display())).because(&error));
        }
    };
    let theirs: toml_edit::DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Failure::new(format!("{} is no TOML", path.display())).because(&error)
    })?;
    let mut ours = toml_edit::DocumentMut::new();
    for section in ["model", "memory"] {
        if let Some(item) = theirs.get(section) {
            ours.insert(section, item.clone());
        }
    }
    let (paste, socket) = match driver {
        Driver::Person => (
            format!("[limits]\nturn = \"{PASTE}\"\nepoch = \"{PASTE}\"\n"),
            "mind = \"agent\"\ntransport = \"socket\"\n",
        ),
        Driver::Configured => (String::new(), ""),
    };
    Ok(format!("{ours}\n[irc]\nlisten = \"off\"\n\n{paste}\n{AGENT}{socket}"))
}
