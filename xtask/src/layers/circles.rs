//! No two files of a crate import each other, directly or in a ring. What counts as an import is in `imports`: an item of
//! another file of the same crate, found through re-exports, in code that is not for tests.
//!
//! A ring means that none of its files can be understood first. The usual ways out: move what is shared into a file of its
//! own below both, or hand the value in.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Imports, imports};
use crate::workspace::{Finding, Source};

/// Looks at the product files of one crate; `root` is its folder of sources, `crates/x/src`.
pub(super) fn check(sources: &[Source], root: &str) -> Vec<Finding> {
    let imports = imports(sources, root);
    rings(&imports)
        .into_iter()
        .map(|ring| {
            let first = ring.first().cloned().unwrap_or_default();
            Finding::new(
                first,
                format!("a circle of {} files: {}", ring.len(), arrows(&ring, &imports)),
            )
        })
        .collect()
}

/// The arrows within a ring, with the items that tie them.
fn arrows(ring: &[String], imports: &Imports) -> String {
    let mut words = Vec::new();
    for from in ring {
        for (to, items) in
            imports.get(from).into_iter().flatten().filter(|(to, _)| ring.contains(to))
        {
            let items: Vec<_> = items.iter().map(String::as_str).collect();
            words.push(format!("{from} -> {to} ({})", items.join(", ")));
        }
    }
    words.join("; ")
}

/// Files that reach each other, each ring sorted: two files are in one ring when each can be reached from the other.
fn rings(imports: &Imports) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reached_from(file, imports))).collect();
    let mut rings = BTreeSet::new();
    for (file, others) in &reached {
        let back = |other: &&&str| reached.get(**other).is_some_and(|back| back.contains(file));
        let ring: Vec<String> = others.iter().filter(back).map(|file| (*file).to_owned()).collect();
        if ring.len() > 1 {
            rings.insert(ring);
        }
    }
    rings.into_iter().collect()
}

/// Everything that a file imports, and what that imports.
fn reached_from<'a>(file: &str, imports: &'a Imports) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(from) = open.pop() {
        for to in imports.get(from).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let source = |(path, text): &(&str, &str)| Source {
            path: format!("crates/x/src/{path}"),
            text: (*text).to_owned(),
        };
        let sources: Vec<_> = files.iter().map(source).collect();
        check(&sources, "crates/x/src").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn imports_that_point_one_way_are_no_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", "use crate::B; pub struct A(B);"),
            ("b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert!(found(&files).is_empty());
    }

    #[test]
    fn a_circle_is_found_through_a_re_export_and_by_a_path_in_code() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", "use crate::B; pub struct A(B);"),
            ("b.rs", "pub struct B; fn f() { drop(crate::a::A::new()); }"),
        ];
        assert_eq!(
            found(&files),
            [
                "crates/x/src/a.rs: a circle of 2 files: crates/x/src/a.rs -> crates/x/src/b.rs (B); \
              crates/x/src/b.rs -> crates/x/src/a.rs (A)"
            ]
        );
    }

    #[test]
    fn a_child_that_uses_its_parent_which_uses_it_is_a_circle() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod c; pub struct A; fn f() { c::g(); }"),
            ("a/c.rs", "use super::A; pub(super) fn g() -> A { A }"),
        ];
        assert_eq!(found(&files).len(), 1);
        let one_way = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod c; pub use c::A; fn f() { c::g(); }"),
            ("a/c.rs", "pub struct A; pub(super) fn g() -> A { A }"),
        ];
        assert!(found(&one_way).is_empty());
    }
}
