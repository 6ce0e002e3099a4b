//! The turns that an agent is to answer: those that wait for its process, and the one that it is at.
//!
//! One turn is open at a time. An answer counts only for the newest attempt; whoever asked may go away at any moment, and
//! then the process is told and has to yield before it is asked anything else.

use std::{collections::VecDeque, time::Duration};

use abide_domain::turn::{MindError, Thought};
use abide_engine::mind::MindDelta;
use abide_wire::{AgentError, ProcessDelta, ProcessRequest, ProcessResponse};
use tokio::sync::{mpsc, oneshot};

/// Turns that may wait: a lane asks one at a time, others (sleep) beside it.
const WAITING_MAX: usize = 16;
/// How much earlier than its deadline a turn may be withdrawn and still have been withdrawn for it.
const TOLERANCE: Duration = Duration::from_millis(100);

/// A turn to be answered.
#[derive(Debug)]
pub(crate) struct Ask {
    /// What is asked, under an id of this attempt's own.
    pub(crate) request: ProcessRequest,
    /// When it was asked, on the monotonic clock.
    pub(crate) asked_at: Duration,
    /// How long it may take from then on.
    pub(crate) deadline: Duration,
    /// Where the answer goes.
    pub(crate) reply: oneshot::Sender<Result<Thought, MindError>>,
    /// Where pieces of it go.
    pub(crate) deltas: mpsc::Sender<MindDelta>,
}

impl Ask {
    fn fail(self, error: MindError) {
        // Whoever asked may be gone.
        drop(self.reply.send(Err(error)));
    }
}

/// The turn that the process is at.
#[derive(Debug)]
struct Open {
    request: ProcessRequest,
    asked_at: Duration,
    deadline: Duration,
    deltas: mpsc::Sender<MindDelta>,
    /// None once it was withdrawn.
    reply: Option<oneshot::Sender<Result<Thought, MindError>>>,
}

/// What an error frame was to the open turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It ended it.
    Turn,
    /// It yielded one that had been withdrawn.
    Withdrawn,
    /// It has nothing to do with it.
    Nothing,
}

/// The turns of one agent.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    waiting: VecDeque<Ask>,
    open: Option<Open>,
}

impl Asks {
    /// Takes a turn in.
    pub(crate) fn push(&mut self, ask: Ask) {
        self.waiting.retain(|ask| !ask.reply.is_closed());
        if self.waiting.len() >= WAITING_MAX {
            let message = format!("{WAITING_MAX} turns wait for the agent's process already");
            ask.fail(MindError::Unavailable { message });
            return;
        }
        self.waiting.push_back(ask);
    }

    /// Whether somebody still waits for a process.
    pub(crate) fn are_waiting(&self) -> bool {
        self.waiting.iter().any(|ask| !ask.reply.is_closed())
    }

    /// Whether the process is at a turn, or has not yielded one yet.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The next turn that somebody waits for, and how long it may still take. What is too late is let go.
    pub(crate) fn next(&mut self, now: Duration) -> Option<(Ask, Duration)> {
        loop {
            let ask = self.waiting.pop_front()?;
            let left = (ask.asked_at + ask.deadline).saturating_sub(now);
            if !ask.reply.is_closed() && !left.is_zero() {
                return Some((ask, left));
            }
        }
    }

    /// The process was asked this.
    pub(crate) fn open(&mut self, ask: Ask) {
        self.open = Some(Open {
            request: ask.request,
            asked_at: ask.asked_at,
            deadline: ask.deadline,
            deltas: ask.deltas,
            reply: Some(ask.reply),
        });
    }

    /// Waits until whoever asked has gone away. May be cancelled.
    pub(crate) async fn abandoned(&mut self) {
        match self.open.as_mut().and_then(|open| open.reply.as_mut()) {
            Some(reply) => reply.closed().await,
            None => std::future::pending().await,
        }
    }

    /// Lets the open turn go, and says which it was and whether its time was over. None where there is none to let go.
    pub(crate) fn withdraw(&mut self, now: Duration) -> Option<(String, bool)> {
        let open = self.open.as_mut()?;
        let reply = open.reply.take()?;
        let message = "the turn was withdrawn: its time is over".into();
        drop(reply.send(Err(MindError::Unavailable { message })));
        let is_late = now + TOLERANCE >= open.asked_at + open.deadline;
        Some((open.request.request_id.clone(), is_late))
    }

    /// Passes a piece of an answer on. One that nobody takes in time is left out: the answer holds it again.
    pub(crate) fn delta(&self, delta: ProcessDelta) {
        if let Some(open) =
            self.open.as_ref().filter(|open| open.request.request_id == delta.request_id)
        {
            let thought = delta.thought.unwrap_or(false);
            drop(open.deltas.try_send(MindDelta { text: delta.text, thought }));
        }
    }

    /// Takes an answer. Says whether it was that of the open turn.
    pub(crate) fn answer(&mut self, response: &ProcessResponse) -> bool {
        let Some(open) = self.open.take_if(|open| open.request.request_id == response.request_id)
        else {
            return false;
        };
        if let Some(reply) = open.reply {
            let usage = response.read_usage();
            let thought = match response.read_voice() {
                Ok(voice) => Ok(Thought { voice, usage }),
                Err(problem) => Err(MindError::BadVoice { problem, usage }),
            };
            drop(reply.send(thought));
        }
        true
    }

    /// Takes an error. It ends the open turn if it names it, or is fatal.
    pub(crate) fn error(&mut self, error: &AgentError) -> Ended {
        let Some(open) = self.open.take_if(|open| error.ends_turn(&open.request.request_id)) else {
            return Ended::Nothing;
        };
        match open.reply {
            Some(reply) => {
                drop(reply.send(Err(error.to_mind_error())));
                Ended::Turn
            }
            None => Ended::Withdrawn,
        }
    }

    /// The process has ended before it was told of the open turn: another one is to be asked it.
    pub(crate) fn reopen(&mut self) {
        let Some(Open { request, asked_at, deadline, deltas, reply }) = self.open.take() else {
            return;
        };
        if let Some(reply) = reply {
            self.waiting.push_front(Ask { request, asked_at, deadline, reply, deltas });
        }
    }

    /// The process has ended: whoever waits for the open turn is told why.
    pub(crate) fn fail_open(&mut self, error: MindError) {
        if let Some(reply) = self.open.take().and_then(|open| open.reply) {
            drop(reply.send(Err(error)));
        }
    }

    /// Nobody is going to be asked: all that wait are told why.
    pub(crate) fn fail_waiting(&mut self, error: &MindError) {
        for ask in self.waiting.drain(..) {
            ask.fail(error.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::turn::{MindError, Thought};
    use abide_wire::{AgentError, ProcessInput, ProcessRequest, ProcessResponse};
    use serde_json::json;
    use tokio::sync::{mpsc, oneshot};

    use super::{Ask, Asks, Ended, WAITING_MAX};

    type Answer = oneshot::Receiver<Result<Thought, MindError>>;

    fn ask(request_id: &str, deadline: u64) -> (Ask, Answer) {
        let (reply, answer) = oneshot::channel();
        let (deltas, _) = mpsc::channel(1);
        let input = ProcessInput { message: "hi".into(), context: None, user_id: "ada".into() };
        let request = ProcessRequest { request_id: request_id.into(), input };
        let deadline = Duration::from_secs(deadline);
        (Ask { request, asked_at: Duration::ZERO, deadline, reply, deltas }, answer)
    }

    fn response(request_id: &str) -> ProcessResponse {
        let voice = json!({"thought": "", "emotive_state": "calm", "tool_calls": [],
                           "final_response": "hello"});
        ProcessResponse { request_id: request_id.into(), voice, usage: None }
    }

    #[test]
    fn answers_to_older_attempts_are_dropped() {
        let mut asks = Asks::default();
        let (first, mut answer) = ask("b", 10);
        asks.open(first);
        assert!(!asks.answer(&response("a")));
        assert!(answer.try_recv().is_err());
        assert!(asks.answer(&response("b")));
        assert!(answer.try_recv().unwrap().is_ok());
        assert!(!asks.answer(&response("b")), "the second answer to one question");
    }

    #[test]
    fn an_answer_that_is_no_voice_is_worth_a_repair() {
        let mut asks = Asks::default();
        let (first, mut answer) = ask("a", 10);
        asks.open(first);
        let mut bad = response("a");
        bad.voice = json!({"final_response": 7});
        assert!(asks.answer(&bad));
        let error = answer.try_recv().unwrap().unwrap_err();
        assert!(matches!(error, MindError::BadVoice { .. }), "{error:?}");
    }

    #[test]
    fn a_withdrawn_turn_is_open_until_it_is_yielded() {
        let mut asks = Asks::default();
        let (first, mut answer) = ask("a", 10);
        asks.open(first);
        assert_eq!(asks.withdraw(Duration::from_secs(3)), Some(("a".into(), false)));
        assert!(answer.try_recv().unwrap().is_err());
        assert_eq!(asks.withdraw(Duration::from_secs(4)), None);
        assert!(asks.is_open());
        let mut error = AgentError::new("CANCELLED", "as told");
        assert_eq!(asks.error(&error), Ended::Nothing);
        error.request_id = Some("a".into());
        assert_eq!(asks.error(&error), Ended::Withdrawn);
        assert!(!asks.is_open());
    }

    #[test]
    fn a_turn_that_no_process_was_told_of_waits_for_the_next() {
        let mut asks = Asks::default();
        let (first, mut answer) = ask("a", 10);
        asks.open(first);
        asks.reopen();
        assert!(!asks.is_open() && asks.are_waiting());
        let (again, _) = asks.next(Duration::from_secs(1)).unwrap();
        asks.open(again);
        assert!(asks.answer(&response("a")));
        assert!(answer.try_recv().unwrap().is_ok());
    }

    #[test]
    fn a_fatal_error_ends_the_turn_without_naming_it() {
        let mut asks = Asks::default();
        let (first, mut answer) = ask("a", 10);
        asks.open(first);
        let mut error = AgentError::new("MEMORY_FULL", "no room");
        assert_eq!(asks.error(&error), Ended::Nothing);
        error.fatal = Some(true);
        assert_eq!(asks.error(&error), Ended::Turn);
        let message = "MEMORY_FULL: no room".into();
        assert_eq!(answer.try_recv().unwrap(), Err(MindError::Unavailable { message }));
    }

    #[test]
    fn what_waits_is_bounded_and_forgotten_when_nobody_waits_for_it() {
        let mut asks = Asks::default();
        let mut answers: Vec<_> = (0..WAITING_MAX)
            .map(|_| {
                let (ask, answer) = ask("x", 10);
                asks.push(ask);
                answer
            })
            .collect();
        let (one_more, mut refused) = ask("y", 10);
        asks.push(one_more);
        assert!(matches!(refused.try_recv(), Ok(Err(MindError::Unavailable { .. }))));
        answers.clear();
        let (next, _answer) = ask("z", 10);
        asks.push(next);
        let (taken, left) = asks.next(Duration::from_secs(4)).unwrap();
        assert_eq!((&*taken.request.request_id, left), ("z", Duration::from_secs(6)));
    }
}
