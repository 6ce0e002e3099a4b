//! What a file's audio is known by, whatever its tags say and wherever it lies.
//!
//! Hashing all audio of a large library would read all of it. The digest takes the length of the audio and its two ends,
//! after finding where it begins and ends in the kind of file that it is. It is no proof against somebody who means to deceive.

use std::io::{self, Read, Seek, SeekFrom};

use sha2::{Digest as _, Sha256};

use super::track::TrackKey;
use crate::limits::{CHUNKS_MAX, DIGEST_BYTES};

/// Said first, so that another way of digesting gives other digests.
const VERSION: &[u8] = b"abide audio 1";

/// Where the audio lies in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AudioRange {
    start: u64,
    end: u64,
}

/// The digest of a file's audio; none where there is no audio.
pub(crate) fn audio_digest<R: Read + Seek>(
    file: &mut R,
    size: u64,
) -> io::Result<Option<TrackKey>> {
    let start = skip_id3(file, 0)?;
    let magic: [u8; 12] = read_at(file, start)?.unwrap_or_default();
    let mut hash = Sha256::new();
    hash.update(VERSION);
    if magic.starts_with(b"OggS") {
        return ogg(file, start, size, hash);
    }
    let whole = AudioRange { start, end: end_of_audio(file, start, size)? };
    let range = match &magic {
        [b'f', b'L', b'a', b'C', ..] => flac(file, whole)?,
        [b'R', b'I', b'F', b'F', .., b'W', b'A', b'V', b'E'] => {
            chunk(file, whole, *b"data", u32::from_le_bytes)?
        }
        [b'F', b'O', b'R', b'M', .., b'A', b'I', b'F', _] => {
            chunk(file, whole, *b"SSND", u32::from_be_bytes)?
        }
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => mdat(file, whole)?,
        _ => whole,
    };
    let length = range.end.saturating_sub(range.start);
    if length == 0 {
        return Ok(None);
    }
    hash.update(length.to_le_bytes());
    take(file, range.start, length.min(DIGEST_BYTES), &mut hash)?;
    let tail = length.saturating_sub(DIGEST_BYTES).min(DIGEST_BYTES);
    take(file, range.end - tail, tail, &mut hash)?;
    Ok(Some(finish(hash)))
}

fn finish(hash: Sha256) -> TrackKey {
    let digest: [u8; 32] = hash.finalize().into();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, from)| *byte = from);
    TrackKey::from_bytes(bytes)
}

fn take<R: Read + Seek>(file: &mut R, from: u64, length: u64, hash: &mut Sha256) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    hash.update(&bytes);
    Ok(())
}

/// So many bytes at a place; none where the file ends before.
fn read_at<const N: usize>(file: &mut (impl Read + Seek), at: u64) -> io::Result<Option<[u8; N]>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = [0; N];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where ID3v2 tags at the beginning end.
fn skip_id3<R: Read + Seek>(file: &mut R, mut at: u64) -> io::Result<u64> {
    for _ in 0..CHUNKS_MAX {
        let header: Option<[u8; 10]> = read_at(file, at)?;
        let Some([b'I', b'D', b'3', _, _, flags, a, b, c, d]) = header else {
            break;
        };
        let size = [a, b, c, d].iter().fold(0, |sum, byte| (sum << 7) | u64::from(byte & 0x7f));
        let footer = if flags & 0x10 == 0 { 0 } else { 10 };
        at = at.saturating_add(10 + size + footer);
    }
    Ok(at)
}

/// Where the audio ends: before an ID3v1 tag and an APE tag.
fn end_of_audio<R: Read + Seek>(file: &mut R, start: u64, size: u64) -> io::Result<u64> {
    let mut end = size;
    if end >= start + 128 && read_at(file, end - 128)? == Some(*b"TAG") {
        end -= 128;
    }
    if end >= start + 32
        && let Some(footer) = read_at::<32>(file, end - 32)?
        && let [
            b'A',
            b'P',
            b'E',
            b'T',
            b'A',
            b'G',
            b'E',
            b'X',
            _,
            _,
            _,
            _,
            a,
            b,
            c,
            d,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            flags,
            ..,
        ] = footer
    {
        let header = if flags & 0x80 == 0 { 0 } else { 32 };
        let tag = u64::from(u32::from_le_bytes([a, b, c, d])) + header;
        end = end.saturating_sub(tag);
    }
    Ok(end.max(start))
}

/// The frames behind the blocks.
fn flac<R: Read + Seek>(file: &mut R, whole: AudioRange) -> io::Result<AudioRange> {
    let mut at = whole.start + 4;
    for _ in 0..CHUNKS_MAX {
        let Some([kind, a, b, c]) = read_at(file, at)? else {
            break;
        };
        at += 4 + u64::from(u32::from_be_bytes([0, a, b, c]));
        if kind & 0x80 != 0 {
            break;
        }
    }
    Ok(AudioRange { start: at.min(whole.end), end: whole.end })
}

/// The chunk of a name behind a header of 12 bytes.
fn chunk<R: Read + Seek>(
    file: &mut R,
    whole: AudioRange,
    name: [u8; 4],
    length_of: fn([u8; 4]) -> u32,
) -> io::Result<AudioRange> {
    let mut at = whole.start + 12;
    for _ in 0..CHUNKS_MAX {
        let (Some(kind), Some(length)) = (read_at::<4>(file, at)?, read_at(file, at + 4)?) else {
            break;
        };
        let length = u64::from(length_of(length));
        if kind == name {
            return Ok(AudioRange { start: at + 8, end: (at + 8 + length).min(whole.end) });
        }
        at += 8 + length + length % 2;
    }
    Ok(whole)
}

/// The first box with samples.
fn mdat<R: Read + Seek>(file: &mut R, whole: AudioRange) -> io::Result<AudioRange> {
    let mut at = whole.start;
    for _ in 0..CHUNKS_MAX {
        let Some([a, b, c, d, kind @ ..]) = read_at::<8>(file, at)? else {
            break;
        };
        let (header, length) = match u32::from_be_bytes([a, b, c, d]) {
            0 => (8, whole.end.saturating_sub(at)),
            1 => (16, read_at(file, at + 8)?.map_or(0, u64::from_be_bytes)),
            length => (8, u64::from(length)),
        };
        if length < header {
            break;
        }
        let end = at.saturating_add(length);
        if &kind == b"mdat" {
            return Ok(AudioRange { start: at + header, end: end.min(whole.end) });
        }
        at = end;
    }
    Ok(whole)
}

/// What the pages of audio hold, without the pages' own numbers, which change with the tags before them; and how long it is.
fn ogg<R: Read + Seek>(
    file: &mut R,
    start: u64,
    size: u64,
    mut hash: Sha256,
) -> io::Result<Option<TrackKey>> {
    let (mut at, mut taken) = (start, 0);
    for _ in 0..CHUNKS_MAX {
        let Some(header) = read_at::<27>(file, at)? else {
            break;
        };
        let [
            b'O',
            b'g',
            b'g',
            b'S',
            _,
            _,
            granule @ ..,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            segments,
        ] = header
        else {
            break;
        };
        let mut lengths = vec![0; usize::from(segments)];
        file.read_exact(&mut lengths)?;
        let payload: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        let body = at + 27 + u64::from(segments);
        // Pages of headers are at 0; a page on which no packet ends is at -1.
        if !matches!(u64::from_le_bytes(granule), 0 | u64::MAX) {
            take(file, body, payload, &mut hash)?;
            taken += payload;
        }
        if taken >= 2 * DIGEST_BYTES {
            break;
        }
        at = body + payload;
    }
    if taken == 0 {
        return Ok(None);
    }
    hash.update(last_granule(file, size)?);
    Ok(Some(finish(hash)))
}

/// The position that the last page ends at.
fn last_granule<R: Read + Seek>(file: &mut R, size: u64) -> io::Result<[u8; 8]> {
    let from = size.saturating_sub(2 * DIGEST_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(2 * DIGEST_BYTES).read_to_end(&mut bytes)?;
    let page = bytes.windows(14).rev().find(|window| window.starts_with(b"OggS"));
    Ok(page.and_then(|page| page.last_chunk::<8>().copied()).unwrap_or_default())
}
