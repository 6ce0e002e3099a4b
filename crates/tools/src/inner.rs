//! Calls within a call: the body of a tool that an agent made for itself asks the keeper for another tool.
//!
//! It is asked with the rights of the agent and no others, and each is written down. No other tool asks for tools.

use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::Value;

/// Runs tools for the tool that runs.
pub trait InnerCalls: Send + Sync + fmt::Debug {
    /// Runs one to its end. The error says in words why it gave nothing.
    fn call<'a>(&'a self, name: &'a str, arguments: Value) -> BoxFuture<'a, Result<Value, String>>;
}

/// Runs none.
#[derive(Clone, Copy, Debug)]
pub struct NoInnerCalls;

impl InnerCalls for NoInnerCalls {
    fn call<'a>(&'a self, name: &'a str, _: Value) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(std::future::ready(Err(format!("`{name}` cannot be called from here"))))
    }
}
