//! `\grant @bob ---`, `\revoke @bob ---`: who else may read one's log (decision 47).

use abide_domain::event::{StdoutGranted, StdoutRevoked};
use abide_grammar::{BodyNode, Command};

use super::{error::ConsoleError, run::CommandRun};

impl CommandRun<'_> {
    pub(super) fn grant(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let to = self.reader(command)?;
        let answer = format!("{to} may read the stdout of {}", self.me());
        self.stage(StdoutGranted { to })?;
        Ok(answer)
    }

    pub(super) fn revoke(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let to = self.reader(command)?;
        let is_granted = self.services.view.read().entities.logs.may_read(&to, self.me());
        if !is_granted {
            let text = format!("{to} may not read the stdout of {}: there is no grant", self.me());
            return Err(ConsoleError::refused(text));
        }
        let answer = format!("{to} may not read the stdout of {} any more", self.me());
        self.stage(StdoutRevoked { to })?;
        Ok(answer)
    }

    fn reader(&self, command: &Command) -> Result<abide_domain::EntityName, ConsoleError> {
        let usage = || {
            let name = command.name();
            ConsoleError::refused(format!(r"Usage: \{name} @bob ---"))
        };
        let mut content = command.content();
        let Some(BodyNode::Entity(name)) = content.take_form()? else { return Err(usage()) };
        if !content.rest().is_empty() {
            return Err(usage());
        }
        let to = self.entity(&name)?;
        if to == *self.me() {
            return Err(ConsoleError::refused("Everybody may read its own"));
        }
        Ok(to)
    }
}
