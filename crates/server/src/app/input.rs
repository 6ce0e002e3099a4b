//! What a keeper is started with, what it reports while it starts, and what all its steps work with.

use std::{net::SocketAddr, sync::Arc};

use abide_domain::Clock;
use abide_engine::failpoint::Failpoints;

use crate::{
    api::AppState,
    config::{Config, Environment},
    home::Home,
    self_watch::SelfWatch,
};

/// What a keeper is started with.
#[derive(Debug)]
pub(crate) struct App {
    /// Its folder; it exists.
    pub(crate) home: Home,
    /// The checked configuration.
    pub(crate) config: Config,
    /// Where keys of providers are read from.
    pub(crate) environment: Environment,
}

/// What is reported to the terminal from the start on.
#[derive(Clone, Debug)]
pub(crate) enum StartupEvent {
    /// The port answers.
    Listening {
        /// Where.
        address: SocketAddr,
        /// Signs a browser in, once.
        link: String,
    },
    /// An agent has its mind.
    Mind(String),
    /// How memories are searched.
    Memory(String),
    /// How people get to IRC, or why they cannot.
    Irc(String),
    /// Stimuli are accepted.
    Ready {
        /// The last event.
        seq: u64,
    },
    /// The keeper begins to stop.
    Stopping {
        /// Why.
        reason: String,
    },
}

/// Where startup events go.
pub(crate) type Report<'a> = &'a (dyn Fn(StartupEvent) + Send + Sync);

/// What every step works with.
pub(super) struct Scope<'a> {
    pub(super) input: &'a App,
    pub(super) app: &'a AppState,
    pub(super) clock: &'a Arc<dyn Clock>,
    pub(super) failpoints: &'a Failpoints,
    pub(super) report: Report<'a>,
    pub(super) self_watch: &'a SelfWatch,
}
