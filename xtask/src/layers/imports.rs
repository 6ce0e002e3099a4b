//! Which file of a crate uses which item of which other file, read from its tokens.
//!
//! Names are followed through `use` declarations and re-exports to the file that defines the item. A re-export by itself is
//! no import, nor is naming a module. Items that a macro writes are not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{Names, names};
use crate::workspace::Source;

/// File, files it imports, and the items that it takes from each.
pub(super) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// How many re-exports are followed.
const RE_EXPORTS_MAX: usize = 16;

/// The imports within one crate, whose sources lie below `root`. Files of tests are left out.
pub(super) fn imports(sources: &[Source], root: &str) -> Imports {
    let modules: Vec<Module<'_>> =
        sources.iter().filter_map(|source| module(source, root)).collect();
    let tree =
        Tree { modules: modules.iter().map(|module| (module.path.clone(), module)).collect() };
    let mut imports = Imports::new();
    for module in &modules {
        let arrows = imports.entry(module.file.to_owned()).or_default();
        let private =
            module.names.uses.iter().filter(|used| !used.is_public).map(|used| &used.path);
        for path in private.chain(&module.names.paths) {
            if let Some((file, item)) =
                tree.item(&module.path, path).filter(|(file, _)| *file != module.file)
            {
                arrows.entry(file.to_owned()).or_default().insert(item.to_owned());
            }
        }
    }
    imports
}

/// One file of a crate.
struct Module<'s> {
    file: &'s str,
    /// From the root of the crate, which is empty.
    path: Vec<String>,
    names: Names,
}

fn module<'s>(source: &'s Source, root: &str) -> Option<Module<'s>> {
    let inside = source.path.strip_prefix(root)?.strip_prefix('/')?.strip_suffix(".rs")?;
    let mut path: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if path.iter().any(|part| part == "tests") {
        return None;
    }
    if matches!(path.as_slice(), [one] if one == "lib" || one == "main") {
        path.clear();
    }
    Some(Module { file: &source.path, path, names: names(&source.text) })
}

struct Tree<'m, 's> {
    modules: BTreeMap<Vec<String>, &'m Module<'s>>,
}

/// What a path leads to.
enum Target<'m> {
    Module(Vec<String>),
    Item { file: &'m str, name: &'m str },
}

impl<'m> Tree<'m, '_> {
    /// The item that the longest known part of a path names, seen from a module.
    fn item(&self, from: &[String], path: &'m [String]) -> Option<(&'m str, &'m str)> {
        (1..=path.len()).rev().find_map(|length| match self.follow(from, path.get(..length)?, 0) {
            Some(Target::Item { file, name }) => Some((file, name)),
            _ => None,
        })
    }

    fn follow(&self, from: &[String], path: &'m [String], depth: usize) -> Option<Target<'m>> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Target::Module(Vec::new()),
            "self" => Target::Module(from.to_vec()),
            "super" => Target::Module(above(from)),
            name => self.named(from, name, (depth, !rest.is_empty()))?,
        };
        while let (Target::Module(module), Some((next, left))) = (&at, rest.split_first()) {
            at = match next.as_str() {
                "super" => Target::Module(above(module)),
                "self" => Target::Module(module.clone()),
                name => self.named(&module.clone(), name, (depth, !left.is_empty()))?,
            };
            rest = left;
        }
        rest.is_empty().then_some(at)
    }

    /// What a name means in a module: an item of it, a child, or what it uses by that name. A function and a child may share
    /// a name: where the path goes on, the child is meant.
    fn named(
        &self,
        module: &[String],
        name: &str,
        (depth, goes_on): (usize, bool),
    ) -> Option<Target<'m>> {
        if depth > RE_EXPORTS_MAX {
            return None;
        }
        let here = self.modules.get(module)?;
        let child: Vec<String> = module.iter().cloned().chain([name.to_owned()]).collect();
        let is_child = self.modules.contains_key(&child);
        if let Some(name) = here.names.items.get(name).filter(|_| !(goes_on && is_child)) {
            return Some(Target::Item { file: here.file, name });
        }
        if is_child {
            return Some(Target::Module(child));
        }
        let by_name = here.names.uses.iter().filter(|used| used.name == name);
        by_name.clone().find_map(|used| self.follow(module, &used.path, depth + 1))
    }
}

fn above(module: &[String]) -> Vec<String> {
    module.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default()
}
