//! What a call costs this process: time on the wall, time of the processor, memory. Read from the system here alone; no
//! program in Scheme sees any of it.

use std::{fs::File, os::unix::fs::FileExt as _, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// Reads the clocks and the memory; one for the thread that runs the engine.
pub(crate) struct UsageMeter {
    statm: Option<File>,
    page_bytes: u64,
}

/// The clocks at the beginning of a call.
#[derive(Clone, Copy)]
pub(crate) struct UsageMark {
    wall: Duration,
    processor: Duration,
}

/// What was used since a mark.
#[derive(Clone, Copy, Default)]
pub(crate) struct Usage {
    pub(crate) wall_us: u64,
    pub(crate) cpu_us: u64,
    /// The resident memory of the process, in bytes; 0 where the system does not say.
    pub(crate) memory_bytes: u64,
}

impl UsageMeter {
    pub(crate) fn new() -> Self {
        let page_bytes = u64::try_from(rustix::param::page_size()).unwrap_or(0);
        Self { statm: File::open("/proc/self/statm").ok(), page_bytes }
    }

    pub(crate) fn mark() -> UsageMark {
        UsageMark { wall: monotonic(), processor: read(ClockId::ThreadCPUTime) }
    }

    pub(crate) fn since(&self, mark: UsageMark) -> Usage {
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let now = Self::mark();
        Usage {
            wall_us: micros(now.wall.saturating_sub(mark.wall)),
            cpu_us: micros(now.processor.saturating_sub(mark.processor)),
            memory_bytes: self.memory_bytes().unwrap_or(0),
        }
    }

    /// The second number of `statm`: resident pages.
    fn memory_bytes(&self) -> Option<u64> {
        let mut buffer = [0; 128];
        let count = self.statm.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..count)?).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        Some(pages.saturating_mul(self.page_bytes))
    }
}

/// The time since an arbitrary beginning; never goes back.
pub(crate) fn monotonic() -> Duration {
    read(ClockId::Monotonic)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}
