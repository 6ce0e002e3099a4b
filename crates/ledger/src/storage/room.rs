//! Room that is left to the ledger: what can wait, or can be made again, is not written into the last of a disk.

use std::{io, path::Path};

/// Bytes that are left free for the ledger on a large disk.
pub const RESERVED_BYTES: u64 = 16 * 1024 * 1024;
/// The share of a small disk that is left free, as a divisor.
const RESERVED_SHARE: u64 = 20;

/// Says that the rest of a disk is left to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only {free} bytes are free on the disk, and they are left to the ledger")]
pub struct NoRoomError {
    /// Free bytes.
    pub free: u64,
}

impl From<NoRoomError> for io::Error {
    fn from(error: NoRoomError) -> Self {
        Self::new(io::ErrorKind::StorageFull, error)
    }
}

/// Whether the disk of a folder has room for anything but the ledger. A disk that does not say counts as one that has.
pub fn check_room(folder: &Path) -> Result<(), NoRoomError> {
    let Ok(disk) = rustix::fs::statvfs(folder) else { return Ok(()) };
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    has_room(bytes(disk.f_bavail), bytes(disk.f_blocks))
}

fn has_room(free: u64, all: u64) -> Result<(), NoRoomError> {
    let reserved = RESERVED_BYTES.min(all / RESERVED_SHARE);
    if free < reserved { Err(NoRoomError { free }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::{NoRoomError, RESERVED_BYTES, check_room, has_room};

    #[test]
    fn the_last_of_a_disk_is_left_to_the_ledger() {
        let large = 1 << 40;
        assert_eq!(has_room(RESERVED_BYTES, large), Ok(()));
        let free = RESERVED_BYTES - 1;
        assert_eq!(has_room(free, large), Err(NoRoomError { free }));
        assert_eq!(has_room(5, 100), Ok(()), "a small disk");
        assert!(has_room(4, 100).is_err());
        assert_eq!(has_room(0, 0), Ok(()), "a disk that does not count");
        assert_eq!(check_room(std::path::Path::new("/no/such/folder")), Ok(()));
    }
}
