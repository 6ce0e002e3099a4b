//! Frames that wait to be written: bounded, whole, and never in the way of reading.

use std::{collections::VecDeque, io};

use abide_domain::Timestamp;
use abide_wire::{Message, ToAgent, Version, WalAck};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// The end of a link that is written to.
pub(crate) type Sink = Box<dyn AsyncWrite + Send + Unpin>;

/// Frames that may wait. A process that leaves so many unread gets nothing more; its silence or its turn's deadline ends it.
const WAITING_MAX: usize = 256;

/// Frames to one process.
pub(crate) struct Outbox {
    sink: Option<Sink>,
    current: Vec<u8>,
    written: usize,
    waiting: VecDeque<Vec<u8>>,
    /// The newest acknowledgement: it is cumulative, so one that waits is replaced.
    ack: Option<(Timestamp, u64)>,
    /// Frames that were queued so far, acknowledgements not counted.
    pushed: u64,
    /// How many of them were written to their last byte.
    delivered: u64,
    /// Whether the one that is being written is one of them.
    is_counted: bool,
}

impl Outbox {
    /// Writes from a frame boundary on.
    pub(crate) fn new(sink: Sink) -> Self {
        Self {
            sink: Some(sink),
            current: Vec::new(),
            written: 0,
            waiting: VecDeque::new(),
            ack: None,
            pushed: 0,
            delivered: 0,
            is_counted: false,
        }
    }

    /// Queues an encoded frame, and says by which number [`is_delivered`](Self::is_delivered) knows it.
    pub(crate) fn push_counted(&mut self, frame: Vec<u8>) -> u64 {
        self.waiting.push_back(frame);
        self.pushed += 1;
        self.pushed
    }

    /// Whether a frame was written to its last byte. What was not, cannot have harmed the process.
    pub(crate) fn is_delivered(&self, number: u64) -> bool {
        self.delivered >= number
    }

    /// Queues an encoded frame.
    pub(crate) fn push(&mut self, frame: Vec<u8>) {
        if self.sink.is_none() {
            return;
        }
        if self.waiting.len() >= WAITING_MAX {
            tracing::warn!(
                event = "message_dropped",
                waiting = WAITING_MAX,
                "agent process does not read: a message to it was dropped"
            );
            return;
        }
        self.push_counted(frame);
    }

    /// Queues an acknowledgement, instead of one that waits.
    pub(crate) fn acknowledge(&mut self, now: Timestamp, sequence: u64) {
        self.ack = Some((now, sequence));
    }

    /// Whether something waits.
    pub(crate) fn has_work(&self) -> bool {
        let is_waiting =
            self.written < self.current.len() || !self.waiting.is_empty() || self.ack.is_some();
        self.sink.is_some() && is_waiting
    }

    /// Writes what waits. May be cancelled: the next call goes on where this one was.
    pub(crate) async fn write(&mut self) -> io::Result<()> {
        loop {
            if self.written >= self.current.len() {
                self.delivered += u64::from(std::mem::take(&mut self.is_counted));
                self.written = 0;
                self.current = self.next_frame();
            }
            let Some(sink) = &mut self.sink else { return Ok(()) };
            let rest = self.current.get(self.written..).unwrap_or_default();
            if rest.is_empty() {
                return sink.flush().await;
            }
            let bytes = sink.write(rest).await?;
            if bytes == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += bytes;
        }
    }

    fn next_frame(&mut self) -> Vec<u8> {
        let ack = self.ack.take().and_then(|(now, sequence)| {
            Message::<ToAgent>::new(Version::V3, now, WalAck { sequence }).encode().ok()
        });
        if let Some(ack) = ack {
            return ack;
        }
        let next = self.waiting.pop_front();
        self.is_counted = next.is_some();
        next.unwrap_or_default()
    }

    /// Drops what waits, and the sink: the process reads the end.
    pub(crate) fn close(&mut self) {
        self.sink = None;
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;
    use abide_wire::{
        DeframeEvent, Direction, FrameReader, Message, Ping, ToAgent, Version, WalAck,
    };

    use super::{Outbox, WAITING_MAX};

    const NOW: Timestamp = Timestamp::from_micros(1_000_000);

    fn ping(nonce: u64) -> Vec<u8> {
        Message::<ToAgent>::new(Version::V3, NOW, Ping { nonce }).encode().unwrap()
    }

    async fn read(source: tokio::io::DuplexStream) -> Vec<ToAgent> {
        let mut reader = FrameReader::new(source, Direction::ToAgent);
        let mut bodies = Vec::new();
        while let Some(DeframeEvent::Frame(frame)) = reader.next().await.unwrap() {
            bodies.push(Message::<ToAgent>::decode(&frame).unwrap().body);
        }
        bodies
    }

    #[tokio::test]
    async fn acknowledgements_that_wait_become_one() {
        let (ours, theirs) = tokio::io::duplex(1024);
        let mut outbox = Outbox::new(Box::new(ours));
        outbox.push(ping(1));
        for sequence in 1..=50 {
            outbox.acknowledge(NOW, sequence);
        }
        outbox.write().await.unwrap();
        assert!(!outbox.has_work());
        outbox.close();
        let expected: [ToAgent; 2] = [WalAck { sequence: 50 }.into(), Ping { nonce: 1 }.into()];
        assert_eq!(read(theirs).await, expected);
    }

    #[tokio::test]
    async fn frames_stay_whole_when_writing_is_cut_off_in_the_middle() {
        let (ours, theirs) = tokio::io::duplex(7);
        let mut outbox = Outbox::new(Box::new(ours));
        for nonce in 0..20 {
            outbox.push(ping(nonce));
        }
        let reading = read(theirs);
        tokio::pin!(reading);
        let bodies = loop {
            tokio::select! {
                biased;
                bodies = &mut reading => break bodies,
                written = outbox.write(), if outbox.has_work() => written.unwrap(),
                () = tokio::task::yield_now() => if !outbox.has_work() { outbox.close() },
            }
        };
        let expected: Vec<ToAgent> = (0..20).map(|nonce| Ping { nonce }.into()).collect();
        assert_eq!(bodies, expected);
    }

    #[tokio::test]
    async fn a_frame_counts_as_delivered_only_with_its_last_byte() {
        let (ours, theirs) = tokio::io::duplex(5);
        let mut outbox = Outbox::new(Box::new(ours));
        outbox.acknowledge(NOW, 7);
        let (first, second) = (outbox.push_counted(ping(1)), outbox.push_counted(ping(2)));
        assert!(!outbox.is_delivered(first));
        let written = tokio::time::timeout(std::time::Duration::from_millis(1), outbox.write());
        assert!(written.await.is_err(), "nobody reads");
        assert!(!outbox.is_delivered(first));
        drop(theirs);
        assert!(outbox.write().await.is_err());
        assert!(!outbox.is_delivered(first) && !outbox.is_delivered(second));
        let (ours, _theirs) = tokio::io::duplex(500);
        let mut outbox = Outbox::new(Box::new(ours));
        let number = outbox.push_counted(ping(1));
        outbox.write().await.unwrap();
        assert!(outbox.is_delivered(number));
    }

    #[tokio::test]
    async fn what_waits_for_a_process_that_does_not_read_is_bounded() {
        let (ours, _theirs) = tokio::io::duplex(1);
        let mut outbox = Outbox::new(Box::new(ours));
        for nonce in 0..10_000 {
            outbox.push(ping(nonce));
        }
        assert_eq!(outbox.waiting.len(), WAITING_MAX);
    }
}
