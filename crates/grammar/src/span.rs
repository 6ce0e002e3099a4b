//! A place in the input, in bytes. Errors show characters, lines and columns instead: see `error`.

/// From `start` up to `end`, in bytes of the whole input. Both lie on character boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// This part of `source`; empty where `source` is another text.
    pub fn of(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}
