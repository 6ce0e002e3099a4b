//! The closed list of message types: names, directions, first versions and limits.

use std::fmt;

use crate::limits::{
    CHECKPOINT_BYTES_MAX, FRAME_BYTES_MAX, HEARTBEAT_BYTES_MAX, HOT_RELOAD_BYTES_MAX,
    MESSAGE_BYTES_MAX, PROCESS_BYTES_MAX, SMALL_BYTES_MAX, WAL_BATCH_BYTES_MAX,
};

/// The direction of a message. Each type has only one, except `error`, whose two forms differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Agent → keeper.
    FromAgent,
    /// Keeper → agent.
    ToAgent,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FromAgent => "agent → keeper",
            Self::ToAgent => "keeper → agent",
        })
    }
}

/// A version of the protocol. An absent `version` is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// The specification's first schema.
    V1,
    /// The specification's second: `metadata` and compression.
    V2,
    /// Ours: handshake, turns, acknowledged WAL, progress.
    V3,
}

impl Version {
    /// All versions, oldest first.
    pub const ALL: [Self; 3] = [Self::V1, Self::V2, Self::V3];

    /// The number on the wire.
    pub const fn number(self) -> u64 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
        }
    }

    /// The version of that number.
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.number() == number)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

macro_rules! message_types {
    ($($variant:ident $name:literal $directions:ident $since:ident $limit:expr, $doc:literal;)*) => {
        /// The type of a message, as its `type` field says it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum MessageType {
            $(#[doc = $doc] $variant),*
        }

        impl MessageType {
            /// All types, those from the agent first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What the message is for.
            pub const fn purpose(self) -> &'static str {
                match self { $(Self::$variant => $doc),* }
            }

            /// The version that it came with.
            pub const fn since(self) -> Version {
                match self { $(Self::$variant => Version::$since),* }
            }

            /// Longest body, in bytes.
            pub const fn bytes_max(self) -> usize {
                match self { $(Self::$variant => $limit),* }
            }

            const fn directions(self) -> DirectionSet {
                match self { $(Self::$variant => DirectionSet::$directions),* }
            }
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectionSet {
    In,
    Out,
    Both,
}

message_types! {
    Hello "hello" In V3 MESSAGE_BYTES_MAX, "Opens a link of version 3: who speaks, and for which run.";
    RestoreAck "restore_ack" In V3 MESSAGE_BYTES_MAX, "The state was taken over, or could not be.";
    Ready "ready" In V3 MESSAGE_BYTES_MAX, "The agent may be asked.";
    Heartbeat "heartbeat" In V1 HEARTBEAT_BYTES_MAX, "The process lives; version 3 adds how far its work has come.";
    Checkpoint "checkpoint" In V1 CHECKPOINT_BYTES_MAX, "The agent's private state, to be kept.";
    WalEntry "wal_entry" In V1 SMALL_BYTES_MAX, "One operation, before it is done.";
    WalBatch "wal_batch" In V1 WAL_BATCH_BYTES_MAX, "Several operations, before they are done.";
    EvolutionIntent "evolution_intent" In V1 MESSAGE_BYTES_MAX, "The agent wants to change itself.";
    Metrics "metrics" In V1 SMALL_BYTES_MAX, "Measurements: milliseconds, bytes, per second.";
    ProcessDelta "process_delta" In V3 MESSAGE_BYTES_MAX, "A piece of an answer as it grows; not durable.";
    ProcessResponse "process_response" In V3 PROCESS_BYTES_MAX, "The voice that answers a turn.";
    Pong "pong" In V3 MESSAGE_BYTES_MAX, "Answers a ping: life, not progress.";
    HotReloadAck "hot_reload_ack" In V3 MESSAGE_BYTES_MAX, "New code was loaded, or could not be.";
    Evidence "evidence" In V3 MESSAGE_BYTES_MAX, "Something the agent did or claims, for its peers to see.";
    Welcome "welcome" Out V3 MESSAGE_BYTES_MAX, "Answers hello: the run, the limits, the next sequence.";
    CheckpointAck "checkpoint_ack" Out V1 MESSAGE_BYTES_MAX, "A checkpoint is durable.";
    Restore "restore" Out V1 FRAME_BYTES_MAX, "The newest good checkpoint and the operations after it.";
    HotReload "hot_reload" Out V1 HOT_RELOAD_BYTES_MAX, "Code to load into the running agent.";
    EvolutionResult "evolution_result" Out V1 MESSAGE_BYTES_MAX, "What became of an intent.";
    ProcessRequest "process_request" Out V1 PROCESS_BYTES_MAX, "One turn to answer.";
    ProcessCancel "process_cancel" Out V3 MESSAGE_BYTES_MAX, "A turn that need not be answered any more.";
    Shutdown "shutdown" Out V1 MESSAGE_BYTES_MAX, "The agent is to end.";
    WalAck "wal_ack" Out V3 MESSAGE_BYTES_MAX, "All operations up to this sequence are durable.";
    Ping "ping" Out V3 MESSAGE_BYTES_MAX, "Asks whether the process lives.";
    CheckpointRequest "checkpoint_request" Out V3 MESSAGE_BYTES_MAX, "Asks for a checkpoint now.";
    MetricsRequest "metrics_request" Out V3 MESSAGE_BYTES_MAX, "Asks for measurements now.";
    Error "error" Both V1 MESSAGE_BYTES_MAX, "Something went wrong; the two directions carry different fields.";
}

impl MessageType {
    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether messages of this type are sent in that direction.
    pub fn goes(self, direction: Direction) -> bool {
        match self.directions() {
            DirectionSet::Both => true,
            DirectionSet::In => direction == Direction::FromAgent,
            DirectionSet::Out => direction == Direction::ToAgent,
        }
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, MessageType, Version};
    use crate::limits::FRAME_BYTES_MAX;

    #[test]
    fn each_type_has_a_name_of_its_own_and_goes_one_way() {
        for kind in MessageType::ALL {
            assert_eq!(MessageType::from_name(kind.name()), Some(*kind));
            assert!(kind.bytes_max() <= FRAME_BYTES_MAX);
            let ways = [Direction::FromAgent, Direction::ToAgent].map(|way| kind.goes(way));
            assert_eq!(ways == [true, true], *kind == MessageType::Error, "{kind}");
            assert!(ways.contains(&true));
        }
        assert_eq!(MessageType::from_name("heartbeats"), None);
    }

    #[test]
    fn versions_have_the_specifications_numbers() {
        assert_eq!(Version::from_number(0), None);
        assert_eq!(Version::from_number(3), Some(Version::V3));
        assert_eq!(Version::from_number(4), None);
    }
}
