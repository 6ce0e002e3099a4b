//! The command language: `\stdout query: ?(tick > 42 and content contains "error") ---`.
//!
//! It defines the syntax of commands and the meaning of conditions, never what a command does or whether an entity exists:
//! that is up to whoever runs it. Nothing here reads a clock, a file or a log; a condition gets its values through a
//! [`Scope`], which is charged for the work and may end it. No input makes it panic, take more than linear time, or exceed its [`limits`].
//!
//! ```
//! use abide_grammar::{BodyNode, Condition, Field, Scope, Truth, Value, eval, parse};
//!
//! struct Entry;
//!
//! impl Scope for Entry {
//!     fn field(&self, field: Field) -> Option<Value<'_>> {
//!         match field {
//!             Field::Tick => Some(Value::Integer(43)),
//!             Field::Content => Some(Value::Text("an Error occurred".into())),
//!             _ => None,
//!         }
//!     }
//! }
//!
//! let commands = parse(r#"\wake ?(tick > 42 and content contains "error") look at it ---"#)?;
//! assert_eq!(commands[0].name(), "wake");
//! let nodes = commands[0].nodes()?;
//! let Some(BodyNode::Condition(condition)) = nodes.first() else { panic!("no condition") };
//! assert_eq!(eval(condition, &Entry), Ok(Truth::True));
//! assert_eq!(condition.to_string().parse::<Condition>()?, *condition);
//! # Ok::<(), abide_grammar::ParseError>(())
//! ```
//!
//! Reading order: [`limits`]; [`parse`] finds [`Command`]s and leaves their bodies alone; [`Content`] reads the
//! [`BodyNode`]s in one, as far as asked, down to [`Name`]s and [`Condition`]s. [`eval`](fn@eval) evaluates a condition,
//! [`Watch`] waits for one. Everything that was parsed prints as text that parses to the same. [`ParseError`] points at
//! what cannot be parsed. [`contains_fold`] and [`mentions`] are the meaning of `contains`, for searches without a
//! condition.

pub mod limits;

mod span;
mod width;

mod error;

mod cursor;
mod escape;

mod command;
mod content;
mod node;

mod name;

mod condition;
mod literal;
mod nearest;
mod pattern;
mod pattern_weight;
mod time;

mod eval;
mod fold;
mod watch;

pub use command::{Command, parse, parse_lenient};
pub use condition::{Comparison, Condition, Expr, Field, FunctionCall, Operand};
pub use content::Content;
pub use error::{ParseError, ParseErrorKind};
pub use escape::{escape, unescape};
pub use eval::{EvalError, Scope, Truth, Value, eval};
pub use fold::{FoldedNeedle, contains_fold};
pub use literal::{Duration, Literal, Time, Unit};
pub use name::{EntityNameError, Mention, Name, Sigil, mentions};
pub use node::{BodyNode, expand, print_commands, print_nodes};
pub use pattern::Pattern;
pub use span::Span;
pub use time::parse_time;
pub use watch::Watch;
