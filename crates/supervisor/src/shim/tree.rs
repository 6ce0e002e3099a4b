//! Everything below the shim: asked to end, killed, collected.
//!
//! Only direct children are killed by number: nobody but the shim collects them, so no number can have passed to
//! another process. What they leave behind becomes a direct child in turn. Deeper ones are signalled through a descriptor that was
//! checked after it was opened.

use std::{fs, io};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, pidfd_open,
        pidfd_send_signal, wait,
    },
};

/// Of a larger tree, the rest is not asked to end but killed.
const ASKED_MAX: usize = 4096;

/// Collects what has ended. `main` gets the status of `agent`; false once no child is left at all.
pub(super) fn reap(agent: Pid, main: &mut Option<WaitStatus>) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == agent => *main = Some(status),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Kills all direct children, stopped ones too. `agent` is one for certain while it is not collected, whatever `/proc` says.
pub(super) fn kill(agent: Option<Pid>) {
    let listed = children(getpid());
    for pid in listed.into_iter().chain(agent) {
        kill_process(pid, Signal::KILL).ok();
    }
}

/// Asks every process below the shim to end.
pub(super) fn terminate(agent: Pid) {
    let mut open = vec![getpid()];
    let mut asked = 0;
    while let Some(parent) = open.pop() {
        for pid in children(parent) {
            if asked == ASKED_MAX {
                return;
            }
            asked += 1;
            terminate_one(pid, parent);
            open.push(pid);
        }
    }
    if asked == 0 {
        kill_process(agent, Signal::TERM).ok();
    }
}

fn terminate_one(pid: Pid, parent: Pid) {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if parent_of(pid) == Some(parent) {
        pidfd_send_signal(process, Signal::TERM).ok();
    }
}

/// The children of a process, all of its threads'.
pub(super) fn children(parent: Pid) -> Vec<Pid> {
    listed_children(parent).unwrap_or_else(|_| scanned_children(parent))
}

/// By the kernel's own list; an error where it keeps none.
fn listed_children(parent: Pid) -> io::Result<Vec<Pid>> {
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{}/task", parent.as_raw_pid()))? {
        let text = fs::read_to_string(thread?.path().join("children"))?;
        children.extend(text.split_ascii_whitespace().filter_map(pid_of));
    }
    Ok(children)
}

/// By a look at every process there is.
fn scanned_children(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| pid_of(entry.ok()?.file_name().to_str()?))
        .filter(|pid| parent_of(*pid) == Some(parent))
        .collect()
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The name in parentheses may hold anything; the state and the parent stand behind the last one.
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_ascii_whitespace().nth(1).and_then(pid_of)
}

fn pid_of(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::process::{Pid, getpid, getppid};

    use super::{listed_children, parent_of, scanned_children};

    #[test]
    fn both_ways_to_list_children_find_the_same() -> std::io::Result<()> {
        let mut child = Command::new("sleep").arg("600").spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let found = [listed_children(getpid())?, scanned_children(getpid())]
            .map(|pids| pids.into_iter().filter(|found| Some(*found) == pid).count());
        child.kill()?;
        child.wait()?;
        assert_eq!(found, [1, 1]);
        Ok(())
    }

    #[test]
    fn the_parent_of_a_process_is_known() {
        assert_eq!(parent_of(getpid()), getppid());
    }
}
