//! What servers ask of people in mid-call: it is durable before anybody sees it, and so is its end. The values of a form go to the
//! server alone: they are in no event, no log and no answer of the keeper.
//!
//! As long as a call runs and nobody has answered, the call waits. A question ends with a person's answer, with its deadline, or with
//! the call; one that a keeper left open is withdrawn by the next.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use abide_domain::{
    Clock, EntityName, QuestionId, Timestamp,
    event::{Event, McpAnswer, McpEvent, McpQuestionAnswered, McpQuestionAsked},
};
use abide_engine::Keeper;
use abide_ledger::{AppendError, Draft, Ledger, Query};
use abide_mcp::{
    CallOrigin, ElicitationAnswer, ElicitationHandler, ElicitationRequest, ElicitationWish,
    FormValuesError,
};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    question_table::{ClaimError, McpQuestion, QuestionKey, QuestionTable},
    records::{McpRecordsError, RECORD_AGAIN},
};
use crate::system::SystemIds;

/// How soon it is looked again whether an answer that was being recorded at the deadline is.
const EXPIRE_AGAIN: Duration = Duration::from_secs(1);

/// How long whoever heard of a question waits until the table has it.
const SETTLE_MAX: Duration = Duration::from_secs(2);

/// What a person answers.
#[derive(Debug)]
pub(crate) enum PersonsAnswer {
    /// With the values of the form; none where it is none.
    Accept(Option<Map<String, Value>>),
    Decline,
}

/// Says why an answer was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    /// There is no such question, or it was asked before the keeper started.
    #[error("there is no such question")]
    Unknown,
    /// Somebody answered, its time is up, or the call has ended.
    #[error("the question is no longer open")]
    Over,
    /// The values do not fit.
    #[error(transparent)]
    Values(#[from] FormValuesError),
    /// It asks for a visit.
    #[error("the question has no form, so there are no values to send")]
    NoForm,
    /// The answer is recorded, and nobody waits for it.
    #[error("the call ended while this was recorded: the server did not get the answer")]
    CallEnded,
    /// It could not be written down.
    #[error("the answer cannot be recorded, and the server did not get it: {0}")]
    NotRecorded(#[from] AppendError),
}

/// The questions of all servers. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct McpQuestions {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    /// How long a person has to answer.
    limit: Duration,
    /// Who knows whether anybody is there. Set before the first call can run.
    keeper: OnceLock<Keeper>,
    table: Mutex<QuestionTable>,
    /// Something is to be recorded as withdrawn.
    withdrawn: Notify,
    /// What was being recorded is.
    settled: Notify,
}

/// The call in which a question is asked; when it is dropped, nobody waits for an answer any more.
struct Asker<'a> {
    questions: &'a McpQuestions,
    id: QuestionId,
}

impl Drop for Asker<'_> {
    fn drop(&mut self) {
        if self.questions.table().leave(self.id) {
            self.questions.inner.withdrawn.notify_one();
        }
        self.questions.inner.settled.notify_waiters();
    }
}

/// Reads which questions no keeper has ended. Blocking.
pub(crate) fn read_left_open(ledger: &Ledger) -> Result<Vec<QuestionKey>, McpRecordsError> {
    let kinds = ["mcp.question_asked", "mcp.question_answered"].map(str::to_owned).to_vec();
    let mut open: Vec<QuestionKey> = Vec::new();
    for record in ledger.query(Query { kinds, ..Query::default() }) {
        match record?.entry()?.event {
            Event::Mcp(McpEvent::QuestionAsked(asked)) => {
                open.push(QuestionKey { id: asked.question_id, agent: asked.agent });
            }
            Event::Mcp(McpEvent::QuestionAnswered(answered)) => {
                open.retain(|question| question.id != answered.question_id);
            }
            _ => {}
        }
    }
    Ok(open)
}

impl McpQuestions {
    /// Those that a keeper before this one left open are withdrawn as soon as [`Self::record_withdrawn`] runs.
    pub(super) fn new(
        ledger: Ledger,
        clock: Arc<dyn Clock>,
        (limit, left_open): (Duration, Vec<QuestionKey>),
    ) -> Self {
        let (table, withdrawn) = (Mutex::new(QuestionTable::new(left_open)), Notify::new());
        let (keeper, settled) = (OnceLock::new(), Notify::new());
        let inner = Inner { ledger, clock, limit, keeper, table, withdrawn, settled };
        Self { inner: Arc::new(inner) }
    }

    /// From here on people can be asked.
    pub(crate) fn open(&self, keeper: Keeper) {
        // The composition root calls this once.
        drop(self.inner.keeper.set(keeper));
    }

    /// What waits for a person, the oldest first.
    pub(crate) fn waiting(&self) -> Vec<McpQuestion> {
        self.table().waiting()
    }

    /// Waits until all that was asked is durable, for a moment at most: whoever heard of a question by its event finds it.
    pub(crate) async fn settle(&self) {
        let settled = async {
            loop {
                let next = self.inner.settled.notified();
                if !self.table().is_recording() {
                    return;
                }
                next.await;
            }
        };
        // What is not durable by then is shown to whoever asks again.
        let _late = tokio::time::timeout(SETTLE_MAX, settled).await;
    }

    /// Takes what a person answers. It is durable before the server gets it, and nobody else can answer then.
    pub(crate) async fn answer(
        &self,
        id: QuestionId,
        answer: PersonsAnswer,
        by: EntityName,
    ) -> Result<McpAnswer, AnswerError> {
        let (key, sender, answer) = {
            let mut table = self.table();
            let question = table.find(id)?;
            let (key, answer) = (question.key(), checked(question, answer)?);
            (key, table.claim(id)?, answer)
        };
        let recorded = match &answer {
            ElicitationAnswer::Accept { .. } => McpAnswer::Accepted,
            ElicitationAnswer::Decline { .. } | ElicitationAnswer::Cancel { .. } => {
                McpAnswer::Declined
            }
        };
        if let Err(error) = self.record_end(&key, recorded, by).await {
            self.table().give_back(id, sender);
            self.inner.withdrawn.notify_one();
            return Err(error.into());
        }
        self.table().finish(id);
        sender.send(answer).map_err(|_| AnswerError::CallEnded)?;
        Ok(recorded)
    }

    /// Records what was withdrawn, until it is told that there will be nothing more.
    pub(super) async fn record_withdrawn(&self, ended: &CancellationToken) {
        loop {
            let is_last = ended.is_cancelled();
            let is_recorded = self.record_all_withdrawn().await;
            if is_last {
                return;
            }
            tokio::select! {
                biased;
                () = ended.cancelled() => {}
                () = self.inner.withdrawn.notified() => {}
                () = tokio::time::sleep(RECORD_AGAIN), if !is_recorded => {}
            }
        }
    }

    async fn record_all_withdrawn(&self) -> bool {
        let withdrawn = self.table().take_withdrawn();
        if withdrawn.is_empty() {
            return true;
        }
        let by = EntityName::keeper();
        let draft = |question: &QuestionKey| ended(question, McpAnswer::Withdrawn, by.clone());
        let recorded = self.inner.ledger.append(withdrawn.iter().map(draft).collect()).await;
        if let Err(error) = &recorded {
            tracing::warn!(event = "questions_not_withdrawn", %error, "questions of servers are over, which could not be recorded; it is tried again");
            self.table().put_back_withdrawn(withdrawn);
        }
        recorded.is_ok()
    }

    /// Asks, and waits for an answer.
    async fn ask(&self, request: &ElicitationRequest) -> ElicitationAnswer {
        let question = match self.admit(request) {
            Ok(question) => question,
            Err(answer) => return answer,
        };
        let id = question.id;
        let _asker = Asker { questions: self, id };
        if let Err(error) = self.inner.ledger.append(vec![asked(&question)]).await {
            let reason = format!("a question of the server cannot be recorded: {error}");
            return ElicitationAnswer::Decline { reason };
        }
        let (sender, mut answer) = oneshot::channel();
        self.table().show(id, sender);
        self.inner.settled.notify_waiters();
        let mut left = question.until.since(self.inner.ledger.now());
        loop {
            tokio::select! {
                biased;
                answered = &mut answer => return answered.unwrap_or_else(|_| cancelled("nobody can answer")),
                () = tokio::time::sleep(left) => {}
            }
            if self.table().expire(id) {
                break;
            }
            left = EXPIRE_AGAIN;
        }
        let key = question.key();
        let expired = self.record_end(&key, McpAnswer::Expired, EntityName::keeper());
        if let Err(error) = expired.await {
            tracing::warn!(event = "question_end_not_recorded", question = %id, %error, "the time of a question is up, which could not be recorded; it is withdrawn");
            self.table().withdraw(key);
            self.inner.withdrawn.notify_one();
        }
        cancelled("nobody answered in time")
    }

    /// Takes a question in, where there is room for it and somebody to be asked.
    fn admit(&self, request: &ElicitationRequest) -> Result<McpQuestion, ElicitationAnswer> {
        let now = self.inner.ledger.now();
        let keeper = self.inner.keeper.get().ok_or_else(|| cancelled("the keeper is starting"))?;
        if !is_anybody_there(keeper, &request.calls, now) {
            return Err(cancelled("a question needs a person, and nobody is there"));
        }
        let origin = match request.calls.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        let wait = origin.as_ref().and_then(|call| keeper.activity(&call.agent).wait);
        let limit = self.inner.limit.min(request.left);
        let until = now.plus(limit);
        let question = McpQuestion {
            id: QuestionId::new(&SystemIds, now),
            server: request.server.clone(),
            origin,
            message: request.message.clone(),
            wish: request.wish.clone(),
            since: now,
            // The call may have less time than the server's own limit leaves it: its epoch ends it.
            until: wait.map_or(until, |wait| until.min(wait.until)),
        };
        let admitted = self.table().admit(question.clone(), self.inner.clock.monotonic());
        admitted.map_err(|reason| ElicitationAnswer::Decline { reason })?;
        Ok(question)
    }

    async fn record_end(
        &self,
        question: &QuestionKey,
        answer: McpAnswer,
        by: EntityName,
    ) -> Result<(), AppendError> {
        self.inner.ledger.append(vec![ended(question, answer, by)]).await.map(drop)
    }

    fn table(&self) -> MutexGuard<'_, QuestionTable> {
        self.inner.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ElicitationHandler for McpQuestions {
    fn is_available(&self) -> bool {
        true
    }

    fn answer<'a>(&'a self, request: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(self.ask(request))
    }
}

impl From<ClaimError> for AnswerError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Unknown => Self::Unknown,
            ClaimError::Over => Self::Over,
        }
    }
}

fn cancelled(reason: &str) -> ElicitationAnswer {
    ElicitationAnswer::Cancel { reason: reason.to_owned() }
}

/// As with approvals (decision 21): a client that looks, or whoever sent the stimulus and waits for the reply.
fn is_anybody_there(keeper: &Keeper, calls: &[CallOrigin], now: Timestamp) -> bool {
    let state = keeper.state();
    let is_interactive = |call: &CallOrigin| {
        state.running.get(&call.epoch).is_some_and(|record| record.stimulus.interactive)
    };
    keeper.attached().is_any(now) || calls.iter().any(is_interactive)
}

/// What a person answers, as the server gets it.
fn checked(
    question: &McpQuestion,
    answer: PersonsAnswer,
) -> Result<ElicitationAnswer, AnswerError> {
    let content = match (&question.wish, answer) {
        (_, PersonsAnswer::Decline) => {
            let reason = "a person said no".to_owned();
            return Ok(ElicitationAnswer::Decline { reason });
        }
        (ElicitationWish::Form(form), PersonsAnswer::Accept(values)) => {
            Some(form.check(values.unwrap_or_default())?)
        }
        (ElicitationWish::Visit { .. }, PersonsAnswer::Accept(None)) => None,
        (ElicitationWish::Visit { .. }, PersonsAnswer::Accept(Some(_))) => {
            return Err(AnswerError::NoForm);
        }
    };
    Ok(ElicitationAnswer::Accept { content })
}

fn asked(question: &McpQuestion) -> Draft {
    let (schema, url) = match &question.wish {
        ElicitationWish::Form(form) => (form.schema(), None),
        ElicitationWish::Visit { url } => (Value::Null, Some(url.clone())),
    };
    let origin = question.origin.as_ref();
    let event = McpQuestionAsked {
        question_id: question.id,
        server: question.server.clone(),
        agent: origin.map(|call| call.agent.clone()),
        epoch: origin.map(|call| call.epoch),
        call_id: origin.map(|call| call.call_id.clone()),
        message: question.message.clone(),
        schema,
        url,
        until: question.until,
    };
    let entity = entity_of(&question.key());
    Draft { entity, author: EntityName::keeper(), epoch: None, event: event.into() }
}

fn ended(question: &QuestionKey, answer: McpAnswer, by: EntityName) -> Draft {
    let event = McpQuestionAnswered { question_id: question.id, answer }.into();
    Draft { entity: entity_of(question), author: by, epoch: None, event }
}

/// Whoever follows the agent hears of it.
fn entity_of(question: &QuestionKey) -> EntityName {
    question.agent.as_ref().map_or_else(EntityName::keeper, EntityName::agent)
}
