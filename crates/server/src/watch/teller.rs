//! The third rung: the services of `[[notify]]`. Each kind of service has one arm here and one file in the channels.

use std::sync::Arc;

use abide_channels::notify::{Notifiers, Webhook};
use abide_http::{Client, Secret};
use abide_watchdog::Notifier;

use crate::config::{Environment, NotifyKind, NotifySettings, Settings};

/// Whoever tells people, as configured. Variables were checked with the configuration.
pub(super) fn notifiers(
    settings: &Settings,
    environment: &Environment,
    client: &Client,
) -> Notifiers {
    let service = |notify: &NotifySettings| -> Option<Arc<dyn Notifier>> {
        let url = Secret::new(environment.get(&notify.url_env)?);
        let secret = environment.get(&notify.secret_env).map(Secret::new);
        Some(match notify.kind {
            NotifyKind::Webhook => Arc::new(Webhook::new(client.clone(), url, secret)),
        })
    };
    Notifiers::new(settings.notifiers.iter().filter_map(service).collect())
}
