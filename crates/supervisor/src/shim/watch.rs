//! The wait: for the agent's end, for the keeper's requests and for the keeper's end; then for the last of the tree.
//!
//! It obeys nobody else: signals that would end it are swallowed, because its end would set the tree free.

use std::{
    io::{self, Read as _},
    os::{fd::AsFd as _, unix::net::UnixStream},
    path::Path,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, WaitStatus},
};
use signal_hook::{
    consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    low_level::pipe,
};

use super::{
    cgroup,
    control::{Control, ControlInput, ShimRequest},
    tree,
};

/// Between two rounds of killing, at first and at most. The end of each child is noticed at once; the rounds are for children
/// that were started meanwhile, and for those that the kernel cannot end yet.
const ROUND_FIRST: Duration = Duration::from_millis(2);
const ROUND_MAX: Duration = Duration::from_millis(200);

/// Signals as bytes in a socket, so that one wait covers them and the keeper.
#[derive(Debug)]
pub(super) struct Signals {
    socket: UnixStream,
}

impl Signals {
    pub(super) fn register() -> io::Result<Self> {
        let (socket, sender) = UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        for signal in [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
            pipe::register(signal, sender.try_clone()?)?;
        }
        Ok(Self { socket })
    }

    fn clear(&self) {
        let mut bytes = [0; 256];
        while (&self.socket).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
    }
}

/// Returns once nothing of the tree is left, with the status of the agent.
pub(super) fn watch(
    control: &Control<'_>,
    signals: &Signals,
    agent: Pid,
    group: Option<&Path>,
) -> Option<WaitStatus> {
    let mut status = None;
    let mut keeper = true;
    // The run is over: asked for, or by the end of the agent or of the keeper.
    let mut over = false;
    let mut round = ROUND_FIRST;
    while tree::reap(agent, &mut status) {
        over |= status.is_some();
        if over {
            group.into_iter().for_each(cgroup::kill);
            tree::kill(status.is_none().then_some(agent));
        }
        let limit = over.then_some(round);
        round = if over { (round * 2).min(ROUND_MAX) } else { ROUND_FIRST };
        if !sleep(keeper.then_some(control), signals, limit) {
            continue;
        }
        match control.receive() {
            ControlInput::Closed => (keeper, over) = (false, true),
            ControlInput::Requests(requests) if requests.contains(&ShimRequest::Kill) => {
                over = true;
            }
            ControlInput::Requests(requests) if requests.contains(&ShimRequest::Terminate) => {
                tree::terminate(agent);
            }
            ControlInput::Requests(_) => {}
        }
    }
    status
}

/// Waits for a signal, the keeper or the end of `limit`; true if the keeper is to be read.
fn sleep(control: Option<&Control<'_>>, signals: &Signals, limit: Option<Duration>) -> bool {
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    let mut waits = vec![PollFd::from_borrowed_fd(signals.socket.as_fd(), PollFlags::IN)];
    waits.extend(control.map(|control| PollFd::from_borrowed_fd(control.fd(), PollFlags::IN)));
    // An interrupted wait got a signal, and everything is checked anyway.
    poll(&mut waits, limit.as_ref()).ok();
    let is_readable = waits.get(1).is_some_and(|wait| !wait.revents().is_empty());
    signals.clear();
    is_readable
}
