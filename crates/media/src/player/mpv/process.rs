//! One process of mpv and the socket that it was born with.
//!
//! The socket is its standard input: it has no path that another could take or reach, and no other child of ours can inherit
//! it. When our end is gone, however that came, mpv ends.

use std::{io, os::fd::OwnedFd, process::Stdio};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    process::{Child, Command},
    time::timeout,
};

use super::settings::{MpvAudio, MpvSettings};
use crate::limits::{LINE_BYTES_MAX, REPLY_MAX};

/// What mpv may not do, and what it is for. Its own files of settings, scripts and other programs are left out; files are
/// opened as audio and nothing else, so that none of them names others.
const ARGUMENTS: [&str; 24] = [
    "--no-config",
    "--load-scripts=no",
    "--ytdl=no",
    "--no-terminal",
    "--input-ipc-client=fd://0",
    "--input-default-bindings=no",
    "--input-media-keys=no",
    "--idle=yes",
    "--force-window=no",
    "--vid=no",
    "--sid=no",
    "--sub-auto=no",
    "--audio-file-auto=no",
    "--cover-art-auto=no",
    "--demuxer=+lavf",
    "--access-references=no",
    "--ordered-chapters=no",
    "--save-position-on-quit=no",
    "--resume-playback=no",
    "--gapless-audio=weak",
    "--keep-open=no",
    "--volume-max=100",
    "--audio-client-name=abide",
    "--really-quiet",
];

/// A running mpv. Dropping it kills it.
#[derive(Debug)]
pub(super) struct MpvProcess {
    child: Child,
    socket: UnixStream,
    read: Vec<u8>,
}

impl MpvProcess {
    /// Starts one.
    pub(super) fn start(settings: &MpvSettings) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&settings.program);
        command
            .args(ARGUMENTS)
            .env_clear()
            .envs(settings.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        if settings.audio == MpvAudio::Silent {
            command.arg("--ao=null");
        }
        let child = command.spawn()?;
        Ok(Self { child, socket: UnixStream::from_std(ours)?, read: Vec::new() })
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The next line, without its end; none once the process is gone. Cancelling loses nothing.
    pub(super) async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.read, rest);
                line.truncate(end);
                return Some(line);
            }
            // A line without an end is no protocol of mpv's.
            if self.read.len() > LINE_BYTES_MAX {
                return None;
            }
            match self.socket.read_buf(&mut self.read).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Sends a line, within the time that a reply may take.
    pub(super) async fn send(&mut self, line: &[u8]) -> io::Result<()> {
        match timeout(REPLY_MAX, self.socket.write_all(line)).await {
            Ok(sent) => sent,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it takes nothing any more")),
        }
    }

    /// Kills it, by its number, and waits until it is gone.
    pub(super) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            tracing::debug!(%error, event = "player_not_killed", "the player was gone already");
        }
    }
}
