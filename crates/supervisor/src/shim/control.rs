//! The socket between a keeper and one shim: three streams and single-byte requests down, lines of report up.
//!
//! The streams travel as descriptors with the first byte, because a process can be started with no more than its own
//! three without unsafe code. Each is closed on exec, on both sides.

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recv, recvmsg, send, sendmsg,
};

use super::report::ShimReport;

/// Requests read at once; more than a keeper ever has on its way.
const REQUESTS_MAX: usize = 64;
/// The byte that goes with the streams.
const STREAMS: u8 = b'S';

/// What a keeper asks of a shim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShimRequest {
    /// To ask the whole tree to end.
    Terminate,
    /// To end the whole tree.
    Kill,
}

impl ShimRequest {
    fn byte(self) -> u8 {
        match self {
            Self::Terminate => b'T',
            Self::Kill => b'K',
        }
    }
}

/// An agent's three streams, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Stdio {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Hands the streams of an agent to the shim at the other end of `socket`.
pub(crate) fn send_stdio(socket: impl AsFd, stdio: &Stdio) -> io::Result<()> {
    let streams = [stdio.stdin.as_fd(), stdio.stdout.as_fd(), stdio.stderr.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&streams)) {
        return Err(io::Error::other("no room for three descriptors"));
    }
    sendmsg(socket, &[IoSlice::new(&[STREAMS])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Sends one request; never waits. A shim that is gone needs none.
pub(crate) fn send_request(socket: impl AsFd, request: ShimRequest) {
    send(socket, &[request.byte()], SendFlags::NOSIGNAL | SendFlags::DONTWAIT).ok();
}

/// The shim's end.
#[derive(Debug)]
pub(crate) struct Control<'a> {
    socket: BorrowedFd<'a>,
}

/// What was read from the keeper.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ControlInput {
    Requests(Vec<ShimRequest>),
    /// The keeper is gone, or has let go of this agent.
    Closed,
}

impl<'a> Control<'a> {
    pub(crate) fn new(socket: &'a impl AsFd) -> Self {
        Self { socket: socket.as_fd() }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'a> {
        self.socket
    }

    /// Waits for the three streams.
    pub(crate) fn receive_stdio(&self) -> io::Result<Stdio> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut bytes = [IoSliceMut::new(&mut byte)];
        recvmsg(self.socket, &mut bytes, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        let mut streams = ancillary.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(streams) => streams.collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        match (streams.next(), streams.next(), streams.next()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok(Stdio { stdin, stdout, stderr }),
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the keeper sent no streams")),
        }
    }

    /// Reads what is there, once the socket is readable.
    pub(super) fn receive(&self) -> ControlInput {
        let mut bytes = [0; REQUESTS_MAX];
        match recv(self.socket, &mut bytes, RecvFlags::DONTWAIT) {
            Ok((_, 0)) => ControlInput::Closed,
            Ok((_, count)) => ControlInput::Requests(
                bytes
                    .iter()
                    .take(count)
                    .filter_map(|byte| {
                        [ShimRequest::Terminate, ShimRequest::Kill]
                            .into_iter()
                            .find(|request| request.byte() == *byte)
                    })
                    .collect(),
            ),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {
                ControlInput::Requests(Vec::new())
            }
            Err(_) => ControlInput::Closed,
        }
    }

    /// Sends a report; a keeper that is gone is noticed by [`Self::receive`].
    pub(super) fn send(&self, report: &ShimReport) {
        let line = report.to_line();
        let mut rest = line.as_bytes();
        while let Ok(count) = send(self.socket, rest, SendFlags::NOSIGNAL) {
            rest = rest.get(count..).unwrap_or_default();
            if rest.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::{Read as _, Write as _},
        os::unix::net::UnixStream,
    };

    use super::{Control, ControlInput, ShimRequest, Stdio, send_request, send_stdio};

    #[test]
    fn streams_arrive_as_themselves_and_requests_in_turn() -> std::io::Result<()> {
        let (keeper, shim) = UnixStream::pair()?;
        let (mut reader, writer) = std::io::pipe()?;
        let stdio = Stdio {
            stdin: File::open("/dev/null")?.into(),
            stdout: writer.into(),
            stderr: File::open("/dev/null")?.into(),
        };
        send_stdio(&keeper, &stdio)?;
        drop(stdio);

        let control = Control::new(&shim);
        let received = control.receive_stdio()?;
        File::from(received.stdout).write_all(b"here")?;
        let mut text = String::new();
        reader.read_to_string(&mut text)?;
        assert_eq!(text, "here");

        send_request(&keeper, ShimRequest::Terminate);
        send_request(&keeper, ShimRequest::Kill);
        assert_eq!(
            control.receive(),
            ControlInput::Requests(vec![ShimRequest::Terminate, ShimRequest::Kill])
        );
        assert_eq!(control.receive(), ControlInput::Requests(Vec::new()));
        drop(keeper);
        assert_eq!(control.receive(), ControlInput::Closed);
        Ok(())
    }

    #[test]
    fn a_keeper_that_sends_no_streams_is_an_error() -> std::io::Result<()> {
        let (keeper, shim) = UnixStream::pair()?;
        drop(keeper);
        assert!(Control::new(&shim).receive_stdio().is_err());
        Ok(())
    }
}
