//! Whole lines of a file in large reads, from any place on.
//!
//! A read is as large as the second cache of a core holds, so that what was copied there is scanned from there: reads of
//! a megabyte are a quarter slower on two cores. A line that is longer than any of ours is stepped over and said.

use std::{
    io,
    ops::{ControlFlow, Range},
};

use crate::{
    line::LINE_BYTES_MAX,
    storage::{StoredFile, read_up_to, to_usize},
};

/// Bytes of one read.
pub const READ_BYTES: usize = 256 * 1024;
/// Bytes of one read that looks for the end of a line.
const PROBE_BYTES: usize = 4 * 1024;

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Whole lines, each with its newline.
    Lines(&'a [u8]),
    /// A line longer than [`LINE_BYTES_MAX`](crate::LINE_BYTES_MAX).
    TooLong,
}

/// The place of the first line that begins at or behind `at`; `end` where none does.
pub fn line_start(file: &dyn StoredFile, at: u64, end: u64) -> io::Result<u64> {
    let Some(mut at) = at.checked_sub(1) else { return Ok(0) };
    let mut length = PROBE_BYTES;
    while at < end {
        let bytes = read_up_to(file, at, length.min(to_usize(end - at)))?;
        if let Some(newline) = memchr::memchr(b'\n', &bytes) {
            return Ok((at + newline as u64 + 1).min(end));
        }
        if bytes.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at += bytes.len() as u64;
        length = READ_BYTES;
    }
    Ok(end)
}

/// Hands out the lines of a range that begins and ends with whole lines, in order, until `take` has enough.
///
/// The buffer is the caller's, for the next range: one of its own for each range would cost a third of the time.
pub fn pieces(
    file: &dyn StoredFile,
    range: Range<u64>,
    buffer: &mut Vec<u8>,
    take: &mut dyn FnMut(u64, Piece<'_>) -> ControlFlow<()>,
) -> io::Result<()> {
    let Range { start: mut at, end } = range;
    // What a long line made of it is given back.
    buffer.resize(READ_BYTES, 0);
    buffer.shrink_to(READ_BYTES);
    while at < end {
        let wanted = buffer.len().min(to_usize(end - at));
        let room = buffer.get_mut(..wanted).unwrap_or_default();
        let filled = fill(file, at, room)?;
        let whole = memchr::memrchr(b'\n', room.get(..filled).unwrap_or_default());
        let (piece, behind) = match whole {
            Some(newline) => {
                let lines = room.get(..=newline).unwrap_or_default();
                (Piece::Lines(lines), at + lines.len() as u64)
            }
            None if filled == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            None if buffer.len() <= LINE_BYTES_MAX && at + (filled as u64) < end => {
                let length = buffer.len() * 4;
                buffer.resize(length, 0);
                continue;
            }
            None => (Piece::TooLong, line_start(file, at + filled as u64, end)?),
        };
        if take(at, piece).is_break() {
            return Ok(());
        }
        at = behind;
    }
    Ok(())
}

/// Reads until the room is full or the file ends.
fn fill(file: &dyn StoredFile, at: u64, room: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = room.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;

    use super::{Piece, READ_BYTES, line_start, pieces};
    use crate::{
        LINE_BYTES_MAX,
        storage::{Access, FileStorage, Storage as _, StoredFile},
    };

    fn file(bytes: &[u8]) -> (tempfile::TempDir, Box<dyn StoredFile>) {
        let folder = tempfile::tempdir().unwrap();
        let file = FileStorage::at(folder.path()).open("x", Access::Create).unwrap();
        file.write_at(bytes, 0).unwrap();
        (folder, file)
    }

    fn read(file: &dyn StoredFile, from: u64, to: u64) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        pieces(file, from..to, &mut Vec::new(), &mut |at, piece| {
            let lines = match piece {
                Piece::Lines(lines) => Some(lines.to_vec()),
                Piece::TooLong => None,
            };
            found.push((at, lines));
            ControlFlow::Continue(())
        })
        .unwrap();
        found
    }

    #[test]
    fn a_line_longer_than_a_read_comes_whole_and_an_endless_one_is_stepped_over() {
        let long = vec![b'x'; 3 * READ_BYTES];
        let endless = vec![b'y'; LINE_BYTES_MAX * 5];
        let bytes = [b"a\n", &long[..], b"\nb\n", &endless, b"\nc\n"].concat();
        let (_folder, file) = file(&bytes);
        let found = read(&*file, 0, bytes.len() as u64);
        assert!(
            found
                .iter()
                .all(|(_, lines)| { lines.as_ref().is_none_or(|lines| lines.ends_with(b"\n")) })
        );
        let too_long: Vec<_> =
            found.iter().filter(|(_, lines)| lines.is_none()).map(|(at, _)| *at).collect();
        assert_eq!(too_long, [2 + long.len() as u64 + 1 + 2]);
        let whole: Vec<u8> = found.into_iter().filter_map(|(_, lines)| lines).flatten().collect();
        assert_eq!(whole, [b"a\n", &long[..], b"\nb\nc\n"].concat());
    }

    proptest! {
        #[test]
        fn every_part_begins_where_the_one_before_ends(
            lines in prop::collection::vec("[a-z]{0,40}", 1..40), cuts in prop::collection::vec(0_u64..1_700, 0..6),
        ) {
            let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            let (_folder, file) = file(text.as_bytes());
            let end = text.len() as u64;
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(end)).collect();
            cuts.extend([0, end]);
            cuts.sort_unstable();
            let mut whole = Vec::new();
            for pair in cuts.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|at| line_start(&*file, at, end).unwrap());
                prop_assert!(from == end || from == 0 || text.as_bytes()[usize::try_from(from - 1).unwrap()] == b'\n');
                whole.extend(read(&*file, from, to).into_iter().filter_map(|(_, lines)| lines).flatten());
            }
            prop_assert_eq!(whole, text.into_bytes());
        }
    }
}
