//! What can confine processes on this machine, tried once, when it is first needed. Shared by all that starts processes beside
//! those of agents (`sandbox`, at the keeper's start): commands and servers of tools. It decides nothing; what could not be tried is not
//! taken for something that holds.

use std::io;

use abide_supervisor::ProbedSandbox;
use tokio::sync::OnceCell;

use super::sandbox;
use crate::home::Home;

/// What holds here, once it could be tried.
#[derive(Debug)]
pub(crate) struct SandboxProbe {
    home: Home,
    /// Where a test bounds the level.
    level_max: u64,
    probed: OnceCell<ProbedSandbox>,
}

impl SandboxProbe {
    pub(crate) fn new(home: &Home, level_max: u64) -> Self {
        Self { home: home.clone(), level_max, probed: OnceCell::new() }
    }

    /// What holds here. Where it could not be tried, the next asking tries again.
    pub(super) async fn get(&self) -> io::Result<&ProbedSandbox> {
        let (home, level_max) = (self.home.clone(), self.level_max);
        let probe = async || {
            let probed = tokio::task::spawn_blocking(move || sandbox::probe_for(&home, level_max));
            let probed = probed.await.map_err(io::Error::other).flatten()?;
            let detail = sandbox::describe(&probed);
            tracing::info!(event = "sandbox_tried", detail, "commands and servers are confined so");
            Ok(probed)
        };
        self.probed.get_or_try_init(probe).await
    }
}
