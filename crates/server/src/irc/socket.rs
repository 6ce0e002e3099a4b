//! Where the server listens, bound before the ledger is read, and how a person gets there.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use abide_channels::irc::{server, tls};
use tokio::net::TcpListener;

use crate::config::{Config, Origin};

/// Says why the server cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SocketError {
    /// The configured address cannot be bound.
    #[error(
        "{address} cannot be listened on for IRC; choose another with `abide config set irc.listen`, or \"off\""
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The certificate or its key cannot be read.
    #[error("{} of irc.cert or irc.key cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// They cannot be used.
    #[error("irc.cert and irc.key cannot be used")]
    Tls(#[from] tls::TlsError),
}

/// The socket of the server.
pub(crate) enum Socket {
    /// Nobody wants one.
    Off,
    /// Bound; connections wait until the server runs.
    Open {
        /// The socket itself.
        listener: TcpListener,
        /// What the server is configured with.
        config: Box<server::ServerConfig>,
        /// Where it is.
        address: SocketAddr,
    },
    /// The default address is somebody else's. Nobody asked for it by name, so the keeper goes on without.
    Taken {
        /// The address.
        address: SocketAddr,
        /// Why it cannot be bound.
        why: io::Error,
    },
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.state())
    }
}

impl Socket {
    /// Binds what the configuration says. An address that a person chose must be free; the default one need not, for
    /// another keeper, or an IRC server that was there before, must not keep this one from starting.
    pub(crate) async fn bind(config: &Config) -> Result<Self, SocketError> {
        let settings = &config.settings;
        let Some(address) = settings.irc.listen() else { return Ok(Self::Off) };
        let is_chosen = config.origin("irc.listen") != Origin::Default;
        let server = server::ServerConfig {
            auth_required: settings.auth.required,
            tls: match settings.irc.tls() {
                Some((cert, key)) => Some(tls::server_config(&read(cert)?, &read(key)?)?),
                None => None,
            },
            ..server::ServerConfig::default()
        };
        match TcpListener::bind(address).await {
            Ok(listener) => {
                let address = listener.local_addr().unwrap_or(address);
                Ok(Self::Open { listener, config: Box::new(server), address })
            }
            Err(source) if is_chosen => Err(SocketError::Bind { address, source }),
            Err(why) => Ok(Self::Taken { address, why }),
        }
    }

    /// What is told at the start: how to get in, or why nobody can.
    pub(crate) fn words(&self) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Open { address, config, .. } => Some(format!(
                "irc on {address}: irssi{} -c {} -p {} -n YOUR-NAME -w TOKEN (the file `token` of the home holds it)",
                if config.tls.is_some() { " --tls" } else { "" },
                address.ip(),
                address.port(),
            )),
            Self::Taken { address, why } => Some(format!(
                "no irc: {address} is taken ({why}); `abide config set irc.listen` chooses another address, or \"off\""
            )),
        }
    }

    /// In a few words, for `/health`.
    pub(crate) fn state(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::Open { address, .. } => address.to_string(),
            Self::Taken { address, .. } => format!("down: {address} is taken"),
        }
    }
}

fn read(path: &std::path::Path) -> Result<Arc<str>, SocketError> {
    let text = std::fs::read_to_string(path);
    text.map(Into::into).map_err(|source| SocketError::File { path: path.into(), source })
}
