//! Whether a prompt holds what is so, and does not hold what must not stand there. Pure, by the words of its lines alone.

use std::collections::BTreeMap;

use abide_domain::{Timestamp, Zone, dates::annotate};
use serde::Serialize;

use super::{
    life::{Expected, TruthKind, TruthQuestion},
    prompt::{PromptLine, PromptPart},
};

/// What shows on a line that what it says is so no longer.
const REPLACED_MARKS: [&str; 7] = [
    "replaced",
    "no longer",
    "superseded",
    "corrected",
    "outdated",
    "taken back",
    "not so any more",
];
/// How it is said that nothing is known.
const ABSENCE_MARKS: [&str; 2] = ["No earlier conversation about this", "Nothing more about this"];

/// What is judged of a question. Each is a demand that is kept or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TruthMeasure {
    /// What is so now stands in the prompt.
    InForce,
    /// What was so stands nowhere without a mark.
    StaleMarked,
    /// What was taken back stands nowhere.
    Forgotten,
    /// What is another's stands only with that name.
    RightPerson,
    /// What another told in private stands nowhere.
    NotLeaked,
    /// Which day was meant can be computed.
    DateComputable,
    /// A wish that stands is shown as one.
    WishShown,
    /// A wish that was taken back is not.
    WishGone,
    /// That nothing is known is said.
    AbsenceSaid,
}

impl TruthMeasure {
    /// All of them, in their order.
    pub const ALL: [Self; 9] = [
        Self::InForce,
        Self::StaleMarked,
        Self::Forgotten,
        Self::RightPerson,
        Self::NotLeaked,
        Self::DateComputable,
        Self::WishShown,
        Self::WishGone,
        Self::AbsenceSaid,
    ];

    /// For tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InForce => "in force",
            Self::StaleMarked => "stale marked",
            Self::Forgotten => "forgotten",
            Self::RightPerson => "right person",
            Self::NotLeaked => "not leaked",
            Self::DateComputable => "date",
            Self::WishShown => "wish shown",
            Self::WishGone => "wish gone",
            Self::AbsenceSaid => "absence said",
        }
    }

    /// What is aimed at, as a share of the questions of which it is judged.
    pub const fn aim(self) -> f64 {
        match self {
            Self::Forgotten | Self::RightPerson | Self::NotLeaked | Self::WishGone => 1.0,
            _ => 0.98,
        }
    }
}

/// How many of how many kept a demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TruthCount {
    /// Kept.
    pub kept: u32,
    /// Of so many.
    pub of: u32,
}

impl TruthCount {
    /// The share that kept it; 1 of none.
    pub fn share(self) -> f64 {
        if self.of == 0 { 1.0 } else { f64::from(self.kept) / f64::from(self.of) }
    }

    fn add(&mut self, is_kept: bool) {
        self.kept += u32::from(is_kept);
        self.of += 1;
    }
}

/// The counts of some questions, by measure.
pub type TruthCounts = BTreeMap<TruthMeasure, TruthCount>;

/// What of a question's demands its prompt keeps.
pub(super) fn judge(
    question: &TruthQuestion,
    lines: &[PromptLine],
    zone: &Zone,
) -> Vec<(TruthMeasure, bool)> {
    let Expected { in_force, stale, forgotten, of_others, secret, dated, wish, no_wish, absence } =
        &question.expected;
    let holds = |value: &str| lines.iter().any(|line| is_in(value, &line.text));
    let mut judged = Vec::new();
    if let Some(value) = in_force {
        judged.push((TruthMeasure::InForce, holds(value)));
    }
    if !stale.is_empty() {
        let now = in_force.as_deref().unwrap_or_default();
        let is_marked = stale.iter().all(|value| is_stale_marked(value, now, lines));
        judged.push((TruthMeasure::StaleMarked, is_marked));
    }
    if !forgotten.is_empty() {
        judged.push((TruthMeasure::Forgotten, !forgotten.iter().any(|value| holds(value))));
    }
    if !of_others.is_empty() {
        let is_right = of_others.iter().all(|(value, whose)| {
            let with_it = lines.iter().filter(|line| is_in(value, &line.text));
            with_it.into_iter().all(|line| is_in(whose, &line.text))
        });
        judged.push((TruthMeasure::RightPerson, is_right));
    }
    if !secret.is_empty() {
        judged.push((TruthMeasure::NotLeaked, !secret.iter().any(|value| holds(value))));
    }
    if let Some((words, said_at, day)) = dated {
        judged.push((TruthMeasure::DateComputable, is_dated(words, *said_at, *day, lines, zone)));
    }
    let is_wished = |wish: &str| {
        lines.iter().any(|line| line.part == PromptPart::Wishes && line.text.contains(wish))
    };
    if let Some(wish) = wish {
        judged.push((TruthMeasure::WishShown, is_wished(wish)));
    }
    if let Some(wish) = no_wish {
        judged.push((TruthMeasure::WishGone, !is_wished(wish)));
    }
    if *absence {
        let is_said = |line: &PromptLine| ABSENCE_MARKS.iter().any(|mark| line.text.contains(mark));
        judged.push((TruthMeasure::AbsenceSaid, lines.iter().any(is_said)));
    }
    judged
}

/// A line with the old value says that it is so no longer, or says the new one as well, or stands in the history, where the
/// new one comes later.
fn is_stale_marked(value: &str, now: &str, lines: &[PromptLine]) -> bool {
    lines.iter().enumerate().filter(|(_, line)| is_in(value, &line.text)).all(|(at, line)| {
        let is_marked = REPLACED_MARKS.iter().any(|mark| line.text.contains(mark));
        let mut later = lines.iter().skip(at + 1).filter(|other| other.part == line.part);
        let is_history = line.part == PromptPart::History;
        is_marked
            || is_in(now, &line.text)
            || (is_history && later.any(|other| is_in(now, &other.text)))
    })
}

/// The line with the words names the day that is meant, or the day on which they were said; and the prompt says which day
/// it is now.
fn is_dated(
    words: &str,
    said_at: Timestamp,
    day: Timestamp,
    lines: &[PromptLine],
    zone: &Zone,
) -> bool {
    let days = [day, said_at].map(|at| zone.format_day(at));
    let is_now_known = lines.iter().any(|line| line.text.starts_with("It is "));
    let words = words.trim_end_matches('.');
    // A prompt shows words that are a date with the day that they meant beside them.
    let with_day = annotate(words, said_at, zone);
    let is_of = |line: &&PromptLine| line.text.contains(words) || line.text.contains(&with_day);
    let mut with_words = lines.iter().filter(is_of);
    is_now_known && with_words.any(|line| days.iter().any(|day| line.text.contains(day.as_str())))
}

/// Whether a value stands in a text as words of its own, whatever its case.
fn is_in(value: &str, text: &str) -> bool {
    let (value, text) = (value.to_lowercase(), text.to_lowercase());
    let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !value.is_empty()
        && text.match_indices(&value).any(|(at, found)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
            !is_inside(before) && !is_inside(after)
        })
}

/// Adds what was judged of a question.
pub(super) fn count(counts: &mut TruthCounts, judged: &[(TruthMeasure, bool)]) {
    for (measure, is_kept) in judged {
        counts.entry(*measure).or_default().add(*is_kept);
    }
}

/// The counts of each kind of question.
pub(super) type KindCounts = BTreeMap<TruthKind, TruthCounts>;

#[cfg(test)]
mod tests {
    use super::{PromptLine, PromptPart, is_in, is_stale_marked};

    fn lines(of: &[(PromptPart, &str)]) -> Vec<PromptLine> {
        let line =
            |(part, text): &(PromptPart, &str)| PromptLine { part: *part, text: (*text).into() };
        of.iter().map(line).collect()
    }

    #[test]
    fn an_old_value_counts_as_marked_only_where_the_line_or_what_follows_says_so() {
        let (object, history) = (PromptPart::Section(2), PromptPart::History);
        for (shown, is_marked) in [
            (vec![(object, "kim said: on 3 March")], false),
            (vec![(object, "kim said: on 3 March (replaced)")], true),
            (vec![(object, "it moved from 3 March to 17 March")], true),
            (vec![(object, "on 3 March"), (object, "on 17 March")], false),
            (vec![(history, "on 3 March"), (history, "on 17 March")], true),
            (vec![(history, "on 17 March"), (history, "on 3 March")], false),
            (vec![(object, "on 13 March")], true),
        ] {
            assert_eq!(
                is_stale_marked("3 March", "17 March", &lines(&shown)),
                is_marked,
                "{shown:?}"
            );
        }
        assert!(is_in("4,200", "costs 4,200 euros") && !is_in("417", "4170"));
    }
}
