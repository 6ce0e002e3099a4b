//! Ranges over the clock and over time: `after tick 42`, `tick between 10 and 20`.

use super::Parser;
use crate::{
    condition::{
        check,
        lex::Token,
        tree::{Comparison, Expr, Field, Operand},
    },
    error::{ParseError, ParseErrorKind},
    literal::{Literal, Number},
    nearest::nearest,
    span::Span,
};

impl Parser {
    /// Reads `after tick 42`, `before "2025-12-06T17:33:23Z"`.
    pub(super) fn relative(&mut self, op: Comparison) -> Result<Expr, ParseError> {
        self.advance()?;
        let field = self.range_field()?;
        let (field, bound, _) = self.bound(field)?;
        let left = Operand::Field(field);
        Ok(Expr::Compare { left, op, right: Operand::Literal(bound) })
    }

    /// Reads `between [field] A and B`, whose field may also stand before it.
    pub(super) fn between(&mut self, before: Option<(Field, Span)>) -> Result<Expr, ParseError> {
        if let Some((field, span)) = before {
            self.check_range_field(field, span)?;
        }
        self.advance()?;
        let after_span = self.span;
        let field = match (before, self.range_field()?) {
            (Some((one, _)), Some(other)) if one != other => {
                let message = format!("the range is already over `{}`", one.as_str());
                return Err(self.error(ParseErrorKind::Unexpected, after_span, message));
            }
            (before, after) => after.or_else(|| before.map(|(field, _)| field)),
        };
        let (field, low, low_span) = self.bound(field)?;
        if !self.is_word("and") {
            return Err(self.unexpected("expected `and` between the two bounds of a range"));
        }
        self.advance()?;
        let (_, high, _) = self.bound(Some(field))?;
        let is_empty = match (&low, &high) {
            (Literal::Integer(low), Literal::Integer(high)) => low > high,
            (Literal::Time(low), Literal::Time(high)) => low.micros() > high.micros(),
            _ => false,
        };
        if is_empty {
            let message = format!("the range ends before it begins: {low} is above {high}");
            return Err(self.error(ParseErrorKind::BadRange, low_span, message));
        }
        Ok(Expr::Between { field, low, high })
    }

    /// Reads the optional field before a bound.
    fn range_field(&mut self) -> Result<Option<Field>, ParseError> {
        let Token::Word(word) = &self.token else { return Ok(None) };
        let Some(field) = Field::named(word) else {
            let hint = nearest(word, &["tick", "timestamp"]);
            let message = format!("expected `tick`, `timestamp` or a value{hint}");
            return Err(self.unexpected(message));
        };
        self.check_range_field(field, self.span)?;
        self.advance()?;
        Ok(Some(field))
    }

    fn check_range_field(&self, field: Field, span: Span) -> Result<(), ParseError> {
        if matches!(field, Field::Tick | Field::Timestamp) {
            return Ok(());
        }
        let message = format!("a range is over `tick` or `timestamp`, not `{}`", field.as_str());
        Err(self.error(ParseErrorKind::Type, span, message))
    }

    /// Reads a bound of a range over `field`, or over the field that its type belongs to.
    fn bound(&mut self, field: Option<Field>) -> Result<(Field, Literal, Span), ParseError> {
        let span = self.span;
        let bound = match (&self.token, field) {
            (
                Token::Number { number: Number::Integer(tick), is_glued: false },
                None | Some(Field::Tick),
            ) => (Field::Tick, Literal::Integer(*tick), span),
            (Token::Text(text), None | Some(Field::Timestamp)) => {
                let time = check::time(text, span).map_err(|error| self.check_error(error))?;
                (Field::Timestamp, Literal::Time(time), span)
            }
            (Token::Number { .. } | Token::Text(_), _) => {
                let expected = match field {
                    Some(Field::Timestamp) => "a date and time in quotes",
                    Some(_) => "a whole number",
                    None => "a whole number, or a date and time in quotes",
                };
                let message = format!("expected {expected}");
                return Err(self.error(ParseErrorKind::Type, span, message));
            }
            _ => {
                return Err(
                    self.unexpected("expected a whole number, or a date and time in quotes")
                );
            }
        };
        self.advance()?;
        Ok(bound)
    }
}
