//! The names of the tools that several kinds of answers use.

/// The tool that tells the time.
pub(super) const CLOCK: &str = "clock.now";
/// The tool that runs the command language.
pub(super) const STDOUT: &str = "stdout";
