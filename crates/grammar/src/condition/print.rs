//! Writes trees as text that reads as the same tree: parentheses where the tree needs them, and nowhere else.

use std::fmt::{self, Display as _};

use crate::{
    condition::tree::{Expr, FunctionCall, Operand},
    literal::write_quoted,
    node::print_commands,
};

/// How strongly an expression holds its parts together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Atom,
}

const fn binding(expr: &Expr) -> Binding {
    match expr {
        Expr::Or(_) => Binding::Or,
        Expr::And(_) => Binding::And,
        Expr::Not(_) => Binding::Not,
        Expr::Compare { .. }
        | Expr::Contains { .. }
        | Expr::Matches { .. }
        | Expr::Between { .. }
        | Expr::Is(_) => Binding::Atom,
    }
}

/// Writes a part of an expression, in parentheses where it binds less strongly than `least`.
fn write_part(f: &mut fmt::Formatter<'_>, part: &Expr, least: Binding) -> fmt::Result {
    if binding(part) < least { write!(f, "({part})") } else { part.fmt(f) }
}

fn write_list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    between: &str,
    mut write: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        write(f, item)?;
    }
    Ok(())
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Or(parts) => {
                write_list(f, parts, " or ", |f, part| write_part(f, part, Binding::And))
            }
            Self::And(parts) => {
                write_list(f, parts, " and ", |f, part| write_part(f, part, Binding::Not))
            }
            Self::Not(part) => {
                f.write_str("not ")?;
                write_part(f, part, Binding::Not)
            }
            Self::Compare { left, op, right } => write!(f, "{left} {} {right}", op.as_str()),
            Self::Contains { left, needle } => {
                write!(f, "{left} contains ")?;
                write_quoted(f, needle.as_str())
            }
            Self::Matches { left, pattern } => {
                write!(f, "{left} matches ")?;
                write_quoted(f, pattern.as_str())
            }
            Self::Between { field, low, high } => {
                write!(f, "{} between {low} and {high}", field.as_str())
            }
            Self::Is(operand) => operand.fmt(f),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.as_str()),
            Self::Literal(literal) => literal.fmt(f),
            Self::Call(call) => call.fmt(f),
            Self::Query(commands) => write!(f, "$({})", print_commands(commands)),
        }
    }
}

impl fmt::Display for FunctionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        write_list(f, &self.args, ", ", |f, arg| arg.fmt(f))?;
        f.write_str(")")
    }
}
