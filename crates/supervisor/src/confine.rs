//! What `abide confine` runs: between the shim and an agent's program, it gives up everything that the program must not
//! have, and becomes the program.
//!
//! Level 1 is one step in one process. Level 2 takes three: this process enters new namespaces and waits (`namespaces`);
//! its child is the first process of them, makes what can be seen there and collects what is orphaned (`init`, `mounts`);
//! the child of that one is restricted as at level 1 and becomes the program. It must never start a thread (credentials and
//! filters belong to threads), never run the program less confined than it was told, and keep no descriptor open in it but
//! its three streams.
//!
//! Its standard input is a socket to the shim: over it come the program's three streams, and what could not be done goes
//! back. The end of that socket, when the program takes the place of this one, tells the shim that the program runs.
//!
//! Order, which matters: files are opened, privileges dropped, Landlock (which forbids mounts) after all mounts, seccomp
//! last, for it forbids what the steps before need.

mod calls;
mod check;
mod error;
mod files;
mod init;
mod mounts;
mod namespaces;
mod order;
mod privileges;
mod report;
mod stage;

use std::{
    ffi::OsString,
    io,
    os::{fd::OwnedFd, unix::process::CommandExt as _},
    process::{Command, ExitCode, Stdio as Stream},
};

use rustix::io::Errno;

use self::error::ConfineError;
pub use self::stage::CONFINE_COMMAND;
pub(crate) use self::{
    check::{CHECK, CheckReport, INTRUDER},
    order::{ConfineOrder, ConfineStage},
    report::ConfineReport,
    stage::{THIS_PROGRAM, command},
};
use crate::{
    confinement::ConfinementLevel,
    shim::control::{Control, Stdio},
};

/// Descriptors from here on are closed in the program.
const FIRST_OWN_DESCRIPTOR: i32 = 3;

/// Confines this process, or one below it, and becomes the program. Returns only where that failed, or at level 2 when the
/// program has ended.
///
/// `args` are those behind the word `confine`. To be called before any thread is started: it is the whole program.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let mut args = args.peekable();
    if args.next_if(|first| first == CHECK).is_some() {
        return check::run(args);
    }
    let Some(order) = ConfineOrder::parse(args) else { return ExitCode::from(2) };
    // The program's streams take the place of this socket; the copy is closed when the program runs.
    let Ok(socket) = rustix::io::fcntl_dupfd_cloexec(io::stdin(), FIRST_OWN_DESCRIPTOR) else {
        return ExitCode::from(2);
    };
    let failed = match (order.stage, order.confinement.level) {
        (ConfineStage::Program, _) | (_, ConfinementLevel::Restricted) => {
            become_program(&order, &socket)
        }
        (ConfineStage::Enter, ConfinementLevel::Isolated) => {
            match namespaces::enter(&order, socket) {
                Ok(end) => return end.repeat(),
                Err((report, socket)) => return tell(&socket, &report),
            }
        }
        (ConfineStage::Init, ConfinementLevel::Isolated) => match init::run(&order, socket) {
            Ok(end) => return end,
            Err((report, socket)) => return tell(&socket, &report),
        },
    };
    tell(&socket, &failed)
}

fn tell(socket: &OwnedFd, report: &ConfineReport) -> ExitCode {
    report.send(socket);
    ExitCode::from(2)
}

/// Restricts this process and becomes the program; comes back only with why not.
fn become_program(order: &ConfineOrder, socket: &OwnedFd) -> ConfineReport {
    let stdio = match restrict(order, socket) {
        Ok(stdio) => stdio,
        Err(error) => return ConfineReport::Step(error.to_string()),
    };
    let error = Command::new(&order.program)
        .args(&order.args)
        .stdin(Stream::from(stdio.stdin))
        .stdout(Stream::from(stdio.stdout))
        .stderr(Stream::from(stdio.stderr))
        .exec();
    ConfineReport::Exec(error.raw_os_error().unwrap_or_else(|| Errno::NOENT.raw_os_error()))
}

fn restrict(order: &ConfineOrder, socket: &OwnedFd) -> Result<Stdio, ConfineError> {
    let received = Control::new(socket).receive_stdio();
    let stdio = received.map_err(ConfineError::at("receive the program's streams"))?;
    if order.stage == ConfineStage::Program {
        // No terminal of the keeper's, and no process group that reaches out of the namespace.
        rustix::process::setsid().map_err(ConfineError::at("begin a session"))?;
    }
    let rules = files::FileRules::open(&order.confinement)?;
    privileges::drop_all()?;
    let abi = rules.apply()?;
    calls::restrict(&order.confinement, abi)?;
    close_fds::set_fds_cloexec(FIRST_OWN_DESCRIPTOR, &[]);
    Ok(stdio)
}
