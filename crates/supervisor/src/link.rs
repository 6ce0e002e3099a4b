//! One connection to a process of an agent: frames in, frames out, and the state of the handshake.
//!
//! Knows the protocol and nothing of turns, restarts or disks. What is to be sent waits in an [`Outbox`]; reading and
//! writing go on side by side, so that a process that reads nothing holds up nobody.

use abide_domain::Timestamp;
use abide_wire::{
    Direction, EncodeError, ExpectedAgent, FrameReader, FromAgent, Hello, KeeperHandshake,
    KeeperStep, LinkState, Message, ProcessRequest, ReceivedBytes, RefusalError, SequenceGapError,
    SequenceTracker, SequenceVerdict, ToAgent, Version, WalEntry,
};
use tokio::io::AsyncRead;

mod outbox;

pub(crate) use outbox::{Outbox, Sink};

/// The end that is read from.
pub(crate) type Source = Box<dyn AsyncRead + Send + Unpin>;

/// What an agent's hello must list before payloads to it are compressed.
const ZSTD: &str = "zstd";
/// What it must list before code is sent to it.
const HOT_RELOAD: &str = "hot_reload";

/// A link that was opened from outside: its hello was read and its token is right.
pub(crate) struct Connection {
    /// What is read from next.
    pub(crate) source: Source,
    /// What is written to.
    pub(crate) sink: Sink,
    /// The first message, which is a hello of the agent.
    pub(crate) hello: Message<FromAgent>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// One connection.
pub(crate) struct Link {
    /// Frames from the process.
    pub(crate) reader: FrameReader<Source>,
    /// Frames to it.
    pub(crate) outbox: Outbox,
    received: ReceivedBytes,
    received_seen: u64,
    handshake: Option<KeeperHandshake>,
    sequences: SequenceTracker,
    takes_zstd: bool,
    takes_code: bool,
    sdk: String,
    flow: Flow,
}

/// What still goes over a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Both,
    /// Nothing more is read.
    OutOnly,
    Nothing,
}

impl Link {
    /// A link before its handshake.
    pub(crate) fn new(source: Source, sink: Sink) -> Self {
        let reader = FrameReader::new(source, Direction::FromAgent);
        let received = reader.received();
        Self {
            reader,
            outbox: Outbox::new(sink),
            received,
            received_seen: 0,
            handshake: None,
            sequences: SequenceTracker::anywhere(),
            takes_zstd: false,
            takes_code: false,
            sdk: String::new(),
            flow: Flow::Both,
        }
    }

    /// Frames are read from here on: it is known whether there is a state to restore.
    pub(crate) fn expect(&mut self, expected: ExpectedAgent) {
        self.handshake = Some(KeeperHandshake::new(expected));
    }

    /// Whether frames are to be read now.
    pub(crate) fn is_open(&self) -> bool {
        self.handshake.is_some() && self.flow == Flow::Both
    }

    /// Nothing more is read; what was said last may still be written.
    pub(crate) fn stop_reading(&mut self) {
        if self.flow == Flow::Both {
            self.flow = Flow::OutOnly;
        }
    }

    /// Whether nothing more is read.
    pub(crate) fn has_stopped(&self) -> bool {
        self.flow != Flow::Both
    }

    /// Whether nothing more comes.
    pub(crate) fn is_closed(&self) -> bool {
        self.flow == Flow::Nothing
    }

    /// Nothing more is read or written.
    pub(crate) fn close(&mut self) {
        self.flow = Flow::Nothing;
        self.outbox.close();
    }

    /// Whether bytes came since the last call.
    pub(crate) fn take_received(&mut self) -> bool {
        let received = self.received.get();
        std::mem::replace(&mut self.received_seen, received) != received
    }

    /// The state of the handshake.
    pub(crate) fn state(&self) -> LinkState {
        self.handshake.as_ref().map_or(LinkState::Opening, KeeperHandshake::state)
    }

    /// The version to write in.
    pub(crate) fn version(&self) -> Version {
        self.handshake.as_ref().map_or(Version::V1, KeeperHandshake::version)
    }

    /// The SDK or program at the other end, by its own account.
    pub(crate) fn sdk(&self) -> &str {
        &self.sdk
    }

    /// Whether payloads to it may be compressed.
    pub(crate) fn takes_zstd(&self) -> bool {
        self.takes_zstd
    }

    /// Whether it loads code.
    pub(crate) fn takes_code(&self) -> bool {
        self.takes_code
    }

    /// Takes a message in its turn.
    pub(crate) fn receive(
        &mut self,
        message: &Message<FromAgent>,
    ) -> Result<KeeperStep, RefusalError> {
        match &mut self.handshake {
            Some(handshake) => handshake.receive(message),
            None => Ok(KeeperStep::Pass),
        }
    }

    /// Takes over what a hello of version 3 says: entries are numbered from here on.
    pub(crate) fn negotiate(&mut self, hello: &Hello, next_sequence: u64) {
        let can = |word: &str| hello.capabilities.iter().any(|capability| capability == word);
        (self.takes_zstd, self.takes_code) = (can(ZSTD), can(HOT_RELOAD)); // What it says of itself is shown in lists.
        self.sdk = hello.sdk.iter().flat_map(|sdk| sdk.chars()).take(64).collect();
        self.sequences = SequenceTracker::expecting(next_sequence);
    }

    /// Takes entries into their order: what of them is new. With a gap anywhere, none.
    pub(crate) fn accept_entries(
        &mut self,
        entries: Vec<WalEntry>,
    ) -> Result<Vec<WalEntry>, SequenceGapError> {
        let verdicts = self.sequences.take_batch(&entries)?;
        let fresh = entries.into_iter().zip(verdicts);
        Ok(fresh
            .filter(|(_, verdict)| *verdict == SequenceVerdict::New)
            .map(|(entry, _)| entry)
            .collect())
    }

    /// What was received could not be stored: the entry after `durable` is expected again.
    pub(crate) fn rewind_to(&mut self, durable: u64, has_stored: bool) {
        self.sequences = if self.version() >= Version::V3 || has_stored {
            SequenceTracker::expecting(durable.saturating_add(1))
        } else {
            SequenceTracker::anywhere()
        };
    }

    /// Queues a message; none where the version has no such message.
    pub(crate) fn try_send(
        &mut self,
        now: Timestamp,
        body: impl Into<ToAgent>,
    ) -> Result<(), EncodeError> {
        match Message::<ToAgent>::new(self.version(), now, body).encode() {
            Ok(frame) => {
                self.outbox.push(frame);
                Ok(())
            }
            Err(EncodeError::Version { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Queues a request, and says by which number its delivery is known. The request comes back: where it could not be
    /// delivered another process may get it.
    pub(crate) fn send_request(
        &mut self,
        now: Timestamp,
        request: ProcessRequest,
    ) -> (Result<u64, EncodeError>, Option<ProcessRequest>) {
        let message = Message::<ToAgent>::new(self.version(), now, request);
        let sent = message.encode().map(|frame| self.outbox.push_counted(frame)); // The message was made of one.
        let request = match message.body {
            ToAgent::ProcessRequest(request) => Some(request),
            _ => None,
        };
        (sent, request)
    }

    /// Queues a message that always fits.
    pub(crate) fn send(&mut self, now: Timestamp, body: impl Into<ToAgent>) {
        if let Err(error) = self.try_send(now, body) {
            tracing::error!(event = "message_not_encoded", %error, "cannot encode a message to an agent process");
        }
    }

    /// Says that entries are durable.
    pub(crate) fn acknowledge(&mut self, now: Timestamp, sequence: u64) {
        if self.version() >= Version::V3 {
            self.outbox.acknowledge(now, sequence);
        }
    }
}
