//! Covers by their digest, in a folder with a bound. What does not fit makes the oldest go; any of it can be deleted, for a
//! cover is read from its file again when it is asked for.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest as _, Sha256};

use super::track::CoverDigest;
use crate::limits::COVER_BYTES_MAX;

/// A picture as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// `image/jpeg`, `image/png`, `image/gif` or `image/webp`: what its first bytes say, not what a tag says.
    pub mime: &'static str,
    /// The picture.
    pub bytes: Vec<u8>,
}

impl Cover {
    /// A cover from bytes; none where they are too many or no picture of a known kind.
    pub(crate) fn recognise(bytes: Vec<u8>) -> Option<Self> {
        if bytes.len() > COVER_BYTES_MAX {
            return None;
        }
        let mime = match bytes.as_slice() {
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return None,
        };
        Some(Self { mime, bytes })
    }

    pub(crate) fn digest(&self) -> CoverDigest {
        let digest: [u8; 32] = Sha256::digest(&self.bytes).into();
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest).for_each(|(byte, from)| *byte = from);
        CoverDigest::from_bytes(bytes)
    }
}

/// The folder of covers.
#[derive(Debug)]
pub(crate) struct CoverCache {
    folder: PathBuf,
    bytes_max: u64,
    bytes: AtomicU64,
}

impl CoverCache {
    /// Opens the folder, or makes it.
    pub(crate) fn open(folder: &Path, bytes_max: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let cache = Self { folder: folder.to_owned(), bytes_max, bytes: AtomicU64::new(0) };
        let bytes = cache.list()?.into_iter().map(|kept| kept.bytes).sum();
        cache.bytes.store(bytes, Ordering::Relaxed);
        Ok(cache)
    }

    /// A kept cover; none where it is not there or is not what its name says.
    pub(crate) fn get(&self, digest: CoverDigest) -> Option<Cover> {
        let cover = Cover::recognise(fs::read(self.path(digest)).ok()?)?;
        (cover.digest() == digest).then_some(cover)
    }

    /// Keeps a cover, whole or not at all.
    pub(crate) fn put(&self, digest: CoverDigest, cover: &Cover) -> io::Result<()> {
        let path = self.path(digest);
        if path.exists() {
            return Ok(());
        }
        let bytes = cover.bytes.len() as u64;
        if self.bytes.load(Ordering::Relaxed) + bytes > self.bytes_max {
            self.make_room(bytes)?;
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&cover.bytes)?;
        file.persist(path).map_err(|error| error.error)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Deletes the oldest until a tenth of the room is free, so that this is seldom.
    fn make_room(&self, wanted: u64) -> io::Result<()> {
        let mut kept = self.list()?;
        kept.sort_unstable_by_key(|kept| kept.changed);
        let mut bytes: u64 = kept.iter().map(|kept| kept.bytes).sum();
        let goal = (self.bytes_max / 10 * 9).saturating_sub(wanted);
        for old in kept {
            if bytes <= goal {
                break;
            }
            fs::remove_file(&old.path)?;
            bytes -= old.bytes;
        }
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<KeptCover>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_file() {
                let changed = metadata.modified()?;
                kept.push(KeptCover { path: entry.path(), bytes: metadata.len(), changed });
            }
        }
        Ok(kept)
    }

    fn path(&self, digest: CoverDigest) -> PathBuf {
        self.folder.join(digest.to_string())
    }
}

struct KeptCover {
    path: PathBuf,
    bytes: u64,
    changed: std::time::SystemTime,
}

#[cfg(test)]
mod tests {
    use super::{Cover, CoverCache};

    fn picture(number: u8) -> Cover {
        let mut bytes = b"\x89PNG".to_vec();
        bytes.extend([number; 996]);
        Cover::recognise(bytes).unwrap()
    }

    #[test]
    fn covers_stay_within_their_bound_and_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CoverCache::open(folder.path(), 10_000).unwrap();
        for number in 0..30 {
            let cover = picture(number);
            cache.put(cover.digest(), &cover).unwrap();
            assert_eq!(cache.get(cover.digest()), Some(cover), "{number}");
            let bytes: u64 = cache.list().unwrap().iter().map(|kept| kept.bytes).sum();
            assert!(bytes <= 10_000, "{bytes}");
        }
        let again = CoverCache::open(folder.path(), 10_000).unwrap();
        assert_eq!(again.get(picture(29).digest()), Some(picture(29)));
        assert_eq!(again.get(picture(0).digest()), None);
    }

    #[test]
    fn what_is_no_picture_is_no_cover() {
        assert_eq!(Cover::recognise(b"<svg onload=...>".to_vec()), None);
        assert_eq!(Cover::recognise(Vec::new()), None);
    }
}
