//! The handle of the client: say something, and see the state of the connection.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::event::{ClientState, SayError, SendCertainty};
use crate::irc::spoken::SpokenKind;

/// Where an outcome goes.
pub(super) type SayReply = oneshot::Sender<Result<SendCertainty, SayError>>;

/// Something to be said, and where the outcome goes.
#[derive(Debug)]
pub(super) struct SayRequest {
    pub(super) target: String,
    pub(super) text: String,
    pub(super) kind: SpokenKind,
    pub(super) answer: SayReply,
}

/// What the service shows of itself.
#[derive(Debug, Default)]
pub(super) struct SharedState {
    state: Mutex<ClientState>,
}

impl SharedState {
    pub(super) fn set(&self, state: ClientState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// Through which the agent speaks. A cheap clone.
#[derive(Clone, Debug)]
pub struct ClientHandle {
    requests: mpsc::Sender<SayRequest>,
    shared: Arc<SharedState>,
}

impl ClientHandle {
    pub(super) const fn new(requests: mpsc::Sender<SayRequest>, shared: Arc<SharedState>) -> Self {
        Self { requests, shared }
    }

    /// Says something in a channel or to a nick, and answers when the server confirmed it or, where it never does, when
    /// it was written.
    pub async fn say(
        &self,
        target: &str,
        text: &str,
        kind: SpokenKind,
    ) -> Result<SendCertainty, SayError> {
        let (answer, answered) = oneshot::channel();
        let request = SayRequest { target: target.to_owned(), text: text.to_owned(), kind, answer };
        self.requests.send(request).await.map_err(|_| SayError::Closed)?;
        // It was handed over, and whoever has it ended without a word of what became of it.
        answered.await.map_err(|_| SayError::Broken)?
    }

    /// How the connection is.
    pub fn state(&self) -> ClientState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
