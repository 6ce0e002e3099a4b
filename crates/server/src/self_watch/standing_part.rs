//! A part that stands still.

use std::time::Duration;

/// What stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StandingPart {
    /// The part, for people.
    pub(crate) part: String,
    /// For how long.
    pub(crate) time: Duration,
}

impl StandingPart {
    /// One sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{} stands still for {} s", self.part, self.time.as_secs())
    }
}
