//! JSON from others, read strictly: no key stands twice, an object is no list, and what does not fit is said with its path,
//! in plain words (decision 62).
//!
//! Two steps: [`parse_json`] makes a value of bytes, [`read_shape`] a shape of a value.

mod parse;
mod shape;

pub use parse::{JsonError, parse_json};
pub use shape::{ShapeError, read_shape};
