//! `keeper.json` in the home: how the command line finds the running keeper. Written when it listens, removed at its
//! end; a stale one is harmless, for commands call `api.sock` and never the address in it.

use std::{io, net::SocketAddr};

use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

use crate::home::{Home, LinkRule, read_regular, write_atomically};

/// The file is never longer than this.
const FILE_BYTES_MAX: u64 = 4 * 1024;

/// Where a running keeper is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// Its process id.
    pub(crate) pid: u32,
    /// Where it answers.
    pub(crate) address: SocketAddr,
    /// Its program's version.
    pub(crate) version: String,
}

impl Presence {
    /// This process at a bound address.
    pub(crate) fn here(mut bound: SocketAddr) -> Self {
        if bound.ip().is_unspecified() {
            // Nobody can call "any address"; from this machine it answers on loopback.
            bound.set_ip(if bound.is_ipv6() {
                std::net::Ipv6Addr::LOCALHOST.into()
            } else {
                std::net::Ipv4Addr::LOCALHOST.into()
            });
        }
        Self { pid: std::process::id(), address: bound, version: crate::VERSION.into() }
    }

    /// Writes it to the home.
    pub(crate) fn announce(&self, home: &Home) -> io::Result<()> {
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        write_atomically(&home.presence_file(), &text)
    }

    /// Whether its process is there. Another may have taken its number since; then the address does not answer.
    pub(crate) fn is_running(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| test_kill_process(pid).is_ok())
    }

    /// Removes it, unless another keeper has announced itself since.
    pub(crate) fn withdraw(&self, home: &Home) {
        if Self::of(home).as_ref() == Some(self) {
            drop(std::fs::remove_file(home.presence_file()));
        }
    }

    /// What the last keeper of a home announced; it may be gone.
    pub(crate) fn of(home: &Home) -> Option<Self> {
        let text = read_regular(&home.presence_file(), LinkRule::Refuse, FILE_BYTES_MAX).ok()??;
        serde_json::from_str(&text).ok()
    }
}
