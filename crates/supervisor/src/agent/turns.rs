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
/// The part of its time that a turn waits at most for a process that does not give another one up.
const YIELD_SHARE: u32 = 4;
/// A turn that is withdrawn this much before its deadline counts as withdrawn for it.
const TOLERANCE: Duration = Duration::from_millis(100);

/// A turn to be answered.
#[derive(Debug)]
pub(crate) struct QueuedTurn {
    /// What is asked, under an id of this attempt's own.
    pub(crate) request: ProcessRequest,
    /// When it was asked, on the monotonic clock.
    pub(crate) asked_at: Duration,
    /// How long it may take from then on before its answer begins to come, and between two pieces of it.
    pub(crate) deadline: Duration,
    /// How long it may take in all while pieces of its answer come.
    pub(crate) deadline_streaming: Duration,
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
    deadline_streaming: Duration,
    /// When a piece of its answer came last.
    piece_at: Option<Duration>,
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
            turn.fail(MindError::ProcessFailed { message });
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

    /// Until when a withdrawn turn must be given up so that the next one has most of its time left; none where the open turn was
    /// not withdrawn, or nobody waits behind it.
    pub(crate) fn yield_by(&self) -> Option<Duration> {
        self.open.as_ref().filter(|open| open.reply.is_none())?;
        let next = self.waiting.iter().find(|turn| !turn.reply.is_closed())?;
        Some(next.asked_at + next.deadline / YIELD_SHARE)
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
            deadline_streaming: turn.deadline_streaming,
            piece_at: None,
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
        drop(reply.send(Err(MindError::ProcessFailed { message })));
        let quiet_end = open.piece_at.unwrap_or(open.asked_at) + open.deadline;
        let end = quiet_end.min(open.asked_at + open.deadline_streaming);
        Some((open.request.request_id.clone(), now + TOLERANCE >= end))
    }

    /// Passes a piece of an answer on, and says whether it is one of the open turn. One that nobody receives in time is left
    /// out: the answer repeats it.
    pub(crate) fn forward_delta(&mut self, now: Duration, delta: ProcessDelta) -> bool {
        let is_ours = |open: &&mut OpenTurn| open.request.request_id == delta.request_id;
        let Some(open) = self.open.as_mut().filter(is_ours) else { return false };
        open.piece_at = Some(now);
        let thought = delta.thought.unwrap_or(false);
        drop(open.deltas.try_send(MindDelta { text: delta.text, thought }));
        true
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
                Ok(voice) => {
                    Ok(Thought { voice, usage, provider_state: response.read_provider_state() })
                }
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
        let Some(open) = self.open.take() else { return };
        let OpenTurn { request, asked_at, deadline, deadline_streaming, deltas, .. } = open;
        if let Some(reply) = open.reply {
            let turn =
                QueuedTurn { request, asked_at, deadline, deadline_streaming, reply, deltas };
            self.waiting.push_front(turn);
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
    use abide_wire::{AgentError, ProcessDelta, ProcessInput, ProcessRequest, ProcessResponse};
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
        let (asked_at, deadline_streaming) = (Duration::ZERO, 3 * deadline);
        (QueuedTurn { request, asked_at, deadline, deadline_streaming, reply, deltas }, answer)
    }

    fn response(request_id: &str) -> ProcessResponse {
        let voice = json!({"thought": "", "emotive_state": "calm", "tool_calls": [],
                           "final_response": "hello"});
        ProcessResponse { request_id: request_id.into(), voice, usage: None, provider_state: None }
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
    fn a_turn_waits_for_a_withdrawn_one_no_longer_than_a_part_of_its_own_time() {
        let mut turns = TurnQueue::default();
        let (first, _first) = turn("a", 2);
        turns.open(first);
        let (mut next, answer) = turn("b", 2);
        next.asked_at = Duration::from_secs(3);
        turns.push(next);
        assert_eq!(turns.yield_by(), None, "it is at work on the first one");
        turns.withdraw(Duration::from_secs(2));
        assert_eq!(turns.yield_by(), Some(Duration::from_millis(3_500)));
        drop(answer);
        assert_eq!(turns.yield_by(), None, "nobody waits any more");
    }

    #[test]
    fn a_turn_whose_answer_grows_is_late_only_when_it_stopped_growing_or_took_all_its_time() {
        let seconds = Duration::from_secs;
        let withdrawn = |pieces: &[u64], at: u64| {
            let mut turns = TurnQueue::default();
            let (first, _answer) = turn("a", 10);
            turns.open(first);
            for second in pieces {
                let text = "word".into();
                let delta = ProcessDelta { request_id: "a".into(), text, thought: None };
                assert!(turns.forward_delta(seconds(*second), delta));
            }
            turns.withdraw(seconds(at)).map(|(_, is_late)| is_late)
        };
        assert_eq!(withdrawn(&[], 11), Some(true));
        assert_eq!(withdrawn(&[8], 11), Some(false));
        assert_eq!(withdrawn(&[8], 18), Some(true));
        assert_eq!(withdrawn(&[8, 16, 24], 29), Some(false));
        assert_eq!(withdrawn(&[8, 16, 24], 30), Some(true));
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
        let message = "the agent's process reported MEMORY_FULL: no room".into();
        assert_eq!(answer.try_recv().unwrap(), Err(MindError::ProcessFailed { message }));
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
        assert!(matches!(refused.try_recv(), Ok(Err(MindError::ProcessFailed { .. }))));
        answers.clear();
        let (next, _answer) = turn("z", 10);
        turns.push(next);
        let (taken, left) = turns.next(Duration::from_secs(4)).unwrap();
        assert_eq!((&*taken.request.request_id, left), ("z", Duration::from_secs(6)));
    }
}
