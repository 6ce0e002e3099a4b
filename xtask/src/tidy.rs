//! What the compiler does not hold: one file a rule, each a pure function from sources to findings.

mod documents;
mod errors;
mod logs;
mod markers;
mod module_doc;
mod names;
mod promises;
mod reasons;
mod sizes;
mod testkit_use;
mod unique;
mod words;

use std::path::Path;

use crate::workspace::{self, Finding, Source};

/// Folders with Rust of ours.
const RUST_FOLDERS: [&str; 4] = ["crates", "xtask", "fuzz", "sdk"];
/// Documents whose paths and links must lead somewhere.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"];

/// Looks at the tree at `root`.
pub(crate) fn run(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut rust = Vec::new();
    for folder in RUST_FOLDERS {
        rust.extend(workspace::sources(root, folder, &["rs"])?);
    }
    for source in &rust {
        findings.extend(rules(source));
    }
    for path in DOCUMENTS {
        if let Some(document) = workspace::source(root, path)? {
            findings.extend(documents::check(&document, &|path| root.join(path).exists()));
            findings.extend(markers::check(&document));
            findings.extend(words::text(&document));
        }
    }
    for document in workspace::sources(root, "docs", &["md"])? {
        findings.extend(documents::check(&document, &|path| root.join(path).exists()));
        findings.extend(markers::check(&document));
        findings.extend(words::text(&document));
    }
    for path in promises::PAGES {
        if let Some(page) = workspace::source(root, path)? {
            findings.extend(promises::check(&page, &rust));
        }
    }
    findings.extend(unique::check(&rust, workspace::source(root, unique::GLOSSARY)?.as_ref()));
    findings.extend(manifests(root)?);
    findings.sort();
    Ok(findings)
}

/// The rules for one Rust file.
fn rules(source: &Source) -> Vec<Finding> {
    let mut findings = markers::check(source);
    findings.extend(module_doc::check(source));
    findings.extend(sizes::check(source));
    findings.extend(names::check(source));
    findings.extend(words::check(source));
    findings.extend(errors::check(source));
    findings.extend(logs::check(source));
    findings.extend(testkit_use::check(source));
    findings
}

fn manifests(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let Some(workspace) = workspace::source(root, "Cargo.toml")? else {
        return Ok(vec![Finding::new("Cargo.toml", "is missing")]);
    };
    let mut findings = reasons::check_workspace(&workspace);
    for folder in ["crates", "xtask"] {
        for manifest in workspace::sources(root, folder, &["toml"])? {
            if manifest.name() == "Cargo.toml" {
                findings.extend(reasons::check_crate(&manifest, &workspace));
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::run;
    use crate::workspace;

    #[test]
    fn the_tree_is_tidy() {
        let findings = run(&workspace::root()).unwrap();
        let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "\n{}", lines.join("\n"));
    }

    #[test]
    fn an_untidy_tree_is_found_out() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("crates/x/src");
        fs::create_dir_all(&source).unwrap();
        fs::write(folder.path().join("Cargo.toml"), "[workspace.dependencies]\nserde = \"1\"\n")
            .unwrap();
        fs::write(source.join("mod.rs"), "struct ThingManager;\n").unwrap();
        fs::write(folder.path().join("ARCHITECTURE.md"), "see `crates/y/src/lib.rs`\n").unwrap();
        let places: Vec<_> =
            run(folder.path()).unwrap().into_iter().map(|found| found.place).collect();
        assert_eq!(
            places,
            [
                "ARCHITECTURE.md:1",
                "Cargo.toml:2",
                "crates/x/src/mod.rs",
                "crates/x/src/mod.rs:1",
                "crates/x/src/mod.rs:1",
            ]
        );
    }
}
