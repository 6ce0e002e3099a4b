//! `channel.*`: messages on channels such as IRC, and which answers are still to be sent there.
//!
//! A line keeps its text beside the stimulus or the answer that holds the same words: it is what a network carried, cut
//! and addressed as it was, under an id of its own, and much of it was said to nobody here. None of it is evidence, moves
//! an agent or is remembered; the words that count stand in `stimulus.accepted` and `turn.completed`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{AgentId, Timestamp, envelope::Channel};

event_group! {
    /// Messages on channels such as IRC.
    ChannelEvent {
        /// Somebody said a line. The entity is who spoke; of a guest it is the keeper.
        Said(ChannelSaid) = "channel.said" v 1,
        /// The stimulus of this epoch was asked there, and is to be answered there. In the batch of the stimulus. One that was
        /// refused has no epoch.
        Asked(ChannelAsked) = "channel.asked" v 1,
        /// The answer of this epoch is about to leave for where it was asked. What ends without `channel.answered` after it may
        /// have been said.
        Sending(ChannelSending) = "channel.sending" v 1,
        /// The answer did not leave, for certain: it is still owed.
        Unsent(ChannelUnsent) = "channel.unsent" v 1,
        /// Nobody can know whether the answer was said. It is not said again; the person is told so.
        MaybeSent(ChannelMaybeSent) = "channel.maybe_sent" v 1,
        /// The answer of this epoch was said where it was asked, or was given up; nothing is owed any more.
        Answered(ChannelAnswered) = "channel.answered" v 1,
        /// An agent is in a room from here on, over restarts.
        Joined(ChannelJoined) = "channel.joined" v 1,
        /// An agent is not in a room any more.
        Parted(ChannelParted) = "channel.parted" v 1,
        /// An agent hears everything in a room from here on, or its mentions alone.
        GateMoved(ChannelGateMoved) = "channel.gate_moved" v 1,
        /// A room has another topic.
        TopicSet(ChannelTopicSet) = "channel.topic_set" v 1,
        /// A person has read up to a moment.
        ReadMarked(ChannelReadMarked) = "channel.read_marked" v 1,
        /// A group has another number from here on.
        ChatMoved(ChannelChatMoved) = "channel.chat_moved" v 1,
    }
}

/// A line on a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelSaid {
    /// The kind of place.
    pub channel: Channel,
    /// The network; none for the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The room, such as `#abide`; none where an agent and one person were alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// The agent that was alone with the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<AgentId>,
    /// The agent that spoke; none where a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The account of the person that spoke, or was alone with the agent; none of a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The name that it was said under.
    pub nick: String,
    /// In which form.
    pub form: SpokenForm,
    /// The words, without formatting.
    pub text: Arc<str>,
    /// What the network knows it by; empty where it has no ids.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub msgid: String,
    /// When it was said.
    pub at: Timestamp,
    /// The relay that carried it here, where one says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relay: Option<String>,
}

/// In which form something was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpokenForm {
    /// Plain speech.
    Speech,
    /// What somebody does, as in `/me waves`.
    Action,
    /// Something that nothing may answer by itself.
    Notice,
}

/// The channel on which the stimulus of an epoch came, and where its answer is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelAsked {
    /// The kind of place.
    pub channel: Channel,
    /// The network; none for the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The room; none where the person was alone with the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// Who asked.
    pub account: String,
    /// By which name.
    pub nick: String,
    /// The line that asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub msgid: String,
    /// Of a question that was refused: how many lines it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_lines: Option<u64>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelAnswered {
    /// The kind of place.
    pub channel: Channel,
    /// How many it was sent to; 0 where nobody came to hear it in time.
    pub people: u64,
    /// Whether only the remark was sent that the answer may have been.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub maybe_sent: bool,
}

/// An answer about to leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelSending {
    /// The kind of place.
    pub channel: Channel,
    /// Which part of it, counted from 0, where each leaves by itself; none where all of it leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u64>,
}

/// An answer that did not leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelUnsent {
    /// The kind of place.
    pub channel: Channel,
}

/// An answer that may have been said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelMaybeSent {
    /// The kind of place.
    pub channel: Channel,
}

/// What an agent hears in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelGateMoved {
    /// The kind of place.
    pub channel: Channel,
    /// The network; none for the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The room.
    pub room: String,
    /// Whether the agent hears everything there.
    pub is_open: bool,
}

/// What a room is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelTopicSet {
    /// The kind of place.
    pub channel: Channel,
    /// The room.
    pub room: String,
    /// The topic; empty where there is none any more.
    pub topic: String,
    /// The name of who set it.
    pub nick: String,
}

/// How far somebody has read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelReadMarked {
    /// The kind of place.
    pub channel: Channel,
    /// The room, or the name of the other side of a conversation.
    pub target: String,
    /// Who read.
    pub account: String,
    /// All that was said up to this moment.
    pub at: Timestamp,
}

/// A group that has another number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelChatMoved {
    /// The kind of place.
    pub channel: Channel,
    /// Its old number.
    pub from: i64,
    /// Its new one.
    pub to: i64,
}

/// An agent came into a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelJoined {
    /// The kind of place.
    pub channel: Channel,
    /// The network; none for the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The room.
    pub room: String,
}

/// An agent left a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelParted {
    /// The kind of place.
    pub channel: Channel,
    /// The network; none for the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The room.
    pub room: String,
}
