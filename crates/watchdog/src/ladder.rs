//! The ladder: bell, channel, human. Pure: an episode, a look and a moment give the next move, or none.
//!
//! A rung counts only if evidence follows within its window (BC-25): a pong and a delivered page end nothing. A rung that
//! reached nobody is left at once.

use std::time::Duration;

use abide_domain::{
    Timestamp,
    event::watchdog::{BellFailure, EscalationCause, Rung},
};

use crate::{
    WatchdogTimings, WatchedTime,
    episode::{BellState, Episode, PageOutcome},
    policy::EscalationPolicy,
    scan::AgentVerdict,
};

/// What the newest look shows of the agent of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpisodeObservation {
    /// What it is found to be; none where it is registered no more.
    pub verdict: Option<AgentVerdict>,
    /// The number of its newest evidence; 0 where there is none.
    pub evidence_seq: u64,
    /// When its newest task without an answer ended, if one did.
    pub given_up_at: Option<Timestamp>,
    /// Whether a process thinks for it.
    pub has_process: bool,
}

/// When, and under which rules.
#[derive(Clone, Copy, Debug)]
pub struct LadderInput<'a> {
    /// The time.
    pub now: Timestamp,
    /// The settings.
    pub settings: &'a WatchdogTimings,
    /// The time that counts.
    pub watched_time: &'a WatchedTime,
    /// Who is told of the agent, and when; everybody at once where there is no policy.
    pub policy: Option<&'a EscalationPolicy>,
    /// Whether nobody may be disturbed about it at present: silenced, in maintenance, or hidden by an outage.
    pub is_suppressed: bool,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LadderMove {
    /// Ask the process whether it breathes.
    Ring,
    /// There is no process to ask.
    SkipBell,
    /// Page the agent on the channel.
    Page {
        /// How long it has been silent.
        silent: Duration,
    },
    /// Tell a person.
    Escalate(EscalationCause),
    /// Tell the next ones, too: nobody has it in hand.
    Step,
    /// Evidence has returned.
    Resolve,
    /// It can stall no more, or the task that stalled was given up: this is its state.
    Withdraw(&'static str),
}

/// The next move in an episode.
pub fn next_move(
    episode: &Episode,
    current: &EpisodeObservation,
    input: LadderInput<'_>,
) -> Option<LadderMove> {
    // Ahead of the evidence and of the verdict: what the next task shows is no recovery of the one that was given up.
    if current.given_up_at.is_some_and(|at| episode.is_ended_by(at)) {
        let state = current.verdict.as_ref().map_or("gone", AgentVerdict::as_str);
        return Some(LadderMove::Withdraw(state));
    }
    if current.evidence_seq > episode.evidence_seq {
        return Some(LadderMove::Resolve);
    }
    let silent = match current.verdict {
        Some(AgentVerdict::Stalled { silent, .. }) => silent,
        // It has begun anew (after a restart, or with the first pieces of an answer, say) and has its time before the ladder
        // goes on; or it waits for what has an end.
        Some(
            AgentVerdict::Active { .. } | AgentVerdict::JustRegistered | AgentVerdict::Waiting(_),
        ) => return None,
        Some(verdict) => return Some(LadderMove::Withdraw(verdict.as_str())),
        None => return Some(LadderMove::Withdraw("gone")),
    };
    if input.is_suppressed || episode.is_acknowledged(input.now) {
        return None;
    }
    match episode.rung {
        Rung::Bell => from_bell(episode, current, input, silent),
        Rung::Channel => from_channel(episode, input),
        Rung::Human => from_human(episode, input),
    }
}

fn from_bell(
    episode: &Episode,
    current: &EpisodeObservation,
    input: LadderInput<'_>,
    silent: Duration,
) -> Option<LadderMove> {
    match episode.bell {
        BellState::Due if current.has_process => Some(LadderMove::Ring),
        BellState::Due => Some(LadderMove::SkipBell),
        BellState::Failed(BellFailure::NoProcess | BellFailure::NotDelivered) => {
            Some(LadderMove::Page { silent })
        }
        BellState::Rung | BellState::Answered(_) => {
            is_over(episode, input, input.settings.bell_window)
                .then_some(LadderMove::Page { silent })
        }
    }
}

fn from_channel(episode: &Episode, input: LadderInput<'_>) -> Option<LadderMove> {
    let outcome = episode.page.as_ref().map(|page| page.outcome);
    if outcome == Some(PageOutcome::Failed) {
        return Some(LadderMove::Escalate(EscalationCause::PageFailed));
    }
    let escalate = LadderMove::Escalate(EscalationCause::NoEvidence);
    is_over(episode, input, input.settings.channel_window).then_some(escalate)
}

/// The next step of the escalation comes its time after the one before it, and as long after a promise that ran out.
fn from_human(episode: &Episode, input: LadderInput<'_>) -> Option<LadderMove> {
    let LadderInput { now, watched_time, policy, .. } = input;
    let (gap, _) = policy?.later_step(episode.notices.len())?;
    let before = episode.notices.last()?.at;
    let since = episode.ack_expired_at(now).map_or(before, |until| until.max(before));
    (watched_time.between(since, now) >= gap).then_some(LadderMove::Step)
}

fn is_over(episode: &Episode, input: LadderInput<'_>, waiting_window: Duration) -> bool {
    input.watched_time.between(episode.rung_since, input.now) >= waiting_window
}

/// What an episode waits for, if it waits for something: since when, and how long.
pub(crate) fn waiting_window(
    episode: &Episode,
    settings: &WatchdogTimings,
    policy: Option<&EscalationPolicy>,
) -> Option<(Timestamp, Duration)> {
    let waiting_window = match (episode.rung, episode.bell) {
        (Rung::Bell, BellState::Rung | BellState::Answered(_)) => settings.bell_window,
        (Rung::Bell, _) => Duration::ZERO,
        (Rung::Channel, _) => settings.channel_window,
        (Rung::Human, _) => {
            let (gap, _) = policy?.later_step(episode.notices.len())?;
            let before = episode.notices.last()?.at;
            // A promise that is still to run out is waited for first.
            let ack_end = episode.ack.as_ref().map(|ack| ack.until);
            return Some((ack_end.map_or(before, |until| until.max(before)), gap));
        }
    };
    Some((episode.rung_since, waiting_window))
}
