//! The result of an epoch as text for whoever asked on a channel: its reply, or why there is none. Pure.
//!
//! How the text is cut and addressed is up to each channel.

use abide_domain::{event::AbortCode, text::shortened};
use abide_engine::state::EpochRecord;

/// Longest reason that is shown, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 600;
const EMPTY_ANSWER: &str = "(an empty answer)";

/// The text for an epoch that has ended; never blank.
pub(crate) fn format_answer(record: &EpochRecord) -> String {
    if let Some(abort) = &record.abort {
        return format_abort(abort.code, &abort.message);
    }
    let reply = record.reply().filter(|reply| !reply.trim().is_empty());
    reply.unwrap_or(EMPTY_ANSWER).to_owned()
}

fn format_abort(code: AbortCode, message: &str) -> String {
    let message = shortened(message.trim(), REASON_CHARS_MAX);
    if code == AbortCode::Cancelled {
        return format!("Stopped before I could answer: {message}");
    }
    format!("I could not answer this: {message}")
}

#[cfg(test)]
mod tests {
    use abide_domain::event::AbortCode;

    use super::format_abort;

    #[test]
    fn an_epoch_without_an_answer_says_why() {
        assert_eq!(
            format_abort(AbortCode::Deadline, "the epoch's time ran out"),
            "I could not answer this: the epoch's time ran out"
        );
        assert_eq!(
            format_abort(AbortCode::Cancelled, "stopped on Telegram"),
            "Stopped before I could answer: stopped on Telegram"
        );
        assert!(format_abort(AbortCode::Refused, &"x".repeat(10_000)).chars().count() < 700);
    }
}
