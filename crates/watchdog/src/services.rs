//! The services that tell people, by name: a notice goes to those that it names, each has its own time, and what each made
//! of it is written down.
//!
//! It decides nothing: whom a notice is for, and whether it is tried again, is said elsewhere.

use std::{fmt, sync::Arc};

use abide_domain::{
    Clock, Zone,
    event::watchdog::{AttemptOutcome, Proof, ServiceAttempt},
};
use futures_util::future::{BoxFuture, join_all};
use tokio::time::timeout;

use crate::{
    interfaces::{Delivery, Notifier},
    page::Notice,
    settings::{CLOSING_ATTEMPTS_MAX, DELIVERY_MAX, MESSAGE_CHARS_MAX, retry_pause},
};

/// A service and its name.
type NamedService = (String, Arc<dyn Notifier>);

/// All services that are configured.
#[derive(Clone, Default)]
pub struct NotifyServices {
    all: Arc<[NamedService]>,
    /// The zone in which notices show times.
    zone: Zone,
}

impl fmt::Debug for NotifyServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl NotifyServices {
    /// These services, by the names of the configuration. With none, every notice fails and says so.
    pub fn new(services: Vec<(String, Arc<dyn Notifier>)>) -> Self {
        Self { all: services.into(), zone: Zone::utc() }
    }

    /// The same, with times shown in a zone.
    #[must_use]
    pub fn with_zone(self, zone: Zone) -> Self {
        Self { zone, ..self }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, _)| name.as_str())
    }

    /// Tells it to each service that it names, all at one time, and says what each made of it.
    pub async fn notify(&self, notice: Notice, clock: &dyn Clock) -> Vec<ServiceAttempt> {
        let notice = Notice { zone: self.zone.clone(), ..notice };
        let (recipients, gone) = self.recipients(&notice.to);
        let asked = recipients.iter().map(|(name, service)| attempt(name, service, &notice, clock));
        let mut attempts = join_all(asked).await;
        attempts.extend(gone.into_iter().map(|name| ServiceAttempt {
            service: name.to_owned(),
            outcome: AttemptOutcome::Failed,
            words: format!("{name} is not configured any more"),
            took_ms: 0,
        }));
        attempts
    }

    /// Tells the same until each has it, a few times: nobody waits for the outcome, and what told of a stall that is over
    /// would tell of it for ever.
    pub(crate) async fn notify_closing(
        &self,
        mut notice: Notice,
        clock: &dyn Clock,
    ) -> Vec<ServiceAttempt> {
        let mut attempts = Vec::new();
        loop {
            let tried = self.notify(notice.clone(), clock).await;
            let left: Vec<_> = failed(&tried).filter(|name| self.is_configured(name)).collect();
            attempts.extend(tried);
            if left.is_empty() || notice.attempt >= CLOSING_ATTEMPTS_MAX {
                return attempts;
            }
            tokio::time::sleep(retry_pause(notice.attempt)).await;
            (notice.to, notice.attempt) = (left, notice.attempt.saturating_add(1));
        }
    }

    /// Whether there is anybody to send a notice to: what is left over for services that are configured no more is for nobody.
    pub(crate) fn can_take(&self, notice: &Notice) -> bool {
        !notice.is_rest || notice.to.iter().any(|name| self.is_configured(name))
    }

    fn is_configured(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// The services that are meant, and names that mean none. Where no name means one any more, all are meant: a person is
    /// to hear of it.
    fn recipients<'a>(&self, to: &'a [String]) -> (Vec<&NamedService>, Vec<&'a str>) {
        let named = self.all.iter().filter(|(name, _)| to.contains(name));
        let named: Vec<_> = named.collect();
        let gone = to.iter().map(String::as_str).filter(|name| !self.is_configured(name)).collect();
        if named.is_empty() { (self.all.iter().collect(), gone) } else { (named, gone) }
    }
}

async fn attempt(
    name: &str,
    service: &Arc<dyn Notifier>,
    notice: &Notice,
    clock: &dyn Clock,
) -> ServiceAttempt {
    let began = clock.monotonic();
    let (outcome, words) = match timeout(DELIVERY_MAX, service.notify(notice.clone())).await {
        Ok(Delivery::Delivered { proof, by }) => (proof.into(), by),
        Ok(Delivery::Failed(why)) => (AttemptOutcome::Failed, why),
        Err(_) => (AttemptOutcome::Failed, timeout_reason()),
    };
    let words = truncated(&words);
    let took = clock.monotonic().saturating_sub(began);
    let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    ServiceAttempt { service: name.to_owned(), outcome, words, took_ms }
}

/// Whatever takes too long has failed.
pub(crate) async fn with_timeout(delivery: BoxFuture<'_, Delivery>) -> Delivery {
    timeout(DELIVERY_MAX, delivery).await.unwrap_or_else(|_| Delivery::Failed(timeout_reason()))
}

fn timeout_reason() -> String {
    format!("timed out after {} s", DELIVERY_MAX.as_secs())
}

/// What several attempts come to: the surest proof of those that arrived, else all reasons.
pub(crate) fn combined_delivery(attempts: &[ServiceAttempt]) -> Delivery {
    let (failed, arrived): (Vec<_>, Vec<_>) =
        attempts.iter().partition(|attempt| attempt.outcome == AttemptOutcome::Failed);
    if arrived.is_empty() {
        let reasons = failed.iter().map(|a| format!("{}: {}", a.service, a.words));
        let reasons: Vec<_> = reasons.collect();
        return Delivery::Failed(if reasons.is_empty() {
            "no notifier is configured".to_owned()
        } else {
            reasons.join("; ")
        });
    }
    let arrived: Vec<_> = arrived.iter().map(|attempt| attempt.words.as_str()).collect();
    let is_sure = attempts.iter().any(|attempt| attempt.outcome == AttemptOutcome::Confirmed);
    let proof = if is_sure { Proof::Confirmed } else { Proof::Sent };
    Delivery::Delivered { proof, by: arrived.join(", ") }
}

/// The services that took it.
pub(crate) fn delivered_services(attempts: &[ServiceAttempt]) -> impl Iterator<Item = String> {
    let took = attempts.iter().filter(|attempt| attempt.outcome != AttemptOutcome::Failed);
    took.map(|attempt| attempt.service.clone())
}

/// The services that did not take it.
pub(crate) fn failed(attempts: &[ServiceAttempt]) -> impl Iterator<Item = String> {
    let failed = attempts.iter().filter(|attempt| attempt.outcome == AttemptOutcome::Failed);
    failed.map(|attempt| attempt.service.clone())
}

pub(crate) fn truncated(words: &str) -> String {
    words.chars().take(MESSAGE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use abide_domain::event::watchdog::{AttemptOutcome, Proof, ServiceAttempt};

    use super::{combined_delivery, delivered_services};
    use crate::interfaces::Delivery;

    fn attempt(service: &str, outcome: AttemptOutcome, words: &str) -> ServiceAttempt {
        ServiceAttempt { service: service.into(), outcome, words: words.into(), took_ms: 1 }
    }

    #[test]
    fn a_notice_is_delivered_where_one_service_took_it() {
        let all = [
            attempt("phone", AttemptOutcome::Sent, "ntfy at a"),
            attempt("mail", AttemptOutcome::Failed, "b is away"),
            attempt("pager", AttemptOutcome::Confirmed, "c has it"),
        ];
        let by = "ntfy at a, c has it".to_owned();
        assert_eq!(combined_delivery(&all), Delivery::Delivered { proof: Proof::Confirmed, by });
        assert_eq!(delivered_services(&all).collect::<Vec<_>>(), ["phone", "pager"]);
        let (first, rest) = all.split_first().unwrap();
        let by = "ntfy at a".to_owned();
        let alone = std::slice::from_ref(first);
        assert_eq!(combined_delivery(alone), Delivery::Delivered { proof: Proof::Sent, by });
        let (away, _) = rest.split_first().unwrap();
        let alone = std::slice::from_ref(away);
        assert_eq!(combined_delivery(alone), Delivery::Failed("mail: b is away".into()));
        assert_eq!(combined_delivery(&[]), Delivery::Failed("no notifier is configured".into()));
    }
}
