//! A feed with its fields as they were written: what the readers of XML and JSON hand on to be cleaned.

/// A feed as its fields were written.
#[derive(Debug, Default)]
pub(super) struct RawFeed {
    pub(super) title: String,
    pub(super) site: String,
    pub(super) entries: Vec<RawEntry>,
    pub(super) problem: Option<String>,
}

/// An entry as its fields were written.
#[derive(Debug, Default)]
pub(super) struct RawEntry {
    pub(super) guid: String,
    pub(super) title: String,
    pub(super) link: String,
    pub(super) summary: String,
    pub(super) content: String,
    pub(super) published: String,
    pub(super) updated: String,
}
