//! What is told once: a set with a limit. Where it is full the smallest is forgotten, and may be told again.

use std::collections::BTreeSet;

/// What is remembered.
const NOTED_MAX: usize = 1_000;

/// What was told.
#[derive(Debug)]
pub(super) struct NotedOnce<T>(BTreeSet<T>);

impl<T: Ord> Default for NotedOnce<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: Ord> NotedOnce<T> {
    /// Notes that something is told; false where it was before.
    pub(super) fn note(&mut self, what: T) -> bool {
        if self.0.len() >= NOTED_MAX && !self.0.contains(&what) {
            self.0.pop_first();
        }
        self.0.insert(what)
    }

    /// Whether something is noted.
    pub(super) fn contains(&self, what: &T) -> bool {
        self.0.contains(what)
    }
}

#[cfg(test)]
mod tests {
    use super::{NOTED_MAX, NotedOnce};

    #[test]
    fn each_is_noted_once_and_many_fill_no_memory() {
        let mut noted = NotedOnce::default();
        assert!(noted.note(1));
        assert!(!noted.note(1));
        assert!(noted.contains(&1) && !noted.contains(&2));
        for what in 0..10_000 {
            noted.note(what);
        }
        assert_eq!(noted.0.len(), NOTED_MAX);
        assert!(!noted.note(9_999));
    }
}
