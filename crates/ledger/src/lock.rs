//! The kernel lock on a home: one keeper, whoever comes second is told who was first.
//!
//! The lock is the open file, not its presence: it ends with the process that holds it, however that ends, and a stale
//! file means nothing.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

/// The name of the lock's file in a home.
const LOCK_FILE: &str = "keeper.lock";

/// A home that is held; released when dropped.
#[derive(Debug)]
pub struct HomeLock {
    _file: File,
    path: PathBuf,
}

/// Says why a home could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another keeper holds it.
    #[error("another keeper{} holds {}", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(), path.display())]
    Held {
        /// Its process, where the file says so.
        pid: Option<u32>,
        /// The lock's file.
        path: PathBuf,
    },
    /// The lock's file cannot be opened or locked.
    #[error("the lock {} cannot be taken", path.display())]
    Io {
        /// The lock's file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl HomeLock {
    /// Takes a home whose folder exists, at once or not at all.
    pub fn acquire(home: &Path) -> Result<Self, LockError> {
        let path = home.join(LOCK_FILE);
        let failed = |source| LockError::Io { path: path.clone(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let pid =
                    file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                return Err(LockError::Held { pid, path });
            }
            Err(errno) => return Err(failed(errno.into())),
        }
        file.set_len(0).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file, path })
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::{HomeLock, LockError};

    #[test]
    fn a_second_keeper_is_refused_and_told_who_holds_the_home() {
        let home = tempfile::tempdir().unwrap();
        let first = HomeLock::acquire(home.path()).unwrap();
        let second = HomeLock::acquire(home.path());
        let own = std::process::id();
        assert!(matches!(&second, Err(LockError::Held { pid: Some(pid), .. }) if *pid == own));
        assert!(second.unwrap_err().to_string().contains(&own.to_string()));
        drop(first);
        assert!(HomeLock::acquire(home.path()).is_ok());
    }

    #[test]
    fn a_stale_lock_file_holds_nobody_up() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("keeper.lock"), "999999\n").unwrap();
        assert!(HomeLock::acquire(home.path()).is_ok());
    }
}
