//! One run of sleep, carried on from where it stands to its end.

use std::sync::Arc;

use abide_domain::{
    AgentId, SleepId,
    event::{Event, MemoryReset, SleepEnded, SleepStatus},
};
use abide_memory::{Distiller, RuleDistiller};

use super::{
    material::{self, Exchanges},
    plan::{NextSleepStep, next_step},
    step::{StepInput, carry_out},
    write::{SleepRunError, write},
};
use crate::{agent_setup::AgentSetup, failpoint::Failpoint, services::Services, state::SleepRun};

pub(super) fn distiller(agent: &AgentSetup, by_rules: bool) -> Arc<dyn Distiller> {
    if by_rules { Arc::new(RuleDistiller) } else { agent.distiller.clone() }
}

/// Carries out what is left of the run that is under way, and gives the agent back.
pub(super) async fn finish(services: &Services, agent: &AgentSetup) -> AgentId {
    tracing::info!(agent = %agent.id, event = "sleep_running", "agent asleep");
    match carry_on(services, agent).await {
        Ok(()) => {}
        Err(SleepRunError::Failpoint(_)) => {
            tracing::warn!(agent = %agent.id, event = "sleep_cut",
                "a failpoint cut the sleep; it goes on at the next start");
            // The agent stays asleep, as after a crash without a restart.
            std::future::pending::<()>().await;
        }
        Err(SleepRunError::Ledger(error)) => {
            tracing::error!(agent = %agent.id, event = "sleep_cut", %error,
                "the ledger cannot be written; the sleep goes on at the next start");
            std::future::pending::<()>().await;
        }
    }
    let status = services.view.read().agents.get(&agent.id).and_then(|agent_state| {
        let last = agent_state.sleep.last()?;
        Some(last.ended.status)
    });
    tracing::info!(agent = %agent.id, event = "sleep_ended", ?status, "agent awake");
    agent.id.clone()
}

/// The run from where it stands to its end.
async fn carry_on(services: &Services, agent: &AgentSetup) -> Result<(), SleepRunError> {
    let Some(run) = running(services, agent) else { return Ok(()) };
    let distiller = distiller(agent, run.started.distiller == RuleDistiller.name());
    let exchanges = material::read(services, agent, &run).await;
    let exchanges = Exchanges::new(exchanges, &*distiller);
    while let Some(run) = running(services, agent) {
        match next_step(&run, exchanges.parts()) {
            NextSleepStep::Distil(station) => {
                carry_out(
                    services,
                    agent,
                    StepInput { run: &run, distiller: &*distiller, exchanges: &exchanges },
                    station,
                )
                .await?;
            }
            NextSleepStep::End { status, message } => {
                end(services, agent, &run, (status, message)).await?;
            }
        }
    }
    Ok(())
}

fn running(services: &Services, agent: &AgentSetup) -> Option<SleepRun> {
    let state = services.view.read();
    state.agents.get(&agent.id)?.sleep.running().cloned()
}

/// Ends a run: what was distilled leaves the short-term window in the same batch, unless a step failed.
async fn end(
    services: &Services,
    agent: &AgentSetup,
    run: &SleepRun,
    (status, message): (SleepStatus, String),
) -> Result<(), SleepRunError> {
    services.failpoints.pass(Failpoint::SleepEndBefore).await?;
    let sleep_id: SleepId = run.started.sleep_id;
    let mut events: Vec<Event> = vec![SleepEnded { sleep_id, status, message }.into()];
    if status != SleepStatus::Failed {
        let through_seq = run.started.through_seq;
        let epochs = {
            let state = services.view.read();
            let agent_state = state.agents.get(&agent.id);
            agent_state.map_or(0, |agent_state| agent_state.short_term.count_through(through_seq))
        };
        events.push(MemoryReset { through_seq, epochs }.into());
    }
    write(services, agent, events).await?;
    services.failpoints.pass(Failpoint::SleepEndAfter).await?;
    Ok(())
}
