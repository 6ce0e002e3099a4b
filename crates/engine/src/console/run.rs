//! Commands under way: who speaks, what is staged, and what every command needs.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::{
    AgentId, CallId, EntityName, EpochId, SpaceName, Timestamp,
    event::{Event, SpaceEvent, SpaceNamed, StdoutWritten},
    limits::UNKNOWN_LOGS_MAX,
};
use abide_grammar::Name;
use abide_ledger::Draft;

use super::error::ConsoleError;
use crate::{
    deliver, entity_quotas::QuotaKind, failpoint::Failpoint, services::Services, state::State,
};

/// On whose behalf commands run.
#[derive(Clone, Debug)]
pub(super) struct Speaker {
    /// The entity whose log, wakes and words are meant.
    pub(super) entity: EntityName,
    /// The author of the events.
    pub(super) author: EntityName,
    /// The call of an epoch, where a mind speaks.
    pub(super) call: Option<(EpochId, CallId)>,
    /// How many messages between agents led to this.
    pub(super) hop: u32,
    /// Whether it may change anything.
    pub(super) may_change: bool,
}

/// What an epoch staged before a call: it does not count yet, and bounds what the call may stage.
#[derive(Clone, Debug, Default)]
pub(super) struct StagedBefore {
    pub(super) named: Vec<SpaceNamed>,
    pub(super) wakes_set: usize,
    pub(super) spawned: Vec<AgentId>,
}

/// Commands under way.
pub(super) struct CommandRun<'a> {
    pub(super) services: &'a Services,
    pub(super) speaker: Speaker,
    pub(super) before: StagedBefore,
    pub(super) staged: Vec<Event>,
    /// Entries written so far.
    written: u32,
}

impl<'a> CommandRun<'a> {
    pub(super) fn new(services: &'a Services, speaker: Speaker, before: StagedBefore) -> Self {
        Self { services, speaker, before, staged: Vec::new(), written: 0 }
    }

    pub(super) fn me(&self) -> &EntityName {
        &self.speaker.entity
    }

    pub(super) fn now(&self) -> Timestamp {
        self.services.now()
    }

    /// Stages an event that changes something.
    pub(super) fn stage(&mut self, event: impl Into<Event>) -> Result<(), ConsoleError> {
        self.check_may_change()?;
        self.take(QuotaKind::Change, 1, "Too many changes")?;
        let event = event.into();
        if let Event::Space(SpaceEvent::Named(named)) = &event {
            self.before.named.push(named.clone());
        }
        self.staged.push(event);
        Ok(())
    }

    pub(super) fn check_may_change(&self) -> Result<(), ConsoleError> {
        if self.speaker.may_change {
            return Ok(());
        }
        Err(ConsoleError::refused("A question can only read"))
    }

    fn take(&self, kind: QuotaKind, cost: u64, what: &str) -> Result<(), ConsoleError> {
        // Whoever acts for many has one quota all the same.
        let taken = self.services.quotas.take(kind, &self.speaker.author, cost);
        taken.map_err(|error| ConsoleError::too_often(what, error))
    }

    /// A log is a file: names that nobody knows get only so many of them.
    fn check_unknown(&self) -> Result<(), ConsoleError> {
        let me = self.me();
        {
            let state = self.services.view.read();
            let unknown = || {
                let owners = state.entities.logs.owners();
                owners.filter(|owner| !self.is_known(&state, owner)).count()
            };
            let has_room = state.entities.logs.has_log(me)
                || self.is_known(&state, me)
                || unknown() < UNKNOWN_LOGS_MAX;
            if has_room {
                return Ok(());
            }
        }
        Err(ConsoleError::refused(format!(
            "Nobody here is called {me}, and {UNKNOWN_LOGS_MAX} logs of unknown names are kept already: write as an agent, a partner or somebody who has spoken here"
        )))
    }

    /// Whether somebody is an agent, a partner of one, a member of a space, or has spoken to an agent.
    fn is_known(&self, state: &State, entity: &EntityName) -> bool {
        let is_partner = || {
            let profiles =
                state.agents.values().filter_map(|agent_state| agent_state.profile.as_ref());
            let mut partners = profiles.flat_map(|profile| &profile.partners);
            partners.any(|partner| partner.id == entity.bare())
        };
        let is_in_space = || state.entities.spaces.of(entity).next().is_some();
        self.agent(entity).is_some()
            || state.agents.contains_key(entity.bare())
            || is_partner()
            || is_in_space()
            || state.senders.contains(entity)
    }

    /// Writes an entry of the speaker's log, durably; gives its tick. An entry that its call wrote before a crash is not
    /// written again.
    pub(super) async fn write_entry(&mut self, content: Arc<str>) -> Result<u64, ConsoleError> {
        self.check_may_change()?;
        let nth = self.written;
        self.written += 1;
        let (epoch, call_id) = self.speaker.call.clone().unzip();
        if let (Some(epoch), Some(call_id)) = (epoch, &call_id) {
            let state = self.services.view.read();
            if let Some(tick) = state.entities.logs.written_at(epoch, call_id, nth) {
                return Ok(tick);
            }
        }
        self.check_unknown()?;
        self.take(QuotaKind::Entry, 1, "Too many entries")?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        self.take(QuotaKind::EntryBytes, bytes, "Too much text in entries")?;
        let event = StdoutWritten { content, call_id, nth }.into();
        let (entity, author) = (self.speaker.entity.clone(), self.speaker.author.clone());
        let draft = Draft { entity, author, epoch, event };
        let appended = self.services.ledger.append(vec![draft]).await?;
        self.services.view.applied(appended.last_seq).await;
        let passed = self.services.failpoints.pass(Failpoint::EntryDurable).await;
        passed.map_err(|error| ConsoleError::Unreadable(error.to_string()))?;
        Ok(appended.tick)
    }

    /// Makes what a person changed count, with the stimuli that come of it, all or nothing.
    pub(super) async fn write_staged(&mut self) -> Result<(), ConsoleError> {
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

    /// The members of a space, as the speaker sees them: what its call has staged counts for it.
    pub(super) fn members(&self, space: &SpaceName) -> Option<BTreeSet<EntityName>> {
        if let Some(named) = self.before.named.iter().rev().find(|named| named.space == *space) {
            return Some(named.members.iter().cloned().collect());
        }
        let state = self.services.view.read();
        state.entities.spaces.get(space).map(|space| space.members.clone())
    }

    /// The members of a space that the speaker is in.
    pub(super) fn members_of_mine(
        &self,
        space: &SpaceName,
    ) -> Result<BTreeSet<EntityName>, ConsoleError> {
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
    pub(super) fn entity(&self, name: &Name) -> Result<EntityName, ConsoleError> {
        if name.is_me() {
            return Ok(self.me().clone());
        }
        EntityName::sender(&name.lower())
            .map_err(|error| ConsoleError::refused(format!("@{name} {error}")))
    }

    /// Whom a mention means, if that is a known entity: an agent, a partner of one, a member of a space, somebody who has
    /// spoken to an agent.
    pub(super) fn known_entity(&self, name: &Name) -> Result<EntityName, ConsoleError> {
        let entity = self.entity(name)?;
        let state = self.services.view.read();
        if self.is_known(&state, &entity) {
            return Ok(entity);
        }
        let agents: Vec<_> = state.agents.keys().map(|agent| format!("@{agent}")).collect();
        let text = format!("Nobody here is called {entity}. Agents: {}", agents.join(", "));
        Err(ConsoleError::refused(text))
    }

    /// The agent of that name, if one runs.
    pub(super) fn agent(&self, entity: &EntityName) -> Option<AgentId> {
        let id: AgentId = entity.bare().parse().ok()?;
        self.services.has_agent(&id).then_some(id)
    }
}

/// The space of a mention.
pub(super) fn space(name: &Name) -> Result<SpaceName, ConsoleError> {
    SpaceName::named(&name.lower())
        .map_err(|error| ConsoleError::refused(format!("#{name} {error}")))
}
