//! The wire: frames and messages between the keeper and its agents, in both directions.
//!
//! A frame is a length of four bytes, big-endian, and one MessagePack map. Every message of the specification is here
//! with its fields, in versions 1 and 2 as specified and in our version 3; `docs/wire.md` shows them. Nothing is
//! allocated because a peer announced it, everything has a limit, and every refusal names the field.
//!
//! Reading order: [`limits`], the list of [`MessageType`]s; [`Deframer`] turns bytes into [`Frame`]s, [`Message`] turns
//! those into [`FromAgent`] or [`ToAgent`] and back, [`RefusalError`] says why not. [`FrameReader`] and [`FrameWriter`] do the
//! same over pipes and sockets. [`SequenceTracker`] and the handshakes are the protocol's rules as pure machines.
//! Inside, `token` alone knows MessagePack, and `field` how a Rust value stands in a message.
//!
//! These types are the agent wire's own: the ledger and HTTP have others. This crate starts no task, reads no clock and
//! keeps no state of an agent.

pub mod limits;

mod deframe;
mod field;
mod frame;
mod from_agent;
mod handshake;
mod json;
mod message;
mod message_type;
mod payload;
mod problem;
mod raw;
mod secret;
mod sequence;
mod skim;
mod snapshot;
mod stream;
mod to_agent;
mod token;
mod turn;
mod wal;
mod writer;

pub use deframe::{CutOffError, DeframeEvent, Deframer, LostBoundaryError};
pub use frame::Frame;
pub use from_agent::{
    AgentError, AgentErrorBody, Checkpoint, Evidence, Failure, FromAgent, Heartbeat, Hello,
    HotReloadAck, Hypothesis, Improvement, Metrics, Pong, ProcessDelta, ProcessResponse, Ready,
    RestoreAck,
};
pub use handshake::{AgentHandshake, AgentStep, Expected, KeeperHandshake, KeeperStep, LinkState};
pub use json::transcode;
pub use message::{Body, EncodeError, Envelope, Message};
pub use message_type::{Direction, MessageType, Version};
pub use payload::Payload;
pub use problem::{Problem, ProblemCode, RefusalCode, RefusalError};
pub use raw::{Extra, Raw};
pub use secret::Secret;
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
pub use turn::{
    HistoryEntry, Repair, TurnContext, WireOutput, WireResult, WireStep, WireTool, WireUsage,
    error_code,
};
pub use wal::{MemoryAdd, Operation, StateUpdate, ToolRegister, WalEntry};
