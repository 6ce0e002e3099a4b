//! The HTTP side: it listens before the ledger is read, with 503 and `loading`, and closes last.

use std::{net::SocketAddr, sync::Arc};

use abide_domain::Clock;
use tokio::net::TcpListener;

use super::{
    drain::DRAIN_SLACK,
    error::AppError,
    input::{App, Report, StartupEvent},
    tasks::{Task, Tasks, infallible},
};
use crate::{
    api::{self, AppState, AppStateParts, ConfigView},
    auth::{Admission, OriginCheck, Requirement, Token},
    home::Home,
    listener::Listener,
    local_socket::LocalSocket,
    presence::Presence,
};

/// The running HTTP side.
pub(super) struct HttpServer {
    /// What all routes share.
    pub(super) app: AppState,
    presence: Presence,
}

impl HttpServer {
    /// Binds the configured address and serves there; the command line finds it by `keeper.json`
    /// and reaches it through `api.sock`.
    pub(super) async fn start(
        input: &App,
        (token, clock): (&Token, &Arc<dyn Clock>),
        tasks: &mut Tasks,
        report: Report<'_>,
    ) -> Result<Self, AppError> {
        let App { home, config, .. } = input;
        let (socket, bound) = bind(config.settings.keeper.listen).await?;
        let is_required = config.settings.auth.required;
        let required = if is_required { Requirement::Token } else { Requirement::Nothing };
        let app = AppState::new(AppStateParts {
            origin_check: OriginCheck::new(bound),
            admission: Admission::new(home.clone(), token, bound.port(), required),
            clock: Arc::clone(clock),
            bound,
            alert_wake: config.settings.alertmanager.wake(),
        });
        app.show_config(ConfigView::new(config, &home.config_file()));
        let router = api::router(app.clone());
        let listener = Listener::new(socket, router.clone());
        let stop = tasks.stop_of(Task::Listener);
        tasks.start(Task::Listener, infallible(listener.run(stop)));
        match LocalSocket::bind(home) {
            Ok(local) => {
                let stop = tasks.stop_of(Task::Listener);
                tasks.start(Task::Listener, infallible(local.run(router, stop)));
            }
            // As with keeper.json below: it must not keep a keeper from serving what it has.
            Err(error) => {
                tracing::warn!(%error, event = "local_socket_failed", "api.sock cannot be made in the home: commands do not reach this keeper");
            }
        }
        let presence = Presence::here(bound);
        if let Err(error) = presence.announce(home) {
            // A full disk must not keep a keeper from serving what it has; only the command line cannot find it then.
            tracing::warn!(%error, event = "presence_failed", "keeper.json cannot be written: commands do not find this keeper");
        }
        report(StartupEvent::Listening { address: bound, link: app.link_for_owner().1 });
        Ok(Self { app, presence })
    }

    /// Ends all streams and connections.
    pub(super) async fn stop(self, home: &Home, tasks: &mut Tasks) {
        self.presence.withdraw(home);
        self.app.close();
        tasks.end(Task::Listener, DRAIN_SLACK).await;
    }
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), AppError> {
    let failed = |source| AppError::Bind { address, source };
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    let bound = socket.local_addr().map_err(failed)?;
    Ok((socket, bound))
}
