//! Whether anybody is there to be asked for approval.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use abide_domain::{Timestamp, limits::ATTACHED_WINDOW};

/// Clients that hold a stream, or made a request lately: they can be asked for approval (decision 21).
#[derive(Debug, Default)]
pub struct AttachedClients {
    streams: AtomicUsize,
    last_contact_micros: AtomicI64,
}

impl AttachedClients {
    /// Notes a request of a client, such as a poll of `/approvals`.
    pub fn note_contact(&self, now: Timestamp) {
        self.last_contact_micros.fetch_max(now.as_micros(), Ordering::Relaxed);
    }

    /// Notes that a client holds a stream, until [`AttachedClients::close`].
    pub fn open(&self, now: Timestamp) {
        self.streams.fetch_add(1, Ordering::Relaxed);
        self.note_contact(now);
    }

    /// Closes a stream that [`AttachedClients::open`] opened.
    pub fn close(&self, now: Timestamp) {
        self.streams.fetch_sub(1, Ordering::Relaxed);
        self.note_contact(now);
    }

    /// Whether anybody is there.
    pub fn is_any(&self, now: Timestamp) -> bool {
        let last = Timestamp::from_micros(self.last_contact_micros.load(Ordering::Relaxed));
        self.streams.load(Ordering::Relaxed) > 0 || now.since(last) <= ATTACHED_WINDOW
    }
}
