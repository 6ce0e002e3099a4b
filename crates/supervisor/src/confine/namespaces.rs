//! Level 2, the first step: new namespaces, and a child that is the first process of them. This process stays outside and
//! repeats its end, so that the shim sees how the program ended.
//!
//! Without the privilege to make namespaces it makes a user namespace first, in which the user is itself and nobody else.

use std::{
    fs,
    io::{self, Read as _},
    os::fd::OwnedFd,
    process::{Child, ChildStdout, ExitCode, Stdio},
    sync::{Arc, atomic::AtomicBool},
};

use rustix::{
    process::{Pid, Signal, getegid, geteuid, getpid, kill_process},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities,
        configure_capability_in_ambient_set, set_capabilities, unshare_unsafe,
    },
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    flag, low_level,
};

use super::{
    error::ConfineError,
    order::{ConfineOrder, ConfineStage},
    report::ConfineReport,
    stage,
};
use crate::confinement::NetworkAccess;

/// What the next step needs, which would lose it when it is executed by any other user than 0.
const KEPT: [CapabilitySet; 2] = [CapabilitySet::SYS_ADMIN, CapabilitySet::SETPCAP];
/// An end by a signal, as shells write it, where the signal cannot be repeated.
const SIGNAL_BASE: i32 = 128;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramEnd {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl ProgramEnd {
    /// The line that [`Self::parse`] reads.
    pub(super) fn to_line(self) -> String {
        match self {
            Self::Code(code) => format!("code {code}"),
            Self::Signal(signal) => format!("signal {signal}"),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (word, number) = line.split_once(' ')?;
        let number = number.parse().ok()?;
        match word {
            "code" => Some(Self::Code(number)),
            "signal" => Some(Self::Signal(number)),
            _ => None,
        }
    }

    /// Ends this process in the same way; where that cannot be, the code that it is to end with.
    pub(super) fn repeat(self) -> ExitCode {
        let code = match self {
            Self::Code(code) => code,
            Self::Signal(signal) => {
                if signal == Signal::KILL.as_raw() {
                    kill_process(getpid(), Signal::KILL).ok();
                }
                low_level::emulate_default_handler(signal).ok();
                SIGNAL_BASE + signal
            }
        };
        ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX))
    }
}

/// Enters new namespaces, starts their first process, and waits until the program in them has ended. On failure, what to
/// report, and where.
pub(super) fn enter(
    order: &ConfineOrder,
    socket: OwnedFd,
) -> Result<ProgramEnd, (ConfineReport, OwnedFd)> {
    let (mut child, mut end) = match start(order, &socket) {
        Ok(started) => started,
        Err(error) => return Err((ConfineReport::Step(error.to_string()), socket)),
    };
    // The shim waits for the end of this socket, of which two copies are left here.
    drop(socket);
    stage::close_stdin();
    let mut line = String::new();
    end.read_to_string(&mut line).ok();
    let status = child.wait();
    Ok(ProgramEnd::parse(&line).unwrap_or_else(|| first_process_end(status)))
}

/// How it ended where the first process did not live to say so: with it, everything in its namespace was killed.
fn first_process_end(status: io::Result<std::process::ExitStatus>) -> ProgramEnd {
    match status.ok().and_then(|status| status.code()) {
        Some(code) => ProgramEnd::Code(code),
        None => ProgramEnd::Signal(Signal::KILL.as_raw()),
    }
}

fn start(order: &ConfineOrder, socket: &OwnedFd) -> Result<(Child, ChildStdout), ConfineError> {
    // A request to end is for the program, which gets it too; this process ends with it.
    let heard = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
        flag::register(signal, Arc::clone(&heard)).map_err(ConfineError::at("hear signals"))?;
    }
    unshare(order.confinement.network)?;
    let step = "start the first process of the namespace";
    let mut child = stage::start(order, ConfineStage::Init, socket, Stdio::piped())
        .map_err(ConfineError::at(step))?;
    let end = child.stdout.take().ok_or_else(|| ConfineError::at(step)("it has no output"))?;
    Ok((child, end))
}

fn unshare(network: NetworkAccess) -> Result<(), ConfineError> {
    let held = capabilities(None).map_err(ConfineError::at("read the capabilities"))?;
    let is_privileged = held.effective.contains(CapabilitySet::SYS_ADMIN);
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let mut flags =
        UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if network == NetworkAccess::None {
        flags |= UnshareFlags::NEWNET;
    }
    if !is_privileged {
        flags |= UnshareFlags::NEWUSER;
    }
    #[allow(
        unsafe_code,
        reason = "unsafe for CLONE_FILES alone, which is not among the flags; no thread runs here"
    )]
    let entered = unsafe { unshare_unsafe(flags) };
    let step = if is_privileged { "make namespaces" } else { "make a user namespace" };
    entered.map_err(ConfineError::at(step))?;
    if !is_privileged {
        map(user, group).map_err(ConfineError::at("map the user in its namespace"))?;
        keep_capabilities().map_err(ConfineError::at("keep the namespace's privileges"))?;
    }
    Ok(())
}

/// The user and its group as themselves; nobody else is there.
fn map(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn keep_capabilities() -> rustix::io::Result<()> {
    let held = capabilities(None)?;
    let inheritable = KEPT.into_iter().collect();
    set_capabilities(None, CapabilitySets { inheritable, ..held })?;
    KEPT.into_iter().try_for_each(|kept| configure_capability_in_ambient_set(kept, true))
}

/// The number of a process as a signal's target; kept here for both steps that wait.
pub(super) fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::ProgramEnd;

    #[test]
    fn an_end_survives_its_line() {
        for end in [ProgramEnd::Code(0), ProgramEnd::Code(255), ProgramEnd::Signal(9)] {
            assert_eq!(ProgramEnd::parse(&end.to_line()), Some(end));
        }
        assert_eq!(ProgramEnd::parse(""), None);
    }
}
