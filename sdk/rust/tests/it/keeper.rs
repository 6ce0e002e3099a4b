//! A scripted keeper: it holds the durable side (entries, one checkpoint) and checks all that it receives. The test is the
//! script; every wait has an end, so that a silent agent fails the test. `crates/agent` is tested with it too.

use std::{collections::VecDeque, time::Duration};

use abide_domain::Timestamp;
use abide_wire::{
    Body as _, CancelReason, Checkpoint, CheckpointAck, CheckpointReason, CheckpointRequest,
    DeframeEvent, Direction, FrameReader, FrameWriter, FromAgent, Hello, KeeperError,
    KeeperErrorBody, LinkLimits, Message, Payload, Ping, ProcessCancel, ProcessInput,
    ProcessRequest, ProcessResponse, Restore, SequenceTracker, Shutdown, ToAgent, Version, WalAck,
    WalEntry, Welcome, limits,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};

/// Longest wait for an agent. No test depends on its length.
const PATIENCE: Duration = Duration::from_secs(20);

/// What outlives agents and keepers.
#[derive(Debug)]
pub(crate) struct Store {
    /// Entries behind the checkpoint.
    pub(crate) entries: Vec<WalEntry>,
    /// All that were ever stored.
    pub(crate) history: Vec<WalEntry>,
    pub(crate) checkpoint: Option<Checkpoint>,
    tracker: SequenceTracker,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            history: Vec::new(),
            checkpoint: None,
            tracker: SequenceTracker::expecting(1),
        }
    }
}

impl Store {
    pub(crate) fn next_sequence(&self) -> u64 {
        self.tracker.next().unwrap()
    }

    pub(crate) fn has_state(&self) -> bool {
        self.checkpoint.is_some() || !self.entries.is_empty()
    }

    pub(crate) fn restore(&self) -> Restore {
        let state = self.checkpoint.as_ref().map(|checkpoint| checkpoint.state.clone());
        Restore {
            checkpoint_id: if state.is_some() { "c1".into() } else { String::new() },
            state: state.unwrap_or_else(Payload::empty),
            wal_entries: self.entries.clone(),
            next_sequence: Some(self.next_sequence()),
        }
    }

    pub(crate) fn add(&mut self, entries: &[WalEntry]) -> u64 {
        let verdicts = self.tracker.take_batch(entries).unwrap();
        assert!(verdicts.iter().all(|verdict| *verdict == abide_wire::SequenceVerdict::New));
        self.entries.extend_from_slice(entries);
        self.history.extend_from_slice(entries);
        self.next_sequence() - 1
    }

    pub(crate) fn keep(&mut self, checkpoint: Checkpoint) {
        let holds = checkpoint.wal_sequence.unwrap();
        self.entries.retain(|entry| entry.sequence > holds);
        self.checkpoint = Some(checkpoint);
    }
}

/// One link of a keeper.
pub(crate) struct Keeper {
    frames: FrameReader<Box<dyn AsyncRead + Send + Unpin>>,
    writer: FrameWriter<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(crate) store: Store,
    pub(crate) seen: Vec<FromAgent>,
    /// What [`Keeper::expect`] stepped over and a test may still ask for.
    deltas: VecDeque<String>,
}

impl Keeper {
    pub(crate) fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        store: Store,
    ) -> Self {
        Self {
            frames: FrameReader::new(Box::new(input), Direction::FromAgent),
            writer: FrameWriter::new(Box::new(output)),
            store,
            seen: Vec::new(),
            deltas: VecDeque::new(),
        }
    }

    pub(crate) async fn send(&mut self, body: impl Into<ToAgent>) {
        let message = Message::<ToAgent>::new(Version::V3, Timestamp::from_micros(1), body);
        self.writer.send(&message).await.unwrap();
    }

    /// Sends, to an agent that may be gone.
    pub(crate) async fn try_send(&mut self, body: impl Into<ToAgent>) -> bool {
        let message = Message::<ToAgent>::new(Version::V3, Timestamp::from_micros(1), body);
        self.writer.send(&message).await.is_ok()
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let sent = timeout(PATIENCE, self.writer.send_encoded(bytes)).await;
        sent.expect("the agent does not read").unwrap();
    }

    /// The next message of any type; `None` at the end of the link.
    pub(crate) async fn next(&mut self) -> Option<FromAgent> {
        let event = timeout(PATIENCE, self.frames.next()).await.expect("the agent is silent");
        // A killed agent may leave half a frame.
        let frame = match event.ok().flatten()? {
            DeframeEvent::Frame(frame) => frame,
            DeframeEvent::Refused(refusal) => panic!("a frame of the agent is refused: {refusal}"),
        };
        let message = Message::<FromAgent>::decode(&frame).expect("a message");
        assert_eq!(message.envelope.version, Version::V3);
        self.seen.push(message.body.clone());
        Some(message.body)
    }

    /// The next message that is not quiet. Entries are stored and acknowledged on the way.
    pub(crate) async fn next_loud(&mut self) -> Option<FromAgent> {
        timeout(PATIENCE, self.skip_quiet()).await.expect("the agent says nothing of weight")
    }

    async fn skip_quiet(&mut self) -> Option<FromAgent> {
        loop {
            match self.next().await? {
                FromAgent::Heartbeat(_) | FromAgent::Metrics(_) => {}
                FromAgent::ProcessDelta(delta) => self.deltas.push_back(delta.text),
                FromAgent::WalEntry(entry) => self.acknowledge(&[entry]).await,
                FromAgent::WalBatch(entries) => self.acknowledge(&entries).await,
                other => return Some(other),
            }
        }
    }

    async fn acknowledge(&mut self, entries: &[WalEntry]) {
        let sequence = self.store.add(entries);
        self.try_send(WalAck { sequence }).await;
    }

    /// Says welcome, restores where there is something to restore, and waits for `ready`. Gives `hello`.
    pub(crate) async fn open(&mut self) -> Hello {
        let hello = self.greet().await;
        if self.store.has_state() {
            let restore = self.store.restore();
            self.send(restore).await;
            let Some(FromAgent::RestoreAck(ack)) = self.next_loud().await else {
                panic!("no restore_ack: {:?}", self.seen)
            };
            assert!(ack.ok, "{ack:?}");
            assert_eq!(ack.sequence, self.store.next_sequence() - 1);
        }
        let ready = self.next_loud().await;
        assert!(matches!(ready, Some(FromAgent::Ready(_))), "{ready:?}");
        hello
    }

    /// Takes `hello` and says welcome.
    pub(crate) async fn greet(&mut self) -> Hello {
        let Some(FromAgent::Hello(hello)) = self.next().await else { panic!("no hello") };
        let welcome = Welcome {
            keeper: "test".into(),
            run: hello.run.clone(),
            limits: LinkLimits {
                frame_bytes_max: limits::FRAME_BYTES_MAX as u64,
                extra: abide_wire::Extra::default(),
            },
            next_sequence: self.store.next_sequence(),
            restore: Some(self.store.has_state()),
        };
        self.send(welcome).await;
        hello
    }

    pub(crate) async fn ask(&mut self, request_id: &str, text: &str) {
        self.send(request(request_id, text)).await;
    }

    /// The final response to a request.
    pub(crate) async fn answer(&mut self, request_id: &str) -> String {
        let response = self.response(request_id).await;
        response.read_voice().unwrap().final_response.unwrap()
    }

    pub(crate) async fn response(&mut self, request_id: &str) -> ProcessResponse {
        match self.next_loud().await {
            Some(FromAgent::ProcessResponse(response)) => {
                assert_eq!(response.request_id, request_id);
                response
            }
            other => panic!("no answer: {other:?}"),
        }
    }

    /// The code and words of the error that ends a request.
    pub(crate) async fn failure(&mut self, request_id: &str) -> (String, String) {
        match self.next_loud().await {
            Some(FromAgent::Error(error)) => {
                assert!(error.ends_turn(request_id), "{error:?}");
                (error.error.code, error.error.message)
            }
            other => panic!("no error: {other:?}"),
        }
    }

    /// Waits for a piece of an answer: the handler is at work.
    pub(crate) async fn wait_for_delta(&mut self) {
        loop {
            match self.next().await.unwrap() {
                FromAgent::ProcessDelta(_) => return,
                FromAgent::Heartbeat(_) => {}
                other => panic!("no delta: {other:?}"),
            }
        }
    }

    /// Pieces of answers that were streamed so far.
    pub(crate) fn deltas(&mut self) -> Vec<String> {
        self.deltas.drain(..).collect()
    }

    pub(crate) async fn cancel(&mut self, request_id: &str) {
        let request_id = request_id.to_owned();
        self.send(ProcessCancel { request_id, reason: CancelReason::Abort }).await;
    }

    /// Asks for a checkpoint, keeps and acknowledges it.
    pub(crate) async fn take_checkpoint(&mut self) -> Checkpoint {
        self.send(CheckpointRequest { reason: CheckpointReason::Manual }).await;
        self.keep_checkpoint().await
    }

    pub(crate) async fn keep_checkpoint(&mut self) -> Checkpoint {
        let Some(FromAgent::Checkpoint(checkpoint)) = self.next_loud().await else {
            panic!("no checkpoint: {:?}", self.seen.last())
        };
        self.store.keep(checkpoint.clone());
        self.send(CheckpointAck { checkpoint_id: "c1".into(), size: 1 }).await;
        checkpoint
    }

    pub(crate) async fn ping(&mut self, nonce: u64) {
        self.send(Ping { nonce }).await;
    }

    pub(crate) async fn complain(&mut self, code: &str) {
        self.send(complaint(code, "by the test")).await;
    }

    pub(crate) async fn shut_down(&mut self, create_checkpoint: bool) {
        self.send(Shutdown { reason: "end".into(), create_checkpoint }).await;
    }

    /// Takes all that still comes.
    pub(crate) async fn wait_for_end(&mut self) {
        while self.next_loud().await.is_some() {}
    }

    /// The store, for the next link.
    pub(crate) fn into_store(self) -> Store {
        self.store
    }
}

/// A request without more than the words.
pub(crate) fn request(request_id: &str, text: &str) -> ProcessRequest {
    ProcessRequest {
        request_id: request_id.into(),
        input: ProcessInput { message: text.into(), context: None, user_id: "nicolas".into() },
    }
}

pub(crate) fn complaint(code: &str, message: &str) -> KeeperError {
    KeeperError {
        error: KeeperErrorBody { code: code.into(), message: message.into(), details: None },
        request_id: None,
    }
}

/// The type of a message, for assertions.
pub(crate) fn name(message: &FromAgent) -> &'static str {
    message.message_type().name()
}
