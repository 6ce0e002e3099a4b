//! Scryfall's service as it wants to be used: two paces, a day of cache, and silence after a refusal.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use abide_http::{ClientSettings, Request};
use abide_tools::{ToolError, ToolErrorKind};
use serde_json::Value;

use super::settings::ScryfallSettings;
use crate::{
    answer::{Answer, detail, status_error, wait_of},
    disk_cache::DiskCache,
    limits::{SCRYFALL_LOCK_OUT, SCRYFALL_OTHER_INTERVAL, SCRYFALL_SEARCH_INTERVAL},
    service_client::{ServiceClient, client_for, pace_of, service_url},
};

/// How long answers are kept: prices change once a day.
const CACHE_AGE_MAX: Duration = Duration::from_hours(24);
/// Paths that may be asked for twice a second; all others ten times.
const SLOW_PATHS: [&str; 4] = ["cards/search", "cards/named", "cards/random", "cards/collection"];
const NAME: &str = "Scryfall";

/// The service.
#[derive(Debug)]
pub(super) struct CardService {
    url: String,
    /// For the paths that may be asked for twice a second.
    slow: ServiceClient,
    /// For all others.
    fast: ServiceClient,
    cache: DiskCache,
    /// Until when nothing is asked for, on the monotonic clock.
    locked_until: Mutex<Duration>,
}

/// What the service says: an object, or an error object.
#[derive(Debug)]
pub(super) enum CardAnswer {
    Found(Value),
    Refused(CardRefusal),
}

/// An error object.
#[derive(Debug, Default)]
pub(super) struct CardRefusal {
    pub(super) status: u16,
    pub(super) is_ambiguous: bool,
    pub(super) details: String,
    pub(super) warnings: Vec<String>,
}

impl CardService {
    pub(super) fn new(settings: &ScryfallSettings, http: &ClientSettings) -> Self {
        let client = |interval| ServiceClient {
            name: NAME,
            client: client_for(http, settings.addresses, pace_of(&settings.url, interval)),
        };
        Self {
            url: settings.url.clone(),
            slow: client(SCRYFALL_SEARCH_INTERVAL),
            fast: client(SCRYFALL_OTHER_INTERVAL),
            cache: DiskCache::new(&settings.cache, http.clock.clone()),
            locked_until: Mutex::default(),
        }
    }

    /// Asks for a path. An answer that was kept is given without a request.
    pub(super) async fn get(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<CardAnswer, ToolError> {
        let url = service_url(&self.url, path, query)?;
        if let Some(found) = self.cache.get(&url, CACHE_AGE_MAX).await {
            return Ok(CardAnswer::Found(found));
        }
        self.check_lock()?;
        let client = if SLOW_PATHS.contains(&path) { &self.slow } else { &self.fast };
        let request = Request::get(url.as_str()).accept("application/json;q=0.9, */*;q=0.8");
        let mut answer = client.send(request).await?;
        match answer.status.as_u16() {
            200 => {
                let found = client.parse(answer.body).await?;
                self.cache.put(&url, found.clone()).await;
                Ok(CardAnswer::Found(found))
            }
            429 => Err(self.lock(&answer)),
            400 | 404 | 422 => match client.parse(std::mem::take(&mut answer.body)).await {
                Ok(error) => Ok(CardAnswer::Refused(refusal(&error, answer.status.as_u16()))),
                Err(_) => Err(status_error(NAME, &answer, client.now())),
            },
            _ => Err(status_error(NAME, &answer, client.now())),
        }
    }

    /// Refuses a request while the service locks us out: one within that time may lead to a ban.
    fn check_lock(&self) -> Result<(), ToolError> {
        let until = *self.locked_until.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.saturating_sub(self.slow.client.clock().monotonic());
        if left.is_zero() {
            return Ok(());
        }
        let message =
            "Scryfall asked for fewer requests; nothing is asked for until its lock-out is over";
        Err(ToolError::of(ToolErrorKind::RateLimited, message).after(Some(left)))
    }

    fn lock(&self, answer: &Answer) -> ToolError {
        let wait = wait_of(answer, self.slow.now()).unwrap_or_default().max(SCRYFALL_LOCK_OUT);
        let until = self.slow.client.clock().monotonic().saturating_add(wait);
        let mut locked = self.locked_until.lock().unwrap_or_else(PoisonError::into_inner);
        // Of several requests that were under way, the refusal that asks for the longest wait counts.
        *locked = until.max(*locked);
        drop(locked);
        status_error(NAME, answer, self.slow.now()).after(Some(wait))
    }
}

fn refusal(error: &Value, status: u16) -> CardRefusal {
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let warnings = error.get("warnings").and_then(Value::as_array);
    let warnings = warnings.into_iter().flatten().filter_map(Value::as_str).take(5).map(detail);
    CardRefusal {
        status,
        is_ambiguous: text("type") == "ambiguous",
        details: detail(text("details")),
        warnings: warnings.collect(),
    }
}

impl CardRefusal {
    /// The error for a mind.
    pub(super) fn to_error(&self) -> ToolError {
        let kind = match self.status {
            404 if self.is_ambiguous => ToolErrorKind::Ambiguous,
            404 => ToolErrorKind::NotFound,
            _ => ToolErrorKind::Invalid,
        };
        let mut message = format!("Scryfall: {}", self.details);
        for warning in &self.warnings {
            message.push_str("; ");
            message.push_str(warning);
        }
        ToolError::of(kind, message)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use abide_domain::{Clock, Timestamp};
    use abide_http::{AddressPolicy, ClientSettings};
    use http::{HeaderMap, HeaderValue, StatusCode, header::RETRY_AFTER};

    use super::{Answer, CardService, ScryfallSettings};

    #[derive(Debug)]
    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }
    }

    #[test]
    fn a_second_refusal_never_shortens_the_wait_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let http = ClientSettings::new(AddressPolicy::Public, Arc::new(Still));
        let service = CardService::new(&ScryfallSettings::new(folder.path()), &http);
        let refusal = |wait: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.extend(wait.map(|wait| (RETRY_AFTER, HeaderValue::from_static(wait))));
            Answer { status: StatusCode::TOO_MANY_REQUESTS, headers, body: Vec::new() }
        };
        service.lock(&refusal(Some("3600")));
        service.lock(&refusal(None));
        let error = service.check_lock().unwrap_err();
        assert!(error.to_text().contains("3600 s"), "{}", error.to_text());
    }
}
