//! Lists: a page of items and where it goes on.

use serde::Serialize;
use utoipa::ToSchema;

/// A page of a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct List<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// The cursor of the next page; null at the end.
    pub(crate) next: Option<String>,
}

impl<T> List<T> {
    /// A list that fits on one page.
    pub(crate) fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }

    /// A page of a list that is all in memory; the cursor counts items.
    pub(crate) fn page(all: Vec<T>, cursor: Option<u64>, limit: usize) -> Self {
        let start = usize::try_from(cursor.unwrap_or(0)).unwrap_or(usize::MAX).min(all.len());
        let end = start.saturating_add(limit).min(all.len());
        let next = (end < all.len()).then(|| end.to_string());
        let items = all.into_iter().skip(start).take(limit).collect();
        Self { items, next }
    }
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn pages_join_to_the_whole() {
        let first = List::page((0..5).collect(), None, 2);
        assert_eq!((first.items, first.next.as_deref()), (vec![0, 1], Some("2")));
        let last = List::page((0..5).collect(), Some(4), 2);
        assert_eq!((last.items, last.next), (vec![4], None));
        assert!(List::page((0..5).collect(), Some(u64::MAX), 2).items.is_empty());
    }
}
