//! What was said before, out of the ledger: the lines around the points that a client names, and no more of them.
//!
//! Nothing is kept in memory for it, so that it is the same before and after a restart, however long ago it was.

use std::{collections::BTreeMap, time::Duration};

use abide_channels::irc::{
    Scrollback, Speaker, SpokenLine, Target,
    server::{
        HistoryError, HistoryLine, HistoryPoint, HistoryQuery, HistoryRange, HistoryTarget,
        TargetsQuery,
    },
};
use abide_domain::{
    Timestamp,
    event::{ChannelEvent, Event},
};
use abide_ledger::{Ledger, Query, QueryOrder, Record};
use uuid::Uuid;

use super::record;

/// Lines of all places that are read for one query, in each direction.
const EVENTS_MAX: usize = 20_000;
/// Lines that may be written a moment after a later point, beyond those that are asked for: they wait for the disk.
const LATE_MAX: usize = 64;

/// Finds what a client asks for. Blocking.
pub(super) fn find_history(
    ledger: &Ledger,
    query: &HistoryQuery,
) -> Result<Vec<HistoryLine>, HistoryError> {
    let mut found = BTreeMap::new();
    let mut reader = HistoryReader { ledger, query, found: &mut found };
    match &query.window {
        HistoryRange::Latest(None) => reader.older(None)?,
        HistoryRange::Latest(Some(point)) => {
            reader.older(None)?;
            reader.around(point)?;
        }
        HistoryRange::Before(point) | HistoryRange::After(point) | HistoryRange::Around(point) => {
            reader.around(point)?;
        }
        HistoryRange::Between(one, other) => {
            reader.around(one)?;
            reader.around(other)?;
        }
    }
    let mut scrollback = Scrollback::default();
    for said in found.values() {
        scrollback.note(said);
    }
    scrollback.find(query)
}

/// Finds the places whose last line was said between two moments. Blocking.
pub(super) fn find_targets(
    ledger: &Ledger,
    query: &TargetsQuery,
) -> Result<Vec<HistoryTarget>, HistoryError> {
    let mut found: Vec<HistoryTarget> = Vec::new();
    let newest_first = Query { order: QueryOrder::NewestFirst, ..lines() };
    for record in ledger.query(newest_first) {
        let record = record.map_err(|error| unavailable(&error))?;
        let Some(said) = line(&record) else { continue };
        if said.at <= query.after {
            break;
        }
        let is_shown = match &said.target {
            Target::Channel(room) => query.channels.iter().any(|in_it| is_same_room(in_it, room)),
            Target::Agent(_) => {
                query.account.is_some() && person_of(&said) == query.account.as_deref()
            }
        };
        let is_known = found.iter().any(|known| match (&known.target, &said.target) {
            (Target::Channel(one), Target::Channel(other)) => is_same_room(one, other),
            (one, other) => one == other,
        });
        if is_shown && !is_known {
            found.push(HistoryTarget { target: said.target, at: said.at });
        }
    }
    // The last line of a place may be after the later moment: then it is none of the answer.
    found.retain(|found| found.at < query.before);
    found.truncate(query.limit);
    found.reverse();
    Ok(found)
}

fn is_same_room(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The account that was alone with an agent.
fn person_of(said: &SpokenLine) -> Option<&str> {
    match &said.speaker {
        Speaker::Person(account) => account.as_deref(),
        Speaker::Agent(_) => said.partner.as_deref(),
    }
}

/// Collects lines of one place, by their number in the ledger.
struct HistoryReader<'a> {
    ledger: &'a Ledger,
    query: &'a HistoryQuery,
    found: &'a mut BTreeMap<u64, SpokenLine>,
}

impl HistoryReader<'_> {
    /// As many lines on both sides of a point as an answer can need. An unknown id is found out when the answer is put
    /// together.
    fn around(&mut self, point: &HistoryPoint) -> Result<(), HistoryError> {
        let moment = match point {
            HistoryPoint::At(at) => *at,
            HistoryPoint::Msgid(msgid) => minted_at(msgid).ok_or(HistoryError::UnknownPoint)?,
        };
        let seq = first_since(self.ledger, moment).map_err(|error| unavailable(&error))?;
        self.older(Some(seq))?;
        let query = Query { after: seq.saturating_sub(1), ..lines() };
        self.collect(query, self.query.limit.saturating_add(LATE_MAX))
    }

    /// The newest lines, or the newest before a number.
    fn older(&mut self, before: Option<u64>) -> Result<(), HistoryError> {
        let query = Query { before, order: QueryOrder::NewestFirst, ..lines() };
        self.collect(query, self.query.limit.saturating_add(1))
    }

    fn collect(&mut self, query: Query, wanted: usize) -> Result<(), HistoryError> {
        let mut count = 0;
        for record in self.ledger.query(query) {
            let record = record.map_err(|error| unavailable(&error))?;
            let Some(said) = line(&record).filter(|said| self.is_of_place(said)) else { continue };
            self.found.insert(record.seq(), said);
            count += 1;
            if count >= wanted {
                break;
            }
        }
        Ok(())
    }

    fn is_of_place(&self, said: &SpokenLine) -> bool {
        match (&self.query.target, &said.target) {
            (Target::Channel(wanted), Target::Channel(room)) => is_same_room(wanted, room),
            (Target::Agent(wanted), Target::Agent(agent)) => {
                wanted == agent && person_of(said) == self.query.account.as_deref()
            }
            _ => false,
        }
    }
}

fn lines() -> Query {
    let kinds = vec!["channel.said".to_owned()];
    Query { kinds, limit: EVENTS_MAX, ..Query::default() }
}

fn line(record: &Record) -> Option<SpokenLine> {
    // A line of a newer program is no reason to show none of the others.
    let entry = record.entry().ok()?;
    match &entry.event {
        Event::Channel(ChannelEvent::Said(event)) => record::line_of_event(event),
        _ => None,
    }
}

/// When the server gave a line its id: our ids are UUIDs of version 7, which begin with the milliseconds.
fn minted_at(msgid: &str) -> Option<Timestamp> {
    let millis = u64::try_from(Uuid::parse_str(msgid).ok()?.as_u128() >> 80).ok()?;
    Some(Timestamp::from_micros(0).plus(Duration::from_millis(millis)))
}

/// The number of the first line that is not before a moment: lines have no index by time, and their times only go
/// forward.
fn first_since(ledger: &Ledger, from: Timestamp) -> Result<u64, abide_ledger::ReadError> {
    let (mut low, mut high) = (1, ledger.head().seq + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(record) = ledger.records(middle).next() else { return Ok(low) };
        let at: Option<Timestamp> = record?.timestamp().parse().ok();
        if at.is_some_and(|at| at < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

fn unavailable(error: &dyn std::error::Error) -> HistoryError {
    HistoryError::Unavailable(error.to_string())
}
