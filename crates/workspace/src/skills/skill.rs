//! What is known of a skill before its text is read.

use std::path::PathBuf;

/// A skill that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name, which is that of its folder.
    pub name: String,
    /// What it is for, on one line.
    pub description: String,
    /// What it needs, where it says so.
    pub compatibility: Option<String>,
    /// What it would like to use. Nothing is granted by it.
    pub allowed_tools: Option<String>,
    /// Where it is.
    pub folder: PathBuf,
}
