//! What everything here says to the keeper goes through this door: stamped, encoded, and held against the keeper's own
//! rules first. Nothing goes out that would come back as `INVALID_MESSAGE`.

use std::sync::Arc;

use abide_domain::Clock;
use abide_wire::{
    Direction, EncodeError, Frame, FromAgent, Message, RefusalError, Version, limits::LENGTH_BYTES,
};

use crate::{
    link::Progress,
    outbox::{LinkClosedError, Outbox},
};

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SendError {
    /// It cannot be written: too long, or with a number that is none.
    #[error("the message cannot be sent")]
    Unfit(#[from] EncodeError),
    /// The keeper would refuse it.
    #[error("the message cannot be sent: {0}")]
    Invalid(#[from] RefusalError),
    /// The link is gone.
    #[error("the link to the keeper is closed")]
    LinkLost,
}

/// The way out.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) progress: Progress,
}

impl Sender {
    /// Sends, and waits while the link is crowded.
    pub(crate) async fn send(&self, body: impl Into<FromAgent>) -> Result<(), SendError> {
        let frame = self.checked(body.into())?;
        self.outbox.room().await;
        Ok(self.outbox.push(frame)?)
    }

    /// Sends without waiting. For what comes at most once for each thing that the keeper asked.
    pub(crate) fn send_now(&self, body: impl Into<FromAgent>) -> Result<(), SendError> {
        let frame = self.checked(body.into())?;
        Ok(self.outbox.push(frame)?)
    }

    /// Sends what was checked in its parts and is too long to be read once more.
    pub(crate) fn send_unread(&self, body: impl Into<FromAgent>) -> Result<(), SendError> {
        let frame = self.stamped(body.into()).encode()?;
        Ok(self.outbox.push(frame)?)
    }

    /// Sends what may be lost.
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
