//! `/events`: the ledger as a stream of server-sent events, from any point, without a gap or a duplicate.
//!
//! A reader takes at its own pace: what it has not read waits on the disk, not in memory. An event is sent when all views
//! show it, so that whoever sees an epoch end can read that epoch. Pieces of growing answers and what running calls say go in
//! between, without an id: they are not in the ledger, and a reader that lags loses them.

use std::{borrow::Cow, convert::Infallible, fmt::Write as _, time::Duration};

use abide_domain::{
    AgentId,
    event::{catalogue, kind_fits},
};
use abide_engine::{Keeper, ToolProgress, TurnDelta};
use abide_ledger::{Feed, Record};
use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderValue, header};
use serde_json::{Value, json};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Interval, MissedTickBehavior, interval},
};

use super::{
    app_state::AppState, error::ApiError, input::Params, snapshot, tool_progress::ToolProgressView,
};
use crate::auth::Caller;

/// Between two comments that keep a silent connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Between two looks whether whoever reads a silent stream still may.
const ADMISSION_CHECK: Duration = Duration::from_millis(500);
/// What a client waits before it comes back.
const RETRY_MS: u32 = 2000;
/// Events that are sent in one piece.
const BATCH_MAX: usize = 64;

/// Follows the ledger: `id:` is the sequence, `event:` the kind, `data:` the event as in the ledger. With `deltas`, what is in no
/// ledger goes in between without an `id:`: `turn.delta` (a piece of a growing answer) and `tool.progress` (`ToolProgressView`).
#[utoipa::path(get, path = "/events", tag = "keeper",
    params(("citizen" = Option<String>, Query), ("kinds" = Option<String>, Query), ("after" = Option<u64>, Query),
        ("thoughts" = Option<String>, Query), ("deltas" = Option<String>, Query), ("Last-Event-ID" = Option<u64>, Header)),
    responses((status = 200, body = String, content_type = "text/event-stream"), (status = 400)))]
pub(crate) async fn follow(
    State(app): State<AppState>,
    caller: Caller,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let keeper = app.keeper()?.clone();
    let filter = EventFilter::of(&app, &params)?;
    let head = keeper.ledger().head().seq;
    let after = after(&params, &headers)?;
    let mut opening = format!("retry: {RETRY_MS}\n\n: abide\n\n");
    let from = match after {
        None => head,
        Some(after) if after <= head => after,
        // The client has seen more than there is: another ledger, or one that was restored. It starts again, from the state
        // that all agents share where it may see that.
        Some(_) if !caller.scopes().reads_all() => head,
        Some(_) => {
            let snapshot = snapshot::take(&app).await?;
            let data =
                serde_json::to_string(&snapshot).map_err(|error| ApiError::internal(&error))?;
            // Writing to a string cannot fail.
            let _ = write!(opening, "id: {}\nevent: snapshot\ndata: {data}\n\n", snapshot.seq);
            snapshot.seq
        }
    };
    let flow = EventFlow::new((app, keeper, caller), filter, from, opening);
    let body = Body::from_stream(stream::unfold(flow, |mut flow| async move {
        let piece = flow.next().await?;
        Some((Ok::<_, Infallible>(piece), flow))
    }));
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// `Last-Event-ID`, which a browser sends when it comes back, wins over `after`.
fn after(params: &Params, headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let last = headers.get("last-event-id").filter(|value| !value.is_empty());
    let Some(last) = last else {
        return params.number("after");
    };
    let parsed = last.to_str().ok().and_then(|text| text.trim().parse().ok());
    parsed.map(Some).ok_or_else(|| {
        ApiError::malformed("Last-Event-ID must be a sequence number of this ledger")
    })
}

/// The kinds that were asked for, separated by commas; `epoch.*` is a group.
pub(super) fn kinds(params: &Params) -> Result<Vec<String>, ApiError> {
    let kinds = params.get("kinds").unwrap_or_default().split(',').map(str::trim);
    let kinds: Vec<String> = kinds.filter(|kind| !kind.is_empty()).map(str::to_owned).collect();
    let is_known = |kind: &String| catalogue().any(|known| kind_fits(kind, known.name));
    match kinds.iter().find(|kind| !is_known(kind)) {
        Some(unknown) => {
            let unknown: String = unknown.chars().take(64).collect();
            Err(ApiError::malformed(format!(
                "there is no kind of event `{unknown}`; kinds are in docs/ledger-format.md"
            )))
        }
        None => Ok(kinds),
    }
}

/// The event as in the ledger; without its thought, unless thoughts were asked for.
pub(super) fn line_of(record: &Record, has_thoughts: bool) -> Cow<'_, str> {
    let line = record.line();
    if has_thoughts || !line.contains("\"thought\":") {
        return line.into();
    }
    without_thoughts(line).into()
}

/// What a client wants to see.
#[derive(Debug)]
struct EventFilter {
    entity: Option<String>,
    citizen: Option<AgentId>,
    kinds: Vec<String>,
    has_thoughts: bool,
    has_deltas: bool,
}

impl EventFilter {
    fn of(app: &AppState, params: &Params) -> Result<Self, ApiError> {
        let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
        Ok(Self {
            entity: citizen.as_ref().map(|citizen| citizen.entity().to_string()),
            citizen,
            kinds: kinds(params)?,
            has_thoughts: params.is_set("thoughts")?,
            has_deltas: params.is_set("deltas")?,
        })
    }

    fn wants(&self, record: &Record) -> bool {
        let fits = |kind: &String| kind_fits(kind, record.kind());
        self.entity.as_ref().is_none_or(|entity| record.entity() == entity)
            && (self.kinds.is_empty() || self.kinds.iter().any(fits))
    }

    fn wants_delta(&self, delta: &TurnDelta) -> bool {
        self.wants_agent(&delta.agent) && (self.has_thoughts || !delta.thought)
    }

    fn wants_agent(&self, agent: &AgentId) -> bool {
        self.citizen.as_ref().is_none_or(|citizen| citizen == agent)
    }
}

/// One client's stream.
struct EventFlow {
    app: AppState,
    keeper: Keeper,
    caller: Caller,
    feed: Feed,
    deltas: Option<Receiver<TurnDelta>>,
    tool_progress: Option<Receiver<ToolProgress>>,
    filter: EventFilter,
    keep_alive: Interval,
    admission: Interval,
    opening: Option<Bytes>,
}

enum FlowStep {
    Piece(Bytes),
    Nothing,
    End,
}

impl EventFlow {
    fn new(
        (app, keeper, caller): (AppState, Keeper, Caller),
        filter: EventFilter,
        from: u64,
        opening: String,
    ) -> Self {
        if caller.scopes().approves() {
            keeper.attached().open(app.now());
        }
        app.metrics().stream_opened();
        let deltas = filter.has_deltas.then(|| keeper.deltas());
        let tool_progress = filter.has_deltas.then(|| keeper.tool_progress());
        let mut keep_alive = interval(KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once; the opening already is a comment.
        keep_alive.reset();
        let mut admission = interval(ADMISSION_CHECK);
        admission.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let feed = keeper.ledger().feed(from);
        let opening = Some(opening.into());
        Self {
            app,
            keeper,
            caller,
            feed,
            deltas,
            tool_progress,
            filter,
            keep_alive,
            admission,
            opening,
        }
    }

    async fn next(&mut self) -> Option<Bytes> {
        if let Some(opening) = self.opening.take() {
            return Some(opening);
        }
        loop {
            match self.step().await {
                // Asked again for each piece: what is sent after a revocation is nobody's to read.
                FlowStep::Piece(_) if !self.app.still_admits(&self.caller) => return None,
                FlowStep::Piece(piece) => return Some(piece),
                FlowStep::Nothing => {}
                FlowStep::End => return None,
            }
        }
    }

    async fn step(&mut self) -> FlowStep {
        let closing = self.app.closing().clone();
        if closing.is_cancelled() && self.feed.next_seq() > self.keeper.ledger().head().seq {
            // The last event was written before the close, and this client has it.
            return FlowStep::End;
        }
        // Deltas come first: they were made before the event that ends their turn. What a call says comes last: it was said after
        // the event that began the call, and when it has ended it is nobody's news.
        tokio::select! {
            biased;
            delta = next_piece(&mut self.deltas) => self.delta(delta),
            records = self.feed.next_batch(BATCH_MAX) => match records {
                Ok(records) => self.records(&records).await,
                Err(error) => {
                    tracing::warn!(event = "event_stream_failed", %error, "a stream of events ends: the ledger cannot be read");
                    FlowStep::End
                }
            },
            said = next_piece(&mut self.tool_progress) => self.said_by_call(said),
            () = closing.cancelled() => FlowStep::Nothing,
            _ = self.admission.tick() => {
                if self.app.still_admits(&self.caller) { FlowStep::Nothing } else { FlowStep::End }
            }
            _ = self.keep_alive.tick() => FlowStep::Piece(Bytes::from_static(b": abide\n\n")),
        }
    }

    fn delta(&mut self, delta: Result<TurnDelta, RecvError>) -> FlowStep {
        match delta {
            Ok(delta) if self.filter.wants_delta(&delta) => {
                let TurnDelta { epoch, turn, text, .. } = &delta;
                let data = if delta.thought {
                    json!({"epoch_id": epoch, "turn": turn, "text": text, "thought": true})
                } else {
                    json!({"epoch_id": epoch, "turn": turn, "text": text})
                };
                FlowStep::Piece(format!("event: turn.delta\ndata: {data}\n\n").into())
            }
            Ok(_) | Err(RecvError::Lagged(_)) => FlowStep::Nothing,
            Err(RecvError::Closed) => {
                self.deltas = None;
                FlowStep::Nothing
            }
        }
    }

    fn said_by_call(&mut self, said: Result<ToolProgress, RecvError>) -> FlowStep {
        match said {
            Ok(said) if self.filter.wants_agent(&said.agent) => {
                ToolProgressView::of(said).to_json().map_or(FlowStep::Nothing, |data| {
                    FlowStep::Piece(format!("event: tool.progress\ndata: {data}\n\n").into())
                })
            }
            // The numbers of those that come next show the gap.
            Ok(_) | Err(RecvError::Lagged(_)) => FlowStep::Nothing,
            Err(RecvError::Closed) => {
                self.tool_progress = None;
                FlowStep::Nothing
            }
        }
    }

    async fn records(&self, records: &[Record]) -> FlowStep {
        if let Some(last) = records.last() {
            self.keeper.services().view.applied(last.seq()).await;
        }
        let mut text = String::new();
        let mut sent = 0;
        for record in records.iter().filter(|record| self.filter.wants(record)) {
            let line = line_of(record, self.filter.has_thoughts);
            // Writing to a string cannot fail.
            let _ =
                write!(text, "id: {}\nevent: {}\ndata: {line}\n\n", record.seq(), record.kind());
            sent += 1;
        }
        if sent == 0 {
            return FlowStep::Nothing;
        }
        self.app.metrics().count_events(sent);
        FlowStep::Piece(text.into())
    }
}

impl Drop for EventFlow {
    fn drop(&mut self) {
        if self.caller.scopes().approves() {
            self.keeper.attached().close(self.app.now());
        }
        self.app.metrics().stream_closed();
    }
}

/// The next of what is in no ledger; none comes where it was not asked for.
async fn next_piece<T: Clone>(pieces: &mut Option<Receiver<T>>) -> Result<T, RecvError> {
    match pieces {
        Some(pieces) => pieces.recv().await,
        None => std::future::pending().await,
    }
}

/// A line whose mind's reasoning is left out. A text that only talks about thoughts is kept.
fn without_thoughts(line: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(line) else {
        return "{}".into();
    };
    let voice = value.pointer_mut("/data/voice").and_then(Value::as_object_mut);
    let Some(voice) = voice else {
        return line.into();
    };
    voice.shift_remove("thought");
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::without_thoughts;

    #[test]
    fn only_the_minds_own_thought_is_left_out() {
        let line = r#"{"seq":7,"data":{"turn":1,"voice":{"thought":"hm","emotive_state":"calm","tool_calls":[{"arguments":{"thought":"x"}}]}},"crc":"0"}"#;
        let kept = r#"{"seq":7,"data":{"turn":1,"voice":{"emotive_state":"calm","tool_calls":[{"arguments":{"thought":"x"}}]}},"crc":"0"}"#;
        assert_eq!(without_thoughts(line), kept);
        let said = r#"{"seq":8,"data":{"content":"\"thought\":"},"crc":"0"}"#;
        assert_eq!(without_thoughts(said), said);
    }
}
