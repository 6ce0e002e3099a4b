//! What waits for one client to read it: bounded in bytes, never waited on by the server.

use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::irc::limits::SEND_QUEUE_BYTES_MAX;

/// Lines on their way to one client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    changed: Notify,
    closing: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<Bytes>,
    bytes: usize,
    is_closing: bool,
}

impl Outbox {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a line behind the others. False where there is no room: the client does not read.
    pub(super) fn push(&self, line: Bytes) -> bool {
        let mut queue = self.queue();
        if queue.is_closing {
            return true;
        }
        let bytes = queue.bytes.saturating_add(line.len());
        if bytes > SEND_QUEUE_BYTES_MAX {
            return false;
        }
        queue.bytes = bytes;
        queue.lines.push(line);
        drop(queue);
        self.changed.notify_one();
        true
    }

    /// Forgets what waits, so that a last word fits.
    pub(super) fn clear(&self) {
        let mut queue = self.queue();
        queue.lines = Vec::new();
        queue.bytes = 0;
    }

    /// Takes nothing more; what waits is still written.
    pub(super) fn close(&self) {
        self.queue().is_closing = true;
        self.changed.notify_one();
        self.closing.notify_one();
    }

    /// Waits for lines; `None` when the outbox is closed and empty. One caller at a time.
    pub(super) async fn next(&self) -> Option<Vec<Bytes>> {
        loop {
            {
                let mut queue = self.queue();
                if !queue.lines.is_empty() {
                    queue.bytes = 0;
                    return Some(mem::take(&mut queue.lines));
                }
                if queue.is_closing {
                    return None;
                }
            }
            self.changed.notified().await;
        }
    }

    /// Waits until the outbox is closed. One caller at a time.
    pub(super) async fn closed(&self) {
        while !self.queue().is_closing {
            self.closing.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Outbox;
    use crate::irc::limits::SEND_QUEUE_BYTES_MAX;

    #[tokio::test]
    async fn a_full_outbox_takes_nothing_but_a_last_word() {
        let outbox = Outbox::default();
        let line = Bytes::from(vec![b'x'; 1_000]);
        let taken = (0..10_000).take_while(|_| outbox.push(line.clone())).count();
        assert_eq!(taken, SEND_QUEUE_BYTES_MAX / 1_000);
        outbox.clear();
        assert!(outbox.push(Bytes::from_static(b"ERROR\r\n")));
        outbox.close();
        assert!(outbox.push(line));
        assert_eq!(outbox.next().await, Some(vec![Bytes::from_static(b"ERROR\r\n")]));
        assert_eq!(outbox.next().await, None);
        outbox.closed().await;
    }
}
