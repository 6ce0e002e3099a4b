//! Telling people: one file a service, all behind the watchdog's role of a [`Notifier`](abide_watchdog::Notifier).
//!
//! A service says in words what it did or why not, and never shows an address or a key: both may be secrets. A reason does not
//! say whose it is, for it stands beside the name that the configuration gave. It does not try again
//! and keeps no journal: the watchdog does both, and every attempt at one notice has the notice's id. What is told may
//! hold words from outside: no service lets them become markup, a mention or a command of its own.
//!
//! Reading order: `http_service` (what those over HTTP share) and `text` (limits and escapes), then any service.

use std::time::Duration;

mod http_service;
mod text;

mod alertmanager;
mod dead_man;
mod desktop;
mod discord;
mod email;
mod ntfy;
mod pagerduty;
mod slack;
mod telegram;
mod webhook;

pub use alertmanager::Alertmanager;
pub use dead_man::DeadManSwitch;
pub use desktop::{DESKTOP_VARIABLES, Desktop};
pub use discord::Discord;
pub use email::{Email, EmailSettings, MailServer, MailTls, is_mail_address};
pub use ntfy::Ntfy;
pub use pagerduty::PagerDuty;
pub use slack::Slack;
pub use telegram::Telegram;
pub use webhook::{SIGNATURE_HEADER, TIMESTAMP_HEADER, Webhook};

/// How long one attempt may take; shorter than the watchdog's own patience, so that the reason is ours.
const ATTEMPT_MAX: Duration = Duration::from_secs(9);
