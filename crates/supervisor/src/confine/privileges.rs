//! No privileges: none held, none to be had by executing anything, and no core file of a crash.

use rustix::{
    io::Errno,
    process::{Resource, Rlimit, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
        set_capabilities, set_no_new_privs,
    },
};

use super::error::ConfineError;

/// Takes all capabilities from this thread and from everything that it will execute.
pub(super) fn drop_all() -> Result<(), ConfineError> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })
        .map_err(ConfineError::at("forbid core files"))?;
    set_no_new_privs(true).map_err(ConfineError::at("forbid new privileges"))?;
    let held = capabilities(None).map_err(ConfineError::at("read the capabilities"))?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        // As user 0 every program would get all that is in this set.
        clear_bounding_set().map_err(ConfineError::at("clear the bounding set"))?;
    }
    // The ambient set follows: it holds nothing that the others do not.
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).map_err(ConfineError::at("drop the capabilities"))
}

fn clear_bounding_set() -> Result<(), Errno> {
    for number in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            // One that the kernel does not know.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
