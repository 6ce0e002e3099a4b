//! Documents that were fetched: what they are, in which characters they are written, and the text in them.
//!
//! Nothing here asks the network for anything, and everything here may be slow: it runs beside the runtime's threads.

mod attributes;
pub(crate) mod charset;
pub(crate) mod html;
pub(crate) mod kind;
mod nesting;
pub(crate) mod pdf;
pub(crate) mod read;
