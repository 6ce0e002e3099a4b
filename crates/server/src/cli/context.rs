//! What every command works with.

use super::terminal::Terminal;
use crate::{config::Environment, home::Home};

/// What every command works with.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) home: Home,
    pub(crate) environment: Environment,
    pub(crate) terminal: Terminal,
}
