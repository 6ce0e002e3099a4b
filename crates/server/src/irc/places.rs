//! What people arranged on IRC, from the ledger: where agents were invited to, whose gates are open, what rooms are about, how far
//! somebody has read. Blocking.

use std::collections::BTreeMap;

use abide_channels::irc::server::ReadMarker;
use abide_domain::{
    AgentId, Timestamp,
    envelope::Channel,
    event::{ChannelEvent, ChannelTopicSet, Event},
};
use abide_ledger::{Ledger, Query, ReadError};

/// What people arranged.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The rooms that agents were invited into.
    pub(super) rooms: Vec<(AgentId, String)>,
    /// The rooms in which agents hear everything.
    pub(super) open_gates: Vec<(AgentId, String)>,
    /// The topics that were set last, and when.
    pub(super) topics: Vec<(ChannelTopicSet, Timestamp)>,
    /// How far people have read; of too many the server forgets the oldest moments.
    pub(super) read_markers: Vec<ReadMarker>,
}

impl Places {
    /// Reads what holds now at the built-in server, or on a network.
    pub(super) fn read(ledger: &Ledger, network: Option<&str>) -> Result<Self, ReadError> {
        let kinds = ["joined", "parted", "gate_moved", "topic_set", "read_marked"];
        let kinds = kinds.map(|kind| format!("channel.{kind}")).to_vec();
        let mut places = Self::default();
        let mut topics = BTreeMap::new();
        let mut read = BTreeMap::new();
        for record in ledger.query(Query { kinds, ..Query::default() }) {
            let Ok(entry) = record?.entry() else { continue };
            let agent = entry.entity.bare().parse::<AgentId>();
            let Event::Channel(event) = entry.event else { continue };
            match (event, agent) {
                (ChannelEvent::Joined(it), Ok(agent)) if it.network.as_deref() == network => {
                    put(&mut places.rooms, (agent, it.room), true);
                }
                (ChannelEvent::Parted(it), Ok(agent)) if it.network.as_deref() == network => {
                    put(&mut places.rooms, (agent, it.room), false);
                }
                (ChannelEvent::GateMoved(it), Ok(agent))
                    if it.channel == Channel::Irc && it.network.as_deref() == network =>
                {
                    put(&mut places.open_gates, (agent, it.room), it.is_open);
                }
                (ChannelEvent::TopicSet(it), _)
                    if it.channel == Channel::Irc && network.is_none() =>
                {
                    let room = it.room.to_ascii_lowercase();
                    if it.topic.is_empty() {
                        topics.remove(&room);
                    } else {
                        topics.insert(room, (it, entry.timestamp));
                    }
                }
                (ChannelEvent::ReadMarked(it), _)
                    if it.channel == Channel::Irc && network.is_none() =>
                {
                    let marker = ReadMarker { account: it.account, target: it.target, at: it.at };
                    read.insert((marker.account.clone(), marker.target.clone()), marker);
                }
                _ => {}
            }
        }
        places.topics = topics.into_values().collect();
        places.read_markers = read.into_values().collect();
        Ok(places)
    }
}

/// Puts an agent into a room's list, or takes it out.
fn put(list: &mut Vec<(AgentId, String)>, (agent, room): (AgentId, String), is_in: bool) {
    list.retain(|(known, other)| *known != agent || !other.eq_ignore_ascii_case(&room));
    if is_in {
        list.push((agent, room));
    }
}
