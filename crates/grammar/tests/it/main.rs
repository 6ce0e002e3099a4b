//! The command language as others use it: the specification's examples, and what holds for every input.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

mod generated;
mod properties;
mod specification;
