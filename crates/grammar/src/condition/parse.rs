//! Builds trees from tokens by recursive descent: one function per level of binding, with a limit on nesting.

mod range;
mod value;

use crate::{
    condition::{
        check::{self, PlacedOperand, TypeCheckError},
        lex::{Token, read_token},
        tree::{Comparison, Expr, Operand},
    },
    cursor::Cursor,
    error::{ParseError, ParseErrorKind, quote},
    fold::FoldedNeedle,
    limits::{DEPTH_MAX, PATTERNS_MAX},
    literal::Literal,
    nearest::nearest,
    pattern::Pattern,
    span::Span,
};

/// The words that may follow a value.
const OPERATORS: [&str; 5] = ["contains", "matches", "between", "and", "or"];

/// Reads the expression whose `?(` is at the cursor. Each pattern in it takes one of those that are left.
pub(super) fn read_expr(
    cursor: &mut Cursor,
    patterns_left: &mut usize,
) -> Result<Expr, ParseError> {
    let start = cursor.at();
    let span = Span { start, end: start };
    let mut parser = Parser {
        cursor: cursor.clone(),
        token: Token::End,
        span,
        open: Vec::new(),
        depth: 0,
        patterns_left: *patterns_left,
    };
    parser.advance()?;
    let expr = parser.group()?;
    cursor.go_to(parser.cursor.at());
    *patterns_left = parser.patterns_left;
    Ok(expr)
}

struct Parser {
    cursor: Cursor,
    /// The current token and its place.
    token: Token,
    span: Span,
    /// The places of the open parentheses.
    open: Vec<usize>,
    depth: usize,
    patterns_left: usize,
}

impl Parser {
    /// Reads the next token.
    fn advance(&mut self) -> Result<(), ParseError> {
        self.cursor.skip_blanks();
        let start = self.cursor.at();
        self.token = read_token(&mut self.cursor, self.depth)?;
        self.span = self.cursor.since(start);
        Ok(())
    }

    fn error(&self, kind: ParseErrorKind, at: Span, message: impl Into<String>) -> ParseError {
        self.cursor.error_at(at.start, kind, message)
    }

    fn check_error(&self, (kind, at, message): TypeCheckError) -> ParseError {
        self.error(kind, at, message)
    }

    /// An error: another token was expected.
    fn unexpected(&self, message: impl Into<String>) -> ParseError {
        match (&self.token, self.open.last()) {
            (Token::End, Some(&start)) => {
                let message = "the parenthesis has no `)`";
                self.cursor.error_at(start, ParseErrorKind::UnclosedParenthesis, message)
            }
            _ => self.error(ParseErrorKind::Unexpected, self.span, message),
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    /// Goes one level deeper, unless that is too deep.
    fn enter(&mut self) -> Result<(), ParseError> {
        if self.depth >= DEPTH_MAX {
            let message = format!("the condition is nested deeper than {DEPTH_MAX}");
            return Err(self.error(ParseErrorKind::TooDeep, self.span, message));
        }
        self.depth += 1;
        Ok(())
    }

    /// Reads `( … )` or `?( … )`. What follows the outermost is text and is not read.
    fn group(&mut self) -> Result<Expr, ParseError> {
        self.enter()?;
        self.open.push(self.span.start);
        self.advance()?;
        let expr = self.or()?;
        if !matches!(self.token, Token::Close) {
            return Err(self.incomplete());
        }
        self.open.pop();
        self.depth -= 1;
        if !self.open.is_empty() {
            self.advance()?;
        }
        Ok(expr)
    }

    /// An error: an unexpected token follows a complete condition.
    fn incomplete(&self) -> ParseError {
        let hint = match &self.token {
            Token::Word(word) => nearest(word, &OPERATORS),
            _ => String::new(),
        };
        self.unexpected(format!("expected `and`, `or` or `)` after a condition{hint}"))
    }

    fn or(&mut self) -> Result<Expr, ParseError> {
        self.chain("or", Self::and, Expr::Or)
    }

    fn and(&mut self) -> Result<Expr, ParseError> {
        self.chain("and", Self::not, Expr::And)
    }

    /// Reads one or more parts with a word between them. A list, not a tree: a long one is not deep.
    fn chain(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Expr, ParseError>,
        join: fn(Vec<Expr>) -> Expr,
    ) -> Result<Expr, ParseError> {
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.is_word(word) {
            self.advance()?;
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn not(&mut self) -> Result<Expr, ParseError> {
        if !self.is_word("not") {
            return self.comparison();
        }
        self.enter()?;
        self.advance()?;
        let negated = self.not()?;
        self.depth -= 1;
        Ok(Expr::Not(Box::new(negated)))
    }

    fn comparison(&mut self) -> Result<Expr, ParseError> {
        if matches!(self.token, Token::Open) {
            return self.group();
        }
        if self.is_word("between") {
            return self.between(None);
        }
        for (word, op) in [("after", Comparison::Greater), ("before", Comparison::Less)] {
            if self.is_word(word) {
                return self.relative(op);
            }
        }
        let left = self.operand()?;
        if let (Operand::Field(field), true) = (&left.0, self.is_word("between")) {
            return self.between(Some((*field, left.1)));
        }
        if self.is_word("matches") {
            return self.matches(left.0);
        }
        let op = match self.token {
            Token::Comparison(op) => op,
            _ if self.is_word("contains") => Comparison::Contains,
            _ => return self.alone(left),
        };
        let op_span = self.span;
        self.advance()?;
        let right = self.operand()?;
        let (left, right) = check::comparison(left, (op, op_span), right)
            .map_err(|error| self.check_error(error))?;
        Ok(match (op, right) {
            (Comparison::Contains, Operand::Literal(Literal::Text(text))) => {
                Expr::Contains { left, needle: FoldedNeedle::new(&text) }
            }
            (op, right) => Expr::Compare { left, op, right },
        })
    }

    /// A value without a comparison.
    fn alone(&self, (operand, span): PlacedOperand) -> Result<Expr, ParseError> {
        if let Operand::Literal(Literal::Bool(_)) | Operand::Call(_) | Operand::Query(_) = operand {
            return Ok(Expr::Is(operand));
        }
        if matches!(self.token, Token::End) {
            return Err(self.unexpected(""));
        }
        let follows = if let Token::Word(word) = &self.token { word } else { "" };
        let shown = quote(self.cursor.text(span));
        if follows.is_empty() || ["and", "or"].iter().any(|w| follows.eq_ignore_ascii_case(w)) {
            let message =
                format!("{shown} is not a condition by itself: compare it with something");
            return Err(self.error(ParseErrorKind::Type, span, message));
        }
        let hint = nearest(follows, &OPERATORS);
        Err(self.unexpected(format!("expected a comparison after {shown}{hint}")))
    }

    /// Reads the pattern after `matches`.
    fn matches(&mut self, left: Operand) -> Result<Expr, ParseError> {
        check::pattern(&left, self.span).map_err(|error| self.check_error(error))?;
        self.advance()?;
        let Token::Text(text) = &self.token else {
            return Err(self.unexpected("expected a regular expression in quotes after `matches`"));
        };
        let Some(left_over) = self.patterns_left.checked_sub(1) else {
            let message = format!("more than {PATTERNS_MAX} patterns in one command");
            return Err(self.error(ParseErrorKind::BadPattern, self.span, message));
        };
        let pattern = Pattern::new(text)
            .map_err(|why| self.error(ParseErrorKind::BadPattern, self.span, why))?;
        self.patterns_left = left_over;
        self.advance()?;
        Ok(Expr::Matches { left, pattern })
    }
}

#[cfg(test)]
mod tests {
    use crate::{condition::Condition, error::ParseErrorKind, literal::Literal, name::Name};

    fn printed(text: &str) -> String {
        let condition: Condition =
            format!("?({text})").parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        condition.expr().to_string()
    }

    #[test]
    fn the_examples_of_the_specification_are_read_as_they_stand() {
        let cases = [
            ("?(tick > 42 and content contains \"error\")", None),
            ("?(after tick 42)", Some("?(tick > 42)")),
            ("?(between tick 10 and 20)", Some("?(tick between 10 and 20)")),
        ];
        for (text, printed) in cases {
            let condition: Condition = text.parse().unwrap();
            assert_eq!(condition.to_string(), printed.unwrap_or(text));
        }
    }

    #[test]
    fn or_binds_less_than_and_than_not_than_comparisons() {
        let cases = [
            ("true or false and not tick=1", "true or false and not tick = 1"),
            ("(true or false) and true", "(true or false) and true"),
            ("true or (false and true)", "true or false and true"),
            ("(true or false) or true", "(true or false) or true"),
            ("(true and true) and false", "(true and true) and false"),
            ("((tick > 1))", "tick > 1"),
            ("?(tick>1)and?(tick<3)", "tick > 1 and tick < 3"),
            ("not(true)", "not true"),
            ("NOT not TRUE", "not not true"),
            ("not (true and false)", "not (true and false)"),
            ("not tick between 1 and 2 and true", "not tick between 1 and 2 and true"),
        ];
        for (text, expected) in cases {
            assert_eq!(printed(text), expected, "{text}");
            assert_eq!(printed(expected), expected);
        }
    }

    #[test]
    fn every_form_is_read() {
        let cases = [
            ("Tick>=-5", "tick >= -5"),
            ("tick == 1.50", "tick = 1.5"),
            ("tick != 2.0", "tick != 2.0"),
            ("5 < tick", "5 < tick"),
            ("content = 'it''", ""),
            (
                r#"content = 'a \"b\" \'c\' \\ \d \--- "'"#,
                r#"content = "a \"b\" 'c' \\ \\d \--- \"""#,
            ),
            ("content contains @Bob", "content contains @Bob"),
            ("content contains #dev", "content contains #dev"),
            ("entity = @b.c", "entity = @b.c"),
            ("entity=\"bob\"", "entity = \"bob\""),
            ("@bob != entity", "@bob != entity"),
            ("entity matches '^@b'", "entity matches \"^@b\""),
            ("kind CONTAINS 'x'", "kind contains \"x\""),
            (r#"content matches "\d+\.""#, r#"content matches "\\d+\\.""#),
            ("timestamp < '2025-12-06T17:33:23'", "timestamp < \"2025-12-06T17:33:23\""),
            ("'2025-12-06T17:33:23Z' <= timestamp", "\"2025-12-06T17:33:23Z\" <= timestamp"),
            ("after '2025-12-06T17:33:23Z'", "timestamp > \"2025-12-06T17:33:23Z\""),
            ("before timestamp '2025-12-06T17:33:23Z'", "timestamp < \"2025-12-06T17:33:23Z\""),
            ("BEFORE TICK 7", "tick < 7"),
            ("after 7", "tick > 7"),
            ("between 10 and 20", "tick between 10 and 20"),
            ("tick between tick 10 and 10", "tick between 10 and 10"),
            (
                "between '2025-12-06T17:33:23Z' and '2025-12-06T18:33:23Z'",
                "timestamp between \"2025-12-06T17:33:23Z\" and \"2025-12-06T18:33:23Z\"",
            ),
            ("Response(@x) or FROM( #y )", "response(@x) or from(#y)"),
            ("sleep(10 ticks) and sleep(90s)", "sleep(10 ticks) and sleep(90s)"),
            ("sleep(5 min) or sleep(2 HOURS) or sleep(1d)", "sleep(5m) or sleep(2h) or sleep(1d)"),
            (
                "up() or f (1, -2.5, 'x', true, @me, 1 tick)",
                "up() or f(1, -2.5, \"x\", true, @me, 1 ticks)",
            ),
            (r"$(\messages @me---) > 0", r"$(\messages @me ---) > 0"),
            (r"$( \a --- \b c--- )", r"$(\a --- \b c ---)"),
            (
                r"tick > $(\last---) and $(\a---) contains $(\b---)",
                r"tick > $(\last ---) and $(\a ---) contains $(\b ---)",
            ),
            (r"$(\a---) = true", r"$(\a ---) = true"),
        ];
        for (text, expected) in cases {
            if expected.is_empty() {
                assert!(format!("?({text})").parse::<Condition>().is_err(), "{text}");
                continue;
            }
            assert_eq!(printed(text), expected, "{text}");
            assert_eq!(printed(expected), expected);
        }
    }

    fn check(cases: &[(&str, ParseErrorKind, usize)]) {
        for &(text, kind, position) in cases {
            let error = text.parse::<Condition>().unwrap_err();
            assert_eq!((error.kind, error.position), (kind, position), "{text}: {error}");
            assert!(!error.message.is_empty() && !error.message.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_position() {
        use ParseErrorKind::{Type, UnclosedParenthesis, Unexpected, UnknownField};
        let cases = [
            ("", Unexpected, 1),
            ("tick > 5", Unexpected, 1),
            ("?()", Unexpected, 3),
            ("?(", UnclosedParenthesis, 1),
            ("?(tick", UnclosedParenthesis, 1),
            ("?(tick >", UnclosedParenthesis, 1),
            ("?(true and (tick > 5)", UnclosedParenthesis, 1),
            ("?(true and (tick > 5", UnclosedParenthesis, 12),
            ("?(true and f(1", UnclosedParenthesis, 13),
            ("?(tick > 5) and true", Unexpected, 13),
            ("?(tick > 5 6)", Unexpected, 12),
            ("?(tick > 5 and-so true)", Unexpected, 12),
            ("?(tick > 5 and)", Unexpected, 15),
            ("?(and true)", Unexpected, 3),
            ("?(tick)", Type, 3),
            ("?(true and content or true)", Type, 12),
            ("?(5)", Type, 3),
            ("?(@bob)", Type, 3),
            ("?(content contians 'x')", Unexpected, 11),
            ("?(é = 'é' or tikc > 5)", Unexpected, 3),
            ("?(content = 'é' or tikc > 5)", UnknownField, 20),
            ("?(entity = bob)", UnknownField, 12),
            ("?(tick contains 'x')", Type, 8),
            ("?(timestamp matches 'x')", Type, 13),
            ("?(content > 5)", Type, 11),
            ("?(content < 'x')", Type, 11),
            ("?(tick = 'abc')", Type, 10),
            ("?(content = 5)", Type, 13),
            ("?(5 < content)", Type, 7),
            ("?(content contains 5)", Type, 20),
            ("?(f(1) = true)", Type, 3),
            ("?(true = f(1))", Type, 10),
        ];
        check(&cases);
    }

    #[test]
    fn ranges_numbers_and_texts_are_errors_with_their_position() {
        use ParseErrorKind::{
            BadName, BadNumber, BadPattern, BadRange, BadTime, TooDeep, Type, UnclosedParenthesis,
            UnclosedQuery, UnclosedString, Unexpected, Unterminated,
        };
        let deep = format!("?({}true{})", "(".repeat(10), ")".repeat(10));
        let patterns = format!("?(content matches 'a'{})", " or content matches 'a'".repeat(8));
        let cases = [
            ("?(timestamp > 'yesterday')", BadTime, 15),
            ("?('2025-12-06' < timestamp)", BadTime, 3),
            ("?(timestamp = 5)", Type, 15),
            ("?(content = timestamp)", Type, 13),
            ("?(after 'yesterday')", BadTime, 9),
            ("?(after tick 'x')", Type, 14),
            ("?(after timestamp 5)", Type, 19),
            ("?(after tick 5.5)", Type, 14),
            ("?(after content 5)", Type, 9),
            ("?(after tock 5)", Unexpected, 9),
            ("?(between 20 and 10)", BadRange, 11),
            ("?(between tick 5 or 10)", Unexpected, 18),
            ("?(content between 1 and 2)", Type, 3),
            ("?(tick between timestamp 'x' and 2)", Unexpected, 16),
            ("?(tick > 99999999999999999999)", BadNumber, 10),
            ("?(tick > 42abc)", Unexpected, 10),
            ("?(tick > 90s)", Unexpected, 10),
            ("?(tick > 5.)", Unexpected, 11),
            ("?(f(1.5h))", BadNumber, 5),
            ("?(f(-1s))", BadNumber, 5),
            ("?(f(9999999999999999d))", BadNumber, 5),
            ("?(f(1 parsec))", Unexpected, 7),
            ("?(f(1é))", Unexpected, 6),
            ("?(f(x))", Unexpected, 5),
            ("?(f(1 2))", Unexpected, 7),
            ("?(f(1,))", Unexpected, 7),
            ("?(f(,))", Unexpected, 5),
            ("?(content = \"abc)", UnclosedString, 13),
            ("?(content = “abc”)", Unexpected, 13),
            ("?(true && false)", Unexpected, 8),
            ("?(entity = @)", BadName, 13),
            ("?(entity = @(a, b))", BadName, 13),
            ("?(content matches 'a(')", BadPattern, 19),
            ("?(content matches x)", Unexpected, 19),
            (&*patterns, BadPattern, 203),
            (&*deep, TooDeep, 12),
            (r"?($(\a ---)", UnclosedParenthesis, 1),
            (r"?($(\a --- x))", UnclosedQuery, 12),
            (r"?($(\a ))", Unterminated, 10),
            ("?(not)", Unexpected, 6),
        ];
        check(&cases);
    }

    #[test]
    fn errors_name_the_nearest_right_word() {
        let cases = [
            ("?(tikc > 5)", "unknown field `tikc`; did you mean `tick`?"),
            ("?(Contnet = 'x')", "unknown field `Contnet`; did you mean `content`?"),
            (
                "?(budget > 5)",
                "unknown field `budget`: the fields are tick, content, entity, timestamp, kind; write texts in quotes",
            ),
            (
                "?(content contians 'x')",
                "expected a comparison after `content`; did you mean `contains`?",
            ),
            (
                "?(tick > 5 adn true)",
                "expected `and`, `or` or `)` after a condition; did you mean `and`?",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(text.parse::<Condition>().unwrap_err().message, message);
        }
    }

    #[test]
    fn nesting_is_counted_by_all_its_forms() {
        for form in ["(", "?(", "not "] {
            let close = if form == "not " { "" } else { ")" };
            let nested = |n: usize| format!("?({}true{})", form.repeat(n), close.repeat(n));
            assert!(nested(9).parse::<Condition>().is_ok(), "{form}");
            let error = nested(10).parse::<Condition>().unwrap_err();
            assert_eq!(error.kind, ParseErrorKind::TooDeep, "{form}");
        }
        // Long is not deep.
        let long = format!("?(true{})", " or not true".repeat(800));
        assert!(long.parse::<Condition>().is_ok());
        let one_after_another = format!("?(true{})", " and (not true)".repeat(600));
        assert!(one_after_another.parse::<Condition>().is_ok());
    }

    #[test]
    fn what_stands_in_it_can_be_listed_and_bound() {
        let text = r"?(tick > 5 and (response(@me) or not entity = @Me) and $(\a ---))";
        let mut condition: Condition = text.parse().unwrap();
        assert_eq!(condition.fields().len(), 2);
        assert_eq!(condition.queries().len(), 1);
        let calls = condition.calls();
        assert_eq!(calls[0].args, ["me".parse().map(Literal::Entity).unwrap()]);
        let refused = condition.refuse(calls[0].span, "there is no function `response`");
        assert_eq!((refused.kind, refused.position), (ParseErrorKind::Refused, 17));
        condition.bind_me(&"felix".parse::<Name>().unwrap());
        assert_eq!(
            condition.to_string(),
            r"?(tick > 5 and (response(@felix) or not entity = @felix) and $(\a ---))"
        );
    }
}
