//! One message: the envelope that all share, and a body of its type.

use abide_domain::Timestamp;

use crate::{
    field::{MapReader, ReadContext, a_map, write_extra},
    field_error::{FieldError, FieldErrorCode, FieldErrors, Path, RefusalCode, RefusalError},
    frame::Frame,
    limits::{DEPTH_MAX, LENGTH_BYTES},
    message_type::{Direction, MessageType, Version},
    raw::{Extra, Raw},
    writer::Writer,
};

/// What every message carries beside its own fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The version that it is written in; absent on the wire for 1.
    pub version: Version,
    /// Seconds since 1970-01-01T00:00:00Z, by the sender's clock.
    pub timestamp: i64,
    /// A map of the sender's own, kept and passed on.
    pub metadata: Option<Raw>,
    /// Fields that are not known here, kept and passed on.
    pub extra: Extra,
}

/// A message in one direction: `Message<FromAgent>` or `Message<ToAgent>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Message<B> {
    /// What every message carries.
    pub envelope: Envelope,
    /// The message itself.
    pub body: B,
}

/// All messages of one direction. Implemented by [`crate::FromAgent`] and [`crate::ToAgent`] alone.
pub trait Body: sealed::Sealed {
    /// The direction of these messages.
    const DIRECTION: Direction;

    /// The type of this one.
    fn message_type(&self) -> MessageType;
}

pub(crate) mod sealed {
    use crate::{
        field::{MapReader, ReadContext},
        message_type::{MessageType, Version},
        writer::Writer,
    };

    /// How bodies are read and written; nothing outside can name or implement it.
    pub trait Sealed: Sized {
        fn read(
            kind: MessageType,
            map: &mut MapReader<'_>,
            reading: &mut ReadContext,
        ) -> Option<Self>;
        fn count(&self, version: Version) -> usize;
        fn write(&self, out: &mut Writer<'_>);
    }
}

/// Declares the messages of one direction: each type with its structure, and the field that holds it where it is not
/// the message itself.
macro_rules! bodies {
    ($(#[$meta:meta])* $name:ident $direction:ident {
        $($(#[$variant_meta:meta])* $variant:ident($ty:ty) $(in $key:literal)?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a message is made, sent and gone; none is kept by the thousand")]
        pub enum $name { $($(#[$variant_meta])* $variant($ty)),* }

        impl $crate::message::Body for $name {
            const DIRECTION: $crate::message_type::Direction =
                $crate::message_type::Direction::$direction;

            fn message_type(&self) -> $crate::message_type::MessageType {
                match self { $(Self::$variant(_) => $crate::message_type::MessageType::$variant),* }
            }
        }

        impl $crate::message::sealed::Sealed for $name {
            fn read(
                kind: $crate::message_type::MessageType,
                map: &mut $crate::field::MapReader<'_>,
                reading: &mut $crate::field::ReadContext,
            ) -> Option<Self> {
                match kind {
                    $($crate::message_type::MessageType::$variant =>
                        $crate::message::read_body!(map, reading, $ty $(, $key)?)
                            .map(Self::$variant),)*
                    _ => None,
                }
            }

            fn count(&self, version: $crate::message_type::Version) -> usize {
                match self {
                    $(Self::$variant(body) => $crate::message::count_body!(body, version $(, $key)?),)*
                }
            }

            fn write(&self, out: &mut $crate::writer::Writer<'_>) {
                match self {
                    $(Self::$variant(body) => $crate::message::write_body!(body, out $(, $key)?),)*
                }
            }
        }

        $(impl From<$ty> for $name {
            fn from(body: $ty) -> Self {
                Self::$variant(body)
            }
        })*
    };
}

macro_rules! read_body {
    ($map:ident, $reading:ident, $ty:ty) => {
        <$ty as $crate::field::WireFields>::read_fields($map, $reading)
    };
    ($map:ident, $reading:ident, $ty:ty, $key:literal) => {
        $map.required::<$ty>($key, $reading)
    };
}

macro_rules! count_body {
    ($body:ident, $version:ident) => {
        $crate::field::WireFields::count($body, $version)
    };
    ($body:ident, $version:ident, $key:literal) => {{
        let _ = ($body, $version);
        1
    }};
}

macro_rules! write_body {
    ($body:ident, $out:ident) => {
        $crate::field::WireFields::write_fields($body, $out)
    };
    ($body:ident, $out:ident, $key:literal) => {{
        $out.text($key);
        $crate::field::WireValue::write($body, $out);
    }};
}

pub(crate) use {bodies, count_body, read_body, write_body};

/// Why a message cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// Longer than its type's limit.
    #[error("a {kind} of {bytes} bytes cannot be sent: at most {}", .kind.bytes_max())]
    TooLarge {
        /// The message's type.
        kind: MessageType,
        /// The body's length.
        bytes: usize,
    },
    /// The peer's version has no such message.
    #[error("a {kind} cannot be sent in version {version}: it came with version {}", .kind.since())]
    Version {
        /// The message's type.
        kind: MessageType,
        /// The version that was to be written.
        version: Version,
    },
    /// A float that is no finite number.
    #[error("a {kind} cannot be sent: it has a number that is not finite")]
    NotFinite {
        /// The message's type.
        kind: MessageType,
    },
}

impl<B: Body> Message<B> {
    /// A message without metadata.
    pub fn new(version: Version, now: Timestamp, body: impl Into<B>) -> Self {
        let timestamp = now.as_micros().div_euclid(1_000_000);
        let envelope = Envelope { version, timestamp, metadata: None, extra: Extra::default() };
        Self { envelope, body: body.into() }
    }

    /// Reads a frame's fields: version first, then type and direction, then all of them. Every problem is reported.
    pub fn decode(frame: &Frame) -> Result<Self, RefusalError> {
        let mut reading = ReadContext { version: Version::V1, problems: FieldErrors::default() };
        let map = MapReader::of_message(frame.body(), frame.entries(), &mut reading);
        let mut request_id = None;
        let message = map.and_then(|mut map| {
            request_id = map.peek_text("request_id");
            reading.version = read_version(&mut map, &mut reading)?;
            let kind = read_type::<B>(&mut map, &mut reading)?;
            read_rest(kind, &mut map, &mut reading)
        });
        let problems = reading.problems.into_vec();
        match message {
            Some(message) if problems.is_empty() => Ok(message),
            _ => Err(refusal(problems, request_id)),
        }
    }

    /// Appends the frame: length, then body, `type` first. On an error, `out` is as it was before.
    pub fn encode_into(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let begin = out.len();
        let written = self.write(out);
        if written.is_err() {
            out.truncate(begin);
        }
        written
    }

    /// The frame: length, then body.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        self.encode_into(&mut out)?;
        Ok(out)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let kind = self.body.message_type();
        let envelope = &self.envelope;
        let version = envelope.version;
        if version < kind.since() {
            return Err(EncodeError::Version { kind, version });
        }
        let begin = out.len();
        out.extend_from_slice(&[0; LENGTH_BYTES]);
        let mut writer = Writer::new(out);
        writer.version = version;
        let named = usize::from(version > Version::V1) + usize::from(envelope.metadata.is_some());
        writer.map(2 + named + self.body.count(version) + envelope.extra.0.len());
        writer.text("type");
        writer.text(kind.name());
        if version > Version::V1 {
            writer.text("version");
            writer.unsigned(version.number());
        }
        writer.text("timestamp");
        writer.signed(envelope.timestamp);
        if let Some(metadata) = &envelope.metadata {
            writer.text("metadata");
            writer.packed(metadata.as_bytes());
        }
        self.body.write(&mut writer);
        write_extra(&envelope.extra, &mut writer);
        if writer.has_bad_float {
            return Err(EncodeError::NotFinite { kind });
        }
        let bytes = out.len() - begin - LENGTH_BYTES;
        let length = u32::try_from(bytes).ok().filter(|_| bytes <= kind.bytes_max());
        let length = length.ok_or(EncodeError::TooLarge { kind, bytes })?;
        for (to, from) in out.iter_mut().skip(begin).zip(length.to_be_bytes()) {
            *to = from;
        }
        Ok(())
    }
}

fn refusal(problems: Vec<FieldError>, request_id: Option<String>) -> RefusalError {
    let is_version =
        |problem: &FieldError| problem.path == "version" && problem.code == FieldErrorCode::Version;
    let code = if problems.iter().any(is_version) {
        RefusalCode::UnsupportedVersion
    } else if problems.iter().all(|problem| problem.code == FieldErrorCode::TooLarge) {
        RefusalCode::TooLarge
    } else {
        RefusalCode::InvalidMessage
    };
    RefusalError { code, problems, request_id }
}

fn read_version(map: &mut MapReader<'_>, reading: &mut ReadContext) -> Option<Version> {
    let Some(number) = map.field::<Option<u64>>("version", reading)? else {
        return Some(Version::V1);
    };
    let version = Version::from_number(number);
    if version.is_none() {
        let message = format!("version {number} is not supported; versions 1, 2 and 3 are");
        reading.problems.add(&map.path.key("version"), FieldErrorCode::Version, message);
    }
    version
}

fn read_type<B: Body>(map: &mut MapReader<'_>, reading: &mut ReadContext) -> Option<MessageType> {
    let name = map.field::<String>("type", reading)?;
    let path = map.path.key("type");
    let mut refuse = |code, message: String| {
        reading.problems.add(&path, code, message);
        None
    };
    let Some(kind) = MessageType::from_name(&name) else {
        let shown: String = name.chars().take(64).collect();
        return refuse(FieldErrorCode::UnknownType, format!("there is no message type `{shown}`"));
    };
    if !kind.goes(B::DIRECTION) {
        let message = format!("a {kind} is never sent {}", B::DIRECTION);
        return refuse(FieldErrorCode::Direction, message);
    }
    if reading.version < kind.since() {
        let message = format!(
            "a {kind} needs version {}: send hello first, and `version: {}` in each frame",
            kind.since(),
            kind.since()
        );
        return refuse(FieldErrorCode::Version, message);
    }
    Some(kind)
}

fn read_rest<B: Body>(
    kind: MessageType,
    map: &mut MapReader<'_>,
    reading: &mut ReadContext,
) -> Option<Message<B>> {
    let timestamp = map.field::<i64>("timestamp", reading);
    let metadata = map.field::<Option<Raw>>("metadata", reading);
    if let Some(Some(metadata)) = &metadata {
        a_map(metadata, &Path::Key(&Path::Root, "metadata"), reading);
    }
    let body = B::read(kind, map, reading);
    if kind == MessageType::WalEntry && map.depth() >= DEPTH_MAX {
        let message = format!(
            "is nested {DEPTH_MAX} deep; at most one less is allowed, because a restore puts it in a list"
        );
        reading.problems.add(&map.path.key("data"), FieldErrorCode::Depth, message);
    }
    let envelope = Envelope {
        version: reading.version,
        timestamp: timestamp?,
        metadata: metadata?,
        extra: map.extra(),
    };
    Some(Message { envelope, body: body? })
}
