//! A value that is carried unread: its bytes stay as they came.

use std::fmt;

use bytes::Bytes;
use serde_json::Value;

use crate::{
    field_error::{FieldError, Path},
    json,
    skim::check_value,
    token::{Cursor, Token},
    writer::Writer,
};

/// One whole MessagePack value, kept verbatim. A clone shares the bytes of the frame that it came with.
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(Bytes);

impl Raw {
    /// Takes bytes that must be one whole value, within the depth.
    pub fn parse(bytes: impl Into<Bytes>) -> Result<Self, FieldError> {
        let bytes = bytes.into();
        check_value(&bytes).map_err(|malformed| malformed.at(""))?;
        Ok(Self(bytes))
    }

    /// Takes bytes that were already checked.
    pub(crate) fn checked(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// The map without entries.
    pub fn empty_map() -> Self {
        Self(Bytes::from_static(&[0x80]))
    }

    /// Packs a JSON value; `{"$bin": "<base64>"}` becomes bytes.
    pub fn from_json(value: &Value) -> Self {
        let mut bytes = Vec::new();
        json::pack(value, &mut Writer::new(&mut bytes));
        Self(bytes.into())
    }

    /// The value as JSON; bytes become `{"$bin": "<base64>"}`. Numbers that JSON does not have, keys that are not
    /// text and trees beyond their limit are errors.
    pub fn to_json(&self) -> Result<Value, FieldError> {
        json::unpack(&self.0, &Path::Root)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, shared.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Whether it is a map.
    pub fn is_map(&self) -> bool {
        matches!(self.token(), Some(Token::Map(_)))
    }

    /// Whether it is a map without entries.
    pub fn is_empty_map(&self) -> bool {
        matches!(self.token(), Some(Token::Map(0)))
    }

    /// The text, where it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self.token()? {
            Token::Text(text) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// The value at a path of keys, such as `["agent_state", "status"]`. Steps over everything else.
    pub fn get(&self, path: &[&str]) -> Option<Self> {
        let mut value: &[u8] = &self.0;
        for key in path {
            value = entry(value, key)?;
        }
        Some(Self(self.0.slice_ref(value)))
    }

    fn token(&self) -> Option<Token<'_>> {
        Cursor::new(&self.0).token().ok()
    }
}

/// The value of a key in a map.
fn entry<'a>(map: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut cursor = Cursor::new(map);
    let Token::Map(pairs) = cursor.token().ok()? else { return None };
    for _ in 0..pairs {
        let found = Cursor::new(cursor.value().ok()?).token().ok()?;
        let value = cursor.value().ok()?;
        if found == Token::Text(key.as_bytes()) {
            return Some(value);
        }
    }
    None
}

/// Shows only type and size: an agent's private state must not reach a log.
impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.token().map_or("nothing", |token| token.name());
        write!(f, "Raw({name}, {} bytes)", self.0.len())
    }
}

/// Fields of a message that are not known here, kept in their order and written after the known ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra(pub Vec<(String, Raw)>);

impl Extra {
    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Raw> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Raw;

    #[test]
    fn json_comes_back_as_it_went() {
        let value =
            json!({"a": [1, -1, 1.0, true, null, u64::MAX, i64::MIN, "é"], "b": {"$bin": "AAH/"}});
        let raw = Raw::from_json(&value);
        assert_eq!(raw.to_json(), Ok(value));
        let bin = raw.get(&["b"]).unwrap();
        assert_eq!(bin.as_bytes(), [0xc4, 3, 0, 1, 255]);
        assert_eq!(Raw::parse(bin.into_bytes()).unwrap().get(&["x"]), None);
    }

    #[test]
    fn what_json_has_not_is_named() {
        let cases: [(&[u8], &str); 4] = [
            (&[0x81, 0xa1, b'x', 0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], "x: is not a finite number"),
            (&[0x81, 0xa1, b'x', 0x92, 1, 0xa1, 0xff], "x[1]: the text is not valid UTF-8"),
            (&[0x81, 1, 2], "has a key that is not text but an integer"),
            (&[0xd4, 1, 2], "{\"$ext\":[1,\"Ag==\"]}"),
        ];
        for (bytes, expected) in cases {
            let raw = Raw::parse(bytes.to_vec()).unwrap();
            let found = raw.to_json().map_or_else(|p| p.to_string(), |v| v.to_string());
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn debug_shows_no_contents() {
        let raw = Raw::from_json(&json!({"password": "hunter2"}));
        assert_eq!(format!("{raw:?}"), "Raw(a map, 18 bytes)");
    }
}
