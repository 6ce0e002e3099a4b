//! The types of values. Two values of one type can exclude each other.

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ValueKind {
    Date,
    Month,
    Weekday,
    Time,
    Percent,
    Money,
    Version,
    Phone,
    Number,
    Address,
    Name,
    State,
}
