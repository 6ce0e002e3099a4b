//! The names in one Rust file: which items it defines, what it uses, and which paths its code follows.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What introduces the name of an item.
const ITEMS: [&str; 8] = ["struct", "enum", "trait", "type", "union", "fn", "const", "static"];

/// The names in one file. Code for tests is left out.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Items at the top of the file.
    pub(super) items: BTreeSet<String>,
    /// `use` declarations, one for each leaf of their trees.
    pub(super) uses: Vec<Used>,
    /// Paths of two names or more in code.
    pub(super) paths: Vec<Vec<String>>,
}

/// One leaf of a `use` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) path: Vec<String>,
    /// By which name it is known here.
    pub(super) name: String,
    pub(super) is_public: bool,
}

/// Reads a file; one that is no Rust has no names.
pub(super) fn names(text: &str) -> Names {
    let mut names = Names::default();
    if let Ok(tokens) = text.parse::<TokenStream>() {
        walk(&tokens.into_iter().collect::<Vec<_>>(), true, &mut names);
    }
    names
}

fn walk(tokens: &[TokenTree], is_top: bool, names: &mut Names) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if is_test_only(tokens, at) {
            at = after_item(tokens, at + 2);
            continue;
        }
        match token {
            TokenTree::Ident(word) if word == "use" => {
                let end = position(tokens, at, ';');
                let is_public = is_public(tokens, at);
                let tree = tokens.get(at + 1..end).unwrap_or_default();
                used(tree, &[], &mut |path, name| {
                    names.uses.push(Used { path, name, is_public });
                });
                at = end;
            }
            TokenTree::Ident(word) => {
                if is_top && ITEMS.contains(&word.to_string().as_str()) {
                    names.items.extend(ident(tokens, at + 1));
                }
                let path = path(tokens, at);
                at += 3 * (path.len() - 1);
                if path.len() > 1 {
                    names.paths.push(path);
                }
            }
            TokenTree::Group(group) => {
                walk(&group.stream().into_iter().collect::<Vec<_>>(), false, names);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        at += 1;
    }
}

/// Whether `#[cfg(test)]` stands at a place.
fn is_test_only(tokens: &[TokenTree], at: usize) -> bool {
    let Some(TokenTree::Group(group)) = tokens.get(at + 1) else { return false };
    is_punct(tokens.get(at), '#') && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// The place behind the item that begins at a place.
fn after_item(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(Some(token), ';'),
    };
    let rest = tokens.get(at..).unwrap_or_default();
    at + rest.iter().position(ends).map_or(rest.len(), |end| end + 1)
}

/// The leaves of a tree of uses.
fn used(tree: &[TokenTree], above: &[String], found: &mut impl FnMut(Vec<String>, String)) {
    for branch in tree.split(|token| is_punct(Some(token), ',')) {
        let own = path(branch, usize::from(is_punct(branch.first(), ':')) * 2);
        let mut path = above.to_vec();
        path.extend(own.iter().filter(|name| *name != "self" || above.is_empty()).cloned());
        match branch.last() {
            Some(TokenTree::Group(group)) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                boxed(&inner, &path, found);
            }
            Some(TokenTree::Ident(last)) if !path.is_empty() => {
                let renamed = branch.len() > 1 && ident(branch, branch.len() - 2).is_some();
                let own = path.last().cloned().unwrap_or_default();
                found(path, if renamed { last.to_string() } else { own });
            }
            _ => {}
        }
    }
}

/// Trees nest; the call is not generic over its own nesting.
fn boxed(tree: &[TokenTree], above: &[String], found: &mut dyn FnMut(Vec<String>, String)) {
    used(tree, above, &mut |path, name| found(path, name));
}

/// The names of a path that begins at a place, which is one name at least.
fn path(tokens: &[TokenTree], mut at: usize) -> Vec<String> {
    let mut path: Vec<String> = ident(tokens, at).into_iter().collect();
    while is_punct(tokens.get(at + 1), ':') && is_punct(tokens.get(at + 2), ':') {
        let Some(next) = ident(tokens, at + 3) else { break };
        path.push(next);
        at += 3;
    }
    path
}

/// Whether the word at a place has `pub` before it.
fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| ident(tokens, at));
    before(1).is_some_and(|word| word == "pub") || before(2).is_some_and(|word| word == "pub")
}

fn ident(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at) {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn position(tokens: &[TokenTree], from: usize, wanted: char) -> usize {
    let rest = tokens.get(from..).unwrap_or_default();
    from + rest.iter().position(|token| is_punct(Some(token), wanted)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn trees_of_uses_become_leaves() {
        let found = names("pub(crate) use a::{self, b::C, d as e}; use f; use super::{g};");
        let leaves: Vec<_> = found
            .uses
            .iter()
            .map(|used| (used.path.join("::"), used.name.as_str(), used.is_public))
            .collect();
        let expected = [
            ("a", "a", true),
            ("a::b::C", "C", true),
            ("a::d", "e", true),
            ("f", "f", false),
            ("super::g", "g", false),
        ];
        assert_eq!(leaves, expected.map(|(path, name, public)| (path.to_owned(), name, public)));
    }

    #[test]
    fn items_and_paths_are_seen_and_tests_are_not() {
        let text = "pub struct A; fn f() { let x = b::C::new(); struct Inner; }
            #[cfg(test)] mod tests { fn g() { d::e(); } } const H: u8 = 1;";
        let found = names(text);
        assert_eq!(found.items.iter().collect::<Vec<_>>(), ["A", "H", "f"]);
        assert_eq!(found.paths, [["b", "C", "new"].map(str::to_owned).to_vec()]);
    }
}
