//! The engine's folder, which it must not have: on its start it looks for a home, makes a folder below it, and panics
//! where there is none. It is given a place that can be neither read nor written.

use std::ffi::OsStr;

/// The variable by which the engine can be shown its folder.
const VARIABLE: &str = "STEEL_HOME";
/// No folder can be made below this.
const NOWHERE: &str = "/dev/null";

/// Shows the engine a folder that cannot be. Once it was read it stays: this comes before the first engine.
pub(super) fn withhold() {
    if std::env::var_os(VARIABLE).as_deref() == Some(OsStr::new(NOWHERE)) {
        return;
    }
    #[expect(
        unsafe_code,
        clippy::disallowed_methods,
        reason = "the engine reads its folder from the environment alone; Rust's own accesses are locked, and this \
                  process has no other"
    )]
    // SAFETY: nothing beside the standard library reads the environment of a process that only runs modules.
    unsafe {
        std::env::set_var(VARIABLE, NOWHERE);
    }
}
