//! Pictures on disk: one file a picture, written whole or not at all, bounded in number and bytes; the oldest give way. It is a
//! cache: what cannot be read is fetched again, what cannot be written is not kept. Blocking.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::limits::{IMAGE_BYTES_MAX, IMAGE_CACHE_BYTES_MAX, IMAGE_CACHE_FILES_MAX};
use crate::home::{LinkRule, open_regular, require_folder, write_atomically};

const END: &str = "img";
/// Of a hundred, how much is left where room is made, so that not every new picture makes some.
const LEFT_PERCENT: u64 = 90;

/// A picture, and the media type that its first bytes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CardPicture {
    /// The file.
    pub(crate) bytes: Bytes,
    /// `image/jpeg`, `image/png` or `image/webp`.
    pub(crate) media_type: &'static str,
}

impl CardPicture {
    /// A picture of one of the three kinds; none where the bytes begin as something else.
    pub(super) fn new(bytes: Bytes) -> Option<Self> {
        let media_type = match bytes.get(..12)? {
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => "image/webp",
            _ => return None,
        };
        Some(Self { bytes, media_type })
    }
}

/// The folder of pictures.
#[derive(Debug)]
pub(super) struct ImageCache {
    folder: PathBuf,
    bytes_max: u64,
    files_max: usize,
    /// Bytes and number of all pictures; none before they were counted.
    held: Mutex<Option<(u64, usize)>>,
}

impl ImageCache {
    /// Pictures in a folder, which is made when the first one is kept.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self::bounded(folder, (IMAGE_CACHE_BYTES_MAX, IMAGE_CACHE_FILES_MAX))
    }

    /// The same with other bounds.
    pub(super) fn bounded(folder: PathBuf, (bytes_max, files_max): (u64, usize)) -> Self {
        Self { folder, bytes_max, files_max, held: Mutex::default() }
    }

    /// The picture of a URL.
    pub(super) fn get(&self, url: &str) -> Option<CardPicture> {
        let file = open_regular(OpenOptions::new().read(true), &self.path(url), LinkRule::Refuse);
        let mut bytes = Vec::new();
        file.ok()?.take(IMAGE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        CardPicture::new(bytes.into())
    }

    /// Keeps a picture.
    pub(super) fn put(&self, url: &str, picture: &CardPicture) {
        // A cache that cannot be written is as good as none.
        if let Err(error) = self.write(url, picture) {
            tracing::debug!(event = "card_image_not_kept", %error, "a picture of a card cannot be kept");
        }
    }

    fn write(&self, url: &str, picture: &CardPicture) -> io::Result<()> {
        if !require_folder(&self.folder)? {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        }
        write_atomically(&self.path(url), &picture.bytes)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, files) = match *held {
            // One that is replaced counts twice until the next count: that only makes room earlier.
            Some((bytes, files)) => (bytes.saturating_add(picture.bytes.len() as u64), files + 1),
            None => sum(&self.files()?),
        };
        let is_full = bytes > self.bytes_max || files > self.files_max;
        *held = Some(if is_full { self.make_room()? } else { (bytes, files) });
        Ok(())
    }

    /// Drops the oldest, and what an interrupted writer left.
    fn make_room(&self) -> io::Result<(u64, usize)> {
        let mut files = self.files()?;
        files.sort();
        let (mut bytes, mut count) = sum(&files);
        let bytes_left = self.bytes_max / 100 * LEFT_PERCENT;
        let files_left = self.files_max - self.files_max / 10;
        for (_, path, length) in files {
            if bytes <= bytes_left && count <= files_left {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes = bytes.saturating_sub(length);
                count = count.saturating_sub(1);
            }
        }
        Ok((bytes, count))
    }

    /// All files with the time of their last change and their length.
    fn files(&self) -> io::Result<Vec<CachedFile>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_file() {
                files.push((metadata.modified().ok(), entry.path(), metadata.len()));
            }
        }
        Ok(files)
    }

    fn path(&self, url: &str) -> PathBuf {
        let name = hex::encode(Sha256::digest(url.as_bytes()));
        self.folder.join(Path::new(&name)).with_extension(END)
    }
}

type CachedFile = (Option<std::time::SystemTime>, PathBuf, u64);

fn sum(files: &[CachedFile]) -> (u64, usize) {
    let bytes = files.iter().map(|(_, _, length)| *length);
    (bytes.fold(0, u64::saturating_add), files.len())
}
