//! The rules of decks against written cases, and against what is made up at random.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]
#![allow(clippy::too_many_lines, reason = "tables of cases are long")]

mod cards;
mod figures;
mod fixture;
mod legality;
mod list_properties;
mod lists;
mod review;
mod review_properties;
