//! A fake model server over real HTTP: four dialects, scripted replies and faults, and a strict reader of every request.
//!
//! It stands where a provider stands in the walk. It runs on a thread and a runtime of its own, so that a keeper under
//! paused time and a benchmark's workers are not disturbed by it. It is never lenient: what a real provider would
//! refuse becomes a violation, and a test ends with [`ModelServer::assert_clean`].
//!
//! Reading order: `serve` (the connection), `parse` and `check` (what came), [`rules`] and [`Reply`] (what goes back),
//! `render` (the reply in each dialect), `errors`, `listing` and `embeddings`.

mod check;
mod dialect;
mod embeddings;
mod errors;
mod listing;
mod parse;
mod render;
mod reply;
mod request;
pub mod rules;
mod schema;
mod serve;
mod shared;
mod socket;

use std::{fmt, io, net::SocketAddr, sync::Arc, thread};

use tokio::{net::TcpListener, runtime, sync::watch};

pub use dialect::FakeDialect;
pub use reply::{FakeStop, Reply, ReplyHold};
pub use request::{Role, SeenCall, SeenMessage, SeenRequest, SeenResult, SeenTool};
use rules::Canned;
use shared::{ReplyRule, ServerSettings, Shared};

/// A running fake. Dropping it closes the port and every connection.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a fake without rules: it answers what [`ModelServer::script`] queues, and counts anything else as a violation.
    pub fn start() -> io::Result<Self> {
        Self::builder().start()
    }

    /// Sets up a fake.
    pub fn builder() -> ModelServerBuilder {
        ModelServerBuilder { settings: ServerSettings::default(), port: 0 }
    }

    /// `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL as `[model] base_url` wants it for a dialect: the OpenAI ones end in `/v1`.
    pub fn base_url(&self, dialect: FakeDialect) -> String {
        match dialect {
            FakeDialect::OpenAiChat | FakeDialect::OpenAiResponses => format!("{}/v1", self.url()),
            FakeDialect::Anthropic | FakeDialect::Ollama => self.url(),
        }
    }

    /// Queues replies. The queue is used up before the rule is asked.
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        self.shared.script(replies);
    }

    /// How many scripted replies have not been asked for.
    pub fn unused(&self) -> usize {
        self.shared.unused()
    }

    /// The newest requests, oldest first, at most [`ModelServerBuilder::journal_max`].
    pub fn requests(&self) -> Vec<Arc<SeenRequest>> {
        self.shared.requests()
    }

    /// How many requests for an answer have come since the start.
    pub fn count(&self) -> usize {
        self.shared.count()
    }

    /// How many clients left before their answer was complete.
    pub fn hangups(&self) -> usize {
        self.shared.hangups()
    }

    /// What a real provider would have refused, each with the number of its request.
    pub fn violations(&self) -> Vec<String> {
        self.shared.violations()
    }

    /// Fails the test where any request broke a rule.
    pub fn assert_clean(&self) {
        let violations = self.violations();
        assert!(violations.is_empty(), "a real provider would refuse:\n{}", violations.join("\n"));
    }

    /// Waits until at least `count` requests for an answer have come since the start.
    pub async fn wait_for_requests(&self, count: usize) {
        self.shared.wait_for_requests(count).await;
    }

    /// Waits until at least `count` clients have left before their answer was complete.
    pub async fn wait_for_hangups(&self, count: usize) {
        self.shared.wait_for_hangups(count).await;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl fmt::Debug for ModelServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What a fake is to be like.
#[derive(Debug)]
pub struct ModelServerBuilder {
    settings: ServerSettings,
    port: u16,
}

impl ModelServerBuilder {
    /// Answers by a rule what no script covers. [`rules`] has ready ones.
    #[must_use]
    pub fn rule(mut self, rule: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static) -> Self {
        self.settings.rule = Some(ReplyRule(Box::new(rule)));
        self
    }

    /// Answers every request from prepared bytes with hardly any reading: for benchmarks. Nothing is checked or kept.
    #[must_use]
    pub fn canned(mut self, canned: Canned) -> Self {
        self.settings.canned = Some(canned);
        self
    }

    /// Demands this key; a request without it gets a 401.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.settings.key = Some(key.to_owned());
        self
    }

    /// Sends every body in chunks of so many bytes, unless the reply says otherwise.
    #[must_use]
    pub fn dribble(mut self, bytes: usize) -> Self {
        self.settings.dribble = Some(bytes.max(1));
        self
    }

    /// Answers violations with a 400, as a provider does, instead of only noting them.
    #[must_use]
    pub fn refusing(mut self) -> Self {
        self.settings.refusing = true;
        self
    }

    /// The largest request body that is no violation; 4 MiB by default.
    #[must_use]
    pub fn request_bytes_max(mut self, bytes: usize) -> Self {
        self.settings.request_bytes_max = bytes;
        self
    }

    /// How many requests are kept; 4,096 by default.
    #[must_use]
    pub fn journal_max(mut self, requests: usize) -> Self {
        self.settings.journal_max = requests;
        self
    }

    /// Names the models of the lists; `fake-model` by default.
    #[must_use]
    pub fn models(mut self, names: &[&str]) -> Self {
        self.settings.models = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Listens on a fixed port of 127.0.0.1. For people at a shell; tests take a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Starts the fake. An error means that the port or a thread could not be had.
    pub fn start(self) -> io::Result<ModelServer> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", self.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(self.settings));
        let (stop, stopped) = watch::channel(false);
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let served = Arc::clone(&shared);
        let thread = thread::Builder::new().name("fake-model".into()).spawn(move || {
            runtime.block_on(async move {
                if let Ok(listener) = TcpListener::from_std(listener) {
                    serve::accept(listener, served, stopped).await;
                }
            });
        })?;
        Ok(ModelServer { address, shared, stop, thread: Some(thread) })
    }
}
