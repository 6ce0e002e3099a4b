//! `\name #lab @(ann, bob) ---`: a space and its members. Whoever names it is one; later only a member may.

use std::collections::BTreeSet;

use abide_domain::{
    EntityName,
    event::SpaceNamed,
    limits::{SPACE_MEMBERS_MAX, SPACES_MAX},
};
use abide_grammar::{BodyNode, Command};

use super::{
    error::ConsoleError,
    run::{CommandRun, space},
};

impl CommandRun<'_> {
    pub(super) fn name(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let usage = || ConsoleError::refused(r"Usage: \name #lab @(ann, bob) ---");
        let mut content = command.content();
        let Some(BodyNode::Space(name)) = content.take_form()? else { return Err(usage()) };
        let space = space(&name)?;
        let mut members = BTreeSet::from([self.me().clone()]);
        while let Some(form) = content.take_form()? {
            match form {
                BodyNode::Entity(name) => _ = members.insert(self.known_entity(&name)?),
                BodyNode::Entities(names) => {
                    for name in &names {
                        members.insert(self.known_entity(name)?);
                    }
                }
                _ => return Err(usage()),
            }
        }
        if !content.rest().is_empty() {
            return Err(usage());
        }
        if members.len() > SPACE_MEMBERS_MAX {
            let count = members.len();
            let text = format!("{count} members; a space has at most {SPACE_MEMBERS_MAX}");
            return Err(ConsoleError::refused(text));
        }
        if self.members(&space).is_some() {
            self.members_of_mine(&space)?;
        } else if self.services.view.read().entities.spaces.named() >= SPACES_MAX {
            let text = format!("There are {SPACES_MAX} spaces already; use one of them");
            return Err(ConsoleError::refused(text));
        }
        let list: Vec<_> = members.iter().map(EntityName::to_string).collect();
        let answer = format!("{space} has the members {}", list.join(", "));
        self.stage(SpaceNamed { space, members: members.into_iter().collect() })?;
        Ok(answer)
    }
}
