//! Documents name what exists: every path in backticks and every relative link leads somewhere.

use crate::workspace::{Finding, Source};

/// Folders of the repository that a path in backticks may begin with. What begins otherwise is no path of ours: a home
/// has folders too.
const FOLDERS: [&str; 9] =
    ["crates/", "xtask/", "docs/", "fuzz/", "web/", "sdk/", "scripts/", ".ci/", ".config/"];

/// Looks at one document; `exists` says whether a path from the root is there.
pub(super) fn check(document: &Source, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut is_code = false;
    for (index, line) in document.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        for path in ticked(line).filter(|path| !exists(path)) {
            findings.push(Finding::at(&document.path, index, format!("there is no `{path}`")));
        }
        for link in links(line).filter(|link| !exists(&resolve(folder, link))) {
            let message = format!("the link to {link} leads nowhere");
            findings.push(Finding::at(&document.path, index, message));
        }
    }
    findings
}

/// Paths in backticks, without a line number behind them.
fn ticked(line: &str) -> impl Iterator<Item = &str> {
    let tokens = line.split('`').skip(1).step_by(2);
    let is_path = |token: &&str| {
        let is_ours = FOLDERS.iter().any(|folder| token.starts_with(folder));
        is_ours && !token.contains(|c: char| c.is_whitespace() || "*<>{}…|".contains(c))
    };
    tokens.filter(is_path).map(|path| path.split(':').next().unwrap_or(path))
}

/// Targets of links to files, without the place in the file.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let is_file = |target: &&str| {
        !target.contains("://") && !target.starts_with(['#', '<']) && !target.is_empty()
    };
    targets.filter(is_file).map(|target| target.split('#').next().unwrap_or(target))
}

/// A link's path from the root.
fn resolve(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    #[test]
    fn paths_and_links_that_lead_nowhere_are_found() {
        let cases = [
            ("`crates/a/src/lib.rs` and `crates/b/`", 1),
            ("`ledger/` and `crates/*/Cargo.toml` and `abide up`", 0),
            ("[a](../crates/a/src/lib.rs#L3) [b](b.md) [c](https://example.org/x.md) [d](#top)", 1),
            ("```\n`crates/b/`\n```", 0),
            ("`crates/a/src/lib.rs:12`", 0),
        ];
        for (text, count) in cases {
            let document = Source { path: "docs/x.md".into(), text: text.into() };
            let exists = |path: &str| path == "crates/a/src/lib.rs";
            assert_eq!(check(&document, &exists).len(), count, "{text}");
        }
    }
}
