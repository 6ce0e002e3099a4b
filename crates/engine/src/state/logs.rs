//! The logs of `\stdout` as far as the state holds them: who may read whose, and what running epochs have written. The
//! entries themselves are in the ledger and, for reading, in the files of `memory/stdout`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use abide_domain::{
    CallId, EntityName, EpochId, Timestamp,
    event::{StdoutGranted, StdoutRevoked, StdoutWritten},
};
use abide_memory::stdout::NewestEntries;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Who may read whose log, and which entries running epochs have written.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Logs {
    /// By whose log it is, who else may read it.
    grants: BTreeMap<EntityName, BTreeSet<EntityName>>,
    /// Whose logs there are, and how each ends.
    owners: BTreeMap<EntityName, NewestEntries>,
    /// By running epoch, which entries of which calls are written, and at which tick.
    written: HashMap<EpochId, HashMap<(CallId, u32), u64>>,
}

impl Logs {
    /// Notes that somebody wrote to a log of theirs.
    pub(super) fn wrote(&mut self, owner: &EntityName, at: Timestamp) {
        match self.owners.get_mut(owner) {
            Some(newest) => newest.add(at),
            None => drop(self.owners.insert(owner.clone(), NewestEntries::first(at))),
        }
    }

    /// How each log ends.
    pub fn newest(&self) -> impl Iterator<Item = (&EntityName, NewestEntries)> {
        self.owners.iter().map(|(owner, newest)| (owner, *newest))
    }

    /// Whether anything was ever written to somebody's log.
    pub fn has_log(&self, owner: &EntityName) -> bool {
        self.owners.contains_key(owner)
    }

    /// Everybody who has a log, in the order of the names.
    pub fn owners(&self) -> impl Iterator<Item = &EntityName> {
        self.owners.keys()
    }

    /// Notes an entry, so that its call does not write it again after a crash.
    pub(super) fn written(&mut self, epoch: EpochId, entry: &StdoutWritten, tick: u64) {
        let Some(call_id) = entry.call_id.clone() else { return };
        self.written.entry(epoch).or_default().insert((call_id, entry.nth), tick);
    }

    /// Forgets the keys of an epoch that has ended.
    pub(super) fn ended(&mut self, epoch: EpochId) {
        self.written.remove(&epoch);
    }

    pub(super) fn grant(&mut self, owner: &EntityName, granted: &StdoutGranted) {
        self.grants.entry(owner.clone()).or_default().insert(granted.to.clone());
    }

    pub(super) fn revoke(&mut self, owner: &EntityName, revoked: &StdoutRevoked) {
        let Some(readers) = self.grants.get_mut(owner) else { return };
        readers.remove(&revoked.to);
        if readers.is_empty() {
            self.grants.remove(owner);
        }
    }

    /// The tick of an entry of a call, if it is written already.
    pub fn written_at(&self, epoch: EpochId, call_id: &CallId, nth: u32) -> Option<u64> {
        self.written.get(&epoch)?.get(&(call_id.clone(), nth)).copied()
    }

    /// Whether one may read the log of another; everybody may read its own.
    pub fn may_read(&self, reader: &EntityName, owner: &EntityName) -> bool {
        reader == owner || self.readers(owner).any(|granted| granted == reader)
    }

    /// Who may read a log besides its owner, in the order of their names.
    pub fn readers(&self, owner: &EntityName) -> impl Iterator<Item = &EntityName> {
        self.grants.get(owner).into_iter().flatten()
    }

    /// All grants: who reads, and whose log; in the order of the owners' names.
    pub fn grants(&self) -> impl Iterator<Item = (&EntityName, &EntityName)> {
        let owners = self.grants.iter();
        owners.flat_map(|(owner, readers)| readers.iter().map(move |reader| (reader, owner)))
    }

    pub(super) fn parts(&self) -> Value {
        json!(self.grants.iter().collect::<Vec<_>>())
    }
}
