//! Identity: the document in which an agent says who it is, and its versions.
//!
//! A fold of `memory.identity_changed`. Only the version in force is held; older ones are references into the ledger,
//! where all of them stay. It must never lose a version, and what an open epoch staged is in force from its commit on.
//! On the walk it is the first part of every context.
//!
//! Reading order: here the fold; `rule` (what may become an identity); `profile` (the first one); `file` (the projection
//! `identity.md` and a person's edit of it).

use std::sync::Arc;

use abide_domain::{
    EntityName, Timestamp,
    event::{IdentityChanged, IdentitySource, MemoryEvent},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

mod file;
mod profile;
mod rule;

pub use file::{FileError, IdentityFile, Reconciled, UnfitEdit};
pub use profile::profile_identity;
pub use rule::{IdentityRule, UnfitIdentity, check_identity};

use crate::{
    Applied,
    staging::{Staging, Step},
};

/// The identity in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityVersion {
    /// From 1.
    pub version: u64,
    /// The document, Markdown, first person.
    pub content: Arc<str>,
    /// When it was written.
    pub updated_at: Timestamp,
    /// Where it came from.
    pub source: IdentitySource,
    /// Who caused it.
    pub author: EntityName,
    /// Where it stands in the ledger.
    pub seq: u64,
}

/// A version by reference: its text stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRef {
    /// Its number.
    pub version: u64,
    /// Where it stands in the ledger.
    pub seq: u64,
    /// When it was written.
    pub updated_at: Timestamp,
    /// Where it came from.
    pub source: IdentitySource,
    fingerprint: Fingerprint,
}

/// The identity of one agent.
#[derive(Clone, Debug)]
pub struct Identity {
    entity: EntityName,
    applied_seq: u64,
    current: Option<Arc<IdentityVersion>>,
    versions: Vec<VersionRef>,
    staged: Staging<IdentityVersion>,
    newest_number: u64,
}

impl Identity {
    /// No identity yet, of one agent; events of others are skipped.
    pub fn new(entity: EntityName) -> Self {
        Self {
            entity,
            applied_seq: 0,
            current: None,
            versions: Vec::new(),
            staged: Staging::default(),
            newest_number: 0,
        }
    }

    /// Folds one durable event in and says whether another version is in force now. Events up to the newest seen are
    /// skipped.
    pub fn apply(&mut self, applied: &Applied<'_>) -> bool {
        if applied.seq <= self.applied_seq || *applied.entity != self.entity {
            return false;
        }
        self.applied_seq = applied.seq;
        match Step::of(applied) {
            Step::Stage(epoch, MemoryEvent::IdentityChanged(change)) => {
                let version = self.number(change, applied);
                self.staged.hold(epoch, version);
                false
            }
            Step::InForce(MemoryEvent::IdentityChanged(change)) => {
                let version = self.number(change, applied);
                self.take_effect(version);
                true
            }
            Step::Commit(epoch, _) => {
                let staged = self.staged.take(epoch);
                let changed = !staged.is_empty();
                for version in staged {
                    self.take_effect(version);
                }
                changed
            }
            Step::Abort(epoch) => {
                self.staged.take(epoch);
                false
            }
            Step::Stage(..) | Step::InForce(_) | Step::Other => false,
        }
    }

    /// The version in force, if there is one.
    pub fn current(&self) -> Option<&Arc<IdentityVersion>> {
        self.current.as_ref()
    }

    /// All versions that were ever in force, oldest first, the current one included.
    pub fn versions(&self) -> &[VersionRef] {
        &self.versions
    }

    /// The number that the next version gets: above all that were ever written, staged and aborted ones too.
    pub fn next_version(&self) -> u64 {
        self.newest_number + 1
    }

    /// Says whether a text is a version that was in force once, line ends and trailing space not counted.
    pub fn is_known(&self, content: &str) -> bool {
        let sought = fingerprint(content);
        self.versions.iter().any(|version| version.fingerprint == sought)
    }

    /// Its part of `state_digest`: number and digest of the version in force.
    pub fn state_parts(&self) -> Value {
        match &self.current {
            None => json!({"version": 0}),
            Some(current) => json!({
                "version": current.version,
                "sha256": hex::encode(Sha256::digest(current.content.as_bytes())),
            }),
        }
    }

    fn number(&mut self, change: &IdentityChanged, applied: &Applied<'_>) -> IdentityVersion {
        self.newest_number = self.newest_number.max(change.version);
        IdentityVersion {
            version: change.version,
            content: change.content.as_str().into(),
            updated_at: applied.at,
            source: change.source,
            author: applied.author.clone(),
            seq: applied.seq,
        }
    }

    fn take_effect(&mut self, version: IdentityVersion) {
        self.versions.push(VersionRef {
            version: version.version,
            seq: version.seq,
            updated_at: version.updated_at,
            source: version.source,
            fingerprint: fingerprint(&version.content),
        });
        self.current = Some(Arc::new(version));
    }
}

type Fingerprint = [u8; 32];

/// What makes two texts the same to a person: line ends and trailing space, which editors add by themselves, do not
/// count.
fn fingerprint(text: &str) -> Fingerprint {
    let mut hash = Sha256::new();
    for line in text.trim_end().split('\n') {
        hash.update(line.strip_suffix('\r').unwrap_or(line).as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().into()
}
