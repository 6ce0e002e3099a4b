//! What the watchdog is given: its settings, its past, and the interfaces to the world.

use std::sync::Arc;

use abide_domain::{Clock, IdSource};

use crate::{
    WatchdogTimings,
    attention::AttentionRules,
    interfaces::{Bell, DeadManPing, Observer, Pager, Recorder},
    policy::EscalationPolicies,
    services::NotifyServices,
    state::WatchdogState,
};

/// What the watchdog is made of.
#[derive(Debug)]
pub struct WatchdogConfig {
    /// The settings.
    pub settings: WatchdogTimings,
    /// Who is told of whom, and when.
    pub policies: EscalationPolicies,
    /// Who is told of matters beside stalls, and when.
    pub attention: AttentionRules,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where new ids come from.
    pub ids: Arc<dyn IdSource>,
    /// What it asks of the world.
    pub parts: WatchdogParts,
    /// The past: all `watchdog.*` lines of the ledger, folded.
    pub past: WatchdogState,
}

/// What it asks of the world.
#[derive(Clone, Debug)]
pub struct WatchdogParts {
    /// Public evidence.
    pub observer: Arc<dyn Observer>,
    /// The first rung.
    pub bell: Arc<dyn Bell>,
    /// The second rung.
    pub pager: Arc<dyn Pager>,
    /// The third rung.
    pub services: NotifyServices,
    /// The ledger.
    pub recorder: Arc<dyn Recorder>,
    /// Whoever watches the watchdog, if anybody does.
    pub dead_man: Option<Arc<dyn DeadManPing>>,
}
