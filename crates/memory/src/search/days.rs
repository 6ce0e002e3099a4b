//! On which day each document was said, as runs: documents come in about the order of their time, so a life of years has few.
//!
//! Says which documents a time in a question means without a look at any of them.

use std::ops::Range;

use super::calendar::{AskedTime, Day};

/// The days of documents in the order in which these came.
#[derive(Clone, Debug, Default)]
pub(super) struct Days {
    /// A day, and the place of the first document of it that came in a row.
    runs: Vec<(Day, u32)>,
    /// The place behind the last document.
    end: u32,
}

impl Days {
    /// Notes the day of the next document, which has this place.
    pub(super) fn add(&mut self, day: Day, at: u32) {
        if self.runs.last().is_none_or(|(last, _)| *last != day) {
            self.runs.push((day, at));
        }
        self.end = at + 1;
    }

    /// The places of the documents that a time means: those that fit best first, of equals the newest, each once.
    pub(super) fn meant(&self, time: &AskedTime) -> impl Iterator<Item = u32> + use<> {
        let mut runs: Vec<(f32, Range<u32>)> = Vec::new();
        let mut end = self.end;
        for (day, first) in self.runs.iter().rev() {
            runs.push((time.closeness(*day), *first..end));
            end = *first;
        }
        runs.retain(|(closeness, _)| *closeness > 0.0);
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        runs.into_iter().flat_map(|(_, run)| run.rev())
    }
}
