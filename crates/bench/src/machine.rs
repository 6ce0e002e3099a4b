//! The machine, the moment and the disk: without them no figure means anything.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    error::BenchError,
    raw::RawLog,
    spread::{float, median},
    system::Stopwatch,
};

/// Appends that the disk's own sync time is taken from.
const SYNC_SAMPLES: usize = 200;
/// Bytes of each: about a line of the ledger.
const SYNC_BYTES: usize = 300;

/// Where and when a run took place.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor, as it names itself.
    pub cpu: String,
    /// Processors that this process may use.
    pub cores: usize,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// The kernel's release.
    pub kernel: String,
    /// The scheduling class of this process, such as `fifo 10`.
    pub scheduler: String,
    /// The file system of the measured folder.
    pub filesystem: String,
    /// Appends of 300 bytes with fdatasync on that disk, the median, in microseconds.
    pub fdatasync_p50_us: f64,
    /// The load average over a minute when the run began.
    pub load_before: f64,
    /// And when it ended.
    pub load_after: f64,
}

impl Machine {
    /// Looks at the machine and at the disk of a folder.
    pub(crate) fn look(folder: &Path) -> Result<Self, BenchError> {
        Ok(Self {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_mib: memory_mib(),
            kernel: read("/proc/sys/kernel/osrelease"),
            scheduler: scheduler(),
            filesystem: filesystem(folder),
            fdatasync_p50_us: (sync_time(folder)? * 10.0).round() / 10.0,
            load_before: load(),
            load_after: 0.0,
        })
    }

    /// Notes the end of the run.
    pub(crate) fn ended(self) -> Self {
        Self { load_after: load(), ..self }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, memory_mib, kernel, scheduler, filesystem, .. } = self;
        writeln!(
            f,
            "{cpu}, {cores} cores, {memory_mib} MiB, Linux {kernel}, scheduler {scheduler}"
        )?;
        write!(
            f,
            "{filesystem}, fdatasync of 300 bytes p50 {:.1} us; load average {:.2} before, {:.2} after",
            self.fdatasync_p50_us, self.load_before, self.load_after
        )?;
        if filesystem == "tmpfs" {
            write!(f, "\nthis folder is memory: no figure about durability means anything")?;
        }
        Ok(())
    }
}

fn sync_time(folder: &Path) -> Result<f64, BenchError> {
    let mut raw = RawLog::create(&folder.join("sync-time"), 0)?;
    let bytes = vec![b'x'; SYNC_BYTES];
    let mut times = Vec::with_capacity(SYNC_SAMPLES);
    for _ in 0..SYNC_SAMPLES {
        let watch = Stopwatch::start();
        raw.append(&bytes)?;
        times.push(watch.micros());
    }
    Ok(median(&times))
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// The value of the first line `name : value` of a file.
pub(crate) fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

/// The leading number of such a value.
pub(crate) fn number(path: &str, name: &str) -> Option<u64> {
    field(path, name)?.split_whitespace().next()?.parse().ok()
}

fn memory_mib() -> u64 {
    number("/proc/meminfo", "MemTotal").unwrap_or_default() / 1024
}

fn load() -> f64 {
    read("/proc/loadavg").split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or_default()
}

/// The fields of `/proc/self/stat` behind the command's name, which may hold blanks itself; the first is the state.
fn stat_fields() -> Vec<String> {
    let text = read("/proc/self/stat");
    let behind = text.rsplit_once(')').map(|(_, behind)| behind).unwrap_or_default();
    behind.split_whitespace().map(str::to_owned).collect()
}

/// Fields 40 and 41 of `/proc/self/stat`: priority and class.
fn scheduler() -> String {
    let fields = stat_fields();
    let priority = fields.get(37).map_or("0", String::as_str);
    match fields.get(38).map(String::as_str) {
        Some("0") => "other".into(),
        Some("1") => format!("fifo {priority}"),
        Some("2") => format!("round robin {priority}"),
        Some("3") => "batch".into(),
        _ => "unknown".into(),
    }
}

/// Processor time of this process so far, in milliseconds, as the kernel counts it in ticks of 10 ms.
pub(crate) fn cpu_ms() -> f64 {
    let fields = stat_fields();
    let ticks = |index: usize| fields.get(index).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    float(ticks(11) + ticks(12)) * 10.0
}

/// The type of the file system that holds a path: that of the longest mount point above it.
fn filesystem(folder: &Path) -> String {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mounts = read("/proc/self/mountinfo");
    let mount = |line: &str| -> Option<(PathBuf, String)> {
        let (before, after) = line.split_once(" - ")?;
        let point = PathBuf::from(before.split_whitespace().nth(4)?);
        Some((point, after.split_whitespace().next()?.to_owned()))
    };
    let above = mounts.lines().filter_map(mount).filter(|(point, _)| folder.starts_with(point));
    above
        .max_by_key(|(point, _)| point.as_os_str().len())
        .map_or_else(|| "unknown".into(), |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::{Machine, cpu_ms};

    #[test]
    fn the_machine_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::look(folder.path()).unwrap();
        assert!(machine.cores > 0 && machine.memory_mib > 0 && !machine.kernel.is_empty());
        assert_ne!(machine.filesystem, "unknown");
        assert_ne!(machine.scheduler, "unknown");
        assert!(machine.fdatasync_p50_us > 0.0);
        assert!(cpu_ms() >= 0.0);
    }
}
