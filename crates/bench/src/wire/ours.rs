//! Our side of a slice: bytes to a frame, the frame to a checked message, the message to bytes.

use std::hint::black_box;

use abide_wire::{Body, DeframeEvent, Deframer, Direction, Frame, FromAgent, Message, ToAgent};

use super::samples::SampleMessage;
use crate::{error::BenchError, system::Stopwatch};

/// Reads and writes a message so many times; gives the seconds that it took.
pub(super) fn seconds(sample: &SampleMessage, count: u32) -> Result<f64, BenchError> {
    match sample.direction {
        Direction::FromAgent => of::<FromAgent>(&sample.frame, count),
        Direction::ToAgent => of::<ToAgent>(&sample.frame, count),
    }
}

fn of<B: Body>(frame: &[u8], count: u32) -> Result<f64, BenchError> {
    let mut deframer = Deframer::new(B::DIRECTION);
    let mut out = Vec::new();
    let watch = Stopwatch::start();
    for _ in 0..count {
        let read = next_frame(&mut deframer, black_box(frame))?;
        let message = Message::<B>::decode(&read).map_err(BenchError::of("read a message"))?;
        out.clear();
        black_box(&message).encode_into(&mut out).map_err(BenchError::of("write a message"))?;
        black_box(&out);
    }
    let took = watch.seconds();
    if out != frame {
        return Err(BenchError::Wrong("a message came back as other bytes".into()));
    }
    Ok(took)
}

/// The frame in these bytes, which hold just one.
pub(super) fn next_frame(deframer: &mut Deframer, bytes: &[u8]) -> Result<Frame, BenchError> {
    let mut input = bytes;
    loop {
        match deframer.take(&mut input).map_err(BenchError::of("cut a stream into frames"))? {
            Some(DeframeEvent::Frame(frame)) => return Ok(frame),
            Some(DeframeEvent::Refused(refusal)) => {
                return Err(BenchError::of("read a frame")(refusal));
            }
            None if input.is_empty() => {
                return Err(BenchError::Wrong("a whole frame was none".into()));
            }
            None => {}
        }
    }
}
