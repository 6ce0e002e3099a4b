//! `\say @bob text ---`, `\say #lab text ---`: words to others. They are a stimulus for those who are spoken to, in the
//! batch of the speaker's commit (decision 18), and can be read by all who are in the space.

use std::collections::BTreeSet;

use abide_domain::{EntityName, MessageId, SpaceName, event::SpaceSaid};
use abide_grammar::{BodyNode, Command, mentions};

use super::{
    error::ConsoleError,
    run::{CommandRun, space},
};

impl CommandRun<'_> {
    pub(super) fn say(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let mut content = command.content();
        let form = content.take_form()?;
        let text = content.rest();
        let places = match form {
            Some(BodyNode::Entity(name)) => vec![self.pair(&name)?],
            Some(BodyNode::Entities(names)) => {
                names.iter().map(|name| self.pair(name)).collect::<Result<_, _>>()?
            }
            Some(BodyNode::Space(name)) => vec![self.place(&name, &text)?],
            Some(BodyNode::Spaces(names)) => {
                names.iter().map(|name| self.place(name, &text)).collect::<Result<_, _>>()?
            }
            _ => {
                let text = r"Nobody to say it to. Usage: \say @bob text --- or \say #lab text ---";
                return Err(ConsoleError::refused(text));
            }
        };
        if text.is_empty() {
            return Err(ConsoleError::refused(r"Nothing to say. Usage: \say @bob text ---"));
        }
        // All are checked before anything is said, so that a message to several is said to all or to none.
        for (space, to) in &places {
            self.check_say(space, to, &text)?;
        }
        let names: Vec<_> = places.iter().map(|(space, _)| self.name_of(space)).collect();
        for (space, to) in places {
            let message_id = MessageId::new(&*self.services.ids, self.now());
            let (text, hop) = (text.as_str().into(), self.hop());
            self.stage(SpaceSaid { message_id, space, text, to: to.into_iter().collect(), hop })?;
        }
        Ok(format!("Said to {}", names.join(", ")))
    }

    /// How many messages between agents led to one that is said now; those of people begin anew.
    pub(super) fn hop(&self) -> u32 {
        if self.speaker.call.is_some() { self.speaker.hop + 1 } else { 0 }
    }

    fn pair(
        &self,
        name: &abide_grammar::Name,
    ) -> Result<(SpaceName, BTreeSet<EntityName>), ConsoleError> {
        let other = self.known_entity(name)?;
        if other == *self.me() {
            let text = r"You would talk to yourself: keep a note with \stdout write: text ---";
            return Err(ConsoleError::refused(text));
        }
        let to = self.agent(&other).map(|_| other.clone()).into_iter().collect();
        Ok((SpaceName::between(self.me(), &other), to))
    }

    /// A named space and whom a text in it wakes: the other one of two, else those whom it names.
    fn place(
        &self,
        name: &abide_grammar::Name,
        text: &str,
    ) -> Result<(SpaceName, BTreeSet<EntityName>), ConsoleError> {
        let space = space(name)?;
        let members = self.members_of_mine(&space)?;
        let is_pair = members.len() == 2;
        let others = members.into_iter().filter(|member| member != self.me());
        let woken = others.filter(|other| is_pair || mentions(text, other.as_str()));
        Ok((space, woken.filter(|other| self.agent(other).is_some()).collect()))
    }

    fn check_say(
        &self,
        space: &SpaceName,
        to: &BTreeSet<EntityName>,
        text: &str,
    ) -> Result<(), ConsoleError> {
        let limits = &self.services.settings.limits;
        if self.hop() > limits.hops {
            return Err(ConsoleError::refused(format!(
                "{} times one agent led to the next without a person between them: it was not sent (limits.hops)",
                limits.hops
            )));
        }
        let state = self.services.view.read();
        let place = state.entities.spaces.get(space);
        if place.is_some_and(|place| place.is_going_in_circles(text)) {
            return Err(ConsoleError::refused(format!(
                "Nothing new is said in {space} any more: it was not sent. Say something new, or end the conversation"
            )));
        }
        let full = to.iter().find(|agent| {
            let agent_state = state.agents.get(agent.bare());
            agent_state.is_some_and(|agent_state| agent_state.queue.len() >= limits.queue)
        });
        match full {
            None => Ok(()),
            Some(agent) => {
                let queue = limits.queue;
                let text = format!("{queue} stimuli wait for {agent} already: it was not sent");
                Err(ConsoleError::refused(text))
            }
        }
    }

    /// A space as its speaker calls it.
    fn name_of(&self, space: &SpaceName) -> String {
        match space.pair() {
            Some((one, other)) if one == *self.me() => other.to_string(),
            Some((one, _)) => one.to_string(),
            None => space.to_string(),
        }
    }
}
