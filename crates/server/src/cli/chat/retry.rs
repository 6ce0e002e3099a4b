//! What `abide chat` says of an attempt that failed and of the next one. Pure.

use serde_json::Value;

use crate::cli::json_text::{items, text};

/// Codes of failures after which the turn is not asked again.
const FINAL: &[&str] = &["refused", "rejected", "money_out", "outcome_unknown", "stopped"];
/// Codes of failures that have bounds of their own and use up no attempt.
const FREE: &[&str] =
    &["bad_voice", "context_too_long", "perhaps_too_long", "paged", "process_ended", "suspended"];

/// `the answer broke off; trying again, attempt 2 of 3`; none where the epoch ends with the failure instead.
pub(super) fn format_retry(
    (code, attempt): (&str, u64),
    had_words: bool,
    attempts_max: Option<u64>,
) -> Option<String> {
    let is_last = attempts_max.is_some_and(|max| attempt >= max) && !FREE.contains(&code);
    if is_last || FINAL.contains(&code) {
        return None;
    }
    let what = match code {
        "bad_voice" => "the answer could not be used",
        "paged" => "it was silent for too long",
        "process_ended" => "its process was ended",
        "suspended" => "the machine slept meanwhile",
        _ if had_words => "the answer broke off",
        "crashed" => "its process ended",
        "deadline" => "no answer came in time",
        "overloaded" => "the model is overloaded",
        "rate_limited" => "the model's provider asks for a pause",
        "context_too_long" | "perhaps_too_long" => "the prompt was too long and is shortened",
        _ => "the attempt failed",
    };
    let next = attempt + 1;
    let of = attempts_max.filter(|max| *max >= next);
    let of = of.map(|max| format!(" of {max}")).unwrap_or_default();
    Some(format!("({what}; trying again, attempt {next}{of})"))
}

/// `limits.attempts` in an answer of `/config`.
pub(super) fn attempts_max(config: &Value) -> Option<u64> {
    let limit =
        items(config, "/items").iter().find(|one| text(one, "/key") == "limits.attempts")?;
    let value = limit.get("value")?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{attempts_max, format_retry};

    #[test]
    fn a_next_attempt_is_announced_where_there_is_one() {
        let cases = [
            (
                ("unavailable", 1),
                true,
                Some("(the answer broke off; trying again, attempt 2 of 3)"),
            ),
            (
                ("deadline", 2),
                false,
                Some("(no answer came in time; trying again, attempt 3 of 3)"),
            ),
            (("unavailable", 3), true, None),
            (("refused", 1), true, None),
            (("process_ended", 3), true, Some("(its process was ended; trying again, attempt 4)")),
        ];
        for (failed, had_words, expected) in cases {
            let line = format_retry(failed, had_words, Some(3));
            assert_eq!(line.as_deref(), expected, "{failed:?}");
        }
        let unknown = format_retry(("new", 1), false, None);
        assert_eq!(unknown.as_deref(), Some("(the attempt failed; trying again, attempt 2)"));
    }

    #[test]
    fn the_limit_is_read_from_the_configuration() {
        let config = |value| json!({"items": [{"key": "limits.turns", "value": 1}, {"key": "limits.attempts", "value": value}]});
        assert_eq!(attempts_max(&config(json!(3))), Some(3));
        assert_eq!(attempts_max(&config(json!("5"))), Some(5));
        assert_eq!(attempts_max(&json!({"items": []})), None);
    }
}
