//! Values in a clause: what can be this or that, each with its type. Two values of one type can exclude each other.

use std::collections::BTreeSet;

use abide_domain::{Timestamp, Zone};

use super::{
    lexicon::{
        self, AT, CALLED, CHANGE, DESIGNATORS, FOR, HOMES, MONEY, NOW, PERCENT, PRONOUNS, ROLES,
        SINCE, SPEAKER, TITLES, VERBS, WHERE, WORKING, day_near, number_of, state_of, weekday,
    },
    tokens::Token,
    value_kind::ValueKind,
};

/// A value of a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value {
    pub(super) kind: ValueKind,
    /// In one form, whatever the language: dates as month and day, times with minutes, names in lower case.
    pub(super) key: String,
}

/// One day in microseconds.
const DAY: i64 = 86_400_000_000;
/// Digits of a telephone number at least.
const PHONE_DIGITS_MIN: usize = 7;

/// The values of a clause, and the places of the words that they stand in.
pub(super) fn values(
    tokens: &[Token],
    at: Timestamp,
    zone: &Zone,
) -> (Vec<Value>, BTreeSet<usize>) {
    let mut reader = Reader { tokens, found: Vec::new(), used: BTreeSet::new() };
    reader.days(at, zone);
    reader.phones();
    reader.numbers();
    reader.names();
    (reader.found, reader.used)
}

struct Reader<'a> {
    tokens: &'a [Token],
    found: Vec<Value>,
    used: BTreeSet<usize>,
}

impl<'a> Reader<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.lower.as_str())
    }

    fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    fn add(
        &mut self,
        kind: ValueKind,
        key: impl Into<String>,
        places: impl IntoIterator<Item = usize>,
    ) {
        self.found.push(Value { kind, key: key.into() });
        self.used.extend(places);
    }

    fn days(&mut self, said: Timestamp, zone: &Zone) {
        for at in 0..self.tokens.len() {
            let word = self.word(at);
            if let Some(month) = month(word) {
                self.month_at(at, month);
            } else if let Some(key) = iso_day(word) {
                self.add(ValueKind::Date, key, [at]);
            } else if let Some(key) = short_day(self.before(at), word) {
                self.add(ValueKind::Date, key, [at]);
            } else if let Some(weekday) = weekday(word) {
                self.add(ValueKind::Weekday, weekday.to_string(), [at]);
            } else if let Some(days) = day_near(word) {
                // "From today" says since when, and not which day.
                if SINCE.has(self.before(at)) {
                    self.used.insert(at);
                    continue;
                }
                let then =
                    zone.civil(Timestamp::from_micros(said.as_micros().saturating_add(days * DAY)));
                self.add(ValueKind::Date, format!("{:02}-{:02}", then.month(), then.day()), [at]);
            }
        }
    }

    /// A month with the day beside it, or alone.
    fn month_at(&mut self, at: usize, month: usize) {
        let (word, after) = (self.word(at), at + 1);
        if let Some((day, place)) =
            self.day_before(at).or_else(|| Some((day(self.word(after))?, after)))
        {
            let (from, to) = (place.min(at), place.max(at));
            self.add(ValueKind::Date, format!("{month:02}-{day:02}"), from..=to);
            let year = to + 1;
            if self.word(year).len() == 4 && self.word(year).parse::<u16>().is_ok() {
                self.used.insert(year);
            }
            return;
        }
        // "may" and "mar" are other words too.
        let is_sure = !matches!(word, "may" | "mar" | "mars");
        if is_sure || matches!(self.before(at), "in" | "im" | "en") {
            self.add(ValueKind::Month, format!("{month:02}"), [at]);
        }
    }

    /// The day before a month, and where it stands: `3 March`, `3 de marzo`.
    fn day_before(&self, at: usize) -> Option<(u8, usize)> {
        let before = at.checked_sub(1)?;
        let is_joined = matches!(self.word(before), "of" | "de");
        let place = if is_joined { before.checked_sub(1)? } else { before };
        Some((day(self.word(place))?, place))
    }

    fn phones(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let is_digits = |at: usize| {
                let word = self.word(at).trim_start_matches('+');
                !word.is_empty()
                    && word.chars().all(|c| c.is_ascii_digit() || "-./".contains(c))
                    && iso_day(word).is_none()
            };
            let mut end = at;
            let mut digits = String::new();
            while end < self.tokens.len() && !self.used.contains(&end) && is_digits(end) {
                digits.extend(self.word(end).chars().filter(char::is_ascii_digit));
                end += 1;
            }
            if digits.len() >= PHONE_DIGITS_MIN {
                self.add(ValueKind::Phone, digits, at..end);
            }
            at = end.max(at + 1);
        }
    }

    fn numbers(&mut self) {
        for at in 0..self.tokens.len() {
            if self.used.contains(&at) {
                continue;
            }
            let (word, after, before) = (self.word(at), self.word(at + 1), self.before(at));
            if let Some(state) = state_of(word) {
                self.add(ValueKind::State, state, [at]);
                continue;
            }
            if is_address(word) {
                self.add(ValueKind::Address, word, [at]);
                continue;
            }
            if let Some(key) = clock(word, before, after) {
                let is_marked = matches!(after, "am" | "pm" | "h" | "uhr" | "o'clock");
                self.add(ValueKind::Time, key, at..=at + usize::from(is_marked));
                continue;
            }
            let in_words = number_of(word);
            let Some(number) = in_words.or_else(|| is_number(word).then_some(word)) else {
                continue;
            };
            let number = number.trim_start_matches('v');
            if PERCENT.has(after)
                && (!matches!(after, "pour" | "por")
                    || matches!(self.word(at + 2), "cent" | "ciento"))
            {
                let length = if matches!(after, "pour" | "por") { 2 } else { 1 };
                self.add(ValueKind::Percent, number, at..=at + length);
            } else if MONEY.has(after) {
                self.add(ValueKind::Money, number, at..=at + 1);
            } else if MONEY.has(before) {
                self.add(ValueKind::Money, number, at - 1..=at);
            } else if word.starts_with('v')
                || matches!(before, "version" | "versión" | "release")
                || number.matches('.').count() > 1
            {
                self.add(ValueKind::Version, number, [at]);
            } else {
                self.add(ValueKind::Number, number, [at]);
            }
        }
    }

    /// Names: capitals behind a verb or a word of place, and whatever something is called. In front of a verb a name is what
    /// is spoken of, unless what follows is a role.
    fn names(&mut self) {
        let is_verb = |word: &str| VERBS.has(word) || CHANGE.has(word);
        let verb = self
            .tokens
            .iter()
            .skip(1)
            .position(|token| is_verb(&token.lower))
            .map_or(0, |at| at + 1);
        let mut at = 0;
        while at < self.tokens.len() {
            let before = self.before(at);
            let before_that = at.checked_sub(2).map_or("", |place| self.word(place));
            let is_called = CALLED.has(before) || (AT.has(before) && CALLED.has(before_that));
            let is_behind = [&VERBS, &AT, &NOW, &DESIGNATORS].iter().any(|list| list.has(before));
            let starts = self.tokens.get(at).is_some_and(|token| token.is_capital);
            // "I work for Northwind", "the new flat in Bergen is ours", "Lyon is where I live".
            let is_employer = FOR.has(before) && WORKING.has(before_that);
            let is_home = AT.has(before) && self.tokens.iter().any(|token| HOMES.has(&token.lower));
            let is_where = at == 0
                && (VERBS.has(self.word(1))
                    && (WHERE.has(self.word(2)) || SPEAKER.has(self.word(2)))
                    || (PRONOUNS.has(self.word(1)) && VERBS.has(self.word(2))));
            let is_free = !self.used.contains(&at)
                && !SPEAKER.has(self.word(at))
                && month(self.word(at)).is_none();
            let is_role_holder = at == 0 && starts && is_free && self.is_role_behind();
            // "Dr Dubois looks after it", "we renamed the puppy Mocha".
            let is_next_capital = self.tokens.get(at + 1).is_some_and(|token| token.is_capital);
            let is_titled = starts && TITLES.has(self.word(at)) && is_next_capital;
            let is_renamed = starts
                && at > verb
                && self.tokens.iter().take(at).any(|token| CALLED.has(&token.lower));
            if is_free
                && !self.word(at).is_empty()
                && (is_called && !AT.has(self.word(at))
                    || (starts && is_behind && at > verb)
                    || is_titled
                    || (starts && (is_employer || is_home || is_where))
                    || is_renamed
                    || is_role_holder)
            {
                let mut end = at + 1;
                while self.tokens.get(end).is_some_and(|token| token.is_capital)
                    && !self.used.contains(&end)
                {
                    end += 1;
                }
                let name = (at..end).map(|place| self.word(place)).collect::<Vec<_>>().join(" ");
                self.add(ValueKind::Name, name, at..end);
                at = end;
            } else {
                at += 1;
            }
        }
    }

    /// Whether the clause says of its first word that it is a role: "Lee is now the head of sales".
    fn is_role_behind(&self) -> bool {
        VERBS.has(self.word(1))
            && self.tokens.iter().skip(2).take(4).any(|token| ROLES.has(&token.lower))
    }
}

/// The month of a name, from 1.
fn month(word: &str) -> Option<usize> {
    lexicon::month(word).map(|at| at + 1)
}

/// A day of a month: `3`, `3rd`, `1er`.
fn day(word: &str) -> Option<u8> {
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    let rest = word.get(digits.len()..)?;
    let is_day = matches!(rest, "" | "st" | "nd" | "rd" | "th" | "er" | ".");
    digits.parse().ok().filter(|day| is_day && (1..=31).contains(day))
}

/// The month and day of `2026-03-17`.
fn iso_day(word: &str) -> Option<String> {
    let mut parts = word.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_year = year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit());
    let (month, day): (u8, u8) = (month.parse().ok()?, day.parse().ok()?);
    (is_year && parts.next().is_none()).then(|| format!("{month:02}-{day:02}"))
}

/// The month and day of `am 17.3.`.
fn short_day(before: &str, word: &str) -> Option<String> {
    let (day, month) = word.split_once('.')?;
    let (day, month): (u8, u8) = (day.parse().ok()?, month.trim_end_matches('.').parse().ok()?);
    let is_day = matches!(before, "am" | "vom" | "zum" | "den")
        && (1..=31).contains(&day)
        && (1..=12).contains(&month);
    is_day.then(|| format!("{month:02}-{day:02}"))
}

/// A time of day, with its minutes.
fn clock(word: &str, before: &str, after: &str) -> Option<String> {
    if matches!(word, "noon" | "midday" | "midi" | "mediodía") {
        return Some("12:00".to_owned());
    }
    if matches!(word, "midnight" | "mitternacht" | "minuit" | "medianoche") {
        return Some("00:00".to_owned());
    }
    let (bare, is_pm, is_am) = match (word.strip_suffix("pm"), word.strip_suffix("am")) {
        (Some(bare), _) => (bare, true, false),
        (_, Some(bare)) => (bare, false, true),
        _ => (word, after == "pm", after == "am"),
    };
    let (hour, minute) = match bare.split_once([':', 'h']) {
        Some((hour, "")) => (hour, "0"),
        Some((hour, minute)) => (hour, minute),
        None => {
            let is_marked = is_pm || is_am || matches!(after, "uhr" | "h" | "heures" | "o'clock");
            let is_placed = matches!(before, "at" | "um" | "las" | "la")
                && !matches!(after, "%" | "percent" | "prozent" | "euro" | "euros");
            if !(is_marked || is_placed) {
                return None;
            }
            (bare, "0")
        }
    };
    let (hour, minute): (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = if is_pm && hour < 12 { hour + 12 } else { hour };
    (hour <= 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

fn is_number(word: &str) -> bool {
    let bare = word.strip_prefix('v').unwrap_or(word);
    bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
}

/// A mail address, a host, a path on the web.
fn is_address(word: &str) -> bool {
    let is_host = word.split('.').count() > 1
        && word.split('.').all(|part| {
            !part.is_empty()
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-/:@_".contains(c))
        })
        && word.chars().any(|c| c.is_ascii_alphabetic())
        && !word.starts_with(|c: char| c == 'v' && word.len() < 8)
        && word
            .rsplit('.')
            .next()
            .is_some_and(|last| last.chars().any(|c| c.is_ascii_alphabetic()));
    word.contains("://") || is_host
}
