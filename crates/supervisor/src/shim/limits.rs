//! What one process may use, put on the agent by inheritance: the shim lowers its own limits just before it starts it.
//!
//! So no process of the tree runs for a moment without them. The shim gets its own back only where it may raise them
//! (`CAP_SYS_RESOURCE`); elsewhere it lives within them, for which each has a smallest value. Memory is counted as writable
//! private memory (`RLIMIT_DATA`): address space (`RLIMIT_AS`) would stop JavaScript and Go, which reserve a hundred times
//! what they use.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::order::ProcessLimits;

/// A process that got `SIGXCPU` at its limit has this long before it is killed.
const CPU_GRACE_SECONDS: u64 = 5;
/// Smaller limits would stop the shim.
const MEMORY_BYTES_MIN: u64 = 16 << 20;
const CPU_SECONDS_MIN: u64 = 1;
const FILES_MIN: u64 = 16;

/// One kind of limit.
#[derive(Clone, Copy, Debug)]
struct LimitKind {
    resource: Resource,
    name: &'static str,
    min: u64,
    /// Between the soft limit, at which a process gets a signal, and the hard one.
    grace: u64,
}

const MEMORY: LimitKind =
    LimitKind { resource: Resource::Data, name: "memory", min: MEMORY_BYTES_MIN, grace: 0 };
const CPU: LimitKind = LimitKind {
    resource: Resource::Cpu,
    name: "processor time",
    min: CPU_SECONDS_MIN,
    grace: CPU_GRACE_SECONDS,
};
const FILES: LimitKind =
    LimitKind { resource: Resource::Nofile, name: "open files", min: FILES_MIN, grace: 0 };
/// The shim itself writes no file. At the limit a process gets `SIGXFSZ`, or an error where it ignores that.
const FILE_SIZE: LimitKind =
    LimitKind { resource: Resource::Fsize, name: "the size of a file", min: 0, grace: 0 };

/// Limits that the shim holds while it starts the agent; it is freed of them, as far as it may be, when this is dropped.
#[derive(Debug)]
pub(super) struct LoweredLimits {
    before: Vec<(Resource, Rlimit)>,
}

impl LoweredLimits {
    /// Lowers the shim's own limits. `memory` is false where a control group counts it. A limit above what the system
    /// allows becomes that, with a note.
    pub(super) fn new(
        limits: &ProcessLimits,
        memory: bool,
        notes: &mut Vec<String>,
    ) -> Result<Self, String> {
        let memory_bytes = limits.memory_bytes.filter(|_| memory);
        let wanted = [
            (MEMORY, memory_bytes),
            (CPU, limits.cpu_seconds),
            (FILES, limits.files),
            (FILE_SIZE, limits.disk_bytes),
        ];
        let mut lowered = Self { before: Vec::new() };
        for (kind, amount) in wanted {
            let Some(amount) = amount else { continue };
            let LimitKind { resource, name, min, grace } = kind;
            if amount < min {
                return Err(format!("the limit of {name} is {amount}, and must be at least {min}"));
            }
            let before = getrlimit(resource);
            let limit = within(amount, grace, before.maximum);
            if limit.current < Some(amount) {
                let granted = limit.current.unwrap_or(amount);
                notes.push(format!(
                    "the limit of {name} is {granted}, not {amount}: the system allows no more"
                ));
            }
            setrlimit(resource, limit)
                .map_err(|error| format!("cannot limit {name} to {amount}: {error}"))?;
            lowered.before.push((resource, before));
        }
        Ok(lowered)
    }
}

impl Drop for LoweredLimits {
    fn drop(&mut self) {
        for (resource, before) in &self.before {
            if setrlimit(*resource, *before).is_err() {
                // At least the signal that comes before the end.
                let maximum = getrlimit(*resource).maximum;
                setrlimit(*resource, Rlimit { current: maximum, maximum }).ok();
            }
        }
    }
}

/// The soft and hard limit for `amount` where the hard one may not pass `maximum`.
fn within(amount: u64, grace: u64, maximum: Option<u64>) -> Rlimit {
    let cap = maximum.unwrap_or(u64::MAX);
    Rlimit { current: Some(amount.min(cap)), maximum: Some(amount.saturating_add(grace).min(cap)) }
}

#[cfg(test)]
mod tests {
    use super::{LoweredLimits, within};
    use crate::shim::order::ProcessLimits;

    #[test]
    fn a_limit_never_passes_what_the_system_allows() {
        let pairs = [
            within(10, 5, None),
            within(10, 5, Some(12)),
            within(10, 5, Some(4)),
            within(u64::MAX, 5, None),
        ]
        .map(|limit| (limit.current, limit.maximum));
        assert_eq!(
            pairs,
            [
                (Some(10), Some(15)),
                (Some(10), Some(12)),
                (Some(4), Some(4)),
                (Some(u64::MAX), Some(u64::MAX)),
            ]
        );
    }

    #[test]
    fn a_limit_that_is_too_small_is_refused_with_the_least() {
        let limits = ProcessLimits { memory_bytes: Some(1 << 20), ..ProcessLimits::default() };
        let error = LoweredLimits::new(&limits, true, &mut Vec::new()).map(|_| ());
        assert_eq!(
            error,
            Err("the limit of memory is 1048576, and must be at least 16777216".into())
        );
        assert!(LoweredLimits::new(&limits, false, &mut Vec::new()).is_ok());
    }
}
