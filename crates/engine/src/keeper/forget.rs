//! Forgetting by a person: by fact, in words, by epoch, or everything of somebody (decisions 53 and 54).
//!
//! What is taken back is found first and written as one batch, so that nothing is half forgotten. Who asks is handed in:
//! an administrator forgets for anybody, everybody else what they told themselves. Nothing leaves the ledger; that is
//! what erasing does.

use abide_domain::{
    AgentId, EntityName,
    event::{Event, IdentityChanged, IdentitySource},
};
use abide_memory::{
    ForgetAuthority, ForgetError, ForgetPlan, ForgetRequest, ForgetTarget, IdentityRule,
    check_identity,
};

use super::{Keeper, OrderError};

/// What a request to forget came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Forgotten {
    /// The last sequence that is in force with it; none where nothing was written.
    pub seq: Option<u64>,
    /// Everything that it takes back.
    pub plan: ForgetPlan,
    /// What became of the identity, where it says the same.
    pub identity: IdentityForgets,
}

/// What became of the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityForgets {
    /// It does not say it.
    Silent,
    /// It has a new version without it.
    Changed,
    /// It says it, and without it no identity would be left: a person must edit it.
    StillSays,
}

/// How a request to forget is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgetMode {
    /// It is found and written.
    Write,
    /// It is found only.
    Look,
}

impl Keeper {
    /// Takes a matter back, or says what would be taken back.
    pub async fn forget(
        &self,
        agent: &AgentId,
        (target, authority): (ForgetTarget<'_>, ForgetAuthority<'_>),
        (mode, reason): (ForgetMode, Option<&str>),
        by: EntityName,
    ) -> Result<Forgotten, OrderError> {
        let _turn = self.edit_turn().await?;
        let memory = self.agent_or_error(agent)?.facts.clone();
        let plan = memory.plan_forgetting(ForgetRequest { target, authority });
        let plan = plan.map_err(|error| refused(error, target))?;
        let of = match authority {
            ForgetAuthority::Owner(name) => Some(name),
            ForgetAuthority::Administrator => None,
        };
        let (changed, identity) = self.identity_without(agent, &plan, of);
        let mut events: Vec<Event> = changed.into_iter().map(Event::from).collect();
        if !plan.is_empty() {
            events.extend(plan.events(&by, reason));
        }
        let seq = match mode {
            ForgetMode::Write => self.append_all(agent, events, by).await?,
            ForgetMode::Look => None,
        };
        Ok(Forgotten { seq, plan, identity })
    }

    fn identity_without(
        &self,
        agent: &AgentId,
        plan: &ForgetPlan,
        of: Option<&str>,
    ) -> (Option<IdentityChanged>, IdentityForgets) {
        let state = self.state();
        let identity = state.agents.get(agent).map(|agent_state| &agent_state.identity);
        let Some((identity, current)) = identity.and_then(|i| Some((i, i.current()?))) else {
            return (None, IdentityForgets::Silent);
        };
        match plan.matter.without(&current.content, of) {
            None => (None, IdentityForgets::Silent),
            Some(content) if check_identity(&content, IdentityRule::Strict).is_ok() => {
                let (version, source) = (identity.next_version(), IdentitySource::Person);
                let changed = IdentityChanged { version, content, source, restores: None };
                (Some(changed), IdentityForgets::Changed)
            }
            Some(_) => (None, IdentityForgets::StillSays),
        }
    }
}

fn refused(error: ForgetError, target: ForgetTarget<'_>) -> OrderError {
    match (error, target) {
        (ForgetError::NoFact(id), _) => OrderError::NotFound { what: "fact", id: id.to_string() },
        // Whether somebody else told it is not said to whoever may not forget it.
        (ForgetError::NotYours(_), ForgetTarget::Fact(id)) => {
            OrderError::NotFound { what: "fact", id: id.to_string() }
        }
        (ForgetError::Unreadable(error), _) => OrderError::Unreadable(error.to_string()),
        (other, _) => OrderError::Invalid(other.to_string()),
    }
}
