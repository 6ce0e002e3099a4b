//! Why a supervisor cannot be made.

use std::{io, net::SocketAddr, path::PathBuf};

use abide_domain::AgentId;

/// Says why there is no supervisor.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// Two agents share an id.
    #[error("the agent `{agent}` is configured twice: an agent id must be unique")]
    Twice {
        /// The id.
        agent: AgentId,
    },
    /// The socket cannot be opened.
    #[error("cannot listen on {}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Tcp {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Other machines could connect to the address.
    #[error(
        "{address} is no loopback address: agents may connect from this machine only, such as to 127.0.0.1"
    )]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
}
