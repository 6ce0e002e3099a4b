//! `space.*`: places where entities talk to one another. The line's entity is who acts.
//!
//! What an epoch says counts when it commits; the stimuli of those who are spoken to stand in the batch of that commit
//! (decision 18).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{EntityName, MessageId, SpaceName};

event_group! {
    /// What is said between entities.
    SpaceEvent {
        /// A space has these members from here on.
        Named(SpaceNamed) = "space.named" v 1,
        /// Something was said in a space, or between two.
        Said(SpaceSaid) = "space.said" v 1,
    }
}

/// A space and its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceNamed {
    /// The space.
    pub space: SpaceName,
    /// Who is in it, whoever named it among them, in the order of their names.
    pub members: Vec<EntityName>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceSaid {
    /// The message.
    pub message_id: MessageId,
    /// The space in which it was said.
    pub space: SpaceName,
    /// The text of the message.
    pub text: Arc<str>,
    /// The agents for whom it is a stimulus; the others read it when they like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<EntityName>,
    /// How many messages between agents led to this one since a person or the clock last spoke: bounds a conversation that
    /// nobody ends.
    pub hop: u32,
}
