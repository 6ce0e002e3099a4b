//! Conditions: `?(tick > 42 and content contains "error")`.
//!
//! `or` binds least, then `and`, `not`, a comparison, and last a value by itself: `true`, a function, a query, or
//! anything in parentheses. Keywords, fields and functions ignore case. Reading checks form and types, so that a
//! condition that was read can fail later only by what it asks of its scope (`eval`).
//!
//! ```text
//! condition  = "?(" or ")"
//! or         = and { "or" and }
//! and        = not { "and" not }
//! not        = "not" not | "(" or ")" | condition | range | comparison
//! range      = ( "after" | "before" ) [ field ] value | [ field ] "between" [ field ] value "and" value
//! comparison = operand [ ( "<" | "<=" | ">" | ">=" | "=" | "==" | "!=" | "contains" | "matches" ) operand ]
//! operand    = field | function | "$(" commands ")" | "@" name | "#" name | number | text | "true" | "false"
//! function   = word "(" [ argument { "," argument } ] ")"
//! argument   = "@" name | "#" name | number | text | "true" | "false" | number unit
//! field      = "tick" | "content" | "entity" | "timestamp" | "kind"
//! ```
//!
//! Inside: `tree` is the result; `lex` makes tokens, `parse` trees of them, `check` checks types, `print` writes trees;
//! `bounds` gives the ticks that an index may leave out.

mod bounds;
mod check;
mod lex;
mod parse;
mod print;
mod tree;

use std::{collections::BTreeSet, fmt, ops::RangeInclusive, str::FromStr, sync::Arc};

use self::parse::read_expr;
use crate::{
    command::{Command, source},
    cursor::Cursor,
    error::{ParseError, ParseErrorKind},
    limits::PATTERNS_MAX,
    literal::Literal,
    name::Name,
    span::Span,
};

pub use tree::{Comparison, Expr, Field, FunctionCall, Operand};

/// A condition that was read. Equality is that of the tree.
#[derive(Clone)]
pub struct Condition {
    source: Arc<str>,
    expr: Expr,
}

impl Condition {
    /// A part of this one.
    pub(crate) fn part(&self, expr: Expr) -> Self {
        Self { source: Arc::clone(&self.source), expr }
    }

    /// The tree.
    pub const fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Calls `see` with every expression, each before those in it.
    pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        self.expr.visit(see);
    }

    /// Every value in it, in the order of writing.
    pub fn operands(&self) -> Vec<&Operand> {
        let mut operands = Vec::new();
        self.visit(&mut |expr| operands.extend(expr.operands()));
        operands
    }

    /// Every function in it, in the order of writing.
    pub fn calls(&self) -> Vec<&FunctionCall> {
        let operands = self.operands().into_iter();
        operands
            .filter_map(|o| if let Operand::Call(call) = o { Some(call) } else { None })
            .collect()
    }

    /// Every query in it, in the order of writing.
    pub fn queries(&self) -> Vec<&[Command]> {
        let operands = self.operands().into_iter();
        operands.filter_map(|o| if let Operand::Query(q) = o { Some(&**q) } else { None }).collect()
    }

    /// Every field in it.
    pub fn fields(&self) -> BTreeSet<Field> {
        let mut fields = BTreeSet::new();
        self.visit(&mut |expr| fields.extend(expr.fields()));
        fields
    }

    /// Replaces `@me` as a value or an argument by `me`. Commands in queries are left to whoever runs them.
    pub fn bind_me(&mut self, me: &Name) {
        self.expr.each_literal(&mut |literal| {
            if let Literal::Entity(name) = literal
                && name.is_me()
            {
                name.clone_from(me);
            }
        });
    }

    /// The ticks outside of which no entry can fulfil it: for an index. All of them where functions or queries stand in
    /// it, because skipping an entry would hide their errors. Empty (start above end) where it excludes itself.
    pub fn tick_bounds(&self) -> RangeInclusive<i64> {
        bounds::tick_bounds(&self.expr)
    }

    /// An error of the caller that points at a part of this condition, such as a function's [`FunctionCall::span`].
    pub fn refuse(&self, at: Span, message: impl Into<String>) -> ParseError {
        ParseError::new(ParseErrorKind::Refused, message, &self.source, at.start)
    }
}

/// Reads the condition whose `?(` stands at the cursor. Each pattern in it takes one of those that are left.
pub(crate) fn read_condition(
    cursor: &mut Cursor,
    patterns_left: &mut usize,
) -> Result<Condition, ParseError> {
    let expr = read_expr(cursor, patterns_left)?;
    Ok(Condition { source: Arc::clone(cursor.source()), expr })
}

/// Reads `?(…)` and nothing else.
impl FromStr for Condition {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let source = source(text)?;
        let mut cursor = Cursor::new(&source, Span { start: 0, end: source.len() });
        cursor.skip_blanks();
        if !cursor.looks_at("?(") {
            let message = "expected a condition, such as `?(tick > 42)`";
            return Err(cursor.error(ParseErrorKind::Unexpected, message));
        }
        let condition = read_condition(&mut cursor, &mut { PATTERNS_MAX })?;
        cursor.skip_blanks();
        if cursor.is_at_end() {
            return Ok(condition);
        }
        Err(cursor.error(ParseErrorKind::Unexpected, "unexpected text after the condition"))
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.expr == other.expr
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "?({})", self.expr)
    }
}
