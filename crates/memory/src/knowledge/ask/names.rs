//! When two names are the same.

/// Whether two names are the same; case and space around do not count.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

pub(super) fn is_any(name: &str, names: &[String]) -> bool {
    names.iter().any(|known| is_same(name, known))
}
