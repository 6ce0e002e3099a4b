//! Which values can be compared how. Asked while a condition is read, so that it cannot fail by its types later.

use crate::{
    condition::{Comparison, Field, Operand},
    error::ParseErrorKind,
    literal::{Literal, Time},
    span::Span,
};

/// A value and where it stands.
pub(super) type Placed = (Operand, Span);

/// What a type check found wrong, and where.
pub(super) type ConditionFault = (ParseErrorKind, Span, String);

/// What kind of value something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Name,
    Space,
    Time,
    Bool,
    Duration,
    Function,
    /// What a query answers: known when it was asked.
    Answer,
}

impl Kind {
    fn of(operand: &Operand) -> Self {
        match operand {
            Operand::Field(Field::Tick) => Self::Number,
            Operand::Field(Field::Content | Field::Kind) => Self::Text,
            Operand::Field(Field::Entity) => Self::Name,
            Operand::Field(Field::Timestamp) => Self::Time,
            Operand::Call(_) => Self::Function,
            Operand::Query(_) => Self::Answer,
            Operand::Literal(literal) => match literal {
                Literal::Integer(_) | Literal::Decimal(_) => Self::Number,
                Literal::Bool(_) => Self::Bool,
                Literal::Text(_) => Self::Text,
                Literal::Entity(_) => Self::Name,
                Literal::Space(_) => Self::Space,
                Literal::Time(_) => Self::Time,
                Literal::Duration(_) => Self::Duration,
            },
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Name => "an entity",
            Self::Space => "a space",
            Self::Time => "a point in time",
            Self::Bool => "a truth value",
            Self::Duration => "a duration",
            Self::Function => "a function",
            Self::Answer => "an answer",
        }
    }

    /// What a value of this kind on the left can be asked.
    const fn comparisons(self) -> &'static str {
        match self {
            Self::Number | Self::Time => "`<`, `<=`, `>`, `>=`, `=`, `!=`",
            Self::Text | Self::Name => "`=`, `!=`, `contains`, `matches`",
            Self::Space | Self::Bool | Self::Duration | Self::Function | Self::Answer => {
                "`=`, `!=`"
            }
        }
    }
}

/// Checks a comparison and gives its sides back; a text beside a point in time becomes one.
pub(super) fn comparison(
    left: Placed,
    (op, op_span): (Comparison, Span),
    right: Placed,
) -> Result<(Operand, Operand), ConditionFault> {
    let left = as_time(left, &right.0)?;
    let right = as_time(right, &left.0)?;
    let kinds = (Kind::of(&left.0), Kind::of(&right.0));
    for (kind, span) in [(kinds.0, left.1), (kinds.1, right.1)] {
        if kind == Kind::Function {
            let message = "a function is true or false: it stands by itself".to_owned();
            return Err((ParseErrorKind::Type, span, message));
        }
    }
    if !takes(kinds.0, op) && kinds.1 != Kind::Answer {
        let message = format!("{} is compared by {}", kinds.0.noun(), kinds.0.comparisons());
        return Err((ParseErrorKind::Type, op_span, message));
    }
    if !fits(kinds.0, op, kinds.1) {
        let (one, other) = (kinds.0.noun(), kinds.1.noun());
        let message = format!("{one} and {other} cannot be compared by `{}`", op.as_str());
        return Err((ParseErrorKind::Type, right.1, message));
    }
    Ok((left.0, right.0))
}

/// Checks the left side of `matches`.
pub(super) fn pattern(left: &Operand, op_span: Span) -> Result<(), ConditionFault> {
    let kind = Kind::of(left);
    if matches!(kind, Kind::Text | Kind::Name | Kind::Answer) {
        return Ok(());
    }
    let message = format!("{} is compared by {}", kind.noun(), kind.comparisons());
    Err((ParseErrorKind::Type, op_span, message))
}

/// Makes a point in time of a text that was written for one.
pub(super) fn time(text: &str, span: Span) -> Result<Time, ConditionFault> {
    Time::new(text).ok_or_else(|| {
        let message = "expected a date and time, such as `2025-12-06T17:33:23Z`".to_owned();
        (ParseErrorKind::BadTime, span, message)
    })
}

/// Whether a value of this kind on the left can be asked so at all.
const fn takes(left: Kind, op: Comparison) -> bool {
    match op {
        Comparison::Equal | Comparison::NotEqual => true,
        Comparison::Contains => matches!(left, Kind::Text | Kind::Name | Kind::Answer),
        Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual => matches!(left, Kind::Number | Kind::Time | Kind::Answer),
    }
}

/// Whether the two can be compared so.
fn fits(left: Kind, op: Comparison, right: Kind) -> bool {
    use Kind::{Answer, Bool, Name, Number, Space, Text, Time};
    match op {
        Comparison::Contains => {
            matches!((left, right), (Text | Name | Answer, Text | Name | Space | Answer))
        }
        Comparison::Equal | Comparison::NotEqual => {
            left == right
                || matches!(
                    (left, right),
                    (Answer, Number | Text | Name | Space | Time | Bool)
                        | (Number | Text | Name | Space | Time | Bool, Answer)
                        | (Name, Text)
                        | (Text, Name)
                )
        }
        Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual => matches!(
            (left, right),
            (Number | Answer, Number)
                | (Time | Answer, Time)
                | (Text | Time | Number | Answer, Answer)
                | (Answer, Text)
        ),
    }
}

/// The operand, as a point in time where it is a text in quotes beside one.
fn as_time((operand, span): Placed, beside: &Operand) -> Result<Placed, ConditionFault> {
    match operand {
        Operand::Literal(Literal::Text(text)) if Kind::of(beside) == Kind::Time => {
            Ok((Operand::Literal(Literal::Time(time(&text, span)?)), span))
        }
        operand => Ok((operand, span)),
    }
}
