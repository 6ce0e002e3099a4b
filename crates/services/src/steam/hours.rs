//! Minutes as hours with one place, as Steam shows them.

/// Such as `12.5`.
pub(super) fn hours(minutes: u64) -> String {
    format!("{}.{}", minutes / 60, minutes % 60 / 6)
}
