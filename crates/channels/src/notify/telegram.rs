//! Telegram: one message to each of some chats, by the bot of a token. Plain text, no previews of links.
//!
//! Telegram takes no key that would make two attempts one: an attempt whose answer is lost may be told twice, which for a
//! page is better than not at all.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{Clock, event::watchdog::Proof};
use abide_http::{Client, Secret};
use abide_watchdog::{Delivery, Notice, Notifier};
use futures_util::future::{BoxFuture, join_all};

use super::{
    ATTEMPT_MAX,
    text::{fit, plain},
};
use crate::telegram::{Bot, CallError, MESSAGE_UNITS_MAX, OutgoingMessage, utf16_len};

/// How long Telegram is left alone at most, whatever it asks for.
const QUIET_MAX: Duration = Duration::from_mins(10);

/// Some chats that are told.
#[derive(Clone, Debug)]
pub struct Telegram {
    bot: Bot,
    chats: Vec<i64>,
    link: Option<String>,
    clock: Arc<dyn Clock>,
    /// Until when Telegram wants to be left alone, on the clock that only goes forward.
    quiet_until: Arc<Mutex<Duration>>,
}

impl Telegram {
    /// Tells chats as the bot of a token; `link` is the message's last line. An empty `base_url` is Telegram's own address.
    pub fn new(
        client: Client,
        (base_url, token): (&str, Secret),
        chats: Vec<i64>,
        link: Option<String>,
    ) -> Self {
        let clock = Arc::clone(client.clock());
        let bot = Bot::new(client, base_url, token).with_call_timeout(ATTEMPT_MAX);
        Self { bot, chats, link, clock, quiet_until: Arc::default() }
    }

    fn quiet_left(&self) -> Duration {
        let until = *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.saturating_sub(self.clock.monotonic())
    }

    /// A pause that Telegram asks for is kept, up to a bound: a person waits.
    fn apply_pause(&self, reason: &CallError) {
        if let CallError::TooMany { after, .. } = reason {
            let until = self.clock.monotonic().saturating_add((*after).min(QUIET_MAX));
            *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        }
    }

    fn text(&self, notice: &Notice) -> String {
        let end =
            self.link.as_ref().map(|link| format!("\n{}", notice.link(link))).unwrap_or_default();
        let room = MESSAGE_UNITS_MAX.saturating_sub(utf16_len(&end));
        fit(&notice.text(), room, plain, utf16_len) + &end
    }
}

impl Notifier for Telegram {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let left = self.quiet_left();
            if !left.is_zero() {
                let seconds = left.as_secs().saturating_add(1);
                return Delivery::Failed(format!("it asked for a pause of another {seconds} s"));
            }
            let text = self.text(&notice);
            let all = self
                .chats
                .iter()
                .map(|chat| OutgoingMessage::new(*chat, &text))
                .collect::<Vec<_>>();
            let attempts = join_all(all.iter().map(|message| self.bot.send(message))).await;
            let reached = attempts.iter().filter(|attempt| attempt.is_ok()).count();
            let reasons: Vec<_> = attempts.into_iter().filter_map(Result::err).collect();
            for reason in &reasons {
                self.apply_pause(reason);
            }
            match (reached, reasons.first()) {
                (0, Some(reason)) => Delivery::Failed(reason.to_string()),
                (0, None) => Delivery::Failed("no chat is configured".to_owned()),
                (reached, missed) => {
                    if let Some(reason) = missed {
                        tracing::warn!(event = "notice_partly_sent", channel = "telegram", reached, %reason, "notice reached some Telegram chats only");
                    }
                    Delivery::Delivered { proof: Proof::Confirmed, by: "telegram".to_owned() }
                }
            }
        })
    }
}
