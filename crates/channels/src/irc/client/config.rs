//! What a person may set of the client, and whether it can work.

use abide_domain::AgentId;
use abide_http::Secret;
use tokio_rustls::TlsConnector;

use crate::{
    irc::{is_channel, is_nick},
    tls::{TlsError, Trust, client_config},
};

/// How the connection is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte.
    Tls(Trust),
    /// None. Passwords are sent to loopback addresses only.
    Plain,
}

/// How the agent proves who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sasl {
    /// Its account on the network.
    pub account: String,
    /// The password.
    pub password: Secret,
}

/// Another agent of the same keeper on the network: what it says is never taken for a person's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiblingAgent {
    /// The agent.
    pub agent: AgentId,
    /// Its nick there.
    pub nick: String,
    /// Its account there. Without one it is heard as a relay, for anybody may take a nick.
    pub account: Option<String>,
}

/// What a person may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    /// The name of the network in the configuration.
    pub network: String,
    /// The server's name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// The agent that speaks here.
    pub agent: AgentId,
    /// The nick that is wanted.
    pub nick: String,
    /// Nicks to take while that one is in use.
    pub alternates: Vec<String>,
    /// The real name.
    pub real_name: String,
    /// A password of the server itself.
    pub server_password: Option<Secret>,
    /// The account. Where it is set, nothing is said without it.
    pub sasl: Option<Sasl>,
    /// Channels to be in.
    pub channels: Vec<String>,
    /// Whether invitations are followed.
    pub follows_invitations: bool,
    /// Other agents of the same keeper there.
    pub siblings: Vec<SiblingAgent>,
}

/// Says what in a configuration cannot work.
#[derive(Debug, thiserror::Error)]
pub enum ClientConfigError {
    /// A nick or a channel is none.
    #[error("`{0}` is not a valid nick or channel name of IRC")]
    Name(String),
    /// A password would travel in the clear.
    #[error("a password would be sent to {0} without TLS; turn TLS on for this network")]
    PlainPassword(String),
    /// TLS cannot be set up.
    #[error("TLS for the connection to {host} cannot be set up")]
    Tls {
        /// The server.
        host: String,
        /// Why not.
        #[source]
        source: TlsError,
    },
}

impl ClientConfig {
    /// Checks names and protection.
    pub(super) fn check(&self) -> Result<Option<TlsConnector>, ClientConfigError> {
        let nicks = std::iter::once(&self.nick).chain(&self.alternates);
        let bad_nick = nicks.into_iter().find(|nick| !is_nick(nick));
        let bad_channel = self.channels.iter().find(|name| !is_channel(name));
        if let Some(name) = bad_nick.or(bad_channel) {
            return Err(ClientConfigError::Name(name.clone()));
        }
        match &self.security {
            Security::Tls(trust) => {
                let config = client_config(trust)
                    .map_err(|source| ClientConfigError::Tls { host: self.host.clone(), source })?;
                Ok(Some(TlsConnector::from(config)))
            }
            Security::Plain => {
                let has_password = self.sasl.is_some() || self.server_password.is_some();
                let host = self.host.trim_start_matches('[').trim_end_matches(']');
                let is_loopback = host == "localhost"
                    || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
                if has_password && !is_loopback {
                    return Err(ClientConfigError::PlainPassword(self.host.clone()));
                }
                Ok(None)
            }
        }
    }
}
