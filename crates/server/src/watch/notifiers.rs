//! The third rung: the services of `[[notify]]`. Each kind of service has one arm here and one file in the channels.

use std::sync::Arc;

use abide_channels::{
    notify::{
        Alertmanager, DESKTOP_VARIABLES, Desktop, Discord, Email, EmailSettings, MailServer, Ntfy,
        PagerDuty, Slack, Telegram, Webhook,
    },
    tls::Trust,
};
use abide_http::{Client, Secret};
use abide_watchdog::{Notifier, NotifyServices};

use crate::config::{Environment, NotifyKind, NotifySection, Settings};

/// The configured services that notify people, by name.
pub(crate) fn build_services(
    settings: &Settings,
    environment: &Environment,
    client: &Client,
) -> NotifyServices {
    let named = |notify: &NotifySection| {
        let builder = ServiceBuilder { notify, environment, client };
        let service = builder.service();
        if service.is_none() {
            tracing::error!(
                event = "notifier_left_out",
                service = notify.name,
                "a notifier is left out: a variable that it needs is no longer set"
            );
        }
        Some((notify.name.clone(), service?))
    };
    NotifyServices::new(settings.notifiers.iter().filter_map(named).collect())
}

/// Builds one service.
struct ServiceBuilder<'a> {
    notify: &'a NotifySection,
    environment: &'a Environment,
    client: &'a Client,
}

impl ServiceBuilder<'_> {
    /// The service; none where a variable is gone that was there when the configuration was checked.
    fn service(&self) -> Option<Arc<dyn Notifier>> {
        let client = self.client.clone();
        let url = || self.secret(&self.notify.url_env);
        let key = || self.secret(&self.notify.secret_env);
        let source = || self.notify.source.clone();
        let link = Some(self.notify.link.clone()).filter(|link| !link.is_empty());
        Some(match self.notify.kind {
            NotifyKind::Webhook => Arc::new(Webhook::new(client, url()?, key())),
            NotifyKind::Ntfy => Arc::new(Ntfy::new(client, &url()?, key(), link)),
            NotifyKind::Pagerduty => {
                Arc::new(PagerDuty::new(client, key()?, url(), source(), link))
            }
            NotifyKind::Alertmanager => {
                Arc::new(Alertmanager::new(client, &url()?, key(), source(), link))
            }
            NotifyKind::Slack => Arc::new(Slack::new(client, url()?, link)),
            NotifyKind::Discord => Arc::new(Discord::new(client, &url()?, link)),
            NotifyKind::Email => Arc::new(self.email(link)?),
            NotifyKind::Desktop => Arc::new(self.desktop()),
            NotifyKind::Telegram => Arc::new(self.telegram(link)?),
        })
    }

    fn email(&self, link: Option<String>) -> Option<Email> {
        let notify = self.notify;
        let login = match notify.user.as_str() {
            "" => None,
            user => Some((user.to_owned(), self.secret(&notify.secret_env)?)),
        };
        Some(Email::new(EmailSettings {
            server: MailServer::new(&notify.server, notify.tls.into()).ok()?,
            login,
            from: notify.from.clone(),
            to: notify.to.clone(),
            link,
            trust: Trust::System,
        }))
    }

    fn desktop(&self) -> Desktop {
        let program = match self.notify.program.as_str() {
            "" => "notify-send",
            program => program,
        };
        let variable = |name: &&str| Some(((*name).to_owned(), self.environment.get(name)?.into()));
        Desktop::new(program.into(), DESKTOP_VARIABLES.iter().filter_map(variable).collect())
    }

    fn telegram(&self, link: Option<String>) -> Option<Telegram> {
        let notify = self.notify;
        let token = self.secret(&notify.secret_env)?; // Empty: Telegram's own address.
        let base_url = self.environment.get(&notify.url_env).unwrap_or_default();
        let chats = notify.to.iter().filter_map(|to| to.trim().parse().ok()).collect();
        Some(Telegram::new(self.client.clone(), (base_url.trim(), token), chats, link))
    }

    /// What a variable holds; none where it is not named or not set.
    fn secret(&self, variable: &str) -> Option<Secret> {
        self.environment.get(variable).map(Secret::new)
    }
}
