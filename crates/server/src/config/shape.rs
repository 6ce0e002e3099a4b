//! What a key of `abide.toml` is, and the two macros in which everything about a key stands in one place: its type,
//! default, rule and description.

use toml::{Table, Value};

/// What a value must look like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number from the first to the second.
    Count(i64, i64),
    /// An amount of money, zero or more.
    Money,
    /// Free text of at most so many bytes.
    Text(usize),
    /// One of some words.
    OneOf(&'static [Word]),
    /// One of some words of which a part stands in a table.
    Listed(fn() -> Vec<Word>),
    /// A length of time such as `250ms`, in milliseconds from the first to the second.
    Time(u64, u64),
    /// A list of texts.
    Texts,
    /// A list of tool names, each with at most a trailing `*`.
    ToolPatterns,
    /// `ip:port`.
    Address,
    /// `ip:port` or `off`.
    AddressOrOff,
    /// Empty, or an `http://` or `https://` address.
    Url,
    /// Empty, or the name of an environment variable.
    VariableName,
    /// A list of names of environment variables.
    VariableNames,
    /// Empty, or five cron fields.
    Cron,
    /// A date and time, with an offset or on the clock of a zone.
    Moment,
    /// The name of a time zone.
    Zone,
    /// The id of an agent or a person.
    Id,
    /// A list of Telegram chats, as numbers or as texts.
    Chats,
}

/// One of the words that a value may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) word: &'static str,
    pub(crate) about: &'static str,
}

/// What stands under a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    Value(Shape),
    Table(&'static [Key]),
    /// A list of tables.
    Tables(&'static [Key]),
}

/// What holds where nothing sets the key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyDefault {
    /// Its table is refused without it.
    Required,
    /// Nothing.
    Unset,
    /// A value, as TOML.
    Toml(&'static str),
}

/// A key, its default, its rule and its description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) default: KeyDefault,
    pub(crate) node: Node,
}

impl Key {
    /// Its value where nothing sets it.
    pub(crate) fn default_value(&self) -> Option<Value> {
        let KeyDefault::Toml(text) = self.default else { return None };
        format!("value = {text}").parse::<Table>().ok()?.remove("value")
    }
}

/// Adds the defaults of all keys that a table does not have, down to its tables and lists of tables.
pub(crate) fn fill(keys: &[Key], table: &mut Table) {
    for key in keys {
        if !table.contains_key(key.name)
            && let Some(value) = key.default_value()
        {
            table.insert(key.name.into(), value);
        }
        match (key.node, table.get_mut(key.name)) {
            (Node::Table(keys), Some(Value::Table(table))) => fill(keys, table),
            (Node::Tables(keys), Some(Value::Array(items))) => {
                items
                    .iter_mut()
                    .filter_map(Value::as_table_mut)
                    .for_each(|table| fill(keys, table));
            }
            _ => {}
        }
    }
}

pub(super) const SECOND: u64 = 1_000;
pub(super) const HOUR: u64 = 3_600 * SECOND;
pub(super) const DAY: u64 = 24 * HOUR;

pub(super) const FLAG: Node = Node::Value(Shape::Flag);
pub(super) const MONEY: Node = Node::Value(Shape::Money);
pub(super) const TEXTS: Node = Node::Value(Shape::Texts);
pub(super) const TOOL_PATTERNS: Node = Node::Value(Shape::ToolPatterns);
pub(super) const ADDRESS: Node = Node::Value(Shape::Address);
pub(super) const ADDRESS_OR_OFF: Node = Node::Value(Shape::AddressOrOff);
pub(super) const URL: Node = Node::Value(Shape::Url);
pub(super) const VARIABLE_NAME: Node = Node::Value(Shape::VariableName);
pub(super) const VARIABLE_NAMES: Node = Node::Value(Shape::VariableNames);
pub(super) const CRON: Node = Node::Value(Shape::Cron);
pub(super) const MOMENT: Node = Node::Value(Shape::Moment);
pub(super) const ZONE: Node = Node::Value(Shape::Zone);
pub(super) const ID: Node = Node::Value(Shape::Id);
pub(super) const CHATS: Node = Node::Value(Shape::Chats);

pub(super) const fn count(min: i64, max: i64) -> Node {
    Node::Value(Shape::Count(min, max))
}

pub(super) const fn time(min_ms: u64, max_ms: u64) -> Node {
    Node::Value(Shape::Time(min_ms, max_ms))
}

pub(super) const fn text(bytes_max: usize) -> Node {
    Node::Value(Shape::Text(bytes_max))
}

/// A table as a struct, and its `KEYS`. A field is `/// Description.` and `name: Type = default, node;`. The default is a
/// TOML value, or `required`, or `unset`; the key is the field's name unless serde renames it.
macro_rules! section {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                #[doc = $about:literal]
                $(#[serde(rename = $key:literal)])?
                $field_vis:vis $field:ident: $type:ty = $default:tt, $node:expr;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, ::serde::Deserialize)]
        $vis struct $name {
            $(#[doc = $about] $(#[serde(rename = $key)])? $field_vis $field: $type,)*
        }

        impl $name {
            /// What may stand in it.
            pub(crate) const KEYS: &'static [$crate::config::shape::Key] = &[$(
                $crate::config::shape::Key {
                    name: $crate::config::shape::section!(@name $field $($key)?),
                    about: $about.trim_ascii(),
                    default: $crate::config::shape::section!(@default $default),
                    node: $node,
                },
            )*];
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@default required) => { $crate::config::shape::KeyDefault::Required };
    (@default unset) => { $crate::config::shape::KeyDefault::Unset };
    (@default $value:tt) => { $crate::config::shape::KeyDefault::Toml(stringify!($value)) };
}

/// An enum of the words that a value may be, and its `NODE`.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $(#[doc = $about:literal] $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Deserialize)]
        $vis enum $name { $(#[doc = $about] #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// What a value of it must look like.
            pub(crate) const NODE: $crate::config::shape::Node =
                $crate::config::shape::Node::Value($crate::config::shape::Shape::OneOf(&[
                    $($crate::config::shape::Word { word: $word, about: $about.trim_ascii() },)*
                ]));
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $word,)* })
            }
        }
    };
}

pub(super) use {section, words};
