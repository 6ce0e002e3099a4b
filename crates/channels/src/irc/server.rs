//! The embedded IRC server: people and the agents of one keeper in channels, without any set-up.
//!
//! [`service`] makes a [`IrcServer`], which owns the loop, and a [`ServerHandle`], through which agents speak. The
//! [`Admission`] says who may connect, the [`ChannelSink`] gets every line that agents can hear. All rules are in the pure
//! `state`; this file moves bytes and carries out effects. It never waits for a client: one that does not read is dropped.
//!
//! Reading order: `interfaces`, `agent`, `state`, this file, `connection`, `websocket`, `outbox`, `handle`.

use std::{collections::HashMap, fmt, io, net::SocketAddr, sync::Arc};

use abide_domain::{Clock, IdSource};
use abide_http::Secret;
use futures_util::future::BoxFuture;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::{Interval, MissedTickBehavior, interval, timeout},
};
use tokio_rustls::{TlsAcceptor, rustls};
use tokio_util::sync::CancellationToken;

mod agent;
mod connection;
mod handle;
mod interfaces;
mod outbox;
mod state;
mod websocket;

pub use agent::{AgentPresence, SpeakError, SpeakOutcome, Speech};
pub use handle::ServerHandle;
pub use interfaces::{
    Admission, ChannelSink, HistoryError, HistoryLine, HistoryPoint, HistoryQuery, HistoryRange,
    HistoryTarget, ReadMarker, SinkError, TargetsQuery, TopicChange,
};
pub use state::{Census, ChannelCensus, HOME_CHANNEL};

use connection::Connection;
use handle::ServerRequest;
use outbox::Outbox;
use state::{ClientId, Effect, HistoryRequest, Input, ServerSettings, ServerState, TargetsRequest};

use super::{
    clock_reading::ClockReading,
    limits::{
        CLIENTS_PER_ACCOUNT_MAX, CLOSE_MAX, INPUTS_MAX, LOOKUP_MAX, LOOKUPS_MAX, REFUSALS_MAX,
        REQUESTS_MAX, TICK_EVERY, UNREGISTERED_MAX,
    },
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
    /// Whether nobody gets in without an account. Off, people without one are guests, which the relay does not trust.
    pub auth_required: bool,
    /// TLS for every connection; `tls::server_config` makes it from files.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Most connections.
    pub clients_max: usize,
    /// Most connections from one address.
    pub clients_per_address_max: usize,
    /// Most connections of one account.
    pub clients_per_account_max: usize,
    /// Most connections that have not logged in; they are no part of the others.
    pub unregistered_max: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            name: "abide.local".into(),
            network: "Abide".into(),
            motd: vec![
                "Agents are nicks: mention one with @nick, write to it, or /invite it.".into(),
                format!("Everyone is in {HOME_CHANNEL}. !help lists the commands."),
            ],
            auth_required: true,
            tls: None,
            clients_max: 600,
            clients_per_address_max: 500,
            clients_per_account_max: CLIENTS_PER_ACCOUNT_MAX,
            unregistered_max: UNREGISTERED_MAX,
        }
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("auth_required", &self.auth_required)
            .field("tls", &self.tls.is_some())
            .finish_non_exhaustive()
    }
}

/// What the server is given besides its configuration.
#[derive(Clone, Debug)]
pub struct ServerParts {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Where ids of messages come from.
    pub ids: Arc<dyn IdSource>,
    /// Decides who may connect.
    pub admission: Arc<dyn Admission>,
    /// Gets every line that agents can hear.
    pub sink: Arc<dyn ChannelSink>,
}

/// Makes a server on a bound listener. It takes nobody in before it runs.
pub fn service(
    config: ServerConfig,
    listener: TcpListener,
    parts: ServerParts,
) -> (IrcServer, ServerHandle) {
    let (requests, requests_rx) = mpsc::channel(REQUESTS_MAX);
    let address = listener.local_addr().ok();
    let now = ClockReading::of(&*parts.clock);
    let settings = ServerSettings {
        name: config.name,
        network: config.network,
        motd: config.motd,
        is_auth_required: config.auth_required,
        clients_max: config.clients_max,
        clients_per_address_max: config.clients_per_address_max,
        clients_per_account_max: config.clients_per_account_max,
        unregistered_max: config.unregistered_max,
    };
    let connections_max =
        config.clients_max.saturating_add(config.unregistered_max).saturating_add(REFUSALS_MAX);
    let is_password_required = settings.is_auth_required;
    let state = ServerState::new(settings, Arc::clone(&parts.ids), now);
    let tls = config.tls.map(TlsAcceptor::from);
    let service = IrcServer {
        listener,
        requests: requests_rx,
        parts,
        state,
        tls,
        is_password_required,
        connections_max,
    };
    (service, ServerHandle::new(requests, address))
}

/// The server before it runs.
pub struct IrcServer {
    listener: TcpListener,
    requests: mpsc::Receiver<ServerRequest>,
    parts: ServerParts,
    state: ServerState,
    tls: Option<TlsAcceptor>,
    is_password_required: bool,
    connections_max: usize,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for IrcServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IrcServer").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl IrcServer {
    /// Serves until told to stop; then everybody is told, and what was sent is written.
    pub async fn run(self, shutdown: CancellationToken) -> io::Result<()> {
        let (inputs, inputs_rx) = mpsc::channel(INPUTS_MAX);
        let Self { listener, requests, parts, state, tls, is_password_required, connections_max } =
            self;
        let shell = ServerLoop {
            parts,
            state,
            tls,
            is_password_required,
            connections_max,
            outboxes: HashMap::new(),
            connections: JoinSet::new(),
            lookups: JoinSet::new(),
            inputs,
            last_id: 0,
        };
        shell.run(ServerInputs { listener, requests, inputs: inputs_rx }, shutdown).await;
        Ok(())
    }
}

/// Where connections, requests and inputs come from.
struct ServerInputs {
    listener: TcpListener,
    requests: mpsc::Receiver<ServerRequest>,
    inputs: mpsc::Receiver<Input>,
}

/// The server while it runs.
struct ServerLoop {
    parts: ServerParts,
    state: ServerState,
    tls: Option<TlsAcceptor>,
    is_password_required: bool,
    connections_max: usize,
    outboxes: HashMap<ClientId, Arc<Outbox>>,
    connections: JoinSet<()>,
    lookups: JoinSet<Input>,
    inputs: mpsc::Sender<Input>,
    last_id: u64,
}

impl ServerLoop {
    async fn run(mut self, mut streams: ServerInputs, shutdown: CancellationToken) {
        let mut ticks = ticks();
        // After a failed accept, such as for want of descriptors, the next tick tries again.
        let mut is_accepting = true;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = streams.listener.accept(), if is_accepting => match accepted {
                    Ok((stream, address)) => self.open(stream, address),
                    Err(error) => {
                        tracing::warn!(event = "irc_accept_failed", channel = "irc", %error, "IRC connection could not be accepted");
                        is_accepting = false;
                    }
                },
                Some(input) = streams.inputs.recv() => self.step(input),
                Some(request) = streams.requests.recv() => self.handle_request(request),
                Some(done) = self.lookups.join_next() => match done {
                    Ok(input) => self.step(input),
                    Err(error) => tracing::error!(event = "irc_lookup_panicked", channel = "irc", %error, "IRC lookup task failed"),
                },
                Some(done) = self.connections.join_next() => {
                    if let Err(error) = done {
                        tracing::error!(event = "irc_connection_panicked", channel = "irc", %error, "IRC connection task failed");
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
        let _ = timeout(CLOSE_MAX, ended).await;
    }

    fn open(&mut self, stream: TcpStream, address: SocketAddr) {
        if self.connections.len() >= self.connections_max {
            return;
        }
        self.last_id = self.last_id.wrapping_add(1);
        let id = ClientId(self.last_id);
        let outbox = Arc::new(Outbox::default());
        self.outboxes.insert(id, Arc::clone(&outbox));
        let clock = Arc::clone(&self.parts.clock);
        let connection = Connection {
            id,
            address,
            outbox,
            inputs: self.inputs.clone(),
            clock,
            is_password_required: self.is_password_required,
        };
        let tls = self.tls.clone();
        let is_secure = tls.is_some();
        self.connections.spawn(connection.serve(stream, tls));
        self.step(Input::Opened { id, address: address.ip(), is_secure });
    }

    fn step(&mut self, input: Input) {
        let closed = if let Input::Closed { id, .. } = &input { Some(*id) } else { None };
        let effects = self.state.step(ClockReading::of(&*self.parts.clock), input);
        self.carry_out(effects);
        if let Some(outbox) = closed.and_then(|id| self.outboxes.remove(&id)) {
            outbox.close();
        }
    }

    /// Carries out effects. Clients that turn out not to read are dropped, and a line that the sink
    /// refuses is reported to its speaker; both have effects of their own.
    fn carry_out(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let inputs: Vec<_> =
                effects.into_iter().filter_map(|effect| self.carry_out_one(effect)).collect();
            effects = Vec::new();
            for input in inputs {
                effects.extend(self.state.step(ClockReading::of(&*self.parts.clock), input));
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
            Effect::Report { by, line } => {
                let refused = self.parts.sink.on_line(*line).err();
                let ((id, target), refused) = by.zip(refused)?;
                return Some(Input::LineRefused { id, target, reason: refused.to_string() });
            }
            Effect::Close { id } => self.outboxes.get(&id)?.close(),
            Effect::AgentInvited { agent, channel } => self.parts.sink.on_invite(&agent, &channel),
            Effect::AgentDismissed { agent, channel } => {
                self.parts.sink.on_dismiss(&agent, &channel);
            }
            Effect::Admit { id, account, password } => {
                let admission =
                    Some(Arc::clone(&self.parts.admission)).filter(|_| self.may_look_up());
                self.lookups.spawn(check_admission(admission, id, account, password));
            }
            Effect::LoginRefused { peer, by } => {
                tracing::warn!(
                    event = "login_refused", channel = "irc", address = %peer, counted_by = by.as_str(),
                    "several log-ins failed; further failures are answered late"
                );
            }
            Effect::TopicSet { topic } => self.parts.sink.on_topic(topic),
            Effect::ReadMarked { marker } => self.parts.sink.on_read(marker),
            Effect::LoadTargets { id, request } => {
                let sink = Some(Arc::clone(&self.parts.sink)).filter(|_| self.may_look_up());
                self.lookups.spawn(load_targets(sink, id, request));
            }
            Effect::LoadHistory { id, request } => {
                let sink = Some(Arc::clone(&self.parts.sink)).filter(|_| self.may_look_up());
                self.lookups.spawn(load_history(sink, id, request));
            }
        }
        None
    }

    fn may_look_up(&self) -> bool {
        self.lookups.len() < LOOKUPS_MAX
    }

    fn handle_request(&mut self, request: ServerRequest) {
        let now = ClockReading::of(&*self.parts.clock);
        let effects = request.carry_out(&mut self.state, now);
        self.carry_out(effects);
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(TICK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Asks for admission; without an answer in time nobody is admitted.
async fn check_admission(
    admission: Option<Arc<dyn Admission>>,
    id: ClientId,
    account: String,
    password: Secret,
) -> Input {
    let account = match &admission {
        Some(admission) => {
            timeout(LOOKUP_MAX, admission.admit(&account, &password)).await.ok().flatten()
        }
        None => None,
    };
    Input::Admitted { id, account }
}

/// Asks the sink for earlier lines.
async fn load_history(
    sink: Option<Arc<dyn ChannelSink>>,
    id: ClientId,
    request: HistoryRequest,
) -> Input {
    let asked = sink.as_ref().map(|sink| sink.history(request.query.clone()));
    let found = in_time(asked).await;
    Input::History { id, request, found }
}

/// Asks the sink for places where something was said.
async fn load_targets(
    sink: Option<Arc<dyn ChannelSink>>,
    id: ClientId,
    request: TargetsRequest,
) -> Input {
    let asked = sink.as_ref().map(|sink| sink.targets(request.query.clone()));
    let found = in_time(asked).await;
    Input::Targets { id, request, found }
}

/// What the sink answers; an error where it may not be asked now, or takes too long.
async fn in_time<T>(
    asked: Option<BoxFuture<'_, Result<T, HistoryError>>>,
) -> Result<T, HistoryError> {
    let answered = match asked {
        Some(asked) => timeout(LOOKUP_MAX, asked).await.ok(),
        None => None,
    };
    answered.unwrap_or_else(|| {
        let text = "too many requests, or too slow an answer; try again later";
        Err(HistoryError::Unavailable(text.into()))
    })
}
