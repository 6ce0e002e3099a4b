//! The watchdog in its house: who it looks through, rings, pages and tells, and where it writes.
//!
//! It decides nothing here: `abide-watchdog` does. Reading order: `eyes`, `network`, `bell`, `pager`, `teller`, `record`.

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
    config::{Environment, Settings},
    processes::Processes,
    system::SystemIds,
};

mod bell;
mod eyes;
mod network;
mod pager;
mod record;
mod teller;

/// What the watchdog is put together from.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// The configuration.
    pub(crate) settings: &'a Settings,
    /// Where addresses and keys of notifiers are read from.
    pub(crate) environment: &'a Environment,
    /// The house that it looks at.
    pub(crate) keeper: &'a Keeper,
    /// Agents' processes.
    pub(crate) processes: &'a Processes,
    /// How notifiers are reached.
    pub(crate) client: Client,
    /// The channel that pages go to. This is where the IRC server plugs in; with none a page fails and says so.
    pub(crate) channel: Option<Arc<dyn Pager>>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// What it did before.
    pub(crate) past: WatchdogState,
}

/// Says why the watchdog's past is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PastError {
    /// The ledger cannot be read.
    #[error("the ledger cannot be read")]
    Read(#[from] ReadError),
    /// An event of the ledger cannot be read.
    #[error("an event of the ledger cannot be read")]
    Entry(#[from] EntryError),
}

/// What the watchdog did before, from the ledger. Blocking.
pub(crate) fn past(ledger: &Ledger) -> Result<WatchdogState, PastError> {
    let mut past = WatchdogState::default();
    let kinds = vec!["watchdog.*".to_owned()];
    for record in ledger.query(Query { kinds, ..Query::default() }) {
        past.apply_entry(&record?.entry()?);
    }
    Ok(past)
}

/// The watchdog of a house, and what others hold of it.
pub(crate) fn watchdog(parts: Parts<'_>) -> (Watchdog, WatchdogHandle) {
    let Parts { settings, environment, keeper, processes, client, channel, clock, past } = parts;
    let always = settings.agents.iter().filter(|agent| agent.always_active);
    let always_active: BTreeSet<_> = always.map(|agent| agent.id.clone()).collect();
    let known = eyes::Known { always_active, local: network::local(settings) };
    let ping = environment.get(&settings.watchdog.ping_env).map(|url| Secret::new(url.trim()));
    let switch = |url| Arc::new(DeadManSwitch::new(client.clone(), url)) as Arc<dyn DeadManPing>;
    let parts = WatchdogParts {
        observer: Arc::new(eyes::StateObserver::new(
            keeper.clone(),
            processes.clone(),
            known,
            Arc::clone(&clock),
        )),
        bell: Arc::new(bell::ProcessBell::new(processes.clone(), Arc::clone(&clock))),
        pager: Arc::new(pager::ChannelPager::new(keeper.clone(), channel)),
        services: teller::services(settings, environment, &client),
        recorder: Arc::new(record::LedgerRecord::new(keeper.ledger().clone())),
        dead_man: ping.map(switch),
    };
    // They were checked with the configuration; without any, everybody is told at once.
    let policies = settings.policies().unwrap_or_default();
    let (settings, ids) = (settings.watchdog.ladder(), Arc::new(SystemIds));
    Watchdog::new(WatchdogConfig { settings, policies, clock, ids, parts, past })
}
