//! What a person must see or decide: derived from the house, never stored.

use abide_domain::{AgentId, EpochId, Timestamp, event::PauseReason};
use abide_ledger::LedgerStatus;

use super::Keeper;
use crate::sleep::due::SLEEP_FAILURES_MAX;

/// Something for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Stable for as long as the matter is open.
    pub id: String,
    /// What it is.
    pub kind: AttentionKind,
    /// Whose matter; none for the house.
    pub citizen: Option<AgentId>,
    /// Since when.
    pub since: Timestamp,
    /// One line.
    pub summary: String,
    /// The epoch that it is about.
    pub epoch: Option<EpochId>,
}

/// What a matter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKind {
    /// A call waits for a decision.
    Approval,
    /// An epoch ended without a reply, and nothing has come of it since.
    EpochFailed,
    /// An agent is paused for money.
    Budget,
    /// An agent's sleep fails again and again, or finds nothing in much.
    Sleep,
    /// A large change of an identity waits for a decision.
    Identity,
    /// The ledger cannot be written.
    Ledger,
}

impl Keeper {
    /// Everything that waits for a person, oldest first.
    pub fn attention(&self) -> Vec<Attention> {
        let mut matters = self.approvals_due();
        matters.extend(self.failures());
        matters.extend(self.pauses());
        matters.extend(self.nights());
        matters.extend(self.proposals());
        matters.extend(self.ledger_trouble());
        matters.sort_by(|a, b| a.since.cmp(&b.since).then_with(|| a.id.cmp(&b.id)));
        matters
    }

    fn approvals_due(&self) -> Vec<Attention> {
        let house = self.house();
        let pending = house.running.values().filter_map(|record| {
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
        let house = self.house();
        let failed = house.failed.iter().map(|failed| Attention {
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
        let house = self.house();
        let paused = house.agents.iter().filter_map(|(agent, state)| {
            let paused = state.paused.as_ref().filter(|p| p.reason != PauseReason::Person)?;
            Some(Attention {
                id: format!("budget:{agent}"),
                kind: AttentionKind::Budget,
                citizen: Some(agent.clone()),
                since: state.paused_at.unwrap_or_default(),
                summary: format!("{agent} is paused: {}", paused.message),
                epoch: None,
            })
        });
        paused.collect()
    }

    fn nights(&self) -> Vec<Attention> {
        let house = self.house();
        let troubled = house.agents.iter().filter_map(|(agent, state)| {
            let (failures, last) = (state.sleep.failures(), state.sleep.last()?);
            let summary = if failures >= SLEEP_FAILURES_MAX {
                format!(
                    "the sleep of {agent} failed {failures} times in a row: {}",
                    last.ended.message
                )
            } else {
                let empty = state.sleep.suspicious()?;
                let epochs = empty.started.epochs.len();
                format!("the sleep of {agent} found nothing at all in {epochs} epochs")
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
        troubled.collect()
    }

    fn proposals(&self) -> Vec<Attention> {
        let house = self.house();
        let waiting = house.agents.iter().filter_map(|(agent, state)| {
            let proposal = state.identity.proposal()?;
            let percent = (proposal.change * 100.0).round();
            Some(Attention {
                id: format!("identity:{}", proposal.proposal_id),
                kind: AttentionKind::Identity,
                citizen: Some(agent.clone()),
                since: proposal.proposed_at,
                summary: format!("{agent} slept and would change {percent} % of its identity"),
                epoch: None,
            })
        });
        waiting.collect()
    }

    fn ledger_trouble(&self) -> Option<Attention> {
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
            summary: format!("nothing can be written: {reason}"),
            epoch: None,
        })
    }
}
