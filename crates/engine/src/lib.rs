//! The walk: how a stimulus becomes a committed epoch that survives anything.
//!
//! Reading order: [`run_epoch`] is the walk itself. [`keeper`] is the door and the handle; a `lane` runs one epoch
//! after the other for each agent; [`state`] is the house, folded from the ledger; the `projector` keeps it up to date;
//! [`context`] is what a mind is shown; [`mind`] the swappable station; [`sleep`] what happens between the
//! days. `console` carries the command language out, the `waker` wakes who waits. `services` is what they share, the
//! `roster` who lives here.
//!
//! The engine never reads the system's clock or the environment, opens no socket and starts no task by itself.

pub mod context;
pub mod failpoint;
pub mod keeper;
pub mod mind;
pub mod run_epoch;
pub mod schedule;
pub mod sleep;
pub mod state;

mod aside;
mod blobs;
mod console;
mod deliver;
mod dream_folders;
mod dreaming;
mod embedding;
mod entry_scope;
mod explorer;
mod lane;
mod projector;
mod recollection;
mod roster;
mod services;
mod waiters;
mod waker;

pub use blobs::Blobs;
pub use console::ConsoleError;
pub use dream_folders::DreamFolders;
pub use dreaming::{Dreaming, References};
pub use embedding::Embedding;
pub use explorer::ModelExplorer;
pub use keeper::Keeper;
pub use lane::{Lane, ResetDone};
pub use projector::{IdentityFiles, Projector, ProjectorError, agent_folder};
pub use recollection::MemoryAccess;
pub use roster::{AgentFiles, Roster};
pub use services::{AgentSetup, Attached, EpochSettings, Services, StateView, TurnDelta};
pub use waker::{ScheduleOf, Waker};
