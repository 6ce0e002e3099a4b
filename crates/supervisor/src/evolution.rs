//! Whether a proposal of new code is valid: its size, its target, and that it parses (decision 35).
//!
//! Pure. The code is read as data, never run. What comes of a proposal that passes is not decided here.

use abide_domain::limits::EVOLUTION_CODE_BYTES_MAX as CODE_BYTES_MAX;
use abide_wire::Hypothesis;

/// What may be changed, and the module that it belongs to.
const TARGETS: [&str; 3] = ["memory_system", "tool_framework", "dsl"];
/// Longest reason, in bytes.
const REASON_BYTES_MAX: usize = 8 * 1024;
/// Deepest nesting.
const DEPTH_MAX: usize = 256;

/// Says why a proposal is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EvolutionIntentError {
    /// A part is too long.
    #[error("the {part} has {bytes} bytes, and at most {max} are allowed")]
    TooLarge { part: &'static str, bytes: usize, max: usize },
    /// The target is not known.
    #[error("`{target}` cannot be changed; {} can", TARGETS.join(", "))]
    UnknownTarget { target: String },
    /// There is no code.
    #[error("the proposal has no code")]
    Empty,
    /// The code does not parse.
    #[error("the code does not parse: line {line}: {problem}")]
    Syntax { line: usize, problem: String },
}

/// Checks a proposal.
pub(crate) fn check(hypothesis: &Hypothesis) -> Result<(), EvolutionIntentError> {
    let parts = [
        ("code", hypothesis.new_code.len(), CODE_BYTES_MAX),
        ("reason", hypothesis.reason.len(), REASON_BYTES_MAX),
    ];
    if let Some((part, bytes, max)) = parts.into_iter().find(|(_, bytes, max)| bytes > max) {
        return Err(EvolutionIntentError::TooLarge { part, bytes, max });
    }
    if !TARGETS.contains(&hypothesis.target.as_str()) {
        let target = hypothesis.target.chars().take(64).collect();
        return Err(EvolutionIntentError::UnknownTarget { target });
    }
    SyntaxChecker::new(&hypothesis.new_code).check()
}

/// Checks S-expressions: every list is closed by its own bracket, every text and comment ends.
struct SyntaxChecker<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    /// Open brackets: what closes each, and the line where it stands.
    open: Vec<(char, usize)>,
    has_code: bool,
}

impl<'a> SyntaxChecker<'a> {
    fn new(code: &'a str) -> Self {
        Self { rest: code.chars().peekable(), line: 1, open: Vec::new(), has_code: false }
    }

    fn check(mut self) -> Result<(), EvolutionIntentError> {
        while let Some(next) = self.next() {
            self.token(next)?;
        }
        match self.open.pop() {
            Some((_, line)) => {
                Err(EvolutionIntentError::Syntax { line, problem: "a list is not closed".into() })
            }
            None if self.has_code => Ok(()),
            None => Err(EvolutionIntentError::Empty),
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    fn fail<T>(&self, problem: impl Into<String>) -> Result<T, EvolutionIntentError> {
        Err(EvolutionIntentError::Syntax { line: self.line, problem: problem.into() })
    }

    fn token(&mut self, first: char) -> Result<(), EvolutionIntentError> {
        match first {
            ';' => {
                while self.next().is_some_and(|c| c != '\n') {}
                return Ok(());
            }
            '#' => return self.hash(),
            _ if first.is_whitespace() => return Ok(()),
            '"' => self.text("a text", '"')?,
            '|' => self.text("a name", '|')?,
            '(' => self.begin(')')?,
            '[' => self.begin(']')?,
            '{' => self.begin('}')?,
            ')' | ']' | '}' => self.end(first)?,
            '\0' => return self.fail("a zero byte"),
            _ => {}
        }
        self.has_code = true;
        Ok(())
    }

    /// `#|` begins a comment that nests, `#\` a character, `#;` hides the next value; anything else is part of a name.
    fn hash(&mut self) -> Result<(), EvolutionIntentError> {
        match self.rest.peek().copied() {
            Some('|') => return self.comment(),
            Some('\\') => {
                self.next();
                if self.next().is_none() {
                    return self.fail("a character is missing");
                }
            }
            Some(';') => {
                self.next();
            }
            _ => {}
        }
        self.has_code = true;
        Ok(())
    }

    fn comment(&mut self) -> Result<(), EvolutionIntentError> {
        let begin = self.line;
        let mut depth = 0_usize;
        let mut before = '#';
        while let Some(next) = self.next() {
            match (before, next) {
                ('#', '|') => (depth, before) = (depth + 1, ' '),
                ('|', '#') => (depth, before) = (depth - 1, ' '),
                _ => before = next,
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err(EvolutionIntentError::Syntax { line: begin, problem: "a comment is not ended".into() })
    }

    fn text(&mut self, what: &str, end: char) -> Result<(), EvolutionIntentError> {
        let begin = self.line;
        while let Some(next) = self.next() {
            match next {
                '\\' => {
                    self.next();
                }
                _ if next == end => return Ok(()),
                _ => {}
            }
        }
        Err(EvolutionIntentError::Syntax { line: begin, problem: format!("{what} is not ended") })
    }

    fn begin(&mut self, closes: char) -> Result<(), EvolutionIntentError> {
        if self.open.len() >= DEPTH_MAX {
            return self.fail(format!("nested more than {DEPTH_MAX} deep"));
        }
        self.open.push((closes, self.line));
        Ok(())
    }

    fn end(&mut self, closer: char) -> Result<(), EvolutionIntentError> {
        match self.open.pop() {
            Some((closes, _)) if closes == closer => Ok(()),
            Some((closes, line)) => {
                self.fail(format!("`{closer}` where `{closes}` closes the list of line {line}"))
            }
            None => self.fail(format!("`{closer}` closes nothing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_wire::Hypothesis;

    use super::{CODE_BYTES_MAX, EvolutionIntentError, check};

    fn proposal(target: &str, code: &str) -> Hypothesis {
        Hypothesis {
            reason: "faster".into(),
            target: target.into(),
            new_code: code.into(),
            expected_improvement: None,
        }
    }

    #[test]
    fn whole_expressions_pass() {
        for code in [
            "(def (memory-search query) ...)",
            "(a [b {c}]) ; )",
            "\"(\" #\\( #\\) (x)",
            "#| ( #| ( |# |# (x)",
            "'(quote \"a\\\"(b\")",
            "|odd ( name|",
            "(define x #t)\n(define y #(1 2))",
            "42",
        ] {
            assert_eq!(check(&proposal("memory_system", code)), Ok(()), "{code}");
        }
    }

    #[test]
    fn what_does_not_parse_names_its_line() {
        let cases = [
            ("(a\n(b)", 1, "a list is not closed"),
            ("(a)\n)", 2, "`)` closes nothing"),
            ("(a\n]", 2, "`]` where `)` closes the list of line 1"),
            ("(a \"b)", 1, "a text is not ended"),
            ("\n#| |# #|", 2, "a comment is not ended"),
            ("(a #\\", 1, "a character is missing"),
        ];
        for (code, line, problem) in cases {
            let expected = EvolutionIntentError::Syntax { line, problem: problem.into() };
            assert_eq!(check(&proposal("dsl", code)), Err(expected), "{code}");
        }
        let deep = "(".repeat(300) + &")".repeat(300);
        assert!(matches!(check(&proposal("dsl", &deep)), Err(EvolutionIntentError::Syntax { .. })));
    }

    #[test]
    fn size_target_and_emptiness_are_looked_at() {
        let refused = |target: &str, code: &str| check(&proposal(target, code)).unwrap_err();
        assert_eq!(
            refused("kernel", "(a)").to_string(),
            "`kernel` cannot be changed; memory_system, tool_framework, dsl can"
        );
        assert_eq!(refused("dsl", " ; nothing\n"), EvolutionIntentError::Empty);
        let long = "a".repeat(CODE_BYTES_MAX + 1);
        assert!(matches!(
            refused("dsl", &long),
            EvolutionIntentError::TooLarge { part: "code", .. }
        ));
    }
}
