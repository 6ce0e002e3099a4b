//! The composition root, in four steps: build, start, serve, drain. The only module that knows all parts.
//!
//! The port answers before the ledger is read, with 503 and `loading`; no stimulus is accepted before all of it is read.

use std::sync::Arc;

use abide_domain::Clock;
use abide_engine::{Lane, failpoint::Failpoints};
use abide_ledger::HomeLock;
use tokio::sync::mpsc;

mod build;
mod drain;
mod error;
mod http;
mod input;
mod settings;
mod signals;
mod snapshots;
mod start;
mod tasks;

pub(crate) use error::AppError;
pub(crate) use input::{App, Report, StartupEvent};

use build::build;
use drain::{STOP_SLACK, drain};
use http::HttpServer;
use input::Scope;
use signals::Signals;
use start::{Running, start, start_lane};
use tasks::Tasks;

use crate::{
    auth::{NamedTokens, Token},
    self_watch::SelfWatch,
    system::SystemClock,
};

impl App {
    /// Runs a keeper until a signal stops it or it cannot go on.
    pub(crate) async fn run(self, report: Report<'_>) -> Result<(), AppError> {
        let mut signals = Signals::catch()?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let self_watch = SelfWatch::new(Arc::clone(&clock));
        self_watch.start_thread(&self.environment)?;
        let _lock = HomeLock::acquire(self.home.root())?;
        let failpoints: Failpoints = self.config.settings.test.failpoints.parse()?;
        let token = Token::load_or_create(&self.home)?;
        self.check_names()?;
        let mut tasks = Tasks::default();
        let http = HttpServer::start(&self, (&token, &clock, &self_watch), &mut tasks, report)?;
        let (input, app) = (&self, &http.app);
        let (clock, failpoints, self_watch) = (&clock, &failpoints, &self_watch);
        let scope = Scope { input, app, clock, failpoints, report, self_watch };
        let ended = run_keeper(&scope, &mut tasks, &mut signals).await;
        http.stop(&self.home, &mut tasks).await;
        ended
    }
}

impl App {
    /// A token's holder acts under the token's name, so that no agent may have it.
    fn check_names(&self) -> Result<(), AppError> {
        // Tokens that cannot be read are told, and open nothing, where they are asked for.
        let Ok(named) = NamedTokens::load(&self.home) else { return Ok(()) };
        let agents = &self.config.settings.agents;
        let shared = named.tokens.iter().map(|token| &token.name);
        let mut shared = shared.filter(|name| agents.iter().any(|a| a.id.as_str() == **name));
        match shared.next() {
            Some(name) => Err(AppError::SharedName(name.clone())),
            None => Ok(()),
        }
    }
}

async fn run_keeper(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    signals: &mut Signals,
) -> Result<(), AppError> {
    let shutdown_grace = scope.input.config.settings.supervisor.shutdown_grace.0;
    let stopping = |reason| {
        scope.self_watch.end_within(shutdown_grace + STOP_SLACK);
        (scope.report)(StartupEvent::Stopping { reason });
    };
    let built = tokio::select! {
        biased;
        reason = signals.next() => {
            stopping(reason);
            return Ok(());
        }
        built = build(scope) => built?,
    };

    let Running { keeper, processes, ledger, mut new_lanes } = start(scope, built, tasks).await?;
    (scope.report)(StartupEvent::Ready { seq: ledger.ledger.head().seq });

    let (reason, outcome) = serve(tasks, signals, &mut new_lanes).await;
    stopping(reason.clone());

    drain((&keeper, &processes), scope.app, tasks, (&reason, shutdown_grace)).await;
    drop((keeper, processes));
    ledger.close().await;
    outcome
}

/// Step 3, serve: until a signal comes, or a task ends that must not. Says why, and how the keeper ends.
async fn serve(
    tasks: &mut Tasks,
    signals: &mut Signals,
    new_lanes: &mut mpsc::Receiver<Lane>,
) -> (String, Result<(), AppError>) {
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => return (signal, Ok(())),
            ended = tasks.fatal() => return (ended.clone(), Err(AppError::TaskEnded(ended))),
            Some(lane) = new_lanes.recv() => start_lane(tasks, lane),
        }
    }
}
