//! E-mail, handed to the server of whoever sends it (RFC 6409): STARTTLS, TLS from the start, or nothing on this machine.
//!
//! `lettre` writes the message and speaks the protocol, over a line of ours that it cannot read ahead on and that bounds
//! all that a server says. It never speaks without TLS to another machine, and what a server answers is shown as numbers
//! only.
//!
//! Reading order: `server` and `settings` (where), `message` (what), `stream` and `smtp` (how).

use std::time::Duration;

use abide_domain::event::watchdog::Proof;
use abide_watchdog::{Delivery, Notice, Notifier};
use futures_util::future::BoxFuture;
use tokio::time::timeout;

use super::ATTEMPT_MAX;

mod message;
mod server;
mod settings;
mod smtp;
mod stream;

pub use message::is_mail_address;
pub use server::{MailServer, MailTls};
pub use settings::EmailSettings;

/// How long a good-bye may take; nobody waits for its answer.
const GOODBYE_MAX: Duration = Duration::from_millis(200);

/// Mail to some people. That the server took it says that it was sent.
#[derive(Clone, Debug)]
pub struct Email {
    settings: EmailSettings,
}

impl Email {
    /// Sends mail with these settings. Addresses that are none ([`is_mail_address`]) make every attempt fail.
    pub fn new(settings: EmailSettings) -> Self {
        Self { settings }
    }
}

impl Notifier for Email {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let server = &self.settings.server;
            let failed = |reason: String| Delivery::Failed(format!("{server}: {reason}"));
            let Some(message) = message::build_message(&notice, &self.settings) else {
                return failed("an address is not valid".to_owned());
            };
            match timeout(ATTEMPT_MAX, smtp::send_message(&self.settings, &message)).await {
                Err(_) => failed(format!("timed out after {} s", ATTEMPT_MAX.as_secs())),
                Ok(Err(error)) => failed(error.to_string()),
                Ok(Ok((accepted, mut connection))) => {
                    // It has the message; whether it says good-bye does not matter.
                    drop(timeout(GOODBYE_MAX, connection.quit()).await);
                    let total = self.settings.to.len();
                    let by = format!("email by {server} to {accepted} of {total}");
                    Delivery::Delivered { proof: Proof::Sent, by }
                }
            }
        })
    }
}
