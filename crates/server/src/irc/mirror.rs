//! What agents say with `\say` is said on IRC as well: to a person who is there, and in a room that has the name of the
//! space. Only agents' messages, only while the keeper runs, and those of an epoch only when it commits.

use std::collections::HashMap;

use abide_channels::irc::{
    SpokenKind, nick_for_agent,
    relay::{LineBudget, reply_lines},
    server::{ServerHandle, Speech},
};
use abide_domain::{
    AgentId, EpochId,
    event::{EpochEvent, Event, SpaceEvent, SpaceSaid},
};
use abide_engine::Keeper;
use abide_ledger::{Entry, FeedError};
use tokio_util::sync::CancellationToken;

use super::endpoint::{LINES_MAX, has_people};

/// Events that are read at once.
const BATCH: usize = 256;
/// Messages of epochs that have not ended; what goes beyond is only in its space.
const STAGED_MAX: usize = 1_000;

/// Copies messages of spaces to IRC.
#[derive(Debug)]
pub(super) struct Mirror {
    keeper: Keeper,
    handle: ServerHandle,
    staged: HashMap<EpochId, Vec<(AgentId, SpaceSaid)>>,
    count: usize,
}

impl Mirror {
    /// Copies messages of this keeper's agents.
    pub(super) fn new(keeper: Keeper, handle: ServerHandle) -> Self {
        Self { keeper, handle, staged: HashMap::new(), count: 0 }
    }

    /// Follows the ledger from here on, until told to stop.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let ledger = self.keeper.ledger().clone();
        let mut feed = ledger.feed(ledger.head().seq);
        loop {
            let records = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                records = feed.next_batch(BATCH) => records,
            };
            let records = match records {
                Ok(records) => records,
                Err(FeedError::Closed) => return,
                Err(error) => {
                    tracing::error!(channel = "irc", event = "mirror_stopped", %error, "messages of spaces are not copied to irc any more, until the next start");
                    return;
                }
            };
            for record in &records {
                let kinds = ["space.said", "epoch.committed", "epoch.aborted"];
                let entry = kinds.contains(&record.kind()).then(|| record.entry());
                if let Some(Ok(entry)) = entry {
                    self.handle(entry).await;
                }
            }
        }
    }

    async fn handle(&mut self, entry: Entry) {
        match (entry.event, entry.epoch) {
            (Event::Space(SpaceEvent::Said(said)), epoch) => {
                let Some(agent) = self.keeper.agent(entry.entity.bare()) else { return };
                let agent = agent.id.clone();
                match epoch {
                    None => self.say(&agent, &said).await,
                    Some(epoch) => self.stage(epoch, (agent, said)),
                }
            }
            (Event::Epoch(EpochEvent::Committed(_)), Some(epoch)) => {
                for (agent, said) in self.unstage(epoch) {
                    self.say(&agent, &said).await;
                }
            }
            (Event::Epoch(EpochEvent::Aborted(_)), Some(epoch)) => drop(self.unstage(epoch)),
            _ => {}
        }
    }

    fn stage(&mut self, epoch: EpochId, message: (AgentId, SpaceSaid)) {
        if self.count < STAGED_MAX {
            self.count += 1;
            self.staged.entry(epoch).or_default().push(message);
        }
    }

    fn unstage(&mut self, epoch: EpochId) -> Vec<(AgentId, SpaceSaid)> {
        let staged = self.staged.remove(&epoch).unwrap_or_default();
        self.count = self.count.saturating_sub(staged.len());
        staged
    }

    async fn say(&self, agent: &AgentId, said: &SpaceSaid) {
        let from = nick_for_agent(agent);
        let target = if let Some((one, other)) = said.space.pair() {
            let other = if one == agent.entity() { other } else { one };
            if self.keeper.agent(other.bare()).is_some() {
                return;
            }
            format!("@{}", other.bare())
        } else {
            let room = said.space.to_string();
            if !has_people(&self.handle, &room).await {
                return;
            }
            // An agent that is in the room already, or cannot join, shows when it speaks.
            drop(self.handle.join(&from, &room).await);
            room
        };
        let budget = LineBudget::new(&format!("{from}!agent@agents.abide"), &target);
        let text = reply_lines(&said.text, budget, LINES_MAX, r"\read in its space").join("\n");
        let speech = Speech { from, target, text, kind: SpokenKind::Speech };
        // Whoever is not on IRC reads it in the space.
        if let Err(error) = self.handle.say(speech).await {
            tracing::debug!(%agent, channel = "irc", event = "message_not_copied", %error, "a message of a space was not copied to irc");
        }
    }
}
