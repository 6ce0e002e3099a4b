//! IRC in the keeper: the built-in server in which every agent is a nick, and agents' seats on networks outside.
//!
//! The protocol and the relay's rules are in `abide-channels`; here they meet the house. What people say to agents becomes
//! stimuli, answers go back to where they were asked, commands and pages act through the same handles as everywhere else.
//! All that is said stands in the ledger (`channel.*`), which is also the only memory of this part: it keeps none that a
//! restart would lose.
//!
//! Reading order: `socket` and `door` (how one gets in), `house` (what is heard), `bridge` (what is done about it) with
//! `post`, `asks`, `bangs` and `console`, then `record` and `past` (the ledger's side), `roster`, `mirror`, `pager`,
//! `outside`, `board`.

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

mod asks;
mod bangs;
mod board;
mod bridge;
mod console;
mod door;
mod house;
mod mirror;
mod outside;
mod pager;
mod past;
mod post;
mod record;
mod roster;
mod socket;

pub(crate) use board::{Board, IrcView};
pub(crate) use socket::{Socket, SocketError};

use crate::{
    api::AppState,
    config::{Environment, IrcSection},
    system::SystemIds,
};
use bridge::Bridge;
use house::Heard;
use mirror::Mirror;
use outside::Seat;
use post::Post;
use roster::Roster;

/// The house itself among the agents of the server. No agent may have this id.
const KEEPER: &str = "keeper";
/// The house's nick.
const KEEPER_NICK: &str = "abide";

/// What IRC is put together from.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// Tokens, the watchdog, how the keeper is.
    pub(crate) front: &'a AppState,
    /// The house.
    pub(crate) keeper: &'a Keeper,
    /// `[irc]`.
    pub(crate) settings: &'a IrcSection,
    /// Where passwords of networks are read from.
    pub(crate) environment: &'a Environment,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where the server listens.
    pub(crate) socket: Socket,
}

/// Says why IRC cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IrcError {
    /// The server's socket cannot be had.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// A network outside cannot be joined as configured.
    #[error("a network of [[irc.network]] cannot be joined")]
    Network(#[from] ClientConfigError),
    /// A name of the house is none.
    #[error("a name of the house {0}")]
    Name(#[from] IdError),
}

/// IRC, put together.
pub(crate) struct Opened {
    /// How it is.
    pub(crate) board: Board,
    /// The channel of the watchdog's second rung; none without a server.
    pub(crate) pager: Option<Arc<dyn Pager>>,
    /// What is to be run; none where there is neither a server nor a network.
    pub(crate) work: Option<Irc>,
}

/// IRC before it runs: the server with what follows the house beside it, and the seats outside, each with its bridge.
pub(crate) struct Irc {
    server: Option<Server>,
    seats: Vec<(client::IrcClient, Bridge)>,
}

struct Server {
    service: server::IrcServer,
    bridge: Bridge,
    roster: Roster,
    mirror: Mirror,
}

/// Puts IRC together. Nothing is served and nobody is joined before it runs.
pub(crate) fn open(parts: Parts<'_>) -> Result<Opened, IrcError> {
    let Parts { front, keeper, settings, environment, clock, socket } = parts;
    let watchdog: AgentId = WATCHDOG.parse()?;
    let house = (front, keeper);
    let mut board = Board { server: socket.state(), seats: Vec::new() };
    let mut pager: Option<Arc<dyn Pager>> = None;
    let mut server = None;
    if let Socket::Open { listener, config, .. } = socket {
        let (queue, heard) = mpsc::channel(house::HEARD_MAX);
        let ports = server::ServerParts {
            clock: Arc::clone(&clock),
            ids: Arc::new(SystemIds),
            door: Arc::new(door::TokenAdmission::new(front.clone())),
            house: Arc::new(house::IrcSink::new(queue, keeper.ledger().clone())),
        };
        let (service, handle) = server::service(*config, listener, ports);
        pager = Some(Arc::new(pager::IrcPager::new(handle.clone())));
        let post = Post::server(handle.clone(), watchdog.clone());
        server = Some(Server {
            service,
            bridge: bridge(house, heard, (post, Some(handle.clone()))),
            roster: Roster::new(front.clone(), keeper.clone(), handle.clone()),
            mirror: Mirror::new(keeper.clone(), handle),
        });
    }
    let mut seats = Vec::new();
    for network in &settings.networks {
        let (queue, heard) = mpsc::channel(house::HEARD_MAX);
        let Seat { service, handle } =
            outside::seat(network, &settings.networks, (environment, &clock), queue)?;
        let post = Post::outside(network, handle.clone(), watchdog.clone());
        board.seats.push((network.name.as_str().into(), network.agent.clone(), handle));
        seats.push((service, bridge(house, heard, (post, None))));
    }
    let is_wanted = server.is_some() || !seats.is_empty();
    Ok(Opened { board, pager, work: is_wanted.then_some(Irc { server, seats }) })
}

fn bridge(
    (front, keeper): (&AppState, &Keeper),
    queue: mpsc::Receiver<Heard>,
    (post, server): (Post, Option<ServerHandle>),
) -> Bridge {
    let (front, keeper) = (front.clone(), keeper.clone());
    Bridge::new(bridge::Parts { front, keeper, queue, post, server })
}

impl Irc {
    /// Runs until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut running = JoinSet::new();
        for (service, bridge) in self.seats {
            running.spawn(keep_seat(service, bridge, stop.clone()));
        }
        if let Some(server) = self.server {
            running.spawn(server.run(stop));
        }
        while let Some(ended) = running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a part of irc broke");
            }
        }
    }
}

impl Server {
    /// Serves; ends last, so that what was answered is still said.
    async fn run(self, stop: CancellationToken) {
        let Self { service, bridge, mut roster, mirror } = self;
        let closing = CancellationToken::new();
        let working = async {
            // Agents are there before anybody is put into a room or spoken for.
            roster.show().await;
            let following = roster.run(stop.clone());
            tokio::join!(bridge.run(stop.clone()), following, mirror.run(stop));
            closing.cancel();
        };
        let (served, ()) = tokio::join!(service.run(closing.clone()), working);
        if let Err(error) = served {
            tracing::error!(%error, "the irc server ended");
        }
    }
}

async fn keep_seat(service: client::IrcClient, bridge: Bridge, stop: CancellationToken) {
    let closing = CancellationToken::new();
    let working = async {
        bridge.run(stop).await;
        closing.cancel();
    };
    tokio::join!(service.run(closing.clone()), working);
}
