//! What the configuration says about all epochs and about sleep.

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::{Zone, limits::Limits};

use crate::{context::History, schedule::Schedule};

/// What the configuration says about all epochs.
#[derive(Clone, Debug)]
pub struct EpochSettings {
    /// `[limits]` of the configuration.
    pub limits: Limits,
    /// Tokens of a prompt (`context.tokens_max`).
    pub context_tokens_max: u64,
    /// Which conversations a prompt shows (`context.history`).
    pub history: History,
    /// The zone in which times are shown to minds.
    pub time_zone: Zone,
    /// `budget.usd_day` in millionths of a dollar; `None` is no budget.
    pub budget_microusd_day: Option<u64>,
    /// How long a stopping keeper lets running epochs finish.
    pub drain: Duration,
    /// When agents sleep by themselves; none: only when a person asks for it.
    pub sleep: Option<SleepSettings>,
    /// The people whom the keeper knows by name.
    pub people: KnownPeople,
}

/// Says whether a bare name is that of a person whom the configuration or a token names. Asked anew each time, for tokens
/// come and go. By default nobody is known.
#[derive(Clone)]
pub struct KnownPeople(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl KnownPeople {
    /// Asks this.
    pub fn new(knows: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(knows))
    }

    /// Whether somebody has this name.
    pub fn knows(&self, name: &str) -> bool {
        (self.0)(name)
    }
}

impl Default for KnownPeople {
    fn default() -> Self {
        Self::new(|_| false)
    }
}

impl fmt::Debug for KnownPeople {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownPeople(…)")
    }
}

/// `[sleep]`, and what it is measured against.
#[derive(Clone, Debug)]
pub struct SleepSettings {
    /// Quiet time before sleep.
    pub idle: Duration,
    /// It sleeps after more committed epochs than this.
    pub epochs_min: usize,
    /// In addition, at these times.
    pub at: Option<Schedule>,
    /// Tokens of a prompt (`context.tokens_max`).
    pub tokens_max: u64,
}
