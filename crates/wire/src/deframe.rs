//! From bytes to frames, without any I/O: the same for pipes, sockets, tests and fuzzing.
//!
//! Memory follows what was received, never what was announced: at most twice the bytes that came, and a chunk. A frame
//! that is refused is not kept; its remaining bytes are counted and dropped, so that the next frame is found. A length
//! above every limit means that the boundary is lost, and nothing after it is read.

use std::fmt;

use bytes::Bytes;

use crate::{
    field_error::{FieldError, FieldErrorCode, MalformedError, RefusalCode, RefusalError},
    frame::Frame,
    limits::{CHUNK_BYTES, FRAME_BYTES_MAX, LENGTH_BYTES, NOISE_BYTES_MAX},
    message_type::Direction,
    skim::Skimmer,
};

/// What a [`Deframer`] found in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeframeEvent {
    /// A whole frame.
    Frame(Frame),
    /// A frame that is refused. The peer is told; the link goes on.
    Refused(RefusalError),
}

/// The frame boundary is lost: the link must be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the frame boundary is lost: the next frame would have {length} bytes, at most {FRAME_BYTES_MAX} are allowed; the stream continues with {}", Noise(.noise))]
pub struct LostBoundaryError {
    /// The impossible length.
    pub length: u32,
    /// The bytes there, from the length on; at most [`NOISE_BYTES_MAX`].
    pub noise: Vec<u8>,
}

impl LostBoundaryError {
    /// The error for the peer before the link is closed.
    pub fn refusal(&self) -> RefusalError {
        let problem = FieldError::new("", FieldErrorCode::Malformed, self.to_string());
        RefusalError::new(RefusalCode::InvalidMessage, problem)
    }

    /// Whether the noise is text, as a forgotten print writes it.
    pub fn is_text(&self) -> bool {
        let is_print =
            |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b | b' '..=0x7e | 128..);
        self.noise.iter().all(is_print)
    }
}

/// Shows noise as text.
struct Noise<'a>(&'a [u8]);

impl fmt::Display for Noise<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())?;
        let lost = LostBoundaryError { length: 0, noise: self.0.to_vec() };
        if lost.is_text() {
            f.write_str(" (text: logs belong on stderr)")?;
        }
        Ok(())
    }
}

/// The stream ended inside a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream ended inside a frame, after {received} bytes of it")]
pub struct CutOffError {
    /// Bytes of the frame that had come, its length included.
    pub received: usize,
}

/// Splits a stream of bytes into frames; a [`crate::FrameReader`] feeds it.
#[derive(Debug)]
pub struct Deframer {
    state: State,
    partial: PartialBody,
}

#[derive(Debug)]
enum State {
    Length { bytes: [u8; LENGTH_BYTES], received: usize },
    Body,
    Dropping { left: usize, received: usize },
    Lost(LostBoundaryError),
}

/// A body that is not complete yet.
#[derive(Debug)]
struct PartialBody {
    length: usize,
    body: Vec<u8>,
    skimmer: Skimmer,
}

impl State {
    const START: Self = Self::Length { bytes: [0; LENGTH_BYTES], received: 0 };
}

impl Deframer {
    /// Begins at a frame boundary.
    pub fn new(direction: Direction) -> Self {
        let skimmer = Skimmer::new(direction, 0);
        let partial = PartialBody { length: 0, body: Vec::new(), skimmer };
        Self { state: State::START, partial }
    }

    /// Takes bytes from the front of `input` until there is an event or no byte is left. Call it again while `input` is not
    /// empty. `Ok(None)` asks for more bytes; an error is final.
    pub fn take(&mut self, input: &mut &[u8]) -> Result<Option<DeframeEvent>, LostBoundaryError> {
        loop {
            let event = match &mut self.state {
                State::Lost(lost) => return Err(lost.clone()),
                State::Length { bytes, received } => {
                    if !fill_length(bytes, received, input) {
                        return Ok(None);
                    }
                    let length = u32::from_be_bytes(*bytes);
                    self.begin(length, input)?
                }
                State::Dropping { left, received } => {
                    let dropped = take_front(input, *left).len();
                    *left -= dropped;
                    *received += dropped;
                    if *left > 0 {
                        return Ok(None);
                    }
                    self.state = State::START;
                    None
                }
                State::Body => match self.partial.grow(input) {
                    Ok(false) if input.is_empty() => return Ok(None),
                    Ok(false) => None,
                    Ok(true) => Some(self.complete()),
                    Err(malformed) => Some(self.refuse(malformed)),
                },
            };
            if event.is_some() || (input.is_empty() && !self.has_all()) {
                return Ok(event);
            }
        }
    }

    /// Checks that the stream may end here.
    pub fn finish(&self) -> Result<(), CutOffError> {
        let received = match &self.state {
            State::Length { received, .. } | State::Dropping { received, .. } => *received,
            State::Body => LENGTH_BYTES + self.partial.body.len(),
            State::Lost(_) => 0,
        };
        if received == 0 { Ok(()) } else { Err(CutOffError { received }) }
    }

    /// Bytes that are buffered for an incomplete frame.
    pub fn held_bytes(&self) -> usize {
        self.partial.body.capacity()
    }

    /// A frame without a body is complete before another byte comes.
    fn has_all(&self) -> bool {
        matches!(self.state, State::Body) && self.partial.length == self.partial.body.len()
    }

    fn begin(
        &mut self,
        length: u32,
        input: &[u8],
    ) -> Result<Option<DeframeEvent>, LostBoundaryError> {
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        if wanted > FRAME_BYTES_MAX {
            let mut noise = length.to_be_bytes().to_vec();
            noise.extend(input.iter().take(NOISE_BYTES_MAX - LENGTH_BYTES));
            let lost = LostBoundaryError { length, noise };
            self.state = State::Lost(lost.clone());
            return Err(lost);
        }
        self.partial.length = wanted;
        self.partial.skimmer.restart(wanted);
        self.state = State::Body;
        Ok(None)
    }

    fn complete(&mut self) -> DeframeEvent {
        self.state = State::START;
        let body = Bytes::from(std::mem::take(&mut self.partial.body));
        DeframeEvent::Frame(Frame::skimmed(body, &mut self.partial.skimmer))
    }

    fn refuse(&mut self, malformed: MalformedError) -> DeframeEvent {
        let received = std::mem::take(&mut self.partial.body).len();
        self.state = match self.partial.length - received {
            0 => State::START,
            left => State::Dropping { left, received: LENGTH_BYTES + received },
        };
        DeframeEvent::Refused(RefusalError::malformed(malformed))
    }
}

impl PartialBody {
    /// Takes bytes of one step and checks them. Gives whether the body is complete.
    fn grow(&mut self, input: &mut &[u8]) -> Result<bool, MalformedError> {
        let left = self.length - self.body.len();
        let step = left.min(self.body.len().max(CHUNK_BYTES));
        let taken = take_front(input, step);
        let room = self.body.capacity() - self.body.len();
        if room < taken.len() {
            // Never more than doubles what came, and ends exactly at the length.
            self.body.reserve_exact(step.min(self.body.len().max(taken.len())));
        }
        self.body.extend_from_slice(taken);
        self.skimmer.advance(&self.body)
    }
}

/// Fills the length's four bytes. Gives whether they are complete.
fn fill_length(bytes: &mut [u8; LENGTH_BYTES], received: &mut usize, input: &mut &[u8]) -> bool {
    let missing = bytes.get_mut(*received..).unwrap_or_default();
    let taken = take_front(input, missing.len());
    for (to, from) in missing.iter_mut().zip(taken) {
        *to = *from;
    }
    *received += taken.len();
    *received == LENGTH_BYTES
}

/// Takes at most `count` bytes from the front.
fn take_front<'a>(input: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (front, rest) = input.split_at(count.min(input.len()));
    *input = rest;
    front
}

#[cfg(test)]
mod tests {
    use super::{DeframeEvent, Deframer};
    use crate::{
        field_error::FieldErrorCode,
        limits::{CHUNK_BYTES, FRAME_BYTES_MAX},
        message_type::{Direction, MessageType},
    };

    const PING: &[u8] = b"\0\0\0\x0b\x81\xa4type\xa4ping";

    fn events(bytes: &[u8]) -> Vec<DeframeEvent> {
        let mut deframer = Deframer::new(Direction::ToAgent);
        let mut input = bytes;
        let mut events = Vec::new();
        while let Some(event) = deframer.take(&mut input).unwrap() {
            events.push(event);
        }
        assert!(input.is_empty());
        events
    }

    #[test]
    fn noise_on_stdout_is_shown_as_text() {
        let mut deframer = Deframer::new(Direction::FromAgent);
        let mut input = &b"Loading model...\nok\n"[..];
        let error = deframer.take(&mut input).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the frame boundary is lost: the next frame would have 1282367844 bytes, at most 109051904 are allowed; \
             the stream continues with \
             \"Loading model...\\nok\\n\" (text: logs belong on stderr)"
        );
        let mut more = PING;
        assert_eq!(deframer.take(&mut more), Err(error), "nothing after it is believed");
    }

    #[test]
    fn a_refused_frame_is_stepped_over() {
        let mut bytes = b"\0\0\0\x03\x93\x01\x02".to_vec();
        bytes.extend(PING);
        bytes.extend(b"\0\0\0\0");
        bytes.extend(PING);
        let codes: Vec<_> = events(&bytes)
            .into_iter()
            .map(|event| match event {
                DeframeEvent::Frame(frame) => Err(frame.message_type()),
                DeframeEvent::Refused(refusal) => Ok(refusal.problems[0].code),
            })
            .collect();
        let ping = Err(Some(MessageType::Ping));
        assert_eq!(codes, [Ok(FieldErrorCode::Type), ping, Ok(FieldErrorCode::Truncated), ping]);
    }

    #[test]
    fn an_announced_length_reserves_nothing() {
        let length = u32::try_from(FRAME_BYTES_MAX).unwrap();
        let mut deframer = Deframer::new(Direction::ToAgent);
        let mut input = &[&length.to_be_bytes()[..], b"\x82\xa4data\xc6\x06\0\0\0zz"].concat()[..];
        assert_eq!(deframer.take(&mut input), Ok(None));
        assert!(deframer.held_bytes() < 64, "{}", deframer.held_bytes());
        let megabyte = vec![0; 1 << 20];
        assert_eq!(deframer.take(&mut &megabyte[..]), Ok(None));
        assert!(deframer.held_bytes() <= 2 * (megabyte.len() + CHUNK_BYTES));
        assert_eq!(deframer.finish().map_err(|cut| cut.received), Err(4 + 13 + (1 << 20)));
    }

    #[test]
    fn a_limit_holds_as_soon_as_the_type_is_there() {
        let mut deframer = Deframer::new(Direction::FromAgent);
        let mut input = &b"\0\x10\0\0\x83\xa4type\xa9heartbeat"[..];
        let Ok(Some(DeframeEvent::Refused(refusal))) = deframer.take(&mut input) else {
            panic!("the rest of the megabyte was waited for");
        };
        assert_eq!(refusal.code.as_str(), "TOO_LARGE");
        assert_eq!(deframer.held_bytes(), 0);
    }
}
