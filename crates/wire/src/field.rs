//! How Rust values are read from the fields of a message, with their paths, and written to them.
//!
//! `declare` derives both from one declaration, `value` implements single values, `rule` checks what a field must hold beyond
//! its type. Serde is not used here: it stops at the first error and does not say where, cannot keep unknown fields without
//! copying, and reads lists as structures.

use bytes::Bytes;

use crate::{
    field_error::{FieldErrorCode, FieldErrors, Path, RefusalCode, RefusalError},
    limits::{FIELDS_MAX, LABEL_BYTES_MAX},
    message_type::Version,
    raw::{Extra, Raw},
    skim,
    token::{Cursor, Token},
    writer::Writer,
};

mod declare;
mod rule;
mod value;

pub(crate) use declare::{since, wire_map, wire_name, wire_words};
pub(crate) use rule::{a_map, an_object, in_v3, label, short};
pub(crate) use value::word;

/// A value of a message and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    /// The whole body, of which parts are shared.
    pub(crate) body: &'a Bytes,
    /// This value.
    pub(crate) bytes: &'a [u8],
    pub(crate) path: &'a Path<'a>,
}

impl<'a> Slot<'a> {
    /// The value's first token. Bodies were checked before: an invalid value counts as nil.
    pub(crate) fn token(&self) -> Token<'a> {
        Cursor::new(self.bytes).token().unwrap_or(Token::Nil)
    }

    /// The value, verbatim.
    pub(crate) fn raw(&self) -> Raw {
        Raw::checked(self.body.slice_ref(self.bytes))
    }

    /// Records that the value has the wrong type.
    fn mismatch<T>(&self, wanted: &str, reading: &mut ReadContext) -> Option<T> {
        let message = format!("must be {wanted}, not {}", self.token().name());
        reading.problems.add(self.path, FieldErrorCode::Type, message);
        None
    }
}

/// The version of the message whose fields are read, and the errors so far.
#[derive(Debug)]
pub struct ReadContext {
    pub(crate) version: Version,
    pub(crate) problems: FieldErrors,
}

/// A value of a field.
pub(crate) trait WireValue: Sized {
    /// Reads it, or records what is wrong.
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self>;
    /// Appends it to the output.
    fn write(&self, out: &mut Writer<'_>);
    /// Its value where the field is missing; `None` where the field is required.
    fn absent() -> Option<Self> {
        None
    }
    /// Whether its field is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A structure whose fields are those of a map, which may be the message itself.
pub(crate) trait WireFields: Sized {
    fn read_fields(map: &mut MapReader<'_>, reading: &mut ReadContext) -> Option<Self>;
    /// How many fields are written.
    fn count(&self, version: Version) -> usize;
    fn write_fields(&self, out: &mut Writer<'_>);
}

/// The fields of a map, each taken at most once.
#[derive(Debug)]
pub struct MapReader<'a> {
    body: &'a Bytes,
    pub(crate) path: &'a Path<'a>,
    entries: Vec<(&'a str, Option<&'a [u8]>)>,
}

impl<'a> MapReader<'a> {
    /// Reads a map of a message's own structure.
    pub(crate) fn open(slot: Slot<'a>, reading: &mut ReadContext) -> Option<Self> {
        let mut cursor = Cursor::new(slot.bytes);
        let Ok(Token::Map(pairs)) = cursor.token() else { return slot.mismatch("a map", reading) };
        let mut map = Self { body: slot.body, path: slot.path, entries: Vec::new() };
        for _ in 0..pairs {
            let (Ok(Token::Text(key)), Ok(value)) = (cursor.token(), cursor.value()) else {
                let message = "every key must be text";
                reading.problems.add(slot.path, FieldErrorCode::Key, message);
                return None;
            };
            map.add(key, value, reading)?;
        }
        Some(map)
    }

    /// Takes the fields of a message.
    pub(crate) fn of_message(
        body: &'a Bytes,
        entries: impl Iterator<Item = (&'a [u8], &'a [u8])>,
        reading: &mut ReadContext,
    ) -> Option<Self> {
        let mut map = Self { body, path: &Path::Root, entries: Vec::new() };
        for (key, value) in entries {
            map.add(key, value, reading)?;
        }
        Some(map)
    }

    fn add(&mut self, key: &'a [u8], value: &'a [u8], reading: &mut ReadContext) -> Option<()> {
        let Ok(key) = std::str::from_utf8(key) else {
            reading.problems.add(self.path, FieldErrorCode::Utf8, "a key is not valid UTF-8");
            return None;
        };
        if self.entries.iter().any(|(known, _)| *known == key) {
            reading.problems.add(&self.path.key(key), FieldErrorCode::Duplicate, "is given twice");
            return None;
        }
        if self.entries.len() >= FIELDS_MAX {
            let message = format!("more than {FIELDS_MAX} fields");
            reading.problems.add(self.path, FieldErrorCode::TooMany, message);
            return None;
        }
        self.entries.push((key, Some(value)));
        Some(())
    }

    /// The bytes of a field, which counts as taken. Nil is the same as missing.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'a [u8]> {
        let (_, value) = self.entries.iter_mut().find(|(key, _)| *key == name)?;
        value.take().filter(|value| *value != [0xc0])
    }

    /// A field's value, or the value of a missing field.
    pub(crate) fn field<T: WireValue>(
        &mut self,
        name: &str,
        reading: &mut ReadContext,
    ) -> Option<T> {
        let path = self.path.key(name);
        if let Some(bytes) = self.take(name) {
            return T::read(Slot { body: self.body, bytes, path: &path }, reading);
        }
        let absent = T::absent();
        if absent.is_none() {
            reading.problems.add(&path, FieldErrorCode::Required, "is missing");
        }
        absent
    }

    /// A field that came with some version: in a message of an older one it is an unknown field.
    pub(crate) fn field_since<T: WireValue>(
        &mut self,
        name: &str,
        since: Version,
        reading: &mut ReadContext,
    ) -> Option<T> {
        if reading.version < since { T::absent() } else { self.field(name, reading) }
    }

    /// A required field, even where its type allows it to be missing elsewhere.
    pub(crate) fn required<T: WireValue>(
        &mut self,
        name: &str,
        reading: &mut ReadContext,
    ) -> Option<T> {
        self.field::<Option<T>>(name, reading)?.or_else(|| {
            reading.problems.add(&self.path.key(name), FieldErrorCode::Required, "is missing");
            None
        })
    }

    /// A short text of a field, which is not taken.
    pub(crate) fn peek_text(&self, name: &str) -> Option<String> {
        let (_, value) = self.entries.iter().find(|(key, _)| *key == name)?;
        match Cursor::new((*value)?).token().ok()? {
            Token::Text(text) if text.len() <= LABEL_BYTES_MAX => {
                std::str::from_utf8(text).ok().map(str::to_owned)
            }
            _ => None,
        }
    }

    /// A value of this map, at its path.
    pub(crate) fn slot<'p>(&self, bytes: &'p [u8], path: &'p Path<'p>) -> Slot<'p>
    where
        'a: 'p,
    {
        Slot { body: self.body, bytes, path }
    }

    /// How deeply the whole message is nested.
    pub(crate) fn depth(&self) -> usize {
        skim::depth(self.body)
    }

    /// All fields that were not taken.
    pub(crate) fn extra(&mut self) -> Extra {
        let body = self.body;
        let left = self.entries.iter_mut().filter_map(|(key, value)| {
            let value = Raw::checked(body.slice_ref(value.take()?));
            Some(((*key).to_owned(), value))
        });
        Extra(left.collect())
    }
}

/// Appends unknown fields.
pub(crate) fn write_extra(extra: &Extra, out: &mut Writer<'_>) {
    for (name, value) in &extra.0 {
        out.text(name);
        out.packed(value.as_bytes());
    }
}

/// Reads a structure from a value of its own.
pub(crate) fn read_part<T: WireValue>(raw: &Raw) -> Result<T, RefusalError> {
    let mut reading = ReadContext { version: Version::V3, problems: FieldErrors::default() };
    let body = raw.clone().into_bytes();
    let part = T::read(Slot { body: &body, bytes: &body, path: &Path::Root }, &mut reading);
    let problems = reading.problems.into_vec();
    match part {
        Some(part) if problems.is_empty() => Ok(part),
        _ => Err(RefusalError { code: RefusalCode::InvalidMessage, problems, request_id: None }),
    }
}

/// Writes a structure as a value of its own.
pub(crate) fn write_part<T: WireValue>(part: &T) -> Raw {
    let mut bytes = Vec::new();
    part.write(&mut Writer::new(&mut bytes));
    Raw::checked(bytes.into())
}
