//! The engine: how a stimulus becomes a committed epoch that survives a crash at any point.
//!
//! Reading order: [`run_epoch`] walks one epoch from top to bottom. From the ground up: [`mind`] (what answers a turn),
//! [`state`] (what is folded from the ledger) and its [`StateView`], [`context`] (what a mind is shown), `console` (the command
//! language), `run_epoch`, `lane` (one agent's epochs, one after the other), `sleep`, `waker`, `projector` (keeps every view up
//! to the ledger); [`keeper`] makes one thing of them. `services` is what they share, `roster` the agents that run, [`snapshot`]
//! what makes a start short.
//!
//! The engine never reads the system's clock or the environment, opens no socket and starts no task by itself.
//!
//! What is known is a fold of the ledger's events:
//!
//! ```
//! use abide_domain::{AgentId, EntityName, Timestamp, event::AgentRegistered};
//! use abide_engine::state::State;
//! use abide_ledger::Entry;
//!
//! let felix: AgentId = "felix".parse().unwrap();
//! let (name, role, mind) = ("Felix".into(), "assistant".into(), "reflex".into());
//! let event = AgentRegistered { name, role, mind, partners: Vec::new() }.into();
//! let (entity, author) = (felix.entity(), EntityName::keeper());
//! let timestamp = Timestamp::from_micros(0);
//! let entry = Entry { seq: 1, tick: 1, timestamp, entity, author, epoch: None, event };
//!
//! let mut state = State::default();
//! state.apply(&entry).unwrap();
//! assert_eq!(state.agents[&felix].profile.as_ref().unwrap().name, "Felix");
//! ```

pub mod context;
pub mod failpoint;
pub mod keeper;
pub mod mind;
pub mod run_epoch;
pub mod schedule;
pub mod sleep;
pub mod snapshot;
pub mod state;

mod activity;
mod agent_setup;
mod attached_clients;
mod blobs;
mod console;
mod deliver;
mod dream_folders;
mod embedding;
mod entity_quotas;
mod entry_scope;
mod exploration;
mod explorer;
mod intake;
mod lane;
mod ledger_reads;
mod memory_access;
mod memory_backlog;
mod money;
mod passage_ranker;
mod projector;
mod roster;
mod services;
mod settings;
mod side_question;
mod state_view;
mod waiters;
mod waker;
mod work_budget;

pub use activity::{Activities, SeenActivity};
pub use agent_setup::{AgentSetup, DreamerSetup};
pub use attached_clients::AttachedClients;
pub use blobs::Blobs;
pub use console::ConsoleError;
pub use dream_folders::DreamFolders;
pub use embedding::EmbeddingTask;
pub use entity_quotas::{EntityQuotas, QuotaKind};
pub use exploration::MemoryReferences;
pub use explorer::ModelExplorer;
pub use keeper::Keeper;
pub use lane::{Lane, ResetResult};
pub use memory_access::MemoryAccess;
pub use money::format_dollars;
pub use passage_ranker::{PassageRanker, RankingTask};
pub use projector::{IdentityFiles, Projector, ProjectorError, agent_folder};
pub use roster::{AgentFiles, Roster};
pub use services::{Services, ToolProgress, TurnDelta};
pub use settings::{EpochSettings, KnownPeople};
pub use state_view::{StateGuard, StateView};
pub use waker::{AgentSchedule, Waker};
