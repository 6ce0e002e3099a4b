//! What `abide shim` runs: a tiny process between the keeper and one agent, which keeps hold of every process that the agent starts.
//!
//! It is the sub-reaper of its tree: whatever an agent starts, in whatever session, becomes the shim's child once its own
//! parent is gone. So "kill until no child is left" reaches all of it, which neither process groups nor parent-death
//! signals do. Its standard input is a socket to the keeper: over it come the agent's three streams and the orders, and
//! the end of that socket is the end of the keeper, and so of the tree. It must never copy the agent's bytes, start a
//! thread, keep a descriptor besides that socket and its signal pipe, or write anything to disk.
//!
//! Reading order: [`run`], the order it is given (`order`), the keeper's socket (`control`), the start (`launch`,
//! `limits`, `cgroup`), the wait (`watch`, `tree`), what it reports (`report`).

pub(crate) mod cgroup;
pub(crate) mod control;
mod launch;
mod limits;
pub(crate) mod order;
pub(crate) mod report;
mod tree;
mod watch;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use rustix::process::{getpid, set_child_subreaper, setsid};

use self::{
    control::Control,
    order::{Order, OrderError},
    report::ShimReport,
    watch::Signals,
};

/// Why the shim could not do its work at all; what concerns the agent is reported to the keeper instead.
#[derive(Debug, thiserror::Error)]
enum ShimError {
    #[error("this command is started by the keeper, not by hand")]
    Order(#[from] OrderError),
    #[error("cannot use the keeper's socket")]
    Control(#[source] io::Error),
    #[error("cannot receive signals")]
    Signals(#[source] io::Error),
}

/// Starts one agent, waits for the end of it or of the keeper, and leaves nothing behind.
///
/// `args` are those behind the word `shim`. To be called before any thread is started: it is the whole program.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    match serve(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Best effort: the descriptor may be closed.
            drop(writeln!(io::stderr(), "abide shim: {error}"));
            ExitCode::from(2)
        }
    }
}

fn serve(args: impl Iterator<Item = OsString>) -> Result<(), ShimError> {
    let order = Order::parse(args)?;
    let stdin = io::stdin();
    let control = Control::new(&stdin);
    // Before anything is started, so that no end of a child can be missed.
    let signals = Signals::register().map_err(ShimError::Signals)?;
    let stdio = control.receive_stdio().map_err(ShimError::Control)?;

    // It is no group leader when the keeper starts it; where a person did, the old session does no harm.
    setsid().ok();
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        let reason = format!("this system cannot collect orphaned processes: {error}");
        control.send(&ShimReport::NotStarted(reason));
        return Ok(());
    }

    match launch::launch(&order, stdio) {
        Err(reason) => control.send(&ShimReport::NotStarted(reason)),
        Ok(launched) => {
            control.send(&ShimReport::Started(launched.program.as_raw_pid().unsigned_abs()));
            for note in launched.notes {
                control.send(&ShimReport::Note(note));
            }
            let status = watch::watch(&control, &signals, launched.pid, order.cgroup.as_deref());
            if order.cgroup.as_deref().is_some_and(cgroup::ran_out_of_memory) {
                control.send(&ShimReport::Note(
                    "the agent ran out of the memory that it may use".into(),
                ));
            }
            if let Some(report) = status.and_then(ShimReport::of_status) {
                control.send(&report);
            }
        }
    }
    if let Some(folder) = &order.cgroup {
        cgroup::remove(folder);
    }
    Ok(())
}
