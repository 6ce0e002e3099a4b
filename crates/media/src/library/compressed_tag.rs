//! Whether a file's ID3v2 tag has compressed frames. The reader of tags unpacks them without a bound, so that a small file
//! could take all memory; such tags are seldom, and are left unread.

use std::io::{self, Read, Seek, SeekFrom};

use crate::limits::{CHUNKS_MAX, COMPRESSED_LOOK_BYTES_MAX};

/// Whether any ID3v2 tag of the file has a frame that is compressed, or one that cannot be looked through.
pub(crate) fn has_compressed_frames<R: Read + Seek>(file: &mut R) -> io::Result<bool> {
    file.rewind()?;
    let mut head = [0; 12];
    let read = read_up_to(file, &mut head)?;
    let head = head.get(..read).unwrap_or_default();
    match head {
        [b'R', b'I', b'F', b'F', .., b'W', b'A', b'V', b'E'] => in_chunks(file, u32::from_le_bytes),
        [b'F', b'O', b'R', b'M', .., b'A', b'I', b'F', _] => in_chunks(file, u32::from_be_bytes),
        _ => in_tags(file, 0),
    }
}

/// Looks at the tags at a place, one behind the other.
fn in_tags<R: Read + Seek>(file: &mut R, mut at: u64) -> io::Result<bool> {
    for _ in 0..CHUNKS_MAX {
        file.seek(SeekFrom::Start(at))?;
        let mut header = [0; 10];
        if read_up_to(file, &mut header)? < header.len() {
            return Ok(false);
        }
        let [b'I', b'D', b'3', major, _, flags, size @ ..] = header else {
            return Ok(false);
        };
        let size = u64::from(synchsafe(size));
        if in_frames(file, size, major, flags)? {
            return Ok(true);
        }
        at += 10 + size + if flags & 0x10 == 0 { 0 } else { 10 };
    }
    Ok(true)
}

/// Looks at the frames of the tag whose header was just read.
fn in_frames<R: Read + Seek>(file: &mut R, size: u64, major: u8, flags: u8) -> io::Result<bool> {
    let is_unsynchronised = flags & 0x80 != 0;
    let has_more_header = flags & 0x40 != 0;
    if major < 3 {
        // Version 2.2 marks whole tags as compressed, and nobody reads those.
        return Ok(major == 2 && flags & 0x40 != 0);
    }
    if !is_unsynchronised && !has_more_header {
        let start = file.stream_position()?;
        return walk(size, major, |at, header| {
            file.seek(SeekFrom::Start(start + at))?;
            Ok(read_up_to(file, header)? == header.len())
        });
    }
    if size > COMPRESSED_LOOK_BYTES_MAX {
        return Ok(true);
    }
    let mut stored = Vec::new();
    file.take(size).read_to_end(&mut stored)?;
    // Sizes are of the one form in some versions and of the other in others; programs mix them up.
    let meant = synchronised(&stored);
    for bytes in [stored, meant] {
        let begin = if has_more_header { more_header(&bytes, major) } else { 0 };
        let body = bytes.get(begin..).unwrap_or_default();
        let found = walk(body.len() as u64, major, |at, header| {
            let from = usize::try_from(at).unwrap_or(usize::MAX);
            let frame = body.get(from..).and_then(|rest| rest.get(..header.len()));
            frame.map_or(Ok(false), |frame| {
                header.copy_from_slice(frame);
                Ok(true)
            })
        })?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Goes from head to head of frames. `read` gives the bytes at a place; not where there are none.
fn walk(
    size: u64,
    major: u8,
    mut read: impl FnMut(u64, &mut [u8; 10]) -> io::Result<bool>,
) -> io::Result<bool> {
    // Some programs write the sizes of version 2.3 into tags of version 2.4.
    let is_found = walk_with(size, major, u32::from_be_bytes, &mut read)?;
    Ok(is_found || (major > 3 && walk_with(size, major, synchsafe, &mut read)?))
}

fn walk_with(
    size: u64,
    major: u8,
    size_of: fn([u8; 4]) -> u32,
    read: &mut impl FnMut(u64, &mut [u8; 10]) -> io::Result<bool>,
) -> io::Result<bool> {
    let mut at = 0;
    for _ in 0..CHUNKS_MAX {
        let mut header = [0; 10];
        if at + 10 > size || !read(at, &mut header)? {
            return Ok(false);
        }
        let [id @ .., a, b, c, d, _, marks] = header;
        if !id.iter().all(|byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
            return Ok(false);
        }
        if marks & mark(major) != 0 {
            return Ok(true);
        }
        at += 10 + u64::from(size_of([a, b, c, d]));
    }
    Ok(true)
}

/// A tag without the bytes of zero that were put behind each 0xff.
fn synchronised(bytes: &[u8]) -> Vec<u8> {
    let mut meant = Vec::with_capacity(bytes.len());
    let mut last = 0;
    for byte in bytes {
        if !(last == 0xff && *byte == 0) {
            meant.push(*byte);
        }
        last = *byte;
    }
    meant
}

/// The length of the second header of a tag.
fn more_header(bytes: &[u8], major: u8) -> usize {
    let size = bytes.first_chunk().map_or(0, |size: &[u8; 4]| match major {
        3 => u64::from(u32::from_be_bytes(*size)) + 4,
        _ => u64::from(synchsafe(*size)),
    });
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// The bit of the second byte of marks that says "compressed".
const fn mark(major: u8) -> u8 {
    if major == 3 { 0x80 } else { 0x08 }
}

/// Looks at the tags in the chunks of a RIFF or AIFF file.
fn in_chunks<R: Read + Seek>(file: &mut R, length_of: fn([u8; 4]) -> u32) -> io::Result<bool> {
    let mut at = 12;
    for _ in 0..CHUNKS_MAX {
        file.seek(SeekFrom::Start(at))?;
        let mut header = [0; 8];
        if read_up_to(file, &mut header)? < header.len() {
            return Ok(false);
        }
        let [a, b, c, _, length @ ..] = header;
        if [a, b, c].eq_ignore_ascii_case(b"id3") && in_tags(file, at + 8)? {
            return Ok(true);
        }
        let length = u64::from(length_of(length));
        at += 8 + length + length % 2;
    }
    Ok(true)
}

fn synchsafe(bytes: [u8; 4]) -> u32 {
    bytes.iter().fold(0, |sum, byte| (sum << 7) | u32::from(byte & 0x7f))
}

fn read_up_to<R: Read>(file: &mut R, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = into.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}
