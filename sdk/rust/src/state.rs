//! The agent's private state: what survives `kill -9`.
//!
//! A state changes in one place, [`State::apply`], by entries that are durable: live and after a restart, in order, never
//! twice. Handlers read it and log operations; they cannot change it. It is stored together with the number of the last
//! entry that it holds, so that a checkpoint can be taken at any moment and names exactly that.

use std::{error::Error, fmt};

use abide_wire::{Raw, WalEntry, limits::DEPTH_MAX};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::limits::NODES_MAX;

/// An agent's private state. The session holds it and gives handlers read access.
pub trait State: Send + Sync + 'static {
    /// Whether there is any state; only [`Stateless`] changes it.
    const IS_KEPT: bool = true;

    /// Applies one durable entry. What it does must follow from the state and the entry alone: no clock, no randomness.
    /// An error ends the session, for the state no longer follows the log.
    fn apply(&mut self, entry: &WalEntry) -> Result<(), StateError>;

    /// Gives the whole state: one map, at most 100 MB. See [`pack`] and [`pack_bytes`].
    fn snapshot(&self) -> Result<Raw, StateError>;

    /// Restores a snapshot into a fresh state. An error refuses the restore: the agent must not go on without its state.
    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError>;
}

/// The state of an agent without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stateless;

impl State for Stateless {
    const IS_KEPT: bool = false;

    fn apply(&mut self, _entry: &WalEntry) -> Result<(), StateError> {
        Err(StateError::new(
            "the keeper holds state for this agent, but it keeps none: give it one with `Agent::keeping`",
        ))
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        Err(StateError::new("this agent keeps no state"))
    }

    fn restore(&mut self, _snapshot: &Raw) -> Result<(), StateError> {
        Err(StateError::new(
            "the keeper holds state for this agent, but it keeps none: give it one with `Agent::keeping`",
        ))
    }
}

/// Why a state could not be saved, restored, or apply an entry. Any error becomes one by `?`.
pub struct StateError(Box<dyn Error + Send + Sync>);

impl StateError {
    /// An error with a message, which ends in logs: no contents of the state.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into().into())
    }
}

impl fmt::Debug for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateError({self})")
    }
}

/// The error and its causes, in one line.
impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&chain(&*self.0))
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for StateError {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

/// An error and its causes, in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// Packs a value whose JSON form is an object: a state, or the parameters of an entry. Values that could not be read
/// back, such as one with too many parts, are refused.
pub fn pack<T: Serialize + ?Sized>(value: &T) -> Result<Raw, StateError> {
    let value = serde_json::to_value(value)?;
    if !value.is_object() {
        return Err(StateError::new("the value must serialise to a map"));
    }
    if count_nodes(&value) > NODES_MAX {
        let message =
            format!("more than {NODES_MAX} values: use pack_bytes for a format of your own");
        return Err(StateError::new(message));
    }
    if depth(&value) >= DEPTH_MAX {
        let message = format!("maps and lists are nested {DEPTH_MAX} deep or more");
        return Err(StateError::new(message));
    }
    Ok(Raw::from_json(&value))
}

/// Reads a value that [`pack`] gave.
pub fn unpack<T: DeserializeOwned>(raw: &Raw) -> Result<T, StateError> {
    Ok(serde_json::from_value(raw.to_json()?)?)
}

/// Packs a state in a format of the author's own. It travels as `{"bytes": …}`, as in the other SDKs.
pub fn pack_bytes(bytes: &[u8]) -> Result<Raw, StateError> {
    let length = u32::try_from(bytes.len())?;
    let mut packed = b"\x81\xa5bytes\xc6".to_vec();
    packed.extend_from_slice(&length.to_be_bytes());
    packed.extend_from_slice(bytes);
    Ok(Raw::parse(packed)?)
}

/// Reads the bytes that [`pack_bytes`] packed.
pub fn unpack_bytes(raw: &Raw) -> Result<Vec<u8>, StateError> {
    let packed = raw.get(&["bytes"]).map(Raw::into_bytes).unwrap_or_default();
    // The marker of bytes says how long their length is.
    let begin = match packed.first() {
        Some(0xc4) => 2,
        Some(0xc5) => 3,
        Some(0xc6) => 5,
        _ => return Err(StateError::new("the snapshot holds no bytes")),
    };
    Ok(packed.get(begin..).unwrap_or_default().to_vec())
}

fn count_nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count_nodes).sum(),
        Value::Object(fields) => fields.values().map(|value| 1 + count_nodes(value)).sum(),
        _ => 0,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use abide_wire::Raw;
    use serde_json::{Value, json};

    use super::{pack, pack_bytes, unpack, unpack_bytes};

    #[test]
    fn bytes_come_back_whatever_their_length() {
        for length in [0, 1, 255, 256, 65_535, 65_536] {
            let bytes = vec![7; length];
            assert_eq!(unpack_bytes(&pack_bytes(&bytes).unwrap()).unwrap(), bytes);
            let other = Raw::from_json(&json!({"bytes": {"$bin": ""}}));
            assert_eq!(unpack_bytes(&other).unwrap(), b"");
        }
        assert!(unpack_bytes(&Raw::empty_map()).is_err());
    }

    #[test]
    fn what_could_not_be_read_back_is_not_packed() {
        assert!(pack(&json!([1])).is_err());
        let deep = (0..63).fold(json!({}), |inner, _| json!({"a": inner}));
        assert!(pack(&deep).is_err());
        let large = json!({"list": vec![0; 250_000]});
        assert!(pack(&large).unwrap_err().to_string().contains("pack_bytes"));
        let fits = json!({"list": vec![0; 249_990]});
        let back: Value = unpack(&pack(&fits).unwrap()).unwrap();
        assert_eq!(back, fits);
    }
}
