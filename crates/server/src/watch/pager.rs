//! The second rung: a page goes to the channel, and to the agent itself. There it cancels the attempt that hangs and has the
//! turn asked again (decision 40): queued behind the hanging attempt, no page could help.

use std::sync::Arc;

use abide_engine::Keeper;
use abide_watchdog::{Delivery, Page, PageLine, Pager};
use futures_util::future::{BoxFuture, join_all};

/// Pages agents.
#[derive(Debug)]
pub(super) struct ChannelPager {
    keeper: Keeper,
    channel: Option<Arc<dyn Pager>>,
}

impl ChannelPager {
    /// Pages the agents of this keeper, and says so on the channel where there is one.
    pub(super) fn new(keeper: Keeper, channel: Option<Arc<dyn Pager>>) -> Self {
        Self { keeper, channel }
    }

    async fn interrupt(&self, page: &Page, line: &PageLine) {
        let (agent, seconds) = (&line.agent, line.silent.as_secs());
        let reason = format!("no recent activity observed (silent {seconds} s) [page {}]", page.id);
        match self.keeper.ask_again(agent, reason).await {
            Ok(is_asked_again) => {
                tracing::info!(%agent, event = "agent_paged", page = %page.id, is_asked_again, "agent paged");
            }
            Err(error) => {
                tracing::warn!(%agent, event = "page_failed", page = %page.id, %error, "agent not paged");
            }
        }
    }
}

impl Pager for ChannelPager {
    fn page(&self, page: Page) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let interrupts = join_all(page.lines.iter().map(|line| self.interrupt(&page, line)));
            let said = async {
                match &self.channel {
                    Some(channel) => channel.page(page.clone()).await,
                    None => Delivery::Failed("irc is off".to_owned()),
                }
            };
            let (_, delivery) = tokio::join!(interrupts, said);
            delivery
        })
    }
}
