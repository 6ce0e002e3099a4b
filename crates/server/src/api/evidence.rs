//! `/evidence`: what agents and people did and said, as their peers see it; and a way to record an entry.
//!
//! A view of the ledger: nothing is stored beside it. Entries are as the specification names their fields.

use abide_domain::{
    EntityName, Timestamp,
    evidence::{
        self, EvidenceDraft, EvidenceEntry, EvidenceId, EvidenceQuery, EvidenceRules, Line,
    },
    limits::CLOCK_SKEW_MAX,
};
use abide_engine::{Keeper, QuotaKind, keeper::OrderError};
use abide_ledger::{Draft, Entry, Ledger, Query, QueryOrder, Record};
use axum::{Json, extract::State};
use http::StatusCode;
use serde_json::{Value, json};

use super::{
    app_state::AppState,
    error::ApiError,
    evidence_view::{EvidenceBody, EvidenceView},
    input::{Body, Params},
    list::List,
    watchdog::moment,
};
use crate::{auth::Caller, system::SystemIds};

/// Entries that were asked for, newest first: `{items, next}`; all conditions hold together, `tag` with commas.
#[utoipa::path(get, path = "/evidence", tag = "evidence",
    params(("author" = Option<String>, Query), ("subject" = Option<String>, Query), ("subject_type" = Option<String>, Query), ("subject_id" = Option<String>, Query),
        ("type" = Option<String>, Query), ("claim_type" = Option<String>, Query), ("tag" = Option<String>, Query), ("tags" = Option<String>, Query),
        ("session_id" = Option<String>, Query), ("session" = Option<String>, Query), ("since" = Option<String>, Query), ("until" = Option<String>, Query),
        ("ephemeral" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<EvidenceView>), (status = 422)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<Value>, ApiError> {
    let ledger = app.keeper()?.ledger().clone();
    let before = params.cursor()?;
    let now = app.now();
    let mut conditions = Vec::new();
    for (name, value) in params.iter().filter(|(name, _)| *name != "cursor") {
        // Times may be given as lengths before now.
        let is_time = matches!(name, "since" | "until");
        let value = if is_time { moment(value, now)?.to_string() } else { value.to_owned() };
        conditions.push((name.to_owned(), value));
    }
    let pairs = conditions.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let query = EvidenceQuery::from_params(pairs)?;
    // One at a time: a rare condition reads all of the ledger.
    let _permit = app.fold_permit().await;
    let (entries, next) = off_thread(move || search(&ledger, &query, before)).await?;
    let items: Vec<_> = entries.iter().map(EvidenceEntry::to_json).collect();
    Ok(Json(json!({"items": items, "next": next.map(|seq| seq.to_string())})))
}

/// Records an entry and answers with it.
#[utoipa::path(post, path = "/evidence", tag = "evidence", request_body = EvidenceBody,
    responses((status = 201, body = EvidenceView), (status = 422), (status = 503)))]
pub(crate) async fn record(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let keeper = app.keeper()?;
    let (value, now, person) = (body.json()?, app.now(), caller.author());
    take_quota(keeper, &person, &value)?;
    // Held until the entry is durable: no two get one id.
    let _permit = app.fold_permit().await;
    let ledger = keeper.ledger().clone();
    let draft = off_thread(move || check(&ledger, &value, (now, &person))).await?;
    let author = draft.author.clone();
    let event = draft.into_event(EvidenceId::new(&SystemIds, now));
    let entity = owner(keeper, &author);
    let line = Draft { entity, author: author.clone(), epoch: None, event: event.clone().into() };
    let appended = keeper.ledger().append(vec![line]).await.map_err(OrderError::from)?;
    keeper.services().view.applied(appended.last_seq).await;
    let entry = event.entry(&author, appended.timestamp);
    Ok((StatusCode::CREATED, Json(entry.to_json())))
}

/// Whoever records for many authors has one quota all the same.
fn take_quota(keeper: &Keeper, by: &EntityName, value: &Value) -> Result<(), ApiError> {
    let bytes = u64::try_from(value.to_string().len()).unwrap_or(u64::MAX);
    let quotas = &keeper.services().quotas;
    quotas
        .take(QuotaKind::Evidence, by, 1)
        .and_then(|()| quotas.take(QuotaKind::EvidenceBytes, by, bytes))
        .map_err(|error| {
            ApiError::too_often(format!("evidence of {by}: {error}"), error.retry_after_s())
        })
}

/// The entity of an entry: its author where that is an agent, else the keeper.
fn owner(keeper: &Keeper, author: &EntityName) -> EntityName {
    let agent = author.bare().parse().ok().filter(|id| keeper.has_agent(id));
    agent.map_or_else(EntityName::keeper, |id: abide_domain::AgentId| id.entity())
}

fn check(
    ledger: &Ledger,
    value: &Value,
    (now, person): (Timestamp, &EntityName),
) -> Result<EvidenceDraft, ApiError> {
    let exists = |id: &EvidenceId| is_there(ledger, id);
    let rules = EvidenceRules { now, author: Some(person), exists: &exists };
    Ok(EvidenceDraft::from_json(value, rules)?)
}

/// Whether an entry exists, recorded or derived from an event.
fn is_there(ledger: &Ledger, id: &EvidenceId) -> bool {
    if let Some(seq) = id.line() {
        let line = ledger.records(seq).next().and_then(Result::ok);
        let line = line.filter(|record| record.seq() == seq);
        return line.and_then(|record| entry(&record)).is_some();
    }
    let kinds = vec!["evidence.recorded".to_owned()];
    // What is replied to is new, as a rule.
    let query = Query { kinds, order: QueryOrder::NewestFirst, ..Query::default() };
    let mut explicit = ledger.query(query).filter_map(Result::ok);
    // The text is looked at first: most lines need not be decoded.
    explicit.any(|record| {
        record.data().contains(id.as_str()) && entry(&record).is_some_and(|found| found.id == *id)
    })
}

/// The newest entries that fit, and the line before which the next ones are.
fn search(
    ledger: &Ledger,
    query: &EvidenceQuery,
    before: Option<u64>,
) -> Result<(Vec<EvidenceEntry>, Option<u64>), ApiError> {
    let mut found = Vec::new();
    let lines = Query {
        author: query.author.clone(),
        before,
        order: QueryOrder::NewestFirst,
        ..Query::default()
    };
    for record in ledger.query(lines) {
        let record = record.map_err(|error| ApiError::internal(&error))?;
        // An entry may say that it was so a little later than its line.
        let is_past = |since: Timestamp| {
            record.timestamp().parse().is_ok_and(|at: Timestamp| at.plus(CLOCK_SKEW_MAX) < since)
        };
        if query.since.is_some_and(is_past) {
            break;
        }
        found.extend(entry(&record).filter(|entry| query.matches(entry)));
        if found.len() == query.limit {
            return Ok((found, Some(record.seq())));
        }
    }
    Ok((found, None))
}

fn entry(record: &Record) -> Option<EvidenceEntry> {
    let Entry { seq, timestamp, entity, author, epoch, event, .. } = record.entry().ok()?;
    let (entity, author, event) = (&entity, &author, &event);
    evidence::entry_from_line(&Line { seq, at: timestamp, entity, author, epoch, event })
}

async fn off_thread<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(ApiError::internal(&error)))
}
