//! How long ago something was, in words. Both times are conversational (decision 4), so that replayed conversations keep
//! their clocks.

use std::time::Duration;

use abide_domain::Timestamp;

/// Days in micros.
const DAY: i64 = 86_400_000_000;

/// `2 h 15 min ago`; nothing where it lies in the future, for that is no age.
pub fn age_in_words(now: Timestamp, then: Timestamp) -> Option<String> {
    (then <= now).then(|| format(now.since(then)))
}

fn format(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, 0) => "just now".to_owned(),
        (0, 0, minutes) => format!("{minutes} min ago"),
        (0, hours, 0) => format!("{hours} h ago"),
        (0, hours, minutes) => format!("{hours} h {minutes} min ago"),
        (1, 0, _) => "1 day ago".to_owned(),
        (1, hours, _) => format!("1 day {hours} h ago"),
        (days, ..) => format!("{days} days ago"),
    }
}

/// How far a written date such as `2024-11-25` lies from now, in whole days: `in 5 days`, `today`, `3 days ago`. Nothing
/// where it is no date: a deadline is shown as it was said, never rounded.
pub(super) fn days_until(now: Timestamp, date: &str) -> Option<String> {
    let at: Timestamp = match date.parse() {
        Ok(at) => at,
        Err(_) if date.len() == 10 => format!("{date}T00:00:00Z").parse().ok()?,
        Err(_) => return None,
    };
    Some(match at.day() - now.day() {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        -1 => "yesterday, overdue".to_owned(),
        days if days > 0 => format!("in {days} days"),
        days => format!("{} days ago, overdue", days.unsigned_abs()),
    })
}

/// The date of a day that is so many days from now, `2024-11-19`.
pub(super) fn date_at(now: Timestamp, days: i64) -> String {
    let day = now.day().saturating_add(days);
    let text = Timestamp::from_micros(day.saturating_mul(DAY)).to_string();
    text.split_once('T').map_or_else(|| text.clone(), |(date, _)| date.to_owned())
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{age_in_words, date_at, days_until};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn ages_are_said_in_words() {
        let now = at("2024-11-20T18:45:00Z");
        for (then, said) in [
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
            assert_eq!(age_in_words(now, at(then)).as_deref(), said, "{then}");
        }
    }

    #[test]
    fn a_deadline_is_counted_in_days_where_it_is_a_date() {
        let now = at("2024-11-20T18:45:00Z");
        for (date, said) in [
            ("2024-11-25", Some("in 5 days")),
            ("2024-11-25T09:00:00Z", Some("in 5 days")),
            ("2024-11-21", Some("tomorrow")),
            ("2024-11-20", Some("today")),
            ("2024-11-19", Some("yesterday, overdue")),
            ("2024-11-10", Some("10 days ago, overdue")),
            ("next week", None),
            ("2024-13-45", None),
        ] {
            assert_eq!(days_until(now, date).as_deref(), said, "{date}");
        }
        assert_eq!(date_at(now, -1), "2024-11-19");
    }
}
