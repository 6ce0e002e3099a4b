//! Values, and what begins with a word: fields, `true` and `false`, functions with their arguments.

use super::Parser;
use crate::{
    condition::{
        check::PlacedOperand,
        lex::Token,
        tree::{Field, FunctionCall, Operand},
    },
    error::{ParseError, ParseErrorKind, quote},
    literal::{Duration, Literal, Number, Unit},
    name::Sigil,
    nearest::nearest,
    span::Span,
};

/// Words that are neither fields nor functions.
const KEYWORDS: [&str; 8] =
    ["and", "or", "not", "contains", "matches", "between", "after", "before"];

impl Parser {
    pub(super) fn operand(&mut self) -> Result<PlacedOperand, ParseError> {
        let span = self.span;
        let operand = match std::mem::replace(&mut self.token, Token::Comma) {
            Token::Word(word) => return self.word(&word, span),
            Token::Query(commands) => Operand::Query(commands),
            token => {
                self.token = token;
                let expected = "expected a field, a value, a function or a query";
                Operand::Literal(self.literal()?.ok_or_else(|| self.unexpected(expected))?)
            }
        };
        self.advance()?;
        Ok((operand, span))
    }

    /// The current token as a value.
    fn literal(&self) -> Result<Option<Literal>, ParseError> {
        Ok(Some(match &self.token {
            Token::Number { is_glued: true, .. } => {
                let message = "a number is followed by a letter; durations may only be arguments of functions";
                return Err(self.error(ParseErrorKind::Unexpected, self.span, message));
            }
            Token::Number { number: Number::Integer(number), .. } => Literal::Integer(*number),
            Token::Number { number: Number::Decimal(number), .. } => Literal::Decimal(*number),
            Token::Text(text) => Literal::Text(text.clone()),
            Token::Mention(Sigil::Entity, name) => Literal::Entity(name.clone()),
            Token::Mention(Sigil::Space, name) => Literal::Space(name.clone()),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => Literal::Bool(true),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => Literal::Bool(false),
            _ => return Ok(None),
        }))
    }

    /// Reads what begins with a word: a field, `true`, `false` or a function.
    fn word(&mut self, word: &str, span: Span) -> Result<PlacedOperand, ParseError> {
        self.token = Token::Word(word.to_owned());
        if let Some(literal) = self.literal()? {
            self.advance()?;
            return Ok((Operand::Literal(literal), span));
        }
        if let Some(field) = Field::named(word) {
            self.advance()?;
            return Ok((Operand::Field(field), span));
        }
        if KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)) {
            return Err(self.unexpected(format!("expected a value, not `{word}`")));
        }
        self.advance()?;
        if matches!(self.token, Token::Open) && self.cursor.text(self.span) == "(" {
            return self.call(word.to_ascii_lowercase(), span);
        }
        let fields = Field::ALL.map(Field::as_str);
        let hint = match &*nearest(word, &fields) {
            "" => format!(": the fields are {}; write texts in quotes", fields.join(", ")),
            hint => hint.to_owned(),
        };
        let message = format!("unknown field {}{hint}", quote(word));
        Err(self.error(ParseErrorKind::UnknownField, span, message))
    }

    /// Reads a function's arguments, from its parenthesis on.
    fn call(&mut self, name: String, span: Span) -> Result<PlacedOperand, ParseError> {
        self.open.push(self.span.start);
        self.advance()?;
        let mut args = Vec::new();
        while !(args.is_empty() && matches!(self.token, Token::Close)) {
            args.push(self.argument()?);
            match self.token {
                Token::Close => break,
                Token::Comma => self.advance()?,
                _ => return Err(self.unexpected("expected `,` or `)` after an argument")),
            }
        }
        let span = Span { start: span.start, end: self.span.end };
        self.open.pop();
        self.advance()?;
        Ok((Operand::Call(FunctionCall { name, args, span }), span))
    }

    fn argument(&mut self) -> Result<Literal, ParseError> {
        let expected = "expected a value: a name, a number, a text, or a duration such as `90s`";
        let Token::Number { number, is_glued } = self.token else {
            let literal = self.literal()?.ok_or_else(|| self.unexpected(expected))?;
            self.advance()?;
            return Ok(literal);
        };
        let span = self.span;
        self.advance()?;
        let Token::Word(word) = &self.token else {
            if is_glued {
                return Err(self.unexpected("a number is followed by a letter"));
            }
            return Ok(match number {
                Number::Integer(number) => Literal::Integer(number),
                Number::Decimal(number) => Literal::Decimal(number),
            });
        };
        let Some(unit) = Unit::named(word) else {
            let units = ["ticks", "seconds", "minutes", "hours", "days"];
            let hint = nearest(word, &units);
            let message =
                format!("unknown unit {}{hint}: the units are ticks, s, m, h and d", quote(word));
            return Err(self.unexpected(message));
        };
        let amount = if let Number::Integer(n) = number { u64::try_from(n).ok() } else { None };
        let Some(duration) = amount.and_then(|amount| Duration::new(amount, unit)) else {
            let message =
                "the duration is invalid or too large: write a whole number of a unit, from 0";
            return Err(self.error(ParseErrorKind::BadNumber, span, message));
        };
        self.advance()?;
        Ok(Literal::Duration(duration))
    }
}
