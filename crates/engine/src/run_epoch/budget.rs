//! What the agent's day has cost, as an epoch under way must know it before it asks again.

use abide_domain::event::{Event, TurnEvent};

use crate::{agent_setup::AgentSetup, services::Services};

/// The agent's cost of the day: what the state held at the beginning and what this walk has added. The state learns of
/// an attempt only once it is durable, which would be too late for the next turn's check of the budget.
#[derive(Debug)]
pub(super) struct BudgetCheck {
    day: i64,
    pub(super) cost_microusd: u64,
}

impl BudgetCheck {
    pub(super) fn of(services: &Services, agent: &AgentSetup) -> Self {
        let day = services.now().day();
        let state = services.view.read();
        let cost_microusd =
            state.agents.get(&agent.id).map_or(0, |agent_state| agent_state.cost_microusd(day));
        Self { day, cost_microusd }
    }

    /// Starts anew where the day has changed.
    pub(super) fn on_day(&mut self, day: i64) {
        if day != self.day {
            *self = Self { day, cost_microusd: 0 };
        }
    }

    /// Adds what an attempt cost.
    pub(super) fn add(&mut self, event: &Event, day: i64) {
        let usage = match event {
            Event::Turn(TurnEvent::Completed(completed)) => Some(&completed.usage),
            Event::Turn(TurnEvent::Failed(failed)) => failed.usage.as_ref(),
            _ => None,
        };
        if let Some(cost) = usage.and_then(|usage| usage.cost_microusd) {
            self.on_day(day);
            self.cost_microusd = self.cost_microusd.saturating_add(cost);
        }
    }
}
