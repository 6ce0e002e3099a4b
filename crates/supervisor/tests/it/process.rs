//! Trees of real processes: their start, their limits, their end. Nothing may be left of any of them.

mod descendants;
mod limits;
mod starts;
mod words;
pub(crate) mod world;
