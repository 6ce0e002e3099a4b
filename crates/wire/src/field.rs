//! How a Rust value stands in a message: read from a field with its path, written with its name.
//!
//! `declare` derives both ways from one declaration, `value` does single values, `rule` what a field must hold beyond its
//! kind. Serde is not used here: it stops at the first error and does not say where, cannot keep what it does not know
//! without copying, and reads lists as structures.

use bytes::Bytes;

use crate::{
    limits::{FIELDS_MAX, LABEL_BYTES_MAX},
    message_type::Version,
    problem::{Path, ProblemCode, Problems, RefusalCode, RefusalError},
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

/// A value of a message and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    /// The whole body, of which parts are shared.
    pub(crate) body: &'a Bytes,
    /// This value.
    pub(crate) bytes: &'a [u8],
    pub(crate) path: &'a Path<'a>,
}

impl<'a> Slot<'a> {
    /// The value's first token. Bodies were walked over before: what is no value is nil.
    pub(crate) fn token(&self) -> Token<'a> {
        Cursor::new(self.bytes).token().unwrap_or(Token::Nil)
    }

    /// The value, verbatim.
    pub(crate) fn raw(&self) -> Raw {
        Raw::checked(self.body.slice_ref(self.bytes))
    }

    /// Notes that the value is of another kind than it should be.
    fn mismatch<T>(&self, wanted: &str, reading: &mut Reading) -> Option<T> {
        let message = format!("must be {wanted}, not {}", self.token().name());
        reading.problems.add(self.path, ProblemCode::Type, message);
        None
    }
}

/// What is known of the message while its fields are read.
#[derive(Debug)]
pub struct Reading {
    pub(crate) version: Version,
    pub(crate) problems: Problems,
}

/// A value that stands in a field.
pub(crate) trait Wired: Sized {
    /// Reads it, or notes what is wrong.
    fn read(slot: Slot<'_>, reading: &mut Reading) -> Option<Self>;
    /// Appends it.
    fn write(&self, out: &mut Writer<'_>);
    /// What it is where the field is missing; `None` where it must not be missing.
    fn absent() -> Option<Self> {
        None
    }
    /// Whether its field is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A structure whose fields stand in a map, which may be the message itself.
pub(crate) trait Fields: Sized {
    fn read_fields(map: &mut MapReader<'_>, reading: &mut Reading) -> Option<Self>;
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
    pub(crate) fn open(slot: Slot<'a>, reading: &mut Reading) -> Option<Self> {
        let mut cursor = Cursor::new(slot.bytes);
        let Ok(Token::Map(pairs)) = cursor.token() else { return slot.mismatch("a map", reading) };
        let mut map = Self { body: slot.body, path: slot.path, entries: Vec::new() };
        for _ in 0..pairs {
            let (Ok(Token::Text(key)), Ok(value)) = (cursor.token(), cursor.value()) else {
                let message = "every key here is text";
                reading.problems.add(slot.path, ProblemCode::Key, message);
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
        reading: &mut Reading,
    ) -> Option<Self> {
        let mut map = Self { body, path: &Path::Root, entries: Vec::new() };
        for (key, value) in entries {
            map.add(key, value, reading)?;
        }
        Some(map)
    }

    fn add(&mut self, key: &'a [u8], value: &'a [u8], reading: &mut Reading) -> Option<()> {
        let Ok(key) = std::str::from_utf8(key) else {
            reading.problems.add(self.path, ProblemCode::Utf8, "a key is no UTF-8");
            return None;
        };
        if self.entries.iter().any(|(known, _)| *known == key) {
            reading.problems.add(&self.path.key(key), ProblemCode::Duplicate, "stands twice");
            return None;
        }
        if self.entries.len() >= FIELDS_MAX {
            let message = format!("more than {FIELDS_MAX} fields");
            reading.problems.add(self.path, ProblemCode::TooMany, message);
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

    /// A field's value, or what it is where it is missing.
    pub(crate) fn field<T: Wired>(&mut self, name: &str, reading: &mut Reading) -> Option<T> {
        let path = self.path.key(name);
        if let Some(bytes) = self.take(name) {
            return T::read(Slot { body: self.body, bytes, path: &path }, reading);
        }
        let absent = T::absent();
        if absent.is_none() {
            reading.problems.add(&path, ProblemCode::Required, "is missing");
        }
        absent
    }

    /// A field of some version: in a message of an older one it is an unknown field like others.
    pub(crate) fn field_since<T: Wired>(
        &mut self,
        name: &str,
        since: Version,
        reading: &mut Reading,
    ) -> Option<T> {
        if reading.version < since { T::absent() } else { self.field(name, reading) }
    }

    /// A field that must be there, even where a missing one would have a meaning elsewhere.
    pub(crate) fn required<T: Wired>(&mut self, name: &str, reading: &mut Reading) -> Option<T> {
        self.field::<Option<T>>(name, reading)?.or_else(|| {
            reading.problems.add(&self.path.key(name), ProblemCode::Required, "is missing");
            None
        })
    }

    /// A short text of a field that stays to be taken.
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
pub(crate) fn read_part<T: Wired>(raw: &Raw) -> Result<T, RefusalError> {
    let mut reading = Reading { version: Version::V3, problems: Problems::default() };
    let body = raw.clone().into_bytes();
    let part = T::read(Slot { body: &body, bytes: &body, path: &Path::Root }, &mut reading);
    let problems = reading.problems.into_vec();
    match part {
        Some(part) if problems.is_empty() => Ok(part),
        _ => Err(RefusalError { code: RefusalCode::InvalidMessage, problems, request_id: None }),
    }
}

/// Writes a structure as a value of its own.
pub(crate) fn write_part<T: Wired>(part: &T) -> Raw {
    let mut bytes = Vec::new();
    part.write(&mut Writer::new(&mut bytes));
    Raw::checked(bytes.into())
}
