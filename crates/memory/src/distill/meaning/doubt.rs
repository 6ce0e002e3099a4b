//! Why a claim is not believed as it stands, in words for people.

use std::fmt;

/// Why a claim is not believed as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeaningDoubt {
    /// No one statement says it in these words, of this subject.
    Reworded,
    /// It is denied in one and not in the other.
    Denial,
    /// It was said less surely, as a wish, a possibility or an ability.
    Certainty,
    /// It was said under a condition.
    Condition,
    /// It was asked.
    Question,
    /// It is what somebody else said or thought.
    Report,
    /// It was said of more, of fewer or of another amount.
    Quantity,
    /// It was said of another time.
    Time,
}

impl fmt::Display for MeaningDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reworded => {
                "it is worded so differently that nothing shows that it says the same"
            }
            Self::Denial => "one of the two denies what the other says",
            Self::Certainty => "it was said as something possible, wanted or able, not as a fact",
            Self::Condition => "it was said under a condition",
            Self::Question => "it was asked, not said",
            Self::Report => "it is what somebody else said or thought",
            Self::Quantity => "it was said of another amount",
            Self::Time => "it was said of another time",
        })
    }
}
