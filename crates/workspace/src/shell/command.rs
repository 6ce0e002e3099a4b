//! What a command line is made of, as far as that can be said for certain without a shell.
//!
//! Certain is a list of programs with words that mean themselves, joined by `&&`, `||`, `;`, `|` or a line end. Whatever a
//! shell would replace, run inside of another or send to a file is not certain, and neither is anything that this file
//! has never heard of: a person is asked about such a line. It must never take a line for simpler than `sh` does.

use std::fmt;

/// Longest command line that is looked at, in bytes.
pub(super) const COMMAND_BYTES_MAX: usize = 8 * 1024;
/// Most programs in one line.
const PARTS_MAX: usize = 20;
/// Words of the shell itself, and its built-in commands that change what later words mean or run their arguments.
const WORDS_OF_THE_SHELL: &[&str] = &[
    ".",
    "!",
    "[[",
    "]]",
    "{",
    "}",
    "alias",
    "autoload",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "chdir",
    "command",
    "compgen",
    "complete",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "elif",
    "else",
    "emulate",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "fi",
    "float",
    "for",
    "foreach",
    "function",
    "getopts",
    "hash",
    "history",
    "if",
    "in",
    "integer",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "nameref",
    "newgrp",
    "nocorrect",
    "noglob",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "repeat",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "then",
    "time",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
    "zmodload",
];

/// One program with its words: the first is the program, and never has a slash or quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainCommand {
    /// Program and arguments, as the program gets them.
    pub words: Vec<String>,
}

/// A line of which it is certain what it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Its programs, in their order; never empty.
    pub parts: Vec<PlainCommand>,
}

/// Says why it is not certain what a command line runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UncertainCommandError(String);

impl fmt::Display for PlainCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

/// Reads a command line as `sh` does, or says what of it is not certain.
pub fn parse_command(text: &str) -> Result<CommandLine, UncertainCommandError> {
    if text.len() > COMMAND_BYTES_MAX {
        return Err(uncertain(format!("it has {} bytes", text.len())));
    }
    let mut reader = Reader { rest: text, parts: Vec::new(), words: Vec::new(), wants_more: false };
    while reader.step()? {}
    reader.end_part()?;
    if reader.wants_more || reader.parts.is_empty() {
        return Err(uncertain("a program is missing"));
    }
    Ok(CommandLine { parts: reader.parts })
}

fn uncertain(why: impl Into<String>) -> UncertainCommandError {
    UncertainCommandError(why.into())
}

struct Reader<'a> {
    rest: &'a str,
    parts: Vec<PlainCommand>,
    words: Vec<String>,
    /// Whether a program must follow.
    wants_more: bool,
}

impl Reader<'_> {
    /// Reads a word or what stands between words; false at the end.
    fn step(&mut self) -> Result<bool, UncertainCommandError> {
        let Some(first) = self.rest.chars().next() else { return Ok(false) };
        match first {
            ' ' | '\t' => self.skip(1),
            '\n' => {
                self.skip(1);
                self.end_part()?;
            }
            ';' | '|' | '&' => self.join(first)?,
            _ => self.word()?,
        }
        Ok(true)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// One of `&&`, `||`, `;`, `|`.
    fn join(&mut self, first: char) -> Result<(), UncertainCommandError> {
        let is_double = self.rest.get(1..).is_some_and(|rest| rest.starts_with(first));
        match (first, is_double) {
            ('&', false) => return Err(uncertain("`&` leaves something running")),
            (';', true) => return Err(uncertain("`;;` belongs to a `case`")),
            _ => {}
        }
        self.skip(if is_double { 2 } else { 1 });
        if self.rest.starts_with(['&', '|', ';']) {
            return Err(uncertain("two operators follow one another"));
        }
        if self.words.is_empty() {
            return Err(uncertain("a program is missing"));
        }
        self.end_part()?;
        self.wants_more = first != ';';
        Ok(())
    }

    /// One word, quotes taken off.
    fn word(&mut self) -> Result<(), UncertainCommandError> {
        let mut word = String::new();
        let mut is_quoted = false;
        while let Some(next) = self.rest.chars().next() {
            match next {
                ' ' | '\t' | '\n' | ';' | '|' | '&' => break,
                '\'' | '"' => {
                    is_quoted = true;
                    word.push_str(&self.quoted(next)?);
                }
                _ if is_plain(next) => {
                    word.push(next);
                    self.skip(1);
                }
                _ => {
                    return Err(uncertain(format!(
                        "a shell gives {} a meaning of its own",
                        shown(next)
                    )));
                }
            }
        }
        if self.words.is_empty() {
            check_program(&word, is_quoted)?;
        }
        self.words.push(word);
        Ok(())
    }

    /// What stands between quotes, taken literally.
    fn quoted(&mut self, quote: char) -> Result<String, UncertainCommandError> {
        self.skip(1);
        let end = self.rest.find(quote).ok_or_else(|| uncertain("a quote is not closed"))?;
        let inside = self.rest.get(..end).unwrap_or_default().to_owned();
        let is_odd =
            |c: char| c.is_control() || (quote == '"' && matches!(c, '$' | '`' | '\\' | '!'));
        if let Some(odd) = inside.chars().find(|c| is_odd(*c)) {
            return Err(uncertain(format!("a shell gives {} a meaning of its own", shown(odd))));
        }
        self.skip(end + 1);
        Ok(inside)
    }

    /// Closes the program that was read, if one was.
    fn end_part(&mut self) -> Result<(), UncertainCommandError> {
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            return Ok(());
        }
        self.wants_more = false;
        if self.parts.len() == PARTS_MAX {
            return Err(uncertain(format!("it runs more than {PARTS_MAX} programs")));
        }
        self.parts.push(PlainCommand { words });
        Ok(())
    }
}

/// What means itself outside of quotes.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '.' | '/' | ':' | '@' | '%' | '+' | '=' | ',' | '-')
}

/// A program is a bare name, so that it is the one that the search path finds.
fn check_program(word: &str, is_quoted: bool) -> Result<(), UncertainCommandError> {
    if is_quoted {
        return Err(uncertain("the name of a program is quoted"));
    }
    if word.contains('=') {
        return Err(uncertain(format!("`{word}` sets a variable for what follows")));
    }
    if word.contains('/') {
        return Err(uncertain(format!("`{word}` is a program by its path")));
    }
    if WORDS_OF_THE_SHELL.contains(&word) || word.starts_with(['%', '+', '-']) {
        return Err(uncertain(format!("`{word}` is a word of the shell itself")));
    }
    Ok(())
}

fn shown(character: char) -> String {
    if character.is_control() { format!("{character:?}") } else { format!("`{character}`") }
}

#[cfg(test)]
mod tests {
    use super::{COMMAND_BYTES_MAX, parse_command};

    fn words(text: &str) -> Option<Vec<Vec<String>>> {
        let line = parse_command(text).ok()?;
        Some(line.parts.into_iter().map(|part| part.words).collect())
    }

    #[test]
    fn programs_with_words_that_mean_themselves_are_certain() {
        let cases: [(&str, &[&[&str]]); 6] = [
            ("cargo test --lib", &[&["cargo", "test", "--lib"]]),
            ("  git diff   HEAD ", &[&["git", "diff", "HEAD"]]),
            (
                "ls -l && cat a.txt | wc -l; date",
                &[&["ls", "-l"], &["cat", "a.txt"], &["wc", "-l"], &["date"]],
            ),
            ("grep 'a b; rm -rf $HOME' \"x|y\" f", &[&["grep", "a b; rm -rf $HOME", "x|y", "f"]]),
            ("true\n\nfalse || true\n", &[&["true"], &["false"], &["true"]]),
            ("echo a'b c'\"d\"", &[&["echo", "ab cd"]]),
        ];
        for (text, wanted) in cases {
            let wanted = wanted.iter().map(|part| part.iter().map(|w| (*w).to_owned()).collect());
            assert_eq!(words(text), Some(wanted.collect()), "{text}");
        }
    }

    /// Lines of which nothing is certain.
    #[rustfmt::skip]
    const UNCERTAIN: &[&str] = &[
        "", "  ", ";", "a &", "a & b", "a;;b", "a && ", "a |", "| a", "a || || b", "a &&& b", "a |& b",
        "$(rm x)", "echo $(rm x)", "echo `rm x`", "diff <(a) b", "echo ${x:-$(rm)}", "echo $((a[$(rm)]))",
        "sh << E\nrm\nE", "r''m x", "'rm' x", "\"rm\" x", r"\rm x", r"r\m x", r"$'\x72m' x", "rm${IFS}x",
        "{rm,x}", "c=rm;$c x", "/bin/r? x", "ls *", "ls [ab]", "cat ~/x", "cat ~u/x", "A=b env",
        "PATH=. git log", "a > b", "a 2>&1", "a < b", "exec 3>x", "eval rm", ". ./x", "source x",
        "command rm", "builtin cd", "enable -f x y", "function f { rm; }", "f() { rm; }", "(rm x)",
        "{ rm x; }", "if true; then rm; fi", "for i in a; do rm; done", "while true; do rm; done", "! rm",
        "cd / && rm x", "./git log", "/usr/bin/git log", "bin/x", "a\rb", "a\0b", "echo \"$x\"",
        "echo \"`rm`\"", "echo \"a\\\"b\"", "echo 'a", "echo \"a", "echo a#b", "# a", "a #b", "echo é",
        "echo a\u{a0}b", "echo !x", "%1", "alias ls=rm", "trap rm EXIT", "export A=b", "set -- x",
        "time rm x", "coproc rm", "a\\\nb", "echo \"a\nb\"", "-x",
    ];

    #[test]
    fn hb_35_whatever_a_shell_would_make_something_else_of_is_not_certain() {
        let long = "a ".repeat(COMMAND_BYTES_MAX);
        let many = ["true"; 40].join(";");
        for text in UNCERTAIN.iter().copied().chain([long.as_str(), &many]) {
            assert!(parse_command(text).is_err(), "{text:?}: {:?}", words(text));
        }
    }
}
