//! `files.list` and `files.search`.

use std::{fs, os::unix::ffi::OsStrExt as _, os::unix::fs::symlink};

use abide_domain::tool::EffectClass;
use serde_json::{Value, json};

use crate::bench::Home;

fn paths(listed: &Value, key: &str) -> Vec<String> {
    let entries = listed[key].as_array().unwrap();
    entries.iter().map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
}

fn planted() -> Home {
    let home = Home::new();
    for (path, content) in [
        ("a.md", "alpha\nneedle one\nomega\n"),
        ("src/main.rs", "fn main() {\n    needle();\n}\n"),
        ("src/deep/x.rs", "// Needle\n"),
        (".hidden/x.md", "needle\n"),
        ("node_modules/x.md", "needle\n"),
        ("build/out.md", "needle\n"),
        ("build/keep.md", "needle kept\n"),
        ("src/.gitignore", "deep/\n"),
        (".gitignore", "build/*\n!build/keep.md\n"),
    ] {
        home.put(path, content);
    }
    home.put("binary", b"needle\0");
    symlink("/etc", home.work("link")).unwrap();
    home
}

#[test]
fn a_listing_has_what_is_there_without_what_is_ignored() {
    let home = planted();
    let listed = home.run("files.list", &json!({"path": "work", "depth": 5})).unwrap();
    let expected = ["a.md", "binary", "build", "build/keep.md", "link", "src", "src/main.rs"];
    assert_eq!(paths(&listed, "entries"), expected);
    let first = &listed["entries"][0];
    assert_eq!((&first["kind"], &first["bytes"]), (&json!("file"), &json!(23)));
    assert_eq!(listed["entries"][4]["kind"], "link");
    assert_eq!(listed["passed_over"], 6);
    let all =
        home.run("files.list", &json!({"path": "work/src", "depth": 5, "all": true})).unwrap();
    assert_eq!(paths(&all, "entries"), [".gitignore", "deep", "deep/x.rs", "main.rs"]);
    let shallow = home.run("files.list", &json!({"path": "work"})).unwrap();
    assert_eq!(paths(&shallow, "entries"), ["a.md", "binary", "build", "link", "src"]);
    for (glob, expected) in [
        ("*.md", vec!["a.md", "build/keep.md"]),
        ("src/**/*.rs", vec!["src/main.rs"]),
        ("*/*.md", vec!["build/keep.md"]),
    ] {
        let listed =
            home.run("files.list", &json!({"path": "work", "depth": 5, "glob": glob})).unwrap();
        assert_eq!(paths(&listed, "entries"), expected, "{glob}");
    }
    let folders = home.run("files.list", &json!({})).unwrap();
    let expected = json!([{"name": "work", "access": "write"}, {"name": "docs", "access": "read"}]);
    assert_eq!(folders["folders"], expected);
    assert!(home.run("files.list", &json!({"path": "work/a.md"})).is_err());
    assert!(home.run("files.list", &json!({"path": "work", "glob": "[a"})).is_err());
}

#[test]
fn a_listing_is_bounded_and_copes_with_any_name() {
    let home = Home::new();
    for n in 0..40 {
        home.put(&format!("{n:02}"), "");
    }
    home.put("a\nb\u{202e}", "");
    fs::write(home.work("").join(std::ffi::OsStr::from_bytes(b"\xFF\xFE")), "").unwrap();
    let listed = home.run("files.list", &json!({"path": "work", "limit": 7})).unwrap();
    assert_eq!((paths(&listed, "entries").len(), &listed["cut"]), (7, &json!(true)));
    let listed = home.run("files.list", &json!({"path": "work"})).unwrap();
    assert!(paths(&listed, "entries").contains(&"a\nb\u{202e}".to_owned()));
    assert_eq!((&listed["unreadable"], &listed["cut"]), (&json!(1), &json!(false)));
    assert!(home.run("files.read", &json!({"path": "work/a\nb\u{202e}"})).is_ok());
}

#[test]
fn a_search_finds_lines_with_their_numbers_and_surroundings() {
    let home = planted();
    let arguments = json!({"pattern": "needle", "context": 1});
    let found = home.run("files.search", &arguments).unwrap();
    assert_eq!(
        found["matches"],
        json!([
            {"path": "work/a.md", "line": 2, "text": "needle one", "before": ["alpha"], "after": ["omega"]},
            {"path": "work/build/keep.md", "line": 1, "text": "needle kept", "before": [], "after": []},
            {"path": "work/src/main.rs", "line": 2, "text": "    needle();", "before": ["fn main() {"], "after": ["}"]},
        ])
    );
    assert_eq!((&found["skipped"]["binary"], &found["cut"]), (&json!(1), &json!(null)));
    for (arguments, expected) in [
        (
            json!({"pattern": "NEEDLE", "ignore_case": true, "path": "work/src", "all": true}),
            vec!["work/src/deep/x.rs", "work/src/main.rs"],
        ),
        (json!({"pattern": "needle()", "literal": true}), vec!["work/src/main.rs"]),
        (json!({"pattern": "^needle", "glob": "*.md"}), vec!["work/a.md", "work/build/keep.md"]),
        (json!({"pattern": "needle", "path": "work/a.md"}), vec!["work/a.md"]),
        (json!({"pattern": "nowhere"}), vec![]),
    ] {
        let found = home.run("files.search", &arguments).unwrap();
        assert_eq!(paths(&found, "matches"), expected, "{arguments}");
    }
    let error = home.run("files.search", &json!({"pattern": "needle("})).unwrap_err();
    assert!(error.message.contains("literal: true"), "{error}");
    assert!(home.run("files.search", &json!({"pattern": "x", "path": "work/link"})).is_err());
    assert_eq!(home.registry.get("files.search").unwrap().spec().effect, EffectClass::Read);
}

#[test]
fn a_search_ends_at_its_limits_and_says_which() {
    let home = Home::new();
    home.put("a", format!("{}\n", "x".repeat(5_000)).repeat(600));
    let found = home.run("files.search", &json!({"pattern": "x", "limit": 5})).unwrap();
    assert_eq!(found["matches"].as_array().unwrap().len(), 5);
    assert_eq!(found["cut"], "there are more matches");
    let text = found["matches"][0]["text"].as_str().unwrap();
    assert!(text.len() < 410 && text.ends_with('…'));
    let found = home.run("files.search", &json!({"pattern": "x", "limit": 1000})).unwrap();
    assert!(found.to_string().len() < 100_000);
    assert!(found["cut"].as_str().unwrap().contains("the result is large"), "{}", found["cut"]);
    home.put("b", "x\n");
    home.set_clock_step(6_000);
    let found = home.run("files.search", &json!({"pattern": "nowhere"})).unwrap();
    assert!(found["cut"].as_str().unwrap().contains("the time was over"), "{found}");
    home.set_clock_step(0);
    // What would be slow for others is linear here, and what would be large is refused.
    let slow = json!({"pattern": "(x+x+)+y"});
    assert_eq!(home.run("files.search", &slow).unwrap()["matches"], json!([]));
    let large = json!({"pattern": "((x{1000}){1000}){1000}"});
    assert!(home.run("files.search", &large).is_err());
}
