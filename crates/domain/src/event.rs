//! The closed enum of events: one group a file, past tense, versioned.
//!
//! An [`Event`] is the `kind`, `v` and `data` of a ledger line; who, when and its position come from the ledger. No
//! event repeats text that an earlier one holds: later events refer to earlier ones by id. [`catalogue`] lists all
//! kinds; `docs/ledger-format.md` is checked against it.
//!
//! Events between `epoch.opened` and the epoch's end carry its id and are *staged*: those of the `memory.*` group take
//! effect at `epoch.committed` and never if the epoch is aborted (decision 18).

use serde_json::value::RawValue;

mod agent;
mod approval;
mod channel;
mod context;
mod deck;
mod encoded;
mod epoch;
mod evidence;
mod evolution;
mod keeper;
mod mcp;
mod media;
mod memory;
mod sleep;
mod space;
mod stdout;
mod stimulus;
mod tool;
mod tool_policy;
mod turn;
mod wake;
pub mod watchdog;

pub use agent::{
    AgentCheckpointed, AgentEvent, AgentPaused, AgentRegistered, AgentResumed, AgentSpawned,
    EvidenceReported, ExitReason, FaultSource, Partner, PauseReason, ProcessExited, ProcessFaulted,
    ProcessMeasured, ProcessReady, ProcessResponsive, ProcessSandbox, ProcessStarted,
    ProcessUnresponsive, RestartsFrequent, StartCause, StateBegun, StateTroubled,
};
pub use approval::{
    ApprovalDecided, ApprovalEvent, ApprovalRequested, ApprovedCall, DecidedBy, Decision,
};
pub use channel::{
    ChannelAnswered, ChannelAsked, ChannelChatMoved, ChannelEvent, ChannelGateMoved, ChannelJoined,
    ChannelMaybeSent, ChannelParted, ChannelReadMarked, ChannelSaid, ChannelSending,
    ChannelTopicSet, ChannelUnsent, SpokenForm,
};
pub use context::{
    ContextAssembled, ContextEvent, ContextTokens, DeckNotesShown, Exploration, HistoryWindow,
    Lens, MemoryRef, MemoryRefError, OfferedTools, OwnEntries,
};
pub use deck::{
    DeckAuthor, DeckBracketSet, DeckCreated, DeckEdited, DeckLedgerEvent, DeckLineEdited,
    DeckLinesRefused, DeckLinesReopened, DeckLinesTaken, DeckLoaded, DeckProposed, DeckUndone,
};
pub use epoch::{
    AbortCode, EpochAborted, EpochCommitted, EpochDismissed, EpochEvent, EpochOpened,
    EpochStoodStill,
};
pub use evidence::{EvidenceEvent, EvidenceRecorded, ParWritten};
pub use evolution::{
    AskedJudge, ComparedLeg, ComparedPair, EvolutionAborted, EvolutionAnswered, EvolutionBackedUp,
    EvolutionCheckpointed, EvolutionCompared, EvolutionDecided, EvolutionDecision, EvolutionEvent,
    EvolutionKept, EvolutionProposed, EvolutionReloaded, EvolutionRolledBack,
    EvolutionShadowStarted, EvolutionStageBegun, EvolutionTrial, EvolutionValidated, JudgedAnswer,
    TrialJudge,
};
pub use keeper::{
    EraseRequested, ErasedLine, KeeperEvent, KeeperStarted, KeeperStopped, LedgerErased,
    SegmentOpened, TailQuarantined, TickIntervalChanged,
};
pub use mcp::{McpAnswer, McpEvent, McpQuestionAnswered, McpQuestionAsked, McpToolAccepted};
pub use media::{
    MediaAuthor, MediaAuthorKind, MediaEntry, MediaEntryFailed, MediaEntryFinished,
    MediaEntryStarted, MediaEvent, MediaIntent, MediaIntentSet, MediaPlaylistAdded,
    MediaPlaylistCreated, MediaPlaylistDeleted, MediaPlaylistMoved, MediaPlaylistRemoved,
    MediaPlaylistRenamed, MediaQueueAdded, MediaQueueCleared, MediaQueueMoved, MediaQueueRemoved,
    MediaRepeatMode, MediaRepeatSet, MediaShuffleSet, MediaStopReason, MediaStopped,
    MediaVolumeSet,
};
pub use memory::{
    DreamForgotten, DreamWritten, EdgeClosed, EdgeRecorded, FactDecided, FactForgotten,
    FactProposed, FactRemembered, IdentityChanged, IdentityDecided, IdentityProposed,
    IdentitySource, MemoryEvent, MemoryForgotten, MemoryReset, NodeClosed, NodeRecorded,
};
pub use sleep::{
    SleepEnded, SleepEvent, SleepStarted, SleepStatus, SleepStep, SleepTrigger, StepFinished,
    StepStatus,
};
pub use space::{SpaceEvent, SpaceNamed, SpaceSaid};
pub use stdout::{StdoutEvent, StdoutGranted, StdoutRevoked, StdoutWritten};
pub use stimulus::{AcceptedOutput, Idempotency, StimulusAccepted, StimulusCause, StimulusEvent};
pub use tool::{
    Ethereal, InnerToolFinished, InnerToolRequested, ToolEvent, ToolFinished, ToolKept,
    ToolRequested,
};
pub use tool_policy::{PolicySetting, ToolPolicyChanged, ToolPolicyEvent};
pub use turn::{
    TurnCompleted, TurnEvent, TurnFailed, TurnStarted, UsageRecord, VoiceCall, VoiceRecord,
};
pub use wake::{
    WakeCancelled, WakeEvent, WakeFired, WakeRan, WakeScheduled, WakeSet, WakeUnscheduled,
};
pub use watchdog::WatchdogEvent;

/// A kind of event, as the catalogue lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name, `group.past_tense`.
    pub name: &'static str,
    /// The version of its data that this program writes.
    pub version: u32,
    /// One line of description.
    pub about: &'static str,
}

/// Why a line's kind and data cannot be read as an event.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// The kind is not in the enum.
    #[error("the kind of event `{kind}` is not known to this version")]
    UnknownKind {
        /// The kind in the line.
        kind: String,
    },
    /// A newer program wrote it.
    #[error(
        "`{kind}` has version {found}, and this program reads up to version {known}: update it"
    )]
    NewerVersion {
        /// The kind.
        kind: String,
        /// The line's version.
        found: u32,
        /// The newest that is read.
        known: u32,
    },
    /// The data does not have the shape of its kind.
    #[error("the data of `{kind}` cannot be read")]
    Data {
        /// The kind.
        kind: String,
        /// The JSON error.
        source: serde_json::Error,
    },
}

/// The data of an event, as JSON.
type Encoded = Box<RawValue>;

/// Declares a group: an enum with one variant a kind, each wrapping the struct that is its data.
macro_rules! event_group {
    ($(#[$doc:meta])* $group:ident {
        $($(#[doc = $about:literal])+ $variant:ident($data:ident) = $name:literal v $version:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $group {
            $($(#[doc = $about])+ $variant($data),)+
        }

        impl $group {
            pub(super) const KINDS: &'static [super::Kind] = &[$(super::Kind {
                name: $name,
                version: $version,
                about: concat!($($about),+).trim_ascii(),
            },)+];

            pub(super) fn kind(&self) -> super::Kind {
                match self {
                    $(Self::$variant(_) => super::Kind {
                        name: $name,
                        version: $version,
                        about: concat!($($about),+).trim_ascii(),
                    },)+
                }
            }

            pub(super) fn encode(&self) -> Result<super::Encoded, serde_json::Error> {
                match self {
                    $(Self::$variant(data) => serde_json::value::to_raw_value(data),)+
                }
            }

            pub(super) fn decode(kind: &str, data: &str) -> Option<Result<Self, serde_json::Error>> {
                match kind {
                    $($name => Some(serde_json::from_str(data).map(Self::$variant)),)+
                    _ => None,
                }
            }
        }

        impl serde::Serialize for $group {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                super::encoded::serialize(self.kind(), self.encode(), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $group {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                super::encoded::deserialize(from, Self::decode)
            }
        }

        $(impl From<$data> for super::Event {
            fn from(data: $data) -> Self {
                $group::$variant(data).into()
            }
        })+
    };
}
pub(crate) use event_group;

macro_rules! event {
    ($($(#[$doc:meta])* $variant:ident($group:ident)),+ $(,)?) => {
        /// An event: the kind and data of a ledger line.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $variant($group),)+
        }

        $(impl From<$group> for Event {
            fn from(event: $group) -> Self {
                Self::$variant(event)
            }
        })+

        impl Event {
            /// Its kind.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$variant(event) => event.kind(),)+
                }
            }

            /// Its data as one line of JSON.
            pub fn encode_data(&self) -> Result<Encoded, serde_json::Error> {
                match self {
                    $(Self::$variant(event) => event.encode(),)+
                }
            }

            /// Reads an event back from a line's kind, version and data.
            pub fn decode(kind: &str, version: u32, data: &str) -> Result<Self, EventError> {
                let known = catalogue().find(|k| k.name == kind);
                let Some(known) = known else {
                    return Err(EventError::UnknownKind { kind: kind.into() });
                };
                if version > known.version {
                    let (found, known) = (version, known.version);
                    return Err(EventError::NewerVersion { kind: kind.into(), found, known });
                }
                $(if let Some(event) = $group::decode(kind, data) {
                    return event
                        .map(Self::$variant)
                        .map_err(|source| EventError::Data { kind: kind.into(), source });
                })+
                Err(EventError::UnknownKind { kind: kind.into() })
            }
        }

        /// All kinds of event, in the order of the groups.
        pub fn catalogue() -> impl Iterator<Item = Kind> {
            [$($group::KINDS,)+].into_iter().flatten().copied()
        }
    };
}

/// Whether a kind is the one that is wanted, or of the wanted group: `epoch.*`.
pub fn kind_fits(wanted: &str, kind: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(group) => kind.starts_with(group),
        None => wanted == kind,
    }
}

event! {
    /// Accepted stimuli.
    Stimulus(StimulusEvent),
    /// The life of an epoch.
    Epoch(EpochEvent),
    /// The context that a mind was shown.
    Context(ContextEvent),
    /// Attempts at turns.
    Turn(TurnEvent),
    /// Calls and their outcomes.
    Tool(ToolEvent),
    /// Decisions that a person is asked for.
    Approval(ApprovalEvent),
    /// Changes of an agent's memory.
    Memory(MemoryEvent),
    /// Sleep and its steps.
    Sleep(SleepEvent),
    /// The logs of entities.
    Stdout(StdoutEvent),
    /// Tools of other programs.
    Mcp(McpEvent),
    /// What people set about tools.
    ToolPolicy(ToolPolicyEvent),
    /// Spaces and their messages.
    Space(SpaceEvent),
    /// Messages on channels such as IRC.
    Channel(ChannelEvent),
    /// Wakes and schedules.
    Wake(WakeEvent),
    /// Agents and their processes.
    Agent(AgentEvent),
    /// Changes of an agent's own code.
    Evolution(EvolutionEvent),
    /// Decks and what is proposed of them.
    Deck(DeckLedgerEvent),
    /// Music and playlists.
    Media(MediaEvent),
    /// Explicit evidence.
    Evidence(EvidenceEvent),
    /// The watchdog's scans, episodes and notices.
    Watchdog(WatchdogEvent),
    /// The keeper and its ledger.
    Keeper(KeeperEvent),
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Event, EventError, MemoryReset, catalogue};

    #[test]
    fn kinds_are_unique_and_grouped() {
        let names: Vec<_> = catalogue().map(|kind| kind.name).collect();
        let unique: HashSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        assert!(names.iter().all(|name| name.split('.').count() == 2), "{names:?}");
        assert!(catalogue().all(|kind| !kind.about.is_empty()));
    }

    #[test]
    fn a_newer_version_and_an_unknown_kind_are_told_apart() {
        let event: Event = MemoryReset { through_seq: 7, epochs: 2 }.into();
        let data = event.encode_data().unwrap();
        assert_eq!(Event::decode("memory.reset", 1, data.get()).unwrap(), event);
        assert!(matches!(
            Event::decode("memory.reset", 2, data.get()),
            Err(EventError::NewerVersion { .. })
        ));
        assert!(matches!(
            Event::decode("memory.sung", 1, "{}"),
            Err(EventError::UnknownKind { .. })
        ));
        assert!(matches!(Event::decode("memory.reset", 1, "[]"), Err(EventError::Data { .. })));
    }
}
