//! The wire from outside: its vectors, its documentation, and what holds for any message and any bytes.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

#[path = "../../examples/vectors/good.rs"]
mod good;
#[path = "../../examples/vectors/malformed.rs"]
mod malformed;
#[path = "../../examples/vectors/vector.rs"]
mod vector;

mod documents;
mod handshakes;
mod messages;
mod properties;
mod streams;
mod turns;
mod vectors;

use abide_wire::{
    Body, CutOffError, DeframeEvent, Deframer, Direction, FromAgent, LostBoundaryError, Message,
    RefusalError, ToAgent,
};

/// How a stream of bytes ended.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    Clean,
    Lost(LostBoundaryError),
    CutOff(CutOffError),
}

/// A message of either direction.
#[derive(Debug, PartialEq)]
pub(crate) enum Either {
    From(Message<FromAgent>),
    To(Message<ToAgent>),
}

/// All that comes of some bytes, which arrive in these pieces.
pub(crate) fn read<'a>(
    direction: Direction,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Result<Either, RefusalError>>, End) {
    let mut deframer = Deframer::new(direction);
    let mut messages = Vec::new();
    for piece in pieces {
        let mut input = piece;
        loop {
            match deframer.take(&mut input) {
                Err(lost) => return (messages, End::Lost(lost)),
                Ok(None) => break,
                Ok(Some(DeframeEvent::Refused(refusal))) => messages.push(Err(refusal)),
                Ok(Some(DeframeEvent::Frame(frame))) => messages.push(match direction {
                    Direction::FromAgent => Message::decode(&frame).map(Either::From),
                    Direction::ToAgent => Message::decode(&frame).map(Either::To),
                }),
            }
        }
    }
    (messages, deframer.finish().map_or_else(End::CutOff, |()| End::Clean))
}

/// The one message in some bytes.
pub(crate) fn read_one(direction: Direction, bytes: &[u8]) -> Result<Either, RefusalError> {
    let (mut messages, end) = read(direction, [bytes]);
    assert!(messages.len() == 1, "{} messages, then {end:?}", messages.len());
    messages.remove(0)
}

/// A message through the wire and back.
pub(crate) fn through<B: Body>(message: &Message<B>) -> Either {
    read_one(B::DIRECTION, &message.encode().unwrap()).unwrap()
}

impl Either {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::From(message) => message.encode().unwrap(),
            Self::To(message) => message.encode().unwrap(),
        }
    }
}
