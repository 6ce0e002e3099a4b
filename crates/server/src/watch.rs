//! The watchdog in the keeper: what it observes, and how it rings, pages, notifies and records.
//!
//! Nothing is decided here: `abide-watchdog` does that. Reading order: `observer`, `tasks`, `network`, `attention`, `bell`, `pager`, `notifiers`, `recorder`.

use std::{collections::BTreeSet, sync::Arc};

use abide_channels::notify::DeadManSwitch;
use abide_domain::Clock;
use abide_engine::Keeper;
use abide_http::{Client, Secret};
use abide_ledger::{EntryError, Ledger, Query, ReadError};
use abide_watchdog::{
    DeadManPing, Pager, Watchdog, WatchdogConfig, WatchdogHandle, WatchdogParts, WatchdogState,
};

use crate::{
    agents::Processes,
    config::{AgentSection, Environment, Settings},
    mcp_servers::McpQuestions,
    system::SystemIds,
};

mod attention;
mod bell;
mod network;
mod notifiers;
mod observer;
mod pager;
mod recorder;
mod tasks;

pub(crate) use attention::{
    DISK, MATTER_KINDS, QUESTION, STATE_NOT_KEPT, disk_summary, question_summary, state_summary,
};
pub(crate) use notifiers::build_services;

/// What the watchdog is made of.
#[derive(Debug)]
pub(crate) struct WatchParts<'a> {
    /// The configuration.
    pub(crate) settings: &'a Settings,
    /// Where addresses and keys of notifiers are read from.
    pub(crate) environment: &'a Environment,
    /// The keeper whose agents it watches.
    pub(crate) keeper: &'a Keeper,
    /// Agents' processes.
    pub(crate) processes: &'a Processes,
    /// What servers of tools ask of people.
    pub(crate) questions: McpQuestions,
    /// How notifiers are reached.
    pub(crate) client: Client,
    /// The channel that pages go to: the IRC server; with none a page fails and says so.
    pub(crate) channel: Option<Arc<dyn Pager>>,
    /// Times of scans.
    pub(crate) clock: Arc<dyn Clock>,
    /// What it did before.
    pub(crate) past: WatchdogState,
}

/// Says why it is not known what the watchdog did before.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WatchdogHistoryError {
    /// The ledger cannot be read.
    #[error("the ledger cannot be read")]
    Read(#[from] ReadError),
    /// An event of the ledger cannot be decoded.
    #[error("an event of the ledger cannot be decoded")]
    Entry(#[from] EntryError),
}

/// What the watchdog did before, from the ledger. Blocking.
pub(crate) fn read_history(ledger: &Ledger) -> Result<WatchdogState, WatchdogHistoryError> {
    let mut past = WatchdogState::default();
    let kinds = vec!["watchdog.*".to_owned()];
    for record in ledger.query(Query { kinds, ..Query::default() }) {
        past.apply_entry(&record?.entry()?);
    }
    Ok(past)
}

/// The watchdog, and the handle that others ask it by.
pub(crate) fn build(parts: WatchParts<'_>) -> (Watchdog, WatchdogHandle) {
    let WatchParts { settings, environment, keeper, processes, client, channel, .. } = parts;
    let (questions, clock, past) = (parts.questions, parts.clock, parts.past);
    let always = settings.agents.iter().filter(|agent| agent.always_active);
    let always_active: BTreeSet<_> = always.map(|agent| agent.id.clone()).collect();
    let unwatched = settings.agents.iter().filter(|agent| !agent.watchdog.enabled);
    let threshold = |agent: &AgentSection| Some((agent.id.clone(), agent.watchdog.threshold()?));
    let configured = observer::ObserverSettings {
        always_active,
        unwatched: unwatched.map(|agent| agent.id.clone()).collect(),
        thresholds: settings.agents.iter().filter_map(threshold).collect(),
        services: network::model_services(settings),
    };
    let ping = environment.get(&settings.watchdog.ping_env).map(|url| Secret::new(url.trim()));
    let switch = |url| Arc::new(DeadManSwitch::new(client.clone(), url)) as Arc<dyn DeadManPing>;
    let parts = WatchdogParts {
        observer: Arc::new(observer::StateObserver::new(
            (keeper.clone(), processes.clone()),
            questions,
            configured,
            Arc::clone(&clock),
        )),
        bell: Arc::new(bell::ProcessBell::new(processes.clone(), Arc::clone(&clock))),
        pager: Arc::new(pager::ChannelPager::new(keeper.clone(), channel)),
        services: build_services(settings, environment, &client)
            .with_zone(keeper.services().settings.time_zone.clone()),
        recorder: Arc::new(recorder::LedgerRecorder::new(keeper.ledger().clone())),
        dead_man: ping.map(switch),
    }; // They were checked with the configuration; without any, everybody is notified at once.
    let policies = settings.policies().unwrap_or_default();
    let attention = settings.attention_rules();
    let (settings, ids) = (settings.watchdog.ladder(), Arc::new(SystemIds));
    Watchdog::new(WatchdogConfig { settings, policies, attention, clock, ids, parts, past })
}
