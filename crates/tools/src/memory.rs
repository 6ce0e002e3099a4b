//! `memory.*`: what the agent knows, for its mind: learn, look up, take back.
//!
//! Learning and taking back are staged: they count when the epoch commits.

mod forget_fact;
mod remember_fact;
mod search_facts;

pub use forget_fact::ForgetFact;
pub use remember_fact::{FACT_TAG_CHARS_MAX, FACT_TAGS_MAX, RememberFact};
pub use search_facts::{SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SearchFacts};
