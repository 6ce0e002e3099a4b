//! Any bytes as a stream of IRC lines: never a crash, memory follows what came, however the bytes are cut the same lines,
//! every message that is written is one line, and what was written is read again as it was. The first byte chooses the cut.
#![no_main]

use abide_channels::irc::{IrcMessage, LineSplitter, SplitLine};
use libfuzzer_sys::fuzz_target;

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<SplitLine> {
    let mut splitter = LineSplitter::default();
    let mut taken = Vec::new();
    for piece in pieces {
        taken.extend(splitter.feed(piece));
        assert!(splitter.held_bytes() <= 8_191 + 512, "memory beyond one line");
    }
    taken
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let whole = read(std::iter::once(bytes));
    assert_eq!(read(bytes.chunks(usize::from(*choice).max(1))), whole);
    for taken in whole {
        let SplitLine::Line(line) = taken else { continue };
        let Ok(message) = IrcMessage::parse(&line) else { continue };
        let written = message.encode();
        let body = written.strip_suffix("\r\n").expect("a line has an end");
        assert!(!body.contains(['\r', '\n', '\0']), "one message became two lines");
        assert!(written.len() <= 8_191 + 512, "a line is too long");
        let again = IrcMessage::parse(written.as_bytes()).expect("what is written can be read");
        assert_eq!(IrcMessage::parse(again.encode().as_bytes()), Ok(again), "writing settles");
    }
});
