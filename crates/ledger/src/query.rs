//! Finds events by entity, kind and epoch over the sparse index: blocks that cannot hold them are not read.

use std::{collections::VecDeque, sync::Arc};

use abide_domain::{EntityName, EpochId, event::kind_fits};

use crate::{
    damage::ReadError,
    index::{Block, term},
    page::{Page, PageLineError},
    position::SegmentPosition,
    record::Record,
    segments::{SegmentEntry, Segments},
};

/// Which events to find. The default finds all, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Only events of this entity.
    pub entity: Option<EntityName>,
    /// Only events that this one caused.
    pub author: Option<EntityName>,
    /// Only events of these kinds; `epoch.*` stands for a group. Empty for all.
    pub kinds: Vec<String>,
    /// Only events of this epoch.
    pub epoch: Option<EpochId>,
    /// Only events after this number.
    pub after: u64,
    /// Only events before this number.
    pub before: Option<u64>,
    /// At most so many.
    pub limit: usize,
    /// From which end.
    pub order: QueryOrder,
}

/// From which end a query begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryOrder {
    /// From the beginning of the ledger.
    #[default]
    OldestFirst,
    /// From its end.
    NewestFirst,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            entity: None,
            author: None,
            kinds: Vec::new(),
            epoch: None,
            after: 0,
            before: None,
            limit: usize::MAX,
            order: QueryOrder::OldestFirst,
        }
    }
}

/// A query with its texts and terms worked out.
#[derive(Debug)]
pub(crate) struct Filter {
    query: Query,
    epoch: Option<String>,
    /// Each inner list: one of these must occur in a block.
    terms: Vec<Vec<u32>>,
}

impl Filter {
    pub(crate) fn new(query: Query) -> Self {
        let epoch = query.epoch.map(|epoch| epoch.to_string());
        let mut terms = Vec::new();
        terms.extend(query.entity.iter().map(|e| vec![term::entity(e.as_str().as_bytes())]));
        terms.extend(epoch.iter().map(|epoch| vec![term::epoch(epoch.as_bytes())]));
        let has_group = query.kinds.iter().any(|kind| kind.ends_with('*'));
        if !query.kinds.is_empty() && !has_group {
            terms.push(query.kinds.iter().map(|kind| term::kind(kind.as_bytes())).collect());
        }
        Self { query, epoch, terms }
    }

    /// Whether every line with these numbers fits, as far as the index can tell.
    pub(crate) fn takes_all(&self, first_seq: u64, last_seq: u64) -> bool {
        self.terms.is_empty()
            && first_seq > self.query.after
            && self.query.before.is_none_or(|before| last_seq < before)
    }

    pub(crate) fn may_hold(&self, block: &Block) -> bool {
        self.overlaps(block.seqs.start, block.seqs.end.saturating_sub(1))
            && self.terms.iter().all(|any| any.iter().any(|term| block.may_hold(*term)))
    }

    pub(crate) fn overlaps(&self, first_seq: u64, last_seq: u64) -> bool {
        last_seq > self.query.after && self.query.before.is_none_or(|before| first_seq < before)
    }

    pub(crate) fn fits(&self, record: &Record) -> bool {
        let Query { entity, author, kinds, .. } = &self.query;
        self.overlaps(record.seq(), record.seq())
            && entity.as_ref().is_none_or(|entity| entity.as_str() == record.entity())
            && author.as_ref().is_none_or(|author| author.as_str() == record.author())
            && self.epoch.as_ref().is_none_or(|epoch| record.epoch() == Some(epoch))
            && (kinds.is_empty() || kinds.iter().any(|kind| kind_fits(kind, record.kind())))
    }
}

/// The events that fit a query, found block by block.
#[derive(Debug)]
pub struct Matches<'a> {
    segments: &'a Segments,
    filter: Filter,
    left: usize,
    /// Segments not looked at yet, in the query's order.
    listed: VecDeque<SegmentEntry>,
    /// Blocks of the present segment not read yet, in the query's order.
    blocks: VecDeque<(u64, Arc<Block>)>,
    found: VecDeque<Record>,
}

impl<'a> Matches<'a> {
    pub(crate) fn new(segments: &'a Segments, query: Query) -> Self {
        let (left, order) = (query.limit, query.order);
        let filter = Filter::new(query);
        let overlapping = segments.list().into_iter();
        let mut listed: VecDeque<_> =
            overlapping.filter(|s| filter.overlaps(s.first_seq, s.last_seq)).collect();
        if order == QueryOrder::NewestFirst {
            listed.make_contiguous().reverse();
        }
        Self { segments, filter, left, listed, blocks: VecDeque::new(), found: VecDeque::new() }
    }

    /// Finds the next; `None` at the end.
    fn find(&mut self) -> Result<Option<Record>, ReadError> {
        loop {
            if let Some(record) = self.found.pop_front() {
                return Ok(Some(record));
            }
            if let Some((number, block)) = self.blocks.pop_front() {
                self.read_block(number, &block)?;
            } else if let Some(listed) = self.listed.pop_front() {
                self.list_blocks(&listed)?;
            } else {
                return Ok(None);
            }
        }
    }

    fn list_blocks(&mut self, listed: &SegmentEntry) -> Result<(), ReadError> {
        let blocks = self.segments.blocks(listed)?.into_iter();
        let candidates = blocks.filter(|block| self.filter.may_hold(block));
        self.blocks = candidates.map(|block| (listed.number, block)).collect();
        if self.filter.query.order == QueryOrder::NewestFirst {
            self.blocks.make_contiguous().reverse();
        }
        Ok(())
    }

    fn read_block(&mut self, number: u64, block: &Block) -> Result<(), ReadError> {
        let (offset, end, seq) = (block.bytes.start, block.bytes.end, block.seqs.start);
        let mut position = Some(SegmentPosition { number, offset, end, seq });
        while let Some(here) = position.filter(|position| position.offset < position.end) {
            let mut page = self.segments.page(here)?;
            while let Some(line) = page.next() {
                let record = line.map_err(|PageLineError { number, offset, seq, reason }| {
                    self.segments.damage(number, offset, seq, reason)
                })?;
                if self.filter.fits(&record) {
                    self.found.push_back(record.detach());
                }
            }
            position = Page::position_behind(&page);
        }
        if self.filter.query.order == QueryOrder::NewestFirst {
            self.found.make_contiguous().reverse();
        }
        Ok(())
    }
}

impl Iterator for Matches<'_> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let found = self.find();
        if found.is_err() {
            self.left = 0;
        }
        found.transpose()
    }
}
