//! Reads checkpoints: their headers, whether they verify, the state in them.
//!
//! One pass over the stored bytes hashes and decompresses them; nothing is handed out unless the digest, the frame's own
//! checksum and the length agree.

use std::io::{self, Write};

use abide_ledger::storage::{Access, Storage, StoredFile, read_up_to};
use sha2::{Digest as _, Sha256};

use super::{
    header::{HEADER_BYTES, Header, HeaderError},
    names,
};

/// Bytes read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// `EIO`: the medium is damaged at that place, which is as good as wrong bytes.
const MEDIUM_FAILED: i32 = 5;

/// Says why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckpointReadError {
    /// Its bytes are not those that were written.
    #[error("{0}")]
    Damaged(String),
    /// It is of a later format.
    #[error("it was written by a newer version of abide (format {version})")]
    Newer { version: u64 },
    /// The disk did not let it be read; it may be whole.
    #[error("it cannot be read")]
    Io(#[source] io::Error),
}

impl From<io::Error> for CheckpointReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            _ if error.raw_os_error() == Some(MEDIUM_FAILED) => {
                Self::Damaged("the disk cannot read it".into())
            }
            io::ErrorKind::NotFound => Self::Damaged("it is not there".into()),
            _ => Self::Io(error),
        }
    }
}

impl From<HeaderError> for CheckpointReadError {
    fn from(error: HeaderError) -> Self {
        match error {
            HeaderError::Bad(reason) => Self::Damaged(reason),
            HeaderError::Newer(version) => Self::Newer { version },
        }
    }
}

fn damaged(reason: &str) -> CheckpointReadError {
    CheckpointReadError::Damaged(reason.into())
}

/// Reads the header of a checkpoint of `agent`, and holds the file's length to it.
pub(super) fn header(
    storage: &dyn Storage,
    number: u64,
    agent: &str,
) -> Result<Header, CheckpointReadError> {
    open(storage, number, agent).map(|(_, header)| header)
}

fn open(
    storage: &dyn Storage,
    number: u64,
    agent: &str,
) -> Result<(Box<dyn StoredFile>, Header), CheckpointReadError> {
    let file = storage.open(&names::checkpoint(number), Access::Read)?;
    let header = Header::decode(&read_up_to(&*file, 0, HEADER_BYTES)?, agent)?;
    if header.number() != number {
        return Err(CheckpointReadError::Damaged(format!(
            "its header says that it is number {}",
            header.number()
        )));
    }
    if file.size()? != (HEADER_BYTES as u64).saturating_add(header.stored_bytes) {
        return Err(damaged("it is shorter or longer than its header says"));
    }
    Ok((file, header))
}

/// Verifies the stored bytes of a checkpoint.
pub(super) fn verify_stored(
    storage: &dyn Storage,
    number: u64,
    agent: &str,
) -> Result<Header, CheckpointReadError> {
    let (file, header) = open(storage, number, agent)?;
    stream(&*file, &header, &mut io::sink())?;
    Ok(header)
}

/// Verifies the checkpoint that was just written with this header.
pub(super) fn verify_written(
    storage: &dyn Storage,
    header: &Header,
) -> Result<(), CheckpointReadError> {
    let (file, read) = open(storage, header.number(), header.agent())?;
    if read != *header {
        return Err(damaged("its header is not the one that was written"));
    }
    stream(&*file, header, &mut io::sink())
}

/// Verifies the stored bytes of a checkpoint and that its state comes out of them.
pub(super) fn verify_fully(
    storage: &dyn Storage,
    number: u64,
    agent: &str,
) -> Result<Header, CheckpointReadError> {
    let (file, header) = open(storage, number, agent)?;
    decompress(&*file, &header, io::sink())?;
    Ok(header)
}

/// Reads the state of a checkpoint.
pub(super) fn load(
    storage: &dyn Storage,
    number: u64,
    agent: &str,
    bytes_max: u64,
) -> Result<(Header, Vec<u8>), CheckpointReadError> {
    let (file, header) = open(storage, number, agent)?;
    if header.raw_bytes > bytes_max {
        let reason = format!(
            "its state of {} bytes is larger than the limit of {bytes_max}",
            header.raw_bytes
        );
        return Err(CheckpointReadError::Damaged(reason));
    }
    let room = usize::try_from(header.raw_bytes).unwrap_or(0);
    let snapshot = decompress(&*file, &header, Vec::with_capacity(room))?;
    Ok((header, snapshot))
}

fn decompress<W: Write>(
    file: &dyn StoredFile,
    header: &Header,
    sink: W,
) -> Result<W, CheckpointReadError> {
    let capped = CappedSink { sink, room: header.raw_bytes };
    let mut decoder = zstd::stream::write::Decoder::new(capped).map_err(CheckpointReadError::Io)?;
    stream(file, header, &mut decoder)?;
    decoder.flush().map_err(|_| damaged("its body does not decompress"))?;
    let capped = decoder.into_inner();
    if capped.room > 0 {
        return Err(damaged("its body is shorter than its header says"));
    }
    Ok(capped.sink)
}

/// Passes the stored body on, and holds it to its digest.
fn stream(
    file: &dyn StoredFile,
    header: &Header,
    sink: &mut dyn Write,
) -> Result<(), CheckpointReadError> {
    let mut sha256 = Sha256::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    let (mut at, end) = (HEADER_BYTES as u64, HEADER_BYTES as u64 + header.stored_bytes);
    while at < end {
        let wanted = usize::try_from(end - at).map_or(CHUNK_BYTES, |rest| rest.min(CHUNK_BYTES));
        let room = buffer.get_mut(..wanted).unwrap_or_default();
        let count = match file.read_at(room, at) {
            Ok(0) => return Err(damaged("it ends early")),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let read = room.get(..count).unwrap_or_default();
        sha256.update(read);
        sink.write_all(read).map_err(|_| damaged("its body does not decompress"))?;
        at += count as u64;
    }
    if hex::encode(sha256.finalize()) == header.sha256 {
        Ok(())
    } else {
        Err(damaged("its body does not match its SHA-256"))
    }
}

/// A sink that takes no more than was announced.
struct CappedSink<W> {
    sink: W,
    room: u64,
}

impl<W: Write> Write for CappedSink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(room) = self.room.checked_sub(bytes.len() as u64) else {
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        self.sink.write_all(bytes)?;
        self.room = room;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
