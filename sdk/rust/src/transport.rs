//! The ways to a keeper: its pipe (stdin and stdout), a Unix socket, TCP on this machine, or any other two streams.
//!
//! Knows bytes only. Over the pipe, the rest of the process loses stdin and stdout, so that neither a `println!` nor
//! a child that writes to stdout can break a frame: both go to stderr.

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

use crate::limits::CONNECT_TIMEOUT;

/// The stream of incoming bytes.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// The stream of outgoing bytes.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// The keeper's address. [`Agent::at`](crate::Agent::at) sets it.
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

/// The text is no keeper's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a keeper's address: use unix:/path or tcp:host:port")]
pub struct AddressError {
    /// The text as it was given.
    pub text: String,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("tcp", authority)) if authority.contains(':') => Ok(Self::Tcp(authority.into())),
            _ => Err(AddressError { text: text.into() }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio => f.write_str("stdin and stdout"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(authority) => write!(f, "tcp:{authority}"),
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
            let message = "stdin is a terminal: this is an agent, which abide starts; name it in abide.toml and run `abide up`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
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
                let connected = timeout(CONNECT_TIMEOUT, connect(&address)).await;
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
        Address::Tcp(authority) => {
            let stream = TcpStream::connect(authority.as_str()).await?;
            stream.set_nodelay(true)?;
            let (input, output) = stream.into_split();
            Ok((Box::new(input), Box::new(output)))
        }
        Address::Stdio => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// A keeper gives pipes; other parents give sockets or files.
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
