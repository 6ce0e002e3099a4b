//! Who is shown on the server: the house as `abide`, the watchdog as `tickle-1`, and every agent, with why it does not
//! answer at once where it does not. Follows the house, so that an agent that was brought into being joins by itself.

use std::time::Duration;

use abide_channels::irc::{
    nick_for_agent,
    server::{AgentPresence, ServerHandle},
};
use abide_domain::{AgentId, evidence::WATCHDOG};
use abide_engine::{Keeper, state::State};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{KEEPER, KEEPER_NICK};
use crate::api::{AppState, state_of};

/// Between two looks while much happens: more often nobody on IRC could tell.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Between two looks while nothing happens in the ledger, which knows nothing of processes.
const LOOK_AT_LEAST: Duration = Duration::from_secs(2);

/// Keeps the server's list of agents.
#[derive(Debug)]
pub(super) struct Roster {
    front: AppState,
    keeper: Keeper,
    handle: ServerHandle,
    shown: Vec<AgentPresence>,
}

impl Roster {
    /// A roster of these agents for this server; nobody is shown yet.
    pub(super) fn new(front: AppState, keeper: Keeper, handle: ServerHandle) -> Self {
        Self { front, keeper, handle, shown: Vec::new() }
    }

    /// Follows the house until told to stop.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut applications = self.keeper.services().view.applications();
        while self.show().await {
            let next = async {
                sleep(LOOK_EVERY).await;
                // Whoever applies events ends with the keeper.
                drop(timeout(LOOK_AT_LEAST, applications.changed()).await);
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = next => {}
            }
        }
    }

    /// Shows who is there now; false where the server has ended.
    pub(super) async fn show(&mut self) -> bool {
        let present = self.present();
        if present == self.shown {
            return true;
        }
        self.shown.clone_from(&present);
        self.handle.set_agents(present).await.is_ok()
    }

    fn present(&self) -> Vec<AgentPresence> {
        let of_house = [
            (KEEPER, KEEPER_NICK, r"the house: \help lists its commands, !help what else there is"),
            (WATCHDOG, WATCHDOG, "watches over the agents"),
        ];
        let of_house = of_house.into_iter().filter_map(|(id, nick, description)| {
            let (nick, description) = (nick.to_owned(), description.to_owned());
            Some(AgentPresence { id: id.parse().ok()?, nick, description, away: None })
        });
        let agents = self.keeper.agents();
        let house = self.keeper.house();
        let agents = agents.iter().map(|agent| AgentPresence {
            id: agent.id.clone(),
            nick: nick_for_agent(&agent.id),
            description: format!("{}, {}", agent.name, agent.role),
            away: self.away(&house, &agent.id),
        });
        let mut present: Vec<_> = of_house.collect();
        for agent in agents {
            // An agent may not take the watchdog's place, whatever it is called.
            if !present.iter().take(2).any(|known| known.id == agent.id) {
                present.push(agent);
            }
        }
        present
    }

    /// Why an agent does not answer at once, if so.
    fn away(&self, house: &State, id: &AgentId) -> Option<String> {
        let paused = || {
            let paused = house.agents.get(id).and_then(|state| state.paused.as_ref());
            paused.map(|paused| paused.message.clone()).unwrap_or_default()
        };
        match state_of(&self.front, house, id) {
            "busy" => Some("at work; what is said to it waits its turn".to_owned()),
            "waiting_approval" => {
                Some("waits for somebody to approve what it is about to do".into())
            }
            "asleep" => Some("asleep; it answers when it wakes".to_owned()),
            "starting" => Some("its process starts".to_owned()),
            "unresponsive" => Some("its process does not answer".to_owned()),
            state @ ("paused" | "parked") => Some(format!("{state}: {}", paused())),
            _ => None,
        }
    }
}
