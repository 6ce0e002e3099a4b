//! A file as it is before a change: its bytes, what they say, and how it was seen.

use std::{fs::File, io::Read as _};

use abide_domain::visible;
use abide_tools::{ToolError, ToolErrorKind};
use rustix::{fd::OwnedFd, fs::Stat, io::Errno};

use crate::{
    beneath::Place,
    digest::digest,
    limits::{CONFLICT_BYTES_MAX, FILE_BYTES_MAX},
    shorten::shorten,
    text_file::{FileText, TextEncoding, decode},
};

/// A file that was read in full.
#[derive(Debug)]
pub(crate) struct OldFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stat: Stat,
    pub(crate) digest: String,
}

impl OldFile {
    /// Reads the file of a place; none where nothing is.
    pub(crate) fn read(place: &Place) -> Result<Option<Self>, ToolError> {
        if place.stat()?.is_none() {
            return Ok(None);
        }
        let (file, stat) = place.open_file()?;
        let path = place.path.to_text();
        let too_large = || {
            let message = format!(
                "`{path}` has {} bytes; files of more than {FILE_BYTES_MAX} bytes are not changed",
                stat.st_size
            );
            ToolError::of(ToolErrorKind::Invalid, message)
        };
        if u64::try_from(stat.st_size).unwrap_or(0) > FILE_BYTES_MAX as u64 {
            return Err(too_large());
        }
        let bytes =
            read_start(file, FILE_BYTES_MAX + 1).map_err(|errno| place.refusal("read", errno))?;
        if bytes.len() > FILE_BYTES_MAX {
            return Err(too_large());
        }
        let digest = digest(&bytes);
        Ok(Some(Self { bytes, stat, digest }))
    }

    /// Its text, where it may be written over: it is text, and has no second name under which it would change as well.
    pub(crate) fn writable_text(&self, path: &str) -> Result<(TextEncoding, String), ToolError> {
        if self.stat.st_nlink > 1 {
            let message = format!(
                "`{path}` has {} names (hard links), which would part; it is not changed. Write it under a new name",
                self.stat.st_nlink
            );
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        match decode(&self.bytes) {
            FileText::Text { encoding, text } => Ok((encoding, text)),
            FileText::Binary { seems } => {
                let message = format!("`{path}` is not surely text ({seems}); it is not changed");
                Err(ToolError::of(ToolErrorKind::Blocked, message))
            }
        }
    }

    /// Says that the file is not what the caller saw, and shows its beginning.
    pub(crate) fn conflict(&self, path: &str, why: &str) -> ToolError {
        let now = match decode(&self.bytes) {
            FileText::Text { text, .. } => {
                let start = shorten(&text, CONFLICT_BYTES_MAX);
                let more = if start.len() < text.len() { "\n…" } else { "" };
                format!("It now reads:\n{}{more}", visible(start))
            }
            FileText::Binary { seems } => format!("It is {seems}, {} bytes", self.bytes.len()),
        };
        let message =
            format!("`{path}` {why}; its digest is `{}`. Nothing was changed. {now}", self.digest);
        ToolError::of(ToolErrorKind::Conflict, message)
    }

    /// Refuses where the caller saw another file.
    pub(crate) fn check_digest(&self, path: &str, seen: &str) -> Result<(), ToolError> {
        if seen.trim().eq_ignore_ascii_case(&self.digest) {
            return Ok(());
        }
        Err(self.conflict(path, "has changed since it was read"))
    }
}

/// The beginning of a file, of at most so many bytes.
pub(crate) fn read_start(file: OwnedFd, bytes_max: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    File::from(file)
        .take(bytes_max as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(bytes)
}

/// Text as bytes of an encoding, or what it lacks.
pub(crate) fn encode(encoding: TextEncoding, text: &str, path: &str) -> Result<Vec<u8>, ToolError> {
    let bytes = encoding.encode(text).map_err(|missing| {
        let message = format!(
            "`{path}` is in {}, which has no `{missing}`; it is not changed to another encoding",
            encoding.name()
        );
        ToolError::of(ToolErrorKind::Blocked, message)
    })?;
    if bytes.len() > FILE_BYTES_MAX {
        let message = format!("the new file would have more than {FILE_BYTES_MAX} bytes");
        return Err(ToolError::new(message));
    }
    if !matches!(decode(&bytes), FileText::Text { text: read, .. } if read == text) {
        let message = "the content has control characters, or would read as another encoding; only text is written";
        return Err(ToolError::new(message));
    }
    Ok(bytes)
}
