//! Telling people: one file a service, all behind the watchdog's role of a [`Notifier`].
//!
//! A service says in words what it did and never shows an address or a key: both may be secrets. It does not try again
//! and keeps no journal: the watchdog does both, and every attempt at one notice has the notice's id.

use std::sync::Arc;

use abide_watchdog::{Delivery, Notice, Notifier};
use futures_util::future::{BoxFuture, join_all};

mod webhook;

pub use webhook::{SIGNATURE_HEADER, TIMESTAMP_HEADER, Webhook};

/// All services that are configured, as one: a notice goes to each, and is delivered where one of them took it.
#[derive(Clone, Debug, Default)]
pub struct Notifiers {
    services: Vec<Arc<dyn Notifier>>,
}

impl Notifiers {
    /// These services; with none, every notice fails and says so.
    pub fn new(services: Vec<Arc<dyn Notifier>>) -> Self {
        Self { services }
    }
}

impl Notifier for Notifiers {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let all = self.services.iter().map(|service| service.notify(notice.clone()));
            sum(join_all(all).await)
        })
    }
}

/// What several deliveries come to: the surest proof of those that arrived, else all reasons.
fn sum(deliveries: Vec<Delivery>) -> Delivery {
    let (mut proofs, mut names, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    for delivery in deliveries {
        match delivery {
            Delivery::Delivered { proof, by } => {
                proofs.push(proof);
                names.push(by);
            }
            Delivery::Failed(reason) => reasons.push(reason),
        }
    }
    let Some(first) = proofs.first().copied() else {
        return Delivery::Failed(if reasons.is_empty() {
            "no notifier is configured".to_owned()
        } else {
            reasons.join("; ")
        });
    };
    for reason in reasons {
        tracing::warn!(reason, "a notice reached a person, but not by every service");
    }
    let is_sure = |proof: &abide_domain::event::watchdog::Proof| {
        *proof == abide_domain::event::watchdog::Proof::Confirmed
    };
    let proof = proofs.into_iter().find(is_sure).unwrap_or(first);
    Delivery::Delivered { proof, by: names.join(", ") }
}

#[cfg(test)]
mod tests {
    use abide_domain::event::watchdog::Proof;
    use abide_watchdog::Delivery;

    use super::sum;

    fn sent(proof: Proof, by: &str) -> Delivery {
        Delivery::Delivered { proof, by: by.to_owned() }
    }

    #[test]
    fn a_notice_is_delivered_where_one_service_took_it() {
        let failed = || Delivery::Failed("b is away".to_owned());
        let both = sum(vec![sent(Proof::Sent, "a"), failed(), sent(Proof::Confirmed, "c")]);
        assert_eq!(both, sent(Proof::Confirmed, "a, c"));
        assert_eq!(sum(vec![failed(), failed()]), Delivery::Failed("b is away; b is away".into()));
        assert_eq!(sum(Vec::new()), Delivery::Failed("no notifier is configured".into()));
    }
}
