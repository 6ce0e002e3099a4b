//! Bytes to JSON in which no key stands twice: of two values for one key a reader would take one and drop the other
//! without a word.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::shape::join;
use crate::text::excerpt;

/// Says why bytes are no JSON that is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It cannot be read.
    #[error("is not JSON: line {line}, column {column}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1; 0 at the end of a line.
        column: usize,
    },
    /// A key stands twice in one object.
    #[error("{path}: stands there twice")]
    Duplicate {
        /// The path of the key.
        path: String,
    },
}

/// Reads JSON in which no key stands twice, at most 128 levels deep.
pub fn parse_json(bytes: &[u8]) -> Result<Value, JsonError> {
    let mut duplicate = None;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let part = Unique { path: String::new(), duplicate: &mut duplicate };
    let syntax =
        |error: serde_json::Error| JsonError::Syntax { line: error.line(), column: error.column() };
    let value = part.deserialize(&mut reader).map_err(syntax)?;
    reader.end().map_err(syntax)?;
    match duplicate {
        Some(path) => Err(JsonError::Duplicate { path }),
        None => Ok(value),
    }
}

/// Reads a value and notes the first key that stands twice.
struct Unique<'a> {
    path: String,
    duplicate: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, list.len());
            let item = Unique { path, duplicate: &mut *self.duplicate };
            match items.next_element_seed(item)? {
                Some(item) => list.push(item),
                None => return Ok(list.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let path = join(&self.path, &excerpt(&key));
            if object.contains_key(&key) && self.duplicate.is_none() {
                *self.duplicate = Some(path.clone());
            }
            let value = fields.next_value_seed(Unique { path, duplicate: &mut *self.duplicate })?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonError, parse_json};

    #[test]
    fn json_is_read_as_it_is() {
        let text = r#"{"a": [1, -2, 3.5, null, true, "x\u0000"], "b": {"a": {}}}"#;
        assert_eq!(parse_json(text.as_bytes()), Ok(serde_json::from_str(text).unwrap()));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_with_its_path() {
        for (text, path) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"a": {"b": [0, {"c": 1, "d": 2, "c": 3}]}}"#, "a.b[1].c"),
            (r#"[{"x": 1, "\u0078": 2}]"#, "[0].x"),
        ] {
            assert_eq!(
                parse_json(text.as_bytes()),
                Err(JsonError::Duplicate { path: path.into() })
            );
        }
    }

    #[test]
    fn what_is_no_json_says_where() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{\"a\":1}x", "nul", "{'a':1}", "\u{feff}{}", &deep] {
            assert!(
                matches!(parse_json(text.as_bytes()), Err(JsonError::Syntax { .. })),
                "{text:.20}"
            );
        }
        assert_eq!(parse_json(b"{\n\"a\" 1}"), Err(JsonError::Syntax { line: 2, column: 5 }));
        assert!(parse_json(&[b'"', 0xff, b'"']).is_err());
    }
}
