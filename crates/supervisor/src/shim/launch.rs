//! The start of the agent, and why there is none, in words for the person who wrote the configuration.
//!
//! It never looks at the environment: the agent inherits the shim's, which the keeper chose.

use std::{
    env,
    io::{self, ErrorKind},
    os::unix::{net::UnixStream, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio as Stream},
};

use rustix::process::Pid;

use super::{
    cgroup::CgroupMembership,
    control::{Stdio, send_stdio},
    limits::LoweredLimits,
    order::Order,
    tree,
};
use crate::{
    confine::{ConfineOrder, ConfineReport, ConfineStage, THIS_PROGRAM, command},
    confinement::{Confinement, ConfinementLevel},
};

/// A program that runs.
#[derive(Debug)]
pub(super) struct LaunchedProgram {
    /// What is waited for: the program, or what repeats its end.
    pub(super) pid: Pid,
    /// The program itself.
    pub(super) program: Pid,
    /// What a person should know about the start.
    pub(super) notes: Vec<String>,
}

/// Starts the program of `order`; the error is the reason for a person.
pub(super) fn launch(order: &Order, stdio: Stdio) -> Result<LaunchedProgram, String> {
    env::set_current_dir(&order.folder).map_err(|error| {
        format!("cannot use the working folder {}: {error}", order.folder.display())
    })?;
    let mut notes = Vec::new();
    let joined = order.cgroup.as_deref().and_then(|folder| match CgroupMembership::new(folder) {
        Ok(joined) => Some(joined),
        Err(error) => {
            notes.push(format!("the control group of the agent cannot be used: {error}"));
            None
        }
    });
    let lowered = LoweredLimits::new(&order.limits, joined.is_none(), &mut notes)?;
    let pid = match &order.confinement {
        None => start(order, stdio)?,
        Some(confinement) => start_confined(order, confinement, stdio)?,
    };
    drop(lowered);
    if let Some(Err(error)) = joined.map(CgroupMembership::leave) {
        notes.push(format!("the shim could not leave its control group: {error}"));
    }
    let isolated = |confinement: &Confinement| confinement.level == ConfinementLevel::Isolated;
    let program =
        order.confinement.as_ref().is_some_and(isolated).then(|| program_below(pid)).flatten();
    Ok(LaunchedProgram { pid, program: program.unwrap_or(pid), notes })
}

fn start(order: &Order, stdio: Stdio) -> Result<Pid, String> {
    // The command holds the shim's copies of the streams and dies with this statement, so that their ends are seen.
    let started = Command::new(&order.program)
        .args(&order.args)
        .stdin(Stream::from(stdio.stdin))
        .stdout(Stream::from(stdio.stdout))
        .stderr(Stream::from(stdio.stderr))
        // A group of its own, so that a signal which it sends to its group does not reach the shim.
        .process_group(0)
        .spawn();
    pid_of(&started.map_err(|error| format_start_failure(order, &error))?)
}

/// Starts this very program again, which confines itself and becomes the agent's; returns once that runs.
fn start_confined(order: &Order, confinement: &Confinement, stdio: Stdio) -> Result<Pid, String> {
    let confine = ConfineOrder {
        stage: ConfineStage::Enter,
        confinement: confinement.clone(),
        program: order.program.clone(),
        args: order.args.clone(),
    };
    let failed = |error: io::Error| format!("the agent cannot be confined: {error}");
    let (socket, input) = UnixStream::pair().map_err(failed)?;
    let mut command = command(Path::new(THIS_PROGRAM), &confine, ConfineStage::Enter, input.into());
    let mut child = command.process_group(0).spawn().map_err(failed)?;
    drop(command);
    send_stdio(&socket, &stdio).map_err(failed)?;
    drop(stdio);
    let Some(report) = ConfineReport::receive(&socket) else { return pid_of(&child) };
    // It has said its last; where it hangs, it is ended with everything below it.
    child.kill().ok();
    child.wait().ok();
    Err(match report {
        ConfineReport::Exec(errno) => {
            format_start_failure(order, &io::Error::from_raw_os_error(errno))
        }
        ConfineReport::Step(step) => format!("the agent cannot be confined: {step}"),
    })
}

fn pid_of(child: &Child) -> Result<Pid, String> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| format!("the system gave the process id {}", child.id()))
}

/// The program at level 2: the only child of the first process of the namespace, which is the only child of `pid`.
fn program_below(pid: Pid) -> Option<Pid> {
    let first = tree::children(pid).into_iter().next()?;
    tree::children(first).into_iter().next()
}

/// Says why a program could not be started, and what may be done.
fn format_start_failure(order: &Order, error: &io::Error) -> String {
    let program = order.program.display();
    match (error.kind(), find_program(&order.program)) {
        (ErrorKind::NotFound, Some(path)) => {
            format!(
                "cannot start {program}: the interpreter in its first line is missing ({})",
                path.display()
            )
        }
        (ErrorKind::NotFound, None) if is_path(&order.program) => {
            format!("cannot start {program}: there is no such file in {}", order.folder.display())
        }
        (ErrorKind::NotFound, None) => {
            format!("cannot start {program}: there is no such program in PATH")
        }
        (ErrorKind::PermissionDenied, _) if order.confinement.is_some() => {
            format!(
                "cannot start {program}: it may not be executed (chmod +x?), or the sandbox does not show it or its \
                 interpreter to the agent (name its folder in `read` of [[agent]])"
            )
        }
        (ErrorKind::PermissionDenied, _) => {
            format!("cannot start {program}: it may not be executed (chmod +x?)")
        }
        (ErrorKind::OutOfMemory, _) if order.limits.memory_bytes.is_some() => {
            format!("cannot start {program}: its memory limit is too small ({error})")
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            format!("cannot start {program}: it is no program for this machine, and has no #! line")
        }
        _ => format!("cannot start {program}: {error}"),
    }
}

/// Where a program is, in the way exec looks for it.
fn find_program(program: &Path) -> Option<PathBuf> {
    if is_path(program) {
        return program.exists().then(|| program.to_path_buf());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.exists())
}

fn is_path(program: &Path) -> bool {
    program.components().count() > 1 || program.is_absolute()
}
