//! Where the server listens, bound before the ledger is read, and how a person connects.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use abide_channels::{irc::server, tls};
use tokio::net::TcpListener;

use crate::{
    config::{Config, Origin},
    home::{LinkRule, read_regular},
};

/// Longest certificate or key.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Says why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IrcSocketError {
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
    #[error("the file {} of irc.cert or irc.key cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// They cannot be used.
    #[error("irc.cert and irc.key are no usable certificate and key")]
    Tls(#[from] tls::TlsError),
}

/// The socket of the server.
pub(crate) enum IrcSocket {
    /// Not configured.
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
    /// The default address is in use. Nobody configured it, so the keeper goes on without IRC.
    InUse {
        /// The address.
        address: SocketAddr,
        /// Why it cannot be bound.
        source: io::Error,
    },
}

impl std::fmt::Debug for IrcSocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.status())
    }
}

impl IrcSocket {
    /// Binds what the configuration says. An address that a person chose must be free; the default one need not, for
    /// another keeper, or an IRC server that was there before, must not keep this one from starting.
    pub(crate) async fn bind(config: &Config) -> Result<Self, IrcSocketError> {
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
            Err(source) if is_chosen => Err(IrcSocketError::Bind { address, source }),
            Err(source) => Ok(Self::InUse { address, source }),
        }
    }

    /// What is reported at the start: how to connect, or why nobody can.
    pub(crate) fn startup_message(&self) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Open { address, config, .. } => Some(format!(
                "irc on {address}: in irssi /connect{} {} {} TOKEN YOUR-NAME (`abide token create YOUR-NAME` makes one)",
                if config.tls.is_some() { " -tls" } else { "" },
                address.ip(),
                address.port(),
            )),
            Self::InUse { address, source } => Some(format!(
                "irc is off: {address} cannot be listened on ({source}); choose another address with `abide config set irc.listen`, or \"off\""
            )),
        }
    }

    /// The status in short, for `/health`.
    pub(crate) fn status(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::Open { address, .. } => address.to_string(),
            Self::InUse { address, .. } => format!("down: {address} is in use"),
        }
    }
}

fn read(path: &std::path::Path) -> Result<Arc<str>, IrcSocketError> {
    // Certificates often stand behind links.
    let text = read_regular(path, LinkRule::Follow, FILE_BYTES_MAX)
        .and_then(|text| text.ok_or_else(|| io::ErrorKind::NotFound.into()));
    text.map(Into::into).map_err(|source| IrcSocketError::File { path: path.into(), source })
}
