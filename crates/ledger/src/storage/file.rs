//! The real storage: a folder of the file system.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::{Access, Storage, StoredFile};

/// A folder of the file system. Files are readable by their owner only: the ledger holds what people said.
#[derive(Clone, Debug)]
pub struct FileStorage {
    folder: PathBuf,
}

impl FileStorage {
    /// Uses a folder, creating it (and durably so) where it does not exist.
    pub fn create(folder: &Path) -> io::Result<Self> {
        create_durably(folder)?;
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
        let mut options = OpenOptions::new();
        options.read(true).mode(0o600);
        match access {
            Access::Read => &mut options,
            Access::Write => options.write(true),
            Access::Create => options.write(true).create(true).truncate(true),
        };
        Ok(Box::new(DiskFile(options.open(self.folder.join(name))?)))
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
