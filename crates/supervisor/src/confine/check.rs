//! What a confined child of the probe does: attacks on what it must not reach, and a report of those that succeeded.
//!
//! It runs as the program of a confined start and can do nothing that an agent could not. It writes in its own folder alone
//! unless an attack succeeds, and then in the probe's.

use std::{
    ffi::OsString,
    fs,
    io::{self, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::{Path, PathBuf},
    process::ExitCode,
};

use rustix::process::{Pid, test_kill_process};

/// The first argument of a check, behind `confine`.
pub(crate) const CHECK: &str = "--check";

/// What a check tries to write in the probe's folder.
pub(crate) const INTRUDER: &str = "intruder";

const BREACH: &str = "breach ";
const SIGNALS_HELD: &str = "held signals";
const DONE: &str = "done";

/// What a check found where nothing succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckReport {
    /// Whether other processes cannot be signalled.
    pub(crate) holds_signals: bool,
}

impl CheckReport {
    /// More is never written.
    pub(crate) const BYTES_MAX: u64 = 4096;

    /// The error names the attacks that succeeded, or says that the check did not come to its end.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let breaches: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(BREACH)).collect();
        if !breaches.is_empty() {
            return Err(format!("a confined process could {}", breaches.join(" and ")));
        }
        if !text.lines().any(|line| line == DONE) {
            return Err("the check of a confined process did not come to its end".into());
        }
        Ok(Self { holds_signals: text.lines().any(|line| line == SIGNALS_HELD) })
    }
}

/// Attacks. `args` are the probe's folder and the number of the keeper's process.
pub(super) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let folder = args.next().map(PathBuf::from);
    let keeper = args.next().and_then(|pid| pid.to_str()?.parse().ok()).and_then(Pid::from_raw);
    let (Some(folder), Some(keeper)) = (folder, keeper) else { return ExitCode::from(2) };
    let mut lines: Vec<String> =
        breaches(&folder, keeper).into_iter().map(|breach| format!("{BREACH}{breach}")).collect();
    if test_kill_process(keeper).is_err() {
        lines.push(SIGNALS_HELD.into());
    }
    lines.push(DONE.into());
    let text = lines.join("\n") + "\n";
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The attacks that succeeded, in words; and what must be possible and was not.
fn breaches(folder: &Path, keeper: Pid) -> Vec<&'static str> {
    let secret = folder.join("secret");
    let own = folder.join("work/own");
    let of_keeper = |name: &str| format!("/proc/{}/{name}", keeper.as_raw_pid());
    let through_keeper =
        PathBuf::from(of_keeper("root")).join(secret.strip_prefix("/").unwrap_or(&secret));
    let reads = |path: &Path| fs::read(path).is_ok();
    let sets_mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).is_ok();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let says = |name: &str, value: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.is_some_and(|line| line.trim() == value)
    };
    // Whether it came there is seen from outside: at level 2 the path may be one of its own.
    fs::write(folder.join(INTRUDER), "x").ok();
    let attacks = [
        (fs::write(&own, "x").is_err(), "not write in its own folder"),
        (!sets_mode(&own, 0o700), "not change the mode of a file of its own"),
        (sets_mode(&own, 0o4700), "leave a file that runs as its user (setuid)"),
        (reads(&secret), "read a file of the keeper's"),
        (fs::hard_link(&secret, folder.join("work/link")).is_ok(), "link a file of the keeper's"),
        (fs::rename(&secret, folder.join("work/moved")).is_ok(), "move a file of the keeper's"),
        (reads(Path::new(&of_keeper("environ"))), "read the keeper's variables"),
        (reads(Path::new(&of_keeper("maps"))), "read where the keeper's memory is"),
        (reads(&through_keeper), "read a file by way of the keeper's root"),
        (UnixStream::connect(folder.join("socket")).is_ok(), "connect to a socket of the keeper's"),
        (!says("Seccomp", "2"), "call the system without a filter"),
        (!says("NoNewPrivs", "1"), "get new privileges"),
        (
            !says("CapBnd", "0000000000000000") && rustix::process::geteuid().is_root(),
            "get capabilities",
        ),
        (!says("CapEff", "0000000000000000"), "use capabilities"),
    ];
    attacks.into_iter().filter(|(succeeded, _)| *succeeded).map(|(_, what)| what).collect()
}

#[cfg(test)]
mod tests {
    use super::CheckReport;

    #[test]
    fn a_check_counts_only_with_its_end_and_without_a_breach() {
        let held = CheckReport { holds_signals: true };
        assert_eq!(CheckReport::parse("held signals\ndone\n"), Ok(held));
        assert_eq!(CheckReport::parse("done\n"), Ok(CheckReport { holds_signals: false }));
        assert!(CheckReport::parse("").is_err());
        assert!(CheckReport::parse("breach read a file of the keeper's\ndone\n").is_err());
    }
}
