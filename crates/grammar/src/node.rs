//! Level 2: the forms in a command's body.
//!
//! They are syntax only: whoever runs the command decides whether `@bob` exists and may be addressed.

use std::fmt;

use crate::{
    command::Command,
    condition::Condition,
    escape::write_escaped,
    name::{Name, Sigil},
};

/// One part of a command's body.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyNode {
    /// Text between forms, escapes resolved, blanks as typed.
    Text(String),
    /// `@x`.
    Entity(Name),
    /// `#x`.
    Space(Name),
    /// `@(a, b)`.
    Entities(Vec<Name>),
    /// `#(a, b)`.
    Spaces(Vec<Name>),
    /// `?(…)`.
    Condition(Condition),
    /// `$(\a --- \b ---)`.
    Query(Vec<Command>),
}

/// Splits groups into one node per name, and queries into one node per command.
pub fn expand(nodes: Vec<BodyNode>) -> Vec<BodyNode> {
    let mut expanded = Vec::with_capacity(nodes.len());
    for node in nodes {
        match node {
            BodyNode::Entities(names) => expanded.extend(names.into_iter().map(BodyNode::Entity)),
            BodyNode::Spaces(names) => expanded.extend(names.into_iter().map(BodyNode::Space)),
            BodyNode::Query(commands) => {
                expanded.extend(commands.into_iter().map(|command| BodyNode::Query(vec![command])));
            }
            node => expanded.push(node),
        }
    }
    expanded
}

/// Writes nodes as the body of a command that parses to the same nodes.
pub fn print_nodes(nodes: &[BodyNode]) -> String {
    nodes.iter().map(ToString::to_string).collect()
}

/// Writes commands one after another, as text that parses to the same commands.
pub fn print_commands(commands: &[Command]) -> String {
    commands.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for BodyNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write_escaped(f, text, None),
            Self::Entity(name) => write!(f, "@{name}"),
            Self::Space(name) => write!(f, "#{name}"),
            Self::Entities(names) => write_group(f, Sigil::Entity, names),
            Self::Spaces(names) => write_group(f, Sigil::Space, names),
            Self::Condition(condition) => condition.fmt(f),
            Self::Query(commands) => write!(f, "$({})", print_commands(commands)),
        }
    }
}

fn write_group(f: &mut fmt::Formatter<'_>, sigil: Sigil, names: &[Name]) -> fmt::Result {
    write!(f, "{}(", sigil.as_char())?;
    for (index, name) in names.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{name}")?;
    }
    f.write_str(")")
}
