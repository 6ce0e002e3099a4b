//! The agent's private state: what survives `kill -9`.
//!
//! A state changes in one place, [`State::apply`], by entries that are durable: live and after a restart, in order, never
//! twice. Handlers read it and log operations; they cannot change it. It is kept together with the number of the last
//! entry that it holds, so that a checkpoint can be taken at any moment and names exactly that.

use std::{error::Error, fmt};

use abide_wire::{Raw, WalEntry, limits::DEPTH_MAX};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::limits::NODES_MAX;

/// What an agent keeps.
pub trait State: Send + Sync + 'static {
    /// Whether it keeps anything at all. Leave it as it is.
    const IS_KEPT: bool = true;

    /// Applies one durable entry. What it does must follow from the state and the entry alone: no clock, no randomness.
    /// An error ends the session, for the state no longer follows the log.
    fn apply(&mut self, entry: &WalEntry) -> Result<(), StateError>;

    /// Gives the whole state: one map, at most 100 MB. See [`pack`] and [`pack_bytes`].
    fn snapshot(&self) -> Result<Raw, StateError>;

    /// Takes a snapshot back, in a state that is as it was made. An error refuses the restore aloud: the agent must not
    /// go on without its state.
    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError>;
}

/// The state of an agent that keeps none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stateless;

impl State for Stateless {
    const IS_KEPT: bool = false;

    fn apply(&mut self, _entry: &WalEntry) -> Result<(), StateError> {
        Err(StateError::new("there is state to give back, and this agent keeps none"))
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        Err(StateError::new("this agent keeps no state"))
    }

    fn restore(&mut self, _snapshot: &Raw) -> Result<(), StateError> {
        Err(StateError::new("there is state to give back, and this agent keeps none"))
    }
}

/// Why a state could not be written down, taken back, or follow an entry. Any error becomes one by `?`.
pub struct StateError(Box<dyn Error + Send + Sync>);

impl StateError {
    /// Says it in words. They end in logs: no contents of the state.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into().into())
    }
}

impl fmt::Debug for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateError({self})")
    }
}

/// The whole chain, in one line.
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
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}

/// A state together with the last entry that it holds.
#[derive(Debug)]
pub(crate) struct Kept<S> {
    pub(crate) state: S,
    pub(crate) sequence: u64,
}

impl<S: State> Kept<S> {
    /// Applies an entry that follows.
    pub(crate) fn apply(&mut self, entry: &WalEntry) -> Result<(), StateError> {
        let next = self.sequence.saturating_add(1);
        if entry.sequence != next {
            let words = format!("entry {} does not follow: {next} comes next", entry.sequence);
            return Err(StateError::new(words));
        }
        self.state.apply(entry)?;
        self.sequence = next;
        Ok(())
    }
}

/// Packs a value whose JSON form is an object: a state, or the parameters of an entry. Values that it could not be read
/// back from, such as one with more parts than a tree may have, are refused.
pub fn pack<T: Serialize + ?Sized>(value: &T) -> Result<Raw, StateError> {
    let value = serde_json::to_value(value)?;
    if !value.is_object() {
        return Err(StateError::new("must be a map"));
    }
    if count(&value) > NODES_MAX {
        let words = format!("more than {NODES_MAX} values; a form of your own goes by pack_bytes");
        return Err(StateError::new(words));
    }
    if depth(&value) >= DEPTH_MAX {
        let words = format!("maps and lists {DEPTH_MAX} or more inside each other");
        return Err(StateError::new(words));
    }
    Ok(Raw::from_json(&value))
}

/// Reads a value that [`pack`] gave.
pub fn unpack<T: DeserializeOwned>(raw: &Raw) -> Result<T, StateError> {
    let value = raw.to_json().map_err(|problem| StateError::new(problem.to_string()))?;
    Ok(serde_json::from_value(value)?)
}

/// Packs a state in a form of the author's own. It travels as `{"bytes": …}`, as in the other SDKs.
pub fn pack_bytes(bytes: &[u8]) -> Result<Raw, StateError> {
    let length = u32::try_from(bytes.len())?;
    let mut packed = b"\x81\xa5bytes\xc6".to_vec();
    packed.extend_from_slice(&length.to_be_bytes());
    packed.extend_from_slice(bytes);
    Raw::parse(packed).map_err(|problem| StateError::new(problem.to_string()))
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

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(|value| 1 + count(value)).sum(),
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
    use abide_wire::{Raw, WalEntry};
    use serde_json::{Value, json};

    use super::{Kept, State, StateError, pack, pack_bytes, unpack, unpack_bytes};

    #[derive(Default)]
    struct Count(u64);

    impl State for Count {
        fn apply(&mut self, _entry: &WalEntry) -> Result<(), StateError> {
            self.0 += 1;
            Ok(())
        }
        fn snapshot(&self) -> Result<Raw, StateError> {
            pack(&json!({"count": self.0}))
        }
        fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
            let value: Value = unpack(snapshot)?;
            self.0 = value["count"].as_u64().ok_or_else(|| StateError::new("no count"))?;
            Ok(())
        }
    }

    #[test]
    fn an_entry_is_applied_only_after_the_one_before() {
        let mut kept = Kept { state: Count::default(), sequence: 4 };
        let entry = |sequence| WalEntry::new(sequence, "x", Raw::empty_map());
        assert!(kept.apply(&entry(4)).is_err() && kept.apply(&entry(6)).is_err());
        kept.apply(&entry(5)).unwrap();
        assert_eq!((kept.state.0, kept.sequence), (1, 5));
    }

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
