//! The agent as its author describes it: its name, its state, where its keeper is, and the handler that answers its turns.

use std::{
    fmt,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    sync::Arc,
    time::Duration,
};

use abide_domain::{Clock, IdError};
use abide_wire::{EvolutionResult, Metrics, Secret};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Builder,
    time::{Instant, sleep},
};

use crate::{
    clock::SystemClock,
    keeper::Keeper,
    limits::{RECONNECT_FIRST, RECONNECT_MAX, RECONNECT_RESET_AFTER},
    link::{Link, ProgressCounter},
    open_turn::{AnswerFuture, TurnHandler},
    sender::Sender,
    session::{Session, SessionEnd},
    setup::{Callbacks, Identity, SessionSetup},
    shared_state::SharedState,
    state::{State, StateError, Stateless},
    transport::{Address, Transport},
    turn::{Answer, Turn},
    turn_error::TurnError,
};

/// The variable that names the agent.
const AGENT_VARIABLE: &str = "ABIDE_AGENT";
/// The variable that names the run.
const RUN_VARIABLE: &str = "ABIDE_RUN";

/// Why an agent ended although its keeper did not shut it down.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its name is no valid agent id.
    #[error("the agent name `{name}` is invalid")]
    Name {
        /// The name.
        name: String,
        /// The rule that it breaks.
        source: IdError,
    },
    /// The system refused it a thread or a descriptor.
    #[error("the agent cannot start")]
    Start(#[from] io::Error),
    /// The keeper refused the link: wrong token, version or run. Trying again does not help.
    #[error("the keeper refused this agent: {code}: {message}")]
    Refused {
        /// Such as `STALE_RUN`.
        code: String,
        /// The keeper's message.
        message: String,
    },
    /// The link broke.
    #[error("the link to the keeper was lost: {0}")]
    LinkLost(String),
    /// Its state could not be restored, or could not apply an entry of the log. The agent must be started again.
    #[error("the agent's state cannot be restored or does not follow its log: {0}")]
    State(StateError),
}

/// An agent that does not run yet: [`Agent::run`] and its siblings start it.
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
    /// An agent without state that speaks over stdin and stdout. A keeper that starts it may give it another name.
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

    /// Gives it a state. Before anything is restored, it is as `make` makes it.
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
    /// Sets where its keeper listens, where the keeper did not start it.
    #[must_use]
    pub fn at(mut self, address: Address) -> Self {
        self.address = address;
        self
    }

    /// Proves on a socket that it may speak for this agent: what stands in `agents/<id>/socket-secret` of the keeper's home.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(Secret::verbatim(token));
        self
    }

    /// Names the run, for a program that reads the environment by itself. Then neither name nor run are taken from it.
    #[must_use]
    pub fn run_id(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// Sets the clock that frames are stamped with, in place of the system's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the callback that loads new code `(module, code)` between turns. An error refuses it.
    #[must_use]
    pub fn on_hot_reload(
        mut self,
        load: impl FnMut(&str, &str) -> Result<(), StateError> + Send + 'static,
    ) -> Self {
        self.callbacks.hot_reload = Some(Box::new(load));
        self
    }

    /// Sets the callback that adds to each report of measurements.
    #[must_use]
    pub fn on_metrics(mut self, measure: impl FnMut(&S, &mut Metrics) + Send + 'static) -> Self {
        self.callbacks.metrics = Some(Box::new(measure));
        self
    }

    /// Sets the callback that is told how an evolution intent ended.
    #[must_use]
    pub fn on_evolution_result(
        mut self,
        notify: impl FnMut(&EvolutionResult) + Send + 'static,
    ) -> Self {
        self.callbacks.evolution_result = Some(Box::new(notify));
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
        // A blocking task that a handler left running must not delay the end.
        runtime.shutdown_background();
        ended
    }

    /// Serves in the caller's runtime, which needs its timer. Stdin and stdout, if used, carry frames alone from here on: a
    /// `println!` goes to stderr. A lost socket is connected again.
    pub async fn serve<H, F, A>(self, handler: H) -> Result<(), AgentError>
    where
        H: FnMut(Turn, Keeper<S>) -> F + Send + 'static,
        F: Future<Output = Result<A, TurnError>> + Send + 'static,
        A: Into<Answer> + 'static,
    {
        let mut handler = boxed(handler);
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
        self.serve_once(transport, &mut boxed(handler)).await
    }

    async fn serve_once(
        mut self,
        transport: Transport,
        handler: &mut TurnHandler<S>,
    ) -> Result<(), AgentError> {
        let identity = self.identity()?;
        match self.session(transport, &identity, handler).await? {
            SessionEnd::Shutdown | SessionEnd::Closed => Ok(()),
            SessionEnd::Lost(reason) => Err(AgentError::LinkLost(reason)),
            SessionEnd::Refused { code, message } => Err(AgentError::Refused { code, message }),
            SessionEnd::State(error) => Err(AgentError::State(error)),
        }
    }

    async fn serve_socket(
        mut self,
        address: &Address,
        handler: &mut TurnHandler<S>,
    ) -> Result<(), AgentError> {
        let identity = self.identity()?;
        let mut wait = RECONNECT_FIRST;
        loop {
            let began = Instant::now();
            let reason =
                match self.session(Transport::Socket(address.clone()), &identity, handler).await? {
                    SessionEnd::Shutdown => return Ok(()),
                    SessionEnd::Refused { code, message } => {
                        return Err(AgentError::Refused { code, message });
                    }
                    SessionEnd::State(error) => return Err(AgentError::State(error)),
                    SessionEnd::Closed => "the keeper closed the link".to_owned(),
                    SessionEnd::Lost(reason) => reason,
                };
            if began.elapsed() >= RECONNECT_RESET_AFTER {
                wait = RECONNECT_FIRST;
            }
            let pause = with_jitter(wait);
            tracing::warn!(
                event = "link_lost",
                agent = %identity.agent,
                pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
                reason,
                "link to the keeper lost, connecting again"
            );
            sleep(pause).await;
            wait = (wait * 2).min(RECONNECT_MAX);
        }
    }

    async fn session(
        &mut self,
        transport: Transport,
        identity: &Identity,
        handler: &mut TurnHandler<S>,
    ) -> Result<SessionEnd, AgentError> {
        let progress = ProgressCounter::default();
        let link = Link::start(transport, Arc::clone(&self.clock), progress.clone())?;
        let outbox = Arc::clone(&link.outbox);
        let sender = Sender { outbox, clock: Arc::clone(&self.clock), progress };
        let keeper = Keeper { shared: Arc::new(SharedState::new(sender, (self.make)())) };
        let setup =
            SessionSetup { identity, make: &*self.make, callbacks: &mut self.callbacks, handler };
        Ok(Session::new(setup, link, keeper).run().await)
    }

    /// The agent and run: as the author set them, or from the environment that the keeper made.
    fn identity(&self) -> Result<Identity, AgentError> {
        let from_keeper = |variable| match (&self.run, &self.address) {
            (None, Address::Stdio) => read_variable(variable),
            _ => None,
        };
        let name = from_keeper(AGENT_VARIABLE).unwrap_or_else(|| self.name.clone());
        let agent = name.parse().map_err(|source| AgentError::Name { name, source })?;
        let run = self.run.clone().or_else(|| from_keeper(RUN_VARIABLE)).unwrap_or_default();
        Ok(Identity { agent, run, token: self.token.clone() })
    }
}

/// Half to all of a wait, so that agents that lost their keeper together do not connect at the same time.
fn with_jitter(wait: Duration) -> Duration {
    // Each hasher has random keys of its own, which is enough here.
    let share = RandomState::new().build_hasher().finish() % 501;
    wait * (500 + u32::try_from(share).unwrap_or(0)) / 1000
}

fn boxed<S, H, F, A>(mut handler: H) -> impl FnMut(Turn, Keeper<S>) -> AnswerFuture + Send
where
    S: State,
    H: FnMut(Turn, Keeper<S>) -> F + Send + 'static,
    F: Future<Output = Result<A, TurnError>> + Send + 'static,
    A: Into<Answer> + 'static,
{
    move |turn, keeper| {
        let answer = handler(turn, keeper);
        Box::pin(async move { answer.await.map(Into::into) })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "an agent is a process of its own, and its keeper names it in its environment"
)]
fn read_variable(name: &str) -> Option<String> {
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
