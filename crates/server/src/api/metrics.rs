//! `/metrics` in the OpenMetrics text form: counters of the HTTP side, and gauges read from the keeper when asked.

use std::sync::atomic::{AtomicI64, AtomicU64};

use abide_engine::{Keeper, state::Evolutions};
use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::header;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::agents::Processes;

use super::{app_state::AppState, approvals, attention, error::ApiError};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AgentLabels {
    agent: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReportedLabels {
    agent: String,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

/// Counters and gauges.
#[utoipa::path(get, path = "/metrics", tag = "keeper", responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
pub(crate) async fn metrics(State(app): State<AppState>) -> Result<Response, ApiError> {
    let mut registry = Registry::with_prefix("abide");
    app.metrics().register(&mut registry);
    gauge(&mut registry, "up_seconds", "Seconds since the start", app.monotonic().as_secs());
    gauge(&mut registry, "ready", "1 when stimuli are accepted", u64::from(app.is_ready()));
    if let Ok(keeper) = app.keeper() {
        keeper_gauges(&mut registry, &app, keeper);
    }
    if let Some(modules) = app.modules() {
        modules.register(&mut registry);
    }
    if let Some(running) = app.processes() {
        process_gauges(&mut registry, running);
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

fn keeper_gauges(registry: &mut Registry, app: &AppState, keeper: &Keeper) {
    let approvals = approvals::count_waiting(keeper);
    let attention = attention::all_matters(app, keeper).len();
    let head = keeper.ledger().head();
    let state = keeper.state();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    gauge(registry, "ledger_seq", "Last durable event", head.seq);
    gauge(registry, "ledger_segment", "Segment that is written to", head.segment);
    gauge(registry, "epochs", "Epochs accepted since the beginning", count(state.epochs.len()));
    gauge(registry, "epochs_running", "Epochs that have not ended", count(state.running.len()));
    gauge(registry, "approvals_waiting", "Calls that wait for a person", count(approvals));
    gauge(registry, "attention", "Matters that wait for a person", count(attention));
    let (queues, input, output, cost) = (family(), family(), family(), family());
    for (id, agent) in &state.agents {
        let of = AgentLabels { agent: id.to_string() };
        set(&queues, &of, count(agent.queue.len()));
        set(&input, &of, agent.total.input_tokens);
        set(&output, &of, agent.total.output_tokens);
        set(&cost, &of, agent.total.cost_microusd);
    }
    evolution_gauges(registry, &state.evolutions);
    registry.register("queue", "Stimuli that wait", queues);
    registry.register("input_tokens", "Input tokens since the beginning", input);
    registry.register("output_tokens", "Output tokens since the beginning", output);
    registry.register("cost_microusd", "Known cost since the beginning", cost);
}

/// Changes of agents: where those are that are remembered, and what all together came to.
fn evolution_gauges(registry: &mut Registry, evolutions: &Evolutions) {
    let states: Family<StateLabels, Gauge<i64, AtomicI64>> = Family::default();
    let (pairs, rollbacks) = (family(), family());
    for (agent, of_agent) in evolutions.agents() {
        for record in of_agent.records() {
            states.get_or_create(&StateLabels { state: record.state.as_str() }).inc();
        }
        let of = AgentLabels { agent: agent.to_string() };
        set(&pairs, &of, of_agent.pairs_in_all());
        set(&rollbacks, &of, of_agent.rollbacks_in_all());
    }
    registry.register("evolutions", "Changes of agents that are remembered, by state", states);
    registry.register("evolution_pairs", "Requests given to two codes since the beginning", pairs);
    registry.register("evolution_rollbacks", "Changes taken back since the beginning", rollbacks);
}

/// What is known of agents' processes, and what they last measured of themselves.
fn process_gauges(registry: &mut Registry, all: &Processes) {
    let (running, restarts, lag) = (family(), family(), family());
    let reported: Family<ReportedLabels, Gauge<f64, AtomicU64>> = Family::default();
    for id in all.agents() {
        let of = AgentLabels { agent: id.to_string() };
        let Some(status) = all.status(id) else { continue };
        set(&running, &of, u64::from(status.run.is_some()));
        set(&restarts, &of, status.restarts);
        set(&lag, &of, status.wal_entries);
        for (name, value) in all.metrics(id).into_iter().flat_map(|metrics| metrics.values) {
            reported.get_or_create(&ReportedLabels { agent: id.to_string(), name }).set(value);
        }
    }
    registry.register("process_running", "1 when the agent's process runs", running);
    registry.register("process_restarts", "Starts after the first", restarts);
    registry.register("process_wal_lag", "Entries behind the newest checkpoint", lag);
    registry.register("process_reported", "What a process last measured of itself", reported);
}

type AgentGauges = Family<AgentLabels, Gauge<i64, AtomicI64>>;

fn family() -> AgentGauges {
    Family::default()
}

fn set(family: &AgentGauges, of: &AgentLabels, value: u64) {
    family.get_or_create(of).set(i64::try_from(value).unwrap_or(i64::MAX));
}
