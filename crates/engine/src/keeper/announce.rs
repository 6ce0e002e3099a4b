//! What a start writes: that it happened, and whatever the ledger does not know of the agents yet.

use std::time::Duration;

use abide_domain::{
    EntityName, IdSource, ProposalId, Timestamp,
    event::{
        AgentRegistered, ApprovalDecided, DecidedBy, Decision, Event, IdentityChanged,
        IdentityProposed, IdentitySource, KeeperStarted,
    },
};
use abide_ledger::{AppendError, Draft, Ledger};
use abide_memory::{
    Identity, IdentityFile, IdentityFileError, IdentityFileOutcome, IdentityFileWriters,
    changed_share, profile_identity,
};
use tokio_util::sync::CancellationToken;

use super::replay::StartError;
use crate::{
    agent_setup::AgentSetup,
    projector::IdentityFiles,
    state::{State, UndecidedApproval},
};

/// How long to wait before a start is written again where the disk was full.
const ANNOUNCE_AGAIN: Duration = Duration::from_secs(5);

/// Writes what a start writes; where nothing can be written at present, gives an [`Announcer`].
pub(super) async fn announce(
    ledger: &Ledger,
    drafts: Vec<Draft>,
) -> Result<Option<Announcer>, AppendError> {
    match ledger.append(drafts.clone()).await {
        Ok(_) => Ok(None),
        Err(error @ AppendError::Degraded { .. }) => {
            tracing::warn!(event = "started_read_only", %error,
                "the ledger cannot be written; the keeper starts read-only and tries again");
            Ok(Some(Announcer { ledger: ledger.clone(), drafts }))
        }
        Err(error) => Err(error),
    }
}

/// Writes what a start could not write, as soon as the ledger can be written. Ends by itself.
#[derive(Debug)]
pub struct Announcer {
    ledger: Ledger,
    drafts: Vec<Draft>,
}

impl Announcer {
    /// Works until it has written, the ledger can never be written again, or it is told to stop.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = tokio::time::sleep(ANNOUNCE_AGAIN) => {}
            }
            let result = self.ledger.append(self.drafts.clone()).await;
            if !matches!(result, Err(AppendError::Degraded { .. })) {
                return;
            }
        }
    }
}

/// What new ids are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewIds<'a> {
    pub(super) source: &'a dyn IdSource,
    pub(super) now: Timestamp,
}

/// What a start writes: that it happened, and whatever the ledger does not know of the agents yet.
pub(super) fn announcements(
    agents: &[AgentSetup],
    state: &State,
    files: &IdentityFiles,
    (version, ids): (&str, NewIds<'_>),
) -> Result<Vec<Draft>, StartError> {
    let keeper = EntityName::keeper();
    let started = KeeperStarted { version: version.into(), remembers_failures: true }.into();
    let mut drafts =
        vec![Draft { entity: keeper.clone(), author: keeper.clone(), epoch: None, event: started }];
    drafts.extend(state.undecided.iter().map(end_approval));
    for agent in agents {
        drafts.extend(introduction(agent, state, files.get(&agent.id), ids)?);
    }
    Ok(drafts)
}

/// What the ledger does not know of an agent yet: its profile, its identity.
pub(super) fn introduction(
    agent: &AgentSetup,
    state: &State,
    file: Option<&IdentityFile>,
    ids: NewIds<'_>,
) -> Result<Vec<Draft>, IdentityFileError> {
    let draft = |event: Event| Draft {
        entity: agent.id.entity(),
        author: EntityName::keeper(),
        epoch: None,
        event,
    };
    let agent_state = state.agents.get(&agent.id);
    let profile = agent.profile();
    let is_known =
        agent_state.and_then(|agent_state| agent_state.profile.as_ref()) == Some(&profile);
    let changed =
        identity_due(&profile, agent_state.map(|agent_state| &agent_state.identity), file, ids)?;
    let profile = (!is_known).then(|| draft(profile.into()));
    Ok(profile.into_iter().chain(changed.map(draft)).collect())
}

/// The decision on an approval whose epoch ended without one.
fn end_approval(undecided: &UndecidedApproval) -> Draft {
    let (decision, by) = (Decision::Deny, DecidedBy::EpochEnded);
    let decided =
        ApprovalDecided { approval_id: undecided.approval_id, decision, by, reason: None };
    let (entity, author) = (undecided.agent.entity(), EntityName::keeper());
    Draft { entity, author, epoch: Some(undecided.epoch), event: decided.into() }
}

/// The identity's next version, where it has none yet or a person edited the file; a proposal of one, where a process of
/// the agent may have edited it.
fn identity_due(
    profile: &AgentRegistered,
    identity: Option<&Identity>,
    file: Option<&IdentityFile>,
    ids: NewIds<'_>,
) -> Result<Option<Event>, IdentityFileError> {
    let Some((known, current)) = identity.and_then(|known| Some((known, known.current()?))) else {
        let content = profile_identity(&profile.name, &profile.role, &profile.partners);
        let source = IdentitySource::Profile;
        let first = IdentityChanged { version: 1, content, source, restores: None };
        return Ok(Some(first.into()));
    };
    let Some(file) = file else { return Ok(None) };
    let outcome = match file.reconcile(known) {
        Ok(outcome) => outcome,
        // It is a projection: the next change of the identity, or the next start, writes it.
        Err(error) if error.doing != "read" => {
            tracing::error!(event = "identity_file_not_written", %error, "identity.md could not be written");
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if let IdentityFileOutcome::SetAside { path, reason } = &outcome {
        tracing::warn!(event = "identity_file_set_aside", path = %path.display(), %reason,
            "identity.md was set aside");
    }
    let IdentityFileOutcome::HandEdit { content, writers, based_on } = outcome else {
        return Ok(None);
    };
    let is_of_older = based_on.is_some_and(|version| version < current.version);
    if is_of_older {
        tracing::warn!(
            event = "identity_edit_of_older_version",
            edited = based_on,
            current = current.version,
            "identity.md was edited while another version came into force; the edit waits for a person"
        );
    }
    Ok(Some(match writers {
        IdentityFileWriters::People if !is_of_older => IdentityChanged {
            version: known.next_version(),
            content,
            source: IdentitySource::File,
            restores: None,
        }
        .into(),
        _ => IdentityProposed {
            proposal_id: ProposalId::new(ids.source, ids.now),
            change: changed_share(&current.content, &content),
            content,
            based_on: current.version,
            sleep_id: None,
        }
        .into(),
    }))
}
