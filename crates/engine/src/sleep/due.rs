//! When an agent sleeps by itself: by a schedule, when it has been idle and much has happened, or when its short-term
//! memory no longer fits a prompt. Pure.

use std::time::Duration;

use abide_domain::{AgentId, EntityName, Timestamp, event::SleepTrigger};

use super::request::SleepRequest;
use crate::{settings::SleepSettings, state::AgentState};

/// After so many failures in a row a person is notified.
pub const SLEEP_FAILURES_MAX: u32 = 3;
/// How long to wait after a run that failed; doubled with each.
const FAILED_PAUSE: Duration = Duration::from_mins(5);
/// The longest such pause.
const FAILED_PAUSE_MAX: Duration = Duration::from_hours(6);
/// The share of a prompt's tokens, in hundredths, from which an agent should sleep: four fifths of the three quarters
/// that context and history may fill.
const PRESSURE_PERCENT: u64 = 60;
/// How long nothing must have happened before such an agent sleeps: a conversation is not interrupted for it.
const PRESSURE_QUIET: Duration = Duration::from_mins(1);

/// What an agent that has nothing to do should sleep for now, if for anything.
pub fn due(
    agent: &AgentId,
    state: &AgentState,
    settings: &SleepSettings,
    now: Timestamp,
) -> Option<SleepRequest> {
    let sleep = &state.sleep;
    let (oldest, newest) = (sleep.waiting().front()?, sleep.waiting().back()?);
    let is_busy = state.open.is_some() || !state.queue.is_empty() || state.paused.is_some();
    if is_busy || sleep.running().is_some() {
        return None;
    }
    let request = |trigger, run_key| SleepRequest {
        trigger,
        run_key,
        by_rules: false,
        by: EntityName::keeper(),
    };
    if let Some(at) =
        settings.at.as_ref().and_then(|at| at.newest(now)).filter(|at| *at > oldest.at)
    {
        let key = format!("{agent}@{at}");
        if sleep.newest_key().is_none_or(|newest| newest < key.as_str()) {
            return Some(request(SleepTrigger::Schedule, Some(key)));
        }
    }
    let has_paused =
        sleep.last().is_none_or(|last| now.since(last.ended_at) >= pause(sleep.failures()));
    let quiet = now.since(newest.at.max(state.last_evidence_at.unwrap_or_default()));
    if !has_paused {
        return None;
    }
    if sleep.waiting().len() > settings.epochs_min && quiet > settings.idle {
        return Some(request(SleepTrigger::Idle, None));
    }
    let tokens_max =
        state.tokens_cap.map_or(settings.tokens_max, |cap| cap.min(settings.tokens_max));
    let presses = state.short_term.tokens() * 100 >= tokens_max * PRESSURE_PERCENT;
    let is_quiet = quiet >= PRESSURE_QUIET.min(settings.idle);
    (presses && is_quiet).then(|| request(SleepTrigger::Pressure, None))
}

/// How long to wait after so many failures in a row.
fn pause(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => FAILED_PAUSE.saturating_mul(1 << (failures - 1).min(10)).min(FAILED_PAUSE_MAX),
    }
}
