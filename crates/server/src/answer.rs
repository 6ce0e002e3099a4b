//! What an epoch came to, in words for whoever asked on a channel: its reply, or why there is none. Pure.
//!
//! How the words are cut and addressed is each channel's own.

use abide_domain::{event::AbortCode, text::shortened};
use abide_engine::state::EpochRecord;

/// Longest reason that is shown, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 600;
const NO_WORDS: &str = "(an answer without words)";

/// The words for an epoch that has ended; never blank.
pub(crate) fn words(record: &EpochRecord) -> String {
    if let Some(abort) = &record.abort {
        return no_answer(abort.code, &abort.message);
    }
    let reply = record.reply().filter(|reply| !reply.trim().is_empty());
    reply.unwrap_or(NO_WORDS).to_owned()
}

fn no_answer(code: AbortCode, message: &str) -> String {
    let message = shortened(message.trim(), REASON_CHARS_MAX);
    if code == AbortCode::Cancelled {
        return format!("Stopped before I could answer: {message}");
    }
    format!("I could not answer this: {message} ({})", code.as_str())
}

#[cfg(test)]
mod tests {
    use abide_domain::event::AbortCode;

    use super::no_answer;

    #[test]
    fn an_epoch_without_an_answer_says_why() {
        assert_eq!(
            no_answer(AbortCode::Deadline, "the epoch's time ran out"),
            "I could not answer this: the epoch's time ran out (deadline)"
        );
        assert_eq!(
            no_answer(AbortCode::Cancelled, "stopped on Telegram"),
            "Stopped before I could answer: stopped on Telegram"
        );
        assert!(no_answer(AbortCode::Refused, &"x".repeat(10_000)).chars().count() < 700);
    }
}
