//! The tree of a condition: fields, values and how they are combined. Anybody may read it; only the parser makes one whose
//! types fit.

use crate::{command::Command, fold::FoldedNeedle, literal::Literal, pattern::Pattern, span::Span};

/// A field of a log entry that a condition can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The world's clock: a whole number.
    Tick,
    /// The entry's text.
    Content,
    /// Whose entry it is: a name.
    Entity,
    /// The entry's time: a point in time.
    Timestamp,
    /// The kind of entry: text.
    Kind,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 5] =
        [Self::Tick, Self::Content, Self::Entity, Self::Timestamp, Self::Kind];

    /// The field as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tick => "tick",
            Self::Content => "content",
            Self::Entity => "entity",
            Self::Timestamp => "timestamp",
            Self::Kind => "kind",
        }
    }

    /// The field of that name, ignoring case.
    pub(super) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str().eq_ignore_ascii_case(word))
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `=` or `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `contains` a mention as a whole token, or something that is not known yet; a text: see [`Expr::Contains`].
    Contains,
}

impl Comparison {
    /// The comparison as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Contains => "contains",
        }
    }
}

/// A function call. Whoever evaluates it decides whether the function exists and what its arguments must be.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// The function in lower case.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Literal>,
    /// Its place, for [`Condition::refuse`](crate::Condition::refuse).
    pub span: Span,
}

/// The place does not count.
impl PartialEq for FunctionCall {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.args) == (&other.name, &other.args)
    }
}

/// A value that is compared, or that is a condition by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A field of the entry.
    Field(Field),
    /// A value as written; by itself only `true` and `false`.
    Literal(Literal),
    /// A function; only by itself.
    Call(FunctionCall),
    /// The answer of commands; by itself it holds if that is `true`.
    Query(Vec<Command>),
}

/// A tree of conditions. [`Expr::Or`] and [`Expr::And`] hold at least two.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// One of them.
    Or(Vec<Self>),
    /// All of them.
    And(Vec<Self>),
    /// The opposite.
    Not(Box<Self>),
    /// Two values.
    Compare {
        /// The left side.
        left: Operand,
        /// The comparison.
        op: Comparison,
        /// The right side.
        right: Operand,
    },
    /// A text and a part of it, ignoring case.
    Contains {
        /// The text.
        left: Operand,
        /// The part, as a text in quotes.
        needle: FoldedNeedle,
    },
    /// A text and a regular expression, which matches anywhere in it.
    Matches {
        /// The text.
        left: Operand,
        /// The expression.
        pattern: Pattern,
    },
    /// A field within bounds, both included.
    Between {
        /// [`Field::Tick`] or [`Field::Timestamp`].
        field: Field,
        /// The lower bound.
        low: Literal,
        /// The upper bound, not below the lower.
        high: Literal,
    },
    /// A value by itself.
    Is(Operand),
}

impl Expr {
    pub(super) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Self)) {
        see(self);
        match self {
            Self::Or(parts) | Self::And(parts) => parts.iter().for_each(|part| part.visit(see)),
            Self::Not(part) => part.visit(see),
            Self::Compare { .. }
            | Self::Contains { .. }
            | Self::Matches { .. }
            | Self::Between { .. }
            | Self::Is(_) => {}
        }
    }

    /// The values directly in it.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (first, second) = match self {
            Self::Compare { left, right, .. } => (Some(left), Some(right)),
            Self::Contains { left: operand, .. }
            | Self::Matches { left: operand, .. }
            | Self::Is(operand) => (Some(operand), None),
            Self::Or(_) | Self::And(_) | Self::Not(_) | Self::Between { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The fields directly in it.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        let range = if let Self::Between { field, .. } = self { Some(*field) } else { None };
        let named = self.operands().filter_map(|operand| match operand {
            Operand::Field(field) => Some(*field),
            Operand::Literal(_) | Operand::Call(_) | Operand::Query(_) => None,
        });
        named.chain(range)
    }

    /// Whether this expression and those in it ask only for fields that `fits` accepts, and for at least one.
    pub(crate) fn asks_only(&self, fits: &dyn Fn(Field) -> bool) -> bool {
        let (mut asks, mut only) = (false, true);
        self.visit(&mut |expr| {
            asks |= expr.fields().next().is_some();
            only &= expr.fields().all(fits);
            only &= !expr.operands().any(|o| matches!(o, Operand::Call(_) | Operand::Query(_)));
        });
        asks && only
    }

    pub(super) fn each_literal(&mut self, change: &mut dyn FnMut(&mut Literal)) {
        match self {
            Self::Or(parts) | Self::And(parts) => {
                for part in parts {
                    part.each_literal(change);
                }
            }
            Self::Not(part) => part.each_literal(change),
            Self::Compare { left, right, .. } => {
                left.each_literal(change);
                right.each_literal(change);
            }
            Self::Contains { left: operand, .. }
            | Self::Matches { left: operand, .. }
            | Self::Is(operand) => {
                operand.each_literal(change);
            }
            Self::Between { .. } => {}
        }
    }
}

impl Operand {
    fn each_literal(&mut self, change: &mut dyn FnMut(&mut Literal)) {
        match self {
            Self::Literal(literal) => change(literal),
            Self::Call(call) => call.args.iter_mut().for_each(change),
            Self::Field(_) | Self::Query(_) => {}
        }
    }
}
