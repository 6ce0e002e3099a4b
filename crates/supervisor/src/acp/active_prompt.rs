//! An open prompt: what the agent says and does goes to the host, until it stops, breaks, or is told to stop.
//!
//! It must never let a person's decision reach another prompt, and never wait for an agent that was told to stop longer
//! than the settings say.

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
    answer::AnswerBuilder,
    evidence::PromptEvidence,
    link::{Incoming, LinkError},
    permission::{self, PermissionChoice},
    run::Run,
    shared::{AcpShared, AnswerSender, HostUpdate},
};
use crate::lifecycle::Lifecycle;

/// Permissions that an agent may wait for at once; more are refused.
const PERMISSIONS_MAX: usize = 16;
/// The notification of what the agent does.
pub(super) const UPDATE: &str = "session/update";
/// The request for permission to do something.
const PERMISSION: &str = "session/request_permission";

/// How a prompt ended.
#[derive(Debug)]
pub(super) enum PromptEnd {
    /// The agent stopped, and says why.
    Stopped(Value),
    /// The agent answered with an error.
    Failed(AcpError),
    /// The connection broke.
    Broken(LinkError),
    /// Nobody waits for the answer any more, or the keeper stops; the agent yielded or did not.
    Withdrawn {
        /// Whether it did.
        is_yielded: bool,
    },
}

/// What a prompt is served with, whatever it is.
pub(super) type PromptContext<'a> = (&'a AcpShared, &'a Lifecycle, &'a mpsc::Sender<HostUpdate>);

/// An open prompt.
pub(super) struct ActivePrompt<'a> {
    shared: &'a AcpShared,
    lifecycle: &'a Lifecycle,
    run: &'a mut Run,
    session: &'a str,
    updates: &'a mpsc::Sender<HostUpdate>,
    request_id: RawJsonRpcId,
    decisions: FuturesUnordered<BoxFuture<'static, PermissionDecision>>,
    undecided: Vec<RawJsonRpcId>,
    /// What it said.
    pub(super) answer: AnswerBuilder,
    /// What it did.
    pub(super) evidence: PromptEvidence,
    /// What the session has cost by now.
    pub(super) cost_microusd: Option<u64>,
}

/// A person's decision on one request.
struct PermissionDecision {
    id: RawJsonRpcId,
    choice: PermissionChoice,
    is_allowed: bool,
}

impl<'a> ActivePrompt<'a> {
    /// Sends a prompt to the agent.
    pub(super) fn begin(
        (shared, lifecycle, updates): PromptContext<'a>,
        run: &'a mut Run,
        session: &'a str,
        blocks: Vec<ContentBlock>,
    ) -> Result<Self, LinkError> {
        let request_id = run.link().request(&PromptRequest::new(session.to_owned(), blocks))?;
        Ok(Self {
            shared,
            lifecycle,
            run,
            session,
            updates,
            request_id,
            decisions: FuturesUnordered::new(),
            undecided: Vec::new(),
            answer: AnswerBuilder::default(),
            evidence: PromptEvidence::default(),
            cost_microusd: None,
        })
    }

    /// Serves the agent until the prompt is over.
    pub(super) async fn run(&mut self, answering: &mut AnswerSender) -> PromptEnd {
        let end = loop {
            let has_undecided = !self.decisions.is_empty();
            let step = tokio::select! {
                biased;
                () = self.shared.stop.cancelled() => return self.withdraw().await,
                () = answering.closed() => return self.withdraw().await,
                Some(decided) = self.decisions.next(), if has_undecided => self.answer_permission(decided).map(|()| None),
                incoming = self.run.next() => match incoming {
                    Ok(incoming) => self.handle(incoming).await,
                    Err(error) => Err(error),
                },
            };
            match step {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => break PromptEnd::Broken(error),
            }
        };
        if let Some(left_out) = self.evidence.report_left_out() {
            self.send(HostUpdate::Report(left_out)).await;
        }
        end
    }

    async fn handle(&mut self, incoming: Incoming) -> Result<Option<PromptEnd>, LinkError> {
        match incoming {
            Incoming::Response { id, result } if id == self.request_id => {
                return Ok(Some(result.map_or_else(PromptEnd::Failed, PromptEnd::Stopped)));
            }
            Incoming::Notification { method, params } if method == UPDATE => {
                // An update of a kind that is not known here is from a newer agent, and no fault.
                if let Ok(update) = serde_json::from_value::<SessionNotification>(params)
                    && *update.session_id.0 == *self.session
                {
                    self.update(update.update).await;
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
        let now = self.lifecycle.monotonic();
        let report = match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                let text = self.answer.say(&chunk);
                return self.show(text, false).await;
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                let text = self.answer.think(&chunk);
                return self.show(text, true).await;
            }
            SessionUpdate::ToolCall(call) => {
                self.answer.interrupt();
                self.evidence.start_call(&call, now)
            }
            SessionUpdate::ToolCallUpdate(update) => self.evidence.update_call(&update, now),
            SessionUpdate::Plan(plan) => self.evidence.report_plan(&plan, now),
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("usd"));
                self.cost_microusd =
                    dollars.and_then(|cost| micro(cost.amount)).or(self.cost_microusd);
                return;
            }
            _ => return,
        };
        let progress_at = self.lifecycle.now();
        self.lifecycle.update_status(|status| status.last_progress_at = Some(progress_at));
        if let Some(report) = report {
            self.send(HostUpdate::Report(report)).await;
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
        let choice = PermissionChoice::of(&request.options);
        // A person cannot give a lasting permission here, and nobody is asked what cannot be answered.
        if choice.once.is_none() || self.decisions.len() >= PERMISSIONS_MAX {
            return self.run.link().respond(id, Ok(choice.answer(false)));
        }
        let asked = permission::question(&request, &self.evidence);
        let (reply, answer) = oneshot::channel();
        self.undecided.push(id.clone());
        self.decisions.push(Box::pin(async move {
            let is_allowed = answer.await.unwrap_or(false);
            PermissionDecision { id, choice, is_allowed }
        }));
        self.send(HostUpdate::Ask(asked, reply)).await;
        Ok(())
    }

    fn answer_permission(&mut self, decided: PermissionDecision) -> Result<(), LinkError> {
        let PermissionDecision { id, choice, is_allowed } = decided;
        self.undecided.retain(|asked| *asked != id);
        self.run.link().respond(id, Ok(choice.answer(is_allowed)))
    }

    /// Tells the agent to stop, and gives it its time to.
    async fn withdraw(&mut self) -> PromptEnd {
        let grace = self.shared.settings.yield_grace;
        let yielded = timeout(grace, async {
            for id in std::mem::take(&mut self.undecided) {
                self.run.link().respond(id, Ok(permission::withdrawn()))?;
            }
            self.run.link().notify(&CancelNotification::new(self.session.to_owned()))?;
            loop {
                match self.run.next().await? {
                    Incoming::Response { id, .. } if id == self.request_id => return Ok(()),
                    Incoming::Request { id, method, .. } if method == PERMISSION => {
                        self.run.link().respond(id, Ok(permission::withdrawn()))?;
                    }
                    Incoming::Request { id, .. } => self.run.refuse(id)?,
                    Incoming::Response { .. } | Incoming::Notification { .. } => {}
                }
            }
        });
        let yielded: Result<Result<(), LinkError>, _> = yielded.await;
        PromptEnd::Withdrawn { is_yielded: matches!(yielded, Ok(Ok(()))) }
    }

    async fn show(&mut self, text: String, thought: bool) {
        if !text.is_empty() {
            self.send(HostUpdate::Delta(MindDelta { text, thought })).await;
        }
    }

    /// Sends something to whoever waits for the answer; where nobody does, it is dropped.
    async fn send(&mut self, update: HostUpdate) {
        tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => {}
            sent = self.updates.send(update) => drop(sent),
        }
    }
}

/// Millionths of an amount; none where it is no number.
fn micro(amount: f64) -> Option<u64> {
    format!("{:.0}", amount * 1e6).parse().ok()
}
