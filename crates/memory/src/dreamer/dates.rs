//! How far a written date lies ahead or behind, and the other way round. The present is conversational (decision 4), so
//! that replayed conversations keep their clocks.

use abide_domain::Timestamp;

/// Days in micros.
const DAY: i64 = 86_400_000_000;

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

    use super::{date_at, days_until};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
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
