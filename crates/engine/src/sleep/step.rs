//! One step of a run, carried out: ask, check the answer against what is known, write what is left and the end of the step
//! in one batch.

use std::sync::Arc;

use abide_domain::{
    FactId, ProposalId,
    event::{
        DreamWritten, Event, FactProposed, IdentityChanged, IdentityProposed, IdentitySource,
        SleepStep, StepFinished, StepStatus, UsageRecord,
    },
    limits::PROPOSAL_SAID_CHARS_MAX,
};
use abide_memory::{
    DREAM_CHARS_MAX, DREAM_TITLE_CHARS_MAX, DistillAnswer, DistillInput, DistillOutcome, Distiller,
    Fact, FoundDream, IdentityVersion, PAGE_FACTS_MAX, Passage, Revision, TakenBack, needs_person,
    reconcile_facts, revise,
};
use tokio::sync::SemaphorePermit;

use super::{
    material::{Exchanges, bound, clip},
    plan::SleepStation,
    write::{SleepRunError, until_writable, write},
};
use crate::{agent_setup::AgentSetup, failpoint::Failpoint, services::Services, state::SleepRun};

/// Facts that a step is checked against, newest first.
const KNOWN_MAX: usize = 20_000;
/// How often an identity is distilled again because a person changed it meanwhile.
const IDENTITY_TRIES_MAX: u32 = 3;

/// A run, its distiller and its exchanges.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepInput<'a> {
    pub(super) run: &'a SleepRun,
    pub(super) distiller: &'a dyn Distiller,
    pub(super) exchanges: &'a Exchanges,
}

/// The result of a step, before it is written.
struct StepResult<'a> {
    events: Vec<Event>,
    status: StepStatus,
    message: String,
    usage: Option<UsageRecord>,
    /// Held until it is written, so that no edit of a person comes between.
    edit_permit: Option<SemaphorePermit<'a>>,
}

impl StepResult<'_> {
    fn nothing(status: StepStatus, message: impl Into<String>, usage: Option<UsageRecord>) -> Self {
        Self { events: Vec::new(), status, message: message.into(), usage, edit_permit: None }
    }
}

/// Carries one station out, so that it is done in the ledger.
pub(super) async fn carry_out(
    services: &Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
    station: SleepStation,
) -> Result<(), SleepRunError> {
    until_writable(services).await?;
    let found = match refusal(services, agent, input) {
        Some(reason) => StepResult::nothing(StepStatus::Failed, reason, None),
        None => match station.step {
            SleepStep::Facts => facts(services, agent, input, station.part).await,
            SleepStep::Identity => identity(services, agent, input).await,
            SleepStep::Dream => dream(services, agent, input).await,
        },
    };
    let StepResult { mut events, status, message, usage, edit_permit } = found;
    let SleepStation { step, part, parts } = station;
    let sleep_id = input.run.started.sleep_id;
    events.push(StepFinished { sleep_id, step, part, parts, status, message, usage }.into());
    let (before, after) = points(step);
    services.failpoints.pass(before).await?;
    write(services, agent, events).await?;
    drop(edit_permit);
    services.failpoints.pass(after).await?;
    Ok(())
}

const fn points(step: SleepStep) -> (Failpoint, Failpoint) {
    match step {
        SleepStep::Facts => (Failpoint::SleepFactsBefore, Failpoint::SleepFactsAfter),
        SleepStep::Identity => (Failpoint::SleepIdentityBefore, Failpoint::SleepIdentityAfter),
        SleepStep::Dream => (Failpoint::SleepDreamBefore, Failpoint::SleepDreamAfter),
    }
}

/// Why nothing is asked at present.
fn refusal(services: &Services, agent: &AgentSetup, input: StepInput<'_>) -> Option<String> {
    let is_spent = {
        let state = services.view.read();
        state.agents.get(&agent.id).is_some_and(|agent_state| services.is_spent(agent_state))
    };
    let is_unaffordable = input.distiller.is_paid() && is_spent;
    is_unaffordable.then(|| {
        "the daily budget is spent; the sleep is tried again when the budget allows it".to_owned()
    })
}

async fn facts<'a>(
    services: &'a Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
    part: u32,
) -> StepResult<'a> {
    let read = input.exchanges.part(part).and_then(|part| Ok((part, known_facts(agent)?)));
    let (passages, KnownFacts { known, taken_back }) = match read {
        Ok(read) => read,
        Err(reason) => return StepResult::nothing(StepStatus::Failed, reason, None),
    };
    if passages.is_empty() {
        return StepResult::nothing(StepStatus::Empty, "", None);
    }
    let slots = taken_back.slots.iter().map(|(slot, _)| slot.clone()).collect();
    let material =
        DistillInput { taken_back: slots, ..material(services, agent, passages, &known) };
    let DistillAnswer { outcome, usage } = input.distiller.facts(&material).await;
    let found = match outcome {
        DistillOutcome::Found(found) => found,
        other => return unfound(other, usage),
    };
    let permit = match unchanged(services, agent, input).await {
        Ok(permit) => permit,
        Err(reason) => return StepResult::nothing(StepStatus::Failed, reason, usage),
    };
    let mut new_id = || FactId::new(&*services.ids, services.now());
    let sifted = reconcile_facts(found, &known, &taken_back, &mut new_id);
    let (new, replacing) = (sifted.facts.len(), sifted.replacing);
    let waiting = sifted.doubtful.len();
    let status = if new + waiting == 0 { StepStatus::Empty } else { StepStatus::Ok };
    let mut message = match (new, replacing) {
        (0, _) => String::new(),
        (1, 0) => "1 new fact".to_owned(),
        (new, 0) => format!("{new} new facts"),
        (new, replacing) => format!("{new} new facts, {replacing} of them in place of older ones"),
    };
    if waiting > 0 {
        let separator = if message.is_empty() { "" } else { ", " };
        message = format!("{message}{separator}{waiting} wait for a person");
    }
    let sleep_id = input.run.started.sleep_id;
    let proposed = sifted.doubtful.into_iter().map(|(fact, doubt)| {
        Event::from(FactProposed {
            proposal_id: ProposalId::new(&*services.ids, services.now()),
            fact,
            doubt: doubt.reason.to_string(),
            said: clip(&doubt.said, PROPOSAL_SAID_CHARS_MAX),
            sleep_id,
        })
    });
    let events = sifted.facts.into_iter().map(Event::from).chain(proposed).collect();
    StepResult { events, status, message, usage, edit_permit: Some(permit) }
}

/// Holds edits off and makes sure that nothing of what was read has been taken back since.
async fn unchanged<'a>(
    services: &'a Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
) -> Result<SemaphorePermit<'a>, String> {
    let permit = services.edits.acquire().await;
    let permit = permit.map_err(|_| "the keeper is stopping".to_owned())?;
    if bound(agent, input.run)? == *input.exchanges.bound() {
        return Ok(permit);
    }
    Err("something was taken back while it was distilled; the sleep is tried again".to_owned())
}

async fn identity<'a>(
    services: &'a Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
) -> StepResult<'a> {
    let mut spent: Option<UsageRecord> = None;
    for _ in 0..IDENTITY_TRIES_MAX {
        let Some(current) = current(services, agent) else {
            return StepResult::nothing(StepStatus::Empty, "there is no identity yet", spent);
        };
        let material = match digest(services, agent, input) {
            Ok(Some(material)) => material,
            Ok(None) => return StepResult::nothing(StepStatus::Empty, "", spent),
            Err(reason) => return StepResult::nothing(StepStatus::Failed, reason, spent),
        };
        let DistillAnswer { outcome, usage } = input.distiller.identity(&material).await;
        spent = UsageRecord::sum(spent, usage);
        let content = match outcome {
            DistillOutcome::Found(content) => content,
            other => return unfound(other, spent),
        };
        let permit = match unchanged(services, agent, input).await {
            Ok(permit) => permit,
            Err(reason) => return StepResult::nothing(StepStatus::Failed, reason, spent),
        };
        if self::current(services, agent).is_some_and(|now| now.version == current.version) {
            let found = revised(services, agent, input, (&current, content));
            return StepResult { usage: spent, edit_permit: Some(permit), ..found };
        } // A person wrote another version meanwhile: what was made of the older one is of no use.
    }
    StepResult::nothing(
        StepStatus::Failed,
        "the identity was changed by a person each time before the distilled one could be written",
        spent,
    )
}

/// What a distilled identity comes to.
fn revised(
    services: &Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
    (current, content): (&IdentityVersion, String),
) -> StepResult<'static> {
    let revision = match revise(&current.content, &content) {
        Ok(revision) => revision,
        Err(unfit) => return StepResult::nothing(StepStatus::Failed, unfit.to_string(), None),
    };
    let percent = |share: f64| (share * 100.0).round();
    let revision = match revision {
        Revision::Small(share)
            if needs_person(&current.content, &content, &foreign(agent, input)) =>
        {
            Revision::Large(share)
        }
        other => other,
    };
    let (event, message): (Event, String) = match revision {
        Revision::Unchanged => return StepResult::nothing(StepStatus::Empty, "", None),
        Revision::Small(share) => {
            let version = next_version(services, agent);
            let changed =
                IdentityChanged { version, content, source: IdentitySource::Sleep, restores: None };
            (changed.into(), format!("identity version {version} ({} % changed)", percent(share)))
        }
        Revision::Large(change) => {
            let proposed = IdentityProposed {
                proposal_id: ProposalId::new(&*services.ids, services.now()),
                content,
                based_on: current.version,
                change,
                sleep_id: Some(input.run.started.sleep_id),
            };
            let message =
                format!("a change of the identity ({} %) waits for a person", percent(change));
            (proposed.into(), message)
        }
    };
    StepResult {
        events: vec![event],
        status: StepStatus::Ok,
        message,
        usage: None,
        edit_permit: None,
    }
}

/// Text of the run that no person vouches for, and facts that are so: no line of an identity may rest on it unseen.
fn foreign(agent: &AgentSetup, input: StepInput<'_>) -> Vec<String> {
    let passages = input.exchanges.digest().unwrap_or_default();
    let replies = passages.iter().filter(|passage| passage.untrusted);
    let mut texts: Vec<String> = replies.map(|passage| passage.reply.to_string()).collect();
    if let Ok(KnownFacts { known, .. }) = known_facts(agent) {
        texts.extend(known.iter().filter(|fact| !fact.trusted).map(|fact| fact.content.clone()));
    }
    texts
}

async fn dream<'a>(
    services: &'a Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
) -> StepResult<'a> {
    let material = match digest(services, agent, input) {
        Ok(Some(material)) => material,
        Ok(None) => return StepResult::nothing(StepStatus::Empty, "", None),
        Err(reason) => return StepResult::nothing(StepStatus::Failed, reason, None),
    };
    let DistillAnswer { outcome, usage } = input.distiller.dream(&material).await;
    let FoundDream { title, text } = match outcome {
        DistillOutcome::Found(dream) => dream,
        other => return unfound(other, usage),
    };
    let permit = match unchanged(services, agent, input).await {
        Ok(permit) => permit,
        Err(reason) => return StepResult::nothing(StepStatus::Failed, reason, usage),
    };
    let title =
        clip(&title.split_whitespace().collect::<Vec<_>>().join(" "), DREAM_TITLE_CHARS_MAX);
    let text = clip(text.trim(), DREAM_CHARS_MAX);
    if title.is_empty() || text.is_empty() {
        return StepResult::nothing(StepStatus::Failed, "the dream has no title or no text", usage);
    }
    let filename = {
        let state = services.view.read();
        let dreams = state.agents.get(&agent.id).map(|agent_state| &agent_state.dreams);
        dreams.map_or_else(String::new, |dreams| dreams.free_name(services.now(), &title))
    };
    let content = format!("# {title}\n\n{text}\n");
    let message = format!("dream {filename}");
    let sleep_id = input.run.started.sleep_id;
    let written = DreamWritten { filename, title, content, sleep_id };
    StepResult {
        events: vec![written.into()],
        status: StepStatus::Ok,
        message,
        usage,
        edit_permit: Some(permit),
    }
}

/// A step that found nothing to write.
fn unfound<T>(outcome: DistillOutcome<T>, usage: Option<UsageRecord>) -> StepResult<'static> {
    match outcome {
        DistillOutcome::Found(_) | DistillOutcome::Empty => {
            StepResult::nothing(StepStatus::Empty, "", usage)
        }
        DistillOutcome::Skipped(why) => StepResult::nothing(StepStatus::Skipped, why, usage),
        DistillOutcome::Failed(why) => StepResult::nothing(StepStatus::Failed, why, usage),
    }
}

fn current(services: &Services, agent: &AgentSetup) -> Option<Arc<IdentityVersion>> {
    let state = services.view.read();
    state.agents.get(&agent.id)?.identity.current().cloned()
}

fn next_version(services: &Services, agent: &AgentSetup) -> u64 {
    let state = services.view.read();
    state.agents.get(&agent.id).map_or(1, |agent_state| agent_state.identity.next_version())
}

fn material(
    services: &Services,
    agent: &AgentSetup,
    passages: Arc<[Passage]>,
    known: &Arc<[Fact]>,
) -> DistillInput {
    let identity = current(services, agent);
    DistillInput {
        name: agent.name.clone(),
        role: agent.role.clone(),
        identity: identity.map_or_else(|| "".into(), |identity| identity.content.clone()),
        passages,
        known: known.clone(),
        learnt: Vec::new(),
        taken_back: Vec::new(),
        now: services.now(),
    }
}

/// All exchanges in short and what was learnt of them; none where no person took part.
fn digest(
    services: &Services,
    agent: &AgentSetup,
    input: StepInput<'_>,
) -> Result<Option<DistillInput>, String> {
    // What the agent made of fetched text is no source of who it is, nor of what it dreams.
    let passages = input.exchanges.digest()?;
    let passages: Arc<[Passage]> =
        passages.iter().filter(|passage| !passage.untrusted).cloned().collect();
    if passages.is_empty() {
        return Ok(None);
    }
    let KnownFacts { known, taken_back } = known_facts(agent)?;
    let taken_back = taken_back.slots.into_iter().map(|(slot, _)| slot).collect();
    let epochs = &input.run.started.epochs;
    // What no person vouches for is no source of who it is, nor of what it dreams.
    let is_new =
        |fact: &&Fact| fact.trusted && fact.sources.iter().any(|source| epochs.contains(source));
    let learnt = known.iter().filter(is_new).map(|fact| fact.content.clone()).collect();
    Ok(Some(DistillInput { learnt, taken_back, ..material(services, agent, passages, &known) }))
}

/// The facts of an agent: those in force, and those that have ended.
struct KnownFacts {
    /// The facts in force, newest first.
    known: Arc<[Fact]>,
    /// The texts of the others, and the slots that were taken back.
    taken_back: TakenBack,
}

/// Reads what is known. The text says why it could not be read.
fn known_facts(agent: &AgentSetup) -> Result<KnownFacts, String> {
    let (mut known, mut contents) = (Vec::new(), Vec::new());
    let unreadable = |error| format!("the facts could not be read: {error}");
    let slots = agent.facts.bound_slots().map_err(unreadable)?;
    let mut before = None;
    loop {
        let page = agent.facts.fact_history(before, PAGE_FACTS_MAX);
        let page = page.map_err(unreadable)?;
        for fact in page.items {
            match fact.valid_to {
                None => known.push(fact),
                Some(end) => contents.push((fact.content, end)),
            }
        }
        before = page.next;
        if before.is_none() || known.len() + contents.len() >= KNOWN_MAX {
            let taken_back = TakenBack { contents, slots };
            return Ok(KnownFacts { known: known.into(), taken_back });
        }
    }
}
