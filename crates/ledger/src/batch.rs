//! Stamping: bodies become the lines of one batch, closed by one chain value. Pure.
//!
//! This is all that happens to an event between its caller and the disk; it must stay a copy, a checksum and a hash.

use std::sync::Arc;

use abide_domain::Timestamp;

use crate::{
    chain::Chain,
    draft::Bodies,
    index::IndexedLine,
    line::{checksum_tail, push_number},
    mark::Mark,
};

/// A batch in the form in which it stands in a segment.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// Its lines, each with its newline.
    pub(crate) text: Arc<String>,
    /// Its lines for the index; offsets count from the batch's beginning.
    pub(crate) lines: Vec<IndexedLine>,
    /// Its first number.
    pub(crate) first_seq: u64,
    /// Where the ledger stands after it. The tick rule is still the one before it: the writer changes it with the keeper's own events.
    pub(crate) mark: Mark,
}

/// Stamps bodies as the batch that follows `mark` when the clock shows `now`.
pub(crate) fn stamp(bodies: &Bodies, mark: &Mark, now: Timestamp) -> Batch {
    let (tick, timestamp) = mark.stamp(now);
    let mut header = String::with_capacity(64);
    header.push_str(",\"tick\":");
    push_number(&mut header, tick);
    header.push_str(",\"timestamp\":\"");
    header.push_str(&timestamp.to_string());
    header.push('"');

    let mut text = String::with_capacity(bodies.stamped_bytes_max());
    let mut lines = Vec::with_capacity(bodies.items.len());
    let (mut seq, mut chain) = (mark.seq, mark.chain);
    let last = bodies.items.len();
    for (position, (body, terms)) in bodies.iter().enumerate() {
        seq += 1;
        let begin = text.len();
        text.push_str("{\"seq\":");
        push_number(&mut text, seq);
        text.push_str(&header);
        text.push_str(body);
        if position + 1 == last {
            chain = close(&mut text, mark.chain);
        }
        let crc = crc32c::crc32c(text.as_bytes().get(begin..).unwrap_or_default());
        text.push_str(std::str::from_utf8(&checksum_tail(crc)).unwrap_or_default());
        text.push('\n');
        let bytes = (text.len() - begin) as u64;
        lines.push(IndexedLine { seq, offset: begin as u64, bytes, terms });
    }
    let mark = Mark { seq, tick, timestamp, chain, ..*mark };
    Batch { text: Arc::new(text), lines, first_seq: mark.seq + 1 - last as u64, mark }
}

/// Writes the chain value behind the last body.
fn close(text: &mut String, previous: Chain) -> Chain {
    let chain = previous.after(text.as_bytes());
    text.push_str(",\"chain\":\"");
    text.push_str(&chain.to_string());
    text.push('"');
    chain
}
