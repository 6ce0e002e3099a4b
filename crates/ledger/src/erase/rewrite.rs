//! One segment, rewritten: lines without their words, and every batch chained and checksummed anew. Pure.

use std::{borrow::Cow, collections::BTreeSet};

use sha2::{Digest as _, Sha256};

use super::{error::EraseError, mask::mask};
use crate::{
    chain::{Chain, ChainHasher},
    line::{CRC_TAIL_BYTES, Layout, LedgerLineError, checksum_tail, part},
};

/// Stands before the chain value in the line that opens a segment.
const PREVIOUS_CHAIN: &[u8] = b"\"previous_chain\":\"";
/// The kind of that line.
const OPENED: &[u8] = b"keeper.segment_opened";

/// What became of a segment.
pub(super) struct RewrittenSegment {
    /// Its bytes, where they are other ones now.
    pub(super) bytes: Option<Vec<u8>>,
    /// The chain value behind it.
    pub(super) chain: Chain,
    /// The lines without words, and the digest of the data of each.
    pub(super) masked: Vec<(u64, String)>,
}

/// Rewrites a segment. `before` is the chain value in front of it where that was made anew. The newlines with which a segment
/// is filled ahead are left out; a segment that does not end with a whole batch is refused.
pub(super) fn rewrite(
    file: &str,
    bytes: &[u8],
    before: Option<Chain>,
    lines: &BTreeSet<u64>,
) -> Result<RewrittenSegment, EraseError> {
    let end = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    let whole = part(bytes, 0, (end + 1).min(bytes.len()));
    let opening = memchr::memchr(b'\n', whole).map_or(whole, |end| part(whole, 0, end));
    let damaged = |offset: usize, reason| EraseError::Damaged {
        file: file.to_owned(),
        offset: offset as u64,
        reason,
    };
    let begins = before.or_else(|| chain_before(opening));
    let mut chain = match begins {
        Some(chain) => chain,
        None if whole.is_empty() => Chain::START,
        None => return Err(damaged(0, LedgerLineError::Opening("it has no chain value"))),
    };
    let mut out = Vec::with_capacity(whole.len());
    let mut masked = Vec::new();
    let mut hasher = ChainHasher::from(chain);
    let (mut at, mut is_open) = (0, false);
    for raw in whole.split_inclusive(|byte| *byte == b'\n') {
        let line = raw.strip_suffix(b"\n").unwrap_or(raw);
        let layout = Layout::read(line).map_err(|reason| damaged(at, reason))?;
        let body_end = layout.chain_at.unwrap_or_else(|| line.len().saturating_sub(CRC_TAIL_BYTES));
        let data = layout.data.of(line);
        let head = part(line, 0, body_end.saturating_sub(data.len()));
        let data = if lines.contains(&layout.seq) {
            let new = mask(&layout, line)
                .map_err(|reason| EraseError::Unmasked { seq: layout.seq, reason })?;
            masked.push((layout.seq, hex::encode(Sha256::digest(new.as_bytes()))));
            Cow::Owned(new.into_bytes())
        } else if layout.kind.of(line) == OPENED {
            Cow::Owned(with_previous(data, chain))
        } else {
            Cow::Borrowed(data)
        };
        let begin = out.len();
        out.extend_from_slice(head);
        out.extend_from_slice(&data);
        hasher.update(part(&out, begin, out.len()));
        let mut tail = Vec::with_capacity(CRC_TAIL_BYTES + 1);
        is_open = layout.chain_at.is_none();
        if !is_open {
            chain = std::mem::replace(&mut hasher, ChainHasher::from(chain)).finish();
            hasher = ChainHasher::from(chain);
            out.extend_from_slice(format!(",\"chain\":\"{chain}\"").as_bytes());
        }
        tail.extend_from_slice(&checksum_tail(crc32c::crc32c(part(&out, begin, out.len()))));
        tail.push(b'\n');
        if is_open {
            hasher.update(&tail);
        }
        out.extend_from_slice(&tail);
        at += raw.len();
    }
    if is_open {
        return Err(damaged(at, LedgerLineError::Unfinished));
    }
    let is_same = out == whole;
    Ok(RewrittenSegment { bytes: (!is_same).then_some(out), chain, masked })
}

/// The data of an opening line, with this chain value in front.
fn with_previous(data: &[u8], chain: Chain) -> Vec<u8> {
    let mut new = data.to_vec();
    if let Some(at) = memchr::memmem::find(data, PREVIOUS_CHAIN) {
        let from = at + PREVIOUS_CHAIN.len();
        if let Some(old) = new.get_mut(from..from + 64) {
            old.copy_from_slice(chain.to_string().as_bytes());
        }
    }
    new
}

/// Where the chain of a segment begins where nothing before it was changed.
fn chain_before(opening: &[u8]) -> Option<Chain> {
    let from = memchr::memmem::find(opening, PREVIOUS_CHAIN)? + PREVIOUS_CHAIN.len();
    Chain::parse(opening.get(from..from + 64)?)
}
