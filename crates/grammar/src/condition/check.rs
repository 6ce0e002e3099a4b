//! Type checks of comparisons, made while a condition is read, so that it cannot fail by its types later.

use crate::{
    condition::tree::{Comparison, Field, Operand},
    error::ParseErrorKind,
    literal::{Literal, Time},
    span::Span,
};

/// An operand and its place.
pub(super) type PlacedOperand = (Operand, Span);

/// What a type check found wrong, and where.
pub(super) type TypeCheckError = (ParseErrorKind, Span, String);

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
    /// A query's answer, whose type is known only when it was asked.
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

    /// The comparisons that a value of this kind on the left allows.
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

/// Checks a comparison and returns its sides; a text beside a point in time becomes one.
pub(super) fn comparison(
    left: PlacedOperand,
    (op, op_span): (Comparison, Span),
    right: PlacedOperand,
) -> Result<(Operand, Operand), TypeCheckError> {
    let left = as_time(left, &right.0)?;
    let right = as_time(right, &left.0)?;
    let kinds = (Kind::of(&left.0), Kind::of(&right.0));
    for (kind, span) in [(kinds.0, left.1), (kinds.1, right.1)] {
        if kind == Kind::Function {
            let message =
                "a function is true or false and is not compared: write it by itself".to_owned();
            return Err((ParseErrorKind::Type, span, message));
        }
    }
    if !allows(kinds.0, op) && kinds.1 != Kind::Answer {
        let message = format!("{} can be compared with {}", kinds.0.noun(), kinds.0.comparisons());
        return Err((ParseErrorKind::Type, op_span, message));
    }
    if !are_comparable(kinds.0, op, kinds.1) {
        let (one, other) = (kinds.0.noun(), kinds.1.noun());
        let message = format!("{one} and {other} cannot be compared with `{}`", op.as_str());
        return Err((ParseErrorKind::Type, right.1, message));
    }
    Ok((left.0, right.0))
}

/// Checks the left side of `matches`.
pub(super) fn pattern(left: &Operand, op_span: Span) -> Result<(), TypeCheckError> {
    let kind = Kind::of(left);
    if matches!(kind, Kind::Text | Kind::Name | Kind::Answer) {
        return Ok(());
    }
    let message = format!("{} can be compared with {}", kind.noun(), kind.comparisons());
    Err((ParseErrorKind::Type, op_span, message))
}

/// Makes a point in time of a text that was written for one.
pub(super) fn time(text: &str, span: Span) -> Result<Time, TypeCheckError> {
    Time::new(text).ok_or_else(|| {
        let message = "expected a date and time, such as `2025-12-06T17:33:23Z`".to_owned();
        (ParseErrorKind::BadTime, span, message)
    })
}

/// Whether a value of this kind may be on the left of the comparison.
const fn allows(left: Kind, op: Comparison) -> bool {
    match op {
        Comparison::Equal | Comparison::NotEqual => true,
        Comparison::Contains => matches!(left, Kind::Text | Kind::Name | Kind::Answer),
        Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual => matches!(left, Kind::Number | Kind::Time | Kind::Answer),
    }
}

/// Whether the two kinds can be compared.
fn are_comparable(left: Kind, op: Comparison, right: Kind) -> bool {
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
fn as_time(
    (operand, span): PlacedOperand,
    beside: &Operand,
) -> Result<PlacedOperand, TypeCheckError> {
    match operand {
        Operand::Literal(Literal::Text(text)) if Kind::of(beside) == Kind::Time => {
            Ok((Operand::Literal(Literal::Time(time(&text, span)?)), span))
        }
        operand => Ok((operand, span)),
    }
}
