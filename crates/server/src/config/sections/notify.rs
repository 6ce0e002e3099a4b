//! `[[notify]]`: services that notify people. What each kind of service needs is among the rules.

use abide_channels::notify::MailTls;

use crate::config::shape::{TEXTS, URL, VARIABLE_NAME, section, text, words};

section! {
    /// `[[notify]]`.
    pub(crate) struct NotifySection {
        /// The service; docs/notify.md says which keys each kind takes.
        pub(crate) kind: NotifyKind = required, NotifyKind::NODE;
        /// Its name, unique; empty: its kind, with a number from the second on.
        pub(crate) name: String = "", text(64);
        /// The variable that holds the address.
        pub(crate) url_env: String = "", VARIABLE_NAME;
        /// The variable that holds the key, token or password.
        pub(crate) secret_env: String = "", VARIABLE_NAME;
        /// What a message links to, such as this keeper's address; empty: nothing.
        pub(crate) link: String = "", URL;
        /// What incidents and alerts name as their source.
        pub(crate) source: String = "abide", text(128);
        /// The mail server: host or host:port.
        pub(crate) server: String = "", text(300);
        /// How the connection to the mail server is encrypted.
        pub(crate) tls: TlsKind = "starttls", TlsKind::NODE;
        /// The user at the mail server, with secret_env; empty: no login.
        pub(crate) user: String = "", text(256);
        /// The sender of mail.
        pub(crate) from: String = "", text(256);
        /// The recipients of mail; the chats of a telegram.
        pub(crate) to: Vec<String> = [], TEXTS;
        /// The program that shows a notification on the desktop; empty: notify-send.
        pub(crate) program: String = "", text(4_096);
    }
}

words! {
    /// A service that notifies people.
    pub(crate) enum NotifyKind {
        /// JSON by POST, signed.
        Webhook = "webhook",
        /// A push to phones.
        Ntfy = "ntfy",
        /// An incident.
        Pagerduty = "pagerduty",
        /// An alert.
        Alertmanager = "alertmanager",
        /// A message to a channel.
        Slack = "slack",
        /// A message to a channel.
        Discord = "discord",
        /// Mail.
        Email = "email",
        /// A notification on the desktop.
        Desktop = "desktop",
        /// A message to chats.
        Telegram = "telegram",
    }
}

words! {
    /// How the connection to a mail server is encrypted.
    pub(crate) enum TlsKind {
        /// After a plain greeting.
        Starttls = "starttls",
        /// From the start.
        Implicit = "implicit",
        /// Not at all; only for a server on this machine.
        Off = "off",
    }
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

/// Gives each service without a name one that no other has: its kind, with a number from the second on.
pub(crate) fn name_services(services: &mut [NotifySection]) {
    let mut taken: Vec<String> = services.iter().map(|service| service.name.clone()).collect();
    for service in services.iter_mut().filter(|service| service.name.is_empty()) {
        let kind = service.kind.to_string();
        let numbered = |number: usize| match number {
            1 => kind.clone(),
            number => format!("{kind}-{number}"),
        };
        let free = (1..=taken.len() + 1).map(numbered).find(|name| !taken.contains(name));
        service.name = free.unwrap_or_default();
        taken.push(service.name.clone());
    }
}
