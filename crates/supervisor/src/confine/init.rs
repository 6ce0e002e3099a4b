//! Level 2, the second step: the first process of the new namespaces. It makes what can be seen there, starts the program's
//! process, and collects everything that is orphaned; its own end is the end of everything in the namespace.

use std::{
    env, io,
    os::fd::OwnedFd,
    process::{ExitCode, Stdio},
};

use rustix::{
    io::Errno,
    process::{Signal, WaitOptions, WaitStatus, set_parent_process_death_signal, wait},
};

use super::{
    error::ConfineError,
    mounts,
    namespaces::{ProgramEnd, pid_of},
    order::{ConfineOrder, ConfineStage},
    privileges,
    report::ConfineReport,
    stage,
};

/// Runs the namespace until its program has ended, and says on its output how. On failure, what to report, and where.
pub(super) fn run(
    order: &ConfineOrder,
    socket: OwnedFd,
) -> Result<ExitCode, (ConfineReport, OwnedFd)> {
    let program = match start(order, &socket) {
        Ok(program) => program,
        Err(error) => return Err((ConfineReport::Step(error.to_string()), socket)),
    };
    drop(socket);
    stage::close_stdin();
    // Nothing is left to do that needs a privilege. It is no failure of the program's if that is refused.
    privileges::drop_all().ok();
    set_parent_process_death_signal(Some(Signal::KILL)).ok();
    let end = collect(program);
    // Nobody who could hear it is no reason to stay.
    rustix::io::write(io::stdout(), end.to_line().as_bytes()).ok();
    Ok(ExitCode::SUCCESS)
}

fn start(order: &ConfineOrder, socket: &OwnedFd) -> Result<rustix::process::Pid, ConfineError> {
    // Before anything else: the namespace must not outlive the process outside of it.
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(ConfineError::at("follow the end of the parent"))?;
    let folder = env::current_dir().map_err(ConfineError::at("find the working folder"))?;
    mounts::make(&order.confinement)?;
    env::set_current_dir(&folder).map_err(ConfineError::at("return to the working folder"))?;
    let step = "start the program's process";
    let child = stage::start(order, ConfineStage::Program, socket, Stdio::null())
        .map_err(ConfineError::at(step))?;
    pid_of(&child).ok_or_else(|| ConfineError::at(step)("the system gave no process id"))
}

/// Collects whatever ends, until the program has.
fn collect(program: rustix::process::Pid) -> ProgramEnd {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => {
                if let Some(end) = end_of(status) {
                    return end;
                }
            }
            Ok(_) | Err(Errno::INTR) => {}
            // It was collected, so it is over.
            Err(_) => return ProgramEnd::Signal(Signal::KILL.as_raw()),
        }
    }
}

fn end_of(status: WaitStatus) -> Option<ProgramEnd> {
    let code = status.exit_status().map(ProgramEnd::Code);
    code.or_else(|| status.terminating_signal().map(ProgramEnd::Signal))
}
