//! What the server hears and asks: a bounded queue into the bridge, and the past out of the ledger.

use abide_channels::irc::{
    SpokenLine, client,
    server::{self, HistoryError, HistoryLine, HistoryQuery, SinkError},
};
use abide_domain::AgentId;
use abide_ledger::Ledger;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::past;

/// What may wait for the bridge.
pub(super) const HEARD_MAX: usize = 1_024;

/// Something that the bridge is to know.
#[derive(Debug)]
pub(super) enum Heard {
    /// Somebody said something.
    Said(Box<SpokenLine>),
    /// An agent was brought into a room of the house's server, or sent out of it.
    Moved {
        /// Who.
        agent: AgentId,
        /// Where.
        room: String,
        /// Whether it is there now.
        is_in: bool,
    },
}

/// The house as the server knows it.
#[derive(Debug)]
pub(super) struct IrcSink {
    queue: mpsc::Sender<Heard>,
    ledger: Ledger,
}

impl IrcSink {
    /// A house whose bridge reads the other end of the queue.
    pub(super) fn new(queue: mpsc::Sender<Heard>, ledger: Ledger) -> Self {
        Self { queue, ledger }
    }
}

impl IrcSink {
    fn moved(&self, agent: &AgentId, room: &str, is_in: bool) {
        let heard = Heard::Moved { agent: agent.clone(), room: room.to_owned(), is_in };
        if self.queue.try_send(heard).is_err() {
            tracing::warn!(%agent, room, is_in, "a move will not outlive a restart: the house is busy");
        }
    }
}

impl server::ChannelSink for IrcSink {
    fn on_line(&self, said: SpokenLine) -> Result<(), SinkError> {
        let heard = Heard::Said(Box::new(said));
        let busy =
            |_| SinkError("the house is busy and did not hear this; say it again".to_owned());
        self.queue.try_send(heard).map_err(busy)
    }

    fn history(
        &self,
        query: HistoryQuery,
    ) -> BoxFuture<'_, Result<Vec<HistoryLine>, HistoryError>> {
        let ledger = self.ledger.clone();
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || past::find(&ledger, &query)).await;
            found.unwrap_or_else(|error| Err(HistoryError::Unavailable(error.to_string())))
        })
    }

    fn on_invite(&self, agent: &AgentId, channel: &str) {
        self.moved(agent, channel, true);
    }

    fn on_dismiss(&self, agent: &AgentId, channel: &str) {
        self.moved(agent, channel, false);
    }
}

/// The ears of an agent on a network outside.
#[derive(Debug)]
pub(super) struct IrcClientListener {
    queue: mpsc::Sender<Heard>,
}

impl IrcClientListener {
    /// Ears whose bridge reads the other end of the queue.
    pub(super) fn new(queue: mpsc::Sender<Heard>) -> Self {
        Self { queue }
    }
}

impl client::ClientListener for IrcClientListener {
    fn on_line(&self, said: SpokenLine) {
        let heard = Heard::Said(Box::new(said));
        if self.queue.try_send(heard).is_err() {
            tracing::warn!(
                "something that was said on a network outside was not heard: the house is busy"
            );
        }
    }
}
