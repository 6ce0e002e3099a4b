//! What comes from IRC: a bounded queue into the bridge, and history out of the ledger.

use abide_channels::irc::{
    SpokenLine, client,
    server::{
        self, HistoryError, HistoryLine, HistoryQuery, HistoryTarget, ReadMarker, SinkError,
        TargetsQuery, TopicChange,
    },
};
use abide_domain::AgentId;
use abide_ledger::Ledger;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::history;

/// Inputs that may wait for the bridge.
pub(super) const QUEUE_MAX: usize = 1_024;

/// What the bridge takes.
#[derive(Debug)]
pub(super) enum BridgeInput {
    /// Somebody said something.
    Said(Box<SpokenLine>),
    /// An agent was invited into a room of the built-in server, or sent out of it.
    Moved {
        /// Who.
        agent: AgentId,
        /// Where.
        room: String,
        /// Whether it is in the room now.
        is_in: bool,
    },
    /// A person set a topic.
    Topic(TopicChange),
    /// A person has read up to a moment.
    Read(ReadMarker),
}

/// Takes what is said on the built-in server, and finds what was said before.
#[derive(Debug)]
pub(super) struct IrcSink {
    queue: mpsc::Sender<BridgeInput>,
    ledger: Ledger,
}

impl IrcSink {
    /// Sends into this queue; a bridge reads the other end.
    pub(super) fn new(queue: mpsc::Sender<BridgeInput>, ledger: Ledger) -> Self {
        Self { queue, ledger }
    }
}

impl IrcSink {
    fn moved(&self, agent: &AgentId, room: &str, is_in: bool) {
        let input = BridgeInput::Moved { agent: agent.clone(), room: room.to_owned(), is_in };
        self.keep(input, "a room of an agent");
    }

    /// Hands on what is to be known after a restart.
    fn keep(&self, input: BridgeInput, what: &'static str) {
        if self.queue.try_send(input).is_err() {
            tracing::warn!(
                channel = "irc",
                event = "queue_full",
                what,
                "the queue of irc is full: this change is forgotten at the next start"
            );
        }
    }
}

impl server::ChannelSink for IrcSink {
    fn on_line(&self, said: SpokenLine) -> Result<(), SinkError> {
        let busy =
            |_| SinkError("the keeper is busy and did not get this; say it again".to_owned());
        self.queue.try_send(BridgeInput::Said(Box::new(said))).map_err(busy)
    }

    fn history(
        &self,
        query: HistoryQuery,
    ) -> BoxFuture<'_, Result<Vec<HistoryLine>, HistoryError>> {
        let ledger = self.ledger.clone();
        Box::pin(async move {
            let found =
                tokio::task::spawn_blocking(move || history::find_history(&ledger, &query)).await;
            found.unwrap_or_else(|error| Err(HistoryError::Unavailable(error.to_string())))
        })
    }

    fn targets(
        &self,
        query: TargetsQuery,
    ) -> BoxFuture<'_, Result<Vec<HistoryTarget>, HistoryError>> {
        let ledger = self.ledger.clone();
        Box::pin(async move {
            let found =
                tokio::task::spawn_blocking(move || history::find_targets(&ledger, &query)).await;
            found.unwrap_or_else(|error| Err(HistoryError::Unavailable(error.to_string())))
        })
    }

    fn on_topic(&self, topic: TopicChange) {
        self.keep(BridgeInput::Topic(topic), "a topic");
    }

    fn on_read(&self, marker: ReadMarker) {
        self.keep(BridgeInput::Read(marker), "how far somebody has read");
    }

    fn on_invite(&self, agent: &AgentId, channel: &str) {
        self.moved(agent, channel, true);
    }

    fn on_dismiss(&self, agent: &AgentId, channel: &str) {
        self.moved(agent, channel, false);
    }
}

/// Takes what is said to an agent on an external network.
#[derive(Debug)]
pub(super) struct IrcClientListener {
    queue: mpsc::Sender<BridgeInput>,
}

impl IrcClientListener {
    /// Sends into this queue; a bridge reads the other end.
    pub(super) fn new(queue: mpsc::Sender<BridgeInput>) -> Self {
        Self { queue }
    }
}

impl client::ClientListener for IrcClientListener {
    fn on_line(&self, said: SpokenLine) {
        if self.queue.try_send(BridgeInput::Said(Box::new(said))).is_err() {
            tracing::warn!(
                channel = "irc",
                event = "queue_full",
                "the queue of irc is full: a line on an external network was dropped"
            );
        }
    }
}
