//! What the configuration says about all epochs and about sleep.

use std::time::Duration;

use abide_domain::limits::Limits;

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
    /// `budget.usd_day` in millionths of a dollar; `None` is no budget.
    pub budget_microusd_day: Option<u64>,
    /// How long a stopping keeper lets running epochs finish.
    pub drain: Duration,
    /// When agents sleep by themselves; none: only when a person asks for it.
    pub sleep: Option<SleepSettings>,
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
