//! Minutes as hours with one place, as Steam shows them.

/// Such as `12.5`.
pub(super) fn hours(minutes: u64) -> String {
    let tenths = (minutes + 3) / 6;
    format!("{}.{}", tenths / 10, tenths % 10)
}
