//! What the files below a folder take on the disk.
//!
//! The walk counts blocks that are allocated, so holes of sparse files count nothing; of a file with several names each name
//! counts its share. It follows no link, never waits for a pipe, and holds one descriptor for each level that it is
//! below the folder, which is bounded, as the number of entries is: what lies there was made by a program that may want to
//! hide something or to keep the walk busy. It changes nothing. It blocks on the disk: keep it off the runtime's threads.

use std::{ffi::CStr, path::Path};

use rustix::{
    fd::AsFd,
    fs::{AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, StatxFlags, openat, statx},
    io::{self, Errno},
};

/// Folders inside of each other that are looked into.
pub(crate) const DEPTH_MAX: usize = 128;
/// Bytes of a block, as `stat` counts them.
const BLOCK_BYTES: u64 = 512;
/// Entries between two looks at whether the walk is still wanted.
const ENTRIES_BETWEEN_LOOKS: u64 = 1024;

/// What the files below a folder take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskUsage {
    /// Bytes of the blocks that are allocated.
    pub(crate) bytes: u64,
    /// Files and folders that were looked at.
    pub(crate) entries: u64,
    /// Files that could not be looked at and folders that could not be read, with all that is in them.
    pub(crate) unread: u64,
    /// Whether the walk was ended by one of its bounds: there is more than it counted.
    pub(crate) is_cut: bool,
}

/// Counts what is below a folder; nothing where there is no such folder. After `entries_max` entries or more than
/// [`DEPTH_MAX`] levels it says that it was cut. Ends early, with what it has by then, once `is_wanted` says no.
///
/// Errors: those of opening the folder, among them that a link stands in its place. Then nothing is known.
pub(crate) fn measure(
    folder: &Path,
    entries_max: u64,
    is_wanted: &dyn Fn() -> bool,
) -> io::Result<DiskUsage> {
    let top = match openat(CWD, folder, FOLDER, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(DiskUsage::default()),
        opened => Dir::new(opened?)?,
    };
    let (bytes, _) = look_at(top.fd()?, c"")?;
    let usage = DiskUsage { bytes, ..DiskUsage::default() };
    let mut walk = UsageWalk { levels: vec![top], usage, entries_max };
    walk.run(is_wanted);
    Ok(walk.usage)
}

/// How a folder is opened: one that has become a link or something else meanwhile is not.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// A walk and where it is.
struct UsageWalk {
    /// The folders that are being read, the outermost first.
    levels: Vec<Dir>,
    usage: DiskUsage,
    entries_max: u64,
}

impl UsageWalk {
    fn run(&mut self, is_wanted: &dyn Fn() -> bool) {
        while let Some(folder) = self.levels.last_mut() {
            match folder.read() {
                Some(Ok(entry)) if is_dots(&entry) => continue,
                Some(Ok(entry)) => self.count(&entry),
                Some(Err(_)) => {
                    self.usage.unread += 1;
                    self.levels.pop();
                }
                None => drop(self.levels.pop()),
            }
            let looks = self.usage.entries.is_multiple_of(ENTRIES_BETWEEN_LOOKS);
            if self.usage.is_cut || (looks && !is_wanted()) {
                return;
            }
        }
    }

    /// Counts an entry of the innermost folder, and goes into it where it is a folder itself.
    fn count(&mut self, entry: &DirEntry) {
        if self.usage.entries >= self.entries_max {
            self.usage.is_cut = true;
            return;
        }
        self.usage.entries += 1;
        let Some(Ok(parent)) = self.levels.last().map(Dir::fd) else { return };
        match look_at(parent, entry.file_name()) {
            Ok((bytes, kind)) => {
                self.usage.bytes = self.usage.bytes.saturating_add(bytes);
                if kind != FileType::Directory {
                    return;
                }
            }
            // What is gone by now takes nothing.
            Err(Errno::NOENT) => return,
            Err(_) => {
                self.usage.unread += 1;
                return;
            }
        }
        if self.levels.len() >= DEPTH_MAX {
            self.usage.is_cut = true;
            return;
        }
        match openat(parent, entry.file_name(), FOLDER, Mode::empty()).and_then(Dir::new) {
            Ok(folder) => self.levels.push(folder),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(_) => self.usage.unread += 1,
        }
    }
}

fn is_dots(entry: &DirEntry) -> bool {
    matches!(entry.file_name().to_bytes(), b"." | b"..")
}

/// What an entry of a folder takes in bytes, and what it is; with an empty name, the folder itself. A file with several names
/// takes its share by each of them: so it counts once without that anything has to be remembered.
fn look_at(folder: impl AsFd, name: &CStr) -> io::Result<(u64, FileType)> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::EMPTY_PATH;
    let wanted = StatxFlags::TYPE | StatxFlags::NLINK | StatxFlags::BLOCKS;
    let found = statx(folder, name, flags, wanted)?;
    let kind = FileType::from_raw_mode(found.stx_mode.into());
    let bytes = found.stx_blocks.saturating_mul(BLOCK_BYTES);
    let names = if kind == FileType::Directory { 1 } else { found.stx_nlink.max(1) };
    Ok((bytes / u64::from(names), kind))
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::{PermissionsExt as _, symlink},
        path::Path,
    };

    use super::{DEPTH_MAX, DiskUsage, measure};

    const MANY: u64 = 1 << 20;
    const MIB: u64 = 1 << 20;

    fn usage(folder: &Path) -> DiskUsage {
        measure(folder, MANY, &|| true).unwrap()
    }

    fn fill(path: &Path, bytes: u64) {
        let file = vec![b'x'; usize::try_from(bytes).unwrap()];
        fs::write(path, file).unwrap();
        // Some file systems give blocks only now.
        File::open(path).unwrap().sync_all().unwrap();
    }

    /// Whether what was measured is `bytes`, but for what folders and the file system's own records take.
    fn is_about(measured: u64, bytes: u64) -> bool {
        (bytes..bytes + 256 * 1024).contains(&measured)
    }

    #[test]
    fn files_in_folders_count_and_what_is_not_there_takes_nothing() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("a/b/c")).unwrap();
        fill(&home.path().join("top"), MIB);
        fill(&home.path().join("a/b/c/deep"), 2 * MIB);
        let found = usage(home.path());
        assert!(is_about(found.bytes, 3 * MIB), "{found:?}");
        assert_eq!((found.entries, found.unread, found.is_cut), (5, 0, false));
        assert_eq!(usage(&home.path().join("missing")), DiskUsage::default());
    }

    #[test]
    fn no_link_is_followed_neither_below_nor_in_place_of_the_folder() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fill(&other.path().join("large"), 4 * MIB);
        symlink(other.path(), home.path().join("folder")).unwrap();
        symlink(other.path().join("large"), home.path().join("file")).unwrap();
        symlink(".", home.path().join("loop")).unwrap();
        symlink("nowhere", home.path().join("dangling")).unwrap();
        let found = usage(home.path());
        assert!(is_about(found.bytes, 0), "{found:?}");
        assert_eq!((found.entries, found.unread), (4, 0));
        let linked = measure(&home.path().join("folder"), MANY, &|| true);
        assert!(linked.is_err(), "nothing is known: {linked:?}");
    }

    #[test]
    fn holes_of_sparse_files_take_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = File::create(home.path().join("sparse")).unwrap();
        file.set_len(64 << 30).unwrap();
        assert!(is_about(usage(home.path()).bytes, 0));
    }

    #[test]
    fn a_file_with_several_names_counts_once() {
        let home = tempfile::tempdir().unwrap();
        fill(&home.path().join("name0"), 4 * MIB);
        fs::create_dir(home.path().join("other")).unwrap();
        for n in 1..4 {
            let name = format!("other/name{n}");
            fs::hard_link(home.path().join("name0"), home.path().join(name)).unwrap();
        }
        assert!(is_about(usage(home.path()).bytes, 4 * MIB));
    }

    #[test]
    fn a_tree_of_too_many_entries_or_levels_is_cut_and_says_so() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..50 {
            File::create(home.path().join(format!("file{n}"))).unwrap();
        }
        let found = measure(home.path(), 20, &|| true).unwrap();
        assert_eq!((found.entries, found.is_cut), (20, true));
        let found = measure(home.path(), 50, &|| true).unwrap();
        assert_eq!(
            (found.entries, found.is_cut),
            (50, false),
            "as many as may be are not too many"
        );

        let deep = |levels: usize| {
            let home = tempfile::tempdir().unwrap();
            let names = vec!["d"; levels];
            fs::create_dir_all(home.path().join(names.join("/"))).unwrap();
            usage(home.path())
        };
        assert!(!deep(DEPTH_MAX - 1).is_cut);
        assert!(deep(DEPTH_MAX).is_cut);
    }

    #[test]
    fn a_walk_that_nobody_wants_any_more_ends() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..3000 {
            File::create(home.path().join(format!("file{n}"))).unwrap();
        }
        let found = measure(home.path(), MANY, &|| false).unwrap();
        assert!(found.entries <= 1024, "{found:?}");
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_said_not_passed_over() {
        let home = tempfile::tempdir().unwrap();
        let closed = home.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fill(&closed.join("inside"), MIB);
        fill(&home.path().join("beside"), MIB);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let found = usage(home.path());
        // Root reads everything.
        let reads_all = fs::read_dir(&closed).is_ok();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        let (bytes, unread) = if reads_all { (2 * MIB, 0) } else { (MIB, 1) };
        assert!(is_about(found.bytes, bytes), "{found:?}");
        assert_eq!(found.unread, unread);
    }
}
