//! Counters of the HTTP side, as long as the process runs.

use std::sync::atomic::{AtomicI64, AtomicU64};

use http::{Method, StatusCode};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

/// Counters of requests and event streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct HttpMetrics {
    requests: Family<RequestLabels, Counter>,
    streams: Gauge<i64, AtomicI64>,
    streamed: Counter<u64, AtomicU64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    status: u16,
}

impl HttpMetrics {
    /// Counts an answer. Unknown methods share a label: what a client sends must not grow the table.
    pub(crate) fn count_answer(&self, method: &Method, status: StatusCode) {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            Method::HEAD => "HEAD",
            _ => "other",
        };
        self.requests.get_or_create(&RequestLabels { method, status: status.as_u16() }).inc();
    }

    /// Counts a stream of events that was opened.
    pub(crate) fn stream_opened(&self) {
        self.streams.inc();
    }

    /// Counts a stream of events that was closed.
    pub(crate) fn stream_closed(&self) {
        self.streams.dec();
    }

    /// Counts events that were sent to a stream.
    pub(crate) fn count_events(&self, events: u64) {
        self.streamed.inc_by(events);
    }

    /// Registers the counters under their names in `/metrics`.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("http_requests", "Answered requests", self.requests.clone());
        registry.register("sse_streams", "Open event streams", self.streams.clone());
        registry.register("sse_events", "Events sent to streams", self.streamed.clone());
    }
}
