//! The I/O thread: reads, writes, sends heartbeats and answers pings, whatever the session does.
//!
//! A heartbeat carries the progress counter and never moves it: a handler that blocks keeps its process alive, and the
//! keeper still sees that it makes no progress. No message is looked into here except `ping`.

use std::{
    io,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use abide_domain::Clock;
use abide_wire::{
    DeframeEvent, Direction, Frame, FrameReadError, FrameReader, FromAgent, Heartbeat, Message,
    Pong, RefusalError, ToAgent, Version,
};
use tokio::{
    io::AsyncWriteExt as _,
    runtime::Builder,
    sync::{mpsc, oneshot},
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use crate::{
    limits::{HEARTBEAT_INTERVAL, INBOX_MESSAGES_MAX, LAST_FRAMES_TIMEOUT},
    outbox::Outbox,
    transport::{Input, Output, Transport},
};

/// The counter `p` of heartbeats, which only the agent's work moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgressCounter(Arc<AtomicU64>);

impl ProgressCounter {
    /// Counts one step of work.
    pub(crate) fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What the link gives the session.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Box<Message<ToAgent>>),
    /// A frame that is no valid message; the keeper is told so.
    Refused(RefusalError),
    /// The link ended; nothing follows.
    Ended(LinkEnd),
}

/// Why the link ended.
#[derive(Debug)]
pub(crate) enum LinkEnd {
    /// The keeper closed it between two frames.
    Closed,
    /// It broke.
    Failed(String),
}

/// The session's access to the I/O thread. Dropping it closes the link; what is queued is still sent.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) outbox: Arc<Outbox>,
    inbox: mpsc::Receiver<Incoming>,
    finished: oneshot::Receiver<()>,
}

impl Link {
    /// Starts the thread.
    pub(crate) fn start(
        transport: Transport,
        clock: Arc<dyn Clock>,
        progress: ProgressCounter,
    ) -> io::Result<Self> {
        let outbox = Arc::new(Outbox::default());
        let (incoming, inbox) = mpsc::channel(INBOX_MESSAGES_MAX);
        let (running, finished) = oneshot::channel();
        let thread = IoThread { outbox: Arc::clone(&outbox), incoming, clock, progress };
        // A thread of its own with a runtime of its own: a handler that blocks its runtime must not stop the heartbeats.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("abide-io".into()).spawn(move || {
            runtime.block_on(thread.serve(transport));
            // A read of a terminal or file that is still blocked must not delay the end.
            runtime.shutdown_background();
            drop(running);
        })?;
        Ok(Self { outbox, inbox, finished })
    }

    /// The next message, or the link's end. May be cancelled.
    pub(crate) async fn next(&mut self) -> Incoming {
        let closed = "the I/O thread has ended";
        self.inbox.recv().await.unwrap_or_else(|| Incoming::Ended(LinkEnd::Failed(closed.into())))
    }

    /// Sends what is queued, within a time limit, and ends the transport.
    pub(crate) async fn close(mut self) {
        self.outbox.close();
        // The thread drops its end without sending.
        drop((&mut self.finished).await);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

/// What the thread owns while it runs.
struct IoThread {
    outbox: Arc<Outbox>,
    incoming: mpsc::Sender<Incoming>,
    clock: Arc<dyn Clock>,
    progress: ProgressCounter,
}

impl IoThread {
    async fn serve(self, transport: Transport) {
        let end = match transport.open().await {
            Ok((input, output)) => self.run(input, output).await,
            Err(error) => LinkEnd::Failed(error.to_string()),
        };
        self.outbox.close();
        // The session may have ended.
        drop(self.incoming.send(Incoming::Ended(end)).await);
    }

    async fn run(&self, input: Input, output: Output) -> LinkEnd {
        let timed_out = async {
            self.outbox.closing().await;
            sleep(LAST_FRAMES_TIMEOUT).await;
        };
        let mut reading = pin!(self.read(input));
        tokio::select! {
            end = &mut reading => end,
            written = self.write(output) => match written {
                Ok(()) => LinkEnd::Closed,
                // The keeper is gone: what it sent before still counts.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    timeout(LAST_FRAMES_TIMEOUT, reading).await.unwrap_or(LinkEnd::Closed)
                }
                Err(error) => LinkEnd::Failed(format!("cannot write to the keeper: {error}")),
            },
            () = timed_out => LinkEnd::Failed("the keeper did not read the last frames in time".into()),
        }
    }

    async fn read(&self, input: Input) -> LinkEnd {
        let mut frames = FrameReader::new(input, Direction::ToAgent);
        loop {
            match frames.next().await {
                Ok(Some(DeframeEvent::Frame(frame))) => self.receive(&frame).await,
                Ok(Some(DeframeEvent::Refused(refusal))) => {
                    self.deliver(Incoming::Refused(refusal)).await;
                }
                Ok(None) => return LinkEnd::Closed,
                Err(FrameReadError::Io(error)) => {
                    return LinkEnd::Failed(format!("cannot read from the keeper: {error}"));
                }
                Err(error) => return LinkEnd::Failed(error.to_string()),
            }
        }
    }

    async fn receive(&self, frame: &Frame) {
        match Message::<ToAgent>::decode(frame) {
            Ok(Message { body: ToAgent::Ping(ping), .. }) => {
                if let Some(pong) = self.encoded(Pong { nonce: ping.nonce }) {
                    self.outbox.push_pong(pong);
                }
            }
            Ok(message) => self.deliver(Incoming::Message(Box::new(message))).await,
            Err(refusal) => self.deliver(Incoming::Refused(refusal)).await,
        }
    }

    async fn deliver(&self, incoming: Incoming) {
        if self.incoming.send(incoming).await.is_err() {
            // The session has ended. The writer ends the link once its last frames are sent.
            std::future::pending::<()>().await;
        }
    }

    async fn write(&self, mut output: Output) -> io::Result<()> {
        let mut beats = interval(HEARTBEAT_INTERVAL);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut has_started = false;
        loop {
            let frame = tokio::select! { biased;
                _ = beats.tick(), if has_started && !self.outbox.is_closed() => self.heartbeat(),
                () = self.outbox.heartbeats_started(), if !has_started => {
                    has_started = true;
                    beats.reset_immediately();
                    continue;
                }
                frame = self.outbox.next() => frame,
            };
            let Some(frame) = frame else { return Ok(()) };
            output.write_all(&frame).await?;
            output.flush().await?;
        }
    }

    fn heartbeat(&self) -> Option<Vec<u8>> {
        self.encoded(Heartbeat { progress: Some(self.progress.count()) })
    }

    fn encoded(&self, body: impl Into<FromAgent>) -> Option<Vec<u8>> {
        Message::<FromAgent>::new(Version::V3, self.clock.now(), body).encode().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use abide_domain::{Clock, Timestamp};
    use abide_wire::{DeframeEvent, Direction, FrameReader, FromAgent, Heartbeat, Message};
    use tokio::{sync::mpsc, time::Instant};

    use super::{IoThread, ProgressCounter};
    use crate::outbox::Outbox;

    #[derive(Debug)]
    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }
        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn beat(event: DeframeEvent) -> Heartbeat {
        let DeframeEvent::Frame(frame) = event else { panic!("a refused frame") };
        match Message::decode(&frame).unwrap().body {
            FromAgent::Heartbeat(beat) => beat,
            other => panic!("no heartbeat: {other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_heartbeat_goes_out_each_second_once_it_may_and_shows_the_progress() {
        let outbox = Arc::new(Outbox::default());
        let progress = ProgressCounter::default();
        let (incoming, _inbox) = mpsc::channel(1);
        let (near, far) = tokio::io::duplex(1024);
        let clock = Arc::new(Still);
        let thread =
            IoThread { outbox: Arc::clone(&outbox), incoming, clock, progress: progress.clone() };
        let mut frames = FrameReader::new(far, Direction::FromAgent);
        let test = async {
            outbox.start_heartbeats();
            let begin = Instant::now();
            let mut seen = Vec::new();
            for _ in 0..3 {
                let beat = beat(frames.next().await.unwrap().unwrap());
                seen.push((begin.elapsed().as_secs(), beat.progress.unwrap()));
                progress.step();
            }
            assert_eq!(seen, [(0, 0), (1, 1), (2, 2)]);
        };
        tokio::select! {
            written = thread.write(Box::new(near)) => panic!("it ended: {written:?}"),
            () = test => {}
        }
    }
}
