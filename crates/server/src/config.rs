//! Configuration: the defaults < `<home>/abide.toml` < `ABIDE_<SECTION>_<KEY>` < flags.
//!
//! Every key stands once, in [`sections`]: files, variables, flags, `config print`, `config set`, the JSON schema and
//! `docs/configuration.md` are all made from that. An unknown key, a wrong type or a bad value is an error at start, all of
//! them at once, each with its origin. Nothing is ever silently ignored or half applied, and no secret is ever part of a
//! value: keys are named by their environment variable.
//!
//! Reading order: `shape` (what a key is), `sections` (all keys), `file` and `environment` (one source to values), `load`
//! (all sources to one [`Config`]), `effective` (the values in force), `rules` (what several keys say together), `edit`
//! (`config set`), `setting` and `adopt` (`evolve try`), `schema` and `reference` (for editors and people).

mod adopt;
mod chat;
mod edit;
mod effective;
mod environment;
mod file;
mod host;
mod load;
mod nearest;
mod problem;
mod reference;
mod rules;
mod schema;
mod sections;
mod setting;
mod shape;
mod system_zone;
mod time_span;
mod value;

pub(crate) use adopt::{Adoption, WrittenKey, adopt};
pub(crate) use edit::{ServerEdit, edit_servers, set};
pub(crate) use effective::{Config, EffectiveValue};
pub(crate) use environment::Environment;
pub(crate) use host::{host_of, is_this_machine};
pub(crate) use load::{Flag, Sources, read_file};
pub(crate) use problem::Origin;
pub(crate) use reference::{KeyReference, key_reference, markdown};
pub(crate) use schema::json_schema;
pub(crate) use sections::{
    AgentSection, AgentToolsSection, EmbedderKind, EvolutionSection, ExplorerKind, FilesSection,
    HistoryKind, IrcSection, KeeperSection, McpSection, MediaOutput, MediaPlayer, MediaSection,
    MemorySection, MindKind, ModelSection, NetworkKind, NetworkPerson, NetworkSection, NotifyKind,
    NotifySection, Provider, QuestionPolicy, SandboxMode, ScheduleSection, Settings, SharingKind,
    ShellSection, Start, Transport, VoiceKind,
};
pub(crate) use setting::Setting;
pub(crate) use system_zone::system_zone;
pub(crate) use time_span::TimeSpan;
