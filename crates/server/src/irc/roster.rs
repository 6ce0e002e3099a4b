//! Who is shown on the server: the keeper as `abide`, the watchdog as `tickle-1`, and every agent, with why it does not
//! answer at once where it does not. Follows the folded ledger, so that a spawned agent joins by itself.

use std::time::Duration;

use abide_channels::irc::{
    nick_for_agent,
    server::{AgentPresence, ServerHandle},
};
use abide_domain::{AgentId, evidence::WATCHDOG};
use abide_engine::{Keeper, state::State};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::names::{KEEPER, KEEPER_NICK};
use crate::api::{AppState, state_of};

/// Between two updates while much happens: nobody on IRC notices a shorter time.
const UPDATE_EVERY: Duration = Duration::from_millis(250);
/// Longest time between two updates: a process changes its state without an event in the ledger.
const UPDATE_AT_LEAST: Duration = Duration::from_secs(2);

/// Keeps the server's list of agents.
#[derive(Debug)]
pub(super) struct Roster {
    app: AppState,
    keeper: Keeper,
    handle: ServerHandle,
    shown: Vec<AgentPresence>,
}

impl Roster {
    /// A roster for this server; nobody is shown yet.
    pub(super) fn new(app: AppState, keeper: Keeper, handle: ServerHandle) -> Self {
        Self { app, keeper, handle, shown: Vec::new() }
    }

    /// Follows the folded ledger until told to stop.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut applications = self.keeper.services().view.applications();
        while self.update().await {
            let next = async {
                sleep(UPDATE_EVERY).await;
                // The channel closes only with the keeper.
                drop(timeout(UPDATE_AT_LEAST, applications.changed()).await);
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = next => {}
            }
        }
    }

    /// Shows who is there now; false where the server has ended.
    pub(super) async fn update(&mut self) -> bool {
        let present = self.present();
        if present == self.shown {
            return true;
        }
        self.shown.clone_from(&present);
        self.handle.set_agents(present).await.is_ok()
    }

    fn present(&self) -> Vec<AgentPresence> {
        let built_in = [
            (KEEPER, KEEPER_NICK, r"the keeper: \help lists its commands, !help the others"),
            (WATCHDOG, WATCHDOG, "the watchdog: notices agents that stall"),
        ];
        let built_in = built_in.into_iter().filter_map(|(id, nick, description)| {
            let (nick, description) = (nick.to_owned(), description.to_owned());
            Some(AgentPresence { id: id.parse().ok()?, nick, description, away: None })
        });
        let agents = self.keeper.agents();
        let state = self.keeper.state();
        let agents = agents.iter().map(|agent| AgentPresence {
            id: agent.id.clone(),
            nick: nick_for_agent(&agent.id),
            description: format!("{}, {}", agent.name, agent.role),
            away: self.away(&state, &agent.id),
        });
        let mut present: Vec<_> = built_in.collect();
        for agent in agents {
            // No agent may replace the watchdog, whatever it is called.
            if !present.iter().take(2).any(|known| known.id == agent.id) {
                present.push(agent);
            }
        }
        present
    }

    /// Why an agent does not answer at once, if so.
    fn away(&self, state: &State, id: &AgentId) -> Option<String> {
        let paused = || {
            let paused = state.agents.get(id).and_then(|agent| agent.paused.as_ref());
            paused.map(|paused| paused.message.clone()).unwrap_or_default()
        };
        match state_of(&self.app, state, id) {
            "busy" => Some("working; what is said to it is queued".to_owned()),
            "waiting_approval" => Some("waiting for an approval".into()),
            "asleep" => Some("asleep; it answers when it wakes".to_owned()),
            "starting" => Some("its process is starting".to_owned()),
            "unresponsive" => Some("its process does not answer".to_owned()),
            state @ ("paused" | "parked") => Some(format!("{state}: {}", paused())),
            _ => None,
        }
    }
}
