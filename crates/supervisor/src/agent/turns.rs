//! The turns that an agent is to answer: those that wait for its process, and the one that it is at.
//!
//! One turn is open at a time. An answer counts only for the newest attempt; whoever asked may go away at any moment, and
//! then the process is told so, and has to give the turn up before it gets another one.

use std::{collections::VecDeque, time::Duration};

use abide_domain::turn::{MindError, Thought};
use abide_engine::mind::MindDelta;
use abide_wire::{AgentError, ProcessDelta, ProcessRequest, ProcessResponse};
use tokio::sync::{mpsc, oneshot};

/// Turns that may wait: a lane asks one at a time, others (sleep) beside it.
const WAITING_MAX: usize = 16;
/// A turn that is withdrawn this much before its deadline counts as withdrawn for it.
const TOLERANCE: Duration = Duration::from_millis(100);

/// A turn to be answered.
#[derive(Debug)]
pub(crate) struct QueuedTurn {
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

impl QueuedTurn {
    fn fail(self, error: MindError) {
        // Whoever asked may be gone.
        drop(self.reply.send(Err(error)));
    }
}

/// The turn that the process works on.
#[derive(Debug)]
struct OpenTurn {
    request: ProcessRequest,
    asked_at: Duration,
    deadline: Duration,
    deltas: mpsc::Sender<MindDelta>,
    /// None once it was withdrawn.
    reply: Option<oneshot::Sender<Result<Thought, MindError>>>,
}

/// What an error frame did to the open turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorEffect {
    /// It ended the turn.
    Turn,
    /// It gave up a turn that had been withdrawn.
    Withdrawn,
    /// It is not about the turn.
    Nothing,
}

/// The turns of one agent.
#[derive(Debug, Default)]
pub(crate) struct TurnQueue {
    waiting: VecDeque<QueuedTurn>,
    open: Option<OpenTurn>,
}

impl TurnQueue {
    /// Queues a turn.
    pub(crate) fn push(&mut self, turn: QueuedTurn) {
        self.waiting.retain(|turn| !turn.reply.is_closed());
        if self.waiting.len() >= WAITING_MAX {
            let message = format!(
                "{WAITING_MAX} turns are waiting for the agent's process already: try again later"
            );
            turn.fail(MindError::Unavailable { message });
            return;
        }
        self.waiting.push_back(turn);
    }

    /// Whether somebody still waits for a process.
    pub(crate) fn are_waiting(&self) -> bool {
        self.waiting.iter().any(|turn| !turn.reply.is_closed())
    }

    /// Whether the process works on a turn, or has not given a withdrawn one up yet.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The next turn that somebody waits for, and how long it may still take. What is too late is let go.
    pub(crate) fn next(&mut self, now: Duration) -> Option<(QueuedTurn, Duration)> {
        loop {
            let turn = self.waiting.pop_front()?;
            let left = (turn.asked_at + turn.deadline).saturating_sub(now);
            if !turn.reply.is_closed() && !left.is_zero() {
                return Some((turn, left));
            }
        }
    }

    /// The process got this turn.
    pub(crate) fn open(&mut self, turn: QueuedTurn) {
        self.open = Some(OpenTurn {
            request: turn.request,
            asked_at: turn.asked_at,
            deadline: turn.deadline,
            deltas: turn.deltas,
            reply: Some(turn.reply),
        });
    }

    /// Waits until whoever asked has gone away. May be cancelled.
    pub(crate) async fn abandoned(&mut self) {
        match self.open.as_mut().and_then(|open| open.reply.as_mut()) {
            Some(reply) => reply.closed().await,
            None => std::future::pending().await,
        }
    }

    /// Withdraws the open turn, and says which it was and whether its time was over. None where there is none.
    pub(crate) fn withdraw(&mut self, now: Duration) -> Option<(String, bool)> {
        let open = self.open.as_mut()?;
        let reply = open.reply.take()?;
        let message = "the turn was withdrawn: its deadline has passed".into();
        drop(reply.send(Err(MindError::Unavailable { message })));
        let is_late = now + TOLERANCE >= open.asked_at + open.deadline;
        Some((open.request.request_id.clone(), is_late))
    }

    /// Passes a piece of an answer on. One that nobody receives in time is left out: the answer repeats it.
    pub(crate) fn forward_delta(&self, delta: ProcessDelta) {
        if let Some(open) =
            self.open.as_ref().filter(|open| open.request.request_id == delta.request_id)
        {
            let thought = delta.thought.unwrap_or(false);
            drop(open.deltas.try_send(MindDelta { text: delta.text, thought }));
        }
    }

    /// Answers the open turn. Says whether it was that of the open turn.
    pub(crate) fn take_answer(&mut self, response: &ProcessResponse) -> bool {
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

    /// Takes an error frame. It ends the open turn if it names it, or is fatal.
    pub(crate) fn take_error(&mut self, error: &AgentError) -> ErrorEffect {
        let Some(open) = self.open.take_if(|open| error.ends_turn(&open.request.request_id)) else {
            return ErrorEffect::Nothing;
        };
        match open.reply {
            Some(reply) => {
                drop(reply.send(Err(error.to_mind_error())));
                ErrorEffect::Turn
            }
            None => ErrorEffect::Withdrawn,
        }
    }

    /// The process has ended before it got the open turn: the next one gets it.
    pub(crate) fn reopen(&mut self) {
        let Some(OpenTurn { request, asked_at, deadline, deltas, reply }) = self.open.take() else {
            return;
        };
        if let Some(reply) = reply {
            self.waiting.push_front(QueuedTurn { request, asked_at, deadline, reply, deltas });
        }
    }

    /// The process has ended: fails the open turn.
    pub(crate) fn fail_open(&mut self, error: MindError) {
        if let Some(reply) = self.open.take().and_then(|open| open.reply) {
            drop(reply.send(Err(error)));
        }
    }

    /// Fails all turns that wait.
    pub(crate) fn fail_waiting(&mut self, error: &MindError) {
        for turn in self.waiting.drain(..) {
            turn.fail(error.clone());
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

    use super::{ErrorEffect, QueuedTurn, TurnQueue, WAITING_MAX};

    type Answer = oneshot::Receiver<Result<Thought, MindError>>;

    fn turn(request_id: &str, deadline: u64) -> (QueuedTurn, Answer) {
        let (reply, answer) = oneshot::channel();
        let (deltas, _) = mpsc::channel(1);
        let input = ProcessInput { message: "hi".into(), context: None, user_id: "ada".into() };
        let request = ProcessRequest { request_id: request_id.into(), input };
        let deadline = Duration::from_secs(deadline);
        (QueuedTurn { request, asked_at: Duration::ZERO, deadline, reply, deltas }, answer)
    }

    fn response(request_id: &str) -> ProcessResponse {
        let voice = json!({"thought": "", "emotive_state": "calm", "tool_calls": [],
                           "final_response": "hello"});
        ProcessResponse { request_id: request_id.into(), voice, usage: None }
    }

    #[test]
    fn answers_to_older_attempts_are_dropped() {
        let mut turns = TurnQueue::default();
        let (first, mut answer) = turn("b", 10);
        turns.open(first);
        assert!(!turns.take_answer(&response("a")));
        assert!(answer.try_recv().is_err());
        assert!(turns.take_answer(&response("b")));
        assert!(answer.try_recv().unwrap().is_ok());
        assert!(!turns.take_answer(&response("b")), "the second answer to one question");
    }

    #[test]
    fn an_answer_that_is_no_voice_is_worth_a_repair() {
        let mut turns = TurnQueue::default();
        let (first, mut answer) = turn("a", 10);
        turns.open(first);
        let mut bad = response("a");
        bad.voice = json!({"final_response": 7});
        assert!(turns.take_answer(&bad));
        let error = answer.try_recv().unwrap().unwrap_err();
        assert!(matches!(error, MindError::BadVoice { .. }), "{error:?}");
    }

    #[test]
    fn a_withdrawn_turn_is_open_until_it_is_yielded() {
        let mut turns = TurnQueue::default();
        let (first, mut answer) = turn("a", 10);
        turns.open(first);
        assert_eq!(turns.withdraw(Duration::from_secs(3)), Some(("a".into(), false)));
        assert!(answer.try_recv().unwrap().is_err());
        assert_eq!(turns.withdraw(Duration::from_secs(4)), None);
        assert!(turns.is_open());
        let mut error = AgentError::new("CANCELLED", "as told");
        assert_eq!(turns.take_error(&error), ErrorEffect::Nothing);
        error.request_id = Some("a".into());
        assert_eq!(turns.take_error(&error), ErrorEffect::Withdrawn);
        assert!(!turns.is_open());
    }

    #[test]
    fn a_turn_that_no_process_was_told_of_waits_for_the_next() {
        let mut turns = TurnQueue::default();
        let (first, mut answer) = turn("a", 10);
        turns.open(first);
        turns.reopen();
        assert!(!turns.is_open() && turns.are_waiting());
        let (again, _) = turns.next(Duration::from_secs(1)).unwrap();
        turns.open(again);
        assert!(turns.take_answer(&response("a")));
        assert!(answer.try_recv().unwrap().is_ok());
    }

    #[test]
    fn a_fatal_error_ends_the_turn_without_naming_it() {
        let mut turns = TurnQueue::default();
        let (first, mut answer) = turn("a", 10);
        turns.open(first);
        let mut error = AgentError::new("MEMORY_FULL", "no room");
        assert_eq!(turns.take_error(&error), ErrorEffect::Nothing);
        error.fatal = Some(true);
        assert_eq!(turns.take_error(&error), ErrorEffect::Turn);
        let message = "MEMORY_FULL: no room".into();
        assert_eq!(answer.try_recv().unwrap(), Err(MindError::Unavailable { message }));
    }

    #[test]
    fn what_waits_is_bounded_and_forgotten_when_nobody_waits_for_it() {
        let mut turns = TurnQueue::default();
        let mut answers: Vec<_> = (0..WAITING_MAX)
            .map(|_| {
                let (next, answer) = turn("x", 10);
                turns.push(next);
                answer
            })
            .collect();
        let (one_more, mut refused) = turn("y", 10);
        turns.push(one_more);
        assert!(matches!(refused.try_recv(), Ok(Err(MindError::Unavailable { .. }))));
        answers.clear();
        let (next, _answer) = turn("z", 10);
        turns.push(next);
        let (taken, left) = turns.next(Duration::from_secs(4)).unwrap();
        assert_eq!((&*taken.request.request_id, left), ("z", Duration::from_secs(6)));
    }
}
