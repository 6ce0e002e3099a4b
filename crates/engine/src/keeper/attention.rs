//! What a person must see or decide: derived from the state, never stored.

use std::time::Duration;

use abide_deck::{DeckProposal, LineState};
use abide_domain::{
    AgentId, EpochId, Timestamp,
    event::{IdentitySource, PauseReason},
    evolution::{EvolutionState, EvolutionTarget},
    text::shortened,
    visible_line,
};
use abide_ledger::{CLOCK_CONFIRM, ClockStatus, LedgerStatus};

use super::Keeper;
use crate::{
    memory_backlog::MemoryBacklog,
    projector::MEMORY_RETRY,
    sleep::due::SLEEP_FAILURES_MAX,
    state::{DeckRecord, EvolutionRecord},
};

/// One thing that needs a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Stable for as long as the matter is open.
    pub id: String,
    /// What it is.
    pub kind: AttentionKind,
    /// Whose matter; none for the keeper itself.
    pub citizen: Option<AgentId>,
    /// Since when it needs a person.
    pub since: Timestamp,
    /// One line for a list.
    pub summary: String,
    /// The epoch that it is about.
    pub epoch: Option<EpochId>,
}

/// What needs a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKind {
    /// A call waits for a decision.
    Approval,
    /// An epoch ended without a reply, and nothing has come of it since.
    EpochFailed,
    /// An agent is paused because its budget is spent.
    Budget,
    /// An agent's sleep fails again and again, or found nothing in many epochs.
    Sleep,
    /// A change of an identity waits for a decision.
    Identity,
    /// Facts that a sleep found, but that could not be held against what was said, wait for a decision.
    Fact,
    /// A change of an agent was measured and waits for a yes.
    Evolution,
    /// An agent's memory cannot be written.
    Memory,
    /// An agent's process lost private state that was acknowledged.
    PrivateState,
    /// The ledger cannot be written.
    Ledger,
    /// The wall clock and the times of events differ.
    Clock,
}

impl AttentionKind {
    /// Its name over HTTP and in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::EpochFailed => "epoch_failed",
            Self::Budget => "budget",
            Self::Sleep => "sleep",
            Self::Identity => "identity",
            Self::Fact => "fact",
            Self::Evolution => "evolution",
            Self::Memory | Self::PrivateState => "memory",
            Self::Ledger => "ledger",
            Self::Clock => "clock",
        }
    }
}

/// What is wrong between the wall clock and the times of events, and what that means; none where nothing is.
pub fn clock_problem(status: ClockStatus) -> Option<String> {
    let length = |by: Duration| {
        let (hours, minutes) = (by.as_secs() / 3_600, by.as_secs() / 60 % 60);
        if hours >= 48 {
            format!("{} days", hours / 24)
        } else {
            format!("{hours} h {minutes} min")
        }
    };
    match status {
        ClockStatus::Ok => None,
        ClockStatus::LedgerAhead { by } => Some(format!(
            "the system's clock is {} behind the last events: schedules and waits go by the clock, and the times of new events stay ahead until it has reached them; if the clock is wrong, set it",
            length(by)
        )),
        ClockStatus::LeapHeld { by } => Some(format!(
            "the system's clock leapt ahead by {}: schedules and wakes go by it at once; times of events, budgets, sleep and the judging of agents go on with the time that passed until it has stood for {} min; if it is wrong, set it back before",
            length(by),
            CLOCK_CONFIRM.as_secs() / 60
        )),
    }
}

/// Longest piece of a fact that waits which a list shows, in Unicode scalar values.
const FACT_CHARS_SHOWN: usize = 120;
/// Longest piece of why changes of a deck are proposed that a list shows, in Unicode scalar values.
const DECK_REASON_CHARS_SHOWN: usize = 200;
/// What the ids of matters about proposals for decks begin with; the deck's id, a colon and the proposal's id follow.
pub const DECK_MATTER: &str = "deck:";
/// Longest piece of why a change may be better that a list shows, in Unicode scalar values.
const EVOLUTION_WHY_CHARS_SHOWN: usize = 200;
/// A lane that does not do what is next for longer stands still: longer than it ever waits for a disk that was full.
const LANE_STANDS_AFTER: Duration = Duration::from_mins(6);

impl Keeper {
    /// Everything that waits for a person, oldest first.
    pub fn attention(&self) -> Vec<Attention> {
        let mut matters = self.approvals_due();
        matters.extend(self.failures());
        matters.extend(self.pauses());
        matters.extend(self.sleep_problems());
        matters.extend(self.proposals());
        matters.extend(self.fact_proposals());
        matters.extend(self.evolutions_due());
        matters.extend(self.deck_proposals());
        matters.extend(self.memory_problems());
        matters.extend(self.private_state_losses());
        matters.extend(self.ledger_problem());
        matters.extend(self.clock_problem());
        matters.sort_by(|a, b| a.since.cmp(&b.since).then_with(|| a.id.cmp(&b.id)));
        matters
    }

    fn approvals_due(&self) -> Vec<Attention> {
        let state = self.state();
        let pending = state.running.values().filter_map(|record| {
            let approval = record.pending_approval()?;
            let (tool, _) = record.call_of(approval)?;
            Some(Attention {
                id: format!("approval:{}", approval.requested.approval_id),
                kind: AttentionKind::Approval,
                citizen: Some(record.agent.clone()),
                since: approval.requested_at,
                summary: format!("{} wants to run `{tool}`", record.agent),
                epoch: Some(record.id),
            })
        });
        pending.collect()
    }

    fn failures(&self) -> Vec<Attention> {
        let state = self.state();
        let failed = state.failed.iter().map(|failed| Attention {
            id: format!("epoch:{}", failed.epoch),
            kind: AttentionKind::EpochFailed,
            citizen: Some(failed.agent.clone()),
            since: failed.at,
            summary: format!("{} gave no reply: {}", failed.agent, failed.message),
            epoch: Some(failed.epoch),
        });
        failed.collect()
    }

    fn pauses(&self) -> Vec<Attention> {
        let state = self.state();
        let paused = state.agents.iter().filter_map(|(agent, agent_state)| {
            let paused = agent_state.paused.as_ref().filter(|p| p.reason != PauseReason::Person)?;
            Some(Attention {
                id: format!("budget:{agent}"),
                kind: AttentionKind::Budget,
                citizen: Some(agent.clone()),
                since: agent_state.paused_at.unwrap_or_default(),
                summary: format!("{agent} is paused: {}", paused.message),
                epoch: None,
            })
        });
        paused.collect()
    }

    fn sleep_problems(&self) -> Vec<Attention> {
        let state = self.state();
        let found = state.agents.iter().filter_map(|(agent, agent_state)| {
            let (failures, last) = (agent_state.sleep.failures(), agent_state.sleep.last()?);
            let summary = if failures >= SLEEP_FAILURES_MAX {
                format!(
                    "the sleep of {agent} failed {failures} times in a row: {}",
                    last.ended.message
                )
            } else {
                let empty = agent_state.sleep.suspicious()?;
                let epochs = empty.started.epochs.len();
                format!("the sleep of {agent} found nothing in {epochs} epochs, which is usually a defect")
            };
            Some(Attention {
                id: format!("sleep:{agent}"),
                kind: AttentionKind::Sleep,
                citizen: Some(agent.clone()),
                since: last.ended_at,
                summary,
                epoch: None,
            })
        });
        found.collect()
    }

    fn proposals(&self) -> Vec<Attention> {
        let state = self.state();
        let waiting = state.agents.iter().filter_map(|(agent, agent_state)| {
            let proposal = agent_state.identity.proposal()?;
            let percent = (proposal.change * 100.0).round();
            Some(Attention {
                id: format!("identity:{}", proposal.proposal_id),
                kind: AttentionKind::Identity,
                citizen: Some(agent.clone()),
                since: proposal.proposed_at,
                summary: match proposal.source() {
                    IdentitySource::File => format!(
                        "{agent}'s identity.md was edited, perhaps by its own process or on top of an older version: {percent} % of its identity would change"
                    ),
                    _ => format!("{agent} slept and proposes to change {percent} % of its identity"),
                },
                epoch: None,
            })
        });
        waiting.collect()
    }

    fn fact_proposals(&self) -> Vec<Attention> {
        let state = self.state();
        let waiting = state.agents.iter().flat_map(|(agent, agent_state)| {
            agent_state.fact_proposals.waiting().map(move |waiting| Attention {
                id: format!("fact:{}", waiting.proposed.proposal_id),
                kind: AttentionKind::Fact,
                citizen: Some(agent.clone()),
                since: waiting.since,
                summary: format!(
                    "{agent} slept and may have learnt \"{}\": {}",
                    shortened(&waiting.proposed.fact.content, FACT_CHARS_SHOWN),
                    waiting.proposed.doubt
                ),
                epoch: None,
            })
        });
        waiting.collect()
    }

    fn evolutions_due(&self) -> Vec<Attention> {
        let state = self.state();
        let all = state.evolutions.agents().flat_map(|(_, evolutions)| evolutions.records());
        let waiting = all.filter(|record| record.state == EvolutionState::AwaitsPerson);
        let matter = |record: &EvolutionRecord| {
            let EvolutionRecord { id, agent, why, .. } = record;
            let noun = |target: EvolutionTarget| target.noun().to_owned();
            let what = record.target().map_or_else(|| record.target.clone(), noun);
            let why = why.as_deref().unwrap_or("it was measured");
            let why = shortened(&visible_line(why), EVOLUTION_WHY_CHARS_SHOWN);
            Attention {
                id: format!("evolution:{id}"),
                kind: AttentionKind::Evolution,
                citizen: Some(agent.clone()),
                since: record.moved_at,
                summary: format!("{agent}: a change of {what} waits for a yes: {why}"),
                epoch: None,
            }
        };
        waiting.map(matter).collect()
    }

    /// Proposals for decks with lines that nobody has answered: each waits for a yes as a call does.
    fn deck_proposals(&self) -> Vec<Attention> {
        let state = self.state();
        let matter = |record: &DeckRecord, proposal: &DeckProposal| {
            let lines = proposal.lines.iter();
            let open = lines.filter(|line| line.state == LineState::Open).count();
            let (by, name) = (proposal.by.name(), visible_line(&record.state.deck.name));
            let reason = shortened(&visible_line(&proposal.reason), DECK_REASON_CHARS_SHOWN);
            let changes = if open == 1 { "change" } else { "changes" };
            Attention {
                id: format!("{DECK_MATTER}{}:{}", record.state.id, proposal.id),
                kind: AttentionKind::Approval,
                citizen: by.parse().ok(),
                since: record.proposal_times.get(&proposal.id).copied().unwrap_or_default(),
                summary: format!("{by} proposes {open} {changes} of the deck {name}: {reason}"),
                epoch: None,
            }
        };
        let of_deck = |record: &DeckRecord| -> Vec<Attention> {
            record.open_proposals().map(|proposal| matter(record, proposal)).collect()
        };
        state.decks.all().flat_map(of_deck).collect()
    }

    fn memory_problems(&self) -> Vec<Attention> {
        let behind = self.services().backlogs.all().into_iter().map(|(agent, backlog)| {
            let MemoryBacklog { reason, is_damaged, .. } = &backlog;
            let what_next = if *is_damaged {
                "the next start builds it again from the ledger".to_owned()
            } else {
                format!("it is tried again every {} s", MEMORY_RETRY.as_secs())
            };
            Attention {
                id: format!("memory:{agent}"),
                kind: AttentionKind::Memory,
                summary: format!("{agent} knows nothing of what came since, for its memory cannot be written: {reason}; {what_next}"),
                citizen: Some(agent),
                since: backlog.since,
                epoch: None,
            }
        });
        behind.collect()
    }

    fn private_state_losses(&self) -> Vec<Attention> {
        let state = self.state();
        let lost = state.agents.iter().filter_map(|(agent, agent_state)| {
            let loss = agent_state.private_state_loss.as_ref()?;
            Some(Attention {
                id: format!("private_state:{agent}"),
                kind: AttentionKind::PrivateState,
                citizen: Some(agent.clone()),
                since: loss.at,
                summary: format!(
                    "the process of {agent} lost private state that had been stored: {}; put a copy of its files back and start it \
                     again, or start it again to go on without",
                    loss.report
                ),
                epoch: None,
            })
        });
        lost.collect()
    }

    fn clock_problem(&self) -> Option<Attention> {
        let summary = clock_problem(self.ledger().clock_status())?;
        Some(Attention {
            id: "clock".to_owned(),
            kind: AttentionKind::Clock,
            citizen: None,
            since: self.services().now(),
            summary,
            epoch: None,
        })
    }

    fn ledger_problem(&self) -> Option<Attention> {
        let (reason, id) = match self.ledger().status() {
            LedgerStatus::Ok => return None,
            LedgerStatus::Degraded { reason } => (reason, "ledger:degraded"),
            LedgerStatus::Poisoned { reason } => (reason, "ledger:poisoned"),
        };
        Some(Attention {
            id: id.to_owned(),
            kind: AttentionKind::Ledger,
            citizen: None,
            since: self.services().now(),
            summary: format!("the ledger cannot be written: {reason}"),
            epoch: None,
        })
    }

    /// What each agent's lane has to do next, approvals that wait for a person left out. Times of events are no measure of
    /// how long a lane has been at it: the wall clock may have leapt, and the machine may have slept.
    pub fn lane_tasks(&self) -> Vec<LaneTask> {
        if self.ledger().status() != LedgerStatus::Ok {
            return Vec::new();
        }
        let (limits, state) = (&self.services().settings.limits, self.state());
        let tasks = state.agents.iter().filter_map(|(agent, agent_state)| {
            let last_attempt = agent_state.last_attempt.as_ref().map(|last| last.at);
            let task =
                |epoch, time_max| LaneTask { agent: agent.clone(), epoch, last_attempt, time_max };
            if let Some(open) = &agent_state.open {
                let is_waiting = state.running.get(open)?.pending_approval().is_some();
                let time_max = limits.epoch.saturating_add(LANE_STANDS_AFTER);
                // An epoch has its time in all, however many attempts are made in it.
                return (!is_waiting)
                    .then(|| LaneTask { last_attempt: None, ..task(*open, time_max) });
            }
            let is_kept_back =
                agent_state.paused.is_some() || agent_state.sleep.running().is_some();
            let first = agent_state.queue.front().filter(|_| !is_kept_back)?;
            Some(task(*first, LANE_STANDS_AFTER))
        });
        tasks.collect()
    }
}

/// What a lane has to do next. The same value means that it has not moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneTask {
    /// Whose lane.
    pub agent: AgentId,
    /// The epoch that is open, or that waits first.
    pub epoch: EpochId,
    /// When the agent's newest attempt at a turn ended, of an epoch that waits: the lane did something else before.
    pub last_attempt: Option<Timestamp>,
    /// A lane that is at it for longer stands still.
    pub time_max: Duration,
}
