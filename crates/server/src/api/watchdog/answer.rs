//! What the watchdog answers to a command: one shape each.

use abide_domain::event::watchdog::{AttemptOutcome, Scanned, ServiceAttempt};
use abide_watchdog::TestResult;
use serde::Serialize;
use utoipa::ToSchema;

use super::view::{SilenceView, WatchdogView};

/// The result of a command: its state after `pause`, `resume` and `unsilence`, else what the command asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum WordAnswer {
    /// Its state.
    State(Box<WatchdogView>),
    /// Of `scan`.
    Found(FoundView),
    /// Of `silence`.
    Silenced(SilenceView),
    /// Of `ack`.
    InHand(InHandView),
    /// Of `test-page`.
    Tried(TriedView),
}

/// What a scan found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FoundView {
    /// How many agents were judged.
    scanned: u64,
    stalled: Vec<String>,
    paged: Vec<String>,
    escalated: Vec<String>,
    /// What was in the way, where agents could not be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    blind: Option<&'static str>,
    /// Whether it was asked for, not due.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    asked: bool,
}

/// Episodes that a person has acknowledged.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InHandView {
    pub(super) episodes: Vec<String>,
    /// Until when they are not escalated.
    pub(super) until: String,
}

/// The result of a test page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TriedView {
    /// The page's short name.
    page: String,
    /// Why the channel did not deliver it, if so.
    page_failed: Option<String>,
    /// Why nobody could be notified, if so.
    notify_failed: Option<String>,
    /// The result of each service.
    attempts: Vec<AttemptView>,
}

/// The result of one service.
#[derive(Debug, Serialize, ToSchema)]
struct AttemptView {
    service: String,
    /// `sent`, `confirmed` or `failed`.
    #[schema(value_type = String)]
    outcome: AttemptOutcome,
    /// By what means, or why not.
    words: String,
    took_ms: u64,
}

impl From<Scanned> for FoundView {
    fn from(found: Scanned) -> Self {
        let Scanned { judged, stalled, paged, escalated, blind, asked } = found;
        let names = |agents: Vec<abide_domain::AgentId>| -> Vec<String> {
            agents.iter().map(ToString::to_string).collect()
        };
        Self {
            scanned: judged,
            stalled: names(stalled),
            paged: names(paged),
            escalated: names(escalated),
            blind: blind.map(abide_domain::event::watchdog::BlindCause::as_str),
            asked,
        }
    }
}

impl From<TestResult> for TriedView {
    fn from(tried: TestResult) -> Self {
        let TestResult { page, page_failed, notify_failed, attempts } = tried;
        let attempts = attempts.into_iter().map(|attempt| {
            let ServiceAttempt { service, outcome, words, took_ms } = attempt;
            AttemptView { service, outcome, words, took_ms }
        });
        Self { page: page.to_string(), page_failed, notify_failed, attempts: attempts.collect() }
    }
}
