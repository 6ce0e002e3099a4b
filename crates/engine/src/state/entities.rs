//! What entities have to do with one another: logs and who may read them, spaces, wakes, agents that others spawned.
//!
//! What an epoch stages is held until it commits and dropped when it is aborted; what it wrote to its log counts at once
//! (decision 18). A fold of the ledger that reads nothing back.

use std::collections::HashMap;

use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{
        AgentEvent, AgentSpawned, EpochEvent, Event, SpaceEvent, SpaceNamed, SpaceSaid,
        StdoutEvent, StimulusAccepted, StimulusCause, StimulusEvent, WakeEvent,
    },
};
use abide_ledger::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    epoch::EpochRecord,
    logs::Logs,
    spaces::{SpaceMessage, Spaces},
    wakes::{WakeInput, WakeOrigin, Wakes},
};

/// Logs, spaces, wakes and spawned agents.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entities {
    /// Who may read whose log.
    pub logs: Logs,
    /// Where entities talk to one another.
    pub spaces: Spaces,
    /// The wakes and schedules of agents.
    pub wakes: Wakes,
    /// Agents that others spawned, in the order in which they came.
    pub spawned: Vec<SpawnedAgent>,
    staged: HashMap<EpochId, Vec<Entry>>,
}

/// An agent that another spawned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnedAgent {
    /// Who spawned it.
    pub by: EntityName,
    /// Its id and role.
    pub agent: AgentSpawned,
}

/// What led to an event.
#[derive(Debug)]
struct Led<'a> {
    /// The steps from agent to agent.
    hop: u32,
    /// The conversation on Telegram.
    session: Option<&'a str>,
}

/// Whether an event takes effect only with its epoch.
fn is_staged(event: &Event) -> bool {
    matches!(
        event,
        Event::Space(_)
            | Event::Stdout(StdoutEvent::Granted(_) | StdoutEvent::Revoked(_))
            | Event::Wake(WakeEvent::Set(_) | WakeEvent::Cancelled(_))
            | Event::Agent(AgentEvent::Spawned(_))
    )
}

impl Entities {
    /// Takes an event in that is no end of an epoch.
    pub(super) fn apply(&mut self, entry: &Entry, hop: u32) {
        match entry.epoch {
            Some(epoch) if is_staged(&entry.event) => {
                self.staged.entry(epoch).or_default().push(entry.clone());
            }
            _ => self.take_effect(entry, entry.seq, &Led { hop, session: None }),
        }
    }

    /// Takes the end of an epoch in: what it staged takes effect, or never will.
    pub(super) fn ended(&mut self, record: &EpochRecord, entry: &Entry) {
        self.logs.ended(record.id);
        let staged = self.staged.remove(&record.id).unwrap_or_default();
        if !matches!(entry.event, Event::Epoch(EpochEvent::Committed(_))) {
            return;
        }
        // A wake that this epoch sets does not see its own reply.
        self.observe_reply(record, entry);
        let hop = record.stimulus.hop() + 1;
        let led = Led { hop, session: record.stimulus.telegram_session() };
        for staged in &staged {
            self.take_effect(staged, entry.seq, &led);
        }
    }

    /// Makes an event count; `seq` is the event that put it in force.
    fn take_effect(&mut self, entry: &Entry, seq: u64, led: &Led<'_>) {
        let (entity, at, hop) = (&entry.entity, entry.timestamp, led.hop);
        match &entry.event {
            Event::Stdout(event) => self.apply_stdout(event, entry, hop),
            Event::Space(SpaceEvent::Named(named)) => self.name_space(named),
            Event::Space(SpaceEvent::Said(said)) => {
                let message = SpaceMessage {
                    id: said.message_id,
                    seq,
                    tick: entry.tick,
                    at,
                    from: entity.clone(),
                    text: said.text.clone(),
                };
                self.spaces.say(said, message);
                self.observe_said(said, entry);
            }
            Event::Wake(event) => self.apply_wake(event, entry, led),
            Event::Agent(AgentEvent::Spawned(agent)) => {
                self.spawned.push(SpawnedAgent { by: entity.clone(), agent: agent.clone() });
            }
            Event::Stimulus(StimulusEvent::Accepted(stimulus)) => {
                self.observe_stimulus(entry, stimulus);
            }
            _ => {}
        }
    }

    /// Who has left a space must learn that nothing will come from there any more.
    fn name_space(&mut self, named: &SpaceNamed) {
        let before = self.spaces.get(&named.space).map(|space| space.members.clone());
        self.spaces.name(named);
        for member in before.iter().flatten().chain(&named.members) {
            self.wakes.note_change(member);
        }
    }

    fn apply_stdout(&mut self, event: &StdoutEvent, entry: &Entry, hop: u32) {
        match event {
            StdoutEvent::Written(written) => {
                self.logs.wrote(&entry.entity, entry.timestamp);
                if let Some(epoch) = entry.epoch {
                    self.logs.written(epoch, written, entry.tick);
                }
                let input = WakeInput { hop, ..input_of(entry, &entry.entity, &written.content) };
                self.wakes.observe(&entry.entity, input);
                for reader in self.logs.readers(&entry.entity) {
                    self.wakes.observe(reader, input);
                }
            }
            StdoutEvent::Granted(granted) => self.logs.grant(&entry.entity, granted),
            StdoutEvent::Revoked(revoked) => self.logs.revoke(&entry.entity, revoked),
        }
    }

    fn apply_wake(&mut self, event: &WakeEvent, entry: &Entry, led: &Led<'_>) {
        let (owner, at) = (&entry.entity, entry.timestamp);
        match event {
            WakeEvent::Set(set) => {
                let session = led.session.map(Into::into);
                let origin = WakeOrigin { tick: entry.tick, at, hop: led.hop, session };
                self.wakes.set(owner, set, origin);
            }
            WakeEvent::Cancelled(cancelled) => self.wakes.remove(owner, cancelled.wake_id),
            WakeEvent::Fired(fired) => self.wakes.remove(owner, fired.wake_id),
            WakeEvent::Scheduled(scheduled) => self.wakes.schedule(owner, scheduled, at),
            WakeEvent::Unscheduled(gone) => self.wakes.unschedule(owner, &gone.name),
            WakeEvent::Ran(ran) => self.wakes.ran(owner, ran),
        }
    }

    fn observe_said(&mut self, said: &SpaceSaid, entry: &Entry) {
        let space = &said.space;
        let Some(place) = self.spaces.get(space) else { return };
        let from = &entry.entity;
        let input = WakeInput {
            space: Some(space),
            is_said: true,
            is_response: space.pair().is_some(),
            hop: said.hop,
            ..input_of(entry, from, &said.text)
        };
        for member in place.members.iter().filter(|member| *member != from) {
            self.wakes.observe(member, input);
        }
    }

    /// A stimulus from outside. What another entity said was taken in when it was said; what a wake or a schedule gave is
    /// nobody's word.
    fn observe_stimulus(&mut self, entry: &Entry, stimulus: &StimulusAccepted) {
        let has_voice = stimulus.cause.is_none() && stimulus.channel != Channel::System;
        if !has_voice || !self.wakes.has_any(&entry.entity) {
            return;
        }
        let Ok(from) = EntityName::sender(&stimulus.sender) else { return };
        let input = WakeInput { is_said: true, ..input_of(entry, &from, &stimulus.content) };
        self.wakes.observe(&entry.entity, input);
    }

    /// A reply to what another entity said: a response for that one.
    fn observe_reply(&mut self, record: &EpochRecord, entry: &Entry) {
        let is_answer = matches!(record.stimulus.cause, Some(StimulusCause::Message { .. }));
        let asker = EntityName::sender(&record.stimulus.sender);
        if let (true, Ok(asker), Some(reply)) = (is_answer, asker, record.reply()) {
            let hop = record.stimulus.hop() + 1;
            let input =
                WakeInput { is_response: true, hop, ..input_of(entry, &entry.entity, reply) };
            self.wakes.observe(&asker, input);
        }
    }

    /// Whether another agent brought the agent of this id into being.
    pub fn is_spawned(&self, agent: &AgentId) -> bool {
        self.spawned.iter().any(|spawned| spawned.agent.agent == *agent)
    }

    pub(super) fn parts(&self) -> Value {
        let spawned: Vec<_> =
            self.spawned.iter().map(|spawned| (&spawned.by, &spawned.agent)).collect();
        json!({
            "logs": self.logs.parts(),
            "spaces": self.spaces.parts(),
            "wakes": self.wakes.parts(),
            "spawned": spawned,
        })
    }
}

fn input_of<'a>(entry: &Entry, from: &'a EntityName, content: &'a str) -> WakeInput<'a> {
    let (kind, tick) = (entry.event.kind().name, entry.tick);
    let at: Timestamp = entry.timestamp;
    WakeInput {
        kind,
        tick,
        at,
        from,
        content,
        space: None,
        is_said: false,
        is_response: false,
        hop: 0,
    }
}
