//! The parts of the context object's format that both its writer (memory) and a reader without a model (the reflex) need.
//!
//! It holds names and marks only, never a rule about what is shown.

/// The context object's second-level headings, in order (stimulus envelope, context object).
pub const SECTIONS: [&str; 7] = [
    "Identity now",
    "Current situation",
    "Relevant history",
    "Strategic direction",
    "Emotional resonance",
    "Technical context",
    "Constraints",
];

/// The beginning of an item that quotes the agent's own reply.
pub const OWN_REPLY_PREFIX: &str = "You answered";

/// The source of an item that repeats the history, which the mind is shown anyway.
pub const HISTORY_SOURCE: &str = "history";

/// Stands in an item about something that was said, where later words took its place.
pub const REPLACED_LABEL: &str = ", replaced by ";

/// Stands in an item about something that was said, where it took the place of something else and holds now.
pub const IN_FORCE_LABEL: &str = ", in force now";

/// The source of an item that is the record of an epoch, as `source_mark` takes it.
pub fn epoch_source(epoch: crate::EpochId) -> String {
    format!("epoch {epoch}")
}

/// The mark that names the source of an item, `{f12}`: in braces, so that it cannot be taken for the label of a message,
/// which stands in square brackets.
pub fn source_mark(source: impl std::fmt::Display) -> String {
    format!("{{{source}}}")
}
