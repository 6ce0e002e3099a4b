//! The record of what was tried (decision 43): on every escalation, and at the end of every stall. Pure.

use std::time::Duration;

use abide_domain::{
    Timestamp,
    event::{
        ParWritten,
        watchdog::{BellFailure, EscalationCause, Rung},
    },
    format_duration,
};

use crate::{
    WatchedTime,
    episode::{BellState, Episode, PageOutcome},
};

/// Writes it up. `worked` is the rung after which the agent moved; none while it has not.
pub(crate) fn write_par(
    episode: &Episode,
    watched_time: &WatchedTime,
    now: Timestamp,
    worked: Option<Rung>,
) -> ParWritten {
    let silent = episode.silent_before + watched_time.between(episode.opened_at, now);
    let tried: Vec<_> = rungs(episode).map(|rung| rung.as_str().to_owned()).collect();
    let failed = rungs(episode).filter(|rung| Some(*rung) != worked);
    let never = if episode.is_never_active() { ", never active before" } else { "" };
    ParWritten {
        episode: Some(episode.id),
        problem: format!(
            "silent with something to do, for more than {}{never}",
            format_duration(episode.threshold)
        ),
        tried,
        worked: worked.into_iter().map(|rung| rung.as_str().to_owned()).collect(),
        failed: failed
            .map(|rung| format!("{}: {}", rung.as_str(), failure(episode, rung)))
            .collect(),
        took_ms: u64::try_from(silent.as_millis()).unwrap_or(u64::MAX),
        suggestions: suggestions(episode, worked, silent)
            .into_iter()
            .map(ToOwned::to_owned)
            .collect(),
    }
}

/// The rungs that were tried, in order.
fn rungs(episode: &Episode) -> impl Iterator<Item = Rung> + use<'_> {
    [
        (episode.bell != BellState::Due).then_some(Rung::Bell),
        episode.page.is_some().then_some(Rung::Channel),
        episode.is_escalated().then_some(Rung::Human),
    ]
    .into_iter()
    .flatten()
}

fn failure(episode: &Episode, rung: Rung) -> &'static str {
    match rung {
        Rung::Bell => match episode.bell {
            BellState::Failed(BellFailure::NoProcess) => "no process to ring",
            BellState::Failed(BellFailure::NotDelivered) => "not delivered",
            BellState::Answered(_) => "answered, and no evidence followed",
            BellState::Rung | BellState::Due => "no answer",
        },
        Rung::Channel => match episode.page.as_ref().map(|page| page.outcome) {
            Some(PageOutcome::Failed) => "not delivered",
            Some(PageOutcome::Delivered(_)) => "delivered, and no evidence followed",
            Some(PageOutcome::Unknown) | None => {
                "not known to have arrived, and no evidence followed"
            }
        },
        Rung::Human if episode.delivered_by().is_some() => {
            "a person was notified, and no evidence has followed yet"
        }
        Rung::Human => "nobody was notified yet",
    }
}

fn suggestions(episode: &Episode, worked: Option<Rung>, silent: Duration) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut say = |applies: bool, words| {
        if applies {
            found.push(words);
        }
    };
    say(
        episode.cause == Some(EscalationCause::PageFailed),
        "repair the channel: pages cannot be delivered, so people are notified at once",
    );
    say(
        episode.is_alive() && worked != Some(Rung::Bell),
        "its process answers but the agent does nothing: check what its work loop waits for, and limits.turn",
    );
    say(
        episode.bell == BellState::Rung && worked != Some(Rung::Bell),
        "its process did not answer: check whether it has to be restarted",
    );
    say(
        episode.is_never_active(),
        "it never showed evidence: check that its mind starts and its model is configured",
    );
    say(
        worked == Some(Rung::Bell) && silent < episode.threshold.saturating_mul(2),
        "it was only slow: watchdog.threshold may be too short for it",
    );
    say(
        worked == Some(Rung::Human),
        "only a person could help: write down what they did, so that it can be automated",
    );
    found
}
