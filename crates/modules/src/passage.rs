//! What the memory module is asked: a question and the passages that a search found for it. What it may answer is decided
//! here alone: each passage once, and no other.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    features::{PassageFeatures, exact_number, is_nothing},
    limits::PASSAGES_MAX,
};

/// A question, and what was found for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankRequest {
    /// The question, or the text that memories are wanted for.
    pub question: String,
    /// Who asks, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<String>,
    /// The time of the question, in Unix seconds.
    #[serde(with = "exact_number")]
    pub now: f64,
    /// At most [`PASSAGES_MAX`], in the order of the search.
    pub passages: Vec<RankedPassage>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedPassage {
    /// Its id, once in a request, below 2^63.
    pub id: u64,
    /// Its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The name of who said it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub speaker: String,
    /// Whether a person or the agent said it.
    #[serde(default, skip_serializing_if = "PassageRole::is_person")]
    pub role: PassageRole,
    /// When it was said, in Unix seconds.
    #[serde(default, skip_serializing_if = "is_nothing", with = "exact_number")]
    pub at: f64,
    /// What the search knows of it.
    pub features: PassageFeatures,
}

/// Who said a passage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassageRole {
    /// A person.
    #[default]
    Person,
    /// The agent itself.
    Agent,
}

impl PassageRole {
    /// The name on the wire and in Scheme.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_person(&self) -> bool {
        *self == Self::Person
    }
}

impl RankRequest {
    /// Says why this cannot be asked, where it cannot: too many passages, an id twice or out of range, a number that is none.
    pub fn check(&self) -> Result<(), String> {
        if self.passages.len() > PASSAGES_MAX {
            return Err(format!("{} passages are more than {PASSAGES_MAX}", self.passages.len()));
        }
        let mut seen = HashSet::new();
        for passage in &self.passages {
            if i64::try_from(passage.id).is_err() {
                return Err(format!("the id {} is not below 2^63", passage.id));
            }
            if !seen.insert(passage.id) {
                return Err(format!("the id {} stands twice", passage.id));
            }
            let numbers = passage.features.values();
            if !passage.at.is_finite() || numbers.into_iter().any(|number| !number.is_finite()) {
                return Err(format!("a number of passage {} is not finite", passage.id));
            }
        }
        if self.now.is_finite() { Ok(()) } else { Err("the time is not finite".to_owned()) }
    }

    /// Says what is wrong with an order of ids, where it is no permutation of those offered.
    pub fn check_order(&self, ids: &[u64]) -> Result<(), String> {
        let mut places: HashMap<u64, bool> =
            self.passages.iter().map(|passage| (passage.id, false)).collect();
        for id in ids {
            match places.get_mut(id) {
                None => return Err(format!("the id {id} was not offered")),
                Some(true) => return Err(format!("the id {id} stands twice")),
                Some(is_placed) => *is_placed = true,
            }
        }
        let dropped = self.passages.iter().find(|passage| places.get(&passage.id) == Some(&false));
        match dropped {
            Some(passage) => Err(format!("the id {} is missing", passage.id)),
            None => Ok(()),
        }
    }
}
