//! `memory.*`: what the agent remembers, for its mind: learn, look up, take back.
//!
//! Learning and taking back are staged: they count when the epoch commits.

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

use abide_domain::{graph::NodeId, limits::REASON_CHARS_MAX};

use crate::ToolError;

/// Reads the id of a node from an argument.
fn node_id(argument: &str, text: &str) -> Result<NodeId, ToolError> {
    text.trim().parse().map_err(|error| ToolError::new(format!("{argument}: {error}")))
}

/// A reason that says something, within its limit.
fn reason(reason: Option<String>) -> Result<Option<String>, ToolError> {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    if reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_CHARS_MAX) {
        let message = format!("reason: has more than {REASON_CHARS_MAX} characters");
        return Err(ToolError::new(message));
    }
    Ok(reason)
}

/// Could not look.
fn blind(message: &str) -> ToolError {
    ToolError::new(format!("could not look: {message}"))
}
