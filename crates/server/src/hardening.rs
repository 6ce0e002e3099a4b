//! What the keeper takes from itself before it does anything: what others may see of its memory, its files, its crashes.
//!
//! Called before the first thread, because the kernel keeps some of it for each thread. It must never touch a file.

use rustix::{
    fs::Mode,
    io::Errno,
    process::{DumpableBehavior, Resource, Rlimit, setrlimit, umask},
};

/// Hardens this process: files that it makes are its owner's alone (umask 077), no other process of the same user may read
/// its memory, environment or descriptors (not dumpable), and a crash writes no core.
pub(crate) fn harden() -> Result<(), Errno> {
    umask(Mode::RWXG | Mode::RWXO);
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
