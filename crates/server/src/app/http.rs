//! The HTTP side: it listens before the ledger is read, with 503 and `loading`, and closes last.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use abide_domain::Clock;
use rustix::process::{Resource, getrlimit};
use tokio::{net::TcpListener, time::Instant};

use super::{
    error::AppError,
    input::{App, Report, StartupEvent},
    tasks::{Task, Tasks, infallible},
};
use crate::{
    api::{self, AppState, AppStateParts, ConfigView},
    auth::{Admission, OriginCheck, Requirement, Token},
    cards::{CardImages, CardSource, CardStore},
    config::KeeperSection,
    home::Home,
    listener::{self, Listener, ListenerLimits},
    local_socket::LocalSocket,
    media::{MusicService, MusicSettings},
    presence::Presence,
    self_watch::SelfWatch,
};

/// How long connections may take to close where the keeper never came to its drain.
const CLOSE_MAX: Duration = Duration::from_secs(1);
/// File descriptors that are kept for everything but HTTP connections: the ledger, databases, agents, other channels.
const FILES_RESERVED: usize = 512;
/// Connections that are allowed however few file descriptors there are.
const CONNECTIONS_MIN: usize = 64;

/// The running HTTP side.
pub(super) struct HttpServer {
    /// What all routes share.
    pub(super) app: AppState,
    presence: Presence,
}

impl HttpServer {
    /// Binds the configured address and serves there; the command line finds it by `keeper.json`
    /// and reaches it through `api.sock`.
    pub(super) fn start(
        input: &App,
        (token, clock, self_watch): (&Token, &Arc<dyn Clock>, &SelfWatch),
        tasks: &mut Tasks,
        report: Report<'_>,
    ) -> Result<Self, AppError> {
        let App { home, config, .. } = input;
        let (socket, bound) = bind(config.settings.keeper.listen)?;
        let is_required = config.settings.auth.required;
        let required = if is_required { Requirement::Token } else { Requirement::Nothing };
        let app = AppState::new(AppStateParts {
            origin_check: OriginCheck::new(bound),
            admission: Admission::new(home.clone(), token, bound.port(), required),
            cards: CardStore::new(home.cards_folder(), Arc::clone(clock)),
            card_images: card_images(input, clock),
            music: music(input, clock),
            clock: Arc::clone(clock),
            bound,
            alert_wake: config.settings.alertmanager.wake(),
            self_watch: self_watch.clone(),
        });
        app.show_config(ConfigView::new(config, &home.config_file(), &input.environment));
        let router = api::router(app.clone());
        let listener = Listener::new(socket, router.clone(), limits(&config.settings.keeper));
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
        tasks.end(Task::Listener, Instant::now() + CLOSE_MAX).await;
    }
}

/// The pictures of cards; nothing is made or asked before somebody wants one.
fn card_images(input: &App, clock: &Arc<dyn Clock>) -> CardImages {
    let settings = &input.config.settings;
    let source = CardSource::new(&settings.tools.scryfall.url, Arc::clone(clock));
    let folder = input.home.cache_folder().join("card-images");
    CardImages::new(settings.decks.images, source, folder)
}

/// Music; nothing is opened or started before the keeper runs.
fn music(input: &App, clock: &Arc<dyn Clock>) -> MusicService {
    let section = &input.config.settings.media;
    let settings = MusicSettings::new(section, &input.home, &input.environment);
    MusicService::new(settings, Arc::clone(clock))
}

fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), AppError> {
    let failed = |source| AppError::Bind { address, source };
    let socket = listener::bind(address).map_err(failed)?;
    let bound = socket.local_addr().map_err(failed)?;
    Ok((socket, bound))
}

/// The configured limits, as far as the system has file descriptors for them: one that cannot be accepted can make no
/// room for itself.
fn limits(section: &KeeperSection) -> ListenerLimits {
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    let room = files.map_or(usize::MAX, |files| files.saturating_sub(FILES_RESERVED));
    let connections = section.connections.min(room.max(CONNECTIONS_MIN));
    if connections < section.connections {
        tracing::warn!(
            event = "connections_limited",
            connections,
            configured = section.connections,
            "fewer connections than configured: the system allows no more open files"
        );
    }
    ListenerLimits {
        connections,
        connections_per_peer: section.connections_per_peer.min(connections),
        header_time: section.header_timeout(),
        write_time: section.write_timeout(),
    }
}
