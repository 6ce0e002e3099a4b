//! Agents' connections to external networks, as configured: one for each agent and network.

use std::sync::Arc;

use abide_channels::{
    irc::client::{self, ClientConfig, ClientConfigError, Jitter, Sasl, Security, SiblingAgent},
    tls::Trust,
};
use abide_domain::Clock;
use abide_http::Secret;
use tokio::sync::mpsc;

use super::sink::{BridgeInput, IrcClientListener};
use crate::{
    config::{Environment, NetworkSection},
    system::random,
};

/// A connection before it runs, and what speaks through it.
pub(super) struct NetworkClient {
    /// Keeps it up.
    pub(super) service: client::IrcClient,
    /// Speaks.
    pub(super) handle: client::ClientHandle,
}

/// Randomness of the system, for waiting times.
#[derive(Debug)]
struct SystemJitter;

impl Jitter for SystemJitter {
    fn fraction(&self) -> f64 {
        f64::from(u32::from_le_bytes(random())) / f64::from(u32::MAX)
    }
}

/// Makes the connection of one `[[irc.network]]`; `all` are those of the configuration.
pub(super) fn network_client(
    network: &NetworkSection,
    all: &[NetworkSection],
    (environment, clock): (&Environment, &Arc<dyn Clock>),
    queue: mpsc::Sender<BridgeInput>,
) -> Result<NetworkClient, ClientConfigError> {
    let password = environment.get(&network.password_env).map(Secret::new);
    let sasl = password.map(|password| Sasl { account: network.account.clone(), password });
    let is_sibling =
        |other: &&NetworkSection| other.name == network.name && other.agent != network.agent;
    let siblings = all.iter().filter(is_sibling).map(|other| SiblingAgent {
        agent: other.agent.clone(),
        nick: other.nick(),
        account: Some(other.account.clone()).filter(|account| !account.is_empty()),
    });
    let config = ClientConfig {
        network: network.name.clone(),
        host: network.host.clone(),
        port: network.port,
        security: if network.tls { Security::Tls(Trust::System) } else { Security::Plain },
        agent: network.agent.clone(),
        nick: network.nick(),
        alternates: vec![format!("{}_", network.nick()), format!("{}__", network.nick())],
        real_name: format!("{}, an agent", network.agent),
        server_password: None,
        sasl,
        channels: network.channels.clone(),
        follows_invitations: false,
        siblings: siblings.collect(),
    };
    let parts = client::ClientParts {
        clock: Arc::clone(clock),
        jitter: Arc::new(SystemJitter),
        listener: Arc::new(IrcClientListener::new(queue)),
    };
    let (service, handle) = client::service(config, parts)?;
    Ok(NetworkClient { service, handle })
}
