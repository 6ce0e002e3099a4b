//! `\spawn @kid its role ---`: brings an agent into being, with its maker's mind and tools. A mind's call needs a person's
//! approval before it comes here.

use abide_domain::{
    AgentId,
    event::{AgentEvent, AgentSpawned, Event},
    is_reserved_agent_name,
    limits::{REASON_CHARS_MAX, SPAWNED_MAX},
};
use abide_grammar::{BodyNode, Command};

use super::{error::ConsoleError, run::CommandRun};

/// What an agent is for where its maker does not say.
const ROLE_DEFAULT: &str = "assistant";

impl CommandRun<'_> {
    pub(super) fn spawn(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let mut content = command.content();
        let Some(BodyNode::Entity(name)) = content.take_form()? else {
            return Err(ConsoleError::refused(r"Usage: \spawn @kid its role ---"));
        };
        let agent: AgentId = name
            .lower()
            .parse()
            .map_err(|error| ConsoleError::refused(format!("@{name} {error}")))?;
        if self.agent(self.me()).is_none() {
            let text = format!("{} is no agent here: there is no mind to share", self.me());
            return Err(ConsoleError::refused(text));
        }
        self.check_free(&agent)?;
        let role = content.rest();
        if role.chars().count() > REASON_CHARS_MAX {
            let text = format!("The role has more than {REASON_CHARS_MAX} characters");
            return Err(ConsoleError::refused(text));
        }
        let role = if role.is_empty() { ROLE_DEFAULT.to_owned() } else { role };
        let answer = format!("@{agent} will be there: {role}");
        self.stage(AgentSpawned { agent, role })?;
        Ok(answer)
    }

    fn check_free(&self, agent: &AgentId) -> Result<(), ConsoleError> {
        let state = self.services.view.read();
        let is_staged = self.staged.iter().any(|event| {
            matches!(event, Event::Agent(AgentEvent::Spawned(spawned)) if spawned.agent == *agent)
        });
        let is_staged = is_staged || self.before.spawned.contains(agent);
        let is_known = state.agents.contains_key(agent) || state.entities.is_spawned(agent);
        if is_staged || is_known || self.services.has_agent(agent) {
            return Err(ConsoleError::refused(format!("There is @{agent} already")));
        }
        if is_reserved_agent_name(agent.as_str()) {
            return Err(ConsoleError::refused(format!("@{agent} is a name of Abide itself")));
        }
        if self.services.knows(agent.as_str()) {
            let text = format!("@{agent} is a person, and an agent cannot have a person's name");
            return Err(ConsoleError::refused(text));
        }
        let staged =
            self.staged.iter().filter(|event| event.kind().name == "agent.spawned").count();
        let count = state.entities.spawned.len() + self.before.spawned.len() + staged;
        if count >= SPAWNED_MAX {
            let text = format!("Agents have brought {SPAWNED_MAX} others into being; no more");
            return Err(ConsoleError::refused(text));
        }
        Ok(())
    }
}
