//! What a person should know of a skill, with where and what to do.

use std::fmt;

/// Something in a skill that a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFinding {
    /// Where: a file of the skill, with its line where there is one.
    pub place: String,
    /// What is there.
    pub what: String,
    /// What to do about it.
    pub advice: String,
}

impl SkillFinding {
    pub(super) fn new(
        place: impl Into<String>,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { place: place.into(), what: what.into(), advice: advice.into() }
    }

    pub(super) fn at_line(
        file: &str,
        line: usize,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(format!("{file}, line {line}"), what, advice)
    }
}

impl fmt::Display for SkillFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.what, self.advice)
    }
}
