//! The table of crates: an edge goes up it only. Read from `cargo metadata`, so that no manifest can hide one. Within a
//! crate, no files import each other in a circle.

mod circles;
mod imports;
mod names;

use std::{path::Path, process::Command};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::workspace::{self, Finding};

/// The crates from the lowest up; a crate may use those before it.
const ROWS: [&str; 23] = [
    "domain",
    "evolution",
    "deck",
    "media",
    "grammar",
    "wire",
    "sdk",
    "ledger",
    "http",
    "models",
    "memory",
    "modules",
    "tools",
    "workspace",
    "services",
    "engine",
    "supervisor",
    "mcp",
    "watchdog",
    "channels",
    "agent",
    "bench",
    "server",
];
/// Used by tests alone.
const TESTKIT: &str = "testkit";
/// What the watchdog may name: what it cannot see is the point of it.
const WATCHDOG_USES: [&str; 2] = ["domain", "ledger"];
/// The chores stand beside the table and use none of it.
const XTASK: &str = "xtask";

/// Looks at the workspace at `root`.
pub(crate) fn run(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("cannot run cargo metadata")?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata failed: {words}");
    let metadata = serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")?;
    let mut findings = check(&metadata);
    for folder in source_folders(&metadata) {
        let sources = workspace::sources(root, &folder, &["rs"])?;
        findings.extend(circles::check(&sources, &folder));
    }
    Ok(findings)
}

/// Where the sources of each crate lie, from the root.
fn source_folders(metadata: &Value) -> Vec<String> {
    let root = text(metadata, "workspace_root");
    let manifests = list(metadata, "packages").map(|package| text(package, "manifest_path"));
    let folder = |path: &str| {
        let folder = path.strip_prefix(root)?.trim_start_matches('/').strip_suffix("Cargo.toml")?;
        Some(format!("{folder}src"))
    };
    manifests.filter_map(folder).collect()
}

/// All edges that the table does not allow.
fn check(metadata: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in list(metadata, "packages") {
        let name = short(text(package, "name"));
        if name != TESTKIT && name != XTASK && row(name).is_none() {
            findings
                .push(Finding::new(name, "is not in the table of crates (xtask/src/layers.rs)"));
        }
        for dependency in list(package, "dependencies") {
            findings.extend(edge(name, dependency));
        }
    }
    findings.sort();
    findings
}

fn edge(from: &str, dependency: &Value) -> Option<Finding> {
    let name = text(dependency, "name");
    let to = name.strip_prefix("abide-")?;
    let is_dev = text(dependency, "kind") == "dev";
    let problem = if to == TESTKIT {
        (!is_dev).then_some("testkit is for tests: make it a dev-dependency")
    } else if is_dev && from == to {
        // A crate's own tests may ask for a feature of it.
        None
    } else if from == TESTKIT {
        // Its fakes may know what they fake; nothing of the product knows them.
        row(to).is_none().then_some("is not in the table of crates")
    } else if from == "watchdog" && !is_dev && !WATCHDOG_USES.contains(&to) {
        Some("the watchdog judges by public evidence alone: domain and ledger")
    } else {
        let is_up = matches!((row(from), row(to)), (Some(from), Some(to)) if to < from);
        (!is_up).then_some("a crate uses only crates above it in the table")
    };
    problem.map(|problem| Finding::new(format!("{from} -> {to}"), problem))
}

fn row(name: &str) -> Option<usize> {
    ROWS.iter().position(|row| *row == name)
}

fn short(name: &str) -> &str {
    name.strip_prefix("abide-").unwrap_or(name)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{check, run};
    use crate::workspace;

    #[test]
    fn the_workspace_keeps_its_layers() {
        let findings = run(&workspace::root()).unwrap();
        let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "\n{}", lines.join("\n"));
    }

    #[test]
    fn edges_that_the_table_does_not_allow_are_found() {
        let cases = [
            ("abide-engine", "abide-domain", None, true),
            ("abide-engine", "serde", None, true),
            ("abide-engine", "abide-server", None, false),
            ("abide-engine", "abide-engine", None, false),
            ("abide-engine", "abide-engine", Some("dev"), true),
            ("abide-engine", "abide-unheard-of", None, false),
            ("abide-engine", "abide-testkit", None, false),
            ("abide-engine", "abide-testkit", Some("build"), false),
            ("abide-engine", "abide-testkit", Some("dev"), true),
            ("abide-engine", "abide-server", Some("dev"), false),
            ("abide-testkit", "abide-ledger", None, true),
            ("abide-watchdog", "abide-ledger", None, true),
            ("abide-watchdog", "abide-engine", None, false),
            ("abide-watchdog", "abide-http", None, false),
            ("abide-newcomer", "serde", None, false),
        ];
        for (from, to, kind, is_allowed) in cases {
            let dependency = json!({"name": to, "kind": kind});
            let metadata = json!({"packages": [{"name": from, "dependencies": [dependency]}]});
            assert_eq!(check(&metadata).is_empty(), is_allowed, "{from} -> {to} {kind:?}");
        }
    }
}
