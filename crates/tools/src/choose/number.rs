//! Counts as numbers for the formulas of a choice. Pure; no cast that could go wrong unseen.

/// A count as a number to reckon with.
pub(super) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
