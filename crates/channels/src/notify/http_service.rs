//! What all services share that are reached over HTTP: one attempt with its bounds, what the answer means, and a reason
//! that shows no secret.
//!
//! An answer's status alone counts. Its body is never read: a service may repeat a key in it, and one that answers
//! without end must not turn a delivered message into one that is sent again.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{Timestamp, event::watchdog::Proof};
use abide_http::{Client, Error, Request, RequestLimits, Response, Secret, retry_after};
use abide_watchdog::Delivery;

use super::ATTEMPT_MAX;

/// How long a service is left alone at most, whatever it asks for: a person waits.
const QUIET_MAX: Duration = Duration::from_mins(10);

/// The way to one service.
#[derive(Clone, Debug)]
pub(super) struct HttpService {
    client: Client,
    service: &'static str,
    secrets: Vec<Secret>,
    /// Until when it wants to be left alone, on the clock that only goes forward.
    quiet_until: Arc<Mutex<Duration>>,
}

impl HttpService {
    /// The way to `service`, as it is called where it took something; none of these secrets is ever in a reason.
    pub(super) fn new(client: Client, service: &'static str, secrets: Vec<Secret>) -> Self {
        Self { client, service, secrets, quiet_until: Arc::default() }
    }

    /// The present.
    pub(super) fn now(&self) -> Timestamp {
        self.client.clock().now()
    }

    /// One attempt, as a delivery: any 2xx says that the service has it.
    pub(super) async fn deliver(&self, request: Request) -> Delivery {
        match self.send(request).await {
            Ok(host) => Delivery::Delivered {
                proof: Proof::Confirmed,
                by: format!("{} at {host}", self.service),
            },
            Err(reason) => Delivery::Failed(reason),
        }
    }

    /// One attempt: the host that took it, or the reason why not.
    pub(super) async fn send(&self, request: Request) -> Result<String, String> {
        let left = self.quiet_left();
        if !left.is_zero() {
            let seconds = left.as_secs().saturating_add(1);
            return Err(format!("it asked for a pause of another {seconds} s"));
        }
        let limits = RequestLimits {
            total: ATTEMPT_MAX,
            first_byte: ATTEMPT_MAX,
            // None of it is read.
            body_bytes_max: u64::MAX,
            ..RequestLimits::default()
        };
        match self.client.send(request.limits(limits)).await {
            Ok(answer) if answer.status().is_success() => Ok(answer.host().to_owned()),
            Ok(answer) => Err(self.refused(&answer)),
            // Its text would name the path, which is the secret of many services.
            Err(Error::InvalidRequest { problem, .. }) => {
                Err(format!("the address is not valid: {problem}"))
            }
            Err(error) => Err(self.redacted(error.chain())),
        }
    }

    /// An answer that says no, in words; one that asks for a pause gets it.
    fn refused(&self, answer: &Response) -> String {
        let status = answer.status().as_u16();
        let meaning = meaning(status);
        let reason = self.redacted(format!("{} answered {status}", answer.host()));
        let wait = match status {
            429 | 503 => retry_after(answer.headers(), self.now()),
            _ => None,
        };
        let Some(wait) = wait else { return format!("{reason}{meaning}") };
        let wait = wait.min(QUIET_MAX);
        let until = self.client.clock().monotonic().saturating_add(wait);
        *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        format!("{reason}{meaning}; it asks for a pause of {} s", wait.as_secs())
    }

    fn quiet_left(&self) -> Duration {
        let until = *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.saturating_sub(self.client.clock().monotonic())
    }

    fn redacted(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| secret.redact(&text))
    }
}

/// What a person can make of a status.
fn meaning(status: u16) -> &'static str {
    match status {
        300..=399 => ", which is a redirect: configure the address that it leads to",
        400 | 422 => ": it rejects the message",
        401 | 403 => ": it rejects the key",
        404 | 410 => ": there is nothing at this address",
        413 => ": the message is too long for it",
        429 => ": too many messages",
        500..=599 => ": the service has a problem",
        _ => "",
    }
}
