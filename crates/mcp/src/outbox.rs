//! Messages that wait to be written to a server, bounded in their number and in their bytes.
//!
//! A message that finds no room is refused and not waited for: whoever waits holds its message, and the session waits in as many
//! tasks as there are messages. Whole lines are written by a task of their own, so that a send that is given up never leaves half a
//! message in the pipe.

use std::{io, sync::Arc};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::{
        OwnedSemaphorePermit, Semaphore,
        mpsc::{self, error::TrySendError},
    },
};

use crate::limits::{OUTGOING_BYTES_MAX, OUTGOING_MAX};

/// Takes messages for a server.
#[derive(Debug)]
pub(crate) struct Outbox {
    lines: mpsc::Sender<OutgoingLine>,
    /// A permit for each byte that may still wait.
    room: Arc<Semaphore>,
}

/// A line that waits, and the room that it takes until it is written.
#[derive(Debug)]
struct OutgoingLine {
    bytes: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

/// Says why a message does not wait to be written. Nothing of it ever is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OutboxError {
    /// There is no room for it.
    #[error(
        "a message of {bytes} bytes finds no room: at most {OUTGOING_MAX} messages and {OUTGOING_BYTES_MAX} bytes wait for the server to read its stdin"
    )]
    Full {
        /// How many bytes it has.
        bytes: usize,
    },
    /// The pipe is closed.
    #[error("the server's stdin is closed")]
    Closed,
}

impl Outbox {
    /// Takes a message, without its end of line.
    pub(crate) fn push(&self, mut bytes: Vec<u8>) -> Result<(), OutboxError> {
        bytes.push(b'\n');
        let full = OutboxError::Full { bytes: bytes.len() };
        let permits = u32::try_from(bytes.len()).map_err(|_| full)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(permits).map_err(|_| full)?;
        self.lines.try_send(OutgoingLine { bytes, _room: room }).map_err(|error| match error {
            TrySendError::Full(_) => full,
            TrySendError::Closed(_) => OutboxError::Closed,
        })
    }
}

impl From<OutboxError> for io::Error {
    fn from(error: OutboxError) -> Self {
        let kind = match error {
            OutboxError::Full { .. } => io::ErrorKind::WouldBlock,
            OutboxError::Closed => io::ErrorKind::BrokenPipe,
        };
        Self::new(kind, error)
    }
}

/// The outbox of a server, and the task that writes what is in it; the pipe is closed when the outbox is gone.
pub(crate) fn write_lines(
    mut stdin: Box<dyn AsyncWrite + Send + Unpin>,
) -> (Outbox, impl Future<Output = ()> + Send) {
    let (sender, mut lines) = mpsc::channel::<OutgoingLine>(OUTGOING_MAX);
    let writing = async move {
        while let Some(line) = lines.recv().await {
            if stdin.write_all(&line.bytes).await.is_err() || stdin.flush().await.is_err() {
                break;
            }
        }
    };
    let room = Arc::new(Semaphore::new(OUTGOING_BYTES_MAX));
    (Outbox { lines: sender, room }, writing)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, duplex};

    use super::{OutboxError, write_lines};
    use crate::limits::{OUTGOING_BYTES_MAX, OUTGOING_MAX};

    #[tokio::test]
    async fn what_a_server_does_not_read_is_bounded_in_bytes() {
        let (ours, _theirs) = duplex(1024);
        let (outbox, writing) = write_lines(Box::new(ours));
        let half = OUTGOING_BYTES_MAX / 2;
        assert_eq!(outbox.push(vec![b'a'; half]), Ok(()));
        assert_eq!(outbox.push(vec![b'b'; half]), Err(OutboxError::Full { bytes: half + 1 }));
        assert_eq!(outbox.push(vec![b'b'; half - 2]), Ok(()), "to the last byte");
        assert_eq!(outbox.push(Vec::new()), Err(OutboxError::Full { bytes: 1 }));
        drop(writing);
        assert_eq!(outbox.push(Vec::new()), Err(OutboxError::Closed), "nobody writes any more");
    }

    #[tokio::test]
    async fn the_room_of_a_line_is_free_once_it_is_written() {
        let (ours, mut theirs) = duplex(1024);
        let (outbox, writing) = write_lines(Box::new(ours));
        let exchange = async {
            for _ in 0..3 {
                let mut line = vec![0; OUTGOING_BYTES_MAX];
                outbox.push(vec![b'a'; OUTGOING_BYTES_MAX - 1]).unwrap();
                theirs.read_exact(&mut line).await.unwrap();
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = writing => panic!("the pipe is open"),
            () = exchange => {}
        }
    }

    #[tokio::test]
    async fn what_a_server_does_not_read_is_bounded_in_number() {
        let (ours, _theirs) = duplex(1024);
        let (outbox, _writing) = write_lines(Box::new(ours));
        for _ in 0..OUTGOING_MAX {
            outbox.push(b"{}".to_vec()).unwrap();
        }
        assert_eq!(outbox.push(b"{}".to_vec()), Err(OutboxError::Full { bytes: 3 }));
    }
}
