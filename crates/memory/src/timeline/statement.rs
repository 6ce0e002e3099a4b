//! What is judged, a statement; and how a later one stands to an earlier one.

use abide_domain::Timestamp;

/// Something that was said or is known.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// Whose words they are.
    pub by: &'a str,
    /// When they were said.
    pub at: Timestamp,
    /// The order in which it came to be known.
    pub seq: u64,
    /// What was said just before in the same conversation.
    pub previous: Option<u64>,
    /// Whether the agent said it: it may repeat what held, and replaces nothing.
    pub by_agent: bool,
    /// The words.
    pub text: &'a str,
}

impl Statement<'_> {
    /// Whether it was said later than another.
    pub(super) fn is_later_than(&self, other: &Self) -> bool {
        (self.at, self.seq) > (other.at, other.seq)
    }
}

/// How a later statement stands to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// They are about different things, or both hold.
    Apart,
    /// They may be about the same: both are shown with their dates.
    Unsure,
    /// They are about the same, but the earlier is its speaker's own to correct: the later is another's word.
    Disputes,
    /// The later takes the place of the earlier.
    Replaces,
}
