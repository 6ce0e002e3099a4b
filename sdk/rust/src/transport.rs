//! The ways to a keeper: its pipe (stdin and stdout), a Unix socket, TCP on this machine, or any other two streams.
//!
//! Knows bytes only. Over the pipe, stdin and stdout are taken away from the rest of the process, so that neither a
//! `println!` nor a child that writes to stdout can break a frame: both land on stderr.

use std::{
    fmt, fs,
    io::{self, IsTerminal as _},
    os::fd::{AsFd as _, OwnedFd},
    path::PathBuf,
    str::FromStr,
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, UnixStream, unix::pipe},
    time::timeout,
};

use crate::limits::CONNECT;

/// Where bytes come from.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// Where bytes go.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Where the keeper is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Address {
    /// It started this process and speaks over stdin and stdout.
    #[default]
    Stdio,
    /// It listens at a Unix socket.
    Unix(PathBuf),
    /// It listens at `host:port` of this machine.
    Tcp(String),
}

/// Says why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no address: it must be unix:/path or tcp:host:port")]
pub struct AddressError {
    /// The text.
    pub text: String,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("tcp", place)) if place.contains(':') => Ok(Self::Tcp(place.into())),
            _ => Err(AddressError { text: text.into() }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio => f.write_str("stdin and stdout"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(place) => write!(f, "tcp:{place}"),
        }
    }
}

/// A stream of bytes in both directions, to be opened where its thread is.
pub(crate) enum Transport {
    /// A keeper that started this process.
    Pipe {
        /// What was stdin.
        input: OwnedFd,
        /// What was stdout.
        output: OwnedFd,
    },
    /// A socket to be connected.
    Socket(Address),
    /// Streams that are open.
    Streams(Input, Output),
}

impl Transport {
    /// Takes stdin and stdout for frames alone; from here on descriptor 1 is stderr and 0 is empty.
    pub(crate) fn claim_stdio() -> io::Result<Self> {
        if io::stdin().is_terminal() {
            let words = "this is an agent: name it in abide's configuration and run `abide up`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdin(fs::File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Self::Pipe { input, output })
    }

    /// Opens it in the runtime of the caller, which is to drive it.
    pub(crate) async fn open(self) -> io::Result<(Input, Output)> {
        match self {
            Self::Pipe { input, output } => Ok((readable(input)?, writable(output)?)),
            Self::Socket(address) => {
                let connected = timeout(CONNECT, connect(&address)).await;
                connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(|error| {
                    io::Error::new(error.kind(), format!("cannot connect to {address}: {error}"))
                })
            }
            Self::Streams(input, output) => Ok((input, output)),
        }
    }
}

async fn connect(address: &Address) -> io::Result<(Input, Output)> {
    match address {
        Address::Unix(path) => {
            let (input, output) = UnixStream::connect(path).await?.into_split();
            Ok((Box::new(input), Box::new(output)))
        }
        Address::Tcp(place) => {
            let stream = TcpStream::connect(place.as_str()).await?;
            stream.set_nodelay(true)?;
            let (input, output) = stream.into_split();
            Ok((Box::new(input), Box::new(output)))
        }
        Address::Stdio => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// A keeper gives pipes, others sockets or files.
fn readable(fd: OwnedFd) -> io::Result<Input> {
    let fd = match socket(fd)? {
        Ok(stream) => return Ok(Box::new(stream)),
        Err(fd) => fd,
    };
    match pipe::Receiver::from_owned_fd(fd.try_clone()?) {
        Ok(receiver) => Ok(Box::new(receiver)),
        Err(_) => Ok(Box::new(tokio::fs::File::from_std(fd.into()))),
    }
}

fn writable(fd: OwnedFd) -> io::Result<Output> {
    let fd = match socket(fd)? {
        Ok(stream) => return Ok(Box::new(stream)),
        Err(fd) => fd,
    };
    match pipe::Sender::from_owned_fd(fd.try_clone()?) {
        Ok(sender) => Ok(Box::new(sender)),
        Err(_) => Ok(Box::new(tokio::fs::File::from_std(fd.into()))),
    }
}

/// The stream of a descriptor that is a socket, else the descriptor.
fn socket(fd: OwnedFd) -> io::Result<Result<UnixStream, OwnedFd>> {
    let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
    if kind != rustix::fs::FileType::Socket {
        return Ok(Err(fd));
    }
    let stream = std::os::unix::net::UnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream).map(Ok)
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in ["unix:/run/keeper.sock", "tcp:127.0.0.1:7000", "tcp:[::1]:7000"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in ["", "unix:", "tcp:7000", "http://127.0.0.1:7000", "/run/keeper.sock"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
