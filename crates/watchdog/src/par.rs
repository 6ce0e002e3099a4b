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
    page::StallEnd,
};

/// Writes it up as it stands at that moment. `end` is how the episode ended; none where a person is about to be told.
pub(crate) fn write_par(
    episode: &Episode,
    watched_time: &WatchedTime,
    now: Timestamp,
    end: Option<&StallEnd>,
) -> ParWritten {
    // Where the agent did not move, no rung worked, whatever ended the stall.
    let worked = (end == Some(&StallEnd::Moved)).then_some(episode.rung);
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
            .map(|rung| format!("{}: {}", rung.as_str(), failure(episode, rung, end)))
            .chain(end.and_then(ending))
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

/// How the stall ended, where that is no success of any rung.
fn ending(end: &StallEnd) -> Option<String> {
    match end {
        StallEnd::Moved => None,
        StallEnd::Unanswered { why } if why.is_empty() => {
            Some("the task was given up without an answer".to_owned())
        }
        StallEnd::Unanswered { why } => {
            Some(format!("the task was given up without an answer: {why}"))
        }
        StallEnd::Other(state) => {
            Some(format!("the stall ended without evidence: {}", state.replace('_', " ")))
        }
    }
}

fn failure(episode: &Episode, rung: Rung, end: Option<&StallEnd>) -> &'static str {
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
        Rung::Human => match (episode.delivered_by().is_some(), end) {
            // What is written before anybody is told cannot know whether that will work.
            (false, None) => "a notice to people follows",
            (true, None) => "a person was notified, and no evidence has followed yet",
            (true, Some(_)) => "a person was notified, and no evidence followed",
            (false, Some(_)) => "no notice reached anybody before the end",
        },
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
