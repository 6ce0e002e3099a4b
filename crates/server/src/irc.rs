//! IRC in the keeper: the built-in server in which every agent is a nick, and agents' connections to external networks.
//!
//! The protocol and the relay's rules are in `abide-channels`; here they meet the keeper. What people say to agents becomes
//! stimuli, answers go back to where they were asked, commands and pages act through the same handles as everywhere else.
//! Every line is in the ledger (`channel.*`), which is also the only memory of this part: a restart loses nothing.
//!
//! Reading order: `socket` and `admission` (how one gets in), `sink` (what comes in), `bridge` (what is done about it) with
//! `asking`, `endpoint`, `conversation`, `questions`, `answer_pages`, `bang_commands` and `console`, then `record`, `history`, `places` and
//! `owed` (the ledger's side), `roster`, `mirror`, `pager`, `networks`, `status`.

use std::sync::Arc;

use abide_channels::irc::{
    client::{self, ClientConfigError},
    server::{self, ServerHandle},
};
use abide_domain::{AgentId, Clock, IdError, evidence::WATCHDOG};
use abide_engine::Keeper;
use abide_watchdog::Pager;
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

mod admission;
mod answer_pages;
mod asking;
mod bang_commands;
mod bridge;
mod console;
mod conversation;
mod endpoint;
mod history;
mod mirror;
mod names;
mod networks;
mod owed;
mod pager;
mod places;
mod questions;
mod record;
mod roster;
mod sink;
mod socket;
mod status;

pub(crate) use socket::{IrcSocket, IrcSocketError};
pub(crate) use status::{IrcStatus, IrcView};

use admission::TokenAdmission;
use bridge::IrcBridge;
use endpoint::IrcEndpoint;
use mirror::Mirror;
use networks::NetworkClient;
use roster::Roster;
use sink::BridgeInput;

use crate::{
    api::AppState,
    config::{Environment, IrcSection},
    system::SystemIds,
};

/// What IRC is made of.
#[derive(Debug)]
pub(crate) struct IrcParts<'a> {
    /// Tokens, the watchdog, the health of the keeper.
    pub(crate) app: &'a AppState,
    /// Answers what is asked.
    pub(crate) keeper: &'a Keeper,
    /// `[irc]`.
    pub(crate) settings: &'a IrcSection,
    /// Where passwords of networks are read from.
    pub(crate) environment: &'a Environment,
    /// Times of lines and clients.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where the server listens.
    pub(crate) socket: IrcSocket,
}

/// Says why IRC cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IrcError {
    /// The server's socket cannot be bound.
    #[error(transparent)]
    Socket(#[from] IrcSocketError),
    /// An external network cannot be joined as configured.
    #[error("an [[irc.network]] is invalid")]
    Network(#[from] ClientConfigError),
    /// The watchdog's name is no id of an agent.
    #[error("the watchdog's name on irc {0}")]
    Name(#[from] IdError),
}

/// IRC, ready to run.
pub(crate) struct IrcSetup {
    /// Its status.
    pub(crate) status: IrcStatus,
    /// The channel of the watchdog's second rung; none without a server.
    pub(crate) pager: Option<Arc<dyn Pager>>,
    /// What is to be run; none where there is neither a server nor a network.
    pub(crate) work: Option<Irc>,
}

/// IRC before it runs: the server with its bridge, roster and mirror, and the external networks, each with a bridge.
pub(crate) struct Irc {
    server: Option<Server>,
    networks: Vec<(client::IrcClient, IrcBridge)>,
}

struct Server {
    service: server::IrcServer,
    bridge: IrcBridge,
    roster: Roster,
    mirror: Mirror,
    admission: (TokenAdmission, ServerHandle),
}

/// Sets IRC up. Nothing is served and no network is joined before it runs.
pub(crate) fn open(parts: IrcParts<'_>) -> Result<IrcSetup, IrcError> {
    let IrcParts { app, keeper, settings, environment, clock, socket } = parts;
    let watchdog: AgentId = WATCHDOG.parse()?;
    let scope = (app, keeper);
    let mut status = IrcStatus { server: socket.status(), networks: Vec::new() };
    let mut pager: Option<Arc<dyn Pager>> = None;
    let mut server = None;
    if let IrcSocket::Open { listener, config, .. } = socket {
        let (queue, inputs) = mpsc::channel(sink::QUEUE_MAX);
        let admission = TokenAdmission::new(app.clone());
        let parts = server::ServerParts {
            clock: Arc::clone(&clock),
            ids: Arc::new(SystemIds),
            admission: Arc::new(admission.clone()),
            sink: Arc::new(sink::IrcSink::new(queue, keeper.ledger().clone())),
        };
        let (service, handle) = server::service(*config, listener, parts);
        pager = Some(Arc::new(pager::IrcPager::new(handle.clone())));
        let endpoint = IrcEndpoint::server(handle.clone(), watchdog.clone());
        server = Some(Server {
            service,
            bridge: bridge(scope, inputs, (endpoint, Some(handle.clone()))),
            roster: Roster::new(app.clone(), keeper.clone(), handle.clone()),
            mirror: Mirror::new(keeper.clone(), handle.clone()),
            admission: (admission, handle),
        });
    }
    let mut clients = Vec::new();
    for network in &settings.networks {
        let (queue, inputs) = mpsc::channel(sink::QUEUE_MAX);
        let NetworkClient { service, handle } =
            networks::network_client(network, &settings.networks, (environment, &clock), queue)?;
        let endpoint = IrcEndpoint::network(network, handle.clone(), watchdog.clone());
        status.networks.push((network.name.as_str().into(), network.agent.clone(), handle));
        clients.push((service, bridge(scope, inputs, (endpoint, None))));
    }
    let is_wanted = server.is_some() || !clients.is_empty();
    let work = is_wanted.then_some(Irc { server, networks: clients });
    Ok(IrcSetup { status, pager, work })
}

fn bridge(
    (app, keeper): (&AppState, &Keeper),
    queue: mpsc::Receiver<BridgeInput>,
    (endpoint, server): (IrcEndpoint, Option<ServerHandle>),
) -> IrcBridge {
    let (app, keeper) = (app.clone(), keeper.clone());
    IrcBridge::new(bridge::BridgeParts { app, keeper, queue, endpoint, server })
}

impl Irc {
    /// Runs until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut running = JoinSet::new();
        for (service, bridge) in self.networks {
            running.spawn(keep_client(service, bridge, stop.clone()));
        }
        if let Some(server) = self.server {
            running.spawn(server.run(stop));
        }
        while let Some(ended) = running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(channel = "irc", event = "irc_task_panicked", %error, "a task of irc ended with a panic; it is missing until the next start");
            }
        }
    }
}

impl Server {
    /// Serves; ends last, so that what was answered is still sent.
    async fn run(self, stop: CancellationToken) {
        let Self { service, bridge, mut roster, mirror, admission } = self;
        let closing = CancellationToken::new();
        let working = async {
            // Agents are on the server before any of them joins a room or speaks.
            roster.update().await;
            let following = roster.run(stop.clone());
            let (admission, handle) = admission;
            let admitting = admission.watch(handle, stop.clone());
            tokio::join!(bridge.run(stop.clone()), following, mirror.run(stop), admitting);
            closing.cancel();
        };
        let (served, ()) = tokio::join!(service.run(closing.clone()), working);
        if let Err(error) = served {
            tracing::error!(channel = "irc", event = "irc_server_failed", %error, "the irc server ended");
        }
    }
}

async fn keep_client(service: client::IrcClient, bridge: IrcBridge, stop: CancellationToken) {
    let closing = CancellationToken::new();
    let working = async {
        bridge.run(stop).await;
        closing.cancel();
    };
    tokio::join!(service.run(closing.clone()), working);
}
