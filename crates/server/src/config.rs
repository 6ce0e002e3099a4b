//! Configuration: the compiled-in `default.toml` < `<home>/abide.toml` < `ABIDE_<SECTION>_<KEY>` < flags.
//!
//! Every key is in one table ([`keys`]); files, variables, flags, `config print`, `config set` and the JSON schema are
//! all read from it. An unknown key, a wrong type or a bad value is an error at start, all of them at once, each with
//! its place. Nothing is ever silently ignored or half applied, and no secret is ever part of a value: keys are named
//! by their environment variable.
//!
//! Reading order: `keys` (what there is), `layer` (one source to values), `merge` (all sources to one [`Config`]),
//! `settings` (typed), `rules` (what several keys say together), `edit` (`config set`), `schema` (JSON schema),
//! `about` (a key for people).

mod about;
mod alertmanager;
mod edit;
mod environment;
mod escalation;
mod irc;
mod keys;
mod layer;
mod length;
mod merge;
mod nearest;
mod notify;
mod problem;
mod rules;
mod schema;
mod settings;
mod telegram;
mod value;

pub(crate) use about::{About, about};
pub(crate) use edit::set;
pub(crate) use environment::Environment;
pub(crate) use irc::{IrcSettings, Known, NetworkSettings};
pub(crate) use length::Length;
pub(crate) use merge::{Config, Entry, Flag, Sources};
pub(crate) use problem::{ConfigError, Place};
pub(crate) use schema::json_schema;
pub(crate) use settings::{
    AgentSettings, EmbedderKind, ExplorerKind, HistoryScope, MemorySettings, MindKind,
    ModelSettings, Provider, ScheduleSettings, Settings, Start, Transport, VoiceKind,
};

pub(crate) use notify::{NotifyKind, NotifySettings};

/// The defaults, as a person reads them.
pub(crate) const DEFAULT_TOML: &str = include_str!("config/default.toml");
