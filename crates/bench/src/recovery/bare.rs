//! A parent and a child without Abide: what the machine itself takes to start one, and how any child is heard.

use std::{
    io,
    io::IoSliceMut,
    mem::MaybeUninit,
    os::unix::net::UnixDatagram,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::{
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg, sockopt::set_socket_passcred,
    },
    process::{Pid, Signal, kill_process},
};
use tempfile::TempDir;

use crate::{
    agent::{BENCH_AGENT, CHILD},
    error::BenchError,
    system::Stopwatch,
};

/// How long a first word is waited for.
const PATIENCE: Duration = Duration::from_mins(1);
/// Longest first word.
const WORD_BYTES_MAX: usize = 16;

/// Where children say their first word.
#[derive(Debug)]
pub(super) struct Listener {
    // Not in the scratch folder, whose path may be too long for a socket.
    _folder: TempDir,
    path: PathBuf,
    socket: UnixDatagram,
}

impl Listener {
    pub(super) fn open() -> Result<Self, BenchError> {
        let open = || -> io::Result<Self> {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("listener");
            let socket = UnixDatagram::bind(&path)?;
            set_socket_passcred(&socket, true)?;
            socket.set_read_timeout(Some(PATIENCE))?;
            Ok(Self { _folder: folder, path, socket })
        };
        open().map_err(BenchError::io("listen to children"))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the first word of a child and tells its process id as this process knows it: one in a namespace of its own
    /// has another number for itself.
    pub(super) fn first_word(&self) -> Result<Pid, BenchError> {
        let mut word = [0; WORD_BYTES_MAX];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut words = [IoSliceMut::new(&mut word)];
        recvmsg(&self.socket, &mut words, &mut ancillary, RecvFlags::empty())
            .map_err(|error| BenchError::io("hear a child")(error.into()))?;
        let mut sent = ancillary.drain();
        let pid = sent.find_map(|message| match message {
            RecvAncillaryMessage::ScmCredentials(sender) => Some(sender.pid),
            _ => None,
        });
        pid.ok_or_else(|| BenchError::Wrong("a child's first word came without its number".into()))
    }
}

/// SIGKILL.
pub(super) fn kill(pid: Pid) -> Result<(), BenchError> {
    let killed = kill_process(pid, Signal::KILL);
    killed.map_err(|error| BenchError::io("kill a process")(error.into()))
}

/// A child of this process.
#[derive(Debug)]
pub(super) struct BareChild {
    command: Command,
    child: Child,
    listener: Listener,
}

impl BareChild {
    /// Starts one and hears it.
    pub(super) fn start(binary: &Path) -> Result<Self, BenchError> {
        let listener = Listener::open()?;
        let mut command = Command::new(binary);
        // As an agent is started: with pipes, and with nothing in its environment.
        command.args([BENCH_AGENT, CHILD]).arg(listener.path()).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(BenchError::io("start a child"))?;
        listener.first_word()?;
        Ok(Self { command, child, listener })
    }

    /// Kills it, collects it and starts it again, in milliseconds to its first word.
    pub(super) fn restart(&mut self) -> Result<f64, BenchError> {
        let watch = Stopwatch::start();
        self.end()?;
        self.again(watch)
    }

    /// Starts it again after it has ended, in milliseconds to its first word.
    pub(super) fn start_again(&mut self) -> Result<f64, BenchError> {
        self.end()?;
        self.again(Stopwatch::start())
    }

    fn again(&mut self, watch: Stopwatch) -> Result<f64, BenchError> {
        self.child = self.command.spawn().map_err(BenchError::io("start a child"))?;
        self.listener.first_word()?;
        Ok(watch.millis())
    }

    fn end(&mut self) -> Result<(), BenchError> {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        ended.map(drop).map_err(BenchError::io("kill a child"))
    }
}

impl Drop for BareChild {
    fn drop(&mut self) {
        // One that cannot be killed has ended.
        drop(self.end());
    }
}
