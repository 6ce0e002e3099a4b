//! Lines of IRC as events, and back.
//!
//! Lines to the keeper and its answers are left out: commands are recorded by what they did, and their answers repeat what
//! the ledger holds.

use abide_channels::irc::{Speaker, SpokenKind, SpokenLine, Target};
use abide_domain::{
    AgentId, EntityName,
    envelope::Channel,
    event::{ChannelSaid, SpokenForm},
};
use abide_ledger::Draft;

use super::names::KEEPER;

/// The event of a line; none of one that is not recorded.
pub(super) fn event_of_line(network: Option<&str>, line: &SpokenLine) -> Option<Draft> {
    let is_keeper = |agent: &AgentId| agent.as_str() == KEEPER;
    let (agent, account) = match &line.speaker {
        Speaker::Agent(agent) if is_keeper(agent) => return None,
        Speaker::Agent(agent) => (Some(agent.clone()), line.partner.clone()),
        Speaker::Person(account) => (None, account.clone()),
    };
    let (room, with) = match &line.target {
        Target::Agent(agent) if is_keeper(agent) => return None,
        Target::Agent(agent) => (None, Some(agent.clone())),
        Target::Channel(room) => (Some(room.clone()), None),
    };
    if line.text.is_empty() {
        return None;
    }
    let person = || account.as_deref().and_then(|account| EntityName::sender(account).ok());
    let entity = agent.as_ref().map(AgentId::entity).or_else(person);
    let entity = entity.unwrap_or_else(EntityName::keeper);
    let event = ChannelSaid {
        channel: Channel::Irc,
        network: network.map(str::to_owned),
        room,
        with,
        agent,
        account,
        nick: line.nick.clone(),
        form: match line.kind {
            SpokenKind::Speech => SpokenForm::Speech,
            SpokenKind::Action => SpokenForm::Action,
            SpokenKind::Notice => SpokenForm::Notice,
        },
        text: line.text.as_str().into(),
        msgid: line.msgid.clone(),
        at: line.at,
        relay: line.relay.clone(),
    };
    Some(Draft { entity: entity.clone(), author: entity, epoch: None, event: event.into() })
}

/// The line of an event; none where it was said elsewhere than on the built-in server.
pub(super) fn line_of_event(event: &ChannelSaid) -> Option<SpokenLine> {
    if event.channel != Channel::Irc || event.network.is_some() {
        return None;
    }
    let target = match (&event.room, &event.with) {
        (Some(room), _) => Target::Channel(room.clone()),
        (None, Some(agent)) => Target::Agent(agent.clone()),
        (None, None) => return None,
    };
    let speaker = match &event.agent {
        Some(agent) => Speaker::Agent(agent.clone()),
        None => Speaker::Person(event.account.clone()),
    };
    Some(SpokenLine {
        speaker,
        nick: event.nick.clone(),
        target,
        partner: event.account.clone().filter(|_| event.agent.is_some()),
        agents: Vec::new(),
        text: event.text.to_string(),
        kind: match event.form {
            SpokenForm::Speech => SpokenKind::Speech,
            SpokenForm::Action => SpokenKind::Action,
            SpokenForm::Notice => SpokenKind::Notice,
        },
        is_whole: true,
        relay: event.relay.clone(),
        msgid: event.msgid.clone(),
        at: event.at,
    })
}

#[cfg(test)]
mod tests {
    use abide_channels::irc::{Speaker, SpokenKind, SpokenLine, Target};
    use abide_domain::{
        Timestamp,
        event::{ChannelEvent, Event},
    };

    use super::{event_of_line, line_of_event};

    fn line(speaker: Speaker, target: Target) -> SpokenLine {
        SpokenLine {
            speaker,
            nick: "ann".into(),
            target,
            partner: None,
            agents: Vec::new(),
            text: "hello".into(),
            kind: SpokenKind::Action,
            is_whole: true,
            relay: None,
            msgid: "m1".into(),
            at: Timestamp::from_micros(7),
        }
    }

    #[test]
    fn a_recorded_line_is_read_back_unchanged() {
        let felix = || "felix".parse().unwrap();
        let ann = || Speaker::Person(Some("ann".into()));
        let mut whisper = line(Speaker::Agent(felix()), Target::Agent(felix()));
        whisper.partner = Some("ann".into());
        let room = || Target::Channel("#abide".into());
        let cases = [
            (line(ann(), room()), "@ann"),
            (line(ann(), Target::Agent(felix())), "@ann"),
            (line(Speaker::Person(None), room()), "@keeper"),
            (line(Speaker::Agent(felix()), room()), "@felix"),
            (whisper, "@felix"),
        ];
        for (line, entity) in cases {
            let draft = event_of_line(None, &line).unwrap();
            assert_eq!(draft.entity.as_str(), entity);
            let Event::Channel(ChannelEvent::Said(event)) = &draft.event else { panic!() };
            assert_eq!(line_of_event(event), Some(line));
        }
    }

    #[test]
    fn lines_to_the_keeper_and_of_external_networks_are_no_history_of_the_server() {
        let keeper = || "keeper".parse().unwrap();
        let ann = || Speaker::Person(Some("ann".into()));
        assert_eq!(event_of_line(None, &line(ann(), Target::Agent(keeper()))), None);
        let room = || Target::Channel("#abide".into());
        assert_eq!(event_of_line(None, &line(Speaker::Agent(keeper()), room())), None);
        let outside = event_of_line(Some("libera"), &line(ann(), room())).unwrap();
        let Event::Channel(ChannelEvent::Said(event)) = &outside.event else { panic!() };
        assert_eq!(line_of_event(event), None);
    }
}
