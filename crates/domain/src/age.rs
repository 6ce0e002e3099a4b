//! Ages and durations as text, the same wherever a person or a mind reads them.

use std::time::Duration;

use crate::Timestamp;

/// The age of `then`, such as `2 h 15 min ago`; `None` where it is in the future.
pub fn format_age(now: Timestamp, then: Timestamp) -> Option<String> {
    let age = (then <= now).then(|| now.since(then))?;
    let is_recent = age < Duration::from_mins(1);
    Some(if is_recent { "just now".to_owned() } else { format!("{} ago", format_minutes(age)) })
}

/// A duration, such as `2 h 15 min`; below two minutes `90 s`.
pub fn format_duration(length: Duration) -> String {
    if length < Duration::from_mins(2) {
        return format!("{} s", length.as_secs());
    }
    format_minutes(length)
}

fn format_minutes(length: Duration) -> String {
    let minutes = length.as_secs() / 60;
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (1, 0, _) => "1 day".to_owned(),
        (1, hours, _) => format!("1 day {hours} h"),
        (days, ..) => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{format_age, format_duration};
    use crate::Timestamp;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn ages_are_formatted() {
        let now = at("2024-11-20T18:45:00Z");
        for (then, text) in [
            ("2024-11-20T18:45:00Z", Some("just now")),
            ("2024-11-20T18:44:30Z", Some("just now")),
            ("2024-11-20T18:30:00Z", Some("15 min ago")),
            ("2024-11-20T16:45:00Z", Some("2 h ago")),
            ("2024-11-20T16:30:00Z", Some("2 h 15 min ago")),
            ("2024-11-19T18:40:00Z", Some("1 day ago")),
            ("2024-11-19T16:30:00Z", Some("1 day 2 h ago")),
            ("2024-11-15T14:20:00Z", Some("5 days ago")),
            ("2024-11-20T18:46:00Z", None),
        ] {
            assert_eq!(format_age(now, at(then)).as_deref(), text, "{then}");
        }
    }

    #[test]
    fn durations_are_formatted() {
        for (seconds, text) in
            [(0, "0 s"), (119, "119 s"), (120, "2 min"), (420, "7 min"), (8_100, "2 h 15 min")]
        {
            assert_eq!(format_duration(Duration::from_secs(seconds)), text);
        }
    }
}
