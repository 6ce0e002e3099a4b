//! The real storage: a folder of the file system.
//!
//! An agent's process may be able to write where the keeper does. So no link is followed, nothing that is not a regular
//! file is opened, and opening never waits.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use super::{Access, LinkRule, Storage, StoredFile, open_regular, require_folder};

/// Folders that stood in place of one file and are kept beside it.
const SET_ASIDE_MAX: u32 = 100;

/// A folder of the file system. Files are readable by their owner only: the ledger holds what people said.
#[derive(Clone, Debug)]
pub struct FileStorage {
    folder: PathBuf,
}

impl FileStorage {
    /// Uses a folder, creating it (and durably so) where it does not exist.
    pub fn create(folder: &Path) -> io::Result<Self> {
        if !require_folder(folder)? {
            create_durably(folder)?;
        }
        Ok(Self::at(folder))
    }

    /// Uses a folder as it is, for reading.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Creates a folder and those above it, each made durable in the one above: a power cut must not take a whole branch.
fn create_durably(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or_else(|| Path::new(""));
    create_durably(parent)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let above = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    File::open(above)?.sync_all()
}

/// Opens what is a file, and nothing else.
fn open_own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_regular(options, path, LinkRule::Refuse)
}

/// Creates an empty file in place of what had its name: what somebody else put there is neither followed nor written to.
fn create_anew(path: &Path) -> io::Result<File> {
    let create = || open_own(OpenOptions::new().read(true).write(true).create_new(true), path);
    match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            make_room(path)?;
            create()
        }
        created => created,
    }
}

/// Removes what stands in a file's place; a folder is moved aside, for it may hold something.
fn make_room(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    let aside = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".set-aside-{number}"));
        PathBuf::from(name)
    };
    let free = (1..=SET_ASIDE_MAX).map(aside).find(|path| fs::symlink_metadata(path).is_err());
    fs::rename(path, free.ok_or(io::ErrorKind::AlreadyExists)?)
}

impl Storage for FileStorage {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file()
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn StoredFile>> {
        let path = self.folder.join(name);
        let file = match access {
            Access::Read => open_own(OpenOptions::new().read(true), &path)?,
            Access::Write => open_own(OpenOptions::new().read(true).write(true), &path)?,
            Access::Extend => open_own(
                OpenOptions::new().read(true).write(true).create(true).truncate(false),
                &path,
            )?,
            Access::Create => create_anew(&path)?,
        };
        Ok(Box::new(DiskFile(file)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.folder.join(from), self.folder.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.folder.join(name))
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}

#[derive(Debug)]
struct DiskFile(File);

impl StoredFile for DiskFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_len(size)
    }

    fn sync_content(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::{Access, FileStorage, Storage as _};

    const ALL: [Access; 4] = [Access::Read, Access::Write, Access::Extend, Access::Create];

    fn pipe(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    #[test]
    fn a_link_is_never_followed_and_what_it_points_at_stays_as_it_was() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (storage, target) = (FileStorage::at(folder.path()), outside.path().join("secret"));
        fs::write(&target, "secret").unwrap();
        for access in ALL {
            symlink(&target, folder.path().join("name")).unwrap();
            let opened = storage.open("name", access);
            assert_eq!(opened.is_ok(), access == Access::Create, "{access:?}");
            if let Ok(file) = opened {
                file.write_at(b"new", 0).unwrap();
            }
            assert_eq!(fs::read_to_string(&target).unwrap(), "secret", "{access:?}");
            fs::remove_file(folder.path().join("name")).unwrap();
        }
        symlink(outside.path().join("nothing"), folder.path().join("dangling")).unwrap();
        assert!(storage.open("dangling", Access::Extend).is_err());
        assert!(!outside.path().join("nothing").exists());
    }

    #[test]
    fn a_pipe_or_a_folder_is_an_error_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let storage = FileStorage::at(folder.path());
        pipe(&folder.path().join("pipe"));
        fs::create_dir(folder.path().join("folder")).unwrap();
        for access in [Access::Read, Access::Write, Access::Extend] {
            for name in ["pipe", "folder"] {
                assert!(storage.open(name, access).is_err(), "{name} {access:?}");
            }
        }
        // A name that is taken by a pipe is freed; a folder is moved aside, with what is in it.
        fs::write(folder.path().join("folder/kept"), "kept").unwrap();
        assert!(storage.open("pipe", Access::Create).is_ok());
        assert!(storage.open("folder", Access::Create).is_ok());
        assert!(folder.path().join("folder.set-aside-1/kept").exists());
    }
}
