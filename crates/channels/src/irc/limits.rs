//! Every bound of the IRC parts, by name. What a person may set is in the configurations of server and client instead.

use std::time::Duration;

/// Longest tag section of a line, from `@` to the space behind it, in bytes (IRCv3 message-tags).
pub const TAGS_BYTES_MAX: usize = 8_191;
/// Longest rest of a line, with its CR LF, in bytes (RFC 1459).
pub const REST_BYTES_MAX: usize = 512;
/// Most parameters of a line (RFC 1459).
pub const PARAMS_MAX: usize = 15;
/// Longest reply line of text, in bytes; below what a line holds, so that a relay further on has room for its own prefix.
pub const TEXT_BYTES_MAX: usize = 400;

/// Longest nick, in bytes: as long as an agent's id may be.
pub const NICK_BYTES_MAX: usize = 64;
/// Longest channel name, in bytes, `#` included.
pub const CHANNEL_BYTES_MAX: usize = 64;
/// Longest topic, in bytes.
pub const TOPIC_BYTES_MAX: usize = 300;
/// Longest away message, in bytes.
pub const AWAY_BYTES_MAX: usize = 200;
/// Longest real name, in bytes.
pub const REAL_NAME_BYTES_MAX: usize = 100;
/// Longest reason of a part or a quit that is passed on, in bytes.
pub const REASON_BYTES_MAX: usize = 200;
/// Longest password and longest account name together, in bytes, as SASL PLAIN carries them.
pub const CREDENTIALS_BYTES_MAX: usize = 1_024;

/// Most channels of the server.
pub const CHANNELS_MAX: usize = 256;
/// Most channels of one client.
pub const CHANNELS_PER_CLIENT_MAX: usize = 64;
/// Most agents that are shown.
pub const AGENTS_MAX: usize = 1_000;
/// Most targets of one command.
pub const TARGETS_MAX: usize = 4;
/// Most lines of one answer to CHATHISTORY.
pub const HISTORY_LINES_MAX: usize = 100;
/// Most of one answer to CHATHISTORY, in bytes: half of what may wait for a client, for it is sent at once.
pub const HISTORY_BYTES_MAX: usize = 128 * 1024;
/// What a line costs beside its text, in bytes: its tags, source and target, of the usual length.
pub const LINE_FRAME_BYTES: usize = 400;
/// Most places of one answer to CHATHISTORY TARGETS.
pub const HISTORY_TARGETS_MAX: usize = 100;
/// Most lines of one message of several lines (IRCv3 multiline).
pub const MULTILINE_LINES_MAX: usize = 200;
/// Most text of one message of several lines, in bytes: more than a stimulus may hold in any script.
pub const MULTILINE_BYTES_MAX: usize = 40_000;
/// Most nicks that one client may have watched (MONITOR).
pub const MONITORED_MAX: usize = 100;
/// Most read markers that are kept; the oldest moments are forgotten.
pub const READ_MARKERS_MAX: usize = 10_000;
/// Most topics that are kept of channels that nobody is in.
pub const TOPICS_KEPT_MAX: usize = 1_000;
/// Most lines that one call may speak.
pub const SPEECH_LINES_MAX: usize = 50;
/// Most answers to WHO without a channel, and to LIST.
pub const ANSWERS_MAX: usize = 500;

/// Lines that a client may send at once.
pub const CLIENT_BURST: u32 = 20;
/// Time after which a client may send one more line. A faster one is read no faster.
pub const CLIENT_LINE_EVERY: Duration = Duration::from_millis(250);
/// What may wait for a client that does not read, in bytes. More, and it is dropped.
pub const SEND_QUEUE_BYTES_MAX: usize = 256 * 1024;
/// Inputs of all connections that may wait for the server; a full queue stops the reading.
pub const INPUTS_MAX: usize = 1_024;
/// Calls of handles that may wait for the server.
pub const REQUESTS_MAX: usize = 256;
/// Lookups of admission and history that may be under way; more are refused.
pub const LOOKUPS_MAX: usize = 64;
/// Connections beyond the configured clients that may be told so before they are closed.
pub const REFUSALS_MAX: usize = 64;

/// Most connections that have not logged in. More, and the one that has said least for longest gives way.
pub const UNREGISTERED_MAX: usize = 128;
/// Most connections of one account.
pub const CLIENTS_PER_ACCOUNT_MAX: usize = 20;
/// Refused log-ins of one address that may wait for their answer; more are closed without one.
pub const REFUSED_WAITING_MAX: usize = 16;
/// Longest account name by which refused log-ins are counted, in bytes.
pub const COUNTED_ACCOUNT_BYTES_MAX: usize = 64;
/// Time in which a connection answers when its account asks for its nick on another one.
pub const GHOST_ANSWER_MAX: Duration = Duration::from_secs(10);
/// Time in which a client must read what waits for it.
pub const WRITE_MAX: Duration = Duration::from_mins(1);

/// Time to finish a registration.
pub const REGISTRATION_MAX: Duration = Duration::from_secs(30);
/// Wrong passwords before the connection is closed.
pub const WRONG_PASSWORDS_MAX: u8 = 3;
/// Silence after which a client is pinged.
pub const PING_AFTER: Duration = Duration::from_secs(90);
/// Silence after which a pinged client is dropped.
pub const DROP_AFTER: Duration = Duration::from_secs(150);
/// How often time-outs are looked at.
pub const TICK_EVERY: Duration = Duration::from_secs(1);
/// Time for a TLS handshake.
pub const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// Time to write what is left to a client that is being closed.
pub const CLOSE_MAX: Duration = Duration::from_secs(5);
/// Time for an answer of admission or history.
pub const LOOKUP_MAX: Duration = Duration::from_secs(10);
