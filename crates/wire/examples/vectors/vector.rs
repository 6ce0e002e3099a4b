//! What a conformance vector is: bytes as they travel, what they mean, and what must come of them.

use abide_wire::{Direction, Raw};
use serde_json::{Number, Value, json};

/// Integers beyond this are not exact in every language's numbers.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// One vector.
pub(crate) struct Vector {
    pub(crate) name: &'static str,
    pub(crate) direction: Direction,
    /// Length and body, as on the wire.
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Expected,
    /// Why it is here.
    pub(crate) note: &'static str,
}

/// What must come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A message. `is_canonical`: writing it again gives the same bytes.
    Message { is_canonical: bool },
    /// A refusal: the code of the error frame, the first problem's path and code. The link goes on.
    Refused { code: &'static str, path: &'static str, problem: &'static str },
    /// The frame boundary is lost: the link is closed.
    Lost,
    /// The stream ends inside a frame: the link is closed.
    CutOff,
}

impl Vector {
    /// The line of the index.
    pub(crate) fn entry(&self) -> Value {
        let direction = match self.direction {
            Direction::FromAgent => "from_agent",
            Direction::ToAgent => "to_agent",
        };
        let mut entry = json!({"name": self.name, "direction": direction});
        let rest = match self.expected {
            Expected::Message { is_canonical } => {
                json!({"expect": "ok", "canonical": is_canonical})
            }
            Expected::Refused { code, path, problem } => {
                json!({"expect": "error", "code": code, "path": path, "problem": problem})
            }
            Expected::Lost => json!({"expect": "lost"}),
            Expected::CutOff => json!({"expect": "cut_off"}),
        };
        if let (Some(entry), Value::Object(rest)) = (entry.as_object_mut(), rest) {
            entry.extend(rest);
            entry.insert("note".into(), self.note.into());
        }
        entry
    }

    /// The message in JSON; null where the bytes are none that JSON can show.
    pub(crate) fn meaning(&self) -> Value {
        let body = self.bytes.get(4..).unwrap_or_default().to_vec();
        let is_whole = u32::try_from(body.len())
            .is_ok_and(|length| self.bytes.starts_with(&length.to_be_bytes()));
        let value = Raw::parse(body).and_then(|raw| raw.to_json());
        value.ok().filter(|_| is_whole).map_or(Value::Null, exact)
    }
}

/// Writes integers that some languages cannot hold as `{"$int": "<digits>"}`.
fn exact(value: Value) -> Value {
    match value {
        Value::Number(number) if is_large(&number) => json!({"$int": number.to_string()}),
        Value::Array(list) => list.into_iter().map(exact).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, exact(value))).collect(),
        value => value,
    }
}

fn is_large(number: &Number) -> bool {
    let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    magnitude.is_some_and(|magnitude| magnitude > EXACT_MAX)
}

/// A frame around a body.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), body].concat()
}

/// A body from JSON, keys in their order.
pub(crate) fn packed(message: &Value) -> Vec<u8> {
    Raw::from_json(message).as_bytes().to_vec()
}

/// The index: what the files are, how JSON is to be read, and each vector.
pub(crate) fn index(vectors: &[Vector]) -> Value {
    json!({
        "files": "<name>.msgpack is the frame as on the wire (4 bytes of length, big-endian, then the body); \
    <name>.json is the message in JSON, or null where JSON cannot show the bytes",
        "json": "bytes are {\"$bin\": \"<base64>\"}; extensions {\"$ext\": [<class>, \"<base64>\"]}; integers beyond \
    2^53 - 1 are {\"$int\": \"<digits>\"}; a number with a point or an exponent is a float, any other an integer",
        "expect": "ok: a message; with canonical, an encoder that writes `type` first and shortest forms gives these \
    bytes again. error: refused with this error code, first path and kind of problem, and the link goes on. \
    lost: the frame boundary is lost, the link is closed. cut_off: the stream ends inside a frame",
        "vectors": vectors.iter().map(Vector::entry).collect::<Vec<_>>(),
    })
}
