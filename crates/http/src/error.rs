//! Why a request got no (whole) response. A response with an error status is a response, not an [`Error`].

use std::{net::IpAddr, time::Duration};

use crate::AddressPolicy;

/// What the message of an [`Error::Unreachable`] begins with; the host follows. Other processes pass the message on as text, and
/// the watchdog recognises a network that is down by it.
pub const UNREACHABLE: &str = "could not reach ";

/// What failed. Messages name the host, never a query, a header or a body.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be sent as it is.
    #[error("cannot send a request to {target}: {problem}")]
    InvalidRequest {
        /// The URL without its query.
        target: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The host is at an address that this client may not connect to.
    #[error(
        "{host} has the address {address}, which is not allowed: this client connects to {policy} only"
    )]
    AddressRefused {
        /// The host.
        host: String,
        /// Its address.
        address: IpAddr,
        /// What the client allows.
        policy: AddressPolicy,
    },
    /// No connection could be made, or it failed before the response began.
    #[error("could not reach {host}")]
    Unreachable {
        /// The host.
        host: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The host took too long.
    #[error("{host} {phase} within {after:?}")]
    TimedOut {
        /// The host.
        host: String,
        /// What was waited for.
        phase: Phase,
        /// The limit that was reached.
        after: Duration,
    },
    /// The connection failed while the body was received.
    #[error("the connection to {host} was lost after {bytes} bytes of the response")]
    Interrupted {
        /// The host.
        host: String,
        /// How many bytes of the body were received.
        bytes: u64,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The body is longer than the caller allows.
    #[error("the response of {host} is longer than {bytes_max} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// The cap.
        bytes_max: u64,
    },
    /// There are too many redirects.
    #[error("{host} redirected more than {redirects_max} times")]
    TooManyRedirects {
        /// The last host.
        host: String,
        /// The cap.
        redirects_max: u32,
    },
    /// A line or an event of a stream is longer than the decoder allows.
    #[error("a line or event of the stream is longer than {bytes_max} bytes")]
    FrameTooLong {
        /// The cap.
        bytes_max: usize,
    },
    /// TLS or the proxy could not be set up.
    #[error("the HTTP client could not be set up")]
    Setup {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What a request was waiting for when it timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first byte of the answer's body.
    FirstByte,
    /// The next piece of the body.
    Idle,
    /// The end of the body.
    Total,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::FirstByte => "did not begin to answer",
            Self::Idle => "sent nothing more",
            Self::Total => "did not finish",
        })
    }
}

/// The kind of a failure, for callers that map it to errors of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is at fault; sending it again cannot help.
    Invalid,
    /// The server or the network is at fault; sending the request again may help.
    Unavailable,
    /// The response was received and cannot be used.
    Corrupt,
    /// This side is at fault.
    Internal,
}

impl Error {
    /// The kind of this failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidRequest { .. } | Self::AddressRefused { .. } => ErrorKind::Invalid,
            Self::Unreachable { .. } | Self::TimedOut { .. } | Self::Interrupted { .. } => {
                ErrorKind::Unavailable
            }
            Self::TooLarge { .. } | Self::TooManyRedirects { .. } | Self::FrameTooLong { .. } => {
                ErrorKind::Corrupt
            }
            Self::Setup { .. } => ErrorKind::Internal,
        }
    }

    /// Whether no connection was made at all, so that the host got nothing of the request.
    pub fn is_connect_failure(&self) -> bool {
        let Self::Unreachable { source, .. } = self else { return false };
        source.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect)
    }

    /// The message with all its causes, for a place that can hold only one text.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let message = error.to_string();
            // Layers below repeat each other's messages; once is enough.
            if !text.contains(&message) {
                text.push_str(": ");
                text.push_str(&message);
            }
            cause = error.source();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, UNREACHABLE};

    #[test]
    fn a_host_that_is_not_reached_is_named_behind_the_same_words() {
        let source = std::io::Error::other("no route").into();
        let error = Error::Unreachable { host: "model.test".into(), source };
        assert_eq!(error.chain(), format!("{UNREACHABLE}model.test: no route"));
    }
}
