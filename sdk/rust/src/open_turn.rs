//! The turn in hand: the handler's future, polled by the session and dropped where the turn is withdrawn.
//!
//! A handler that panics ends its turn and nothing else: what it may have left half done is not the state, which only
//! durable entries change.

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
    failed::{EVAL_ERROR, TurnError},
    keeper::Keeper,
    turn::{Answer, Turn},
};

/// What came of a turn.
pub(crate) type Replied = Result<Answer, TurnError>;
/// A handler at work.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Replied> + Send>>;
/// A handler.
pub(crate) type Asking<S> = dyn FnMut(Turn, Keeper<S>) -> Answering + Send;

/// A turn that is being answered.
pub(crate) struct OpenTurn {
    request_id: String,
    began: Instant,
    answering: Answering,
}

impl fmt::Debug for OpenTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTurn").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

impl OpenTurn {
    /// Has the handler begin.
    pub(crate) fn begin(request_id: String, ask: impl FnOnce() -> Answering) -> Self {
        let answering = catch_unwind(AssertUnwindSafe(ask)).unwrap_or_else(|panic| {
            let failed = panicked(&*panic);
            Box::pin(std::future::ready(Err(failed)))
        });
        Self { request_id, began: Instant::now(), answering }
    }

    /// The attempt.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// How long it has taken so far.
    pub(crate) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// What comes of it. Never, where there is none; may be cancelled.
    pub(crate) async fn replied(turn: Option<&mut Self>) -> Replied {
        match turn {
            Some(turn) => std::future::poll_fn(|context| turn.poll(context)).await,
            None => std::future::pending().await,
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Replied> {
        let poll = || self.answering.as_mut().poll(context);
        catch_unwind(AssertUnwindSafe(poll))
            .unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic))))
    }
}

fn panicked(panic: &(dyn Any + Send)) -> TurnError {
    let words = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without words");
    TurnError::new(EVAL_ERROR, format!("the handler panicked: {words}"))
}
