//! What the watchdog shows of itself: the newest verdicts, the open episodes, and whether it sees at all.

use std::time::Duration;

use abide_domain::{AgentId, EpisodeId, Timestamp};

use crate::{
    AgentVerdict, WatchdogTimings,
    episode::Episode,
    observation::ObservedMatter,
    policy::EscalationPolicies,
    state::{BlindSpan, Maintenance, ScanRecord, WatchdogState},
};

/// A copy of its state.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchdogStatus {
    /// The settings.
    pub settings: WatchdogTimings,
    /// When this was so.
    pub at: Timestamp,
    /// The newest scan.
    pub last_scan: Option<ScanRecord>,
    /// What every agent was found to be at the newest look.
    pub verdicts: Vec<JudgedAgent>,
    /// The hosts of models that could not be reached at the newest look while other agents could go on.
    pub unreachable: Vec<ObservedMatter>,
    /// The open episodes.
    pub episodes: Vec<Episode>,
    /// Who is told next of them.
    pub next_steps: Vec<NextEscalation>,
    /// Silences in force; one under no agent is about everybody.
    pub silences: Vec<(Option<AgentId>, Timestamp)>,
    /// Maintenance under way.
    pub maintenance: Option<Maintenance>,
    /// Why agents cannot be judged, if so.
    pub blind: Option<BlindSpan>,
    /// Why nothing can be written down, and so nobody is paged, if so.
    pub write_error: Option<String>,
    /// What is known of the dead man's switch; none where there is none.
    pub dead_man: Option<DeadManStatus>,
}

/// The next step of an escalation, if nothing comes between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextEscalation {
    /// About whom.
    pub agent: AgentId,
    /// About which episode.
    pub episode: EpisodeId,
    /// When, at the earliest.
    pub at: Timestamp,
    /// The services that tell, by name.
    pub to: Vec<String>,
}

/// What is known of the dead man's switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadManStatus {
    /// When it was last reached, since this start.
    pub reached_at: Option<Timestamp>,
    /// Why it was not reached last time, if so.
    pub failed: Option<String>,
}

/// An agent and what it was found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedAgent {
    /// Which.
    pub agent: AgentId,
    /// What.
    pub verdict: AgentVerdict,
}

impl WatchdogStatus {
    pub(crate) fn new(
        settings: WatchdogTimings,
        policies: &EscalationPolicies,
        state: &WatchdogState,
    ) -> Self {
        let mut status = Self {
            settings,
            at: state.written_at(),
            last_scan: None,
            verdicts: Vec::new(),
            unreachable: Vec::new(),
            episodes: Vec::new(),
            next_steps: Vec::new(),
            silences: Vec::new(),
            maintenance: None,
            blind: None,
            write_error: None,
            dead_man: None,
        };
        status.update(state, policies, state.written_at());
        status
    }

    pub(crate) fn update(
        &mut self,
        state: &WatchdogState,
        policies: &EscalationPolicies,
        now: Timestamp,
    ) {
        self.at = now;
        self.last_scan = state.last_scan().cloned();
        self.episodes = state.episodes().cloned().collect();
        self.next_steps = state.next_steps(now, &self.settings, policies);
        let silences = state.silences(now);
        self.silences = silences.map(|(agent, until)| (agent.cloned(), until)).collect();
        self.maintenance = state.maintenance().cloned();
        self.blind = state.blind_span().cloned();
    }

    /// Scans that are overdue at that moment: a watchdog that does its work has none.
    pub fn scans_missed(&self, now: Timestamp) -> u64 {
        let last = self.last_scan.as_ref().map_or(now, |scan| scan.at);
        let interval = self.settings.interval.max(Duration::from_millis(1));
        let passed = now.since(last).as_millis() / interval.as_millis();
        u64::try_from(passed.saturating_sub(1)).unwrap_or(u64::MAX)
    }
}
