//! The last lines of each channel and query, in memory: what CHATHISTORY can be answered from before, or without, a
//! ledger. Bounded in places and in lines; the place that was quiet longest is forgotten first.

use std::collections::{HashMap, VecDeque};

use super::{
    server::{HistoryError, HistoryLine, HistoryPoint, HistoryQuery, HistoryRange},
    spoken::{Speaker, SpokenLine, Target},
};

/// Places whose lines are kept.
const PLACES_MAX: usize = 256;
/// Lines that are kept of one place.
const LINES_MAX: usize = 1_000;

/// Where lines belong: queries with an agent are kept for each account.
type Place = (Target, Option<String>);

/// The last lines of each place.
#[derive(Debug, Default)]
pub struct Scrollback {
    places: HashMap<Place, VecDeque<HistoryLine>>,
}

impl Scrollback {
    /// Keeps what was said.
    pub fn note(&mut self, said: &SpokenLine) {
        let account = match (&said.target, &said.speaker) {
            (Target::Channel(_), _) => None,
            (Target::Agent(_), Speaker::Person(account)) => account.clone(),
            (Target::Agent(_), Speaker::Agent(_)) => said.partner.clone(),
        };
        let place = place(&said.target, account);
        if !self.places.contains_key(&place) && self.places.len() >= PLACES_MAX {
            self.forget_quietest();
        }
        let lines = self.places.entry(place).or_default();
        if lines.len() >= LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(HistoryLine {
            speaker: said.speaker.clone(),
            nick: said.nick.clone(),
            text: said.text.clone(),
            kind: said.kind,
            msgid: said.msgid.clone(),
            at: said.at,
        });
    }

    /// The lines that a question asks for, oldest first.
    pub fn find(&self, query: &HistoryQuery) -> Result<Vec<HistoryLine>, HistoryError> {
        let account = match query.target {
            Target::Channel(_) => None,
            Target::Agent(_) => query.account.clone(),
        };
        let Some(lines) = self.places.get(&place(&query.target, account)) else {
            return Ok(Vec::new());
        };
        let limit = query.limit;
        let range = match &query.window {
            HistoryRange::Latest(None) => newest(0, lines.len(), limit),
            HistoryRange::Latest(Some(point)) => newest(after(lines, point)?, lines.len(), limit),
            HistoryRange::Before(point) => newest(0, from(lines, point)?, limit),
            HistoryRange::After(point) => oldest(after(lines, point)?, lines.len(), limit),
            HistoryRange::Around(point) => {
                let begin = from(lines, point)?.saturating_sub(limit / 2);
                oldest(begin, lines.len(), limit)
            }
            HistoryRange::Between(a, b) => between(lines, a, b, limit)?,
        };
        Ok(lines.range(range).cloned().collect())
    }

    fn forget_quietest(&mut self) {
        let age = |lines: &VecDeque<HistoryLine>| lines.back().map(|line| line.at);
        let quietest = self.places.iter().min_by_key(|(_, lines)| age(lines));
        if let Some(place) = quietest.map(|(place, _)| place.clone()) {
            self.places.remove(&place);
        }
    }
}

fn place(target: &Target, account: Option<String>) -> Place {
    match target {
        Target::Channel(name) => (Target::Channel(name.to_ascii_lowercase()), None),
        Target::Agent(agent) => (Target::Agent(agent.clone()), account),
    }
}

type Range = std::ops::Range<usize>;

fn newest(begin: usize, end: usize, limit: usize) -> Range {
    end.saturating_sub(limit).max(begin.min(end))..end
}

fn oldest(begin: usize, end: usize, limit: usize) -> Range {
    begin.min(end)..begin.saturating_add(limit).min(end)
}

fn between(
    lines: &VecDeque<HistoryLine>,
    a: &HistoryPoint,
    b: &HistoryPoint,
    limit: usize,
) -> Result<Range, HistoryError> {
    // The order of the two points says from which end the lines are counted.
    if from(lines, a)? <= from(lines, b)? {
        Ok(oldest(after(lines, a)?, from(lines, b)?, limit))
    } else {
        Ok(newest(after(lines, b)?, from(lines, a)?, limit))
    }
}

/// The index of the first line at or after a point.
fn from(lines: &VecDeque<HistoryLine>, point: &HistoryPoint) -> Result<usize, HistoryError> {
    match point {
        HistoryPoint::At(at) => Ok(lines.partition_point(|line| line.at < *at)),
        HistoryPoint::Msgid(msgid) => {
            lines.iter().position(|line| line.msgid == *msgid).ok_or(HistoryError::UnknownPoint)
        }
    }
}

/// The index of the first line after a point.
fn after(lines: &VecDeque<HistoryLine>, point: &HistoryPoint) -> Result<usize, HistoryError> {
    match point {
        HistoryPoint::At(at) => Ok(lines.partition_point(|line| line.at <= *at)),
        HistoryPoint::Msgid(_) => Ok(from(lines, point)?.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::Scrollback;
    use crate::irc::{
        server::{HistoryError, HistoryPoint, HistoryQuery, HistoryRange},
        spoken::{Speaker, SpokenKind, SpokenLine, Target},
    };

    fn said(target: Target, account: Option<&str>, second: i64) -> SpokenLine {
        SpokenLine {
            speaker: Speaker::Person(account.map(str::to_owned)),
            nick: "ann".into(),
            target,
            partner: None,
            agents: Vec::new(),
            text: second.to_string(),
            kind: SpokenKind::Speech,
            is_whole: false,
            relay: None,
            msgid: format!("m{second}"),
            at: Timestamp::from_micros(second * 1_000_000),
        }
    }

    fn texts(scrollback: &Scrollback, window: HistoryRange, limit: usize) -> String {
        let target = Target::Channel("#C".into());
        let query = HistoryQuery { account: None, target, window, limit };
        let lines = scrollback.find(&query).unwrap();
        lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_window_shows_its_lines() {
        let mut scrollback = Scrollback::default();
        for second in 1..=9 {
            scrollback.note(&said(Target::Channel("#c".into()), None, second));
        }
        let id = |n: u32| HistoryPoint::Msgid(format!("m{n}"));
        let at = |n: i64| HistoryPoint::At(Timestamp::from_micros(n * 1_000_000));
        let cases = [
            (HistoryRange::Latest(None), 3, "7 8 9"),
            (HistoryRange::Latest(Some(id(7))), 9, "8 9"),
            (HistoryRange::Before(id(4)), 2, "2 3"),
            (HistoryRange::Before(at(4)), 2, "2 3"),
            (HistoryRange::After(at(4)), 2, "5 6"),
            (HistoryRange::After(id(9)), 2, ""),
            (HistoryRange::Around(id(5)), 4, "3 4 5 6"),
            (HistoryRange::Between(id(2), id(8)), 3, "3 4 5"),
            (HistoryRange::Between(id(8), id(2)), 3, "5 6 7"),
            (HistoryRange::Latest(None), 100, "1 2 3 4 5 6 7 8 9"),
        ];
        for (window, limit, expected) in cases {
            assert_eq!(texts(&scrollback, window.clone(), limit), expected, "{window:?}");
        }
    }

    #[test]
    fn a_query_is_shown_to_its_own_account_only() {
        let mut scrollback = Scrollback::default();
        let felix = || Target::Agent("felix".parse().unwrap());
        scrollback.note(&said(felix(), Some("ann"), 1));
        for (account, count) in [(Some("ann"), 1), (Some("bob"), 0), (None, 0)] {
            let account = account.map(str::to_owned);
            let window = HistoryRange::Latest(None);
            let query = HistoryQuery { account, target: felix(), window, limit: 9 };
            assert_eq!(scrollback.find(&query).unwrap().len(), count);
        }
        let window = HistoryRange::Before(HistoryPoint::Msgid("gone".into()));
        let query = HistoryQuery { account: Some("ann".into()), target: felix(), window, limit: 9 };
        assert_eq!(scrollback.find(&query), Err(HistoryError::UnknownPoint));
    }

    #[test]
    fn old_lines_and_quiet_places_are_forgotten() {
        let mut scrollback = Scrollback::default();
        for second in 0..2_000 {
            scrollback.note(&said(Target::Channel("#c".into()), None, second));
            let other = Target::Channel(format!("#{second}"));
            scrollback.note(&said(other, None, second));
        }
        assert_eq!(scrollback.places.len(), super::PLACES_MAX);
        assert!(scrollback.places.values().all(|lines| lines.len() <= super::LINES_MAX));
        assert_eq!(texts(&scrollback, HistoryRange::Latest(None), 1), "1999");
    }
}
