//! The sparse index: for each block of a segment, which entities, kinds and epochs occur in it.
//!
//! A term is a 32-bit checksum of a name; two names may share one, so a block that holds all terms of a query *may*
//! hold its lines, and a block that lacks one does not. It is a cache: it can be deleted and is rebuilt from the lines,
//! and it must never be used for a segment whose chain value it does not carry.

use std::{ops::Range, sync::Arc};

use crate::{
    chain::Chain,
    line::{Layout, Span, part},
};

/// A block is closed at the first line end past this many bytes: small enough to read for one answer (about 100 lines),
/// large enough that 64 MiB need only some 2,000 blocks.
const BLOCK_BYTES_MIN: u64 = 32 * 1024;
/// Most terms that an index file may claim for a block; more is damage.
const BLOCK_TERMS_MAX: usize = 1 << 20;
/// First bytes of an index file; the number is the version of its form.
const MAGIC: &[u8; 16] = b"abide-index   1\n";

/// Up to three terms of a line: entity, kind, epoch.
pub(crate) type Terms = [Option<u32>; 3];

/// How names become terms. The seed keeps an entity apart from a kind of the same name.
pub(crate) mod term {
    pub(crate) fn entity(name: &[u8]) -> u32 {
        crc32c::crc32c_append(1, name)
    }

    pub(crate) fn kind(name: &[u8]) -> u32 {
        crc32c::crc32c_append(2, name)
    }

    pub(crate) fn epoch(id: &[u8]) -> u32 {
        crc32c::crc32c_append(3, id)
    }
}

/// The terms of a line.
pub(crate) fn terms_of(layout: &Layout, line: &[u8]) -> Terms {
    let of = |span: Span| span.of(line);
    [
        Some(term::entity(of(layout.entity))),
        Some(term::kind(of(layout.kind))),
        layout.epoch.map(|epoch| term::epoch(of(epoch))),
    ]
}

/// Some lines that stand together in a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Their bytes in the segment.
    pub(crate) bytes: Range<u64>,
    /// Their sequence numbers.
    pub(crate) seqs: Range<u64>,
    /// Their terms, sorted; `None` until the block is closed.
    terms: Option<Vec<u32>>,
}

impl Block {
    /// Whether lines with this term may stand here.
    pub(crate) fn may_hold(&self, term: u32) -> bool {
        self.terms.as_ref().is_none_or(|terms| terms.binary_search(&term).is_ok())
    }
}

/// A line that is to be indexed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexedLine {
    pub(crate) seq: u64,
    pub(crate) offset: u64,
    /// Its length with its newline.
    pub(crate) bytes: u64,
    pub(crate) terms: Terms,
}

/// The index of one segment, complete or not yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    closed: Vec<Arc<Block>>,
    open: Option<Block>,
    open_terms: Vec<u32>,
}

impl Index {
    /// Adds the next line of the segment.
    pub(crate) fn push(&mut self, line: IndexedLine) {
        let begin = line.offset;
        let block = self.open.get_or_insert(Block {
            bytes: begin..begin,
            seqs: line.seq..line.seq,
            terms: None,
        });
        block.bytes.end = line.offset + line.bytes;
        block.seqs.end = line.seq + 1;
        for term in line.terms.into_iter().flatten() {
            // Neighbours mostly share entity and epoch; what repeats further apart is removed when the block closes.
            if self.open_terms.iter().rev().take(6).all(|recent| *recent != term) {
                self.open_terms.push(term);
            }
        }
        if block.bytes.end - block.bytes.start >= BLOCK_BYTES_MIN {
            self.close_block();
        }
    }

    /// Closes the last block, at the end of a segment.
    pub(crate) fn close_block(&mut self) {
        if let Some(mut block) = self.open.take() {
            let mut terms = std::mem::take(&mut self.open_terms);
            terms.sort_unstable();
            terms.dedup();
            terms.shrink_to_fit();
            block.terms = Some(terms);
            self.closed.push(Arc::new(block));
        }
    }

    /// The blocks in order.
    pub(crate) fn blocks(&self) -> Vec<Arc<Block>> {
        let open = self.open.iter().map(|block| Arc::new(block.clone()));
        self.closed.iter().cloned().chain(open).collect()
    }

    /// The offset of the newest block that begins at or before a sequence number, and the number it begins with.
    pub(crate) fn floor(&self, seq: u64) -> Option<(u64, u64)> {
        if let Some(open) = self.open.as_ref().filter(|open| open.seqs.start <= seq) {
            return Some((open.bytes.start, open.seqs.start));
        }
        let after = self.closed.partition_point(|block| block.seqs.start <= seq);
        let block = self.closed.get(after.checked_sub(1)?)?;
        Some((block.bytes.start, block.seqs.start))
    }

    /// Writes it as a file: magic, chain value of its segment, blocks, and a checksum over all of that.
    pub(crate) fn to_file(&self, chain: Chain) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.extend(chain.as_bytes());
        let blocks = self.blocks();
        out.extend((blocks.len() as u64).to_le_bytes());
        for block in &blocks {
            let terms = block.terms.as_deref().unwrap_or_default();
            let (bytes, seqs) = (&block.bytes, &block.seqs);
            for number in [bytes.start, bytes.end, seqs.start, seqs.end, terms.len() as u64] {
                out.extend(number.to_le_bytes());
            }
            out.extend(terms.iter().flat_map(|term| term.to_le_bytes()));
        }
        let crc = crc32c::crc32c(&out);
        out.extend(crc.to_le_bytes());
        out
    }

    /// Reads a file back; `None` where it is damaged or belongs to other content.
    pub(crate) fn from_file(bytes: &[u8], chain: Chain) -> Option<Self> {
        let covered = bytes.len().checked_sub(4)?;
        let (covered, crc) = bytes.split_at_checked(covered)?;
        let matches = crc == crc32c::crc32c(covered).to_le_bytes()
            && part(covered, 0, 16) == MAGIC
            && part(covered, 16, 48) == chain.as_bytes();
        if !matches {
            return None;
        }
        let mut rest = covered.get(48..)?;
        let blocks = take_number(&mut rest)?;
        let mut closed = Vec::new();
        for _ in 0..blocks {
            closed.push(Arc::new(take_block(&mut rest)?));
        }
        rest.is_empty().then(|| Self { closed, ..Self::default() })
    }
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let (number, tail) = rest.split_first_chunk::<8>()?;
    *rest = tail;
    Some(u64::from_le_bytes(*number))
}

fn take_block(rest: &mut &[u8]) -> Option<Block> {
    let bytes = take_number(rest)?..take_number(rest)?;
    let seqs = take_number(rest)?..take_number(rest)?;
    let count = usize::try_from(take_number(rest)?).ok().filter(|n| *n <= BLOCK_TERMS_MAX)?;
    let (terms, tail) = rest.split_at_checked(count * 4)?;
    *rest = tail;
    let terms = terms.as_chunks::<4>().0.iter().map(|term| u32::from_le_bytes(*term)).collect();
    Some(Block { bytes, seqs, terms: Some(terms) })
}

#[cfg(test)]
mod tests {
    use super::{Chain, Index, IndexedLine, term};

    fn index() -> Index {
        let mut index = Index::default();
        for seq in 1..=500_u64 {
            let name = format!("@a{}", seq % 7);
            let terms = [Some(term::entity(name.as_bytes())), Some(term::kind(b"x.y")), None];
            index.push(IndexedLine { seq, offset: (seq - 1) * 300, bytes: 300, terms });
        }
        index.close_block();
        index
    }

    #[test]
    fn a_file_reads_back_equal_and_any_flipped_bit_makes_it_void() {
        let index = index();
        let chain = Chain::START.after(b"x");
        let file = index.to_file(chain);
        assert_eq!(Index::from_file(&file, chain).as_ref(), Some(&index));
        assert_eq!(Index::from_file(&file, Chain::START), None);
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 4;
            assert_eq!(Index::from_file(&damaged, chain), None, "byte {at}");
            assert_eq!(Index::from_file(&file[..at], chain), None, "cut at {at}");
        }
    }

    #[test]
    fn the_floor_of_a_number_is_the_block_that_holds_it() {
        let index = index();
        for seq in 1..=500 {
            let (offset, first) = index.floor(seq).unwrap();
            assert!(first <= seq && offset == (first - 1) * 300, "{seq}");
        }
        assert_eq!(index.floor(0), None);
    }
}
