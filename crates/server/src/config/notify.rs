//! `[[notify]]` as types. What each kind of service needs is in `rules`.

use abide_channels::notify::MailTls;
use serde::{Deserialize, Deserializer};

mod rules;

pub(super) use rules::check;

/// `[[notify]]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NotifySettings {
    /// The service.
    pub(crate) kind: NotifyKind,
    /// Its name, unique: its own, else its kind, with a number from the second on.
    #[serde(default)]
    pub(crate) name: String,
    /// The variable that holds the address.
    #[serde(default)]
    pub(crate) url_env: String,
    /// The variable that holds the key, token or password.
    #[serde(default)]
    pub(crate) secret_env: String,
    /// What a message links to; empty: nothing.
    #[serde(default)]
    pub(crate) link: String,
    /// What incidents and alerts say they come from.
    #[serde(default = "default_source")]
    pub(crate) source: String,
    /// The mail server.
    #[serde(default)]
    pub(crate) server: String,
    /// How the line to it is kept private.
    #[serde(default)]
    pub(crate) tls: TlsKind,
    /// Who logs in there; empty: nobody.
    #[serde(default)]
    pub(crate) user: String,
    /// Whom mail is from.
    #[serde(default)]
    pub(crate) from: String,
    /// Whom mail is for; the chats of a `telegram`.
    #[serde(default)]
    pub(crate) to: Vec<String>,
    /// The program that speaks to the desktop; empty: `notify-send`.
    #[serde(default)]
    pub(crate) program: String,
}

/// A service that tells people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NotifyKind {
    /// JSON by POST, signed.
    Webhook,
    /// A push to phones.
    Ntfy,
    /// Incidents.
    Pagerduty,
    /// Alerts.
    Alertmanager,
    /// A message to a channel.
    Slack,
    /// A message to a channel.
    Discord,
    /// Mail.
    Email,
    /// A bubble on the desktop.
    Desktop,
    /// A message to chats.
    Telegram,
}

impl NotifyKind {
    /// As it is written.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Ntfy => "ntfy",
            Self::Pagerduty => "pagerduty",
            Self::Alertmanager => "alertmanager",
            Self::Slack => "slack",
            Self::Discord => "discord",
            Self::Email => "email",
            Self::Desktop => "desktop",
            Self::Telegram => "telegram",
        }
    }
}

/// How the line to a mail server is kept private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TlsKind {
    /// After a plain greeting.
    #[default]
    Starttls,
    /// From the start.
    Implicit,
    /// Not at all, on this machine.
    Off,
}

impl From<TlsKind> for MailTls {
    fn from(kind: TlsKind) -> Self {
        match kind {
            TlsKind::Starttls => Self::Starttls,
            TlsKind::Implicit => Self::Implicit,
            TlsKind::Off => Self::Off,
        }
    }
}

fn default_source() -> String {
    "abide".to_owned()
}

/// Reads the list; whoever has no name gets one that no other has.
pub(crate) fn named<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<NotifySettings>, D::Error> {
    let mut services = Vec::<NotifySettings>::deserialize(deserializer)?;
    let mut taken: Vec<String> = services.iter().map(|service| service.name.clone()).collect();
    for service in services.iter_mut().filter(|service| service.name.is_empty()) {
        let kind = service.kind.as_str();
        let numbered = |number: usize| match number {
            1 => kind.to_owned(),
            number => format!("{kind}-{number}"),
        };
        let free = (1..=taken.len() + 1).map(numbered).find(|name| !taken.contains(name));
        service.name = free.unwrap_or_default();
        taken.push(service.name.clone());
    }
    Ok(services)
}

#[cfg(test)]
mod tests;
