//! One request on its connection: what routes may know of the connection, and when the answer is over.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use hyper::{
    Response,
    body::{Body as HttpBody, Frame, SizeHint},
};

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

impl Drop for InFlight {
    fn drop(&mut self) {
        self.state.set_admitted(false);
        self.state.touch();
    }
}

/// An answer's body, which knows when it is over.
#[derive(Debug)]
pub(super) struct InFlightBody {
    body: Body,
    _in_flight: InFlight,
}

impl InFlightBody {
    pub(super) fn around(response: Response<Body>, in_flight: InFlight) -> Response<Self> {
        response.map(|body| Self { body, _in_flight: in_flight })
    }
}

impl HttpBody for InFlightBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
