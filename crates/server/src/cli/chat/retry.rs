//! What `abide chat` says of an attempt that failed once the next one begins. Pure.

/// `the answer broke off; trying again, attempt 2`. Without a code it is not known how the last one ended.
pub(super) fn format_retry(code: Option<&str>, had_words: bool, attempt: u64) -> String {
    let what = match code {
        None => return format!("(trying again, attempt {attempt})"),
        Some("bad_voice") => "the answer could not be used",
        Some("paged") => "it was silent for too long",
        Some("process_ended") => "its process was ended",
        Some("suspended") => "the machine slept meanwhile",
        Some(_) if had_words => "the answer broke off",
        Some("crashed") => "its process ended",
        Some("deadline") => "no answer came in time",
        Some("overloaded") => "the model is overloaded",
        Some("rate_limited") => "the model's provider asks for a pause",
        Some("context_too_long" | "perhaps_too_long") => "the prompt was too long and is shortened",
        Some(_) => "the attempt failed",
    };
    format!("({what}; trying again, attempt {attempt})")
}

#[cfg(test)]
mod tests {
    use super::format_retry;

    #[test]
    fn the_next_attempt_says_how_the_last_one_ended() {
        let cases = [
            (Some("unavailable"), true, "(the answer broke off; trying again, attempt 2)"),
            (Some("deadline"), false, "(no answer came in time; trying again, attempt 2)"),
            (Some("process_ended"), true, "(its process was ended; trying again, attempt 2)"),
            (Some("new"), false, "(the attempt failed; trying again, attempt 2)"),
            (None, false, "(trying again, attempt 2)"),
        ];
        for (code, had_words, expected) in cases {
            assert_eq!(format_retry(code, had_words, 2), expected, "{code:?}");
        }
    }
}
