//! Finds where the entries of a tick begin, by halving the file: some twenty small reads, whatever its size.
//!
//! The lines of a file stand in the order of their ticks. A line that cannot be read, or whose tick cannot be right
//! where it stands, is stepped over.

use std::{
    io,
    ops::{ControlFlow, Range, RangeInclusive},
};

use abide_domain::EntityName;
use abide_ledger::{
    LINE_BYTES_MAX,
    storage::{StoredFile, read_up_to},
    text::line_start,
};

use super::{backward::newest, entry::ParsedLine};

/// A range this small is read as a whole.
const WHOLE_BYTES: u64 = 2 * 1024;
/// How far the end of a range is looked for at first; four times as far each time after.
const STRIDE_BYTES: u64 = 16 * 1024;
/// Bytes of the first read at an offset.
const FIRST_READ_BYTES: usize = 4 * 1024;

/// The bytes in which the entries of some ticks stand; lines that cannot be read may stand among them and at their ends.
pub(super) fn range_of(
    file: &dyn StoredFile,
    end: u64,
    ticks: &RangeInclusive<u64>,
    entity: &EntityName,
) -> io::Result<Range<u64>> {
    if ticks.is_empty() {
        return Ok(0..0);
    }
    let mut search = TickSearch { file, entity, newest_tick: 0 };
    newest(file, 0..end, &mut |_, line| match line.map(|line| ParsedLine::read(line, entity)) {
        Some(Ok(line)) => {
            search.newest_tick = line.tick;
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })?;
    let from = search.first_at(0..end, end, *ticks.start())?;
    let to = match ticks.end().checked_add(1) {
        Some(behind) => search.first_at(search.stride(from, end, behind)?, end, behind)?,
        None => end,
    };
    Ok(from..to.max(from))
}

struct TickSearch<'a> {
    file: &'a dyn StoredFile,
    entity: &'a EntityName,
    newest_tick: u64,
}

/// The first line that counts at a place, and where the next one begins.
struct LineAtTick {
    at: u64,
    behind: u64,
    tick: u64,
}

impl TickSearch<'_> {
    /// A range that begins with a line and in which the first entry with this tick or a later one must stand: most
    /// ranges are short, and their ends near.
    fn stride(&self, from: u64, end: u64, tick: u64) -> io::Result<Range<u64>> {
        let bounds = 0..=self.newest_tick;
        let (mut low, mut stride) = (from, STRIDE_BYTES);
        while low + stride < end {
            let high = low + stride;
            match self.line_at(high..end, &bounds)? {
                Some(line_at) if line_at.tick < tick => low = line_at.behind,
                _ => return Ok(low..high),
            }
            stride *= 4;
        }
        Ok(low..end)
    }

    /// The place of the first entry with this tick or a later one; `end` where there is none. It must stand in the range
    /// or be the first behind it.
    fn first_at(&self, range: Range<u64>, end: u64, tick: u64) -> io::Result<u64> {
        let Range { start: mut low, end: mut high } = range;
        let mut bounds = 0..=self.newest_tick;
        // The line that `low` was set behind may have reached over `high`.
        while high.saturating_sub(low) > WHOLE_BYTES {
            let middle = low + (high - low) / 2;
            match self.line_at(middle..high, &bounds)? {
                Some(line_at) if line_at.tick < tick => {
                    low = line_at.behind;
                    bounds = line_at.tick..=*bounds.end();
                }
                Some(line_at) => {
                    high = middle;
                    bounds = *bounds.start()..=line_at.tick;
                }
                None => high = middle,
            }
        }
        // `high` may lie within a line; the lines that begin below it are looked at one by one.
        let mut at = low;
        while let Some(line_at) = self.line_at(at..high, &bounds)? {
            if line_at.tick >= tick {
                return Ok(line_at.at);
            }
            at = line_at.behind;
        }
        line_start(self.file, high, end)
    }

    /// The first line that begins in a range, can be read, and has a tick within bounds.
    fn line_at(
        &self,
        range: Range<u64>,
        bounds: &RangeInclusive<u64>,
    ) -> io::Result<Option<LineAtTick>> {
        let mut found = None;
        // A line begins behind a newline: the read begins with the byte before.
        let mut at = range.start.saturating_sub(1);
        let mut is_aligned = range.start == 0;
        while at < range.end && found.is_none() {
            let bytes = self.read_lines(at)?;
            let skipped = if is_aligned {
                0
            } else {
                memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1)
            };
            let lines = bytes.get(skipped..).unwrap_or_default();
            at = hand_out(lines, at + skipped as u64, range.end, &mut |at, line| {
                let tick = ParsedLine::read(line, self.entity).ok().map(|line| line.tick);
                let Some(tick) = tick.filter(|tick| bounds.contains(tick)) else {
                    return ControlFlow::Continue(());
                };
                found = Some(LineAtTick { at, behind: at + line.len() as u64 + 1, tick });
                ControlFlow::Break(())
            });
            is_aligned = true;
            if bytes.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// Reads on from a place to the end of a line, as far as one read goes: a line behind a newline is whole in it.
    fn read_lines(&self, at: u64) -> io::Result<Vec<u8>> {
        let mut length = FIRST_READ_BYTES;
        loop {
            let mut bytes = read_up_to(self.file, at, length)?;
            let is_end = bytes.len() < length || length > LINE_BYTES_MAX;
            let newlines = memchr::memchr_iter(b'\n', &bytes).take(2).count();
            if newlines == 2 || is_end {
                let whole =
                    memchr::memrchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1);
                bytes.truncate(whole);
                return Ok(bytes);
            }
            length *= 4;
        }
    }
}

fn hand_out(
    lines: &[u8],
    base: u64,
    end: u64,
    visit: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
) -> u64 {
    let mut at = base;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if at >= end || visit(at, text).is_break() {
            break;
        }
        at += line.len() as u64;
    }
    at
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use abide_ledger::{
        FileStorage, Storage as _,
        storage::{Access, StoredFile},
    };
    use proptest::prelude::*;

    use super::range_of;

    fn file(text: &str) -> (tempfile::TempDir, Box<dyn StoredFile>) {
        let folder = tempfile::tempdir().unwrap();
        let file = FileStorage::at(folder.path()).open("x", Access::Create).unwrap();
        file.write_at(text.as_bytes(), 0).unwrap();
        (folder, file)
    }

    fn line(tick: u64, content: &str) -> String {
        format!(
            "{{\"tick\":{tick},\"entity\":\"@a\",\"content\":\"{content}\",\"timestamp\":\"2025-12-06T17:33:23.651621Z\"}}\n"
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn exactly_the_lines_of_the_ticks_are_found(
            steps in prop::collection::vec((0_u64..3, 0_usize..4_000, prop::bool::weighted(0.1)), 1..60),
            from in 0_u64..70, length in 0_u64..30,
        ) {
            let (mut text, mut tick, mut lines) = (String::new(), 5, Vec::new());
            for (step, bytes, is_corrupt) in steps {
                tick += step;
                if is_corrupt {
                    writeln!(text, "{{\"tick\":{}}}", 90 - tick.min(90)).unwrap();
                }
                lines.push((text.len() as u64, tick));
                text += &line(tick, &"x".repeat(bytes));
            }
            let (_folder, file) = file(&text);
            let ticks = from..=from + length;
            let range = range_of(&*file, text.len() as u64, &ticks, &"@a".parse().unwrap()).unwrap();
            for (at, tick) in lines {
                prop_assert_eq!(range.contains(&at), ticks.contains(&tick), "{} at {} in {:?}", tick, at, range);
            }
        }
    }

    #[test]
    fn one_wrong_tick_misleads_nobody() {
        let mut text = String::new();
        for tick in 0..400 {
            let shown = if tick == 200 { 999_999 } else { tick };
            text += &line(shown, &"x".repeat(300));
        }
        let (_folder, file) = file(&text);
        let entity = "@a".parse().unwrap();
        let whole = text.len() as u64;
        for tick in [0, 100, 199, 201, 250, 399] {
            let range = range_of(&*file, whole, &(tick..=tick), &entity).unwrap();
            let found = &text[usize::try_from(range.start).unwrap()..];
            assert!(found.starts_with(&format!("{{\"tick\":{tick},")), "{tick}");
        }
        let none = range_of(&*file, whole, &(500..=600), &entity).unwrap();
        assert!(none.end - none.start < 1_000);
        #[expect(clippy::reversed_empty_ranges, reason = "a person may ask for it")]
        let reversed = range_of(&*file, whole, &(20..=10), &entity).unwrap();
        assert!(reversed.is_empty());
    }
}
