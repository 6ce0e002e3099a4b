//! `/ledger`: any place of the ledger, a page at a time, back or forth, by entity, kind, epoch or text.
//!
//! A request must never read the whole ledger: it goes through it a window at a time until it has enough or has read for
//! long enough, and its cursor says how far it came, found or not. Entity, kinds and epoch are looked up in
//! the index; a text is looked for at the speed of memory.
//!
//! Reading order: the route, [`LedgerRequest`] (what was asked), [`LedgerReading`] (how it is found), [`LedgerPage`] (what is sent).

use std::{ops::Range, time::Duration};

use abide_domain::{EntityName, EpochId, event::catalogue};
use abide_ledger::{Ledger, Query, QueryOrder, Record, text::Needle};
use axum::{Json, extract::State};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    events::{self, line_of},
    input::Params,
};

/// Lines of a window that is read by lines: about a megabyte where the index rules nothing out.
const WINDOW_LINES: u64 = 4_096;
/// Lines of a window that is searched for a text.
const TEXT_WINDOW_LINES: u64 = 65_536;
/// No new window is begun after so long.
const READ_TIME_MAX: Duration = Duration::from_millis(150);
/// Bytes of lines after which a page is full; one line may go beyond.
const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A page of the ledger.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LedgerPage {
    /// The events as in the ledger, without thoughts unless they were asked for.
    #[schema(value_type = Vec<LedgerLine>)]
    items: Vec<Box<RawValue>>,
    /// Where to go on, as the same parameter (`before` or `after`): up to there all was looked through. Null at the end.
    next: Option<String>,
    /// Where to begin to go the other way, as the other parameter; null where there is nothing.
    prev: Option<String>,
    /// The newest event there was.
    head: u64,
    /// Lines that may hold the text and cannot be read.
    damaged: u64,
}

/// A line of the ledger.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "lines are sent as they stand; this says how they stand")]
struct LedgerLine {
    seq: u64,
    tick: u64,
    timestamp: String,
    /// The entity that it belongs to.
    entity: String,
    /// Who caused it.
    author: String,
    epoch: Option<String>,
    kind: String,
    /// The version of its data.
    v: u32,
    /// What happened; the shape is the kind's.
    data: Value,
    /// The chain's value; only of the last line of a batch.
    #[schema(required = false)]
    chain: String,
    /// The checksum of the line.
    crc: String,
}

/// Reads any place: `before` an event the newest first, `after` one the oldest first (with `before` as the end), else from the newest.
///
/// `citizen` is an agent, a person, or `keeper`; `kinds` are separated by commas, `epoch.*` is a group; `q` is a text that stands
/// in the event's data, in any case. A page may be short or empty with a `next`: it was looked for long enough.
#[utoipa::path(get, path = "/ledger", tag = "keeper",
    params(("before" = Option<u64>, Query), ("after" = Option<u64>, Query), ("limit" = Option<u64>, Query),
        ("citizen" = Option<String>, Query), ("kinds" = Option<String>, Query), ("epoch" = Option<String>, Query),
        ("q" = Option<String>, Query), ("thoughts" = Option<String>, Query)),
    responses((status = 200, body = LedgerPage), (status = 400), (status = 503)))]
pub(crate) async fn page(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<LedgerPage>, ApiError> {
    let keeper = app.keeper()?;
    let (ledger, head) = (keeper.ledger().clone(), keeper.ledger().head().seq);
    let wanted = LedgerRequest::of(&params, head)?;
    let permit = app.read_permit().await;
    let clock = app.clone();
    let read = move || {
        let _permit = permit;
        let read = wanted.read(&ledger, &|| clock.monotonic());
        read.map(|reading| (wanted, reading))
    };
    let read = tokio::task::spawn_blocking(read).await;
    let (wanted, reading) = read.map_err(|error| ApiError::internal(&error))??;
    // Whoever sees an epoch end can read that epoch.
    let newest = reading.records.iter().map(Record::seq).max();
    keeper.services().view.applied(newest.unwrap_or_default()).await;
    Ok(Json(wanted.page(&reading, head)?))
}

/// What was asked for.
#[derive(Debug)]
struct LedgerRequest {
    entity: Option<EntityName>,
    kinds: Vec<String>,
    epoch: Option<EpochId>,
    needle: Option<Needle>,
    order: QueryOrder,
    /// The sequences that are asked about.
    span: Range<u64>,
    limit: usize,
    has_thoughts: bool,
}

/// What was found.
#[derive(Debug, Default)]
struct LedgerReading {
    records: Vec<Record>,
    bytes: usize,
    damaged: u64,
    /// What of the span was not looked at.
    left: Range<u64>,
}

impl LedgerRequest {
    fn of(params: &Params, head: u64) -> Result<Self, ApiError> {
        let (before, after) = (params.number("before")?, params.number("after")?);
        let epoch = params.get("epoch").map(str::parse).transpose();
        let needle = params.get("q").map(Needle::new).transpose();
        let end = before.unwrap_or(u64::MAX).min(head.saturating_add(1));
        let start = after.unwrap_or(0).saturating_add(1);
        Ok(Self {
            entity: params.get("citizen").map(entity).transpose()?,
            kinds: expanded(events::kinds(params)?),
            epoch: epoch.map_err(|_| ApiError::malformed("epoch must be the id of an epoch"))?,
            needle: needle.map_err(|error| ApiError::malformed(format!("q: {error}")))?,
            order: if after.is_some() { QueryOrder::OldestFirst } else { QueryOrder::NewestFirst },
            span: start.min(end)..end,
            limit: params.limit()?,
            has_thoughts: params.is_set("thoughts")?,
        })
    }

    /// Reads until there is enough, nothing is left, or it took long enough. Blocks on the disk.
    fn read(&self, ledger: &Ledger, now: &dyn Fn() -> Duration) -> Result<LedgerReading, ApiError> {
        let mut reading = LedgerReading { left: self.span.clone(), ..LedgerReading::default() };
        let begun = now();
        while !reading.left.is_empty() {
            let window = self.window(&reading.left);
            let stopped = self.read_window(ledger, &window, &mut reading)?;
            match (self.order, stopped) {
                (QueryOrder::OldestFirst, at) => {
                    reading.left.start = at.map_or(window.end, |at| at + 1);
                }
                (QueryOrder::NewestFirst, at) => reading.left.end = at.unwrap_or(window.start),
            }
            if stopped.is_some() || now().saturating_sub(begun) >= READ_TIME_MAX {
                break;
            }
        }
        Ok(reading)
    }

    fn window(&self, left: &Range<u64>) -> Range<u64> {
        let lines = if self.needle.is_some() { TEXT_WINDOW_LINES } else { WINDOW_LINES };
        match self.order {
            QueryOrder::OldestFirst => left.start..left.end.min(left.start.saturating_add(lines)),
            QueryOrder::NewestFirst => left.start.max(left.end.saturating_sub(lines))..left.end,
        }
    }

    /// Reads a window; gives the event behind which it stopped, where the page is full.
    fn read_window(
        &self,
        ledger: &Ledger,
        window: &Range<u64>,
        reading: &mut LedgerReading,
    ) -> Result<Option<u64>, ApiError> {
        let query = Query {
            entity: self.entity.clone(),
            kinds: self.kinds.clone(),
            epoch: self.epoch,
            after: window.start.saturating_sub(1),
            before: Some(window.end),
            limit: self.limit.saturating_sub(reading.records.len()),
            order: self.order,
            ..Query::default()
        };
        let failed = |error| ApiError::internal(&error);
        let Some(needle) = &self.needle else {
            for record in ledger.query(query) {
                if reading.take(record.map_err(failed)?, self.limit) {
                    return Ok(reading.last_seq());
                }
            }
            return Ok(None);
        };
        let found = ledger.search_text(needle, query).map_err(failed)?;
        reading.damaged += found.damaged_total;
        for record in found.records {
            if reading.take(record, self.limit) {
                return Ok(reading.last_seq());
            }
        }
        // More than one search answers with: it goes on behind what it gave.
        Ok(reading.last_seq().filter(|_| found.has_more))
    }

    fn page(&self, reading: &LedgerReading, head: u64) -> Result<LedgerPage, ApiError> {
        let raw = |record: &Record| {
            RawValue::from_string(line_of(record, self.has_thoughts).into_owned())
        };
        let items: Result<_, serde_json::Error> = reading.records.iter().map(raw).collect();
        let (left, span) = (&reading.left, &self.span);
        let (next, prev) = match self.order {
            QueryOrder::OldestFirst => {
                (left.start.saturating_sub(1), (span.start > 1).then_some(span.start))
            }
            QueryOrder::NewestFirst => {
                (left.end, (span.end <= head).then_some(span.end.saturating_sub(1)))
            }
        };
        Ok(LedgerPage {
            items: items.map_err(|error| ApiError::internal(&error))?,
            next: (!left.is_empty()).then(|| next.to_string()),
            prev: prev.map(|prev| prev.to_string()),
            head,
            damaged: reading.damaged,
        })
    }
}

impl LedgerReading {
    /// Adds one; true where the page is full.
    fn take(&mut self, record: Record, limit: usize) -> bool {
        self.bytes += record.line().len();
        self.records.push(record);
        self.records.len() >= limit || self.bytes >= PAGE_BYTES_MAX
    }

    fn last_seq(&self) -> Option<u64> {
        self.records.last().map(Record::seq)
    }
}

fn entity(name: &str) -> Result<EntityName, ApiError> {
    let full = if name.starts_with('@') { name.to_owned() } else { format!("@{name}") };
    full.parse()
        .map_err(|_| ApiError::malformed("citizen must be the name of an agent or a person"))
}

/// Groups as their kinds, which the index knows; empty for all.
fn expanded(kinds: Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for kind in kinds {
        match kind.strip_suffix('*') {
            Some("") => return Vec::new(),
            Some(prefix) => {
                let of_group = catalogue().filter(|known| known.name.starts_with(prefix));
                all.extend(of_group.map(|known| known.name.to_owned()));
            }
            None => all.push(kind),
        }
    }
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests;
