//! Makes a ledger ready for writing after whatever happened, and writes batches, segments and side files.
//!
//! Every step can be cut by a crash and is done again by the next start with the same result: torn bytes are first
//! copied beside the log, then cleared, then reported; a segment that never got its first batch is created once more. It
//! must never write over an acknowledged byte with another one.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    Clock,
    event::{Event, SegmentOpened, TailQuarantined},
};

use crate::{
    active::{Active, AppendFault},
    batch::{Batch, stamp},
    draft::{Bodies, Draft},
    intake::Committed,
    mark::{Mark, TickRule},
    names,
    shared::Shared,
    side::Side,
    storage::{Access, Storage, replace_file},
    survey::{Last, Survey},
};

/// What a writer needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tick_interval: Duration,
    pub(crate) segment_bytes_max: u64,
    pub(crate) pad_bytes: usize,
}

/// The only one who writes to the log.
#[derive(Debug)]
pub(crate) struct Writer {
    storage: Arc<dyn Storage>,
    shared: Arc<Shared>,
    settings: Settings,
    mark: Mark,
    active: Option<Active>,
    /// The next segment must be opened before anything is written: its file may be there already.
    must_roll: bool,
    found: Found,
}

/// What a survey found and recovery has not dealt with yet.
#[derive(Debug)]
struct Found {
    last: Option<Last>,
    unreported: Vec<String>,
    rebuilt: Vec<Side>,
    is_dealt_with: bool,
}

impl Writer {
    /// Takes over what a survey found. Nothing is written before [`Self::arm`].
    pub(crate) fn new(shared: Arc<Shared>, settings: Settings, survey: Survey) -> Self {
        let storage = Arc::clone(shared.segments.storage());
        let Survey { last, mark, unreported, rebuilt, .. } = survey;
        shared.show_head(&mark, last.as_ref().map_or(0, |last| last.number));
        let found = Found { last, unreported, rebuilt, is_dealt_with: false };
        Self { storage, shared, settings, mark, active: None, must_roll: false, found }
    }

    /// Lets readers see what was found although it cannot be written to at present.
    pub(crate) fn show_found(&self) {
        if let Some(last) = self.found.last.as_ref().filter(|last| last.bytes > 0) {
            self.shared.segments.put_last(last, self.mark.seq);
        }
    }

    /// Makes the end of the log ready, if it is not: sets a torn tail aside, opens or creates the segment, and writes
    /// what the house has to report. What succeeded is not done twice when it is called again after [`AppendFault::Full`].
    pub(crate) fn arm(&mut self) -> Result<(), AppendFault> {
        if self.found.is_dealt_with {
            return Ok(());
        }
        if self.active.is_none() {
            self.open_end()?;
        }
        if self.must_roll {
            self.roll()?;
        }
        self.report()?;
        self.change_interval()?;
        for side in std::mem::take(&mut self.found.rebuilt) {
            note_side(side.segment, side.write(&*self.storage));
        }
        self.found.is_dealt_with = true;
        Ok(())
    }

    fn open_end(&mut self) -> Result<(), AppendFault> {
        if let Some(last) = self.found.last.as_ref().filter(|last| !last.torn.is_empty()) {
            let name = self.set_aside(last)?;
            if !self.found.unreported.contains(&name) {
                self.found.unreported.push(name);
            }
        }
        match self.found.last.as_ref().filter(|last| last.bytes > 0) {
            Some(last) => {
                let (torn_end, pad_bytes) = (self.torn_end()?, self.settings.pad_bytes);
                let active = Active::reopen(&*self.storage, last, torn_end, pad_bytes)?;
                self.shared.segments.put_last(last, self.mark.seq);
                self.must_roll = last.sealed && self.found.unreported.is_empty();
                self.active = Some(active);
            }
            None => self.open_segment(self.found.last.as_ref().map_or(1, |last| last.number))?,
        }
        self.found.last = None;
        Ok(())
    }

    fn change_interval(&mut self) -> Result<(), AppendFault> {
        let now = self.settings.clock.now();
        let Some(changed) = self.mark.changed_interval(self.settings.tick_interval, now) else {
            return Ok(());
        };
        let rule = TickRule::from(&changed);
        self.append_house([changed.into()])?;
        self.mark.rule = rule;
        Ok(())
    }

    /// Copies the torn tail of the last segment into a file of its own.
    fn set_aside(&self, last: &Last) -> Result<String, AppendFault> {
        let name = names::torn(last.number, last.bytes, &last.torn);
        replace_file(&*self.storage, &name, &last.torn)
            .map_err(|error| AppendFault::of(&format!("write {name}"), &error))?;
        Ok(name)
    }

    /// Where the torn bytes end that were set aside and not reported: until then nobody knows whether they are gone
    /// from the disk as well as from the page cache.
    fn torn_end(&self) -> Result<u64, AppendFault> {
        let mut end = 0;
        for file in &self.found.unreported {
            let (_, offset) = names::parse_torn(file).unwrap_or_default();
            end = end.max(offset + self.size_of(file)?);
        }
        Ok(end)
    }

    fn size_of(&self, file: &str) -> Result<u64, AppendFault> {
        let size = self.storage.open(file, Access::Read).and_then(|file| file.size());
        size.map_err(|error| AppendFault::of(&format!("read {file}"), &error))
    }

    /// Reports torn tails, each once: the events stand in the segment whose files they name.
    fn report(&mut self) -> Result<(), AppendFault> {
        let mut events = Vec::new();
        for file in &self.found.unreported {
            let bytes = self.size_of(file)?;
            let (segment, offset) = names::parse_torn(file).unwrap_or_default();
            events.push(TailQuarantined { segment, offset, bytes, file: file.clone() }.into());
        }
        if !events.is_empty() {
            self.append_house(events)?;
            self.found.unreported.clear();
        }
        Ok(())
    }

    /// Creates a segment with its opening line; the one before it, if any, is final from then on.
    fn open_segment(&mut self, number: u64) -> Result<(), AppendFault> {
        let now = self.settings.clock.now();
        let genesis = self.mark.genesis.unwrap_or(now);
        let previous_chain = self.mark.chain.to_string();
        let opened = SegmentOpened { segment: number, previous_chain, genesis };
        let mut mark = self.mark;
        if mark.genesis.is_none() {
            mark.genesis = Some(genesis);
            mark.rule = TickRule::of_genesis(genesis);
        }
        let batch = stamp(&house_bodies([opened.into()])?, &mark, now);
        let (first_seq, pad_bytes) = (batch.first_seq, self.settings.pad_bytes);
        let mut active = Active::create(&*self.storage, number, first_seq, pad_bytes)?;
        active.write_first(&*self.storage, batch.text.as_bytes())?;
        let segments = &self.shared.segments;
        let sealed = segments.seal(self.mark.chain);
        segments.begin(number, first_seq);
        if let Some((segment, index)) = sealed {
            segments.write_index(&names::index(segment.number), &index, &segment);
        }
        self.active = Some(active);
        self.publish(&batch);
        Ok(())
    }

    /// Seals the active segment and opens the next; says which was sealed.
    pub(crate) fn roll(&mut self) -> Result<u64, AppendFault> {
        let Some(active) = self.active.as_mut() else { return Err(no_segment()) };
        active.trim()?;
        let number = active.number;
        let mut side = Side::new(number, active.first_seq, active.bytes, &self.mark);
        side.sealed = true;
        note_side(number, side.write(&*self.storage));
        self.must_roll = true;
        self.open_segment(number + 1)?;
        self.must_roll = false;
        Ok(number)
    }

    /// Stamps bodies, writes them as one batch, makes it durable and shows it.
    pub(crate) fn append(&mut self, bodies: &Bodies) -> Result<Committed, AppendFault> {
        self.arm()?;
        let is_full = self.active.as_ref().is_some_and(|active| {
            active.bytes + bodies.stamped_bytes_max() as u64 > self.settings.segment_bytes_max
                && self.mark.seq > active.first_seq
        });
        if is_full || self.must_roll {
            self.roll()?;
        }
        let batch = stamp(bodies, &self.mark, self.settings.clock.now());
        self.write(&batch)?;
        let Mark { tick, timestamp, .. } = batch.mark;
        Ok(Committed { first_seq: batch.first_seq, tick, timestamp })
    }

    fn append_house(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), AppendFault> {
        let batch = stamp(&house_bodies(events)?, &self.mark, self.settings.clock.now());
        self.write(&batch)
    }

    fn write(&mut self, batch: &Batch) -> Result<(), AppendFault> {
        let Some(active) = self.active.as_mut() else { return Err(no_segment()) };
        active.write(batch.text.as_bytes())?;
        self.publish(batch);
        Ok(())
    }

    fn publish(&mut self, batch: &Batch) {
        self.mark = batch.mark;
        let segment = self.active.as_ref().map_or(0, |active| active.number);
        self.shared.publish(batch, segment);
    }

    /// Tries whether the disk takes bytes again.
    pub(crate) fn probe(&mut self) -> Result<(), AppendFault> {
        self.arm()?;
        self.active.as_mut().map_or(Ok(()), Active::probe)
    }

    /// Writes the side file of the active segment.
    pub(crate) fn write_side(&self) {
        if let Some(active) = &self.active {
            let side = Side::new(active.number, active.first_seq, active.bytes, &self.mark);
            note_side(active.number, side.write(&*self.storage));
        }
    }

    /// Leaves the log in good order.
    pub(crate) fn finish(&mut self) -> Result<(), AppendFault> {
        self.active.as_mut().map_or(Ok(()), Active::trim)?;
        self.write_side();
        Ok(())
    }
}

fn no_segment() -> AppendFault {
    AppendFault::Broken("there is no active segment".into())
}

/// A side file is a cache: failing to write it is told, and the next sync burst tries again.
fn note_side(segment: u64, written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::warn!(segment, %error, "the side file could not be written");
    }
}

fn house_bodies(events: impl IntoIterator<Item = Event>) -> Result<Bodies, AppendFault> {
    let drafts: Vec<_> = events.into_iter().map(Draft::of_keeper).collect();
    Bodies::encode(&drafts).map_err(|error| AppendFault::Broken(error.to_string().into()))
}
