//! Pacing: rate limits for each host. A request above the rate waits; it is never dropped.

use std::{collections::HashMap, num::NonZeroU32, sync::Arc, time::Duration};

use abide_domain::Clock;
use governor::{
    Quota, RateLimiter,
    clock::Clock as _,
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};

/// The rate limit of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPace {
    /// The host, as in URLs, without a port.
    pub host: String,
    /// The time between two requests, on average.
    pub interval: Duration,
    /// Requests that may follow each other at once after a pause.
    pub burst: NonZeroU32,
}

type Limiter = RateLimiter<NotKeyed, InMemoryState, PaceClock, NoOpMiddleware<Duration>>;

/// The limiters, one a configured host: their number is bounded by the configuration.
#[derive(Debug)]
pub(crate) struct Pacer {
    limiters: HashMap<String, Limiter>,
    clock: PaceClock,
}

impl Pacer {
    pub(crate) fn new(paces: &[RequestPace], clock: &Arc<dyn Clock>) -> Self {
        let clock = PaceClock(Arc::clone(clock));
        let limiters = paces.iter().filter_map(|pace| {
            let quota = Quota::with_period(pace.interval)?.allow_burst(pace.burst);
            let host = pace.host.to_ascii_lowercase();
            Some((host, RateLimiter::direct_with_clock(quota, clock.clone())))
        });
        Self { limiters: limiters.collect(), clock }
    }

    /// Waits until a request to the host may be sent.
    pub(crate) async fn wait(&self, host: &str) {
        let Some(limiter) = self.limiters.get(host) else {
            return;
        };
        while let Err(not_until) = limiter.check() {
            let wait = not_until.wait_time_from(self.clock.now());
            tokio::time::sleep(wait.max(Duration::from_millis(1))).await;
        }
    }
}

/// The monotonic clock as the limiter wants it.
#[derive(Clone, Debug)]
struct PaceClock(Arc<dyn Clock>);

impl governor::clock::Clock for PaceClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.monotonic()
    }
}
