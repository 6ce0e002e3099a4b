//! A house for tests: a server on a loopback port of its own, a door with one password, and scripted agents that answer
//! what the relay gives them.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_channels::irc::{
    Scrollback, SpokenLine,
    relay::{Relay, RelayConfig, RelayDecision},
    server::{
        self, Admission, AgentPresence, ChannelSink, HistoryError, HistoryLine, HistoryQuery,
        ServerConfig, ServerHandle, ServerParts, SinkError, Speech,
    },
};
use abide_domain::{AgentId, Clock, IdSource, Timestamp};
use abide_http::Secret;
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The one password of every account.
pub(crate) const PASSWORD: &str = "s3cret-word";

/// Time that passes as it does.
#[derive(Debug)]
pub(crate) struct RealClock(Instant);

impl RealClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Instant::now()))
    }
}

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_795_817_403_000_000).plus(self.0.elapsed())
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

#[derive(Debug, Default)]
struct Ids(AtomicU64);

impl IdSource for Ids {
    fn uuid(&self, _now: Timestamp) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

#[derive(Debug)]
struct OnePassword;

impl Admission for OnePassword {
    fn admit<'a>(
        &'a self,
        account: &'a str,
        password: &'a Secret,
    ) -> BoxFuture<'a, Option<String>> {
        let is_right = password.expose() == PASSWORD && !account.is_empty();
        async move { is_right.then(|| account.to_ascii_lowercase()) }.boxed()
    }
}

/// What the house heard, and what it does about it.
#[derive(Debug)]
pub(crate) struct Listening {
    scrollback: Mutex<Scrollback>,
    heard: Mutex<Vec<SpokenLine>>,
    invited: Mutex<Vec<(AgentId, String)>>,
    prompts: mpsc::Sender<SpokenLine>,
}

impl ChannelSink for Listening {
    fn on_line(&self, said: SpokenLine) -> Result<(), SinkError> {
        if said.text.contains("please refuse") {
            return Err(SinkError("the queue is full".into()));
        }
        self.scrollback.lock().unwrap().note(&said);
        self.heard.lock().unwrap().push(said.clone());
        self.prompts.try_send(said).map_err(|_| SinkError("busy".into()))
    }

    fn history(
        &self,
        query: HistoryQuery,
    ) -> BoxFuture<'_, Result<Vec<HistoryLine>, HistoryError>> {
        let found = self.scrollback.lock().unwrap().find(&query);
        async move { found }.boxed()
    }

    fn on_invite(&self, agent: &AgentId, channel: &str) {
        self.invited.lock().unwrap().push((agent.clone(), channel.to_owned()));
    }
}

/// A house that runs. Ends with the test.
pub(crate) struct TestIrcServer {
    pub(crate) handle: ServerHandle,
    pub(crate) address: SocketAddr,
    pub(crate) listening: Arc<Listening>,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: JoinSet<()>,
}

impl TestIrcServer {
    /// Opens a house with agents `felix` and `claude-2`, who answer every prompt with `NICK heard: PROMPT`.
    pub(crate) async fn open() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut config = ServerConfig::default();
        change(&mut config);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (prompts, prompts_rx) = mpsc::channel(10_000);
        let listening = Arc::new(Listening {
            scrollback: Mutex::default(),
            heard: Mutex::default(),
            invited: Mutex::default(),
            prompts,
        });
        let ports = ServerParts {
            clock: RealClock::new(),
            ids: Arc::new(Ids::default()),
            admission: Arc::new(OnePassword),
            sink: Arc::clone(&listening) as Arc<dyn ChannelSink>,
        };
        let (service, handle) = server::service(config, listener, ports);
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let token = stop.clone();
        tasks.spawn(async move { service.run(token).await.unwrap() });
        tasks.spawn(answer(handle.clone(), prompts_rx));
        let agents = ["felix", "claude-2", "tickle-1"].map(presence).to_vec();
        handle.set_agents(agents).await.unwrap();
        Self { handle, address, listening, stop, tasks }
    }

    pub(crate) fn heard(&self) -> Vec<SpokenLine> {
        self.listening.heard.lock().unwrap().clone()
    }

    pub(crate) fn invited(&self) -> Vec<(AgentId, String)> {
        self.listening.invited.lock().unwrap().clone()
    }

    /// Nicks of people in a channel.
    pub(crate) async fn people(&self, channel: &str) -> Vec<String> {
        let census = self.handle.census().await.unwrap();
        let found = census.channels.into_iter().find(|found| found.name == channel);
        found.map(|channel| channel.people).unwrap_or_default()
    }
}

fn presence(id: &str) -> AgentPresence {
    AgentPresence {
        id: id.parse().unwrap(),
        nick: id.to_owned(),
        description: format!("{id}, of the house"),
        away: None,
    }
}

/// The scripted agents.
async fn answer(handle: ServerHandle, mut prompts: mpsc::Receiver<SpokenLine>) {
    let mut relay = Relay::new(RelayConfig::new("tickle-1".parse().unwrap()));
    while let Some(said) = prompts.recv().await {
        for verdict in relay.decide(&said) {
            let RelayDecision::Prompt { to, text } = verdict else { continue };
            let target = match &said.target {
                abide_channels::irc::Target::Channel(name) => name.clone(),
                abide_channels::irc::Target::Agent(_) => said.nick.clone(),
            };
            let text = format!("{} heard: {text}", to.nick);
            let kind = abide_channels::irc::SpokenKind::Speech;
            let speech = Speech { from: to.nick, target, text, kind };
            // Whoever asked may have left.
            drop(handle.say(speech).await);
        }
    }
}
