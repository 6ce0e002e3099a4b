//! Telegram: a thin client of its Bot API, and the pure rules of what is heard and how answers are cut.
//!
//! The client makes eight calls over `abide-http` and never tries again by itself; it says what a failure
//! asks for. The token is part of every address, so that no address is ever shown. Nothing here knows the keeper: the
//! server's bridge does. What people write is data, and answers are sent as plain text: nothing in them is markup.
//!
//! Reading order: [`Bot`] (the calls) with [`CallError`], [`Update`] (what comes), [`UpdateFilter`] (what of it counts) with
//! [`MessageOrigin`] (whose words it carries) and [`TextJoiner`] (texts in several messages),
//! [`ButtonChoice`] (what a button says), [`split_answer`] (answers that are longer than a message).

mod bot;
mod choice;
mod error;
mod filter;
mod join;
mod origin;
mod split;
mod update;

pub use bot::{Bot, BotProfile, Button, OutgoingMessage, POLL_WAIT, UPDATES_MAX};
pub use choice::{ApprovalChoice, ButtonChoice, QuestionChoice};
pub use error::{CallError, Remedy};
pub use filter::{
    AcceptedUpdate, BotCommand, ButtonPress, ChatCommand, ChatMessage, ChatSender, MediaMessage,
    MessageLocation, UpdateFilter,
};
pub use join::{FORWARD_WAIT, HeldText, REST_WAIT, TEXT_TIME_MAX, TextJoiner};
pub use origin::{MessageOrigin, QuotedMessage};
pub use split::{MESSAGE_UNITS_MAX, split_answer, split_message, utf16_len};
pub use update::Update;

/// Where the Bot API is, unless the configuration says otherwise.
pub const API: &str = "https://api.telegram.org";

/// Whether a text has the form of a bot's token: its number, a colon, and a key.
pub fn is_token(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.split_once(':').is_some_and(|(id, key)| {
        !id.is_empty()
            && id.len() <= 20
            && id.chars().all(|c| c.is_ascii_digit())
            && (20..=128).contains(&key.len())
            && key.chars().all(fits)
    })
}

#[cfg(test)]
mod tests {
    use super::is_token;

    #[test]
    fn a_token_is_a_number_a_colon_and_a_key() {
        assert!(is_token("123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"));
        for text in ["", "123456", "123456:", "bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"] {
            assert!(!is_token(text), "{text}");
        }
        assert!(!is_token("123456:ABC-DEF1234ghIkl-zyx57W2v/../getMe"), "no way out of the path");
    }
}
