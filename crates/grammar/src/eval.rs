//! Whether a condition holds: true, false, unknown, or an error, which is none of the three.
//!
//! Unknown is what cannot be asked now: a field without an entry, a query while none may be asked. It follows Kleene's
//! rules: `unknown and false` is false, `unknown or true` is true, `not unknown` is unknown.
//!
//! Parts are evaluated from left to right. `and` stops at the first false part and `or` at the first true one; an error
//! before that is the result, and a part behind it is not asked: `false and ERROR` is false, `ERROR and false` and
//! `unknown and ERROR` are errors. `not ERROR` is an error: a failed question wakes nobody.
//!
//! An answer of a query is compared as a number where both sides are numbers, otherwise as text; blanks around it do not
//! count. With `<`, `<=`, `>` and `>=`, an answer that is not a number beside a number is an error, as is one
//! that is not a date beside `timestamp`.

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    command::Command,
    condition::{Comparison, Condition, Expr, Field, FunctionCall, Operand},
    error::one_line,
    fold::contains_fold,
    limits::SNIPPET_CHARS_MAX,
    literal::{Literal, Number},
    name::{Name, Sigil},
    time::parse_time,
};

/// The result of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It cannot be decided now.
    Unknown,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The value of a field of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A whole number: a tick.
    Integer(i64),
    /// A text; for an entity its name with or without `@`, for a timestamp RFC 3339 with or without an offset.
    Text(Cow<'a, str>),
    /// A point in time in microseconds since 1970-01-01T00:00:00Z.
    Micros(i64),
}

/// The scope that a condition is evaluated in: an entry, functions and queries. The caller implements it.
pub trait Scope {
    /// A field of the current entry; `None` where there is none.
    fn field(&self, field: Field) -> Option<Value<'_>>;

    /// Whether a function holds, or why it cannot be evaluated.
    fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
        Err(format!("there is no function `{}`", call.name))
    }

    /// What the commands of a query answer, or why they failed; `None` where they cannot be asked now.
    fn query(&self, _commands: &[Command]) -> Result<Option<String>, String> {
        Err("queries are not possible here".to_owned())
    }

    /// Takes the cost of a step that looks through a text: its bytes times the weight of what is looked for. An error,
    /// which says what is used up, is the result of the condition.
    fn charge(&self, _steps: u64) -> Result<(), String> {
        Ok(())
    }

    /// The latched result of a term of a [`Watch`](crate::Watch), by its index; `None` evaluates the term.
    fn latched(&self, _term: usize) -> Option<Truth> {
        None
    }
}

/// Why a condition could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot evaluate `{part}`: {message}")]
pub struct EvalError {
    /// What went wrong.
    pub message: String,
    /// The part of the condition that failed, as it is printed, cut to 60 characters.
    pub part: String,
}

/// Evaluates a condition, in time linear in the condition times the texts that it reads, and no longer than
/// [`Scope::charge`] allows.
pub fn eval(condition: &Condition, scope: &dyn Scope) -> Result<Truth, EvalError> {
    eval_expr(condition.expr(), scope)
}

pub(crate) fn eval_expr(expr: &Expr, scope: &dyn Scope) -> Result<Truth, EvalError> {
    let result = match expr {
        Expr::Or(parts) => return any(parts, |part| eval_expr(part, scope)),
        Expr::And(parts) => return all(parts, |part| eval_expr(part, scope)),
        Expr::Not(part) => return eval_expr(part, scope).map(|truth| !truth),
        Expr::Compare { left, op, right } => compare(left, *op, right, scope),
        Expr::Contains { left, needle } => {
            looked_through(left, scope, 1, &|text| needle.found_in(text))
        }
        Expr::Matches { left, pattern } => {
            looked_through(left, scope, pattern.weight(), &|text| pattern.is_match(text))
        }
        Expr::Between { field, low, high } => between(*field, low, high, scope),
        Expr::Is(operand) => alone(operand, scope),
    };
    result.map_err(|message| EvalError { message, part: cut(&expr.to_string()) })
}

/// Whether something of this weight is found in the text of an operand.
fn looked_through(
    operand: &Operand,
    scope: &dyn Scope,
    weight: u64,
    is_found: &dyn Fn(&str) -> bool,
) -> Result<Truth, String> {
    let Some(side) = side(operand, scope)? else { return Ok(Truth::Unknown) };
    let text = side.text();
    scope.charge(cost(&text, weight))?;
    Ok(is_found(&text).into())
}

/// What looking through a text costs.
fn cost(text: &str, weight: u64) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(weight)
}

/// All parts hold: stops at the first that does not, or fails.
pub(crate) fn all<T>(
    parts: &[T],
    mut eval: impl FnMut(&T) -> Result<Truth, EvalError>,
) -> Result<Truth, EvalError> {
    let mut truth = Truth::True;
    for part in parts {
        match eval(part)? {
            Truth::True => {}
            Truth::False => return Ok(Truth::False),
            Truth::Unknown => truth = Truth::Unknown,
        }
    }
    Ok(truth)
}

/// One part holds: stops at the first that does, or fails.
pub(crate) fn any<T>(
    parts: &[T],
    mut eval: impl FnMut(&T) -> Result<Truth, EvalError>,
) -> Result<Truth, EvalError> {
    all(parts, |part| eval(part).map(|truth| !truth)).map(|truth| !truth)
}

/// A value that is compared.
enum Side<'a> {
    Number(Number),
    Text(Cow<'a, str>),
    Name(Cow<'a, str>),
    Mention(Sigil, &'a Name),
    Micros(i64),
    Bool(bool),
    /// What a query answered, without blanks around it.
    Answer(String),
}

impl Side<'_> {
    /// The value as text.
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Number(Number::Integer(number)) => number.to_string().into(),
            Self::Number(Number::Decimal(number)) => number.to_string().into(),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Name(name) => format!("@{}", bare(name)).into(),
            Self::Mention(sigil, name) => format!("{}{name}", sigil.as_char()).into(),
            Self::Micros(micros) => micros.to_string().into(),
            Self::Bool(truth) => truth.to_string().into(),
            Self::Answer(answer) => Cow::Borrowed(answer),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Answer(text) => Number::read(text),
            Self::Text(text) => Number::read(text.trim()),
            Self::Name(_) | Self::Mention(..) | Self::Micros(_) | Self::Bool(_) => None,
        }
    }

    const fn is_answer(&self) -> bool {
        matches!(self, Self::Answer(_))
    }

    const fn is_name(&self) -> bool {
        matches!(self, Self::Name(_) | Self::Mention(Sigil::Entity, _))
    }
}

/// A name without the sigil that it may have.
fn bare(name: &str) -> &str {
    name.strip_prefix('@').unwrap_or(name)
}

/// The value of an operand; `None` where it cannot be evaluated now.
fn side<'a>(operand: &'a Operand, scope: &'a dyn Scope) -> Result<Option<Side<'a>>, String> {
    Ok(Some(match operand {
        Operand::Field(field) => return field_side(*field, scope),
        Operand::Query(commands) => match scope.query(commands)? {
            Some(answer) => Side::Answer(answer.trim().to_owned()),
            None => return Ok(None),
        },
        Operand::Call(call) => match scope.call(call)? {
            Truth::Unknown => return Ok(None),
            truth => Side::Bool(truth == Truth::True),
        },
        Operand::Literal(literal) => match literal {
            Literal::Integer(number) => Side::Number(Number::Integer(*number)),
            Literal::Decimal(number) => Side::Number(Number::Decimal(*number)),
            Literal::Bool(truth) => Side::Bool(*truth),
            Literal::Text(text) => Side::Text(Cow::Borrowed(text)),
            Literal::Entity(name) => Side::Mention(Sigil::Entity, name),
            Literal::Space(name) => Side::Mention(Sigil::Space, name),
            Literal::Time(time) => Side::Micros(time.micros()),
            Literal::Duration(duration) => Side::Text(duration.to_string().into()),
        },
    }))
}

fn field_side(field: Field, scope: &dyn Scope) -> Result<Option<Side<'_>>, String> {
    let Some(value) = scope.field(field) else { return Ok(None) };
    Ok(Some(match (field, value) {
        (Field::Tick, Value::Integer(tick)) => Side::Number(Number::Integer(tick)),
        (Field::Content | Field::Kind, Value::Text(text)) => Side::Text(text),
        (Field::Entity, Value::Text(name)) => Side::Name(name),
        (Field::Timestamp, Value::Micros(micros)) => Side::Micros(micros),
        (Field::Timestamp, Value::Text(text)) => Side::Micros(time(&text)?),
        _ => return Err(format!("the entry's `{}` is of another type", field.as_str())),
    }))
}

fn time(text: &str) -> Result<i64, String> {
    parse_time(text).ok_or_else(|| format!("`{}` is not a date and time", cut(text)))
}

fn cut(text: &str) -> String {
    one_line(text, SNIPPET_CHARS_MAX)
}

fn compare(
    left: &Operand,
    op: Comparison,
    right: &Operand,
    scope: &dyn Scope,
) -> Result<Truth, String> {
    let Some(left) = side(left, scope)? else { return Ok(Truth::Unknown) };
    let Some(right) = side(right, scope)? else { return Ok(Truth::Unknown) };
    let holds = match op {
        Comparison::Contains => {
            scope.charge(cost(&left.text(), 1))?;
            contains(&left, &right)
        }
        Comparison::Equal => equal(&left, &right)?,
        Comparison::NotEqual => !equal(&left, &right)?,
        Comparison::Less => order(&left, &right)?.is_lt(),
        Comparison::LessOrEqual => order(&left, &right)?.is_le(),
        Comparison::Greater => order(&left, &right)?.is_gt(),
        Comparison::GreaterOrEqual => order(&left, &right)?.is_ge(),
    };
    Ok(holds.into())
}

fn contains(left: &Side<'_>, right: &Side<'_>) -> bool {
    match right {
        Side::Mention(sigil, name) => name.is_mentioned(*sigil, &left.text()),
        right => contains_fold(&left.text(), &right.text()),
    }
}

fn equal(left: &Side<'_>, right: &Side<'_>) -> Result<bool, String> {
    if let (Side::Micros(_), _) | (_, Side::Micros(_)) = (left, right) {
        return order(left, right).map(Ordering::is_eq);
    }
    if (left.is_answer() || right.is_answer() || matches!(left, Side::Number(_)))
        && let (Some(left), Some(right)) = (left.number(), right.number())
    {
        return Ok(left.compare(right).is_eq());
    }
    let (one, other) = (left.text(), right.text());
    if left.is_name() || right.is_name() {
        return Ok(bare(&one).eq_ignore_ascii_case(bare(&other)));
    }
    if let (Side::Bool(_) | Side::Mention(..), _) | (_, Side::Bool(_) | Side::Mention(..)) =
        (left, right)
    {
        return Ok(one.eq_ignore_ascii_case(&other));
    }
    Ok(one == other)
}

fn order(left: &Side<'_>, right: &Side<'_>) -> Result<Ordering, String> {
    match (left, right) {
        (Side::Micros(left), Side::Micros(right)) => return Ok(left.cmp(right)),
        (Side::Micros(left), Side::Answer(right)) => return Ok(left.cmp(&time(right)?)),
        (Side::Answer(left), Side::Micros(right)) => return Ok(time(left)?.cmp(right)),
        _ => {}
    }
    if let (Some(left), Some(right)) = (left.number(), right.number()) {
        return Ok(left.compare(right));
    }
    for (number, other) in [(left, right), (right, left)] {
        if matches!(number, Side::Number(_)) {
            return Err(format!("`{}` is not a number", cut(&other.text())));
        }
    }
    Ok(left.text().cmp(&right.text()))
}

fn between(
    field: Field,
    low: &Literal,
    high: &Literal,
    scope: &dyn Scope,
) -> Result<Truth, String> {
    let holds = match (field_side(field, scope)?, low, high) {
        (None, ..) => return Ok(Truth::Unknown),
        (
            Some(Side::Number(Number::Integer(tick))),
            Literal::Integer(low),
            Literal::Integer(high),
        ) => (low..=high).contains(&&tick),
        (Some(Side::Micros(micros)), Literal::Time(low), Literal::Time(high)) => {
            (low.micros()..=high.micros()).contains(&micros)
        }
        (Some(_), ..) => {
            return Err(format!("`{}` and its bounds are of different types", field.as_str()));
        }
    };
    Ok(holds.into())
}

/// A value by itself: an answer holds where it is `true`.
fn alone(operand: &Operand, scope: &dyn Scope) -> Result<Truth, String> {
    Ok(match side(operand, scope)? {
        None => Truth::Unknown,
        Some(side) => side.text().eq_ignore_ascii_case("true").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::{EvalError, Field, Scope, Truth, Value, eval};
    use crate::{
        command::Command,
        condition::{Condition, FunctionCall},
    };

    /// An entry, if there is one; functions and queries that say what their name says.
    struct Fixed {
        has_entry: bool,
    }

    impl Scope for Fixed {
        fn field(&self, field: Field) -> Option<Value<'_>> {
            Some(match field {
                Field::Tick => Value::Integer(42),
                _ if !self.has_entry => return None,
                Field::Content => Value::Text("An Error in #dev, ask @Bob: --- \"x\"".into()),
                Field::Entity => Value::Text("@alice".into()),
                Field::Timestamp => Value::Text("2025-12-06T17:33:23.651621".into()),
                Field::Kind => Value::Text("stdout.written".into()),
            })
        }

        fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
            match &*call.name {
                "yes" => Ok(Truth::True),
                "no" => Ok(Truth::False),
                "perhaps" => Ok(Truth::Unknown),
                name => Err(format!("there is no function `{name}`")),
            }
        }

        fn query(&self, commands: &[Command]) -> Result<Option<String>, String> {
            let command = commands.first().ok_or("no command")?;
            match command.name() {
                "echo" => Ok(Some(format!("  {}\n", command.text()))),
                "later" => Ok(None),
                name => Err(format!("unknown command `{name}`")),
            }
        }
    }

    fn evaluated(text: &str, has_entry: bool) -> Result<Truth, EvalError> {
        let condition: Condition =
            format!("?({text})").parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        eval(&condition, &Fixed { has_entry })
    }

    #[test]
    fn comparisons_are_typed() {
        let cases = [
            ("tick > 41 and tick >= 42 and tick <= 42 and tick < 43", true),
            ("tick = 42 and tick == 42.0 and tick != 43 and 41.5 < tick", true),
            ("tick > 42", false),
            ("tick between 42 and 42", true),
            ("between tick 10 and 20", false),
            ("after tick 41 and before tick 43", true),
            ("after tick 42", false),
            ("content contains 'ERROR IN'", true),
            ("content contains '\\---'", true),
            ("content contains @bob and content contains #DEV", true),
            ("content contains @bo", false),
            ("content contains 'bo'", true),
            ("content = 'an error'", false),
            ("kind = 'stdout.written'", true),
            ("kind = 'Stdout.written'", false),
            ("kind != 'x'", true),
            ("content matches '^An E\\w+ in'", true),
            ("content matches '^an'", false),
            ("content matches '(?i)^an'", true),
            (
                "entity = @Alice and entity = 'alice' and entity = '@ALICE' and @alice = entity",
                true,
            ),
            ("entity != @bob", true),
            ("entity contains 'lic' and entity matches '^@alice$'", true),
            ("timestamp = '2025-12-06T18:33:23.651621+01:00'", true),
            ("timestamp > '2025-12-06T17:33:23Z'", true),
            ("before '2025-12-06T17:33:23Z'", false),
            ("between '2025-12-06T17:00:00' and '2025-12-06T18:00:00'", true),
            (
                r"$(\echo 5 ---) > 4 and $(\echo 5.0 ---) = 5 and $(\echo 10 ---) > $(\echo 9 ---)",
                true,
            ),
            (r"$(\echo 10 ---) > '9'", true),
            (r"$(\echo b ---) > 'a' and $(\echo none ---) != 0", true),
            (r"$(\echo True ---) and $(\echo TRUE ---) = true", true),
            (r"$(\echo yes ---)", false),
            (r"$(\echo @ALICE ---) = entity and $(\echo #Dev ---) = #dev", true),
            (r"$(\echo An error ---) contains 'ERR'", true),
            (r"tick < $(\echo 43 ---)", true),
            (r"timestamp < $(\echo 2026-01-01T00:00:00Z ---)", true),
            (r"$(\echo abc ---) matches 'b'", true),
            ("true", true),
            ("not false and yes() and not no()", true),
        ];
        for (text, holds) in cases {
            assert_eq!(evaluated(text, true), Ok(holds.into()), "{text}");
        }
    }

    #[test]
    fn unknown_follows_kleene() {
        let cases = [
            ("content contains 'x'", Truth::Unknown),
            ("not entity = @x", Truth::Unknown),
            ("content = 'x' and false", Truth::False),
            ("false and content = 'x'", Truth::False),
            ("content = 'x' and true", Truth::Unknown),
            ("content = 'x' or true", Truth::True),
            ("content = 'x' or false", Truth::Unknown),
            ("timestamp between '2025-12-06T17:00:00' and '2025-12-06T18:00:00'", Truth::Unknown),
            ("kind matches 'x'", Truth::Unknown),
            ("perhaps() and no()", Truth::False),
            ("not perhaps()", Truth::Unknown),
            (r"$(\later ---) > 5 or perhaps()", Truth::Unknown),
            (r"$(\later ---)", Truth::Unknown),
            ("tick = 42", Truth::True),
        ];
        for (text, truth) in cases {
            assert_eq!(evaluated(text, false), Ok(truth), "{text}");
        }
    }

    #[test]
    fn an_error_is_not_false() {
        let cases = [
            ("bad()", "there is no function `bad`", "bad()"),
            ("not bad()", "there is no function `bad`", "bad()"),
            ("bad() and false", "there is no function `bad`", "bad()"),
            ("bad() or true", "there is no function `bad`", "bad()"),
            ("perhaps() and bad()", "there is no function `bad`", "bad()"),
            ("true and not (false or bad())", "there is no function `bad`", "bad()"),
            (r"$(\oops ---) > 5", "unknown command `oops`", r"$(\oops ---) > 5"),
            (r"$(\echo none ---) > 5", "`none` is not a number", r"$(\echo none ---) > 5"),
            (r"tick <= $(\echo soon ---)", "`soon` is not a number", r"tick <= $(\echo soon ---)"),
            (
                r"timestamp = $(\echo soon ---)",
                "`soon` is not a date and time",
                r"timestamp = $(\echo soon ---)",
            ),
        ];
        for (text, message, part) in cases {
            let error = EvalError { message: message.to_owned(), part: part.to_owned() };
            assert_eq!(evaluated(text, true), Err(error), "{text}");
        }
        // What was decided already asks nothing more.
        assert_eq!(evaluated("false and bad()", true), Ok(Truth::False));
        assert_eq!(evaluated("true or bad()", true), Ok(Truth::True));
        assert_eq!(evaluated("not (false and bad())", true), Ok(Truth::True));
    }

    #[test]
    fn a_field_of_another_type_is_an_error() {
        struct Odd;
        impl Scope for Odd {
            fn field(&self, _: Field) -> Option<Value<'_>> {
                Some(Value::Text("x".into()))
            }
        }
        for text in ["?(tick > 5)", "?(timestamp > '2025-12-06T17:00:00')", "?(between 1 and 2)"] {
            assert!(eval(&text.parse().unwrap(), &Odd).is_err(), "{text}");
        }
        assert!(eval(&"?(f())".parse().unwrap(), &Odd).is_err());
        assert!(eval(&r"?($(\a ---))".parse().unwrap(), &Odd).is_err());
    }
}
