//! Single values: texts, numbers, lists, and values that are carried unread.

use std::str::FromStr;

use abide_domain::{AgentId, EpochId, Secret, Timestamp, envelope::Channel};
use serde_json::Value;

use super::{ReadContext, Slot, WireValue};
use crate::{
    field_error::FieldErrorCode,
    json,
    raw::Raw,
    token::{Cursor, Token},
    writer::Writer,
};

/// Reads one word of a closed set.
pub(crate) fn word<T: Copy>(
    slot: Slot<'_>,
    reading: &mut ReadContext,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Option<T> {
    let text = text(slot, reading)?;
    let found = all.iter().copied().find(|word| name(*word) == text);
    if found.is_none() {
        let words: Vec<_> = all.iter().map(|word| name(*word)).collect();
        let message = format!("must be one of {}", words.join(", "));
        reading.problems.add(slot.path, FieldErrorCode::Value, message);
    }
    found
}

fn text<'a>(slot: Slot<'a>, reading: &mut ReadContext) -> Option<&'a str> {
    match slot.token() {
        Token::Text(bytes) => match json::text(bytes) {
            Ok(text) => Some(text),
            Err(malformed) => {
                reading.problems.push(malformed.at(slot.path.to_string()));
                None
            }
        },
        _ => slot.mismatch("text", reading),
    }
}

fn parsed<T: FromStr<Err: std::fmt::Display>>(
    slot: Slot<'_>,
    reading: &mut ReadContext,
) -> Option<T> {
    match text(slot, reading)?.parse() {
        Ok(value) => Some(value),
        Err(error) => {
            reading.problems.add(slot.path, FieldErrorCode::Value, error.to_string());
            None
        }
    }
}

impl WireValue for String {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        text(slot, reading).map(Self::from)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(self);
    }
}

impl WireValue for Secret {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        text(slot, reading).map(Self::verbatim)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(self.expose());
    }
}

impl WireValue for std::sync::Arc<str> {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        text(slot, reading).map(Self::from)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(self);
    }
}

impl WireValue for bool {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        match slot.token() {
            Token::Bool(value) => Some(value),
            _ => slot.mismatch("a boolean", reading),
        }
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.boolean(*self);
    }
}

/// Integers are integers: a float, even a whole one, is refused, for at some size it stops being exact.
macro_rules! wired_integer {
    ($($ty:ty, $write:ident, $wide:ty;)*) => {$(
        impl WireValue for $ty {
            fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
                let value = match slot.token() {
                    Token::Unsigned(value) => Self::try_from(value).ok(),
                    Token::Negative(value) => Self::try_from(value).ok(),
                    _ => return slot.mismatch("an integer", reading),
                };
                if value.is_none() {
                    let message = format!("must be {} to {}", Self::MIN, Self::MAX);
                    reading.problems.add(slot.path, FieldErrorCode::Value, message);
                }
                value
            }

            fn write(&self, out: &mut Writer<'_>) {
                out.$write(<$wide>::from(*self));
            }
        }
    )*};
}
wired_integer! { u64, unsigned, u64; u32, unsigned, u64; i64, signed, i64; }

fn finite(slot: Slot<'_>, reading: &mut ReadContext) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a count in a float field is a measurement")]
    let value = match slot.token() {
        Token::Float(value) => value,
        Token::Unsigned(value) => value as f64,
        Token::Negative(value) => value as f64,
        _ => return slot.mismatch("a number", reading),
    };
    if value.is_finite() {
        return Some(value);
    }
    reading.problems.add(slot.path, FieldErrorCode::Value, "is not a finite number");
    None
}

impl WireValue for f64 {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        finite(slot, reading)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.float(*self);
    }
}

impl WireValue for f32 {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "embeddings are kept in 32 bits")]
        finite(slot, reading).map(|value| value as Self)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.float32(*self);
    }
}

impl<T: WireValue> WireValue for Option<T> {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        T::read(slot, reading).map(Some)
    }

    fn write(&self, out: &mut Writer<'_>) {
        match self {
            Some(value) => value.write(out),
            None => out.nil(),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// A list. A missing one is empty.
impl<T: WireValue> WireValue for Vec<T> {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        let mut cursor = Cursor::new(slot.bytes);
        let Ok(Token::Array(count)) = cursor.token() else {
            return slot.mismatch("a list", reading);
        };
        let mut list = Self::new();
        let mut is_whole = true;
        for index in 0..count {
            let bytes = cursor.value().ok()?;
            let path = slot.path.index(index);
            match T::read(Slot { body: slot.body, bytes, path: &path }, reading) {
                Some(item) => list.push(item),
                None if reading.problems.is_full() => return None,
                None => is_whole = false,
            }
        }
        is_whole.then_some(list)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.list(self.len());
        for item in self {
            item.write(out);
        }
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

impl WireValue for Raw {
    fn read(slot: Slot<'_>, _: &mut ReadContext) -> Option<Self> {
        Some(slot.raw())
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.packed(self.as_bytes());
    }
}

impl WireValue for Value {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        match json::unpack(slot.bytes, slot.path) {
            Ok(value) => Some(value),
            Err(problem) => {
                reading.problems.push(problem);
                None
            }
        }
    }

    fn write(&self, out: &mut Writer<'_>) {
        json::pack(self, out);
    }
}

/// Values whose text is parsed by the domain's own rules.
macro_rules! wired_text {
    ($($ty:ty),*) => {$(
        impl WireValue for $ty {
            fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
                parsed(slot, reading)
            }

            fn write(&self, out: &mut Writer<'_>) {
                out.text(&self.to_string());
            }
        }
    )*};
}
wired_text!(AgentId, EpochId, Timestamp);

impl WireValue for Channel {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        word(slot, reading, &Self::ALL, Self::as_str)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(self.as_str());
    }
}
