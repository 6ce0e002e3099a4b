//! The open turn: the handler's future, polled by the session and dropped where the turn is withdrawn.
//!
//! A handler that panics ends its turn and nothing else: it cannot leave the state half changed, because only durable
//! entries change the state.

use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    keeper::Keeper,
    turn::{Answer, Turn},
    turn_error::{EVAL_ERROR, TurnError},
};

/// What a handler gave.
pub(crate) type TurnResult = Result<Answer, TurnError>;
/// A running handler.
pub(crate) type AnswerFuture = Pin<Box<dyn Future<Output = TurnResult> + Send>>;
/// The author's handler, its types erased.
pub(crate) type TurnHandler<S> = dyn FnMut(Turn, Keeper<S>) -> AnswerFuture + Send;

/// A turn that is being answered.
pub(crate) struct OpenTurn {
    request_id: String,
    began: Instant,
    answer: AnswerFuture,
}

impl fmt::Debug for OpenTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTurn").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

impl OpenTurn {
    /// Starts the handler.
    pub(crate) fn begin(request_id: String, start: impl FnOnce() -> AnswerFuture) -> Self {
        let answer = catch_unwind(AssertUnwindSafe(start))
            .unwrap_or_else(|panic| Box::pin(std::future::ready(Err(panic_error(&*panic)))));
        Self { request_id, began: Instant::now(), answer }
    }

    /// Names the attempt.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// How long it has taken so far.
    pub(crate) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// Waits for the handler's result; for ever where no turn is open. May be cancelled.
    pub(crate) async fn finished(turn: Option<&mut Self>) -> TurnResult {
        match turn {
            Some(turn) => std::future::poll_fn(|context| turn.poll(context)).await,
            None => std::future::pending().await,
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<TurnResult> {
        let poll = || self.answer.as_mut().poll(context);
        catch_unwind(AssertUnwindSafe(poll))
            .unwrap_or_else(|panic| Poll::Ready(Err(panic_error(&*panic))))
    }
}

fn panic_error(panic: &(dyn Any + Send)) -> TurnError {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message");
    TurnError::new(EVAL_ERROR, format!("the handler panicked: {message}"))
}
