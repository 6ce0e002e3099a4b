//! The form of the context object, as far as both its writer (memory) and a reader without a model (the reflex) must know it.
//!
//! Names and marks alone; it must never hold a rule of what is shown. On the walk the object stands between the Dreamer and
//! the mind.

/// Its headings of the second level, in their order (stimulus envelope, context object).
pub const SECTIONS: [&str; 7] = [
    "Identity now",
    "Current situation",
    "Relevant history",
    "Strategic direction",
    "Emotional resonance",
    "Technical context",
    "Constraints",
];

/// How an item begins that holds the agent's own words.
pub const OWN_WORDS: &str = "You answered";

/// The source of an item that only says what stands in the history, which the mind is shown anyway.
pub const HISTORY_SOURCE: &str = "history";
