//! All texts of the product in one list, so that they can be read as a whole: log lines, errors, help of the command line, and
//! whatever else people read. `cargo xtask texts` writes `target/texts.md`: half a megabyte that is made anew in a second, so it
//! is not kept.
//!
//! A text is a string literal with two spaces at least. Tests and benchmarks are left out.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use anyhow::Context as _;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::workspace::{self, Source};

/// Where the list stands.
const PAGE: &str = "target/texts.md";
const HEAD: &str = "# All texts\n\n\
    What people read, file by file, for review: `log` lines with their event, `error` messages, `help` of the command line, \
    and other `text`.\n";
/// Folders whose texts are not the product's.
const LEFT_OUT: [&str; 3] = ["crates/bench/", "crates/testkit/", "xtask/"];
/// Macros that write log lines.
const LOGS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Writes the list, and says where.
pub(crate) fn run(root: &Path) -> anyhow::Result<String> {
    let path = root.join(PAGE);
    fs::create_dir_all(root.join("target")).context("cannot make the folder `target`")?;
    fs::write(&path, page(root)?).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!("all texts are in {PAGE}"))
}

fn page(root: &Path) -> anyhow::Result<String> {
    let mut page = HEAD.to_owned();
    for folder in ["crates", "sdk/rust"] {
        for source in workspace::sources(root, folder, &["rs"])? {
            let is_left_out = LEFT_OUT.iter().any(|path| source.path.starts_with(path));
            if source.is_product() && !is_left_out && !source.path.contains("tests") {
                write_file(&mut page, &source.path, &texts_of_rust(&source));
            }
        }
    }
    for source in workspace::sources(root, "web/src", &["ts", "tsx"])? {
        if !source.path.contains(".test.") && !source.path.ends_with("generated.ts") {
            write_file(&mut page, &source.path, &texts_of_web(&source.text));
        }
    }
    Ok(page)
}

fn write_file(page: &mut String, path: &str, texts: &BTreeSet<(&'static str, String)>) {
    if texts.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    let _ = write!(page, "\n## {path}\n\n");
    for (kind, text) in texts {
        let _ = writeln!(page, "- {kind}: {}", text.replace('\n', " ⏎ "));
    }
}

fn texts_of_rust(source: &Source) -> BTreeSet<(&'static str, String)> {
    let mut texts = BTreeSet::new();
    if let Ok(tokens) = source.text.parse::<TokenStream>() {
        let has_help = source.path.starts_with("crates/server/src/cli");
        Reader { has_help, texts: &mut texts }.read(tokens, "text");
    }
    texts
}

struct Reader<'t> {
    /// Whether doc comments are help of the command line.
    has_help: bool,
    texts: &'t mut BTreeSet<(&'static str, String)>,
}

impl Reader<'_> {
    fn read(&mut self, tokens: TokenStream, kind: &'static str) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => match tokens.get(at + 1) {
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                        at += 1;
                        if is_tests(&group.stream()) {
                            at += skipped(tokens.get(at + 1..).unwrap_or_default());
                        } else {
                            self.attribute(group.stream());
                        }
                    }
                    _ => {}
                },
                TokenTree::Group(group) => {
                    let kind = if is_log(&tokens, at) { "log" } else { kind };
                    self.read(group.stream(), kind);
                }
                TokenTree::Literal(literal) => self.keep(&literal.to_string(), kind),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    /// `#[error("…")]` is an error's message, `#[doc = "…"]` on an argument is its help.
    fn attribute(&mut self, tokens: TokenStream) {
        match tokens.clone().into_iter().next().map(|word| word.to_string()).as_deref() {
            Some("error") => self.read(tokens, "error"),
            Some("doc") if self.has_help => self.read(tokens, "help"),
            Some("arg" | "command" | "clap") => self.read(tokens, "help"),
            _ => {}
        }
    }

    fn keep(&mut self, literal: &str, kind: &'static str) {
        let text = literal
            .trim_start_matches(['b', 'r', '#'])
            .trim_end_matches('#')
            .trim_matches('"')
            .trim();
        let unescaped = text.replace("\\\"", "\"");
        let words: Vec<&str> = unescaped.split_whitespace().filter(|word| *word != "\\").collect();
        let is_text = literal.contains('"') && unescaped.chars().any(char::is_alphabetic);
        let is_long = words.len() > 2 || (kind != "text" && words.len() > 1);
        if is_text
            && (is_long || kind == "error")
            && !words.first().is_some_and(|word| is_sql(word))
        {
            self.texts.insert((kind, words.join(" ")));
        }
    }
}

fn is_sql(word: &str) -> bool {
    matches!(word, "SELECT" | "INSERT" | "DELETE" | "UPDATE" | "CREATE" | "DROP" | "PRAGMA")
}

fn is_tests(attribute: &TokenStream) -> bool {
    attribute.to_string().replace(' ', "") == "cfg(test)"
}

/// How many tokens the item after an attribute takes.
fn skipped(rest: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    rest.iter().position(ends).map_or(rest.len(), |end| end + 1)
}

/// Whether the group at a place is what a log macro is given.
fn is_log(tokens: &[TokenTree], at: usize) -> bool {
    let bang = at.checked_sub(1).and_then(|at| tokens.get(at));
    let name = at.checked_sub(2).and_then(|at| tokens.get(at));
    matches!(bang, Some(TokenTree::Punct(punct)) if punct.as_char() == '!')
        && matches!(name, Some(TokenTree::Ident(name)) if LOGS.contains(&name.to_string().as_str()))
}

/// Quoted strings and text between tags. No parser of the language: a list for readers may hold a line too many.
fn texts_of_web(text: &str) -> BTreeSet<(&'static str, String)> {
    let mut texts = BTreeSet::new();
    for line in
        text.lines().map(str::trim).filter(|line| !is_comment(line) && !line.starts_with("import "))
    {
        for quote in ['"', '`'] {
            for part in line.split(quote).skip(1).step_by(2) {
                keep_web(part, &mut texts);
            }
        }
        for part in line.split('>').skip(1).filter_map(|rest| rest.split('<').next()) {
            keep_web(part, &mut texts);
        }
        let is_bare = line.chars().all(|c| c.is_alphanumeric() || " .,:;’'–—!?()&-…".contains(c));
        if is_bare && line.chars().next().is_some_and(char::is_uppercase) {
            keep_web(line, &mut texts);
        }
    }
    texts
}

fn is_comment(line: &str) -> bool {
    ["//", "*", "/*"].iter().any(|mark| line.starts_with(mark))
}

fn keep_web(part: &str, texts: &mut BTreeSet<(&'static str, String)>) {
    let part = part.trim();
    let is_code = part.contains("=>") || part.contains("${") && !part.contains(' ');
    let begins = part.chars().next().is_some_and(char::is_alphabetic);
    let is_text = part.contains(' ') || part.chars().next().is_some_and(char::is_uppercase);
    let is_code = is_code || part.ends_with([',', '(', '{']) || is_classes(part);
    if begins && is_text && !is_code && !part.contains("className") {
        texts.insert(("text", part.to_owned()));
    }
}

/// Whether a string names styles: most of its words have a dash or a bracket in them.
fn is_classes(part: &str) -> bool {
    let words: Vec<&str> = part.split_whitespace().collect();
    2 * words.iter().filter(|word| word.contains(['-', '[', ':'])).count() > words.len()
}

#[cfg(test)]
mod tests {
    use super::{texts_of_rust, texts_of_web};
    use crate::workspace::Source;

    #[test]
    fn texts_of_rust_are_told_apart_and_tests_are_left_out() {
        let text = "#[error(\"cannot read {path}\")] struct ReadError;
            /// Not help.
            fn f() { tracing::info!(agent, event = \"agent_started\", \"agent started\"); say(\"one two three\"); x(\"key\"); }
            #[cfg(test)] mod tests { fn g() { say(\"nobody reads this text\"); } }";
        let source = Source { path: "crates/x/src/a.rs".to_owned(), text: text.to_owned() };
        let found: Vec<_> = texts_of_rust(&source)
            .into_iter()
            .map(|(kind, text)| format!("{kind}: {text}"))
            .collect();
        assert_eq!(
            found,
            ["error: cannot read {path}", "log: agent started", "text: one two three"]
        );
    }

    #[test]
    fn texts_of_the_web_client_are_found_in_strings_and_between_tags() {
        let text = "import x from \"a b\";\n<p className=\"big\">Nothing here yet.</p>\nconst s = \"Try again\";\n  Sign in\n";
        let found: Vec<_> = texts_of_web(text).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, ["Nothing here yet.", "Sign in", "Try again"]);
    }
}
