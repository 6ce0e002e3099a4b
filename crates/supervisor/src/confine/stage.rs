//! The start of the next process on the way to the program: this very binary once more, with the shim's socket.

use std::{
    io,
    os::fd::OwnedFd,
    path::Path,
    process::{Child, Command, Stdio},
};

use super::order::{ConfineOrder, ConfineStage};

/// The hidden command that runs [`super::run`].
pub const CONFINE_COMMAND: &str = "confine";
/// This very program, whatever became of its file.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";

/// The command of a stage by `program`, with the shim's socket as its input and no other stream.
pub(crate) fn command(
    program: &Path,
    order: &ConfineOrder,
    stage: ConfineStage,
    socket: OwnedFd,
) -> Command {
    let mut command = Command::new(program);
    command
        .arg(CONFINE_COMMAND)
        .args(order.to_args(stage))
        .stdin(Stdio::from(socket))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Starts a stage with a copy of the socket.
pub(super) fn start(
    order: &ConfineOrder,
    stage: ConfineStage,
    socket: &OwnedFd,
    output: Stdio,
) -> io::Result<Child> {
    command(Path::new(THIS_PROGRAM), order, stage, socket.try_clone()?).stdout(output).spawn()
}

/// Lets go of the shim's socket as standard input, so that its end can be seen.
pub(super) fn close_stdin() {
    if let Ok(nothing) = std::fs::File::open("/dev/null") {
        rustix::stdio::dup2_stdin(&nothing).ok();
    }
}
