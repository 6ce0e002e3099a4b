//! What stands in place of a request or a notice of a server that cannot be read: the request is answered with an error, and the
//! log hears of both, as of everything that a server asks in vain.
//!
//! It goes to the session like any message of the server, so that its answer goes out as any answer does. What it stands for is
//! known from a mark that no server can send; nothing of the message itself is kept.

use rmcp::{
    RoleClient,
    model::{
        CustomNotification, CustomRequest, ErrorCode, Extensions, JsonRpcMessage, NumberOrString,
        ServerNotification, ServerRequest,
    },
    service::RxJsonRpcMessage,
};

use crate::limits::LINE_BYTES_MAX;

/// The method under which it reaches the session. It means nothing without the mark.
const METHOD: &str = "abide/unreadable";

/// Why a message of a server cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadableMessage {
    /// It has more bytes than are read.
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// It is not JSON, or is nested too deep to be read.
    NotJson,
    /// It is none of the protocol.
    NotOfTheProtocol,
    /// It is a list of messages.
    List,
}

impl UnreadableMessage {
    /// The mark that a message has, where it has one.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        extensions.get::<Self>().copied()
    }

    /// What the session gets: a request where the id is known, else a notice.
    pub(crate) fn message(self, id: Option<NumberOrString>) -> RxJsonRpcMessage<RoleClient> {
        if let Some(id) = id {
            let mut request = CustomRequest::new(METHOD, None);
            request.extensions.insert(self);
            return JsonRpcMessage::request(ServerRequest::CustomRequest(request), id);
        }
        let mut notice = CustomNotification::new(METHOD, None);
        notice.extensions.insert(self);
        JsonRpcMessage::notification(ServerNotification::CustomNotification(notice))
    }

    /// The code of the error that the server gets.
    pub(crate) fn code(self) -> ErrorCode {
        match self {
            Self::NotJson => ErrorCode::PARSE_ERROR,
            Self::TooLong { .. } | Self::NotOfTheProtocol | Self::List => {
                ErrorCode::INVALID_REQUEST
            }
        }
    }

    /// Why, for the server and for the log.
    pub(crate) fn reason(self) -> String {
        match self {
            Self::TooLong { bytes } => {
                format!("a message of {bytes} bytes is not read; the most are {LINE_BYTES_MAX}")
            }
            Self::NotJson => "a message is not JSON, or is nested too deep".to_owned(),
            Self::NotOfTheProtocol => "a message is none of the protocol".to_owned(),
            Self::List => {
                "a list of messages is not read; each goes in a line of its own".to_owned()
            }
        }
    }
}
