//! MessagePack and JSON: into a tree and back, and straight from bytes to bytes.
//!
//! Bytes are `{"$bin": "<base64>"}` and extensions `{"$ext": [<class>, "<base64>"]}` in JSON. Integers stay integers and
//! floats stay floats (`1.0`). What JSON does not have (NaN, infinities, keys that are not text) is an error, never a guess.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;
use serde_json::{Map, Number, Value, json};

use crate::{
    field_error::{FieldError, FieldErrorCode, MalformedError, Path},
    limits::{DEPTH_MAX, NODES_MAX},
    token::{Cursor, Token},
    writer::Writer,
};

const BIN: &str = "$bin";
const EXT: &str = "$ext";

/// Reads one value into a tree; errors are at `path`.
pub(crate) fn unpack(bytes: &[u8], path: &Path<'_>) -> Result<Value, FieldError> {
    Tree { cursor: Cursor::new(bytes), nodes: 0, depth: 0 }.value(path)
}

struct Tree<'a> {
    cursor: Cursor<'a>,
    nodes: usize,
    depth: usize,
}

impl Tree<'_> {
    fn value(&mut self, path: &Path<'_>) -> Result<Value, FieldError> {
        let problem = |malformed: MalformedError| malformed.at(path.to_string());
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            let message = format!("more than {NODES_MAX} values in one tree");
            return Err(problem(MalformedError::new(FieldErrorCode::TooMany, message)));
        }
        Ok(match self.cursor.token().map_err(problem)? {
            Token::Nil => Value::Null,
            Token::Bool(value) => value.into(),
            Token::Unsigned(value) => value.into(),
            Token::Negative(value) => value.into(),
            Token::Float(value) => Number::from_f64(value)
                .map(Value::Number)
                .ok_or_else(not_finite)
                .map_err(problem)?,
            Token::Text(bytes) => text(bytes).map_err(problem)?.into(),
            Token::Bin(bytes) => json!({BIN: STANDARD.encode(bytes)}),
            Token::Ext(class, bytes) => json!({EXT: [class, STANDARD.encode(bytes)]}),
            Token::Array(count) => self.nested(path, |tree| tree.list(count, path))?,
            Token::Map(pairs) => self.nested(path, |tree| tree.map(pairs, path))?,
        })
    }

    fn nested(
        &mut self,
        path: &Path<'_>,
        read: impl FnOnce(&mut Self) -> Result<Value, FieldError>,
    ) -> Result<Value, FieldError> {
        if self.depth >= DEPTH_MAX {
            return Err(too_deep().at(path.to_string()));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self, count: usize, path: &Path<'_>) -> Result<Value, FieldError> {
        let mut list = Vec::new();
        for index in 0..count {
            list.push(self.value(&path.index(index))?);
        }
        Ok(Value::Array(list))
    }

    fn map(&mut self, pairs: usize, path: &Path<'_>) -> Result<Value, FieldError> {
        let mut map = Map::new();
        for _ in 0..pairs {
            let key = self.cursor.token().and_then(key);
            let key = key.map_err(|malformed| malformed.at(path.to_string()))?;
            let at = path.key(key);
            let value = self.value(&at)?;
            if map.insert(key.to_owned(), value).is_some() {
                return Err(FieldError::new(
                    at.to_string(),
                    FieldErrorCode::Duplicate,
                    "is given twice",
                ));
            }
        }
        Ok(Value::Object(map))
    }
}

/// Packs a JSON value.
pub(crate) fn pack(value: &Value, out: &mut Writer<'_>) {
    match value {
        Value::Null => out.nil(),
        Value::Bool(value) => out.boolean(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(value), _, _) => out.unsigned(value),
            (None, Some(value), _) => out.signed(value),
            (None, None, value) => out.float(value.unwrap_or(f64::NAN)),
        },
        Value::String(text) => out.text(text),
        Value::Array(list) => {
            out.list(list.len());
            for value in list {
                pack(value, out);
            }
        }
        Value::Object(map) => match special(map) {
            Some((None, bytes)) => out.bin(&bytes),
            Some((Some(class), bytes)) => out.ext(class, &bytes),
            None => {
                out.map(map.len());
                for (key, value) in map {
                    out.text(key);
                    pack(value, out);
                }
            }
        },
    }
}

/// Bytes, or an extension with its class, in their JSON form.
fn special(map: &Map<String, Value>) -> Option<(Option<i8>, Vec<u8>)> {
    if map.len() != 1 {
        return None;
    }
    let decode = |text: &Value| STANDARD.decode(text.as_str()?).ok();
    if let Some(text) = map.get(BIN) {
        return Some((None, decode(text)?));
    }
    match map.get(EXT)?.as_array()?.as_slice() {
        [class, text] => Some((Some(i8::try_from(class.as_i64()?).ok()?), decode(text)?)),
        _ => None,
    }
}

/// Appends a frame's body (or any one value) to `out` as compact JSON, without building a tree. On an error, `out` is
/// as it was before.
pub fn transcode(body: &[u8], out: &mut Vec<u8>) -> Result<(), FieldError> {
    let begin = out.len();
    let mut cursor = Cursor::new(body);
    let done = stream(&mut cursor, out, DEPTH_MAX).and_then(|()| match cursor.rest().len() {
        0 => Ok(()),
        extra => Err(MalformedError::new(
            FieldErrorCode::Trailing,
            format!("{extra} bytes follow the value"),
        )),
    });
    done.map_err(|malformed| {
        out.truncate(begin);
        malformed.at("")
    })
}

fn stream(
    cursor: &mut Cursor<'_>,
    out: &mut Vec<u8>,
    depth_left: usize,
) -> Result<(), MalformedError> {
    match cursor.token()? {
        Token::Nil => out.extend_from_slice(b"null"),
        Token::Bool(true) => out.extend_from_slice(b"true"),
        Token::Bool(false) => out.extend_from_slice(b"false"),
        Token::Unsigned(value) => scalar(&value, out),
        Token::Negative(value) => scalar(&value, out),
        Token::Float(value) if value.is_finite() => scalar(&value, out),
        Token::Float(_) => return Err(not_finite()),
        Token::Text(bytes) => quoted(text(bytes)?, out),
        Token::Bin(bytes) => {
            out.extend_from_slice(b"{\"$bin\":\"");
            base64(bytes, out);
            out.extend_from_slice(b"\"}");
        }
        Token::Ext(class, bytes) => {
            out.extend_from_slice(b"{\"$ext\":[");
            scalar(&class, out);
            out.extend_from_slice(b",\"");
            base64(bytes, out);
            out.extend_from_slice(b"\"]}");
        }
        Token::Array(count) => {
            let depth_left = depth_left.checked_sub(1).ok_or_else(too_deep)?;
            out.push(b'[');
            for index in 0..count {
                separate(index, out);
                stream(cursor, out, depth_left)?;
            }
            out.push(b']');
        }
        Token::Map(pairs) => {
            let depth_left = depth_left.checked_sub(1).ok_or_else(too_deep)?;
            out.push(b'{');
            for index in 0..pairs {
                separate(index, out);
                quoted(key(cursor.token()?)?, out);
                out.push(b':');
                stream(cursor, out, depth_left)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn separate(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}

/// Writes a number or a text as JSON does.
fn scalar<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail, and numbers and texts always serialise.
    drop(serde_json::to_writer(out, value));
}

/// Writes a text. Most need no escape: they are checked eight bytes at a time and copied whole.
fn quoted(text: &str, out: &mut Vec<u8>) {
    if text.as_bytes().chunks(8).any(needs_escape) {
        return scalar(text, out);
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Whether one of up to eight bytes is a control character, a quote or a backslash. Each of the eight is compared within
/// one word; a zero byte after subtraction shows in its highest bit, and texts beyond ASCII have that bit themselves.
fn needs_escape(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let Some(word) = bytes.first_chunk().map(|eight| u64::from_ne_bytes(*eight)) else {
        return bytes.iter().any(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
    };
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let quote = word ^ (ONES * u64::from(b'"'));
    let backslash = word ^ (ONES * u64::from(b'\\'));
    (below(word, 0x20) | below(quote, 1) | below(backslash, 1)) != 0
}

fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
}

/// A text, checked.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, MalformedError> {
    std::str::from_utf8(bytes)
        .map_err(|_| MalformedError::new(FieldErrorCode::Utf8, "the text is not valid UTF-8"))
}

fn key(token: Token<'_>) -> Result<&str, MalformedError> {
    match token {
        Token::Text(bytes) => text(bytes),
        other => {
            let message = format!("has a key that is not text but {}", other.name());
            Err(MalformedError::new(FieldErrorCode::Key, message))
        }
    }
}

fn not_finite() -> MalformedError {
    MalformedError::new(FieldErrorCode::Value, "is not a finite number")
}

fn too_deep() -> MalformedError {
    let message = format!("maps and lists are nested more than {DEPTH_MAX} deep");
    MalformedError::new(FieldErrorCode::Depth, message)
}
