//! The types and rules that every other crate of Abide shares.
//!
//! Pure: no I/O, no async, no clock of its own, no randomness. Time and ids come in through [`Clock`] and [`IdSource`].
//!
//! ```
//! use abide_domain::{
//!     AgentId, Timestamp,
//!     envelope::{EnvelopeRules, StimulusEnvelope},
//! };
//!
//! let json = serde_json::json!({
//!     "stimulus": {
//!         "content": "hello",
//!         "sender": "ada",
//!         "channel": "api",
//!         "timestamp": "2026-11-27T22:10:03Z"
//!     },
//!     "last_driver_output": null,
//!     "citizen": "felix"
//! });
//! let now: Timestamp = "2026-11-27T22:10:04Z".parse()?;
//! let is_citizen = |id: &AgentId| id.as_str() == "felix";
//! let envelope = StimulusEnvelope::from_json(&json, EnvelopeRules { now, is_citizen: &is_citizen })?;
//! assert_eq!(envelope.session(), "api:ada");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`limits`], [`Timestamp`] and [`Clock`], [`Zone`], the ids, the [`envelope`] of a stimulus, the [`epoch`] machine
//! that says which event may follow which, that of an agent's changes ([`evolution`]), the [`voice`] that a mind answers with, the [`turn`] that it is asked, the
//! [`context_object`] that it is shown, the [`tool`] classes, the [`graph`] of an agent's memory, the closed [`event`] enum
//! that the ledger stores, and [`evidence`]: those events as peers see them.

pub mod limits;
pub mod quota;

mod borrowed_text;
mod clock;
mod id;
mod offset;

pub mod context_object;
pub mod dates;
pub mod envelope;
pub mod epoch;
pub mod event;
pub mod evidence;
pub mod evolution;
pub mod graph;
pub mod strict_json;
pub mod text;
pub mod tool;
pub mod turn;
pub mod voice;

mod age;
mod brake;
mod command;
mod hidden;
mod known_wait;
mod part_clock;
mod peer;
mod reserved;
mod secret;
mod sharing;
mod space;
mod time_zone;

pub use age::{format_age, format_duration};
pub use brake::{Brake, Braked};
pub use clock::{Clock, Timestamp, TimestampError};
pub use command::{COMMANDS, leading_command};
pub use hidden::{escaped_json, is_blank, is_hidden, visible, visible_line, without_hidden};
pub use id::{
    AgentId, ApprovalId, CallId, CheckpointId, EntityName, EpisodeId, EpochId, EvolutionId, FactId,
    IdError, IdSource, MessageId, NoticeId, ProposalId, QuestionId, RunId, SleepId, WakeId,
};
pub use known_wait::{KnownWait, WaitReason};
pub use part_clock::PartClock;
pub use peer::Peer;
pub use reserved::{OWNER, WATCHDOG, is_reserved_agent_name, is_reserved_name};
pub use secret::Secret;
pub use sharing::Sharing;
pub use space::SpaceName;
pub use time_zone::{Zone, ZoneError};
