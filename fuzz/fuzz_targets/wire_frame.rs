//! Any bytes as a stream of frames, in either direction: never a crash, memory follows what came, however the bytes are
//! cut the same messages, and what was taken is written and read again as it was. The first byte chooses direction and
//! cut. An input that begins with `b` is one body: its length is put before it, for random changes seldom hit one.
#![no_main]

use abide_wire::{
    Body, DeframeEvent, Deframer, Direction, FromAgent, Message, RefusalError, ToAgent, transcode,
};
use libfuzzer_sys::fuzz_target;

/// What a stream came to: its messages, and whether its boundary was lost.
type Read<B> = (Vec<Result<Message<B>, RefusalError>>, bool);

fn read<'a, B: Body>(pieces: impl Iterator<Item = &'a [u8]>) -> Read<B> {
    let mut deframer = Deframer::new(B::DIRECTION);
    let mut messages = Vec::new();
    let mut came = 0;
    for mut piece in pieces {
        came += piece.len();
        loop {
            match deframer.take(&mut piece) {
                Err(_) => return (messages, true),
                Ok(None) => break,
                Ok(Some(DeframeEvent::Refused(refusal))) => messages.push(Err(refusal)),
                Ok(Some(DeframeEvent::Frame(frame))) => {
                    let mut line = Vec::new();
                    if transcode(frame.body(), &mut line).is_ok() {
                        serde_json::from_slice::<serde_json::Value>(&line)
                            .expect("what was written is JSON");
                    }
                    messages.push(Message::decode(&frame));
                }
            }
        }
        assert!(deframer.held_bytes() <= 2 * came + 64, "memory beyond what came");
    }
    (messages, false)
}

fn check<B: Body + std::fmt::Debug + PartialEq>(bytes: &[u8], size: usize) {
    let whole = read::<B>(std::iter::once(bytes));
    assert_eq!(read::<B>(bytes.chunks(size)), whole);
    for message in whole.0 {
        match message {
            Err(refusal) => assert!(!refusal.problems.is_empty(), "refused without a reason"),
            Ok(message) => {
                // A measurement that came as an integer is written as a float, which may be longer than its limit.
                let Ok(again) = message.encode() else { continue };
                assert_eq!(read::<B>(std::iter::once(&*again)), (vec![Ok(message)], false));
            }
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let bytes = match bytes.strip_prefix(b"b") {
        Some(body) => {
            let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
            [&length.to_be_bytes(), body].concat()
        }
        None => bytes.to_vec(),
    };
    let size = usize::from(choice >> 1) + 1;
    match if choice & 1 == 0 { Direction::FromAgent } else { Direction::ToAgent } {
        Direction::FromAgent => check::<FromAgent>(&bytes, size),
        Direction::ToAgent => check::<ToAgent>(&bytes, size),
    }
});
