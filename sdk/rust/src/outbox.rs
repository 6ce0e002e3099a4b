//! Frames on their way to the keeper: encoded by their sender, written by the I/O thread.
//!
//! The only queue between the two threads. It has no limit of its own but says when it is crowded: every sender that may
//! wait waits then. Pongs go before everything else.

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::limits::{OUTBOX_BYTES_CROWDED, OUTBOX_BYTES_MAX, OUTBOX_FRAMES_CROWDED, PONGS_MAX};

/// The link to the keeper is closed: what was not acknowledged counts as not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the link to the keeper is closed")]
pub struct LinkClosedError;

/// The queue of outgoing frames, filled by senders and emptied by the I/O thread's writer.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    filled: Notify,
    emptied: Notify,
    heartbeats: Notify,
    closing: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    frames: VecDeque<Vec<u8>>,
    frames_bytes: usize,
    pongs: VecDeque<Vec<u8>>,
    is_closed: bool,
}

impl Queue {
    fn is_crowded(&self) -> bool {
        self.frames_bytes > OUTBOX_BYTES_CROWDED || self.frames.len() > OUTBOX_FRAMES_CROWDED
    }

    fn push(&mut self, frame: Vec<u8>) {
        self.frames_bytes += frame.len();
        self.frames.push_back(frame);
    }
}

impl Outbox {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a frame behind those before it.
    pub(crate) fn push(&self, frame: Vec<u8>) -> Result<(), LinkClosedError> {
        let mut queue = self.queue();
        if queue.is_closed {
            return Err(LinkClosedError);
        }
        queue.push(frame);
        drop(queue);
        self.filled.notify_one();
        Ok(())
    }

    /// Queues a frame that may be dropped where there is no room.
    pub(crate) fn offer(&self, frame: Vec<u8>) {
        let mut queue = self.queue();
        if !queue.is_closed && queue.frames_bytes + frame.len() <= OUTBOX_BYTES_MAX {
            queue.push(frame);
            drop(queue);
            self.filled.notify_one();
        }
    }

    /// Queues the answer to a ping before everything else.
    pub(crate) fn push_pong(&self, frame: Vec<u8>) {
        let mut queue = self.queue();
        if queue.pongs.len() >= PONGS_MAX {
            queue.pongs.pop_front();
        }
        queue.pongs.push_back(frame);
        drop(queue);
        self.filled.notify_one();
    }

    /// Waits until there is room, or until the outbox is closed.
    pub(crate) async fn room(&self) {
        loop {
            let mut emptied = pin!(self.emptied.notified());
            // From here on no notification is missed, so the queue is checked after it.
            emptied.as_mut().enable();
            let has_room = {
                let queue = self.queue();
                queue.is_closed || !queue.is_crowded()
            };
            if has_room {
                return;
            }
            emptied.await;
        }
    }

    /// Lets heartbeats begin: `hello` must be the first frame.
    pub(crate) fn start_heartbeats(&self) {
        self.heartbeats.notify_one();
    }

    /// Refuses further frames. What is queued is still sent.
    pub(crate) fn close(&self) {
        self.queue().is_closed = true;
        self.filled.notify_one();
        self.emptied.notify_waiters();
        self.closing.notify_one();
    }

    /// Whether it refuses frames.
    pub(crate) fn is_closed(&self) -> bool {
        self.queue().is_closed
    }

    /// The next frame to write; `None` once the outbox is closed and empty. Only the writer calls it; may be cancelled.
    pub(crate) async fn next(&self) -> Option<Vec<u8>> {
        loop {
            let (frame, is_closed) = self.pop();
            if frame.is_some() || is_closed {
                return frame;
            }
            self.filled.notified().await;
        }
    }

    /// Takes the first frame, and says whether the outbox is closed.
    fn pop(&self) -> (Option<Vec<u8>>, bool) {
        let mut queue = self.queue();
        if let Some(pong) = queue.pongs.pop_front() {
            return (Some(pong), queue.is_closed);
        }
        let frame = queue.frames.pop_front();
        queue.frames_bytes -= frame.as_ref().map_or(0, Vec::len);
        if !queue.is_crowded() {
            self.emptied.notify_waiters();
        }
        (frame, queue.is_closed)
    }

    /// Waits until heartbeats may begin.
    pub(crate) async fn heartbeats_started(&self) {
        self.heartbeats.notified().await;
    }

    /// Waits until the outbox is closed; for one waiter.
    pub(crate) async fn closing(&self) {
        self.closing.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkClosedError, Outbox};
    use crate::limits::{OUTBOX_BYTES_CROWDED, OUTBOX_BYTES_MAX, PONGS_MAX};

    #[tokio::test]
    async fn senders_wait_while_it_is_crowded_and_no_longer() {
        let outbox = Outbox::default();
        outbox.push(vec![0; OUTBOX_BYTES_CROWDED]).unwrap();
        outbox.room().await;
        outbox.push(vec![1]).unwrap();
        let taken = async {
            tokio::task::yield_now().await;
            outbox.next().await.unwrap().len()
        };
        let mut order = Vec::new();
        let wait = async { outbox.room().await };
        tokio::pin!(wait, taken);
        tokio::select! { biased;
            () = &mut wait => order.push(0),
            bytes = &mut taken => order.push(bytes),
        }
        assert_eq!(order, [OUTBOX_BYTES_CROWDED], "room came before anything was written");
        wait.await;
    }

    #[tokio::test]
    async fn pongs_go_first_and_are_counted() {
        let outbox = Outbox::default();
        outbox.push(b"frame".to_vec()).unwrap();
        for nonce in 0..=u8::try_from(PONGS_MAX).unwrap() {
            outbox.push_pong(vec![nonce]);
        }
        for nonce in 1..=u8::try_from(PONGS_MAX).unwrap() {
            assert_eq!(outbox.next().await, Some(vec![nonce]));
        }
        assert_eq!(outbox.next().await, Some(b"frame".to_vec()));
    }

    #[tokio::test]
    async fn what_was_queued_goes_out_after_the_closing_and_nothing_else() {
        let outbox = Outbox::default();
        outbox.push(vec![1]).unwrap();
        outbox.close();
        assert_eq!(outbox.push(vec![2]), Err(LinkClosedError));
        assert_eq!(outbox.next().await, Some(vec![1]));
        assert_eq!(outbox.next().await, None);
        outbox.room().await;
    }

    #[tokio::test]
    async fn pieces_that_may_be_lost_are_lost_before_memory_is() {
        let outbox = Outbox::default();
        outbox.offer(vec![0; OUTBOX_BYTES_MAX]);
        outbox.offer(vec![1]);
        outbox.close();
        assert_eq!(outbox.next().await.map(|frame| frame.len()), Some(OUTBOX_BYTES_MAX));
        assert_eq!(outbox.next().await, None);
    }
}
