//! The start of the agent, and why there is none, in words for the person who wrote the configuration.
//!
//! It never looks at the environment: the agent inherits the shim's, which the keeper chose.

use std::{
    env,
    io::{self, ErrorKind},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio as Stream},
};

use rustix::process::Pid;

use super::{cgroup::CgroupMembership, control::Stdio, limits::LoweredLimits, order::Order};

/// A program that runs.
#[derive(Debug)]
pub(super) struct LaunchedProgram {
    pub(super) pid: Pid,
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
    // The command holds the shim's copies of the streams and dies with this statement, so that their ends are seen.
    let started = Command::new(&order.program)
        .args(&order.args)
        .stdin(Stream::from(stdio.stdin))
        .stdout(Stream::from(stdio.stdout))
        .stderr(Stream::from(stdio.stderr))
        // A group of its own, so that a signal which it sends to its group does not reach the shim.
        .process_group(0)
        .spawn();
    let child = started.map_err(|error| format_start_failure(order, &error))?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| format!("the system gave the process id {}", child.id()))?;
    drop(lowered);
    if let Some(Err(error)) = joined.map(CgroupMembership::leave) {
        notes.push(format!("the shim could not leave its control group: {error}"));
    }
    Ok(LaunchedProgram { pid, notes })
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
