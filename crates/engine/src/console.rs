//! The command language carried out: for a mind through the tool `stdout`, for a person through the API.
//!
//! ```text
//! input → commands (grammar) → one after the other, up to the first that fails → output, staged events
//! ```
//!
//! An entry of a log is durable before its command answers (decision 18). All else that changes something is handed back as
//! events: a mind's count with its epoch, a person's are written at once, with the stimuli of those who are spoken to. It
//! must never let one entity act or read as another: who speaks stands in [`Speaker`], never in the input.
//!
//! Reading order: [`Keeper::command`] (a person), [`MindCommands`] (a mind), [`Run`], then one file a command.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::{
    AgentId, CallId, EntityName, EpochId, SpaceName, Timestamp,
    event::{Event, SpaceEvent, SpaceNamed, StdoutWritten},
    limits::COMMAND_CHARS_MAX,
};
use abide_grammar::{Command, Name, ParseError};
use abide_ledger::{AppendError, Draft};
use abide_tools::{CommandReply, Commands, ToolError, parse_commands};
use futures_util::future::BoxFuture;

mod answer;
mod grant;
mod help;
mod name;
mod read;
mod say;
mod spawn;
mod stdout;
mod wake;

use crate::{
    deliver, failpoint::Failpoint, keeper::Keeper, services::Services, state::EpochRecord,
};

/// Why commands were not carried out.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConsoleError {
    /// Something in them is wrong; the text says what, for whoever wrote them. What came before it stands.
    #[error("{0}")]
    Refused(String),
    /// The ledger takes nothing.
    #[error("the ledger took no event")]
    Ledger(#[from] AppendError),
    /// A log could not be read.
    #[error("could not look: {0}")]
    Blind(String),
}

impl ConsoleError {
    /// A refusal in the words of the specification.
    fn refused(text: impl AsRef<str>) -> Self {
        Self::Refused(format!("ERROR: {}", text.as_ref()))
    }
}

impl From<ParseError> for ConsoleError {
    fn from(error: ParseError) -> Self {
        Self::refused(error.to_string())
    }
}

/// Who speaks.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    /// As whom: whose log, whose wakes, whose words.
    entity: EntityName,
    /// Who causes the events.
    author: EntityName,
    /// The call of an epoch, where a mind speaks.
    call: Option<(EpochId, CallId)>,
    /// How many messages between agents led to this.
    hop: u32,
    /// Whether it may change anything.
    may_change: bool,
}

/// The commands of one call of a mind.
#[derive(Debug)]
pub(crate) struct MindCommands<'a> {
    services: &'a Services,
    speaker: Speaker,
    /// What the epoch has staged before.
    before: Before,
}

/// What an epoch staged before a call: it does not count yet, and bounds what the call may stage.
#[derive(Clone, Debug, Default)]
struct Before {
    named: Vec<SpaceNamed>,
    wakes_set: usize,
    spawned: Vec<AgentId>,
}

impl<'a> MindCommands<'a> {
    /// For a call of a running epoch.
    pub(crate) fn new(services: &'a Services, record: &EpochRecord, call_id: &CallId) -> Self {
        let entity = record.agent.entity();
        let speaker = Speaker {
            author: entity.clone(),
            entity,
            call: Some((record.id, call_id.clone())),
            hop: record.stimulus.hop(),
            may_change: true,
        };
        let (named, spawned) = (record.named.clone(), record.spawned.clone());
        let before = Before { named, wakes_set: record.wakes_set, spawned };
        Self { services, speaker, before }
    }
}

impl Commands for MindCommands<'_> {
    fn carry_out<'a>(&'a self, input: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(async move {
            let mut run = Run::new(self.services, self.speaker.clone(), self.before.clone());
            match run.all(input).await {
                Ok(output) => Ok(CommandReply { output, staged: run.staged, is_cut: false }),
                // What came before a mistake stands, and its author is told of both.
                Err(error) if !run.staged.is_empty() => {
                    Ok(CommandReply { output: error.to_string(), staged: run.staged, is_cut: true })
                }
                Err(error) => Err(ToolError::new(error.to_string())),
            }
        })
    }
}

/// Answers a question of a condition: as its owner, changing nothing.
pub(crate) async fn ask(
    services: &Services,
    owner: &EntityName,
    commands: &[Command],
) -> Result<String, ConsoleError> {
    let speaker = Speaker {
        entity: owner.clone(),
        author: owner.clone(),
        call: None,
        hop: 0,
        may_change: false,
    };
    Run::new(services, speaker, Before::default()).each(commands).await
}

impl Keeper {
    /// Carries commands out as an entity, for a person who may do so. What they change is durable when this returns.
    pub async fn command(
        &self,
        entity: EntityName,
        by: EntityName,
        input: &str,
    ) -> Result<String, ConsoleError> {
        let services = self.services();
        let speaker = Speaker { entity, author: by, call: None, hop: 0, may_change: true };
        let mut run = Run::new(services, speaker, Before::default());
        let output = run.all(input).await;
        // What came before a mistake stands.
        run.write_staged().await?;
        output
    }
}

/// Commands under way.
struct Run<'a> {
    services: &'a Services,
    speaker: Speaker,
    before: Before,
    staged: Vec<Event>,
    /// Entries written so far.
    written: u32,
}

impl<'a> Run<'a> {
    fn new(services: &'a Services, speaker: Speaker, before: Before) -> Self {
        Self { services, speaker, before, staged: Vec::new(), written: 0 }
    }

    async fn all(&mut self, input: &str) -> Result<String, ConsoleError> {
        let chars = input.chars().count();
        if chars > COMMAND_CHARS_MAX {
            let text = format!("The input has {chars} characters; at most {COMMAND_CHARS_MAX}");
            return Err(ConsoleError::refused(text));
        }
        let commands = parse_commands(input)?;
        if commands.is_empty() {
            return Err(ConsoleError::refused(r"No command. Try: \help ---"));
        }
        self.each(&commands).await
    }

    /// One after the other. The output of those before a mistake is told with it.
    async fn each(&mut self, commands: &[Command]) -> Result<String, ConsoleError> {
        let mut outputs = Vec::with_capacity(commands.len());
        for command in commands {
            match self.one(command).await {
                Ok(output) => outputs.push(output),
                Err(ConsoleError::Refused(text)) => {
                    outputs.push(text);
                    return Err(ConsoleError::Refused(outputs.join("\n")));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(outputs.join("\n"))
    }

    async fn one(&mut self, command: &Command) -> Result<String, ConsoleError> {
        match command.name().to_ascii_lowercase().as_str() {
            "stdout" => self.stdout(command).await,
            "help" => Ok(help::text(&command.text())),
            "read" => self.read(command),
            "wake" => self.wake(command),
            "say" => self.say(command),
            "name" => self.name(command),
            "grant" => self.grant(command),
            "revoke" => self.revoke(command),
            "spawn" => self.spawn(command),
            other => {
                Err(ConsoleError::refused(format!(r"Unknown command '{other}'. Try: \help ---")))
            }
        }
    }

    fn me(&self) -> &EntityName {
        &self.speaker.entity
    }

    fn now(&self) -> Timestamp {
        self.services.now()
    }

    /// Takes an event that changes something.
    fn stage(&mut self, event: impl Into<Event>) -> Result<(), ConsoleError> {
        self.check_may_change()?;
        let event = event.into();
        if let Event::Space(SpaceEvent::Named(named)) = &event {
            self.before.named.push(named.clone());
        }
        self.staged.push(event);
        Ok(())
    }

    fn check_may_change(&self) -> Result<(), ConsoleError> {
        if self.speaker.may_change {
            return Ok(());
        }
        Err(ConsoleError::refused("A question can only read"))
    }

    /// Writes an entry of the speaker's log, durably; gives its tick. An entry that its call wrote before a crash is not
    /// written again.
    async fn write_entry(&mut self, content: Arc<str>) -> Result<u64, ConsoleError> {
        self.check_may_change()?;
        let nth = self.written;
        self.written += 1;
        let (epoch, call_id) = self.speaker.call.clone().unzip();
        if let (Some(epoch), Some(call_id)) = (epoch, &call_id) {
            let house = self.services.view.read();
            if let Some(tick) = house.society.logs.written_at(epoch, call_id, nth) {
                return Ok(tick);
            }
        }
        let event = StdoutWritten { content, call_id, nth }.into();
        let (entity, author) = (self.speaker.entity.clone(), self.speaker.author.clone());
        let draft = Draft { entity, author, epoch, event };
        let appended = self.services.ledger.append(vec![draft]).await?;
        self.services.view.applied(appended.last_seq).await;
        let passed = self.services.failpoints.pass(Failpoint::EntryDurable).await;
        passed.map_err(|error| ConsoleError::Blind(error.to_string()))?;
        Ok(appended.tick)
    }

    /// Makes what a person changed count, with the stimuli that come of it, all or nothing.
    async fn write_staged(&mut self) -> Result<(), ConsoleError> {
        let events = std::mem::take(&mut self.staged);
        if events.is_empty() {
            return Ok(());
        }
        let said = events.iter().filter_map(|event| match event {
            Event::Space(SpaceEvent::Said(said)) => Some(said),
            _ => None,
        });
        let from = self.speaker.entity.clone();
        let stimuli: Vec<_> =
            said.flat_map(|said| deliver::stimuli(self.services, &from, said)).collect();
        let own = events.into_iter().map(|event| Draft {
            entity: self.speaker.entity.clone(),
            author: self.speaker.author.clone(),
            epoch: None,
            event,
        });
        let drafts = own.chain(stimuli).collect();
        let appended = self.services.ledger.append(drafts).await?;
        self.services.view.applied(appended.last_seq).await;
        Ok(())
    }

    /// The members of a space, as the speaker sees them: what it named itself a moment ago counts for it.
    fn members(&self, space: &SpaceName) -> Option<BTreeSet<EntityName>> {
        if let Some(named) = self.before.named.iter().rev().find(|named| named.space == *space) {
            return Some(named.members.iter().cloned().collect());
        }
        let house = self.services.view.read();
        house.society.spaces.get(space).map(|space| space.members.clone())
    }

    /// The members of a space that the speaker is in.
    fn members_of_mine(&self, space: &SpaceName) -> Result<BTreeSet<EntityName>, ConsoleError> {
        let members = self.members(space).ok_or_else(|| {
            let text = format!(r"There is no space {space}. Make it: \name {space} @(a, b) ---");
            ConsoleError::refused(text)
        })?;
        if members.contains(self.me()) {
            return Ok(members);
        }
        Err(ConsoleError::refused(format!("{} is not in {space}", self.me())))
    }

    /// Whom a mention means.
    fn entity(&self, name: &Name) -> Result<EntityName, ConsoleError> {
        if name.is_me() {
            return Ok(self.me().clone());
        }
        EntityName::sender(&name.lower())
            .map_err(|error| ConsoleError::refused(format!("@{name} {error}")))
    }

    /// Whom a mention means, if it is somebody who is known here: an agent, a partner of one, a member of a space, somebody who
    /// has spoken to an agent.
    fn known(&self, name: &Name) -> Result<EntityName, ConsoleError> {
        let entity = self.entity(name)?;
        let is_agent = self.agent(&entity).is_some();
        let house = self.services.view.read();
        let is_partner = || {
            let profiles = house.agents.values().filter_map(|state| state.profile.as_ref());
            let mut partners = profiles.flat_map(|profile| &profile.partners);
            partners.any(|partner| partner.id == entity.bare())
        };
        let is_in_space = || house.society.spaces.of(&entity).next().is_some();
        if is_agent || is_partner() || is_in_space() || house.senders.contains(&entity) {
            return Ok(entity);
        }
        let agents: Vec<_> = house.agents.keys().map(|agent| format!("@{agent}")).collect();
        let text = format!("Nobody here is called {entity}. Agents: {}", agents.join(", "));
        Err(ConsoleError::refused(text))
    }

    /// The agent of that name, if it is one that runs here.
    fn agent(&self, entity: &EntityName) -> Option<AgentId> {
        let id: AgentId = entity.bare().parse().ok()?;
        self.services.has_agent(&id).then_some(id)
    }
}

/// The space of a mention.
fn space(name: &Name) -> Result<SpaceName, ConsoleError> {
    SpaceName::named(&name.lower())
        .map_err(|error| ConsoleError::refused(format!("#{name} {error}")))
}
