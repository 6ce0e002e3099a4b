//! The embedded IRC server: people and agents of one house in channels, without any set-up.
//!
//! [`service`] makes a [`IrcServer`], which owns the loop, and a [`ServerHandle`], through which the house speaks. The [`Admission`]
//! says who may come in, the [`ChannelSink`] hears what is said. All rules are in the pure `world`; this file moves bytes and
//! carries out effects. It never waits for a client: who does not read is dropped.
//!
//! Reading order: `roles`, `world`, this file, `connection`, `outbox`, `handle`.

use std::{collections::HashMap, fmt, io, net::SocketAddr, sync::Arc};

use abide_domain::{AgentId, Clock, IdSource};
use abide_http::Secret;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::{Interval, MissedTickBehavior, interval, timeout},
};
use tokio_rustls::{TlsAcceptor, rustls};
use tokio_util::sync::CancellationToken;

mod connection;
mod handle;
mod outbox;
mod roles;
mod world;

pub use handle::ServerHandle;
pub use roles::{
    Admission, ChannelSink, HistoryError, HistoryPoint, HistoryQuery, HistoryRange, PastLine,
    SinkError,
};
pub use world::{Census, ChannelCensus, HOME_CHANNEL, Speech};

use connection::Connection;
use handle::Order;
use outbox::Outbox;
use world::{Asked, ClientId, Effect, Input, Laws, Moment, World};

use super::limits::{
    ERRAND_MAX, ERRANDS_MAX, FAREWELL_MAX, INPUTS_MAX, ORDERS_MAX, REFUSALS_MAX, TICK_EVERY,
};

/// What a person may set. The address is the listener's, which the composition root binds.
#[derive(Clone)]
pub struct ServerConfig {
    /// The server's name in its own lines.
    pub name: String,
    /// The network's name, as clients show it.
    pub network: String,
    /// The message of the day, line by line.
    pub motd: Vec<String>,
    /// Nobody comes in without an account. Off, people without one are guests, which the relay does not trust.
    pub auth_required: bool,
    /// TLS for every connection; `tls::server_config` makes it from files.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Most connections.
    pub clients_max: usize,
    /// Most connections from one address.
    pub clients_per_address_max: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            name: "abide.local".into(),
            network: "Abide".into(),
            motd: vec![
                "Agents are nicks: mention one with @nick, write to it, or /invite it.".into(),
                format!(
                    "Everybody meets in {HOME_CHANNEL}. !help lists what the house does for you."
                ),
            ],
            auth_required: true,
            tls: None,
            clients_max: 600,
            clients_per_address_max: 100,
        }
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("name", &self.name)
            .field("auth_required", &self.auth_required)
            .field("tls", &self.tls.is_some())
            .finish_non_exhaustive()
    }
}

/// What the server stands on.
#[derive(Clone, Debug)]
pub struct ServerParts {
    /// The house's clock.
    pub clock: Arc<dyn Clock>,
    /// Where ids of messages come from.
    pub ids: Arc<dyn IdSource>,
    /// Who may come in.
    pub door: Arc<dyn Admission>,
    /// Who hears what is said.
    pub house: Arc<dyn ChannelSink>,
}

/// An agent as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPresence {
    /// The agent.
    pub id: AgentId,
    /// Its nick; `nick_for_agent` makes one of an id.
    pub nick: String,
    /// Its real name, such as its role.
    pub description: String,
    /// Why it does not answer now, where it does not.
    pub away: Option<String>,
}

/// What became of what an agent said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeakOutcome {
    /// Ids of the lines.
    pub msgids: Vec<String>,
    /// Connections that it was queued for. Zero: nobody was there to hear it.
    pub people: usize,
}

/// Says why an agent could not speak or move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpeakError {
    /// No agent has this nick.
    #[error("no agent is called `{0}` on IRC")]
    NoSuchAgent(String),
    /// Nobody has this nick, or the agent is not in this channel.
    #[error("`{0}` is no channel of the agent and nobody's nick")]
    NoSuchTarget(String),
    /// Nothing to say.
    #[error("there is nothing to say")]
    Empty,
    /// More lines than one call may speak.
    #[error("the text has too many lines")]
    TooLong,
    /// The server ended.
    #[error("the IRC server has ended")]
    Closed,
}

/// Makes a server on a bound listener. It takes nobody in before it runs.
pub fn service(
    config: ServerConfig,
    listener: TcpListener,
    ports: ServerParts,
) -> (IrcServer, ServerHandle) {
    let (orders, orders_rx) = mpsc::channel(ORDERS_MAX);
    let address = listener.local_addr().ok();
    let now = moment(&*ports.clock);
    let laws = Laws {
        name: config.name,
        network: config.network,
        motd: config.motd,
        is_auth_required: config.auth_required,
        clients_max: config.clients_max,
        clients_per_address_max: config.clients_per_address_max,
    };
    let connections_max = config.clients_max.saturating_add(REFUSALS_MAX);
    let world = World::new(laws, Arc::clone(&ports.ids), now);
    let tls = config.tls.map(TlsAcceptor::from);
    let service = IrcServer { listener, orders: orders_rx, ports, world, tls, connections_max };
    (service, ServerHandle::new(orders, address))
}

fn moment(clock: &dyn Clock) -> Moment {
    Moment { wall: clock.now(), monotonic: clock.monotonic() }
}

/// The server before it runs.
pub struct IrcServer {
    listener: TcpListener,
    orders: mpsc::Receiver<Order>,
    ports: ServerParts,
    world: World,
    tls: Option<TlsAcceptor>,
    connections_max: usize,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for IrcServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl IrcServer {
    /// Serves until told to stop; then everybody is told, and what was sent is written.
    pub async fn run(self, shutdown: CancellationToken) -> io::Result<()> {
        let (inputs, inputs_rx) = mpsc::channel(INPUTS_MAX);
        let Self { listener, orders, ports, world, tls, connections_max } = self;
        let shell = Shell {
            ports,
            world,
            tls,
            connections_max,
            outboxes: HashMap::new(),
            connections: JoinSet::new(),
            errands: JoinSet::new(),
            inputs,
            last_id: 0,
        };
        shell.run(Streams { listener, orders, inputs: inputs_rx }, shutdown).await;
        Ok(())
    }
}

/// Where things come from.
struct Streams {
    listener: TcpListener,
    orders: mpsc::Receiver<Order>,
    inputs: mpsc::Receiver<Input>,
}

/// The server while it runs.
struct Shell {
    ports: ServerParts,
    world: World,
    tls: Option<TlsAcceptor>,
    connections_max: usize,
    outboxes: HashMap<ClientId, Arc<Outbox>>,
    connections: JoinSet<()>,
    errands: JoinSet<Input>,
    inputs: mpsc::Sender<Input>,
    last_id: u64,
}

impl Shell {
    async fn run(mut self, mut streams: Streams, shutdown: CancellationToken) {
        let mut ticks = ticks();
        // After a failed accept, such as for want of descriptors, the next tick tries again.
        let mut is_accepting = true;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = streams.listener.accept(), if is_accepting => match accepted {
                    Ok((stream, address)) => self.open(stream, address),
                    Err(error) => {
                        tracing::warn!(%error, "an IRC connection could not be accepted");
                        is_accepting = false;
                    }
                },
                Some(input) = streams.inputs.recv() => self.step(input),
                Some(order) = streams.orders.recv() => self.obey(order),
                Some(done) = self.errands.join_next() => match done {
                    Ok(input) => self.step(input),
                    Err(error) => tracing::error!(%error, "a question to the house broke"),
                },
                Some(done) = self.connections.join_next() => {
                    if let Err(error) = done {
                        tracing::error!(%error, "an IRC connection broke");
                    }
                }
                _ = ticks.tick() => {
                    is_accepting = true;
                    self.step(Input::Tick);
                }
            }
        }
        drop(streams);
        self.step(Input::Stop);
        let ended = async { while self.connections.join_next().await.is_some() {} };
        // Connections that do not end by themselves end with the set that holds them.
        let _ = timeout(FAREWELL_MAX, ended).await;
    }

    fn open(&mut self, stream: TcpStream, address: SocketAddr) {
        if self.connections.len() >= self.connections_max {
            return;
        }
        self.last_id = self.last_id.wrapping_add(1);
        let id = ClientId(self.last_id);
        let outbox = Arc::new(Outbox::default());
        self.outboxes.insert(id, Arc::clone(&outbox));
        let clock = Arc::clone(&self.ports.clock);
        let connection = Connection { id, address, outbox, inputs: self.inputs.clone(), clock };
        let tls = self.tls.clone();
        let is_secure = tls.is_some();
        self.connections.spawn(connection.serve(stream, tls));
        self.step(Input::Opened { id, address: address.ip(), is_secure });
    }

    fn step(&mut self, input: Input) {
        let closed = if let Input::Closed { id, .. } = &input { Some(*id) } else { None };
        let effects = self.world.step(moment(&*self.ports.clock), input);
        self.carry_out(effects);
        if let Some(outbox) = closed.and_then(|id| self.outboxes.remove(&id)) {
            outbox.close();
        }
    }

    /// Carries out effects. Clients that turn out not to read are dropped, and what the house does not take is told to
    /// its speaker; both have effects of their own.
    fn carry_out(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let inputs: Vec<_> =
                effects.into_iter().filter_map(|effect| self.carry_out_one(effect)).collect();
            effects = Vec::new();
            for input in inputs {
                effects.extend(self.world.step(moment(&*self.ports.clock), input));
            }
        }
    }

    /// Carries out one effect; what comes of it at once is an input again.
    fn carry_out_one(&mut self, effect: Effect) -> Option<Input> {
        match effect {
            Effect::Send { to, line } => {
                let outbox = self.outboxes.get(&to)?;
                if outbox.push(line) {
                    return None;
                }
                // Forgotten, so that the last word fits, and so that the next line does not find it full again.
                outbox.clear();
                return Some(Input::Overflowed { id: to });
            }
            Effect::Said { by, said } => {
                let refused = self.ports.house.said(*said).err();
                let ((id, target), refused) = by.zip(refused)?;
                return Some(Input::Refused { id, target, reason: refused.to_string() });
            }
            Effect::Close { id } => self.outboxes.get(&id)?.close(),
            Effect::Invited { agent, channel } => self.ports.house.invited(&agent, &channel),
            Effect::Dismissed { agent, channel } => self.ports.house.dismissed(&agent, &channel),
            Effect::Admit { id, account, password } => {
                let door = Some(Arc::clone(&self.ports.door)).filter(|_| self.may_ask());
                self.errands.spawn(ask_door(door, id, account, password));
            }
            Effect::Look { id, asked } => {
                let house = Some(Arc::clone(&self.ports.house)).filter(|_| self.may_ask());
                self.errands.spawn(ask_house(house, id, asked));
            }
        }
        None
    }

    fn may_ask(&self) -> bool {
        self.errands.len() < ERRANDS_MAX
    }

    fn obey(&mut self, order: Order) {
        let now = moment(&*self.ports.clock);
        let effects = order.carry_out(&mut self.world, now);
        self.carry_out(effects);
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(TICK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Asks the door; a door that is too busy or too slow lets nobody in.
async fn ask_door(
    door: Option<Arc<dyn Admission>>,
    id: ClientId,
    account: String,
    password: Secret,
) -> Input {
    let account = match &door {
        Some(door) => timeout(ERRAND_MAX, door.admit(&account, &password)).await.ok().flatten(),
        None => None,
    };
    Input::Admitted { id, account }
}

/// Asks the house for its past.
async fn ask_house(house: Option<Arc<dyn ChannelSink>>, id: ClientId, asked: Asked) -> Input {
    let late = || Err(HistoryError::Unavailable("too much is asked at once".into()));
    let found = match &house {
        Some(house) => {
            timeout(ERRAND_MAX, house.history(asked.query.clone())).await.unwrap_or_else(|_| late())
        }
        None => late(),
    };
    Input::Past { id, asked, found }
}
