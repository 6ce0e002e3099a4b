//! The Dreamer sees the envelope and the eight queries, nothing else (decision 10).

use std::{fs, path::Path};

/// Whatever would let it look elsewhere.
const FORBIDDEN: [&str; 9] = [
    "KnowledgeHandle",
    "rusqlite",
    "std::fs",
    "std::env",
    "std::net",
    "tokio",
    "abide_ledger",
    "ShortTerm",
    "Staging",
];

fn sources(path: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn its_code_names_no_store_no_file_and_no_ledger() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all =
        vec![("dreamer.rs".to_owned(), fs::read_to_string(root.join("dreamer.rs")).unwrap())];
    sources(&root.join("dreamer"), &mut all);
    assert!(all.len() > 8, "the files are there");
    for (name, text) in all {
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{name} names {word}");
        }
    }
}
