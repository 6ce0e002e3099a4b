//! A disk in memory that fails like a real one: for the simulator and for tests.
//!
//! It keeps what processes see (the page cache) apart from what is on the disk. A write is pending until its file is
//! synced; a new, renamed or removed name is pending until the folder is. When the power fails, pending writes reach the
//! disk whole, torn at sector boundaries, or not at all, in any mixture; names reach it in their order, up to a point. A
//! sync that fails leaves its pages clean: the next sync succeeds and the bytes are still not on the disk. Everything
//! follows from one seed.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
};

use super::{Access, Storage, StoredFile};
use crate::lock;

/// `ENOSPC`.
const DISK_FULL: i32 = 28;
/// The unit that a disk writes whole.
const SECTOR_BYTES: u64 = 512;

/// One folder of the disk. A clone is another handle on the same one.
#[derive(Clone, Debug)]
pub struct FaultStorage {
    disk: Arc<Mutex<Disk>>,
    /// The folder's path with its closing slash; empty for the one at the top.
    folder: String,
}

#[derive(Clone, Debug, Default)]
struct Disk {
    random: u64,
    files: Vec<Contents>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    pending_names: Vec<NameChange>,
    /// Handles of an earlier power-up do nothing any more.
    powered: u64,
    is_off: bool,
    is_read_only: bool,
    read_only_at: Option<u64>,
    refusal: Option<i32>,
    capacity: Option<u64>,
    operations: u64,
    syncs: u64,
    power_fails_at: Option<u64>,
    sync_fails_at: Option<u64>,
    write_fails_at: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct Contents {
    seen: Vec<u8>,
    synced: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Size(u64),
}

#[derive(Clone, Debug)]
enum NameChange {
    Put(String, usize),
    Remove(String),
}

/// How much of one pending write the disk got when the power failed.
enum SurvivingPart {
    Nothing,
    All,
    Prefix(u64),
    Some,
}

impl FaultStorage {
    /// An empty disk, whose faults follow from a seed.
    pub fn new(seed: u64) -> Self {
        let disk = Disk { random: seed, ..Disk::default() };
        Self { disk: Arc::new(Mutex::new(disk)), folder: String::new() }
    }

    /// A folder below this one, on the same disk: one power, one count of operations, but names that need a sync of
    /// their own. It exists already, durably.
    #[must_use]
    pub fn folder(&self, name: &str) -> Self {
        Self { disk: Arc::clone(&self.disk), folder: format!("{}{name}/", self.folder) }
    }

    /// An independent copy of the disk as it is.
    #[must_use]
    pub fn fork(&self) -> Self {
        let disk = Arc::new(Mutex::new(lock(&self.disk).clone()));
        Self { disk, folder: self.folder.clone() }
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }

    /// Lets the power fail during the `n`th operation from now (1 is the next): it and all later ones fail.
    pub fn fail_power_at(&self, n: u64) {
        let mut disk = lock(&self.disk);
        disk.power_fails_at = Some(disk.operations + n);
    }

    /// Lets the `n`th sync from now fail (1 is the next).
    pub fn fail_sync_at(&self, n: u64) {
        let mut disk = lock(&self.disk);
        disk.sync_fails_at = Some(disk.syncs + n);
    }

    /// Lets the write that is the `n`th operation from now, or the first after it, fail as damaged media do.
    pub fn fail_write_at(&self, n: u64) {
        let mut disk = lock(&self.disk);
        disk.write_fails_at = Some(disk.operations + n);
    }

    /// Gives the disk so many bytes of room; a write beyond is cut short and fails.
    pub fn set_capacity(&self, bytes: Option<u64>) {
        lock(&self.disk).capacity = bytes;
    }

    /// Makes the file system read-only, or writable again.
    pub fn set_read_only(&self, is_read_only: bool) {
        lock(&self.disk).is_read_only = is_read_only;
    }

    /// Lets the file system turn read-only during the `n`th operation from now (1 is the next), as one does that met an
    /// error of its own: that operation and all later ones are refused, until [`set_read_only`](Self::set_read_only).
    pub fn turn_read_only_at(&self, n: u64) {
        let mut disk = lock(&self.disk);
        disk.read_only_at = Some(disk.operations + n);
    }

    /// Lets every write be cut short and fail with an error of the operating system, until `None`.
    pub fn refuse_writes_with(&self, errno: Option<i32>) {
        lock(&self.disk).refusal = errno;
    }

    /// Bytes that all files take.
    pub fn used_bytes(&self) -> u64 {
        lock(&self.disk).used_bytes()
    }

    /// Changing operations so far.
    pub fn operations(&self) -> u64 {
        lock(&self.disk).operations
    }

    /// Whether the power has failed.
    pub fn is_off(&self) -> bool {
        lock(&self.disk).is_off
    }

    /// Cuts the power, if it is still on, and turns it on again: only what is on the disk remains. Open handles are dead.
    pub fn power_cycle(&self) {
        lock(&self.disk).power_cycle();
    }

    /// Ends the process but not the machine: the page cache stays. Open handles are dead. After a failure of
    /// [`fail_power_at`](Self::fail_power_at) it was the process that ended during that operation, not the power.
    pub fn kill(&self) {
        let mut disk = lock(&self.disk);
        disk.powered += 1;
        disk.is_off = false;
        disk.power_fails_at = None;
    }

    /// What processes see of a file.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        let disk = lock(&self.disk);
        let file = *disk.names.get(&self.path(name))?;
        disk.files.get(file).map(|contents| contents.seen.clone())
    }

    /// Puts a file on the disk, durably.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let mut disk = lock(&self.disk);
        let file = disk.files.len();
        let (seen, synced) = (bytes.to_vec(), bytes.to_vec());
        disk.files.push(Contents { seen, synced, pending: Vec::new() });
        disk.names.insert(self.path(name), file);
        disk.synced_names.insert(self.path(name), file);
    }

    /// Takes a file off the disk, durably.
    pub fn take(&self, name: &str) {
        let mut disk = lock(&self.disk);
        disk.names.remove(&self.path(name));
        disk.synced_names.remove(&self.path(name));
    }

    /// Flips bits of one byte of a file, durably.
    pub fn flip(&self, name: &str, at: usize, mask: u8) {
        if let Some(mut bytes) = self.content(name) {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= mask;
            }
            self.put(name, &bytes);
        }
    }

    /// Cuts a file, durably.
    pub fn cut(&self, name: &str, length: usize) {
        if let Some(mut bytes) = self.content(name) {
            bytes.truncate(length);
            self.put(name, &bytes);
        }
    }
}

/// The name of a file that lies in a folder, not below it.
fn name_in<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder).filter(|name| !name.contains('/'))
}

fn powered_off() -> io::Error {
    io::Error::other("the power is off")
}

/// `EIO`, as a disk says it.
fn medium_failed() -> io::Error {
    io::Error::from_raw_os_error(5)
}

impl Disk {
    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    fn used_bytes(&self) -> u64 {
        let files = self.names.values().filter_map(|file| self.files.get(*file));
        files.map(|contents| contents.seen.len() as u64).sum()
    }

    /// Counts a changing operation; says whether the power fails during it.
    fn begin(&mut self, powered: u64) -> io::Result<bool> {
        if self.is_off || powered != self.powered {
            return Err(powered_off());
        }
        if self.is_read_only {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        self.operations += 1;
        if self.read_only_at.is_some_and(|at| self.operations >= at) {
            self.read_only_at = None;
            self.is_read_only = true;
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        self.is_off = self.power_fails_at.is_some_and(|at| self.operations >= at);
        Ok(self.is_off)
    }

    fn change_name(&mut self, change: NameChange) {
        apply_name(&mut self.names, &change);
        self.pending_names.push(change);
    }

    /// Makes the names of one folder durable; those of others still wait for their own sync.
    fn sync_names(&mut self, folder: &str) {
        for change in std::mem::take(&mut self.pending_names) {
            let (NameChange::Put(path, _) | NameChange::Remove(path)) = &change;
            if name_in(path, folder).is_some() {
                apply_name(&mut self.synced_names, &change);
            } else {
                self.pending_names.push(change);
            }
        }
    }

    fn write(&mut self, file: usize, bytes: &[u8], offset: u64) -> io::Result<()> {
        let fails = self.write_fails_at.is_some_and(|at| self.operations >= at);
        if fails {
            self.write_fails_at = None;
        }
        let used = self.used_bytes();
        let capacity = self.capacity;
        let cut = self.below(bytes.len() as u64 + 1);
        let Some(contents) = self.files.get_mut(file) else { return Err(powered_off()) };
        let growth = (offset + bytes.len() as u64).saturating_sub(contents.seen.len() as u64);
        let is_full = capacity.is_some_and(|capacity| used + growth > capacity);
        let refusal = if is_full { Some(DISK_FULL) } else { self.refusal };
        let kept = if fails || refusal.is_some() { cut } else { bytes.len() as u64 };
        let kept = bytes.get(..super::to_usize(kept)).unwrap_or(bytes).to_vec();
        if !kept.is_empty() {
            let change = Change::Write { offset, bytes: kept };
            apply(&mut contents.seen, &change);
            contents.pending.push(change);
        }
        match (fails, refusal) {
            (true, _) => Err(medium_failed()),
            (_, Some(errno)) => Err(io::Error::from_raw_os_error(errno)),
            _ => Ok(()),
        }
    }

    fn sync(&mut self, file: usize) -> io::Result<()> {
        self.syncs += 1;
        if self.sync_fails_at.is_some_and(|at| self.syncs >= at) {
            self.sync_fails_at = None;
            self.tear(file);
            return Err(medium_failed());
        }
        if let Some(contents) = self.files.get_mut(file) {
            for change in std::mem::take(&mut contents.pending) {
                apply(&mut contents.synced, &change);
            }
        }
        Ok(())
    }

    /// Lets pending changes of a file reach the disk in part, and forgets the rest of them.
    fn tear(&mut self, file: usize) {
        let pending =
            self.files.get_mut(file).map(|contents| std::mem::take(&mut contents.pending));
        let is_last_torn_only = self.below(4) == 0;
        let pending = pending.unwrap_or_default();
        let count = pending.len();
        for (position, change) in pending.into_iter().enumerate() {
            let pieces = if is_last_torn_only && position + 1 < count {
                vec![change]
            } else {
                self.torn_pieces(change)
            };
            if let Some(contents) = self.files.get_mut(file) {
                for piece in pieces {
                    apply(&mut contents.synced, &piece);
                }
            }
        }
        let is_length_kept = self.below(4) == 0;
        if let Some(contents) = self.files.get_mut(file).filter(|_| is_length_kept) {
            // The length reached the disk and the bytes did not: they read as zeros.
            let length = contents.seen.len().max(contents.synced.len());
            contents.synced.resize(length, 0);
        }
    }

    fn torn_pieces(&mut self, change: Change) -> Vec<Change> {
        let Change::Write { offset, bytes } = change else {
            return if self.below(2) == 0 { vec![change] } else { Vec::new() };
        };
        let sectors = (bytes.len() as u64).div_ceil(SECTOR_BYTES) + 1;
        let surviving = match self.below(4) {
            0 => SurvivingPart::Nothing,
            1 => SurvivingPart::All,
            2 => SurvivingPart::Prefix(self.below(sectors)),
            _ => SurvivingPart::Some,
        };
        let mut pieces = Vec::new();
        let (mut at, mut rest, mut position) = (offset, bytes.as_slice(), 0);
        while !rest.is_empty() {
            let length = (SECTOR_BYTES - at % SECTOR_BYTES).min(rest.len() as u64);
            let (sector, tail) = rest.split_at(super::to_usize(length));
            let survives = match surviving {
                SurvivingPart::Nothing => false,
                SurvivingPart::All => true,
                SurvivingPart::Prefix(count) => position < count,
                SurvivingPart::Some => self.below(2) == 0,
            };
            if survives {
                pieces.push(Change::Write { offset: at, bytes: sector.to_vec() });
            }
            (at, rest, position) = (at + length, tail, position + 1);
        }
        pieces
    }

    fn power_cycle(&mut self) {
        for file in 0..self.files.len() {
            self.tear(file);
        }
        let kept = self.below(self.pending_names.len() as u64 + 1);
        let pending = std::mem::take(&mut self.pending_names);
        for change in pending.iter().take(super::to_usize(kept)) {
            apply_name(&mut self.synced_names, change);
        }
        self.names = self.synced_names.clone();
        for contents in &mut self.files {
            contents.seen = contents.synced.clone();
        }
        self.powered += 1;
        self.is_off = false;
        self.power_fails_at = None;
        self.sync_fails_at = None;
        self.write_fails_at = None;
    }
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Size(size) => bytes.resize(super::to_usize(*size), 0),
        Change::Write { offset, bytes: written } => {
            let from = super::to_usize(*offset);
            let to = from + written.len();
            if bytes.len() < to {
                bytes.resize(to, 0);
            }
            if let Some(place) = bytes.get_mut(from..to) {
                place.copy_from_slice(written);
            }
        }
    }
}

fn apply_name(names: &mut BTreeMap<String, usize>, change: &NameChange) {
    match change {
        NameChange::Put(name, file) => names.insert(name.clone(), *file),
        NameChange::Remove(name) => names.remove(name),
    };
}

impl Storage for FaultStorage {
    fn list(&self) -> io::Result<Vec<String>> {
        let disk = lock(&self.disk);
        if disk.is_off {
            return Err(powered_off());
        }
        Ok(disk
            .names
            .keys()
            .filter_map(|path| name_in(path, &self.folder))
            .map(Into::into)
            .collect())
    }

    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn StoredFile>> {
        let mut disk = lock(&self.disk);
        let powered = disk.powered;
        if disk.is_off {
            return Err(powered_off());
        }
        if access != Access::Read && disk.is_read_only {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        let path = self.path(name);
        let known = disk.names.get(&path).copied();
        let file = match (access, known) {
            (Access::Create, known) | (Access::Extend, known @ None) => {
                if disk.begin(powered)? {
                    return Err(powered_off());
                }
                let file = known.unwrap_or(disk.files.len());
                if known.is_none() {
                    disk.files.push(Contents::default());
                    disk.change_name(NameChange::Put(path, file));
                } else if let Some(contents) = disk.files.get_mut(file) {
                    apply(&mut contents.seen, &Change::Size(0));
                    contents.pending.push(Change::Size(0));
                }
                file
            }
            (_, Some(file)) => file,
            (_, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        drop(disk);
        Ok(Box::new(FaultFile { disk: Arc::clone(&self.disk), file, powered, access }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        let powered = disk.powered;
        let fails = disk.begin(powered)?;
        let file = disk.names.get(&self.path(from)).copied().ok_or(io::ErrorKind::NotFound)?;
        // One journal entry: a file never loses both names.
        disk.change_name(NameChange::Put(self.path(to), file));
        disk.change_name(NameChange::Remove(self.path(from)));
        if fails { Err(powered_off()) } else { Ok(()) }
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        let powered = disk.powered;
        let fails = disk.begin(powered)?;
        disk.change_name(NameChange::Remove(self.path(name)));
        if fails { Err(powered_off()) } else { Ok(()) }
    }

    fn sync_folder(&self) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        let powered = disk.powered;
        if disk.begin(powered)? {
            return Err(powered_off());
        }
        disk.syncs += 1;
        if disk.sync_fails_at.is_some_and(|at| disk.syncs >= at) {
            disk.sync_fails_at = None;
            return Err(medium_failed());
        }
        disk.sync_names(&self.folder);
        Ok(())
    }
}

#[derive(Debug)]
struct FaultFile {
    disk: Arc<Mutex<Disk>>,
    file: usize,
    powered: u64,
    access: Access,
}

impl FaultFile {
    fn change(&self, change: impl FnOnce(&mut Disk) -> io::Result<()>) -> io::Result<()> {
        if self.access == Access::Read {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut disk = lock(&self.disk);
        let fails = disk.begin(self.powered)?;
        let changed = change(&mut disk);
        if fails { Err(powered_off()) } else { changed }
    }

    fn sync(&self) -> io::Result<()> {
        // A sync that the power cuts has done part of its work: `power_cycle` tears what is pending.
        let mut disk = lock(&self.disk);
        if disk.begin(self.powered)? { Err(powered_off()) } else { disk.sync(self.file) }
    }

    fn read<T>(&self, read: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        let disk = lock(&self.disk);
        let is_alive = !disk.is_off && self.powered == disk.powered;
        match disk.files.get(self.file).filter(|_| is_alive) {
            Some(contents) => Ok(read(&contents.seen)),
            None => Err(powered_off()),
        }
    }
}

impl StoredFile for FaultFile {
    fn size(&self) -> io::Result<u64> {
        self.read(|bytes| bytes.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.read(|bytes| {
            let rest = bytes.get(super::to_usize(offset)..).unwrap_or_default();
            let length = rest.len().min(buffer.len());
            if let (Some(to), Some(from)) = (buffer.get_mut(..length), rest.get(..length)) {
                to.copy_from_slice(from);
            }
            length
        })
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.change(|disk| disk.write(self.file, bytes, offset))
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.change(|disk| {
            if let Some(contents) = disk.files.get_mut(self.file) {
                apply(&mut contents.seen, &Change::Size(size));
                contents.pending.push(Change::Size(size));
            }
            Ok(())
        })
    }

    fn sync_content(&self) -> io::Result<()> {
        self.sync()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, FaultStorage, Storage as _};

    #[test]
    fn a_folders_names_wait_for_its_own_sync() {
        let disk = FaultStorage::new(1);
        let (one, two) = (disk.folder("one"), disk.folder("two"));
        let mut lost = 0;
        for seed in 0..20 {
            let name = format!("{seed}");
            for folder in [&one, &two] {
                folder.open(&name, Access::Create).unwrap().sync_all().unwrap();
            }
            one.sync_folder().unwrap();
            disk.power_cycle();
            assert!(one.list().unwrap().contains(&name), "its folder was synced");
            lost += usize::from(!two.list().unwrap().contains(&name));
        }
        assert!(lost > 0 && disk.list().unwrap().is_empty());
    }

    #[test]
    fn a_process_that_ends_during_an_operation_leaves_the_page_cache() {
        let disk = FaultStorage::new(1);
        let file = disk.open("a", Access::Create).unwrap();
        disk.fail_power_at(2);
        file.write_at(b"one", 0).unwrap();
        assert!(file.write_at(b"two", 3).is_err() && disk.list().is_err());
        disk.kill();
        assert_eq!(disk.content("a").unwrap(), b"onetwo");
        assert!(file.size().is_err(), "handles of the process are dead");
    }
}
