//! What a reader is shown beside words such as `tomorrow`: the date that they meant when they were said.

use std::fmt::Write as _; // into a String, which cannot fail

use super::{DateGrain, DateMention, DateReading, find_dates};
use crate::{Timestamp, Zone};

/// Readings of one mention that are shown.
const READINGS_MAX: usize = 3;

/// A text with the dates that its words meant where and when it was said: `tomorrow at 9 (Mon 2026-03-23 09:00)`. What is
/// written out with its year stands as it is.
pub fn annotate(text: &str, said_at: Timestamp, zone: &Zone) -> String {
    annotate_for(text, said_at, zone, zone)
}

/// The same for a reader in another zone: a time of the clock carries the speaker's zone where the clocks differ.
pub fn annotate_for(text: &str, said_at: Timestamp, said_in: &Zone, reader: &Zone) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for mention in find_dates(text, said_at, said_in) {
        if mention.is_complete && mention.problem.is_none() {
            continue;
        }
        out.push_str(text.get(from..mention.end).unwrap_or_default());
        let _ = write!(out, " ({})", describe(&mention, said_in, reader));
        from = mention.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

impl DateMention {
    /// What the words mean, `Fri 2026-03-27 or Fri 2026-04-03`, or why they mean nothing; for a reader in a zone.
    pub fn describe(&self, said_in: &Zone, reader: &Zone) -> String {
        describe(self, said_in, reader)
    }
}

fn describe(mention: &DateMention, said_in: &Zone, reader: &Zone) -> String {
    if let Some(problem) = mention.problem {
        return problem.to_string();
    }
    let comes_twice = comes_twice(&mention.readings);
    let readings = mention.readings.iter().take(READINGS_MAX);
    let texts: Vec<String> = readings
        .map(|reading| {
            let mut text = describe_reading(reading);
            if reading.grain == DateGrain::Minute
                && (comes_twice || said_in.civil(reading.at) != reader.civil(reading.at))
            {
                let _ = write!(text, " {}", offset(said_in, reading.at));
            }
            text
        })
        .collect();
    texts.join(" or ")
}

/// Whether the clock shows the same time twice: only the offset tells the two apart.
fn comes_twice(readings: &[DateReading]) -> bool {
    readings.windows(2).any(|pair| matches!(pair, [a, b] if a.civil == b.civil && a.at != b.at))
}

fn describe_reading(reading: &DateReading) -> String {
    let form = |form: &str| reading.civil.strftime(form).to_string();
    let about = if reading.is_approximate { "about " } else { "" };
    match reading.grain {
        DateGrain::Minute => form("%a %Y-%m-%d %H:%M"),
        DateGrain::Day => format!("{about}{}", form("%a %Y-%m-%d")),
        DateGrain::Weekend => format!("weekend of {}", form("%a %Y-%m-%d")),
        DateGrain::Week => format!("week of {}", form("%a %Y-%m-%d")),
        DateGrain::Month => form("%Y-%m"),
        DateGrain::Year => form("%Y"),
    }
}

/// The offset of a zone at a moment, `+02:00`.
fn offset(zone: &Zone, at: Timestamp) -> String {
    let instant = jiff::Timestamp::from_microsecond(at.as_micros()).unwrap_or_default();
    let offset = zone.rules().to_offset(instant);
    Zone::offset(offset.seconds()).map_or_else(String::new, |zone| zone.name().to_owned())
}
