//! The wire: frames and messages between the keeper and its agents, in both directions.
//!
//! A frame is a length of four bytes, big-endian, and one MessagePack map. Every message of the specification is here
//! with its fields, in versions 1 and 2 as specified and in our version 3; `docs/wire.md` shows them. Nothing is
//! allocated because a peer announced it, everything has a limit, and every refusal names the field.
//!
//! ```
//! use abide_domain::Timestamp;
//! use abide_wire::{
//!     DeframeEvent, Deframer, Direction, FromAgent, Heartbeat, Message, Version,
//! };
//!
//! let heartbeat = Heartbeat { progress: Some(7) };
//! let sent = Message::<FromAgent>::new(Version::V3, Timestamp::from_micros(0), heartbeat);
//! let bytes = sent.encode()?;
//!
//! let mut deframer = Deframer::new(Direction::FromAgent);
//! let Some(DeframeEvent::Frame(frame)) = deframer.take(&mut &bytes[..])? else { panic!("no frame") };
//! assert_eq!(Message::<FromAgent>::decode(&frame)?, sent);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`limits`], the list of [`MessageType`]s; [`Deframer`] turns bytes into [`Frame`]s, [`Message`] turns
//! those into [`FromAgent`] or [`ToAgent`] and back, a [`RefusalError`] says why not. [`FrameReader`] and [`FrameWriter`] do
//! the same over pipes and sockets. [`SequenceTracker`] and the handshakes are the protocol's rules as pure state machines.
//! Inside, `token` alone knows MessagePack, and `field` how Rust values are read and written.
//!
//! These types are the agent wire's own: the ledger and HTTP have others. This crate starts no task, reads no clock and
//! keeps no state of an agent.

pub mod limits;

mod deframe;
mod field;
mod field_error;
mod frame;
mod from_agent;
mod handshake;
mod json;
mod message;
mod message_type;
mod payload;
mod raw;
mod sequence;
mod skim;
mod snapshot;
mod stream;
mod to_agent;
mod token;
mod turn;
mod turn_context;
mod wal;
mod writer;

pub use abide_domain::Secret;
pub use deframe::{CutOffError, DeframeEvent, Deframer, LostBoundaryError};
pub use field_error::{FieldError, FieldErrorCode, RefusalCode, RefusalError};
pub use frame::Frame;
pub use from_agent::{
    AgentError, AgentErrorBody, Checkpoint, Evidence, Failure, FromAgent, Heartbeat, Hello,
    HotReloadAck, Hypothesis, Improvement, Metrics, Pong, ProcessDelta, ProcessResponse, Ready,
    RestoreAck,
};
pub use handshake::{
    AgentHandshake, AgentStep, ExpectedAgent, KeeperHandshake, KeeperStep, LinkState,
};
pub use json::transcode;
pub use message::{Body, EncodeError, Envelope, Message};
pub use message_type::{Direction, MessageType, Version};
pub use payload::Payload;
pub use raw::{Extra, Raw};
pub use sequence::{SequenceGapError, SequenceTracker, SequenceVerdict};
pub use snapshot::{
    AgentState, AgentStatus, ConversationEntry, MemoryBlock, RegisteredTool, Role, Snapshot,
    ToolRegistry, Totals,
};
pub use stream::{FrameReadError, FrameReader, FrameWriter, ReceivedBytes, WriteError};
pub use to_agent::{
    CancelReason, CheckpointAck, CheckpointReason, CheckpointRequest, Decision, EvolutionMetrics,
    EvolutionResult, HotReload, KeeperError, KeeperErrorBody, LinkLimits, MetricsRequest, Ping,
    ProcessCancel, ProcessInput, ProcessRequest, Restore, Shutdown, ToAgent, WalAck, Welcome,
};
pub use turn::error_code;
pub use turn_context::{
    HistoryEntry, Repair, TurnContext, WireOutput, WireResult, WireStep, WireTool, WireUsage,
};
pub use wal::{MemoryAdd, Operation, StateUpdate, ToolRegister, WalEntry};
