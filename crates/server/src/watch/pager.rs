//! The second rung: a page goes to the channel, and to the agent itself. There it cancels the attempt that hangs and has the
//! turn asked again (decision 40): queued behind the hanging attempt, no page could help. One that has nothing to do and is to be active
//! all the same is woken by it (decision 58).

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, WATCHDOG,
    envelope::{Channel, StimulusEnvelope},
    event::{Idempotency, watchdog::Proof},
};
use abide_engine::{
    Keeper,
    keeper::{AcceptError, AcceptOptions},
};
use abide_watchdog::{Delivery, Page, PageLine, Pager};
use futures_util::future::{BoxFuture, join_all};
use sha2::{Digest as _, Sha256};

/// How long an agent has to give up what it is at: shorter than a page may take in all.
const REACH_MAX: Duration = Duration::from_secs(5);

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

    /// Has the hanging turn of an agent asked again, or wakes one that has nothing to do; says whether the page reached it.
    async fn reach(&self, page: &Page, line: &PageLine) -> bool {
        let (agent, seconds) = (&line.agent, line.silent.as_secs());
        let reason = format!("no recent activity observed (silent {seconds} s) [page {}]", page.id);
        let asked = tokio::time::timeout(REACH_MAX, self.keeper.ask_again(agent, reason.clone()));
        let reached = match asked.await {
            Ok(Ok(true)) => Ok(true),
            Ok(Ok(false)) => self.wake(page, agent, reason).await,
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Ok(false),
        };
        match reached {
            Ok(is_reached) => {
                tracing::info!(%agent, event = "agent_paged", page = %page.id, is_reached, "agent paged");
                is_reached
            }
            Err(reason) => {
                tracing::warn!(%agent, event = "page_failed", page = %page.id, reason, "agent not paged");
                false
            }
        }
    }

    /// Gives an agent that does nothing and has nothing in its queue the page as a message; says whether it did.
    async fn wake(&self, page: &Page, agent: &AgentId, reason: String) -> Result<bool, String> {
        let envelope = StimulusEnvelope {
            content: reason.into(),
            sender: WATCHDOG.to_owned(),
            channel: Channel::System,
            timestamp: self.keeper.services().now(),
            sender_zone: None,
            last_driver_output: None,
            citizen: agent.clone(),
            session_id: None,
        };
        let key = format!("page:{}:{agent}", page.id);
        let body_sha256 = hex::encode(Sha256::digest(&key));
        let idempotency = Some(Idempotency { key, body_sha256 });
        let how = AcceptOptions { idempotency, if_idle: true, ..AcceptOptions::default() };
        match self.keeper.accept(envelope, how).await {
            Ok(_) => Ok(true),
            // It has work that it does not do: one more message would not help.
            Err(AcceptError::Busy(_)) => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Pager for ChannelPager {
    /// A page that reached each of its agents has arrived, whatever the channel made of it (decision 58).
    fn page(&self, page: Page) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let reached = join_all(page.lines.iter().map(|line| self.reach(&page, line)));
            let said = async {
                match &self.channel {
                    Some(channel) => channel.page(page.clone()).await,
                    None => Delivery::Failed("irc is off".to_owned()),
                }
            };
            let (reached, said) = tokio::join!(reached, said);
            let is_reached = !reached.is_empty() && reached.into_iter().all(|reached| reached);
            match said {
                Delivery::Failed(_) if is_reached => Delivery::Delivered {
                    proof: Proof::Confirmed,
                    by: "the agents themselves".to_owned(),
                },
                said => said,
            }
        })
    }
}
