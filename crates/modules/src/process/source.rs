//! Code before the engine sees it: its size, how deep it nests, and the names that no program may use. The engine's own
//! lexer reads it here, so that both agree on what a name is; its parser, which is recursive, has not begun.
//!
//! Names that the engine resolves as globals need no list: an engine that lacks them refuses them. Here stand only those
//! that it knows without a global (forms that load and require) and those that it keeps for itself.

use steel::parser::{
    lexer::TokenStream,
    tokens::{Token, TokenType},
};

use crate::{
    failure::{ScriptError, ScriptErrorKind},
    limits::{CODE_BYTES_MAX, NESTING_MAX},
};

/// Forms that reach beyond the program, or that make names that nobody has read.
pub(crate) const REFUSED: [&str; 24] = [
    "require",
    "require-builtin",
    "provide",
    "for-syntax",
    "only-in",
    "prefix-in",
    "contract/out",
    "begin-for-syntax",
    "defmacro",
    "datum->syntax",
    "syntax-const-if",
    "syntax",
    "quasisyntax",
    "unsyntax",
    "unsyntax-splicing",
    "struct",
    "module",
    "@doc",
    "eval",
    "eval!",
    "load",
    "std::env::args",
    "load-from-module!",
    "error!",
];
/// Names that change what is there already.
const CHANGES: [&str; 2] = ["set!", "vector-set!"];
/// How the engine's own names begin, and those of our programs that surround a module.
const PREFIXES: [&str; 3] = ["#%", "##", "%"];

/// Looks at a module's code; gives it without its comments, which the engine's parser goes through by recursion. Every
/// other character stays where it was, and so do the lines.
pub(crate) fn check(code: &str) -> Result<String, ScriptError> {
    if code.len() > CODE_BYTES_MAX {
        let message = format!("the code has {} bytes, more than {CODE_BYTES_MAX}", code.len());
        return Err(ScriptError::new(ScriptErrorKind::TooLarge, message));
    }
    let mut nesting = Nesting::default();
    let mut plain = String::with_capacity(code.len());
    let mut copied = 0;
    for token in TokenStream::new(code, false, None) {
        let token = token.map_err(|problem| {
            let message = format!("cannot read the code: {}", problem.ty);
            failure(ScriptErrorKind::Syntax, message, code, problem.span.start)
        })?;
        if matches!(token.ty, TokenType::Comment) {
            let (start, end) = bytes(&token);
            plain.push_str(code.get(copied..start).unwrap_or_default());
            let comment = code.get(start..end).unwrap_or_default();
            plain.extend(comment.chars().flat_map(|c| blank(c).chars()));
            copied = end;
            continue;
        }
        nesting.take(&token).map_err(|message| {
            failure(ScriptErrorKind::TooLarge, message, code, token.span.start)
        })?;
        if let Some(name) = refused(&token) {
            let message = format!("`{name}` may not be used in a module");
            return Err(failure(ScriptErrorKind::Refused, message, code, token.span.start));
        }
    }
    plain.push_str(code.get(copied..).unwrap_or_default());
    Ok(plain)
}

/// Whether code keeps nothing from one call to the next: what a tool or a command gives follows from what it is given, and nothing that
/// it was given once comes back in another conversation.
pub(crate) fn check_stateless(code: &str) -> Result<(), ScriptError> {
    let mut tokens = TokenStream::new(code, false, None).flatten();
    let Some(token) = tokens.find(|token| CHANGES.contains(&token.source)) else { return Ok(()) };
    let message = format!(
        "`{}` may not be used here: tools and commands keep nothing between calls",
        token.source
    );
    Err(failure(ScriptErrorKind::Refused, message, code, token.span.start))
}

/// The line of a byte of the code, from 1.
pub(crate) fn line(code: &str, byte: u32) -> Option<u32> {
    let before = code.as_bytes().get(..usize::try_from(byte).ok()?)?;
    u32::try_from(before.split(|byte| *byte == b'\n').count()).ok()
}

fn failure(kind: ScriptErrorKind, message: String, code: &str, byte: u32) -> ScriptError {
    ScriptError::new(kind, message).on_line(line(code, byte))
}

fn bytes<S>(token: &Token<'_, S>) -> (usize, usize) {
    let at = |byte| usize::try_from(byte).unwrap_or(usize::MAX);
    (at(token.span.start), at(token.span.end))
}

/// What stands for a character of a comment: as many bytes, and a line end for a line end.
fn blank(c: char) -> &'static str {
    match (c, c.len_utf8()) {
        ('\n', _) => "\n",
        (_, 1) => " ",
        (_, 2) => "  ",
        (_, 3) => "   ",
        _ => "    ",
    }
}

/// The name that may not be used, where a token is one. Only what the code says counts: quotes become names of the
/// engine's by themselves.
fn refused<'a, S>(token: &Token<'a, S>) -> Option<&'a str> {
    match token.ty {
        TokenType::Require => Some(token.source),
        TokenType::Identifier(_) | TokenType::Keyword(_) => {
            let name = token.source.trim_matches('|');
            let is_own = |prefix: &&str| name.starts_with(prefix) && name.len() > prefix.len();
            let is_refused = REFUSED.contains(&name)
                || PREFIXES.iter().any(is_own)
                // A name between bars could hide another one.
                || token.source.contains('|');
            is_refused.then_some(token.source)
        }
        _ => None,
    }
}

/// How deep the code nests at a token: brackets, and the quotes before what they quote.
#[derive(Default)]
struct Nesting {
    open: Vec<usize>,
    depth: usize,
    prefixes: usize,
}

impl Nesting {
    fn take<S>(&mut self, token: &Token<'_, S>) -> Result<(), String> {
        match token.ty {
            TokenType::OpenParen(..) => {
                let levels = std::mem::take(&mut self.prefixes) + 1;
                self.depth += levels;
                self.open.push(levels);
            }
            TokenType::CloseParen(_) => {
                self.prefixes = 0;
                self.depth -= self.open.pop().unwrap_or(0);
            }
            TokenType::QuoteTick
            | TokenType::QuasiQuote
            | TokenType::Unquote
            | TokenType::UnquoteSplice
            | TokenType::QuoteSyntax
            | TokenType::QuasiQuoteSyntax
            | TokenType::UnquoteSyntax
            | TokenType::UnquoteSpliceSyntax
            | TokenType::DatumComment => self.prefixes += 1,
            _ => self.prefixes = 0,
        }
        if self.depth + self.prefixes > NESTING_MAX {
            return Err(format!("the code nests deeper than {NESTING_MAX}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::failure::ScriptErrorKind::{self, Refused, Syntax, TooLarge};

    type Verdict = Option<(ScriptErrorKind, Option<u32>)>;

    fn verdict(code: &str) -> Verdict {
        check(code).err().map(|error| (error.kind, error.line))
    }

    #[test]
    fn code_is_refused_before_the_engine_sees_it() {
        let deep = format!("\n{}{}", "(".repeat(501), ")".repeat(501));
        let cases: [(&str, Verdict); 18] = [
            ("(define (f x) (+ x 1))", None),
            ("(define one \"require and eval\") ; eval", None),
            ("(define evaluate 1) (% 1 2)", None),
            ("\n(require \"x.scm\")", Some((Refused, Some(2)))),
            ("(require-builtin steel/process)", Some((Refused, Some(1)))),
            ("'eval", Some((Refused, Some(1)))),
            ("(eval '(car 1))", Some((Refused, Some(1)))),
            ("(|eval| 1)", Some((Refused, Some(1)))),
            ("(#%prim.car 1)", Some((Refused, Some(1)))),
            ("(%module-get% 1 2)", Some((Refused, Some(1)))),
            ("(##__module-get 1 2)", Some((Syntax, Some(1)))),
            ("(std::env::args)", Some((Refused, Some(1)))),
            ("(#%require-dylib \"x\")", Some((Refused, Some(1)))),
            (
                "(define-syntax f (syntax-rules () [(_ a) (datum->syntax a)]))",
                Some((Refused, Some(1))),
            ),
            ("\"an open text", Some((Syntax, Some(1)))),
            (&deep, Some((TooLarge, Some(2)))),
            (&"'".repeat(501), Some((TooLarge, Some(1)))),
            (&" ".repeat((1 << 20) + 1), Some((TooLarge, None))),
        ];
        for (code, expected) in cases {
            let shown: String = code.chars().take(60).collect();
            assert_eq!(verdict(code), expected, "{shown}");
        }
    }

    #[test]
    fn a_hundred_thousand_brackets_or_comments_need_no_stack() {
        assert!(matches!(verdict(&"(".repeat(100_000)), Some((TooLarge, _))));
        assert!(matches!(verdict(&"'(".repeat(100_000)), Some((TooLarge, _))));
        assert_eq!(verdict(&";\n".repeat(500_000)), None);
        assert_eq!(verdict(&"#| |#".repeat(100_000)), None);
    }

    #[test]
    fn comments_become_blanks_and_all_else_stays_in_its_place() {
        let code = "(a) ; ünsinn €\n\"; text\" #| b\nc |# (d)";
        let plain = check(code).unwrap();
        assert_eq!(plain.len(), code.len());
        assert_eq!(
            plain,
            "(a)             \n\"; text\"     \n     (d)"
                .replace("(a)             ", &format!("(a) {}", " ".repeat("; ünsinn €".len())))
        );
        assert_eq!(plain.find("(d)"), code.find("(d)"));
    }
}
