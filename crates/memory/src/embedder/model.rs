//! Which model makes vectors.

use crate::search::VectorKind;

/// Which model makes vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorModel {
    /// The name that people see.
    pub name: String,
    /// Changes whenever the vectors would: vectors carry it.
    pub id: String,
    /// Numbers in a vector; 0 while it is not known yet.
    pub dimensions: usize,
    /// How much the vectors are trusted beside the words.
    pub kind: VectorKind,
}
