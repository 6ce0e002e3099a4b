//! `probe.*`: tools with effects that can be counted, for checks of Abide from outside.
//!
//! They exist only where `[test] probe_file` is set, which a keeper refuses unless it was started for tests.

mod append;
mod blob;
mod fail;

pub use append::{Append, PROBE_SLEEP_MS_MAX};
pub use blob::{Blob, PROBE_BLOB_BYTES_MAX};
pub use fail::Fail;
