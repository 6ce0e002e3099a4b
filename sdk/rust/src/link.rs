//! The I/O thread: reads, writes, breathes and answers pings, whatever the work loop does.
//!
//! A heartbeat carries the progress counter and never moves it: a handler that blocks keeps its process alive and is still
//! seen to stand. Nothing here looks into a message but for `ping`, and nothing here knows the agent's state.

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
    limits::{HEARTBEAT_INTERVAL, INBOX_MESSAGES_MAX, LAST_FRAMES},
    outbox::Outbox,
    transport::{Input, Output, Transport},
};

/// The counter `p`: moved by the work alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Says that the work went on.
    pub(crate) fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What comes in.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Box<Message<ToAgent>>),
    /// A frame that is none; the keeper is to be told.
    Refused(RefusalError),
    /// Nothing comes any more.
    Ended(Ending),
}

/// Why nothing comes any more.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The keeper ended between two frames.
    Closed,
    /// The link failed.
    Failed(String),
}

/// The work loop's end of the thread. Dropping it closes the link; what is queued still goes out.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) outbox: Arc<Outbox>,
    inbox: mpsc::Receiver<Incoming>,
    over: oneshot::Receiver<()>,
}

impl Link {
    /// Starts the thread.
    pub(crate) fn start(
        transport: Transport,
        clock: Arc<dyn Clock>,
        progress: Progress,
    ) -> io::Result<Self> {
        let outbox = Arc::new(Outbox::default());
        let (delivered, inbox) = mpsc::channel(INBOX_MESSAGES_MAX);
        let (ended, over) = oneshot::channel();
        let wire = Wire { outbox: Arc::clone(&outbox), delivered, clock, progress };
        // A thread of its own with a runtime of its own: a handler that blocks its runtime must not stop the heartbeats.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("abide-io".into()).spawn(move || {
            runtime.block_on(wire.serve(transport));
            // A read of a terminal or file that goes on in the background must not hold up the end.
            runtime.shutdown_background();
            drop(ended);
        })?;
        Ok(Self { outbox, inbox, over })
    }

    /// The next thing that comes. May be cancelled.
    pub(crate) async fn next(&mut self) -> Incoming {
        let closed = "the I/O thread has ended";
        self.inbox.recv().await.unwrap_or_else(|| Incoming::Ended(Ending::Failed(closed.into())))
    }

    /// Writes what is queued, as long as that does not take too long, and ends the transport.
    pub(crate) async fn close(mut self) {
        self.outbox.close();
        // The sender is dropped, never used.
        drop((&mut self.over).await);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

/// What the thread works with.
struct Wire {
    outbox: Arc<Outbox>,
    delivered: mpsc::Sender<Incoming>,
    clock: Arc<dyn Clock>,
    progress: Progress,
}

impl Wire {
    async fn serve(self, transport: Transport) {
        let ending = match transport.open().await {
            Ok((input, output)) => self.both(input, output).await,
            Err(error) => Ending::Failed(error.to_string()),
        };
        self.outbox.close();
        // Whoever stopped listening need not know.
        drop(self.delivered.send(Incoming::Ended(ending)).await);
    }

    async fn both(&self, input: Input, output: Output) -> Ending {
        let too_late = async {
            self.outbox.closing().await;
            sleep(LAST_FRAMES).await;
        };
        let mut reading = pin!(self.read(input));
        tokio::select! {
            ending = &mut reading => ending,
            written = self.write(output) => match written {
                Ok(()) => Ending::Closed,
                // The keeper went: what it said before still counts.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    timeout(LAST_FRAMES, reading).await.unwrap_or(Ending::Closed)
                }
                Err(error) => Ending::Failed(format!("the link cannot be written to: {error}")),
            },
            () = too_late => Ending::Failed("the last frames were not taken".into()),
        }
    }

    async fn read(&self, input: Input) -> Ending {
        let mut frames = FrameReader::new(input, Direction::ToAgent);
        loop {
            match frames.next().await {
                Ok(Some(DeframeEvent::Frame(frame))) => self.take(&frame).await,
                Ok(Some(DeframeEvent::Refused(refusal))) => {
                    self.deliver(Incoming::Refused(refusal)).await
                }
                Ok(None) => return Ending::Closed,
                Err(FrameReadError::Io(error)) => {
                    return Ending::Failed(format!("the link cannot be read: {error}"));
                }
                Err(error) => return Ending::Failed(error.to_string()),
            }
        }
    }

    async fn take(&self, frame: &Frame) {
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
        if self.delivered.send(incoming).await.is_err() {
            // Nobody listens any more. The writer ends the link once its last frames are out.
            std::future::pending::<()>().await;
        }
    }

    async fn write(&self, mut output: Output) -> io::Result<()> {
        let mut beats = interval(HEARTBEAT_INTERVAL);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_breathing = false;
        loop {
            let frame = tokio::select! { biased;
                _ = beats.tick(), if is_breathing && !self.outbox.is_closed() => self.heartbeat(),
                () = self.outbox.breath(), if !is_breathing => {
                    is_breathing = true;
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

    use super::{Progress, Wire};
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
        let progress = Progress::default();
        let (delivered, _inbox) = mpsc::channel(1);
        let (near, far) = tokio::io::duplex(1024);
        let clock = Arc::new(Still);
        let wire =
            Wire { outbox: Arc::clone(&outbox), delivered, clock, progress: progress.clone() };
        let mut frames = FrameReader::new(far, Direction::FromAgent);
        let test = async {
            outbox.begin_breathing();
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
            written = wire.write(Box::new(near)) => panic!("it ended: {written:?}"),
            () = test => {}
        }
    }
}
