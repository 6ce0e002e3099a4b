//! Classifies what stands behind the last whole batch of the last segment: padding, a torn tail, or corruption.
//!
//! The next batch is written only after the one before it is synced. So a crash leaves parts of *one* batch at most,
//! and if a complete, chained batch stands anywhere behind a bad place, that place had been acknowledged: it is damage,
//! and it must never be cut off silently. Pure.

use crate::{
    chain::Chain,
    line::{CHAIN_BYTES, CRC_TAIL_BYTES, Layout, part},
};

/// What the bytes behind the last whole batch are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Newlines only.
    Padding,
    /// Parts of a batch that was never acknowledged; so many bytes, padding not counted.
    Torn(usize),
    /// Acknowledged lines, damaged.
    Corrupt,
}

/// A piece between newlines.
struct Piece {
    from: usize,
    to: usize,
    state: State,
}

enum State {
    /// Checksum and fields are right; the position of its chain value, if it has one, and its number.
    Valid { chain_at: Option<usize>, seq: u64 },
    /// Something else, or nothing.
    Invalid,
}

/// Classifies the bytes behind the last whole batch, whose chain value is `previous`.
pub(crate) fn classify_tail(rest: &[u8], previous: Chain) -> Verdict {
    let used = rest.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    if used == 0 {
        return Verdict::Padding;
    }
    let pieces = pieces(part(rest, 0, used));
    let ends: Vec<_> = pieces.iter().enumerate().filter_map(end_of_batch).take(2).collect();
    let [(position, chain_at)] = *ends else {
        // No batch ends here: parts of one. Two end here: the first had been acknowledged.
        return if ends.is_empty() { Verdict::Torn(used) } else { Verdict::Corrupt };
    };
    let (before, behind) = pieces.split_at_checked(position + 1).unwrap_or_default();
    if behind.iter().any(|piece| matches!(piece.state, State::Valid { .. })) {
        // Another batch begins behind the end of this one.
        return Verdict::Corrupt;
    }
    let invalid = before.iter().rposition(|piece| matches!(piece.state, State::Invalid));
    let is_damage = match invalid {
        // All lines are right and yet they do not follow: no tearing does that, unless it took the last newline.
        None => used < rest.len(),
        Some(invalid) => follows(rest, &pieces, invalid, (position, chain_at), previous),
    };
    if is_damage { Verdict::Corrupt } else { Verdict::Torn(used) }
}

fn end_of_batch((position, piece): (usize, &Piece)) -> Option<(usize, usize)> {
    match piece.state {
        State::Valid { chain_at: Some(chain_at), .. } => Some((position, chain_at)),
        _ => None,
    }
}

/// Whether the lines behind an invalid piece, up to the end at `end`, are a complete batch that follows the damaged one.
/// The damaged one's chain value is either still written in the invalid piece, or can be computed from what precedes it.
fn follows(
    rest: &[u8],
    pieces: &[Piece],
    invalid: usize,
    (end, chain_at): (usize, usize),
    previous: Chain,
) -> bool {
    let lines = pieces.get(invalid + 1..=end).unwrap_or_default();
    let is_dense = lines.windows(2).all(|pair| match pair {
        [
            Piece { state: State::Valid { seq, .. }, .. },
            Piece { state: State::Valid { seq: next, .. }, .. },
        ] => seq.checked_add(1) == Some(*next),
        _ => false,
    });
    let (Some(first), Some(last), Some(damaged)) =
        (lines.first(), lines.last(), pieces.get(invalid))
    else {
        return false;
    };
    let value_at = last.from + chain_at + 10;
    let Some(value) = Chain::parse(part(rest, value_at, value_at + 64)) else { return false };
    let batch = part(rest, first.from, last.from + chain_at);
    // The invalid piece may be the second half of a line that a flipped newline split: count from its end.
    let key_at = damaged.to.saturating_sub(CRC_TAIL_BYTES + CHAIN_BYTES);
    let written = Chain::parse(part(rest, key_at + 10, key_at + 74));
    let computed = previous.after(part(rest, 0, key_at));
    is_dense && [written, Some(computed)].into_iter().flatten().any(|c| c.after(batch) == value)
}

/// Cuts bytes into pieces: at newlines, and in invalid lines also where a damaged newline may have stood.
fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    for to in ends {
        let whole = piece(bytes, from, to);
        if matches!(whole.state, State::Valid { .. }) {
            pieces.push(whole);
        } else {
            split_invalid(bytes, from, to, &mut pieces);
        }
        from = to + 1;
    }
    pieces
}

fn split_invalid(bytes: &[u8], mut from: usize, to: usize, pieces: &mut Vec<Piece>) {
    const BEGIN: &[u8] = b"{\"seq\":";
    let line = part(bytes, from, to);
    let line_from = from;
    for at in memchr::memmem::find_iter(line, BEGIN) {
        let at = line_from + at;
        if at >= from + 2 && part(bytes, at - 2, at - 1) == b"}" {
            pieces.push(piece(bytes, from, at - 1));
            from = at;
        }
    }
    pieces.push(piece(bytes, from, to));
}

fn piece(bytes: &[u8], from: usize, to: usize) -> Piece {
    let state = match Layout::read(part(bytes, from, to)) {
        Ok(Layout { chain_at, seq, .. }) => State::Valid { chain_at, seq },
        Err(_) => State::Invalid,
    };
    Piece { from, to, state }
}
