//! Processes as the system shows them: who belongs to a keeper, who is left, who was never collected.
//!
//! All that a keeper of these tests starts carries a mark in its environment. Only marked processes are ever signalled,
//! through descriptors that were checked after they were opened.

use std::{fs, os::fd::OwnedFd};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

/// The variable that carries the mark.
pub(super) const MARK: &str = "HOUSE_MARK";
/// Longest wait for the end of one process; only a failure uses it up.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// Tells a program that it only tries a change.
const SHADOW: &str = "ABIDE_SHADOW=1\0";

/// The processes with this mark, without those named.
pub(super) fn marked(mark: &str, but: &[u32]) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}\0");
    let all = all().into_iter().filter(|pid| !but.contains(pid));
    all.filter(|pid| has_variable(*pid, &wanted)).collect()
}

/// The processes with this mark that try a change.
pub(super) fn shadows(mark: &str) -> Vec<u32> {
    marked(mark, &[]).into_iter().filter(|pid| has_variable(*pid, SHADOW)).collect()
}

fn has_variable(pid: u32, wanted: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}

/// Sends a signal to a process, if it has this mark; says whether it was sent.
pub(super) fn signal(pid: u32, mark: &str, signal: Signal) -> bool {
    let Some(process) = open(pid) else { return false };
    marked(mark, &[]).contains(&pid) && pidfd_send_signal(process, signal).is_ok()
}

/// Waits until no process with this mark is left.
pub(super) fn wait_until_gone(mark: &str) {
    loop {
        let left = marked(mark, &[]);
        let Some(&pid) = left.first() else { return };
        let Some(process) = open(pid) else { continue };
        let mut ends = [PollFd::new(&process, PollFlags::IN)];
        let ended = poll(&mut ends, Some(&PATIENCE)).unwrap();
        assert_eq!(ended, 1, "{} survived: {left:?}", command(pid));
    }
}

/// Ended children of these that nobody has collected.
pub(super) fn zombies(parents: &[u32]) -> Vec<u32> {
    let is_left = |pid: &u32| {
        stat(*pid).is_some_and(|(state, parent)| state == 'Z' && parents.contains(&parent))
    };
    all().into_iter().filter(is_left).collect()
}

/// The parent of a process.
fn parent(pid: u32) -> Option<u32> {
    stat(pid).map(|(_, parent)| parent)
}

/// The shim of an agent's process: its ancestor that is a child of the keeper.
pub(super) fn shim(pid: u32, keeper: u32) -> u32 {
    let above = parent(pid).unwrap();
    if above == keeper { pid } else { shim(above, keeper) }
}

/// How many descriptors a process holds.
pub(super) fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// What its descriptors are, sorted; for the message of a failure.
pub(super) fn held(pid: u32) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let name = |path| fs::read_link(path).map(|held| held.to_string_lossy().into_owned());
    let mut held: Vec<_> = entries.filter_map(|entry| name(entry.ok()?.path()).ok()).collect();
    held.sort();
    held
}

/// How many threads it has.
pub(super) fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).unwrap().count()
}

/// Memory that it holds, in KB.
pub(super) fn resident_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim_end_matches("kB").trim().parse().unwrap()
}

fn all() -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

fn open(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

fn command(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// State and parent.
fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    let mut words = behind.split_ascii_whitespace();
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}
