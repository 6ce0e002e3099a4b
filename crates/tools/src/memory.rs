//! `memory.*`: the agent's memory, for its mind: remember, look up, forget.
//!
//! Remembering and forgetting are staged: they count when the epoch commits.

mod close_node;
mod forget_fact;
mod link_nodes;
mod query;
mod recall;
mod record_node;
mod remember_fact;
mod search_facts;

pub use close_node::CloseNode;
pub use forget_fact::ForgetFact;
pub use link_nodes::LinkNodes;
pub use query::QueryMemory;
pub use recall::Recall;
pub use record_node::RecordNode;
pub use remember_fact::{FACT_TAG_CHARS_MAX, FACT_TAGS_MAX, RememberFact};
pub use search_facts::{SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SearchFacts};

use abide_domain::{FactId, graph::NodeId, limits::REASON_CHARS_MAX};
use abide_memory::FactRight;

use crate::{Call, ToolError};

/// Parses the id of a node in an argument.
fn node_id(argument: &str, text: &str) -> Result<NodeId, ToolError> {
    text.trim().parse().map_err(|error| ToolError::new(format!("{argument}: {error}")))
}

/// Checks that whoever asks may have a fact forgotten or replaced: who told it, or an administrator (decision 54).
fn check_right(call: &Call<'_>, argument: &str, fact_id: FactId) -> Result<(), ToolError> {
    match call.memory.right_over(fact_id, call.epoch, call.question("")) {
        Ok(FactRight::Theirs) => Ok(()),
        Ok(FactRight::OfAnother(_)) if call.administrator => Ok(()),
        Ok(FactRight::OfAnother(teller)) => Err(ToolError::new(format!(
            "{argument}: {teller} told that, not {}; only {teller} or an administrator has it forgotten or replaced. \
             What {} says instead can be remembered as theirs",
            call.sender, call.sender
        ))),
        // Of what may not be told here, not even that it is there.
        Ok(FactRight::Unknown) => Err(ToolError::new(format!(
            "{argument}: no fact {fact_id} is known; memory.search_facts lists those that are"
        ))),
        Err(message) => Err(lookup_failed(&message)),
    }
}

/// A reason that is not blank, within its limit.
fn reason(reason: Option<String>) -> Result<Option<String>, ToolError> {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    if reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_CHARS_MAX) {
        let message = format!("reason: has more than {REASON_CHARS_MAX} characters");
        return Err(ToolError::new(message));
    }
    Ok(reason)
}

/// The error of a look-up that failed.
fn lookup_failed(message: &str) -> ToolError {
    ToolError::new(format!("memory could not be searched: {message}"))
}
