//! Where an agent begins: who it is, what it keeps, where its keeper is, and what answers its turns.

use std::{
    fmt,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    sync::Arc,
    time::Duration,
};

use abide_domain::{AgentId, Clock, IdError};
use abide_wire::{EvolutionResult, Metrics, Secret};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Builder,
    time::{Instant, sleep},
};

use crate::{
    clock::SystemClock,
    failed::TurnError,
    keeper::{Desk, Keeper},
    limits::{RECONNECT_CALM, RECONNECT_FIRST, RECONNECT_MAX},
    link::{Link, Progress},
    open_turn::Asking,
    sender::Sender,
    session::{End, Own, Session},
    state::{State, StateError, Stateless},
    transport::{Address, Transport},
    turn::{Answer, Turn},
};

/// The variable that names the agent.
const AGENT_VARIABLE: &str = "ABIDE_AGENT";
/// The variable that names the run.
const RUN_VARIABLE: &str = "ABIDE_RUN";

/// Why an agent ended other than by its keeper's word.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its name cannot be one.
    #[error("the agent cannot be called `{name}`")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        source: IdError,
    },
    /// Its threads or descriptors could not be had.
    #[error("the agent cannot start")]
    Start(#[from] io::Error),
    /// The keeper does not take it: wrong token, version or run. Trying again does not help.
    #[error("the keeper refuses this agent: {code}: {message}")]
    Refused {
        /// Such as `STALE_RUN`.
        code: String,
        /// The keeper's words.
        message: String,
    },
    /// The link failed.
    #[error("the link to the keeper was lost: {0}")]
    LinkLost(String),
    /// Its state could not be taken back, or could not follow the log. A restart is due.
    #[error("the agent's state does not hold: {0}")]
    State(StateError),
}

/// Who connects.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) agent: AgentId,
    pub(crate) run: String,
    pub(crate) token: Option<Secret>,
}

type OnHotReload = dyn FnMut(&str, &str) -> Result<(), StateError> + Send;
type OnMetrics<S> = dyn FnMut(&S, &mut Metrics) + Send;
type OnEvolutionResult = dyn FnMut(&EvolutionResult) + Send;

/// The callbacks that are set.
pub(crate) struct Callbacks<S> {
    pub(crate) hot_reload: Option<Box<OnHotReload>>,
    pub(crate) metrics: Option<Box<OnMetrics<S>>>,
    pub(crate) evolution_result: Option<Box<OnEvolutionResult>>,
}

impl<S> Default for Callbacks<S> {
    fn default() -> Self {
        Self { hot_reload: None, metrics: None, evolution_result: None }
    }
}

/// An agent, before it runs.
pub struct Agent<S = Stateless> {
    name: String,
    run: Option<String>,
    token: Option<Secret>,
    address: Address,
    clock: Arc<dyn Clock>,
    make: Box<dyn Fn() -> S + Send + Sync>,
    callbacks: Callbacks<S>,
}

impl<S> fmt::Debug for Agent<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("name", &self.name)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// An agent that keeps no state and speaks over stdin and stdout. The keeper that starts it may call it otherwise.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            run: None,
            token: None,
            address: Address::Stdio,
            clock: Arc::new(SystemClock::new()),
            make: Box::new(|| Stateless),
            callbacks: Callbacks::default(),
        }
    }

    /// Gives it a state. Before anything is taken back, it is as `make` makes it.
    pub fn keeping<S: State>(self, make: impl Fn() -> S + Send + Sync + 'static) -> Agent<S> {
        Agent {
            name: self.name,
            run: self.run,
            token: self.token,
            address: self.address,
            clock: self.clock,
            make: Box::new(make),
            callbacks: Callbacks {
                hot_reload: self.callbacks.hot_reload,
                metrics: None,
                evolution_result: self.callbacks.evolution_result,
            },
        }
    }
}

impl<S: State> Agent<S> {
    /// Where its keeper is, if it did not start it.
    #[must_use]
    pub fn at(mut self, address: Address) -> Self {
        self.address = address;
        self
    }

    /// Proves on a socket that it may speak for this agent.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(Secret::new(token));
        self
    }

    /// Names the run, for a program that reads the environment by itself. Then neither name nor run are taken from it.
    #[must_use]
    pub fn run_id(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// Takes time from somewhere else.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets what loads new code `(module, code)` between turns. An error refuses it.
    #[must_use]
    pub fn on_hot_reload(
        mut self,
        load: impl FnMut(&str, &str) -> Result<(), StateError> + Send + 'static,
    ) -> Self {
        self.callbacks.hot_reload = Some(Box::new(load));
        self
    }

    /// Sets what adds to each report of measurements.
    #[must_use]
    pub fn on_metrics(mut self, measure: impl FnMut(&S, &mut Metrics) + Send + 'static) -> Self {
        self.callbacks.metrics = Some(Box::new(measure));
        self
    }

    /// Sets what hears how an evolution intent ended.
    #[must_use]
    pub fn on_evolution_result(
        mut self,
        hear: impl FnMut(&EvolutionResult) + Send + 'static,
    ) -> Self {
        self.callbacks.evolution_result = Some(Box::new(hear));
        self
    }

    /// Serves on this thread until the keeper says `shutdown` or closes the pipe.
    pub fn run<H, F, A>(self, handler: H) -> Result<(), AgentError>
    where
        H: FnMut(Turn, Keeper<S>) -> F + Send + 'static,
        F: Future<Output = Result<A, TurnError>> + Send + 'static,
        A: Into<Answer> + 'static,
    {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(self.serve(handler));
        // What a handler left behind on a blocking thread must not hold up the end.
        runtime.shutdown_background();
        ended
    }

    /// Serves in the caller's runtime, which needs its timer. Over stdin and stdout these belong to the frames from here
    /// on: a `println!` lands on stderr. A lost socket is sought again.
    pub async fn serve<H, F, A>(self, handler: H) -> Result<(), AgentError>
    where
        H: FnMut(Turn, Keeper<S>) -> F + Send + 'static,
        F: Future<Output = Result<A, TurnError>> + Send + 'static,
        A: Into<Answer> + 'static,
    {
        let mut handler = erased(handler);
        match self.address.clone() {
            Address::Stdio => {
                let transport = Transport::claim_stdio()?;
                self.serve_once(transport, &mut handler).await
            }
            address => self.serve_socket(&address, &mut handler).await,
        }
    }

    /// Serves over two streams, until their end. They must not need the caller's runtime, which the handler may block.
    pub async fn serve_over<H, F, A>(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        handler: H,
    ) -> Result<(), AgentError>
    where
        H: FnMut(Turn, Keeper<S>) -> F + Send + 'static,
        F: Future<Output = Result<A, TurnError>> + Send + 'static,
        A: Into<Answer> + 'static,
    {
        let transport = Transport::Streams(Box::new(input), Box::new(output));
        self.serve_once(transport, &mut erased(handler)).await
    }

    async fn serve_once(
        mut self,
        transport: Transport,
        asking: &mut Asking<S>,
    ) -> Result<(), AgentError> {
        let identity = self.identity()?;
        match self.session(transport, &identity, asking).await? {
            End::Shutdown | End::Closed => Ok(()),
            End::Lost(words) => Err(AgentError::LinkLost(words)),
            End::Refused { code, message } => Err(AgentError::Refused { code, message }),
            End::State(error) => Err(AgentError::State(error)),
        }
    }

    async fn serve_socket(
        mut self,
        address: &Address,
        asking: &mut Asking<S>,
    ) -> Result<(), AgentError> {
        let identity = self.identity()?;
        let mut wait = RECONNECT_FIRST;
        loop {
            let began = Instant::now();
            let words =
                match self.session(Transport::Socket(address.clone()), &identity, asking).await? {
                    End::Shutdown => return Ok(()),
                    End::Refused { code, message } => {
                        return Err(AgentError::Refused { code, message });
                    }
                    End::State(error) => return Err(AgentError::State(error)),
                    End::Closed => "the keeper closed the link".to_owned(),
                    End::Lost(words) => words,
                };
            if began.elapsed() >= RECONNECT_CALM {
                wait = RECONNECT_FIRST;
            }
            let pause = with_jitter(wait);
            tracing::warn!(
                pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
                "{words}; again"
            );
            sleep(pause).await;
            wait = (wait * 2).min(RECONNECT_MAX);
        }
    }

    async fn session(
        &mut self,
        transport: Transport,
        identity: &Identity,
        asking: &mut Asking<S>,
    ) -> Result<End, AgentError> {
        let progress = Progress::default();
        let link = Link::start(transport, Arc::clone(&self.clock), progress.clone())?;
        let outbox = Arc::clone(&link.outbox);
        let sender = Sender { outbox, clock: Arc::clone(&self.clock), progress };
        let keeper = Keeper { desk: Arc::new(Desk::new(sender, (self.make)())) };
        let own = Own { identity, make: &*self.make, callbacks: &mut self.callbacks, asking };
        Ok(Session::new(own, link, keeper).run().await)
    }

    /// Who connects: as told, or as the keeper that started this process says.
    fn identity(&self) -> Result<Identity, AgentError> {
        let given = |variable| match (&self.run, &self.address) {
            (None, Address::Stdio) => variable_of(variable),
            _ => None,
        };
        let name = given(AGENT_VARIABLE).unwrap_or_else(|| self.name.clone());
        let agent = name.parse().map_err(|source| AgentError::Name { name, source })?;
        let run = self.run.clone().or_else(|| given(RUN_VARIABLE)).unwrap_or_default();
        Ok(Identity { agent, run, token: self.token.clone() })
    }
}

/// Half to all of a wait, so that agents that lost their keeper together do not come back together.
fn with_jitter(wait: Duration) -> Duration {
    // Each hasher has keys of its own: randomness enough, without a source of it.
    let share = RandomState::new().build_hasher().finish() % 501;
    wait * (500 + u32::try_from(share).unwrap_or(0)) / 1000
}

fn erased<S, H, F, A>(
    mut handler: H,
) -> impl FnMut(Turn, Keeper<S>) -> crate::open_turn::Answering + Send
where
    S: State,
    H: FnMut(Turn, Keeper<S>) -> F + Send + 'static,
    F: Future<Output = Result<A, TurnError>> + Send + 'static,
    A: Into<Answer> + 'static,
{
    move |turn, keeper| {
        let answering = handler(turn, keeper);
        Box::pin(async move { answering.await.map(Into::into) })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a process of its own: its keeper says here who it is"
)]
fn variable_of(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::with_jitter;

    #[test]
    fn a_wait_is_shortened_by_half_at_most() {
        let wait = Duration::from_secs(1);
        let pauses: Vec<_> = (0..100).map(|_| with_jitter(wait)).collect();
        assert!(pauses.iter().all(|pause| (wait / 2..=wait).contains(pause)));
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
    }
}
