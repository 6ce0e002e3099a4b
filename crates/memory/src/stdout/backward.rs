//! Lines from the end of a file backwards, in reads that grow: what a question for the last few costs does not depend
//! on how many there are.

use std::{
    io,
    ops::{ControlFlow, Range},
};

use abide_ledger::{
    LINE_BYTES_MAX,
    storage::{StoredFile, read_up_to},
};

/// Bytes of the first read: some fifty entries.
const FIRST_BYTES: u64 = 16 * 1024;
/// Bytes of a read that looks for a newline alone.
const NEWLINE_READ_BYTES: u64 = 4 * 1024;
/// Bytes of the largest.
const READ_BYTES_MAX: u64 = 1024 * 1024;

/// Takes a line and its place; `None` stands for one that is longer than any of ours.
pub(super) type LineVisitor<'a> = dyn FnMut(u64, Option<&[u8]>) -> ControlFlow<()> + 'a;

/// Hands out the lines of a range of whole lines, the last one first, without their newlines, until `visit` has enough.
/// Empty lines are none.
pub(super) fn newest(
    file: &dyn StoredFile,
    range: Range<u64>,
    visit: &mut LineVisitor<'_>,
) -> io::Result<()> {
    let Range { start, mut end } = range;
    let mut length = FIRST_BYTES;
    while end > start {
        let from = end.saturating_sub(length).max(start);
        let bytes = read(file, from..end)?;
        let first = if from == start {
            Some(0)
        } else {
            before_last(&bytes).and_then(|b| memchr::memchr(b'\n', b)).map(|newline| newline + 1)
        };
        let Some(first) = first else {
            if length <= LINE_BYTES_MAX as u64 {
                length *= 4;
                continue;
            }
            let begin = begin_of_line(file, start..from)?;
            if visit(begin, None).is_break() {
                return Ok(());
            }
            end = begin;
            continue;
        };
        if lines_of(&bytes, first, from, visit).is_break() {
            return Ok(());
        }
        end = from + first as u64;
        length = (length * 2).min(READ_BYTES_MAX);
    }
    Ok(())
}

/// Where the last newline of the first `end` bytes ends; 0 where there is none.
pub(super) fn whole_end(file: &dyn StoredFile, end: u64) -> io::Result<u64> {
    begin_of_line(file, 0..end)
}

fn lines_of(bytes: &[u8], first: usize, base: u64, visit: &mut LineVisitor<'_>) -> ControlFlow<()> {
    let mut end = bytes.len();
    while end > first {
        let lines = bytes.get(first..end - 1).unwrap_or_default();
        let from = memchr::memrchr(b'\n', lines).map_or(first, |newline| first + newline + 1);
        let line = bytes.get(from..end - 1).unwrap_or_default();
        if !line.is_empty() {
            visit(base + from as u64, Some(line))?;
        }
        end = from;
    }
    ControlFlow::Continue(())
}

fn before_last(bytes: &[u8]) -> Option<&[u8]> {
    bytes.split_last().map(|(_, before)| before)
}

/// Where the line begins that goes on behind a range.
fn begin_of_line(file: &dyn StoredFile, range: Range<u64>) -> io::Result<u64> {
    let Range { start, mut end } = range;
    let mut length = NEWLINE_READ_BYTES;
    while end > start {
        let from = end.saturating_sub(length).max(start);
        if let Some(newline) = memchr::memrchr(b'\n', &read(file, from..end)?) {
            return Ok(from + newline as u64 + 1);
        }
        end = from;
        length = READ_BYTES_MAX;
    }
    Ok(start)
}

/// Reads a range whole.
pub(super) fn read(file: &dyn StoredFile, range: Range<u64>) -> io::Result<Vec<u8>> {
    let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
    let bytes = read_up_to(file, range.start, length)?;
    if bytes.len() < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use abide_ledger::{
        FileStorage, LINE_BYTES_MAX, Storage as _,
        storage::{Access, StoredFile},
    };

    use super::{newest, whole_end};

    fn file(bytes: &[u8]) -> (tempfile::TempDir, Box<dyn StoredFile>) {
        let folder = tempfile::tempdir().unwrap();
        let file = FileStorage::at(folder.path()).open("x", Access::Create).unwrap();
        file.write_at(bytes, 0).unwrap();
        (folder, file)
    }

    fn backwards(file: &dyn StoredFile, from: u64, to: u64) -> Vec<(u64, Option<usize>)> {
        let mut lines = Vec::new();
        newest(file, from..to, &mut |at, line| {
            lines.push((at, line.map(<[u8]>::len)));
            ControlFlow::Continue(())
        })
        .unwrap();
        lines
    }

    #[test]
    fn lines_of_all_lengths_come_from_the_end() {
        let lengths = [0, 1, 5, 16_383, 16_384, 16_385, 70_000, 3, 0, 2_000_000, 8];
        let (mut text, mut expected) = (Vec::new(), Vec::new());
        for length in lengths {
            if length > 0 {
                expected.push((text.len() as u64, Some(length)));
            }
            text.extend(vec![b'x'; length]);
            text.push(b'\n');
        }
        expected.reverse();
        let (_folder, file) = file(&text);
        assert_eq!(backwards(&*file, 0, text.len() as u64), expected);
        let behind = expected.iter().filter(|(at, _)| *at >= 8).copied().collect::<Vec<_>>();
        assert_eq!(backwards(&*file, 8, text.len() as u64), behind);
        assert_eq!(whole_end(&*file, text.len() as u64).unwrap(), text.len() as u64);
        let end = text.len() as u64 - 4;
        assert_eq!(whole_end(&*file, end).unwrap(), text.len() as u64 - 9);
    }

    #[test]
    fn an_endless_line_is_stepped_over() {
        let text = [b"a\n", &vec![b'x'; LINE_BYTES_MAX * 5][..], b"\nb\n"].concat();
        let (_folder, file) = file(&text);
        let end = text.len() as u64;
        assert_eq!(backwards(&*file, 0, end), [(end - 2, Some(1)), (2, None), (0, Some(1))]);
    }
}
