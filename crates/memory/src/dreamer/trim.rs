//! What goes when the context object is too long: history first, then feelings, then technical matters; who the agent is
//! and what its situation is stay (spec-background A5). What was left out is said.

use std::fmt::Write as _;

/// The upper bound of a context object, in tokens; never padded. The message itself stands beside it.
pub const CONTEXT_TOKENS_MAX: u64 = 2_500;

/// The places of the sections that are trimmed.
const HISTORY: usize = 2;
const STRATEGY: usize = 3;
const EMOTION: usize = 4;
const TECHNICAL: usize = 5;
const CONSTRAINTS: usize = 6;
/// First: how much of which section stays, in hundredths.
const FIRST: [(usize, usize); 3] = [(HISTORY, 50), (EMOTION, 70), (TECHNICAL, 80)];
/// Then: which sections are halved, in turn.
const IN_TURN: [usize; 5] = [HISTORY, EMOTION, CONSTRAINTS, TECHNICAL, STRATEGY];
/// Down to how many lines, one round after the other.
const LINES_MIN: [usize; 3] = [3, 1, 0];

/// One of the seven sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// Its heading.
    pub(super) title: &'static str,
    /// What is known, the most important first, or in the order of time.
    pub(super) lines: Vec<String>,
    /// What is missing; never trimmed.
    pub(super) notes: Vec<String>,
    /// Lines that were left out.
    pub(super) omitted: usize,
    /// Whether its lines stand in the order of time: then the oldest go first, and what holds now stays.
    pub(super) is_by_time: bool,
}

impl Section {
    pub(super) fn new(title: &'static str, lines: Vec<String>, notes: Vec<String>) -> Self {
        Self { title, lines, notes, omitted: 0, is_by_time: false }
    }

    /// The section as Markdown.
    pub(super) fn text(&self) -> String {
        let mut text = format!("## {}\n", self.title);
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        if !self.notes.is_empty() {
            text.push_str(&self.notes.join(" "));
            text.push('\n');
        }
        if self.omitted > 0 {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "(left out for length: {})", self.omitted);
        }
        text
    }

    fn chars(&self) -> usize {
        self.text().chars().count()
    }

    fn keep(&mut self, count: usize) {
        let gone = self.lines.len().saturating_sub(count);
        if self.is_by_time {
            self.lines.drain(..gone);
        } else {
            self.lines.truncate(count);
        }
        self.omitted += gone;
    }

    /// Drops the last lines, or the oldest, until so many hundredths are left, one line at least.
    fn shrink(&mut self, percent: usize) {
        let chars_max = self.chars() * percent / 100;
        while self.lines.len() > 1 && self.chars() > chars_max {
            self.keep(self.lines.len() - 1);
        }
    }
}

/// Trims the sections until their texts together have at most so many characters, as far as the order allows.
pub(super) fn fit(sections: &mut [Section; 7], chars_max: usize) {
    for (place, percent) in FIRST {
        if is_fit(sections, chars_max) {
            return;
        }
        if let Some(section) = sections.get_mut(place) {
            section.shrink(percent);
        }
    }
    for lines_min in LINES_MIN {
        while halve_in_turn(sections, chars_max, lines_min) {}
    }
}

/// One round; says whether another one can help.
fn halve_in_turn(sections: &mut [Section; 7], chars_max: usize, lines_min: usize) -> bool {
    let mut is_changed = false;
    for place in IN_TURN {
        if is_fit(sections, chars_max) {
            return false;
        }
        let Some(section) = sections.get_mut(place) else { continue };
        let count = section.lines.len();
        if count > lines_min {
            section.keep((count / 2).max(lines_min));
            is_changed = true;
        }
    }
    is_changed
}

fn is_fit(sections: &[Section; 7], chars_max: usize) -> bool {
    sections.iter().map(Section::chars).sum::<usize>() <= chars_max
}

#[cfg(test)]
mod tests {
    use super::{Section, fit};

    fn sections(lines: usize) -> [Section; 7] {
        let line = |n: usize| format!("- line {n:02} {} [n1]", "x".repeat(80));
        let all = |title| Section::new(title, (0..lines).map(line).collect(), vec![]);
        ["a", "b", "c", "d", "e", "f", "g"].map(all)
    }

    fn counts(sections: &[Section; 7]) -> Vec<usize> {
        sections.iter().map(|section| section.lines.len()).collect()
    }

    fn chars(sections: &[Section; 7]) -> usize {
        sections.iter().map(|section| section.text().chars().count()).sum()
    }

    #[test]
    fn of_lines_by_time_the_oldest_go_first() {
        let mut all = sections(10);
        all[2].is_by_time = true;
        let whole = chars(&all);
        fit(&mut all, whole - 100);
        assert!(all[2].lines.len() < 10);
        assert!(all[2].lines.last().unwrap().contains("line 09"));
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut all = sections(10);
        fit(&mut all, 100_000);
        assert_eq!(counts(&all), [10; 7]);
    }

    #[test]
    fn history_goes_first_then_feelings_then_technical_matters() {
        let whole = chars(&sections(10));
        for (room, kept) in [
            (whole - 100, [10, 10, 4, 10, 10, 10, 10]),
            (whole - 600, [10, 10, 4, 10, 6, 10, 10]),
            (whole - 1_000, [10, 10, 4, 10, 6, 7, 10]),
        ] {
            let mut all = sections(10);
            fit(&mut all, room);
            assert_eq!(counts(&all), kept, "{room}");
            assert!(chars(&all) <= room);
        }
    }

    #[test]
    fn who_one_is_and_the_situation_stay_whatever_goes() {
        let mut all = sections(10);
        fit(&mut all, 0);
        assert_eq!(counts(&all), [10, 10, 0, 0, 0, 0, 0]);
        assert!(all[2].text().contains("(left out for length: 10)"), "{}", all[2].text());
    }
}
