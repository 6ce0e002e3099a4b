//! The rules of `[media]`: folders that can be scanned.

use std::path::PathBuf;

use crate::config::{Config, Environment, problem::Problem};

/// Folders of the library at most.
const FOLDERS_MAX: usize = 64;

/// Folders that are no paths, or of which one lies in the other.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let roots = config.settings.media.roots(environment.get("HOME"));
    let problem = |message: &str| config.problem("media.folders", message);
    if roots.len() > FOLDERS_MAX {
        return vec![problem(&format!(
            "has {} folders; at most {FOLDERS_MAX} are scanned",
            roots.len()
        ))];
    }
    let mut problems = Vec::new();
    let mut known: Vec<PathBuf> = Vec::new();
    for root in roots {
        let shown = root.display();
        if !root.is_absolute() {
            problems
                .push(problem(&format!("has \"{shown}\"; write an absolute path, or one from ~/")));
        } else if let Some(other) =
            known.iter().find(|other| root.starts_with(other) || other.starts_with(&root))
        {
            let other = other.display();
            problems.push(problem(&format!(
                "has \"{shown}\" and \"{other}\", of which one lies in the other: its files would be there twice"
            )));
        } else {
            known.push(root);
        }
    }
    problems
}
