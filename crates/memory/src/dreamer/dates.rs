//! How far a moment or a written date lies from now. Days are counted on the reader's calendar, hours on the clock. The
//! present is conversational (decision 4), so that replayed conversations keep their clocks.

use std::time::Duration;

use abide_domain::{Timestamp, Zone, dates::find_dates, envelope::StimulusEnvelope, format_age};

use super::words::one_line;

/// Characters of the words that name a date, as they are shown.
const WORDS_MAX: usize = 60;

/// Below this an age is counted in hours and minutes, whatever the calendar says.
const HOURS_UNTIL: Duration = Duration::from_hours(12);

/// The age of a moment: `2 h 15 min ago`, and from half a day on in days as people count them, `yesterday`, `4 days ago`.
/// None where it is in the future.
pub(super) fn calendar_age(zone: &Zone, now: Timestamp, at: Timestamp) -> Option<String> {
    let age = format_age(now, at)?;
    let days = zone.days_between(at, now);
    Some(match days {
        _ if now.since(at) < HOURS_UNTIL => age,
        0 => age,
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    })
}

/// How far a written date such as `2024-11-25` lies from now, in whole days: `in 5 days`, `today`, `3 days ago`. Nothing
/// where it is no date: a deadline is shown as it was said, never rounded.
pub(super) fn days_until(zone: &Zone, now: Timestamp, date: &str) -> Option<String> {
    let days = match date.parse::<Timestamp>() {
        Ok(at) => zone.days_between(now, at),
        Err(_) if date.len() == 10 => day_number(date)? - day_number(day_of(zone, now).as_str())?,
        Err(_) => return None,
    };
    Some(match days {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        -1 => "yesterday, overdue".to_owned(),
        days if days > 0 => format!("in {days} days"),
        days => format!("{} days ago, overdue", days.unsigned_abs()),
    })
}

/// The dates that a stimulus names, resolved where and when it was sent: `tomorrow at 9 is Mon 2026-03-23 09:00.` None
/// where it names none, or names all of them in full.
pub(super) fn said_dates(envelope: &StimulusEnvelope, reader: &Zone) -> Option<String> {
    let zone = envelope.sender_zone.as_ref().unwrap_or(reader);
    let mentions = find_dates(&envelope.content, envelope.timestamp, zone);
    let unclear =
        mentions.iter().filter(|mention| !mention.is_complete || mention.problem.is_some());
    let mut said: Vec<String> = Vec::new();
    for mention in unclear {
        let line = match mention.problem {
            Some(problem) => format!("\"{}\": {problem}", one_line(&mention.words, WORDS_MAX)),
            None => format!(
                "{} is {}",
                one_line(&mention.words, WORDS_MAX),
                mention.describe(zone, reader)
            ),
        };
        if !said.contains(&line) {
            said.push(line);
        }
    }
    (!said.is_empty()).then(|| format!("{}.", said.join("; ")))
}

/// The date of a moment, `2024-11-19`.
fn day_of(zone: &Zone, at: Timestamp) -> String {
    let day = zone.format_day(at);
    day.split_once(' ').map_or_else(|| day.clone(), |(_, date)| date.to_owned())
}

fn day_number(date: &str) -> Option<i64> {
    format!("{date}T00:00:00Z").parse().ok().map(Timestamp::day)
}

#[cfg(test)]
mod tests {
    use abide_domain::{Timestamp, Zone};

    use super::{calendar_age, days_until};

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
            assert_eq!(days_until(&Zone::utc(), now, date).as_deref(), said, "{date}");
        }
    }

    #[test]
    fn days_are_those_of_the_reader() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        // Half past midnight on the 26th, three days before the clocks are set forward.
        let now = at("2026-03-25T23:30:00Z");
        assert_eq!(days_until(&berlin, now, "2026-03-26").as_deref(), Some("today"));
        assert_eq!(days_until(&Zone::utc(), now, "2026-03-26").as_deref(), Some("tomorrow"));
    }

    #[test]
    fn ages_are_days_of_the_calendar_from_half_a_day_on() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let now = at("2026-03-27T08:00:00Z");
        for (then, age) in [
            ("2026-03-27T05:45:00Z", Some("2 h 15 min ago")),
            ("2026-03-26T22:00:00Z", Some("10 h ago")),
            ("2026-03-26T08:00:00Z", Some("yesterday")),
            ("2026-03-22T17:00:00Z", Some("5 days ago")),
            ("2026-03-28T08:00:00Z", None),
        ] {
            assert_eq!(calendar_age(&berlin, now, at(then)).as_deref(), age, "{then}");
        }
    }
}
