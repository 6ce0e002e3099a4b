//! The questions of servers that are open right now, and how many of them there may be. Pure: it reads no clock and writes nothing.
//!
//! A question ends once: whoever takes its place in the table ends it, be it a person, its deadline, or the call in which it was asked.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use abide_domain::{
    AgentId, QuestionId, Timestamp,
    limits::{QUESTION_QUOTA, QUESTIONS_OF_SERVER_MAX, QUESTIONS_OPEN_MAX, QUESTIONS_OVER_KEPT},
    quota::Quotas,
};
use abide_mcp::{CallOrigin, ElicitationAnswer, ElicitationWish};
use tokio::sync::oneshot;

/// What a server asks of a person.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct McpQuestion {
    pub(crate) id: QuestionId,
    pub(crate) server: String,
    /// The call in which it asks; none where several of them ran.
    pub(crate) origin: Option<CallOrigin>,
    pub(crate) message: String,
    pub(crate) wish: ElicitationWish,
    pub(crate) since: Timestamp,
    /// When nobody is waited for any more.
    pub(crate) until: Timestamp,
}

impl McpQuestion {
    /// Which it is, and whose.
    pub(super) fn key(&self) -> QuestionKey {
        QuestionKey { id: self.id, agent: self.origin.as_ref().map(|call| call.agent.clone()) }
    }
}

/// A question, with the agent in whose call it is asked: whoever follows that agent hears of its beginning and of its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuestionKey {
    pub(super) id: QuestionId,
    /// None where it may be of several calls.
    pub(super) agent: Option<AgentId>,
}

/// How an answer reaches the call that waits for it.
pub(super) type AnswerSender = oneshot::Sender<ElicitationAnswer>;

/// Where a question stands.
#[derive(Debug)]
enum Stage {
    /// It is not durable yet, and nobody sees it.
    BeingRecorded,
    Waiting(AnswerSender),
    /// Somebody answered, which is not durable yet.
    BeingAnswered,
}

/// Says why a question cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimError {
    Unknown,
    /// It was answered, or is no longer asked.
    Over,
}

/// All questions.
#[derive(Debug)]
pub(super) struct QuestionTable {
    open: BTreeMap<QuestionId, (McpQuestion, Stage)>,
    quotas: Quotas<String>,
    /// The newest that are over.
    over: VecDeque<QuestionId>,
    /// Ended without an answer, which is not recorded yet.
    withdrawn: Vec<QuestionKey>,
}

impl QuestionTable {
    /// Those that a keeper before this one left open are withdrawn.
    pub(super) fn new(left_open: Vec<QuestionKey>) -> Self {
        Self {
            open: BTreeMap::new(),
            quotas: Quotas::new(QUESTION_QUOTA),
            over: VecDeque::new(),
            withdrawn: left_open,
        }
    }

    /// Takes one more in, or says why not.
    pub(super) fn admit(&mut self, question: McpQuestion, now: Duration) -> Result<(), String> {
        let server = &question.server;
        let of_server = self.open.values().filter(|(open, _)| open.server == *server).count();
        if of_server >= QUESTIONS_OF_SERVER_MAX {
            return Err(format!("{QUESTIONS_OF_SERVER_MAX} questions of the server are open"));
        }
        if self.open.len() + self.withdrawn.len() >= QUESTIONS_OPEN_MAX {
            return Err(format!("{QUESTIONS_OPEN_MAX} questions of servers are open"));
        }
        self.quotas
            .take(server, 1, now)
            .map_err(|error| format!("the server asks too much: {error}"))?;
        self.open.insert(question.id, (question, Stage::BeingRecorded));
        Ok(())
    }

    /// It is durable: people may answer.
    pub(super) fn show(&mut self, id: QuestionId, sender: AnswerSender) {
        if let Some((_, stage)) = self.open.get_mut(&id) {
            *stage = Stage::Waiting(sender);
        }
    }

    /// Whether any is not durable yet.
    pub(super) fn is_recording(&self) -> bool {
        self.open.values().any(|(_, stage)| matches!(stage, Stage::BeingRecorded))
    }

    /// Those that wait for somebody, the oldest first.
    pub(super) fn waiting(&self) -> Vec<McpQuestion> {
        let is_waiting = |(_, stage): &&(McpQuestion, Stage)| matches!(stage, Stage::Waiting(_));
        let mut waiting: Vec<_> =
            self.open.values().filter(is_waiting).map(|(question, _)| question.clone()).collect();
        waiting.sort_by_key(|question| (question.since, question.id));
        waiting
    }

    /// A question that somebody wants to answer.
    pub(super) fn find(&self, id: QuestionId) -> Result<&McpQuestion, ClaimError> {
        match self.open.get(&id) {
            Some((question, Stage::Waiting(_))) => Ok(question),
            Some((_, Stage::BeingAnswered)) => Err(ClaimError::Over),
            None if self.over.contains(&id) => Err(ClaimError::Over),
            Some((_, Stage::BeingRecorded)) | None => Err(ClaimError::Unknown),
        }
    }

    /// Takes it for an answer that is then recorded: nobody else can answer.
    pub(super) fn claim(&mut self, id: QuestionId) -> Result<AnswerSender, ClaimError> {
        self.find(id)?;
        let (_, stage) = self.open.get_mut(&id).ok_or(ClaimError::Unknown)?;
        match std::mem::replace(stage, Stage::BeingAnswered) {
            Stage::Waiting(sender) => Ok(sender),
            Stage::BeingRecorded | Stage::BeingAnswered => Err(ClaimError::Over),
        }
    }

    /// The answer could not be recorded: it waits again, unless nobody asks any more.
    pub(super) fn give_back(&mut self, id: QuestionId, sender: AnswerSender) {
        if !sender.is_closed() {
            return self.show(id, sender);
        }
        if let Some(key) = self.open.get(&id).map(|(question, _)| question.key()) {
            self.withdraw(key);
        }
    }

    /// It is over, and that is recorded.
    pub(super) fn finish(&mut self, id: QuestionId) {
        self.open.remove(&id);
        if self.over.len() >= QUESTIONS_OVER_KEPT {
            self.over.pop_front();
        }
        self.over.push_back(id);
    }

    /// Its time is up; false where somebody is answering at this moment.
    pub(super) fn expire(&mut self, id: QuestionId) -> bool {
        let is_waiting = matches!(self.open.get(&id), Some((_, Stage::Waiting(_))));
        if is_waiting {
            self.finish(id);
        }
        is_waiting
    }

    /// Nobody asks any more; true where that is to be recorded. Where somebody answers at this moment, that is recorded.
    pub(super) fn leave(&mut self, id: QuestionId) -> bool {
        let Some((question, Stage::Waiting(_) | Stage::BeingRecorded)) = self.open.get(&id) else {
            return false;
        };
        let key = question.key();
        self.withdraw(key);
        true
    }

    /// It ended without an answer, which is to be recorded.
    pub(super) fn withdraw(&mut self, question: QuestionKey) {
        self.finish(question.id);
        self.withdrawn.push(question);
    }

    /// What is to be recorded as withdrawn.
    pub(super) fn take_withdrawn(&mut self) -> Vec<QuestionKey> {
        std::mem::take(&mut self.withdrawn)
    }

    /// It could not be recorded.
    pub(super) fn put_back_withdrawn(&mut self, questions: Vec<QuestionKey>) {
        self.withdrawn.extend(questions);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::{
        QuestionId, Timestamp,
        limits::{QUESTION_QUOTA, QUESTIONS_OF_SERVER_MAX, QUESTIONS_OPEN_MAX},
    };
    use abide_mcp::{ElicitationAnswer, ElicitationWish, Form};
    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::{ClaimError, McpQuestion, QuestionKey, QuestionTable};

    fn id(n: usize) -> QuestionId {
        QuestionId::from_uuid(Uuid::from_u64_pair(0xA, u64::try_from(n).unwrap()))
    }

    fn key(n: usize) -> QuestionKey {
        QuestionKey { id: id(n), agent: None }
    }

    fn question(n: usize, server: &str) -> McpQuestion {
        McpQuestion {
            id: id(n),
            server: server.to_owned(),
            origin: None,
            message: "How old?".to_owned(),
            wish: ElicitationWish::Form(Form::default()),
            since: Timestamp::from_micros(0),
            until: Timestamp::from_micros(60_000_000),
        }
    }

    fn shown(table: &mut QuestionTable, n: usize) -> oneshot::Receiver<ElicitationAnswer> {
        let (sender, receiver) = oneshot::channel();
        table.admit(question(n, "files"), Duration::from_hours(n.try_into().unwrap())).unwrap();
        assert!(table.waiting().iter().all(|open| open.id != id(n)), "it is not durable yet");
        table.show(id(n), sender);
        receiver
    }

    #[test]
    fn a_question_ends_once_whoever_comes_first() {
        let mut table = QuestionTable::new(Vec::new());
        let _answered = shown(&mut table, 1);
        let sender = table.claim(id(1)).unwrap();
        assert_eq!(table.claim(id(1)).unwrap_err(), ClaimError::Over);
        assert!(!table.expire(id(1)) && !table.leave(id(1)), "somebody answers");
        table.finish(id(1));
        drop(sender);
        assert_eq!(table.claim(id(1)).unwrap_err(), ClaimError::Over);

        let _expired = shown(&mut table, 2);
        assert!(table.expire(id(2)) && !table.leave(id(2)));
        assert_eq!(table.claim(id(2)).unwrap_err(), ClaimError::Over);
        assert_eq!(table.take_withdrawn(), []);

        let _left = shown(&mut table, 3);
        assert!(table.leave(id(3)) && !table.leave(id(3)) && !table.expire(id(3)));
        assert_eq!(table.take_withdrawn(), [key(3)]);
        assert_eq!(table.find(id(9)).unwrap_err(), ClaimError::Unknown);
    }

    #[test]
    fn an_answer_that_could_not_be_recorded_waits_again_unless_nobody_asks_any_more() {
        let mut table = QuestionTable::new(Vec::new());
        let kept = shown(&mut table, 1);
        let sender = table.claim(id(1)).unwrap();
        table.give_back(id(1), sender);
        assert_eq!(table.waiting().len(), 1);
        let sender = table.claim(id(1)).unwrap();
        drop(kept);
        table.give_back(id(1), sender);
        assert!(table.waiting().is_empty());
        assert_eq!(table.take_withdrawn(), [key(1)]);
    }

    #[test]
    fn there_are_never_more_than_may_be_open_and_never_faster_than_the_quota() {
        let mut table = QuestionTable::new(Vec::new());
        let hour = |n: usize| Duration::from_hours(n.try_into().unwrap());
        for n in 0..QUESTIONS_OF_SERVER_MAX {
            table.admit(question(n, "files"), hour(n)).unwrap();
        }
        let refused = table.admit(question(100, "files"), hour(100)).unwrap_err();
        assert!(refused.contains("of the server are open"), "{refused}");

        let mut left_open = QuestionTable::new((0..QUESTIONS_OPEN_MAX).map(key).collect());
        assert!(left_open.admit(question(100, "files"), hour(0)).is_err(), "none is recorded");

        let mut quick = QuestionTable::new(Vec::new());
        let asked = (0..100).filter(|n| {
            let is_in = quick.admit(question(*n, "files"), Duration::ZERO).is_ok();
            quick.finish(id(*n));
            is_in
        });
        assert_eq!(u64::try_from(asked.count()).unwrap(), QUESTION_QUOTA.burst);
        assert!(quick.admit(question(200, "other"), Duration::ZERO).is_ok(), "each has its own");
    }
}
