//! Starts a server as a plain child in a process group of its own, with the few variables that it may have.
//!
//! What leaves the group (`setsid`) or outlives the client's own violent death without reading its stdin is out of this launcher's reach;
//! that is what a sandbox is for.

use std::{collections::BTreeMap, ffi::OsString, process::Stdio};

use futures_util::future::BoxFuture;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, Command};

use crate::launch::{LaunchError, LaunchRequest, LaunchedServer, ServerLauncher, ServerProcess};

/// The variables that each server gets.
const ALWAYS_PASSED: [&str; 3] = ["PATH", "HOME", "LANG"];

/// Starts servers without a sandbox.
#[derive(Clone, Debug, Default)]
pub struct PlainLauncher {
    environment: BTreeMap<OsString, OsString>,
}

impl PlainLauncher {
    /// A launcher that takes the values of variables from the given environment, most often the keeper's own.
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self { environment: environment.into_iter().collect() }
    }

    fn start(&self, request: &LaunchRequest) -> std::io::Result<LaunchedServer> {
        let mut command = Command::new(&request.command);
        command
            .args(&request.args)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let named = request.environment.iter().map(String::as_str);
        for name in ALWAYS_PASSED.into_iter().chain(named) {
            if let Some(value) = self.environment.get(&OsString::from(name)) {
                command.env(name, value);
            }
        }
        let mut child = command.spawn()?;
        let missing = || std::io::Error::other("a pipe of the process is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        Ok(LaunchedServer {
            stdin: Box::new(stdin),
            stdout: Box::new(stdout),
            stderr: Box::new(stderr),
            process: Box::new(GroupedChild { child, is_waited_for: false }),
        })
    }
}

impl ServerLauncher for PlainLauncher {
    fn launch<'a>(
        &'a self,
        request: &'a LaunchRequest,
    ) -> BoxFuture<'a, Result<LaunchedServer, LaunchError>> {
        let launched = self
            .start(request)
            .map_err(|cause| LaunchError { command: request.command.clone(), cause });
        Box::pin(std::future::ready(launched))
    }
}

/// A child that leads a process group.
#[derive(Debug)]
struct GroupedChild {
    child: Child,
    /// From then on the number of the group may mean another one.
    is_waited_for: bool,
}

impl GroupedChild {
    /// The leader, as long as its number cannot mean another process.
    fn leader(&self) -> Option<Pid> {
        let raw = self.child.id().filter(|_| !self.is_waited_for)?;
        Pid::from_raw(i32::try_from(raw).ok()?)
    }
}

impl ServerProcess for GroupedChild {
    fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    fn has_left(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match self.leader() {
            None => true,
            Some(leader) => !matches!(waitid(WaitId::Pid(leader), options), Ok(None)),
        }
    }

    fn kill(&mut self) {
        if let Some(leader) = self.leader() {
            // It fails only where nothing is left of the group.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    fn wait(&mut self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            self.is_waited_for = true;
            match self.child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => format!("its end could not be learned: {error}"),
            }
        })
    }
}

impl Drop for GroupedChild {
    fn drop(&mut self) {
        self.kill();
    }
}
