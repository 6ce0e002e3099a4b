//! The state that checkpoints and restores carry: opaque bytes, compressed above 1 MB where the peer knows how.
//!
//! Nothing is decompressed on the way through. What is decompressed is capped first: by the size that its header
//! declares, and by counting where it declares none.

use std::io::Read as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use zstd::zstd_safe;

use crate::{
    field::{MapReader, ReadContext, Slot},
    field_error::{FieldError, FieldErrorCode, MalformedError, Path},
    limits::{CHECKPOINT_BYTES_MAX, COMPRESS_BYTES_MIN, WINDOW_LOG_MAX, ZSTD_LEVEL},
    message_type::Version,
    raw::Raw,
    skim::check_value,
    token::Token,
    writer::Writer,
};

const ZSTD: &str = "zstd";

/// A checkpoint's `data` or a restore's `snapshot`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The map itself.
    Plain(Raw),
    /// The map's MessagePack, compressed. Its declared size was checked, its contents were not.
    Zstd(Bytes),
}

impl Payload {
    /// No state at all.
    pub fn empty() -> Self {
        Self::Plain(Raw::empty_map())
    }

    /// Takes a state for a peer of some version: compressed above 1 MB, where that version knows it and it helps.
    pub fn pack(state: Raw, version: Version) -> Result<Self, FieldError> {
        let bytes = state.as_bytes().len();
        if bytes > CHECKPOINT_BYTES_MAX {
            return Err(too_large(bytes as u64).at(""));
        }
        if version < Version::V2 || bytes <= COMPRESS_BYTES_MIN {
            return Ok(Self::Plain(state));
        }
        let compressed = zstd::bulk::compress(state.as_bytes(), ZSTD_LEVEL)
            .map_err(|error| not_zstd(&error.to_string()).at(""))?;
        let sent = if version == Version::V2 { compressed.len() / 3 * 4 } else { compressed.len() };
        Ok(if sent < bytes { Self::Zstd(compressed.into()) } else { Self::Plain(state) })
    }

    /// Takes compressed bytes as they are, such as those of a file. Checks the declared size alone.
    pub fn from_zstd(compressed: impl Into<Bytes>) -> Result<Self, FieldError> {
        let compressed = compressed.into();
        check_declared(&compressed).map_err(|malformed| malformed.at(""))?;
        Ok(Self::Zstd(compressed))
    }

    /// The state: one map, decompressed where it must be, never beyond [`CHECKPOINT_BYTES_MAX`].
    pub fn unpack(&self) -> Result<Raw, FieldError> {
        let bytes = match self {
            Self::Plain(raw) => return Ok(raw.clone()),
            Self::Zstd(compressed) => {
                decompress(compressed).map_err(|malformed| malformed.at(""))?
            }
        };
        check_value(&bytes).map_err(|malformed| malformed.at(""))?;
        let raw = Raw::checked(bytes.into());
        if raw.is_map() {
            return Ok(raw);
        }
        Err(FieldError::new("", FieldErrorCode::Type, "the decompressed state must be a map"))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Plain(raw) if raw.is_empty_map())
    }

    /// Bytes as they travel or are stored.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Plain(raw) => raw.as_bytes(),
            Self::Zstd(bytes) => bytes,
        }
    }

    /// Reads the payload's field and the two that say how it is compressed.
    pub(crate) fn read(
        map: &mut MapReader<'_>,
        name: &str,
        reading: &mut ReadContext,
    ) -> Option<Self> {
        let is_compressed = map.field::<Option<bool>>("compressed", reading)?.unwrap_or(false);
        let method = map.field::<Option<String>>("compression", reading)?;
        let path = map.path.key(name);
        let Some(bytes) = map.take(name) else {
            reading.problems.add(&path, FieldErrorCode::Required, "is missing");
            return None;
        };
        let slot = map.slot(bytes, &path);
        if is_compressed {
            return Self::read_compressed(slot, method.as_deref(), reading);
        }
        if let Token::Map(_) = slot.token() {
            return Some(Self::Plain(slot.raw()));
        }
        let message =
            format!("must be a map, not {} (is `compressed` missing?)", slot.token().name());
        reading.problems.add(&path, FieldErrorCode::Type, message);
        None
    }

    fn read_compressed(
        slot: Slot<'_>,
        method: Option<&str>,
        reading: &mut ReadContext,
    ) -> Option<Self> {
        if method != Some(ZSTD) {
            let path = Path::Key(&Path::Root, "compression");
            let code =
                if method.is_some() { FieldErrorCode::Value } else { FieldErrorCode::Required };
            reading.problems.add(&path, code, "must be zstd");
            return None;
        }
        let taken = match slot.token() {
            Token::Bin(bytes) => Ok(slot.body.slice_ref(bytes)),
            Token::Text(text) => STANDARD.decode(text).map(Bytes::from).map_err(|error| {
                MalformedError::new(FieldErrorCode::Base64, format!("is not base64: {error}"))
            }),
            other => {
                let message = format!("must be bin, or text in base64, not {}", other.name());
                Err(MalformedError::new(FieldErrorCode::Type, message))
            }
        };
        match taken.and_then(|bytes| check_declared(&bytes).map(|()| bytes)) {
            Ok(bytes) => Some(Self::Zstd(bytes)),
            Err(malformed) => {
                reading.problems.push(malformed.at(slot.path.to_string()));
                None
            }
        }
    }

    /// How many fields it takes.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Plain(_) => 1,
            Self::Zstd(_) => 3,
        }
    }

    /// Appends the payload's fields: base64 for versions 1 and 2, bytes for 3.
    pub(crate) fn write(&self, name: &str, out: &mut Writer<'_>) {
        match self {
            Self::Plain(raw) => {
                out.text(name);
                out.packed(raw.as_bytes());
            }
            Self::Zstd(bytes) => {
                out.text("compressed");
                out.boolean(true);
                out.text("compression");
                out.text(ZSTD);
                out.text(name);
                if out.version >= Version::V3 {
                    out.bin(bytes);
                } else {
                    out.text(&STANDARD.encode(bytes));
                }
            }
        }
    }
}

/// Refuses what is not zstd, or declares more than may be decompressed.
fn check_declared(compressed: &[u8]) -> Result<(), MalformedError> {
    match zstd_safe::get_frame_content_size(compressed) {
        Ok(Some(bytes)) if bytes > CHECKPOINT_BYTES_MAX as u64 => Err(too_large(bytes)),
        Ok(_) => Ok(()),
        Err(_) => Err(not_zstd("there is no frame header")),
    }
}

fn decompress(compressed: &[u8]) -> Result<Vec<u8>, MalformedError> {
    check_declared(compressed)?;
    let failed = |error: std::io::Error| not_zstd(&error.to_string());
    let mut decoder = zstd::stream::read::Decoder::with_buffer(compressed).map_err(failed)?;
    decoder.window_log_max(WINDOW_LOG_MAX).map_err(failed)?;
    let mut bytes = Vec::new();
    let cap = CHECKPOINT_BYTES_MAX as u64;
    decoder.take(cap + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > CHECKPOINT_BYTES_MAX {
        return Err(too_large(cap + 1));
    }
    Ok(bytes)
}

fn too_large(bytes: u64) -> MalformedError {
    let message = format!("{bytes} bytes or more, decompressed; at most {CHECKPOINT_BYTES_MAX}");
    MalformedError::new(FieldErrorCode::TooLarge, message)
}

fn not_zstd(why: &str) -> MalformedError {
    MalformedError::new(FieldErrorCode::Zstd, format!("is not zstd: {why}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::Payload;
    use crate::{limits::CHECKPOINT_BYTES_MAX, message_type::Version, raw::Raw};

    #[test]
    fn only_large_states_are_compressed_and_only_for_peers_that_know_it() {
        let small = Raw::from_json(&json!({"a": 1}));
        let large = Raw::from_json(&json!({"text": "abide ".repeat(300_000)}));
        for version in Version::ALL {
            assert_eq!(Payload::pack(small.clone(), version), Ok(Payload::Plain(small.clone())));
            let packed = Payload::pack(large.clone(), version).unwrap();
            assert_eq!(matches!(packed, Payload::Zstd(_)), version >= Version::V2);
            assert_eq!(packed.unpack(), Ok(large.clone()));
        }
    }

    #[test]
    fn a_bomb_is_stopped_whether_it_declares_its_size_or_not() {
        let zeros = vec![0; CHECKPOINT_BYTES_MAX + 1];
        let declared = zstd::bulk::compress(&zeros, 1).unwrap();
        assert!(Payload::from_zstd(declared).unwrap_err().message.contains("at most"));
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.write_all(&zeros).unwrap();
        let undeclared = encoder.finish().unwrap();
        assert!(undeclared.len() < 100_000);
        let payload = Payload::from_zstd(undeclared).unwrap();
        assert_eq!(payload.unpack().unwrap_err().code.as_str(), "too_large");
    }

    #[test]
    fn what_decompresses_to_no_map_is_refused() {
        for (state, code) in
            [(&b"\x93\x01"[..], "truncated"), (b"\x01", "type"), (b"", "truncated")]
        {
            let compressed = zstd::bulk::compress(state, 1).unwrap();
            let error = Payload::from_zstd(compressed).unwrap().unpack().unwrap_err();
            assert_eq!(error.code.as_str(), code);
        }
        assert!(Payload::from_zstd(&b"plain text"[..]).is_err());
    }
}
