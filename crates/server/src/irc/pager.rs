//! The channel of pages: they are said in `#abide`, by `tickle-1`. What a page does to its agent is in `watch/pager.rs`.

use abide_channels::irc::{
    SpokenKind,
    server::{HOME_CHANNEL, ServerHandle, Speech},
};
use abide_domain::{event::watchdog::Proof, evidence::WATCHDOG};
use abide_watchdog::{Delivery, Page, Pager};
use futures_util::future::BoxFuture;

/// Pages on the built-in server.
#[derive(Debug)]
pub(super) struct IrcPager {
    handle: ServerHandle,
}

impl IrcPager {
    /// Speaks through this server.
    pub(super) fn new(handle: ServerHandle) -> Self {
        Self { handle }
    }

    async fn say(&self, page: &Page) -> Delivery {
        let mut people = 0;
        for text in page.texts() {
            let (from, target) = (WATCHDOG.to_owned(), HOME_CHANNEL.to_owned());
            let speech = Speech { from, target, text, kind: SpokenKind::Speech };
            match self.handle.say(speech).await {
                Ok(delivery) => people = delivery.people,
                Err(error) => return Delivery::Failed(format!("irc: {error}")),
            }
        }
        if people == 0 {
            return Delivery::Failed("nobody is connected to irc".to_owned());
        }
        Delivery::Delivered { proof: Proof::Sent, by: format!("irc, {people} in {HOME_CHANNEL}") }
    }
}

impl Pager for IrcPager {
    fn page(&self, page: Page) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.say(&page).await })
    }
}
