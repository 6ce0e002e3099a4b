//! One prompt under way: what the agent says and does goes to the desk, until it stops, breaks, or is told to stop.
//!
//! It must never let a person's decision reach another prompt, and never wait for an agent that was told to stop longer
//! than it may take to yield.

use abide_engine::mind::MindDelta;
use agent_client_protocol::{
    Error as AcpError, RawJsonRpcId,
    v1::schema::{
        CancelNotification, ContentBlock, PromptRequest, RequestPermissionRequest,
        SessionNotification, SessionUpdate,
    },
};
use futures_util::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    Answering, House, Item,
    evidence::Evidence,
    gather::Gather,
    link::{Incoming, LinkError},
    permission::{self, Choice},
    run::Run,
};

/// Permissions that an agent may wait for at once; more are refused.
const PERMISSIONS_MAX: usize = 16;
/// What the agent tells as it works.
pub(super) const UPDATE: &str = "session/update";
/// What the agent asks before it does something.
const PERMISSION: &str = "session/request_permission";

/// How a prompt ended.
#[derive(Debug)]
pub(super) enum End {
    /// The agent stopped, and says why.
    Answered(Value),
    /// The agent answered with an error.
    Denied(AcpError),
    /// The connection broke.
    Broken(LinkError),
    /// Nobody waits for the answer any more, or the keeper stops; the agent yielded or did not.
    Withdrawn {
        /// Whether it did.
        is_yielded: bool,
    },
}

/// A prompt under way.
pub(super) struct Turn<'a> {
    house: &'a House,
    run: &'a mut Run,
    session: &'a str,
    items: &'a mpsc::Sender<Item>,
    ours: RawJsonRpcId,
    open: FuturesUnordered<BoxFuture<'static, Decided>>,
    asked: Vec<RawJsonRpcId>,
    /// What it said.
    pub(super) gather: Gather,
    /// What it did.
    pub(super) evidence: Evidence,
    /// What the session has cost by now.
    pub(super) cost_microusd: Option<u64>,
}

/// A person's decision on one request.
struct Decided {
    id: RawJsonRpcId,
    choice: Choice,
    is_allowed: bool,
}

impl<'a> Turn<'a> {
    /// Puts a prompt to the agent.
    pub(super) fn begin(
        house: &'a House,
        run: &'a mut Run,
        session: &'a str,
        items: &'a mpsc::Sender<Item>,
        blocks: Vec<ContentBlock>,
    ) -> Result<Self, LinkError> {
        let ours = run.link().request(&PromptRequest::new(session.to_owned(), blocks))?;
        Ok(Self {
            house,
            run,
            session,
            items,
            ours,
            open: FuturesUnordered::new(),
            asked: Vec::new(),
            gather: Gather::default(),
            evidence: Evidence::default(),
            cost_microusd: None,
        })
    }

    /// Listens until it is over.
    pub(super) async fn listen(&mut self, answering: &mut Answering) -> End {
        let end = loop {
            let has_open = !self.open.is_empty();
            let step = tokio::select! {
                biased;
                () = self.house.stop.cancelled() => return self.withdraw().await,
                () = answering.closed() => return self.withdraw().await,
                Some(decided) = self.open.next(), if has_open => self.decided(decided).map(|()| None),
                incoming = self.run.next() => match incoming {
                    Ok(incoming) => self.hear(incoming).await,
                    Err(error) => Err(error),
                },
            };
            match step {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => break End::Broken(error),
            }
        };
        if let Some(left_out) = self.evidence.left_out() {
            self.put(Item::Report(left_out)).await;
        }
        end
    }

    async fn hear(&mut self, incoming: Incoming) -> Result<Option<End>, LinkError> {
        match incoming {
            Incoming::Response { id, result } if id == self.ours => {
                return Ok(Some(result.map_or_else(End::Denied, End::Answered)));
            }
            Incoming::Notification { method, params } if method == UPDATE => {
                // An update of a kind that is not known here is from a newer agent, and no fault.
                if let Ok(told) = serde_json::from_value::<SessionNotification>(params)
                    && *told.session_id.0 == *self.session
                {
                    self.update(told.update).await;
                }
            }
            Incoming::Response { .. } | Incoming::Notification { .. } => {}
            Incoming::Request { id, method, params } if method == PERMISSION => {
                self.permission(id, params).await?;
            }
            Incoming::Request { id, .. } => self.run.refuse(id)?,
        }
        Ok(None)
    }

    async fn update(&mut self, update: SessionUpdate) {
        let now = self.house.clock.monotonic();
        let report = match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                let text = self.gather.say(&chunk);
                return self.show(text, false).await;
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                let text = self.gather.think(&chunk);
                return self.show(text, true).await;
            }
            SessionUpdate::ToolCall(call) => {
                self.gather.act();
                self.evidence.began(&call, now)
            }
            SessionUpdate::ToolCallUpdate(update) => self.evidence.went_on(&update, now),
            SessionUpdate::Plan(plan) => self.evidence.planned(&plan, now),
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("usd"));
                self.cost_microusd =
                    dollars.and_then(|cost| micro(cost.amount)).or(self.cost_microusd);
                return;
            }
            _ => return,
        };
        self.house.tell(|status| status.last_progress_at = Some(self.house.clock.now()));
        if let Some(report) = report {
            self.put(Item::Report(report)).await;
        }
    }

    async fn permission(&mut self, id: RawJsonRpcId, params: Value) -> Result<(), LinkError> {
        let request = match serde_json::from_value::<RequestPermissionRequest>(params) {
            Ok(request) if *request.session_id.0 == *self.session => request,
            Ok(_) => return self.run.link().respond(id, Ok(permission::withdrawn())),
            Err(error) => {
                let error = AcpError::invalid_params().data(error.to_string());
                return self.run.link().respond(id, Err(error));
            }
        };
        let choice = Choice::of(&request.options);
        // What lasts is not a person's to give here, and nobody is asked what cannot be answered.
        if choice.once.is_none() || self.open.len() >= PERMISSIONS_MAX {
            return self.run.link().respond(id, Ok(choice.answer(false)));
        }
        let asked = permission::question(&request, &self.evidence);
        let (reply, answer) = oneshot::channel();
        self.asked.push(id.clone());
        self.open.push(Box::pin(async move {
            let is_allowed = answer.await.unwrap_or(false);
            Decided { id, choice, is_allowed }
        }));
        self.put(Item::Ask(asked, reply)).await;
        Ok(())
    }

    fn decided(&mut self, decided: Decided) -> Result<(), LinkError> {
        let Decided { id, choice, is_allowed } = decided;
        self.asked.retain(|asked| *asked != id);
        self.run.link().respond(id, Ok(choice.answer(is_allowed)))
    }

    /// Tells the agent to stop, and gives it its time to.
    async fn withdraw(&mut self) -> End {
        let grace = self.house.settings.yield_grace;
        let yielded = timeout(grace, async {
            for id in std::mem::take(&mut self.asked) {
                self.run.link().respond(id, Ok(permission::withdrawn()))?;
            }
            self.run.link().notify(&CancelNotification::new(self.session.to_owned()))?;
            loop {
                match self.run.next().await? {
                    Incoming::Response { id, .. } if id == self.ours => return Ok(()),
                    Incoming::Request { id, method, .. } if method == PERMISSION => {
                        self.run.link().respond(id, Ok(permission::withdrawn()))?;
                    }
                    Incoming::Request { id, .. } => self.run.refuse(id)?,
                    Incoming::Response { .. } | Incoming::Notification { .. } => {}
                }
            }
        });
        let yielded: Result<Result<(), LinkError>, _> = yielded.await;
        End::Withdrawn { is_yielded: matches!(yielded, Ok(Ok(()))) }
    }

    async fn show(&mut self, text: String, thought: bool) {
        if !text.is_empty() {
            self.put(Item::Delta(MindDelta { text, thought })).await;
        }
    }

    /// Puts something where whoever waits for the answer finds it; if nobody does, it is not needed.
    async fn put(&mut self, item: Item) {
        tokio::select! {
            biased;
            () = self.house.stop.cancelled() => {}
            sent = self.items.send(item) => drop(sent),
        }
    }
}

/// Millionths of an amount that is an amount.
fn micro(amount: f64) -> Option<u64> {
    format!("{:.0}", amount * 1e6).parse().ok()
}
