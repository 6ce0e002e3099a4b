//! A statement with what it says. Reading it costs more than all that is done with it, and the same ones are found again and
//! again: what was read is kept.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::Zone;

use super::{
    claim::{Claim, claims_of},
    replaces::{answered, relation},
    statement::{Relation, Statement},
};

/// Statements of which what they say is kept; all of them go when there are more.
const KEPT_MAX: usize = 4_096;

/// A statement and what it says.
#[derive(Clone, Debug)]
pub(crate) struct ReadStatement<'a> {
    statement: Statement<'a>,
    claims: Arc<Vec<Claim>>,
}

impl<'a> ReadStatement<'a> {
    /// Reads a statement.
    pub(crate) fn new(statement: Statement<'a>, zone: &Zone) -> Self {
        let claims = Arc::new(claims_of(&statement, zone));
        Self { statement, claims }
    }

    /// Whose words they are.
    pub(super) const fn by(&self) -> &'a str {
        self.statement.by
    }

    pub(super) fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Whether it says something that a later statement could replace.
    pub(crate) fn says_something(&self) -> bool {
        let says = |claim: &Claim| !claim.heads.is_empty() || !claim.attributes.is_empty();
        self.claims.iter().any(|claim| claim.is_asserted() && says(claim))
    }

    /// Other words in which what it says can be spoken of, and what it is about; empty where none are known.
    pub(crate) fn rewordings(&self) -> String {
        let claims = self.claims.iter().filter(|claim| claim.is_asserted());
        let words: BTreeSet<String> = claims.flat_map(Claim::rewordings).collect();
        Vec::from_iter(words).join(" ")
    }

    /// How a later statement stands to it.
    pub(crate) fn relation_to(&self, newer: &ReadStatement<'_>) -> Relation {
        let (old, new) = ((&self.statement, &*self.claims), (&newer.statement, &*newer.claims));
        if answered(&[old, new], 1) == Some(0) {
            return Relation::Replaces;
        }
        relation((&self.statement, &self.claims), (&newer.statement, &newer.claims))
    }
}

/// What statements say that were read before, by a number of each that never means another. All days in it are in UTC.
#[derive(Debug, Default)]
pub(crate) struct ClaimCache(Mutex<HashMap<u64, Arc<Vec<Claim>>>>);

impl ClaimCache {
    /// Reads a statement, or takes what was read of it before.
    pub(crate) fn read<'a>(&self, number: u64, statement: Statement<'a>) -> ReadStatement<'a> {
        let known = self.kept().get(&number).map(Arc::clone);
        if let Some(claims) = known {
            return ReadStatement { statement, claims };
        }
        let read = ReadStatement::new(statement, &Zone::utc());
        let mut kept = self.kept();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(number, Arc::clone(&read.claims));
        drop(kept);
        read
    }

    /// Forgets all: what was said may have been taken back.
    pub(crate) fn clear(&self) {
        self.kept().clear();
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<u64, Arc<Vec<Claim>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
