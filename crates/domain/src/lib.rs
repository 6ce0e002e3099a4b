//! Nouns and rules of Abide, shared by every other crate.
//!
//! Pure: no I/O, no async, no clock of its own, no randomness. Time and ids come in through [`Clock`] and [`IdSource`].
//!
//! Reading order: [`limits`] (every bound has its name there), [`Timestamp`] and [`Clock`], the ids, the
//! [`envelope`] that lets a stimulus in, the [`epoch`] machine that says which event may follow which, the [`voice`]
//! that a mind answers with, the [`turn`] that it is asked, the [`context_object`] that it is shown, the [`tool`] classes, the [`graph`] of what is remembered, and the closed [`event`] enum that
//! the ledger stores, and [`evidence`]: those events as peers see them.

pub mod limits;

mod clock;
mod id;

pub mod context_object;
pub mod envelope;
pub mod epoch;
pub mod event;
pub mod evidence;
pub mod graph;
pub mod text;
pub mod tool;
pub mod turn;
pub mod voice;

mod age;
mod command;
mod space;

pub use age::{age_in_words, length_in_words};
pub use clock::{Clock, Timestamp, TimestampError};
pub use command::{COMMANDS, leading_command};
pub use id::{
    AgentId, ApprovalId, CallId, CheckpointId, EntityName, EpisodeId, EpochId, EvolutionId, FactId,
    IdError, IdSource, MessageId, NoticeId, ProposalId, RunId, SleepId, WakeId,
};
pub use space::SpaceName;
