//! A text that is sent and never shown.

use std::fmt;

use crate::{
    field::{Reading, Slot, Wired},
    writer::Writer,
};

/// A token. Debug output hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, to be compared or sent.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl Wired for Secret {
    fn read(slot: Slot<'_>, reading: &mut Reading) -> Option<Self> {
        String::read(slot, reading).map(Self)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(&self.0);
    }
}
