//! Identity: the document in which an agent says who it is, and its versions.
//!
//! A fold of `memory.identity_*`. Only the version in force is held; older ones are references into the ledger,
//! where all of them stay. It must never lose a version, and what an open epoch staged is in force from its commit on.
//! It is the first part of every context.
//!
//! Reading order: here the fold; `rule` (what may become an identity); `revise` (what sleep may make of it), `review` (what of it a person must see); `profile` (the first one); `file` (the projection
//! `identity.md` and a person's edit of it).

use std::{collections::HashSet, sync::Arc};

use abide_domain::{
    EntityName, ProposalId, SleepId, Timestamp,
    event::{
        Decision, IdentityChanged, IdentityDecided, IdentityProposed, IdentitySource, MemoryEvent,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

mod file;
mod profile;
mod review;
mod revise;
mod rule;

pub use file::{
    IdentityEditError, IdentityFile, IdentityFileError, IdentityFileOutcome, IdentityFileWriters,
};
pub use profile::profile_identity;
pub use review::needs_person;
pub use revise::{
    IDENTITY_CHANGE_MAX, Revision, RevisionError, changed_share, identity_diff, revise,
};
pub use rule::{IdentityError, IdentityRule, check_identity};

use crate::{
    DurableEvent,
    staging::{MemoryStep, Staging},
};

/// The identity in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityVersion {
    /// The number of the version, from 1.
    pub version: u64,
    /// The document, Markdown, first person.
    pub content: Arc<str>,
    /// When it was written.
    pub updated_at: Timestamp,
    /// Where it came from.
    pub source: IdentitySource,
    /// The entity that caused it.
    pub author: EntityName,
    /// Where it stands in the ledger.
    pub seq: u64,
    /// The line that holds its text: its own, or that of the proposal that was approved.
    pub text_seq: u64,
}

/// A version that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IdentityProposal {
    /// The id by which it is decided.
    pub proposal_id: ProposalId,
    /// The proposed document.
    pub content: Arc<str>,
    /// The version that it was made from. It is gone as soon as another one is in force.
    pub based_on: u64,
    /// The share that would change, 0 to 1.
    pub change: f64,
    /// The sleep that made it; `None` where it was found in `identity.md`.
    pub sleep_id: Option<SleepId>,
    /// When it was proposed.
    pub proposed_at: Timestamp,
    /// Where it stands in the ledger.
    pub seq: u64,
}

impl IdentityProposal {
    /// Where it came from.
    pub fn source(&self) -> IdentitySource {
        if self.sleep_id.is_some() { IdentitySource::Sleep } else { IdentitySource::File }
    }
}

/// A version by reference: its text stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityVersionRef {
    /// The number of the version.
    pub version: u64,
    /// Where it stands in the ledger.
    pub seq: u64,
    /// The line that holds its text: its own, or that of the proposal that was approved.
    pub text_seq: u64,
    /// When it was written.
    pub updated_at: Timestamp,
    /// Where it came from.
    pub source: IdentitySource,
    /// The entity that caused it.
    pub author: EntityName,
    fingerprint: Fingerprint,
}

/// The identity of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    entity: EntityName,
    applied_seq: u64,
    current: Option<Arc<IdentityVersion>>,
    versions: Vec<IdentityVersionRef>,
    staged: Staging<IdentityVersion>,
    newest_number: u64,
    proposal: Option<IdentityProposal>,
    /// Texts that were proposed, whatever became of them.
    proposed: HashSet<Fingerprint>,
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
            proposal: None,
            proposed: HashSet::new(),
        }
    }

    /// Folds one durable event in and says whether another version is in force now. Events up to the newest seen are
    /// skipped.
    pub fn apply(&mut self, applied: &DurableEvent<'_>) -> bool {
        if applied.seq <= self.applied_seq || *applied.entity != self.entity {
            return false;
        }
        self.applied_seq = applied.seq;
        match MemoryStep::of(applied) {
            MemoryStep::Stage(epoch, MemoryEvent::IdentityChanged(change)) => {
                let version = self.number(change, applied);
                self.staged.hold(epoch, version);
                false
            }
            MemoryStep::InForce(MemoryEvent::IdentityChanged(change)) => {
                let version = self.number(change, applied);
                self.take_effect(version);
                true
            }
            MemoryStep::InForce(MemoryEvent::IdentityProposed(proposed)) => {
                self.propose(proposed, applied);
                false
            }
            MemoryStep::InForce(MemoryEvent::IdentityDecided(decided)) => {
                self.decide(decided, applied)
            }
            MemoryStep::Commit(epoch, _) => {
                let staged = self.staged.take(epoch);
                let changed = !staged.is_empty();
                for version in staged {
                    self.take_effect(version);
                }
                changed
            }
            MemoryStep::Abort(epoch) => {
                self.staged.take(epoch);
                false
            }
            MemoryStep::Stage(..) | MemoryStep::InForce(_) | MemoryStep::Other => false,
        }
    }

    /// The version in force, if there is one.
    pub fn current(&self) -> Option<&Arc<IdentityVersion>> {
        self.current.as_ref()
    }

    /// All versions that were ever in force, oldest first, the current one included.
    pub fn versions(&self) -> &[IdentityVersionRef] {
        &self.versions
    }

    /// The number that the next version gets: above all that were ever written, staged and aborted ones too.
    pub fn next_version(&self) -> u64 {
        self.newest_number + 1
    }

    /// Whether a text stands in the ledger, as a version that was in force once or as a proposal; line ends and trailing
    /// space not counted.
    pub fn is_known(&self, content: &str) -> bool {
        let sought = fingerprint(content);
        self.versions.iter().any(|version| version.fingerprint == sought)
            || self.proposed.contains(&sought)
    }

    /// The version that waits for a person, if one does: a newer one takes its place, and so does any version in force.
    pub fn proposal(&self) -> Option<&IdentityProposal> {
        self.proposal.as_ref()
    }

    /// A version by its number.
    pub fn version(&self, number: u64) -> Option<&IdentityVersionRef> {
        self.versions.iter().rev().find(|version| version.version == number)
    }

    /// Its part of `state_digest`: number and digest of the version in force.
    pub fn state_parts(&self) -> Value {
        match &self.current {
            None => json!({"version": 0}),
            Some(current) => json!({
                "version": current.version,
                "sha256": hex::encode(Sha256::digest(current.content.as_bytes())),
                "proposal": self.proposal.as_ref().map(|proposal| proposal.proposal_id),
            }),
        }
    }

    fn number(&mut self, change: &IdentityChanged, applied: &DurableEvent<'_>) -> IdentityVersion {
        self.newest_number = self.newest_number.max(change.version);
        IdentityVersion {
            version: change.version,
            content: change.content.as_str().into(),
            updated_at: applied.at,
            source: change.source,
            author: applied.author.clone(),
            seq: applied.seq,
            text_seq: applied.seq,
        }
    }

    fn propose(&mut self, proposed: &IdentityProposed, applied: &DurableEvent<'_>) {
        self.proposed.insert(fingerprint(&proposed.content));
        self.proposal = Some(IdentityProposal {
            proposal_id: proposed.proposal_id,
            content: proposed.content.as_str().into(),
            based_on: proposed.based_on,
            change: proposed.change,
            sleep_id: proposed.sleep_id,
            proposed_at: applied.at,
            seq: applied.seq,
        });
    }

    /// Takes a decision in and says whether it put a version in force.
    fn decide(&mut self, decided: &IdentityDecided, applied: &DurableEvent<'_>) -> bool {
        let is_about = self.proposal.as_ref().is_some_and(|p| p.proposal_id == decided.proposal_id);
        let Some(proposal) = self.proposal.take_if(|_| is_about) else { return false };
        let (Decision::Approve, Some(version)) = (decided.decision, decided.version) else {
            return false;
        };
        self.newest_number = self.newest_number.max(version);
        self.take_effect(IdentityVersion {
            version,
            source: proposal.source(),
            content: proposal.content,
            updated_at: applied.at,
            author: applied.author.clone(),
            seq: applied.seq,
            text_seq: proposal.seq,
        });
        true
    }

    fn take_effect(&mut self, version: IdentityVersion) {
        self.versions.push(IdentityVersionRef {
            version: version.version,
            seq: version.seq,
            updated_at: version.updated_at,
            source: version.source,
            text_seq: version.text_seq,
            author: version.author.clone(),
            fingerprint: fingerprint(&version.content),
        });
        self.proposal = None;
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
