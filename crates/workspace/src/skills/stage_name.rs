//! The names of folders of skills that are on their way in or out: no skill has one, and what is left of a process that ended is
//! removed with the next copy.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::TEMPORARY_PREFIX;

/// What such a name has behind the temporary prefix.
const STAGE_NAME: &str = "skill-";

/// Tells folders of this process apart.
static STAGES: AtomicU64 = AtomicU64::new(0);

/// Another name of this process.
pub(super) fn next_stage_name() -> String {
    let count = STAGES.fetch_add(1, Ordering::Relaxed);
    format!("{TEMPORARY_PREFIX}{STAGE_NAME}{}-{count}", std::process::id())
}

/// Whether a folder is on its way, or was left there.
pub(super) fn is_stage_name(name: &str) -> bool {
    name.strip_prefix(TEMPORARY_PREFIX).is_some_and(|rest| rest.starts_with(STAGE_NAME))
}
