//! Times as a person at a terminal reads them: how long ago, or how soon. Pure.

use std::time::Duration;

use abide_domain::{Timestamp, format_age, format_duration};

const MINUTE_S: u64 = 60;
const HOUR_S: u64 = 60 * MINUTE_S;
/// From so far away a date says more than a length of time.
const FAR_AFTER: Duration = Duration::from_hours(30 * 24);

/// A time as seen from now: `5 min ago`, `in 2 h 15 min`; far from now its date.
pub(crate) fn relative(at: Timestamp, now: Timestamp) -> String {
    if at.since(now).max(now.since(at)) >= FAR_AFTER {
        return at.to_string().chars().take("2026-11-29".len()).collect();
    }
    format_age(now, at).unwrap_or_else(|| format!("in {}", format_duration(at.since(now))))
}

/// A text that is a time, as seen from now; `None` for any other text.
pub(crate) fn relative_text(text: &str, now: Timestamp) -> Option<String> {
    // Numbers and names are no times, whatever a lenient parser makes of them.
    let is_time = text.len() >= "2026-11-29T16:30:00Z".len() && text.contains('T');
    let at = text.parse().ok().filter(|_| is_time)?;
    Some(relative(at, now))
}

/// How long something took: `340 ms`, `4.2 s`, `3 min 5 s`.
pub(crate) fn length(length: Duration) -> String {
    match length.as_secs() {
        0 => format!("{} ms", length.as_millis()),
        seconds if seconds < MINUTE_S => format!("{:.1} s", length.as_secs_f64()),
        seconds if seconds < HOUR_S => {
            format!("{} min {} s", seconds / MINUTE_S, seconds % MINUTE_S)
        }
        seconds => format!("{} h {} min", seconds / HOUR_S, seconds % HOUR_S / MINUTE_S),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;

    use super::{length, relative, relative_text};

    #[test]
    fn times_are_told_from_now_and_far_ones_by_their_date() {
        let now: Timestamp = "2026-11-29T16:30:00Z".parse().unwrap();
        for (seconds, past, future) in [
            (0, "just now", "just now"),
            (59, "just now", "in 59 s"),
            (60, "1 min ago", "in 60 s"),
            (3_599, "59 min ago", "in 59 min"),
            (8_100, "2 h 15 min ago", "in 2 h 15 min"),
            (86_400, "1 day ago", "in 1 day"),
            (29 * 86_400, "29 days ago", "in 29 days"),
            (30 * 86_400, "2026-10-30", "2026-12-29"),
        ] {
            let away = Duration::from_secs(seconds);
            assert_eq!(relative(now.before(away), now), past);
            assert_eq!(relative(now.plus(away), now), future);
        }
        assert_eq!(relative_text("2026-11-29T16:29:00.5Z", now).as_deref(), Some("just now"));
        for other in ["-", "", "2026", "Tuesday at ten, or later than that", "2026-11-29"] {
            assert_eq!(relative_text(other, now), None, "{other}");
        }
    }

    #[test]
    fn lengths_are_told_in_the_units_that_count() {
        for (ms, text) in [
            (12, "12 ms"),
            (1_000, "1.0 s"),
            (59_940, "59.9 s"),
            (185_000, "3 min 5 s"),
            (7_500_000, "2 h 5 min"),
        ] {
            assert_eq!(length(Duration::from_millis(ms)), text);
        }
    }
}
