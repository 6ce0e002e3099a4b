//! The clock, which day some words mean, and reminders. The time and the zone come from the tool `clock.now`.

use abide_domain::{
    Timestamp, Zone,
    dates::{DateGrain, DateMention, find_dates},
    envelope::{Channel, TELEGRAM_SESSION},
    turn::TurnRequest,
    voice::Voice,
};
use serde_json::{Value, json};

use super::{
    answer::{ask_tool, offers, respond},
    phrases::after_any,
    tool_names::{CLOCK, STDOUT},
};

/// Longest text of a reminder, in characters.
const REMINDER_CHARS_MAX: usize = 500;
/// What a reminder that comes back begins with; its person follows.
const REMINDER: &str = "Reminder for @";
/// The session of what a wake brings up, where it was set in no chat, and who gives it.
const WAKE: (&str, &str) = ("wake", "system");

/// The present, where the sender is.
struct LocalTime {
    now: Timestamp,
    zone: Zone,
}

impl LocalTime {
    fn ask(request: &TurnRequest) -> Result<Self, Box<Voice>> {
        let result = ask_tool(request, CLOCK, json!({}))?;
        let value: Value = serde_json::from_str(&result.content).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let zone = Zone::named(text("time_zone")).unwrap_or_default();
        let unread = || Box::new(respond(&format!("The clock says: {}", result.content)));
        Ok(Self { now: text("utc").parse().map_err(|_| unread())?, zone })
    }
}

/// Whether words name a date.
pub(super) fn is_date(words: &str) -> bool {
    !find_dates(words, Timestamp::from_micros(0), &Zone::utc()).is_empty()
}

/// The date and the time.
pub(super) fn tell_time(request: &TurnRequest) -> Voice {
    match LocalTime::ask(request) {
        Ok(LocalTime { now, zone }) => {
            let civil = zone.civil(now);
            let text = civil.strftime("It is %H:%M:%S").to_string();
            let day = civil.strftime("on %A, %Y-%m-%d").to_string();
            respond(&format!("{text} {} {day}.", zone.name()))
        }
        Err(voice) => *voice,
    }
}

/// Which day some words mean, and how far it lies away.
pub(super) fn tell_date(request: &TurnRequest, words: &str) -> Voice {
    let LocalTime { now, zone } = match LocalTime::ask(request) {
        Ok(time) => time,
        Err(voice) => return *voice,
    };
    let mentions = find_dates(words, now, &zone);
    let Some(mention) = mentions.first() else {
        return respond(&format!("I do not know which day \"{words}\" is."));
    };
    let meaning = mention.describe(&zone, &zone);
    let away = match mention.readings.as_slice() {
        [reading] if mention.problem.is_none() => match zone.days_between(now, reading.at) {
            0 => ", today".to_owned(),
            1 => ", tomorrow".to_owned(),
            -1 => ", yesterday".to_owned(),
            days if days < 0 => format!(", {} days ago", days.unsigned_abs()),
            days => format!(", in {days} days"),
        },
        _ => String::new(),
    };
    if mention.problem.is_some() {
        return respond(&format!("\"{}\": {meaning}.", mention.words));
    }
    respond(&format!("\"{}\" is {meaning}{away}.", mention.words))
}

/// Sets a wake that says it to the sender when the time has come.
pub(super) fn remind(request: &TurnRequest, text: &str) -> Voice {
    if !offers(request, STDOUT) {
        return respond(
            "I cannot remind anybody here: the tool `stdout`, which sets wakes, is not allowed.",
        );
    }
    let LocalTime { now, zone } = match LocalTime::ask(request) {
        Ok(time) => time,
        Err(voice) => return *voice,
    };
    let mentions = find_dates(text, now, &zone);
    let at = match moment_of(&mentions, &zone).and_then(|at| {
        if at > now { Ok(at) } else { Err(format!("{} is over.", zone.format_moment(at))) }
    }) {
        Ok(at) => at,
        Err(question) => return respond(&question),
    };
    let what = matter_of(text, &mentions);
    if what.is_empty() {
        return respond("What should I remind you of? Say: remind me tomorrow at 9 to …");
    }
    let command =
        format!("\\wake ?(timestamp >= \"{at}\") {REMINDER}{}: {what} ---", request.sender);
    match ask_tool(request, STDOUT, json!({"command": command})) {
        Ok(_) => respond(&format!(
            "I will remind you on {} ({}): {what}",
            zone.format_moment(at),
            zone.name()
        )),
        Err(voice) => *voice,
    }
}

/// The one moment that is meant, or what to ask.
fn moment_of(mentions: &[DateMention], zone: &Zone) -> Result<Timestamp, String> {
    let [mention] = mentions else {
        return Err(match mentions.len() {
            0 => "When? Say: remind me tomorrow at 9 to …".to_owned(),
            _ => "I find more than one date in that. Please name one.".to_owned(),
        });
    };
    let (words, meaning) = (&mention.words, mention.describe(zone, zone));
    if mention.problem.is_some() {
        return Err(format!("\"{words}\": {meaning}. When do you mean?"));
    }
    match mention.readings.as_slice() {
        [reading] if reading.grain == DateGrain::Minute => Ok(reading.at),
        [_] => Err(format!("\"{words}\" is {meaning}. At what time?")),
        _ => Err(format!("\"{words}\" can be {meaning}. Which do you mean?")),
    }
}

/// What somebody is to be reminded of: the text without its date, on one line, and nothing that could be a command.
fn matter_of(text: &str, mentions: &[DateMention]) -> String {
    let mut rest = text.to_owned();
    if let [mention] = mentions {
        rest.replace_range(mention.start..mention.end, " ");
    }
    let rest = plain(&rest);
    let rest = after_any(&rest, &["to", "that", "about", "of", "daran", "an"]).unwrap_or(&rest);
    // The words before a date that stood at the end.
    let rest = rest.trim_end_matches([',', '.', ' ']);
    let joint = [" on", " at", " am", " um", " on the", " by", " every"];
    let rest = joint.iter().find_map(|joint| rest.strip_suffix(joint)).unwrap_or(rest);
    rest.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// A text on one line, without the signs that the command language reads.
fn plain(text: &str) -> String {
    let text: String = text.replace(['\\', '$', '?'], " ").replace("---", "–");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(REMINDER_CHARS_MAX).collect()
}

/// A reminder that has come: who set it, and of what. Only a wake gives one, never words of somebody.
pub(super) fn due_reminder(request: &TurnRequest) -> Option<(String, String)> {
    let (session, sender) = WAKE;
    let is_session = request.session_id == session || is_of_chat(request);
    if request.channel != Channel::System || request.sender != sender || !is_session {
        return None;
    }
    let line = request.message.lines().next()?;
    let (person, what) = line.strip_prefix(REMINDER)?.split_once(": ")?;
    let is_name = person.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    (is_name && !person.is_empty()).then(|| (person.to_owned(), plain(what)))
}

/// Whether a chat hears the reply.
fn is_of_chat(request: &TurnRequest) -> bool {
    request.session_id.starts_with(TELEGRAM_SESSION)
}

/// Says a reminder to the person who asked for it.
pub(super) fn say_reminder(request: &TurnRequest, person: &str, what: &str) -> Voice {
    // In the chat in which it was set the reply itself is heard.
    if is_of_chat(request) {
        return respond(&format!("Reminder: {what}"));
    }
    let text = format!("Reminder for {person}: {what}");
    if !offers(request, STDOUT) {
        return respond(&text);
    }
    let command = format!("\\say @{person} Reminder: {what} ---");
    match ask_tool(request, STDOUT, json!({"command": command})) {
        Ok(_) => respond(&text),
        // Whom nobody here knows cannot be spoken to; the reminder stands in the reply.
        Err(voice) if voice.final_response.is_some() => respond(&text),
        Err(voice) => *voice,
    }
}
