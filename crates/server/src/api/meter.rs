//! `/metrics` in the OpenMetrics text form: counters of the HTTP side, and gauges read from the keeper when asked.

use std::sync::atomic::{AtomicI64, AtomicU64};

use abide_engine::Keeper;
use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{Method, StatusCode, header};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::processes::Processes;

use super::{approvals, attention, error::ApiError, front::AppState};

/// Counters that live as long as the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    requests: Family<Answered, Counter>,
    streams: Gauge<i64, AtomicI64>,
    streamed: Counter<u64, AtomicU64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfAgent {
    agent: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reported {
    agent: String,
    name: String,
}

impl Meter {
    /// Counts an answer. Unknown methods share a label: what a client sends must not grow the table.
    pub(crate) fn answered(&self, method: &Method, status: StatusCode) {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            Method::HEAD => "HEAD",
            _ => "other",
        };
        self.requests.get_or_create(&Answered { method, status: status.as_u16() }).inc();
    }

    /// A stream of events began.
    pub(crate) fn stream_opened(&self) {
        self.streams.inc();
    }

    /// A stream of events ended.
    pub(crate) fn stream_closed(&self) {
        self.streams.dec();
    }

    /// Events were sent to a stream.
    pub(crate) fn streamed(&self, events: u64) {
        self.streamed.inc_by(events);
    }
}

/// Counters and gauges.
#[utoipa::path(get, path = "/metrics", tag = "keeper", responses((status = 200, content_type = "text/plain")))]
pub(crate) async fn metrics(State(front): State<AppState>) -> Result<Response, ApiError> {
    let mut registry = Registry::with_prefix("abide");
    let meter = front.meter();
    registry.register("http_requests", "Answered requests", meter.requests.clone());
    registry.register("sse_streams", "Open event streams", meter.streams.clone());
    registry.register("sse_events", "Events sent to streams", meter.streamed.clone());
    gauge(&mut registry, "up_seconds", "Seconds since the start", front.monotonic().as_secs());
    gauge(&mut registry, "ready", "1 when stimuli are taken", u64::from(front.is_ready()));
    if let Ok(keeper) = front.keeper() {
        house(&mut registry, &front, keeper);
    }
    if let Some(running) = front.processes() {
        processes(&mut registry, running);
    }
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| ApiError::internal(&error))?;
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, media_type)], text).into_response())
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let gauge: Gauge<i64, AtomicI64> = Gauge::default();
    gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
    registry.register(name, help, gauge);
}

fn house(registry: &mut Registry, front: &AppState, keeper: &Keeper) {
    let approvals = approvals::count(keeper);
    let attention = attention::all(front, keeper).len();
    let head = keeper.ledger().head();
    let house = keeper.house();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    gauge(registry, "ledger_seq", "Last durable event", head.seq);
    gauge(registry, "ledger_segment", "Segment that is written to", head.segment);
    gauge(registry, "epochs", "Epochs accepted since the beginning", count(house.order.len()));
    gauge(registry, "epochs_running", "Epochs that have not ended", count(house.running.len()));
    gauge(registry, "approvals_waiting", "Calls that wait for a person", count(approvals));
    gauge(registry, "attention", "Matters that wait for a person", count(attention));
    let (queues, input, output, cost) = (family(), family(), family(), family());
    for (id, state) in &house.agents {
        let of = OfAgent { agent: id.to_string() };
        set(&queues, &of, count(state.queue.len()));
        set(&input, &of, state.total.input_tokens);
        set(&output, &of, state.total.output_tokens);
        set(&cost, &of, state.total.cost_microusd);
    }
    registry.register("queue", "Stimuli that wait", queues);
    registry.register("input_tokens", "Input tokens since the beginning", input);
    registry.register("output_tokens", "Output tokens since the beginning", output);
    registry.register("cost_microusd", "Known cost since the beginning", cost);
}

/// What is known of agents' processes, and what they last said of themselves.
fn processes(registry: &mut Registry, all: &Processes) {
    let (running, restarts, lag) = (family(), family(), family());
    let reported: Family<Reported, Gauge<f64, AtomicU64>> = Family::default();
    for id in all.agents() {
        let of = OfAgent { agent: id.to_string() };
        let Some(status) = all.status(id) else { continue };
        set(&running, &of, u64::from(status.run.is_some()));
        set(&restarts, &of, status.restarts);
        set(&lag, &of, status.wal_entries);
        for (name, value) in all.metrics(id).into_iter().flat_map(|said| said.values) {
            reported.get_or_create(&Reported { agent: id.to_string(), name }).set(value);
        }
    }
    registry.register("process_running", "1 when the agent's process runs", running);
    registry.register("process_restarts", "Starts after the first", restarts);
    registry.register("process_wal_lag", "Entries behind the newest checkpoint", lag);
    registry.register("process_reported", "What a process last measured of itself", reported);
}

type OfAgents = Family<OfAgent, Gauge<i64, AtomicI64>>;

fn family() -> OfAgents {
    Family::default()
}

fn set(family: &OfAgents, of: &OfAgent, value: u64) {
    family.get_or_create(of).set(i64::try_from(value).unwrap_or(i64::MAX));
}
