//! Homes of their own for keepers of their own. Ports are always free ones; a keeper that is dropped is killed.

use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use abide_testkit::program;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::client::Client;

/// A folder for a keeper.
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

/// A running keeper.
pub(crate) struct Keeper {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Where it answers.
    pub(crate) address: SocketAddr,
    /// The link that it printed.
    pub(crate) link: String,
    /// A caller with the home's token.
    pub(crate) client: Client,
}

impl Home {
    /// A home with a configuration. The mind is the reflex unless the text says otherwise.
    pub(crate) fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Self { folder };
        std::fs::create_dir(home.path()).unwrap();
        std::fs::write(home.path().join("abide.toml"), config).unwrap();
        home
    }

    /// The folder.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The token that stands in it.
    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.path().join("token")).unwrap().trim().to_owned()
    }

    /// A command of the binary on this home, in an environment without anything of ours.
    pub(crate) fn command<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(program(env!("CARGO_BIN_EXE_abide")));
        command
            .env_clear()
            .env("ABIDE_HOME", self.path())
            .env("ABIDE_TEST", "1")
            .env("TZ", "UTC")
            .env("ABIDE_LOG", "error")
            .args(arguments);
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Starts a keeper and waits until it takes stimuli.
    pub(crate) fn up(&self) -> Keeper {
        self.up_with(&[("LC_ALL", "C")])
    }

    /// The same with variables.
    pub(crate) fn up_with(&self, variables: &[(&str, impl AsRef<OsStr>)]) -> Keeper {
        let mut keeper = self.begin(variables);
        assert_eq!(keeper.news()["event"], "ready");
        keeper
    }

    /// Starts a keeper and waits only until its port answers.
    pub(crate) fn begin(&self, variables: &[(&str, impl AsRef<OsStr>)]) -> Keeper {
        self.begin_saying(variables, Stdio::inherit())
    }

    /// The same with its log elsewhere.
    pub(crate) fn begin_saying(
        &self,
        variables: &[(&str, impl AsRef<OsStr>)],
        log: Stdio,
    ) -> Keeper {
        let mut command = self.command(["up", "--json", "--listen", "127.0.0.1:0"]);
        // A test may say otherwise in its configuration; flags would win over that, so it is a variable.
        if !self.config().contains("provider") {
            command.env("ABIDE_MODEL_PROVIDER", "reflex");
        }
        // Its lines would stand between those that a test is about.
        if !self.config().contains("[watchdog]") {
            command.env("ABIDE_WATCHDOG_ENABLED", "false");
        }
        // Nobody is to meet at the default address, which all keepers of a machine share.
        if !self.config().contains("[irc]") {
            command.env("ABIDE_IRC_LISTEN", "off");
        }
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let mut child =
            command.stdout(Stdio::piped()).stderr(log).stdin(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let news = read_news(&mut stdout).expect("the keeper did not start");
        let address: SocketAddr = news["address"].as_str().unwrap().parse().unwrap();
        let link = news["link"].as_str().unwrap().to_owned();
        let client = Client::new(address, Some(self.token()));
        Keeper { child, stdout, address, link, client }
    }

    fn config(&self) -> String {
        std::fs::read_to_string(self.path().join("abide.toml")).unwrap()
    }

    /// The ledger's lines, as `abide ledger query` prints them.
    pub(crate) fn ledger(&self) -> Vec<Value> {
        let output = self.run(["ledger", "query"]);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Deletes everything but the truth.
    pub(crate) fn forget_projections(&self) {
        self.forget_all_but(&["ledger", "abide.toml", "token"]);
    }

    /// The same, but for the private state of agents that are programs: no ledger has it.
    pub(crate) fn forget_projections_of_programs(&self) {
        self.forget_all_but(&["ledger", "abide.toml", "token", "agents"]);
    }

    fn forget_all_but(&self, kept: &[&str]) {
        for entry in std::fs::read_dir(self.path()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if kept.contains(&name.as_str()) {
                continue;
            }
            remove(&path);
        }
    }
}

fn remove(path: &Path) {
    if path.is_dir() {
        std::fs::remove_dir_all(path).unwrap();
    } else {
        std::fs::remove_file(path).unwrap();
    }
}

fn read_news(stdout: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    serde_json::from_str(&line).ok()
}

impl Keeper {
    /// The next line that it prints.
    pub(crate) fn news(&mut self) -> Value {
        read_news(&mut self.stdout).expect("the keeper printed no more")
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and gives its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }

    /// Whether it has ended by itself.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its own end, and gives its exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
