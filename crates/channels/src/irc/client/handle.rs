//! The house's side of the client: say something, and look how the connection is.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::{ClientState, SayError, SendCertainty};
use crate::irc::said::SpokenKind;

/// Where an outcome goes.
pub(super) type Answer = oneshot::Sender<Result<SendCertainty, SayError>>;

/// Something to be said, and where the outcome goes.
#[derive(Debug)]
pub(super) struct Utterance {
    pub(super) target: String,
    pub(super) text: String,
    pub(super) kind: SpokenKind,
    pub(super) answer: Answer,
}

/// What the service shows of itself.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<ClientState>,
}

impl Shared {
    pub(super) fn set(&self, state: ClientState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// Through which the agent speaks. A cheap clone.
#[derive(Clone, Debug)]
pub struct ClientHandle {
    utterances: mpsc::Sender<Utterance>,
    shared: Arc<Shared>,
}

impl ClientHandle {
    pub(super) const fn new(utterances: mpsc::Sender<Utterance>, shared: Arc<Shared>) -> Self {
        Self { utterances, shared }
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
        let utterance =
            Utterance { target: target.to_owned(), text: text.to_owned(), kind, answer };
        self.utterances.send(utterance).await.map_err(|_| SayError::Closed)?;
        answered.await.map_err(|_| SayError::Closed)?
    }

    /// How the connection is.
    pub fn state(&self) -> ClientState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
