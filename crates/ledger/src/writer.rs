//! Recovers the end of the log for writing, and writes batches, segments and side files.
//!
//! A crash can interrupt every step; the next start repeats it with the same result: torn bytes are first
//! copied beside the log, then cleared, then reported; a segment that never got its first batch is created once more. It
//! must never write over an acknowledged byte with another one.

use std::{sync::Arc, time::Duration};

use abide_domain::event::{Event, SegmentOpened, TailQuarantined};

use crate::{
    active::{ActiveFile, WriteError},
    batch::{Batch, stamp},
    draft::{Bodies, Draft},
    ledger_clock::LedgerClock,
    mark::{Mark, TickRule},
    names,
    shared::Shared,
    side_file::SideFile,
    storage::{Access, Storage, replace_file},
    survey::{LastSegment, Survey},
    write_queue::CommittedBatch,
};

/// How a writer works; part of the ledger's options.
#[derive(Clone, Debug)]
pub(crate) struct WriterSettings {
    pub(crate) clock: Arc<LedgerClock>,
    pub(crate) tick_interval: Duration,
    pub(crate) segment_bytes_max: u64,
    pub(crate) pad_bytes: usize,
}

/// The single writer of the log.
#[derive(Debug)]
pub(crate) struct Writer {
    storage: Arc<dyn Storage>,
    shared: Arc<Shared>,
    settings: WriterSettings,
    mark: Mark,
    active: Option<ActiveFile>,
    /// The next segment must be opened before anything is written: its file may be there already.
    must_roll: bool,
    findings: SurveyFindings,
}

/// What a survey found, until recovery has dealt with it.
#[derive(Debug)]
struct SurveyFindings {
    last: Option<LastSegment>,
    unreported: Vec<String>,
    rebuilt: Vec<SideFile>,
    is_recovered: bool,
}

impl Writer {
    /// Takes over what a survey found. Nothing is written before [`Self::prepare`].
    pub(crate) fn new(shared: Arc<Shared>, settings: WriterSettings, survey: Survey) -> Self {
        let storage = Arc::clone(shared.segments.storage());
        let Survey { last, mark, unreported, rebuilt, .. } = survey;
        shared.set_head(&mark, last.as_ref().map_or(0, |last| last.number));
        let findings = SurveyFindings { last, unreported, rebuilt, is_recovered: false };
        Self { storage, shared, settings, mark, active: None, must_roll: false, findings }
    }

    /// Lets readers see what was found although it cannot be written to at present.
    pub(crate) fn publish_findings(&self) {
        if let Some(last) = self.findings.last.as_ref().filter(|last| last.bytes > 0) {
            self.shared.segments.add_last(last, self.mark.seq);
        }
    }

    /// Recovers the end of the log, once: sets a torn tail aside, opens or creates the segment, and writes the keeper's
    /// own events. What succeeded is not done twice when it is called again after [`WriteError::Temporary`].
    pub(crate) fn prepare(&mut self) -> Result<(), WriteError> {
        if self.findings.is_recovered {
            return Ok(());
        }
        if self.active.is_none() {
            self.open_last_segment()?;
        }
        if self.must_roll {
            self.roll()?;
        }
        self.report_torn_tails()?;
        self.change_interval()?;
        for side in std::mem::take(&mut self.findings.rebuilt) {
            warn_if_unwritten(side.segment, side.write(&*self.storage));
        }
        self.findings.is_recovered = true;
        Ok(())
    }

    fn open_last_segment(&mut self) -> Result<(), WriteError> {
        if let Some(last) = self.findings.last.as_ref().filter(|last| !last.torn.is_empty()) {
            let name = self.set_aside(last)?;
            if !self.findings.unreported.contains(&name) {
                self.findings.unreported.push(name);
            }
        }
        match self.findings.last.as_ref().filter(|last| last.bytes > 0) {
            Some(last) => {
                let (torn_end, pad_bytes) = (self.torn_end()?, self.settings.pad_bytes);
                let active = ActiveFile::reopen(&*self.storage, last, torn_end, pad_bytes)?;
                self.shared.segments.add_last(last, self.mark.seq);
                self.must_roll = last.sealed && self.findings.unreported.is_empty();
                self.active = Some(active);
            }
            None => self.open_segment(self.findings.last.as_ref().map_or(1, |last| last.number))?,
        }
        self.findings.last = None;
        Ok(())
    }

    fn change_interval(&mut self) -> Result<(), WriteError> {
        let now = self.settings.clock.now();
        let Some(changed) = self.mark.changed_interval(self.settings.tick_interval, now) else {
            return Ok(());
        };
        let rule = TickRule::from(&changed);
        self.append_keeper_events([changed.into()])?;
        self.mark.rule = rule;
        Ok(())
    }

    /// Copies the torn tail of the last segment into a file of its own.
    fn set_aside(&self, last: &LastSegment) -> Result<String, WriteError> {
        let name = names::torn(last.number, last.bytes, &last.torn);
        replace_file(&*self.storage, &name, &last.torn)
            .map_err(|error| WriteError::of(&format!("write {name}"), &error))?;
        Ok(name)
    }

    /// Where the torn bytes end that were set aside and not reported: until then it is unknown whether they are gone
    /// from the disk as well as from the page cache.
    fn torn_end(&self) -> Result<u64, WriteError> {
        let mut end = 0;
        for file in &self.findings.unreported {
            let (_, offset) = names::parse_torn(file).unwrap_or_default();
            end = end.max(offset + self.size_of(file)?);
        }
        Ok(end)
    }

    fn size_of(&self, file: &str) -> Result<u64, WriteError> {
        let size = self.storage.open(file, Access::Read).and_then(|file| file.size());
        size.map_err(|error| WriteError::of(&format!("read {file}"), &error))
    }

    /// Reports torn tails, each once: the events stand in the segment whose files they name.
    fn report_torn_tails(&mut self) -> Result<(), WriteError> {
        let mut events = Vec::new();
        for file in &self.findings.unreported {
            let bytes = self.size_of(file)?;
            let (segment, offset) = names::parse_torn(file).unwrap_or_default();
            events.push(TailQuarantined { segment, offset, bytes, file: file.clone() }.into());
        }
        if !events.is_empty() {
            self.append_keeper_events(events)?;
            self.findings.unreported.clear();
        }
        Ok(())
    }

    /// Creates a segment with its opening line; the one before it, if any, is final from then on.
    fn open_segment(&mut self, number: u64) -> Result<(), WriteError> {
        let now = self.settings.clock.now();
        let genesis = self.mark.genesis.unwrap_or(now);
        let previous_chain = self.mark.chain.to_string();
        let opened = SegmentOpened { segment: number, previous_chain, genesis };
        let mut mark = self.mark;
        if mark.genesis.is_none() {
            mark.genesis = Some(genesis);
            mark.rule = TickRule::of_genesis(genesis);
        }
        let batch = stamp(&encode_keeper_events([opened.into()])?, &mark, now);
        let (first_seq, pad_bytes) = (batch.first_seq, self.settings.pad_bytes);
        let mut active = ActiveFile::create(&*self.storage, number, first_seq, pad_bytes)?;
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

    /// Seals the active segment and opens the next; returns the number of the sealed one.
    pub(crate) fn roll(&mut self) -> Result<u64, WriteError> {
        let Some(active) = self.active.as_mut() else { return Err(no_segment()) };
        active.trim()?;
        let number = active.number;
        let mut side = SideFile::new(number, active.first_seq, active.bytes, &self.mark);
        side.sealed = true;
        warn_if_unwritten(number, side.write(&*self.storage));
        self.must_roll = true;
        self.open_segment(number + 1)?;
        self.must_roll = false;
        Ok(number)
    }

    /// Stamps bodies, writes them as one batch, makes it durable and publishes it.
    pub(crate) fn append(&mut self, bodies: &Bodies) -> Result<CommittedBatch, WriteError> {
        self.prepare()?;
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
        Ok(CommittedBatch { first_seq: batch.first_seq, tick, timestamp })
    }

    fn append_keeper_events(
        &mut self,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<(), WriteError> {
        let batch = stamp(&encode_keeper_events(events)?, &self.mark, self.settings.clock.now());
        self.write(&batch)
    }

    fn write(&mut self, batch: &Batch) -> Result<(), WriteError> {
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

    /// Tries whether the disk accepts writes again.
    pub(crate) fn probe(&mut self) -> Result<(), WriteError> {
        self.prepare()?;
        self.active.as_mut().map_or(Ok(()), ActiveFile::probe)
    }

    /// Writes the side file of the active segment.
    pub(crate) fn write_side(&self) {
        if let Some(active) = &self.active {
            let side = SideFile::new(active.number, active.first_seq, active.bytes, &self.mark);
            warn_if_unwritten(active.number, side.write(&*self.storage));
        }
    }

    /// Ends in good order: cuts the padding off and writes the side file.
    pub(crate) fn finish(&mut self) -> Result<(), WriteError> {
        self.active.as_mut().map_or(Ok(()), ActiveFile::trim)?;
        self.write_side();
        Ok(())
    }
}

fn no_segment() -> WriteError {
    WriteError::Fatal("there is no active segment".into())
}

/// A side file is a cache: a failure to write it is logged, and it is written again after the next appends.
fn warn_if_unwritten(segment: u64, written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::warn!(segment, event = "side_file_not_written", %error, "side file could not be written");
    }
}

fn encode_keeper_events(events: impl IntoIterator<Item = Event>) -> Result<Bodies, WriteError> {
    let drafts: Vec<_> = events.into_iter().map(Draft::of_keeper).collect();
    Bodies::encode(&drafts).map_err(|error| WriteError::Fatal(error.to_string().into()))
}
