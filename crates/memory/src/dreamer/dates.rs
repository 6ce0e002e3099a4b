//! How far a written date lies ahead or behind. The present is conversational (decision 4), so
//! that replayed conversations keep their clocks.

use abide_domain::{Timestamp, Zone, dates::find_dates, envelope::StimulusEnvelope};

use super::words::one_line;

/// Characters of the words that name a date, as they are shown.
const WORDS_MAX: usize = 60;

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

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::days_until;

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
    }
}
