//! The command language: `\stdout query: ?(tick > 42 and content contains "error") ---`.
//!
//! It says what commands look like and what conditions mean, never what a command does or whether somebody exists: that
//! is for who carries it out. Nothing here reads a clock, a file or a log; what a condition asks of the world is asked
//! through a [`Scope`]. No input makes it panic, take more than linear time, or grow beyond its [`limits`].
//!
//! Reading order: [`limits`]; [`parse`] finds [`Command`]s and leaves what stands in them alone; [`Content`] reads the
//! [`BodyNode`]s in one, as far as asked, down to [`Name`]s and [`Condition`]s. [`eval`](fn@eval) says whether a condition
//! holds, [`Watch`] how to wait for one. Everything that was read is printed so that it reads the same. [`ParseError`]
//! points at what cannot be read. [`contains_fold`] and [`mentions`] are what `contains` means, for searches without a
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
