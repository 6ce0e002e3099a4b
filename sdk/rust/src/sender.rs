//! Stamps, encodes and checks every message to the keeper against the keeper's own rules, so that none comes back as
//! `INVALID_MESSAGE`.

use std::sync::Arc;

use abide_domain::Clock;
use abide_wire::{
    Direction, EncodeError, Frame, FromAgent, Message, RefusalError, Version, limits::LENGTH_BYTES,
};

use crate::{
    link::ProgressCounter,
    outbox::{LinkClosedError, Outbox},
};

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SendError {
    /// It cannot be encoded: too long, or with a number that is not finite.
    #[error("the message cannot be encoded")]
    Encode(#[from] EncodeError),
    /// The keeper would refuse it.
    #[error("the keeper would refuse the message: {0}")]
    Invalid(#[from] RefusalError),
    /// The link is closed.
    #[error("the link to the keeper is closed")]
    LinkLost,
}

/// Sends messages of one session; clones share its outbox.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) progress: ProgressCounter,
}

impl Sender {
    /// Sends, and waits while the link is crowded.
    pub(crate) async fn send(&self, body: impl Into<FromAgent>) -> Result<(), SendError> {
        let frame = self.checked(body.into())?;
        self.outbox.room().await;
        Ok(self.outbox.push(frame)?)
    }

    /// Sends without waiting: for answers, of which each message of the keeper causes at most one.
    pub(crate) fn send_now(&self, body: impl Into<FromAgent>) -> Result<(), SendError> {
        let frame = self.checked(body.into())?;
        Ok(self.outbox.push(frame)?)
    }

    /// Sends a message whose parts were checked and which is too long to be checked once more.
    pub(crate) fn send_unchecked(&self, body: impl Into<FromAgent>) -> Result<(), SendError> {
        let frame = self.stamped(body.into()).encode()?;
        Ok(self.outbox.push(frame)?)
    }

    /// Sends a message that may be dropped.
    pub(crate) fn offer(&self, body: impl Into<FromAgent>) {
        if let Ok(frame) = self.checked(body.into()) {
            self.outbox.offer(frame);
        }
    }

    fn checked(&self, body: FromAgent) -> Result<Vec<u8>, SendError> {
        let frame = self.stamped(body).encode()?;
        let body = frame.get(LENGTH_BYTES..).unwrap_or_default().to_vec();
        let read = Frame::parse(Direction::FromAgent, body.into())?;
        Message::<FromAgent>::decode(&read)?;
        Ok(frame)
    }

    fn stamped(&self, body: FromAgent) -> Message<FromAgent> {
        Message::new(Version::V3, self.clock.now(), body)
    }
}

impl From<LinkClosedError> for SendError {
    fn from(_closed: LinkClosedError) -> Self {
        Self::LinkLost
    }
}
