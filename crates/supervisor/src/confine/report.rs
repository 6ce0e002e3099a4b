//! What a program that is being confined tells its shim: one line, where the program does not come to run.
//!
//! `exec <errno>` where everything held and the program could not be executed, `step <text>` where something could not be
//! done. Nothing, and the end of the socket, where the program runs.

use std::{os::fd::AsFd, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::{RecvFlags, SendFlags, recv, send},
};

/// A line is cut there.
const REPORT_BYTES_MAX: usize = 1024;
/// How long a start may be silent before it is given up. Nothing in it waits for anybody; this is for a file system that hangs.
pub(crate) const START_MAX: Duration = Duration::from_secs(20);

/// Why a program does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConfineReport {
    /// It could not be executed, with this error of the system.
    Exec(i32),
    /// It could not be confined.
    Step(String),
}

impl ConfineReport {
    pub(crate) fn send(&self, socket: impl AsFd) {
        let mut line = match self {
            Self::Exec(errno) => format!("exec {errno}"),
            Self::Step(text) => format!("step {}", text.replace(char::is_control, " ")),
        };
        line.truncate(line.floor_char_boundary(REPORT_BYTES_MAX));
        // A shim that is gone needs none.
        send(socket, line.as_bytes(), SendFlags::NOSIGNAL).ok();
    }

    fn parse(text: &str) -> Self {
        let errno = text.strip_prefix("exec ").and_then(|errno| errno.parse().ok());
        errno.map_or_else(|| Self::Step(text.trim_start_matches("step ").to_owned()), Self::Exec)
    }

    /// Waits for the end of the socket; `None` where the program runs.
    pub(crate) fn receive(socket: impl AsFd) -> Option<Self> {
        let limit = Timespec::try_from(START_MAX).unwrap_or_default();
        let mut text = Vec::new();
        let mut bytes = [0; REPORT_BYTES_MAX];
        while text.len() <= REPORT_BYTES_MAX {
            let mut waits = [PollFd::new(&socket, PollFlags::IN)];
            match poll(&mut waits, Some(&limit)) {
                Ok(0) => {
                    let seconds = START_MAX.as_secs();
                    return Some(Self::Step(format!("it was not confined within {seconds} s")));
                }
                Err(Errno::INTR) => continue,
                _ => {}
            }
            match recv(&socket, &mut bytes, RecvFlags::empty()) {
                Ok((_, count)) if count > 0 => text.extend(bytes.iter().take(count)),
                Err(Errno::INTR) => {}
                // It ended, or closed its end with streams that it had not taken.
                Ok(_) | Err(_) => break,
            }
        }
        let text = String::from_utf8_lossy(&text);
        (!text.is_empty()).then(|| Self::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::ConfineReport;

    #[test]
    fn a_report_survives_its_line_and_silence_is_a_program_that_runs() -> std::io::Result<()> {
        let reports = [
            ConfineReport::Exec(13),
            ConfineReport::Step("mount /proc: operation not permitted".into()),
        ];
        for report in reports {
            let (shim, program) = UnixStream::pair()?;
            report.send(&program);
            drop(program);
            assert_eq!(ConfineReport::receive(&shim), Some(report));
        }
        let (shim, program) = UnixStream::pair()?;
        drop(program);
        assert_eq!(ConfineReport::receive(&shim), None);
        Ok(())
    }
}
