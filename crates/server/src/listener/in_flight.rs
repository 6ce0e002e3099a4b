//! One request on its connection: what routes may know of the connection, and when the answer is over.

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::{Response, body::Body as HttpBody};

use super::{
    connections::{Connections, Entered},
    stream::StreamState,
};

/// The connection that a request came by; an extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct RequestConnection {
    state: Arc<StreamState>,
    connections: Arc<Connections>,
}

impl RequestConnection {
    pub(super) fn of(entered: &Entered) -> Self {
        let (state, connections) = (entered.state(), entered.connections());
        Self { state: Arc::clone(state), connections: Arc::clone(connections) }
    }

    pub(super) fn begin(&self) -> InFlight {
        self.state.set_admitted(false);
        InFlight { state: Arc::clone(&self.state) }
    }

    /// Counts a wrong token or code of whoever asks, and says how long it has to wait; zero for the first few.
    pub(crate) fn count_failure(&self) -> Duration {
        self.connections.count_failure(self.state.peer())
    }

    /// Says that whoever asks may do so. Until its answer is over, the connection makes no room for others while it waits
    /// for the keeper.
    pub(crate) fn admit(&self) {
        self.state.set_admitted(true);
    }
}

/// A request whose answer is not over.
#[derive(Debug)]
pub(super) struct InFlight {
    state: Arc<StreamState>,
}

impl InFlight {
    /// An answer whose body holds the request until it is over, and is the same otherwise.
    pub(super) fn hold_until_end(
        self,
        answer: Response<Body>,
    ) -> Response<impl HttpBody<Data = Bytes, Error = axum::Error> + Send> {
        answer.map(|body| body.map_err(move |error| self.passed(error)))
    }

    fn passed<E>(&self, error: E) -> E {
        self.state.touch();
        error
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.state.set_admitted(false);
        self.state.touch();
    }
}
