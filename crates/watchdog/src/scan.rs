//! The scan: who is silent for too long. Pure: the same observations at the same moment give the same verdicts.

use std::time::Duration;

use abide_domain::{KnownWait, Timestamp, evidence::WATCHDOG};

use crate::{
    WatchdogTimings, WatchedTime,
    observation::{AgentCondition, ObservedAgent},
};

/// What an agent is found to be: one state of decision 38. Only the last is a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentVerdict {
    /// It was registered a moment ago.
    JustRegistered,
    /// It has nothing to do.
    Idle,
    /// It sleeps.
    Asleep,
    /// Its process was put away.
    Hibernated,
    /// A person set it aside.
    Parked,
    /// A person is to decide first.
    WaitingApproval,
    /// Its budget is spent, or a person stopped it.
    Paused,
    /// Its model cannot be reached.
    Unreachable,
    /// It waits for something that has an end.
    Waiting(KnownWait),
    /// The configuration says that it is not watched.
    Unwatched,
    /// It has something to do, and was not silent for long.
    Active {
        /// How long it has been silent.
        silent: Duration,
    },
    /// It has something to do, and has been silent for too long.
    Stalled {
        /// How long.
        silent: Duration,
        /// How long it may be.
        threshold: Duration,
        /// Whether it never showed any evidence at all.
        never_active: bool,
    },
}

impl AgentVerdict {
    /// The name on the wire.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::JustRegistered => "just_registered",
            Self::Idle => "idle",
            Self::Asleep => "asleep",
            Self::Hibernated => "hibernated",
            Self::Parked => "parked",
            Self::WaitingApproval => "waiting_approval",
            Self::Paused => "paused",
            Self::Unreachable => "unreachable",
            Self::Waiting(_) => "waiting",
            Self::Unwatched => "unwatched",
            Self::Active { .. } => "active",
            Self::Stalled { .. } => "stalled",
        }
    }

    /// Whether it is a stall.
    pub const fn is_stalled(&self) -> bool {
        matches!(self, Self::Stalled { .. })
    }
}

/// Judges all agents but the watchdog itself.
pub fn scan<'a>(
    now: Timestamp,
    settings: &WatchdogTimings,
    watched_time: &WatchedTime,
    agents: &'a [ObservedAgent],
) -> Vec<(&'a ObservedAgent, AgentVerdict)> {
    let others = agents.iter().filter(|observed| observed.agent.as_str() != WATCHDOG);
    others.map(|observed| (observed, judge(now, settings, watched_time, observed))).collect()
}

/// Judges one agent.
fn judge(
    now: Timestamp,
    settings: &WatchdogTimings,
    watched_time: &WatchedTime,
    observed: &ObservedAgent,
) -> AgentVerdict {
    let mut waited_until = None;
    match observed.condition {
        AgentCondition::Awake => {}
        AgentCondition::Waiting(wait) if now <= wait.until => return AgentVerdict::Waiting(wait),
        // What it waits for should have come: from there on it is silent.
        AgentCondition::Waiting(wait) => waited_until = Some(wait.until),
        AgentCondition::Asleep => return AgentVerdict::Asleep,
        AgentCondition::Hibernated => return AgentVerdict::Hibernated,
        AgentCondition::Parked => return AgentVerdict::Parked,
        AgentCondition::WaitingApproval => return AgentVerdict::WaitingApproval,
        AgentCondition::Paused => return AgentVerdict::Paused,
        AgentCondition::Unreachable => return AgentVerdict::Unreachable,
        AgentCondition::Unwatched => return AgentVerdict::Unwatched,
    }
    if now.since(observed.registered_at) <= settings.grace {
        return AgentVerdict::JustRegistered;
    }
    if observed.work_since.is_none() && !observed.always_active {
        return AgentVerdict::Idle;
    }
    let evidence = observed.last_evidence.map(|sign| sign.at);
    let begins = [
        evidence,
        observed.work_since,
        observed.excused_at,
        waited_until,
        watched_time.restarted_at(),
        Some(observed.registered_at),
    ];
    let quiet_since = begins.into_iter().flatten().max().unwrap_or(now).min(now);
    let silent = watched_time.between(quiet_since, now);
    let usual = observed.threshold.unwrap_or(settings.threshold);
    let threshold = threshold(usual, observed.fatigue, observed.confidence);
    if silent > threshold {
        AgentVerdict::Stalled { silent, threshold, never_active: evidence.is_none() }
    } else {
        AgentVerdict::Active { silent }
    }
}

/// How long an agent may be silent: half to double the setting, by what it says of itself (decision 42).
pub fn threshold(usual: Duration, fatigue: Option<f64>, confidence: Option<f64>) -> Duration {
    let share = |said: Option<f64>| said.filter(|x| x.is_finite()).unwrap_or(0.5).clamp(0.0, 1.0);
    let exponent = share(confidence) - share(fatigue);
    if exponent == 0.0 { usual } else { usual.mul_f64(exponent.exp2()) }
}
