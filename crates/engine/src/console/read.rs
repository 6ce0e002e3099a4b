//! `\read ---`, `\read #lab last 20 ---`, `\read @bob ---`: what was said in the spaces that one is in.

use std::{collections::HashMap, fmt::Write as _};

use abide_domain::{EntityName, SpaceName, limits::SPACE_MESSAGES_MAX, text::indented};
use abide_grammar::{BodyNode, Command};

use super::{
    error::ConsoleError,
    run::{CommandRun, space},
};
use crate::state::{Space, SpaceMessage};

/// Messages that are shown where no number is given.
const READ_DEFAULT: usize = 10;

impl CommandRun<'_> {
    pub(super) fn read(&self, command: &Command) -> Result<String, ConsoleError> {
        let mut content = command.content();
        let place = match content.take_form()? {
            None => None,
            Some(BodyNode::Space(name)) => {
                let space = space(&name)?;
                self.members_of_mine(&space)?;
                Some(space)
            }
            Some(BodyNode::Entity(name)) => {
                Some(SpaceName::between(self.me(), &self.entity(&name)?))
            }
            Some(_) => {
                return Err(ConsoleError::refused(r"Usage: \read #lab last 20 --- or \read ---"));
            }
        };
        let argument = content.rest();
        let last = number(&argument).ok_or_else(|| {
            ConsoleError::refused(format!("Unknown read pattern '{argument}'. Try: last 10"))
        })?;
        Ok(self.messages(place.as_ref(), last))
    }

    fn messages(&self, place: Option<&SpaceName>, last: usize) -> String {
        let state = self.services.view.read();
        let mine = state.entities.spaces.of(self.me());
        let mut messages: Vec<(&SpaceName, &SpaceMessage)> = mine
            .filter(|(name, _)| place.is_none_or(|place| place == *name))
            .flat_map(|(name, space): (_, &Space)| space.recent().map(move |said| (name, said)))
            .collect();
        messages.sort_by_key(|(_, message)| message.seq);
        let mut said = together(&messages);
        let shown = said.split_off(said.len().saturating_sub(last));
        let place = place.map(|place| format!(" in {place}")).unwrap_or_default();
        if shown.is_empty() {
            return format!("No messages for {}{place} yet", self.me());
        }
        let mut text = format!("Last {} messages for {}{place}:", shown.len(), self.me());
        for (message, spaces) in shown {
            let SpaceMessage { tick, from, text: words, .. } = message;
            let (words, places) = (indented(words), self.places(from, &spaces));
            // Writing into a String cannot fail.
            let _ = write!(text, "\n  [tick {tick}] {from}{places}: {words}");
        }
        text
    }

    /// Where something was said: the spaces, and to whom where the reader said it to single ones.
    fn places(&self, from: &EntityName, spaces: &[&SpaceName]) -> String {
        let pairs = spaces.iter().filter_map(|space| space.pair());
        let others = pairs.map(|(one, other)| if one == *from { other } else { one });
        let others: Vec<_> = others.map(|other| other.to_string()).collect();
        let named = spaces.iter().filter(|space| space.pair().is_none());
        let named: Vec<_> = named.map(ToString::to_string).collect();
        let mut places = String::new();
        if from == self.me() && !others.is_empty() {
            places = format!(" to {}", others.join(", "));
        }
        if !named.is_empty() {
            places.extend([" in ", &named.join(", ")]);
        }
        places
    }
}

/// What was said to several at once stands once, with all spaces: the same words of one entity at one moment.
fn together<'m>(
    messages: &[(&'m SpaceName, &'m SpaceMessage)],
) -> Vec<(&'m SpaceMessage, Vec<&'m SpaceName>)> {
    let mut said: Vec<(&SpaceMessage, Vec<&SpaceName>)> = Vec::with_capacity(messages.len());
    let mut places = HashMap::new();
    for (space, message) in messages {
        let key = (&message.from, message.at, &message.text);
        let group = places.get(&key).and_then(|place: &usize| said.get_mut(*place));
        if let Some((_, spaces)) = group.filter(|(_, spaces)| !spaces.contains(space)) {
            spaces.push(space);
        } else {
            // The same words twice in one place were said twice.
            places.insert(key, said.len());
            said.push((message, vec![space]));
        }
    }
    said
}

/// `last N`, or nothing.
fn number(argument: &str) -> Option<usize> {
    if argument.is_empty() {
        return Some(READ_DEFAULT);
    }
    let (word, number) = argument.split_once(char::is_whitespace)?;
    let number: usize = number.trim().parse().ok()?;
    let is_number = word.eq_ignore_ascii_case("last") && number > 0;
    is_number.then_some(number.min(SPACE_MESSAGES_MAX))
}
