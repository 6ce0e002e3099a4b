//! Every limit of the client in one place. A server is another program: none of its lines, lists, answers or wishes is unbounded.

use std::time::Duration;

/// Longest line of a server that is read whole; of a longer one its head and its tail are kept.
pub const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How much of the head of a line that is too long is kept: what a cut answer is made of.
pub(crate) const LINE_HEAD_BYTES: usize = 512 * 1024;
/// How much of its tail is kept: servers write the id of an answer behind it.
pub(crate) const LINE_TAIL_BYTES: usize = 1024;
/// Longest id of a request of a server that is looked for in a message that cannot be read whole, as JSON.
pub(crate) const REQUEST_ID_BYTES_MAX: usize = 256;
/// How much of what a server writes on stderr is kept, the newest.
pub const STDERR_TAIL_BYTES: usize = 64 * 1024;
/// Longest result of a call, as text for a mind; the rest is cut, with a note.
pub const RESULT_TEXT_BYTES_MAX: usize = 256 * 1024;
/// Longest text of a server in an error message, in Unicode scalar values.
pub(crate) const ERROR_CHARS_MAX: usize = 2_000;
/// A text in structured content longer than this that has base64 characters alone is described, not shown.
pub(crate) const BASE64_SHOWN_BYTES_MAX: usize = 512;

/// Most pages of one listing.
pub const PAGES_MAX: usize = 100;
/// Most tools of one server.
pub const TOOLS_MAX: usize = 512;
/// Longest list of one server over all its pages, as JSON.
pub const LIST_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Longest name of a tool, as the server gives it.
pub(crate) const FOREIGN_NAME_BYTES_MAX: usize = 256;
/// Longest description of a tool that is kept and compared; a longer one drops the tool.
pub const DESCRIPTION_BYTES_MAX: usize = 64 * 1024;
/// Longest hints of a tool, as JSON.
pub(crate) const HINTS_BYTES_MAX: usize = 4 * 1024;
/// Longest diff of a tool in the status, in Unicode scalar values.
pub(crate) const DIFF_CHARS_MAX: usize = 16_000;
/// Longest schema of a tool's arguments, as JSON.
pub const SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// Longest description of a tool that a mind is shown, in Unicode scalar values; the rest is cut.
pub const DESCRIPTION_CHARS_MAX: usize = 4_000;
/// Longest name of a server.
pub const SERVER_NAME_BYTES_MAX: usize = 24;
/// Longest `instructions` of a server that are kept, in Unicode scalar values.
pub(crate) const INSTRUCTIONS_CHARS_MAX: usize = 8_000;

/// Most fields of a form that a server asks a person to fill in.
pub(crate) const FIELDS_MAX: usize = 32;
/// Longest name of a field.
pub(crate) const FIELD_NAME_BYTES_MAX: usize = 128;
/// Longest title or description of a field or a choice, in Unicode scalar values; the rest is cut.
pub(crate) const FIELD_TEXT_CHARS_MAX: usize = 500;
/// Most choices of a field.
pub(crate) const CHOICES_MAX: usize = 100;
/// Longest choice that goes back to the server.
pub(crate) const CHOICE_BYTES_MAX: usize = 256;
/// Longest text that a person may fill in, in Unicode scalar values.
pub(crate) const VALUE_CHARS_MAX: usize = 4_096;
/// Longest message of a question, in Unicode scalar values; the rest is cut.
pub(crate) const MESSAGE_CHARS_MAX: usize = 2_000;
/// Least time between two lines of the log about what one server asked in vain.
pub(crate) const DECLINED_LOG_EVERY: Duration = Duration::from_mins(1);

/// Most calls of one server at the same time; more wait, as long as a start may take.
pub const CALLS_AT_ONCE_MAX: usize = 8;
/// Most messages that wait to be written to a server.
pub(crate) const OUTGOING_MAX: usize = 256;
/// Most bytes of them: as many as the longest line that is read. One more message is refused.
pub(crate) const OUTGOING_BYTES_MAX: usize = LINE_BYTES_MAX;

/// Longest address of a server or of its login service.
pub(crate) const ADDRESS_BYTES_MAX: usize = 4 * 1024;
/// Longest answer of a remote server in one body; the rest of a longer one is not read, and the call has no result.
pub(crate) const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Longest body of an error of a remote server that is read.
pub(crate) const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;
/// Most messages that are on their way to a remote server at the same time; one more is refused.
pub(crate) const POSTS_AT_ONCE_MAX: usize = 64;
/// Most messages of a remote server that wait to be read by the session.
pub(crate) const INCOMING_MAX: usize = 64;
/// Longest name of a session that a remote server may give.
pub(crate) const SESSION_ID_BYTES_MAX: usize = 1024;
/// Most redirects within the server's own origin that one message follows.
pub(crate) const REDIRECTS_MAX: usize = 3;
/// How often in a row an event stream that was cut is read on without a new event of it.
pub(crate) const RESUMES_MAX: u32 = 5;

/// How long a server may be silent about the newer lifecycle before the older handshake is sent to the same process.
pub const PROBE_LIMIT: Duration = Duration::from_secs(10);
/// How long a server has from its start to the end of the handshake.
pub const START_LIMIT: Duration = Duration::from_mins(1);
/// How long a call may last without a sign of progress.
pub const CALL_IDLE_LIMIT: Duration = Duration::from_mins(2);
/// How long a call may last, whatever progress it makes.
pub const CALL_TOTAL_LIMIT: Duration = Duration::from_mins(15);
/// How long a server may take to list its tools again.
pub(crate) const REFRESH_LIMIT: Duration = Duration::from_mins(1);
/// How long after a notice of a changed list it is read: notices come in swarms.
pub(crate) const REFRESH_DEBOUNCE: Duration = Duration::from_millis(200);
/// Least time between two readings of the list.
pub(crate) const REFRESH_FLOOR: Duration = Duration::from_secs(5);
/// How long a server has to leave by itself once its stdin is closed.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(2);

/// How long a remote server has to take a message that has no answer.
pub(crate) const NOTICE_LIMIT: Duration = Duration::from_secs(30);
/// Longest life of one HTTP answer. What waits for it has shorter limits of its own.
pub(crate) const ANSWER_LIFE_MAX: Duration = Duration::from_hours(24);
/// How long a stream on which a remote server announces changes may be silent before it is opened anew.
pub(crate) const LISTEN_IDLE_LIMIT: Duration = Duration::from_mins(10);
/// Shortest wait before a stream that was cut is opened anew.
pub(crate) const REOPEN_WAIT_MIN: Duration = Duration::from_secs(1);
/// Longest wait before it.
pub(crate) const REOPEN_WAIT_MAX: Duration = Duration::from_mins(1);
/// How long the end of a session is announced to a remote server.
pub(crate) const GOODBYE_LIMIT: Duration = Duration::from_secs(5);

/// First wait before a server that died is started again; it doubles with each start in the window.
pub(crate) const RESTART_WAIT_MIN: Duration = Duration::from_secs(1);
/// Longest of these waits.
pub(crate) const RESTART_WAIT_MAX: Duration = Duration::from_mins(1);
/// Most starts in one window; after them nothing is started until the oldest has left it.
pub const STARTS_MAX: usize = 6;
/// The window.
pub const STARTS_WINDOW: Duration = Duration::from_mins(10);
