//! The keys of operations that are logged once, however often a turn is asked.
//!
//! A key travels in its entry (`once`) and in each checkpoint, beside the author's state, so that whoever restores knows it
//! again. The newest [`ONCE_KEYS_MAX`] are known. Nothing here decides what a key means.

use std::collections::{BTreeSet, VecDeque};

use abide_wire::{Raw, WalEntry};
use serde_json::{Value, json};

use crate::{limits::ONCE_KEYS_MAX, state::StateError};

/// The field of an entry.
pub(crate) const ENTRY_FIELD: &str = "once";
/// The key of a checkpoint's map under which the keys stand. No state may use it.
const SNAPSHOT_FIELD: &str = "abide_once";
/// The same as MessagePack.
const SNAPSHOT_KEY: &[u8] = b"\xaaabide_once";

/// The newest keys, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnceKeys {
    known: BTreeSet<String>,
    oldest_first: VecDeque<String>,
}

impl OnceKeys {
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.known.contains(key)
    }

    /// Takes the key of an entry that is durable, where it has one.
    pub(crate) fn add_of(&mut self, entry: &WalEntry) {
        if let Some(key) = key_of(entry) {
            self.add(key.to_owned());
        }
    }

    fn add(&mut self, key: String) {
        if !self.known.insert(key.clone()) {
            self.oldest_first.retain(|known| *known != key);
        }
        self.oldest_first.push_back(key);
        while self.oldest_first.len() > ONCE_KEYS_MAX {
            if let Some(oldest) = self.oldest_first.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }

    /// The state as it is stored, with the keys behind the author's own.
    pub(crate) fn beside(&self, state: Raw) -> Result<Raw, StateError> {
        if state.get(&[SNAPSHOT_FIELD]).is_some() {
            let message = format!("a state must not use the key {SNAPSHOT_FIELD:?}");
            return Err(StateError::new(message));
        }
        if self.oldest_first.is_empty() {
            return Ok(state);
        }
        let (count, fields) = split_map(&state)?;
        let mut stored = map_header(count.saturating_add(1));
        stored.extend_from_slice(fields);
        stored.extend_from_slice(SNAPSHOT_KEY);
        stored.extend_from_slice(Raw::from_json(&json!(self.oldest_first)).as_bytes());
        Ok(Raw::parse(stored)?)
    }

    /// Takes the keys out of a stored state and gives them with what is the author's own.
    pub(crate) fn take_back(stored: &Raw) -> Result<(Self, Raw), StateError> {
        let mut keys = Self::default();
        let Some(value) = stored.get(&[SNAPSHOT_FIELD]) else { return Ok((keys, stored.clone())) };
        for key in value.to_json()?.as_array().into_iter().flatten().filter_map(Value::as_str) {
            keys.add(key.to_owned());
        }
        let (count, fields) = split_map(stored)?;
        let own = fields
            .strip_suffix(value.as_bytes())
            .and_then(|rest| rest.strip_suffix(SNAPSHOT_KEY))
            .ok_or_else(|| StateError::new(format!("{SNAPSHOT_FIELD} is not the last key")))?;
        let mut state = map_header(count.saturating_sub(1));
        state.extend_from_slice(own);
        Ok((keys, Raw::parse(state)?))
    }
}

/// The key of an entry that is logged once.
pub(crate) fn key_of(entry: &WalEntry) -> Option<&str> {
    entry.extra.get(ENTRY_FIELD)?.as_text()
}

/// The number of a map's fields, and their bytes.
fn split_map(map: &Raw) -> Result<(u32, &[u8]), StateError> {
    match map.as_bytes() {
        [marker @ 0x80..=0x8f, fields @ ..] => Ok((u32::from(marker & 0x0f), fields)),
        [0xde, a, b, fields @ ..] => Ok((u32::from(u16::from_be_bytes([*a, *b])), fields)),
        [0xdf, a, b, c, d, fields @ ..] => Ok((u32::from_be_bytes([*a, *b, *c, *d]), fields)),
        _ => Err(StateError::new("the snapshot must be a map")),
    }
}

fn map_header(count: u32) -> Vec<u8> {
    match (u8::try_from(count), u16::try_from(count)) {
        (Ok(few @ 0..=15), _) => vec![0x80 | few],
        (_, Ok(some)) => [&[0xde][..], &some.to_be_bytes()].concat(),
        _ => [&[0xdf][..], &count.to_be_bytes()].concat(),
    }
}

#[cfg(test)]
mod tests {
    use abide_wire::Raw;
    use serde_json::{Value, json};

    use super::OnceKeys;
    use crate::limits::ONCE_KEYS_MAX;

    #[test]
    fn keys_go_with_states_of_any_size_and_come_back_apart_from_them() {
        let mut keys = OnceKeys::default();
        let state = |fields: usize| {
            let fields = (0..fields).map(|at| (at.to_string(), json!(at)));
            Raw::from_json(&Value::Object(fields.collect()))
        };
        assert_eq!(keys.beside(state(3)).unwrap(), state(3), "without a key nothing is added");
        (0..ONCE_KEYS_MAX + 5).for_each(|at| keys.add(at.to_string()));
        for fields in [0, 1, 14, 15, 16, 300, 70_000] {
            let stored = keys.beside(state(fields)).unwrap();
            let (again, own) = OnceKeys::take_back(&stored).unwrap();
            assert_eq!(own, state(fields));
            assert!(again.contains("5") && again.contains("1028") && !again.contains("4"));
            assert!(keys.beside(stored).is_err(), "the key is taken");
        }
        let (none, own) = OnceKeys::take_back(&state(2)).unwrap();
        assert!(own == state(2) && !none.contains("5"));
    }
}
