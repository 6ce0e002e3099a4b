//! A client of the Model Context Protocol: the tools of other programs, as tools of a mind.
//!
//! A server is another program, and what it says is data: its lines, lists and answers are bounded, its texts are shown with
//! everything hidden in them made visible, and a tool that changes after a person accepted it waits for that person. A call is sent
//! once. Where its answer is lost, the mind is told that nobody knows, never that it failed.
//!
//! ```
//! use abide_mcp::{ToolPin, compare_pins};
//! use serde_json::{Value, json};
//!
//! let pin = |text| ToolPin::new("files", "read", text, json!({"type": "object"}), Value::Null);
//! let waiting = compare_pins(&[pin("Reads a file.")], &[pin("Reads a file, then mails it.")]);
//! assert!(!waiting[0].is_new && waiting[0].diff.contains("+Reads a file, then mails it."));
//! ```
//!
//! Reading order: [`McpServerSettings`] with [`McpReach`] (what a person says about a server), [`ServerLauncher`] with
//! [`PlainLauncher`] (how its process starts and ends), `lines`, `incoming` with `outline` and `unreadable`, `outbox` and `transport` (what a
//! line means, what waits to be written), [`AccessTokens`], `http_headers`, `http_link`, `sse_messages` and `http_transport` (the same for a remote server:
//! each message a request of its own), `handshake`, `session` and `remote_session` (one run of a server: which lifecycle, handshake,
//! end), `service` (starts, restarts, refreshes), `request` (one request, once), `catalog` with [`ToolPin`] (which tools are
//! offered), `remote_tool` and `result` (a call and its result for a mind), [`ElicitationHandler`] with
//! [`Form`] and [`CallOrigin`] (what servers ask of people, in which call),
//! [`McpLogin`], [`TokenStore`] and [`LoginTokens`] (logins at remote servers by OAuth 2.1), [`McpClient`] (the handle) and
//! [`McpStatus`].
//!
//! Left out: prompts, sampling and roots (both refused), tasks, servers of 2024 whose messages and answers have two addresses (HTTP
//! with SSE), and logins without a person.

mod limits;

mod reach;
mod settings;

mod launch;
mod plain_launcher;

mod cut_json;
mod incoming;
mod lines;
mod outbox;
mod outline;
mod stderr_tail;
mod transport;
mod unreadable;

mod access_tokens;
mod http_headers;
mod http_link;
mod http_transport;
mod sse_messages;

mod elicitation;
mod form;
mod handler;
mod handshake;
mod remote_session;
mod running_calls;
mod session;

mod listing;
mod request;

mod catalog;
mod names;
mod pin;

mod connection;
mod restarts;
mod service;

mod remote_tool;
mod resource_tools;
mod result;

mod login;

mod client;
mod status;

pub use access_tokens::{AccessTokenError, AccessTokens, ConfiguredToken, NoAccessTokens};
pub use client::{McpClient, McpClientParts, McpNotReadyError};
pub use elicitation::{
    DeclineElicitations, ElicitationAnswer, ElicitationHandler, ElicitationRequest, ElicitationWish,
};
pub use form::{FieldKind, Form, FormChoice, FormField, FormValues, FormValuesError};
pub use launch::{LaunchError, LaunchRequest, LaunchedServer, ServerLauncher, ServerProcess};
pub use limits::{
    CALL_IDLE_LIMIT, CALL_TOTAL_LIMIT, CALLS_AT_ONCE_MAX, DESCRIPTION_BYTES_MAX,
    DESCRIPTION_CHARS_MAX, LINE_BYTES_MAX, LIST_BYTES_MAX, PAGES_MAX, PROBE_LIMIT,
    RESULT_TEXT_BYTES_MAX, SCHEMA_BYTES_MAX, SERVER_NAME_BYTES_MAX, START_LIMIT, STARTS_MAX,
    STARTS_WINDOW, STDERR_TAIL_BYTES, TOOLS_MAX,
};
pub use login::{
    McpLogin, login_error::McpLoginError, login_tokens::LoginTokens, store::TokenStore,
    store::TokenStoreError,
};
pub use pin::{ToolPin, WaitingTool, compare_pins};
pub use plain_launcher::PlainLauncher;
pub use reach::{McpEndpoint, McpProgram, McpReach};
pub use running_calls::CallOrigin;
pub use settings::{McpServerSettings, McpSettingsError};
pub use status::{DeclinedRequests, McpLifecycle, McpState, McpStatus, SkippedLines, WithheldTool};
