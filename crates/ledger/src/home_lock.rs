//! The kernel lock on a home folder: one keeper at a time; a second one gets an error that names the first.
//!
//! The lock is the open file, not its presence: it ends with the process that holds it, however that ends, and a stale
//! file has no effect. A keeper that is killed while it starts a child leaves a copy of the open file in that child until
//! the child has become its own program: such a lock is waited for.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
    process::{Pid, test_kill_process},
};

use crate::{
    FileStorage,
    storage::{LinkRule, open_folder, open_regular},
};

/// The lock file's name in a home folder.
const LOCK_FILE: &str = "keeper.lock";
/// The ledger's folder in a home folder.
const LEDGER_FOLDER: &str = "ledger";
/// How often a lock is tried whose keeper is dead, before it counts as another's.
const TRIES_MAX: u32 = 400;
/// The time between two tries.
const TRY_INTERVAL: Duration = Duration::from_millis(5);

/// The lock on a home folder; released when dropped.
#[derive(Debug)]
pub struct HomeLock {
    _file: File,
    /// The folder of the ledger, locked too: whoever deletes the lock's file lets no second keeper write.
    _ledger: File,
    path: PathBuf,
}

/// Says why a home folder could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another keeper holds it.
    #[error("another keeper{} is running: it holds {}", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(), path.display())]
    Held {
        /// Its process, where the file says so.
        pid: Option<u32>,
        /// The lock's file.
        path: PathBuf,
    },
    /// The lock's file cannot be opened or locked.
    #[error("{} cannot be opened or locked", path.display())]
    Io {
        /// The lock's file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl HomeLock {
    /// Locks a home folder that exists, at once or not at all; for a dead keeper's lock it waits up to two seconds.
    pub fn acquire(home: &Path) -> Result<Self, LockError> {
        let path = home.join(LOCK_FILE);
        let failed = |source| LockError::Io { path: path.clone(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = open_regular(&mut options, &path, LinkRule::Refuse).map_err(failed)?;
        lock(&file, &file, &path)?;
        let folder = home.join(LEDGER_FOLDER);
        let failed_folder = |source| LockError::Io { path: folder.clone(), source };
        FileStorage::create(&folder).map_err(failed_folder)?;
        let ledger = open_folder(&folder).map_err(failed_folder)?;
        lock(&ledger, &file, &folder)?;
        file.set_len(0).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file, _ledger: ledger, path })
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Locks a file or folder. `named` is the file that names the process which holds it.
fn lock(locked: &File, named: &File, path: &Path) -> Result<(), LockError> {
    let mut tries = 0;
    while let Err(errno) = flock(locked, FlockOperation::NonBlockingLockExclusive) {
        if errno != Errno::WOULDBLOCK {
            return Err(LockError::Io { path: path.to_owned(), source: errno.into() });
        }
        let pid = holder(named);
        tries += 1;
        if tries > TRIES_MAX || !pid.is_some_and(is_dead) {
            return Err(LockError::Held { pid, path: path.to_owned() });
        }
        wait_before_next_try();
    }
    Ok(())
}

/// The process that the file names.
fn holder(mut file: &File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn is_dead(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a start that waits for the kernel, before there is a runtime"
)]
fn wait_before_next_try() {
    std::thread::sleep(TRY_INTERVAL);
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        process::{Command, Stdio},
    };

    use rustix::fs::{FlockOperation, flock};

    use super::{HomeLock, LockError, TRIES_MAX, wait_before_next_try};

    #[test]
    fn the_copy_of_a_lock_in_a_child_that_is_just_starting_is_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("keeper.lock");
        let mut dead = Command::new("true").stdin(Stdio::null()).spawn().unwrap();
        dead.wait().unwrap();
        std::fs::write(&path, format!("{}\n", dead.id())).unwrap();
        let copy = File::open(&path).unwrap();
        flock(&copy, FlockOperation::LockExclusive).unwrap();
        let child = std::thread::spawn(move || {
            (0..TRIES_MAX / 40).for_each(|_| wait_before_next_try());
            drop(copy);
        });
        assert!(HomeLock::acquire(home.path()).is_ok());
        child.join().unwrap();
    }

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
    fn who_deletes_the_lock_file_lets_no_second_keeper_in() {
        let home = tempfile::tempdir().unwrap();
        let first = HomeLock::acquire(home.path()).unwrap();
        std::fs::remove_file(first.path()).unwrap();
        let second = HomeLock::acquire(home.path());
        assert!(matches!(&second, Err(LockError::Held { path, .. }) if path.ends_with("ledger")));
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
