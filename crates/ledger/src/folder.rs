//! A ledger's folder without its keeper: what `abide ledger tail|query|verify|export|stat` work on.
//!
//! Takes no lock and writes nothing, so it works beside a running keeper. A batch that the keeper is just writing is not
//! an error here: the log ends before it. Must never be used to decide what was acknowledged: a whole batch at the end
//! may still wait for its sync.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Write},
    ops::RangeInclusive,
    sync::Arc,
};

use abide_domain::event::{Event, KeeperEvent};
use serde::{Serialize, de::IgnoredAny};
use sha2::{Digest as _, Sha256};

use crate::{
    damage::{OpenError, ReadError},
    erase,
    mark::Mark,
    names,
    query::{Matches, Query, QueryOrder},
    read::Records,
    record::Record,
    segments::{IndexFiles, Segments},
    shared::Head,
    storage::{Access, Storage, read_up_to},
    survey::{LastSegment, Survey, SurveyDepth},
    text::{self, Needle, TextMatches},
};

/// A ledger's folder as it stood at one moment.
#[derive(Debug)]
pub struct Folder {
    segments: Segments,
    mark: Mark,
    segment: u64,
    /// Where the whole part of the last segment ends.
    end: u64,
    unfinished: Option<UnfinishedTail>,
}

/// Bytes behind the last whole batch: a batch that is being written, or one that a crash cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnfinishedTail {
    /// The segment's file.
    pub file: String,
    /// Where they begin.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}

/// Numbers about a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerStats {
    /// Where it stands.
    pub head: Head,
    /// Its segments.
    pub segments: u64,
    /// Bytes of all whole batches.
    pub bytes: u64,
    /// When its first event was committed.
    pub first_timestamp: Option<String>,
    /// Events of each kind.
    pub kinds: BTreeMap<String, u64>,
    /// Events of each entity.
    pub entities: BTreeMap<String, u64>,
    /// Files of torn tails that were set aside.
    pub torn_files: Vec<String>,
    /// What stands behind the last whole batch.
    pub unfinished: Option<UnfinishedTail>,
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportSummary {
    /// Events.
    pub events: u64,
    /// Bytes.
    pub bytes: u64,
    /// The chain value of the last whole batch in it, 64 hex digits.
    pub chain: Option<String>,
}

/// Says why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written to.
    #[error("the export cannot be written")]
    Write(#[from] io::Error),
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// Whether every byte is as it was written.
    pub ok: bool,
    /// Segments.
    pub segments: u64,
    /// Whole batches.
    pub batches: u64,
    /// Events.
    pub events: u64,
    /// The chain value of the last batch, 64 hex digits: compare it with a published one to find a cut tail.
    pub chain: String,
    /// The first damaged line, if any, for people.
    pub problem: Option<String>,
    /// Events that this version does not know, because a newer one wrote them.
    pub unknown_events: u64,
    /// The first of them, for people.
    pub first_unknown: Option<String>,
    /// Requests to erase words, oldest first, and how many lines each erased.
    pub erasures: Vec<ErasureReport>,
    /// What stands behind the last whole batch.
    pub unfinished: Option<UnfinishedTail>,
    /// Bytes that were never acknowledged and stand behind the end of a sealed segment; they are ignored.
    pub leftovers: Vec<UnfinishedTail>,
}

/// One request to erase words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErasureReport {
    /// The line of the request.
    pub requested_seq: u64,
    /// Who asked.
    pub by: String,
    /// When.
    pub at: String,
    /// How many lines have no words since then; 0 where it was not carried out.
    pub lines: u64,
    /// Why, if said.
    pub reason: Option<String>,
}

impl Folder {
    /// Surveys a folder, as far as a keeper does at its start.
    pub fn open(storage: Arc<dyn Storage>) -> Result<Self, OpenError> {
        if erase::is_under_way(&*storage)? {
            return Err(OpenError::Erasing);
        }
        let survey = match Survey::of(&*storage, SurveyDepth::Quick) {
            // A keeper may have opened a segment while the folder was listed: list it once more.
            Err(OpenError::MissingSegment { .. }) => Survey::of(&*storage, SurveyDepth::Quick)?,
            other => other?,
        };
        Ok(Self::of(storage, &survey))
    }

    fn of(storage: Arc<dyn Storage>, survey: &Survey) -> Self {
        let segments = Segments::new(storage, IndexFiles::InMemory, survey.sealed.clone());
        let last = survey.last.as_ref();
        if let Some(last) = last.filter(|last| last.bytes > 0) {
            segments.add_last(last, survey.mark.seq);
        }
        Self {
            segments,
            mark: survey.mark,
            segment: last.map_or(0, |last| last.number),
            end: last.map_or(0, |last| last.bytes),
            unfinished: last.and_then(unfinished),
        }
    }

    /// Surveys the folder again if something was written since; returns whether the log grew.
    pub fn refresh(&mut self) -> Result<bool, OpenError> {
        let storage = Arc::clone(self.segments.storage());
        let reading = || OpenError::io("read its folder");
        let next = names::segment(self.segment + 1);
        let has_next = storage.list().map_err(reading())?.contains(&next);
        let grows = self.segment == 0 || {
            let name = names::segment(self.segment);
            let file = storage.open(&name, Access::Read).map_err(reading())?;
            let behind = read_up_to(&*file, self.end, 64).map_err(reading())?;
            behind.iter().any(|byte| *byte != b'\n')
        };
        if !has_next && !grows {
            return Ok(false);
        }
        let before = self.mark.seq;
        *self = Self::open(storage)?;
        Ok(self.mark.seq > before)
    }

    /// Where the log stands.
    pub fn head(&self) -> Head {
        Head::new(&self.mark, self.segment)
    }

    /// What stands behind the last whole batch.
    pub fn unfinished(&self) -> Option<&UnfinishedTail> {
        self.unfinished.as_ref()
    }

    /// The events from a sequence number on.
    pub fn records(&self, from: u64) -> Records<'_> {
        Records::new(&self.segments, from)
    }

    /// The events that fit a query.
    pub fn query(&self, query: Query) -> Matches<'_> {
        Matches::new(&self.segments, query)
    }

    /// The events that fit a query and in whose data a text stands.
    pub fn search_text(&self, needle: &Needle, query: Query) -> Result<TextMatches, ReadError> {
        text::search(&self.segments, needle, query)
    }

    /// The last events that fit a query, oldest first; its limit says how many.
    pub fn tail(&self, query: Query) -> Result<Vec<Record>, ReadError> {
        let query = Query { order: QueryOrder::NewestFirst, ..query };
        let mut records = self.query(query).collect::<Result<Vec<_>, _>>()?;
        records.reverse();
        Ok(records)
    }

    /// Writes events byte for byte as they stand.
    pub fn export(
        &self,
        seqs: RangeInclusive<u64>,
        out: &mut dyn Write,
    ) -> Result<ExportSummary, ExportError> {
        let mut exported = ExportSummary::default();
        for record in self.records(*seqs.start()) {
            let record = record?;
            if record.seq() > *seqs.end() {
                break;
            }
            out.write_all(record.line().as_bytes())?;
            out.write_all(b"\n")?;
            exported.events += 1;
            exported.bytes += record.line().len() as u64 + 1;
            exported.chain = record.chain().map(str::to_owned).or(exported.chain);
        }
        out.flush()?;
        Ok(exported)
    }

    /// Counts what the ledger holds, reading all of it.
    pub fn stat(&self) -> Result<LedgerStats, ReadError> {
        let listed = self.segments.list();
        let torn = self.segments.storage().list().unwrap_or_default();
        let mut stat = LedgerStats {
            head: self.head(),
            segments: listed.len() as u64,
            bytes: listed.iter().map(|segment| segment.bytes).sum(),
            first_timestamp: None,
            kinds: BTreeMap::new(),
            entities: BTreeMap::new(),
            torn_files: torn.into_iter().filter(|n| names::parse_torn(n).is_some()).collect(),
            unfinished: self.unfinished.clone(),
        };
        stat.torn_files.sort_unstable();
        for record in self.records(1) {
            let record = record?;
            stat.first_timestamp.get_or_insert_with(|| record.timestamp().to_owned());
            count(&mut stat.kinds, record.kind());
            count(&mut stat.entities, record.entity());
        }
        Ok(stat)
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count += 1;
    } else {
        counts.insert(name.to_owned(), 1);
    }
}

fn unfinished(last: &LastSegment) -> Option<UnfinishedTail> {
    let (file, offset, bytes) = (names::segment(last.number), last.bytes, last.torn.len() as u64);
    (bytes > 0).then_some(UnfinishedTail { file, offset, bytes })
}

/// Reads every byte: checksums, chain, numbers, times, JSON, kinds. `Err` where the folder itself cannot be read.
pub fn verify(storage: Arc<dyn Storage>) -> Result<VerifyReport, OpenError> {
    let mut report = VerifyReport::default();
    if erase::is_under_way(&*storage)? {
        return Err(OpenError::Erasing);
    }
    let survey = match Survey::of(&*storage, SurveyDepth::Full) {
        Ok(survey) => survey,
        Err(error @ OpenError::Io { .. }) => return Err(error),
        Err(error) => {
            report.problem = Some(error.to_string());
            return Ok(report);
        }
    };
    let folder = Folder::of(storage, &survey);
    report.segments = folder.segments.list().len() as u64;
    report.batches = survey.batches;
    report.events = survey.mark.seq;
    report.chain = survey.mark.chain.to_string();
    report.unfinished.clone_from(&folder.unfinished);
    report.leftovers = survey
        .leftovers
        .iter()
        .map(|left| UnfinishedTail {
            file: names::segment(left.number),
            offset: left.offset,
            bytes: left.bytes,
        })
        .collect();
    let erased = erasures(&folder, &mut report);
    for record in folder.records(1) {
        match record {
            Ok(record) => {
                check_event(&record, &mut report);
                check_erased(&record, &erased, &mut report);
            }
            Err(error) => {
                report.problem = Some(error.to_string());
                return Ok(report);
            }
        }
    }
    report.ok = report.problem.is_none();
    Ok(report)
}

/// Reads what was erased: by line, the digest of its data as the erasure left it.
fn erasures(folder: &Folder, report: &mut VerifyReport) -> HashMap<u64, String> {
    let kinds = vec!["keeper.erase_requested".to_owned(), "keeper.erased".to_owned()];
    let mut erased = HashMap::new();
    for record in folder.query(Query { kinds, ..Query::default() }).filter_map(Result::ok) {
        let Ok(entry) = record.entry() else { continue };
        match entry.event {
            Event::Keeper(KeeperEvent::EraseRequested(requested)) => {
                report.erasures.push(ErasureReport {
                    requested_seq: entry.seq,
                    by: entry.author.to_string(),
                    at: entry.timestamp.to_string(),
                    lines: 0,
                    reason: requested.reason,
                });
            }
            Event::Keeper(KeeperEvent::Erased(done)) => {
                let request =
                    report.erasures.iter_mut().find(|e| e.requested_seq == done.requested_seq);
                if let Some(request) = request {
                    request.lines += done.lines.len() as u64;
                }
                erased.extend(done.lines.into_iter().map(|line| (line.seq, line.sha256)));
            }
            _ => {}
        }
    }
    erased
}

/// A line that was erased must be as the erasure left it: any other text there was put in later.
fn check_erased(record: &Record, erased: &HashMap<u64, String>, report: &mut VerifyReport) {
    let Some(left) = erased.get(&record.seq()) else { return };
    if hex::encode(Sha256::digest(record.data().as_bytes())) != *left {
        let seq = record.seq();
        report.problem.get_or_insert_with(|| {
            format!("the line with seq {seq} was erased, but it is not what the erasure left: it was changed later")
        });
    }
}

fn check_event(record: &Record, report: &mut VerifyReport) {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(record.line()) {
        let seq = record.seq();
        report
            .problem
            .get_or_insert_with(|| format!("the line with seq {seq} is not valid JSON: {error}"));
    }
    if let Err(error) = record.entry() {
        report.unknown_events += 1;
        report.first_unknown.get_or_insert_with(|| format!("{error}: {}", error.source));
    }
}
