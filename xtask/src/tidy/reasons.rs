//! A dependency is a design decision: its line says why it is here, and its version stands in one place.

use std::collections::HashSet;

use crate::workspace::{Finding, Source};

/// Looks at the workspace's own table: every foreign crate has its reason.
pub(super) fn check_workspace(manifest: &Source) -> Vec<Finding> {
    let lines = dependencies(&manifest.text);
    let unreasoned = lines.filter(|line| !line.has_reason && !line.text.contains("path ="));
    unreasoned
        .map(|line| {
            let message = format!("`{}` has no reason: add `# …`", line.name);
            Finding::at(&manifest.path, line.index, message)
        })
        .collect()
}

/// Looks at one crate: every dependency comes from the workspace and has its reason here or there.
pub(super) fn check_crate(manifest: &Source, workspace: &Source) -> Vec<Finding> {
    let reasoned: HashSet<_> = dependencies(&workspace.text)
        .filter(|line| line.has_reason)
        .map(|line| line.name)
        .collect();
    let mut findings = Vec::new();
    for line in dependencies(&manifest.text) {
        let is_itself = line.text.contains("path = \".\"");
        if !is_itself && !line.text.contains("workspace = true") {
            let message = format!("`{}` must take its version from the workspace", line.name);
            findings.push(Finding::at(&manifest.path, line.index, message));
        }
        if !line.has_reason && !reasoned.contains(line.name) {
            let message = format!("`{}` has no reason: add `# …`", line.name);
            findings.push(Finding::at(&manifest.path, line.index, message));
        }
    }
    findings
}

/// A line that names a dependency.
struct Line<'a> {
    /// From 0.
    index: usize,
    name: &'a str,
    text: &'a str,
    has_reason: bool,
}

/// The lines of all tables of dependencies, one line each as this workspace writes them.
fn dependencies(manifest: &str) -> impl Iterator<Item = Line<'_>> {
    let mut is_table = false;
    manifest.lines().enumerate().filter_map(move |(index, text)| {
        if let Some(header) = text.strip_prefix('[') {
            is_table = header.trim_end_matches(']').ends_with("dependencies");
            return None;
        }
        let is_entry = is_table && !text.trim_start().starts_with('#');
        let (name, _) = text.split_once('=').filter(|_| is_entry)?;
        let name = name.trim().split('.').next().unwrap_or_default();
        let has_reason =
            text.rsplit_once(" # ").is_some_and(|(_, reason)| !reason.trim().is_empty());
        Some(Line { index, name, text, has_reason })
    })
}

#[cfg(test)]
mod tests {
    use super::{check_crate, check_workspace};
    use crate::workspace::Source;

    fn manifest(text: &str) -> Source {
        Source { path: "Cargo.toml".into(), text: text.into() }
    }

    #[test]
    fn lines_without_a_reason_or_with_a_version_of_their_own_are_found() {
        let workspace = manifest(
            "[workspace.dependencies]\nabide-a = { path = \"a\" }\nserde = \"1\" # lines\nbare = \"1\"\n\n[profile.dev]\ndebug = 1\n",
        );
        let places: Vec<_> =
            check_workspace(&workspace).into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["Cargo.toml:4"]);
        let member = manifest(
            "[package]\nname = \"x\"\n[dependencies]\nserde.workspace = true\nabide-a.workspace = true\n[dev-dependencies]\nbare = \"1\" # for tests\n",
        );
        let places: Vec<_> =
            check_crate(&member, &workspace).into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["Cargo.toml:5", "Cargo.toml:7"]);
    }
}
