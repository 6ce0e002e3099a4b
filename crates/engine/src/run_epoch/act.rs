//! The station of the tools: runs the calls of the newest turn, one after the other, in the mind's order.
//!
//! A *world* tool's intent is durable before it begins and its outcome is recorded after it; a crash between the two
//! leaves `unknown`, which the mind sees and which is never silently retried unless the tool declared itself idempotent
//! *before* it ran (architecture, section 6). *State* tools only stage events. A tool's failure is data for the next turn.

use std::{collections::HashMap, pin::pin, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, CallId, WaitReason,
    event::{AbortCode, Ethereal, InnerToolFinished, ToolFinished, ToolRequested, VoiceCall},
    limits::{ETHEREAL_BYTES_MIN, IDENTICAL_CALLS_MAX, TOOL_RESULT_BYTES_MAX},
    tool::{EffectClass, Outcome},
};
use abide_tools::{
    AgentDecks, Call, CallProgress, KeptValues, NoInnerCalls, Output, ToolError, ToolErrorKind,
    ToolState,
};

use super::{
    approve::{Permit, permit},
    call_reports::CallReports,
    error::EpochError,
    inner_calls::EpochInnerCalls,
    walk::Walk,
};
use crate::{
    blobs,
    console::MindCommands,
    context::{listener_of, sender_zone},
    failpoint::Failpoint,
    services::Services,
    state::EpochRecord,
};

/// A call that runs longer is made visible in the ledger before it ends.
const VISIBLE_AFTER: Duration = Duration::from_millis(5);

/// Runs every call of the newest turn that is not finished.
pub(super) async fn act(walk: &mut Walk<'_>) -> Result<(), EpochError> {
    while let Some(call_id) = walk.record.next_call() {
        walk.time_left()?;
        act_one(walk, &call_id).await?;
        check_breaker(&walk.record)?;
    }
    Ok(())
}

/// How a call ended, before it is recorded.
struct CallResult {
    outcome: Outcome,
    output: Output,
    duration: Duration,
}

impl CallResult {
    fn at_once(outcome: Outcome, content: impl Into<String>) -> Self {
        let output = Output { content: content.into(), ..Output::default() };
        Self { outcome, output, duration: Duration::ZERO }
    }
}

async fn act_one(walk: &mut Walk<'_>, call_id: &CallId) -> Result<(), EpochError> {
    let Some((call, requested)) = look_up(&walk.record, call_id) else { return Ok(()) };
    let requested = match requested {
        Some(requested) if is_lost(&requested) => {
            leave_inner_unknown(walk, call_id)?;
            return finish(
                walk,
                call_id,
                CallResult::at_once(Outcome::Unknown, UNKNOWN_AFTER_CRASH),
            )
            .await;
        }
        // The tools may be others than when it was requested.
        Some(requested) => match walk.tools.validate(&call.name, &call.arguments) {
            Ok(()) => requested,
            Err(problem) => {
                let refused = CallResult::at_once(Outcome::Error, problem.to_string());
                return finish(walk, call_id, refused).await;
            }
        },
        None => match permit(walk, &call).await? {
            Permit::Refused { outcome, reason } => {
                return finish(walk, call_id, CallResult::at_once(outcome, reason)).await;
            }
            Permit::Run => request(walk, &call).await?,
        },
    };
    let ended = run(walk, &call, requested.effect).await?;
    let is_world = requested.effect == EffectClass::World;
    if is_world {
        walk.pass(Failpoint::ToolEffectDone).await?;
    }
    finish(walk, call_id, ended).await?;
    if is_world && walk.services.failpoints.is_set(Failpoint::ToolOutcomeDurable) {
        walk.settle().await?;
        walk.pass(Failpoint::ToolOutcomeDurable).await?;
    }
    Ok(())
}

const UNKNOWN_AFTER_CRASH: &str = "outcome unknown: the process ended after this call was begun and before its result \
    was recorded. It may or may not have taken effect. Check before you repeat it.";

/// Whether an intent without an outcome must not run again.
fn is_lost(requested: &ToolRequested) -> bool {
    requested.effect == EffectClass::World && !requested.idempotent
}

fn look_up(record: &EpochRecord, id: &CallId) -> Option<(VoiceCall, Option<ToolRequested>)> {
    let turn = record.turns.last()?;
    let call = turn.voice.tool_calls.iter().find(|call| call.call_id == *id)?;
    Some((call.clone(), turn.call(id)?.requested.clone()))
}

/// Records the intent; for the world, durably.
async fn request(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<ToolRequested, EpochError> {
    // A call of an unknown tool has failed its validation before.
    let tool = walk.tools.get(&call.name).ok();
    let effect = tool.map_or(EffectClass::Read, |tool| tool.spec().effect);
    let idempotent = tool.is_some_and(|tool| tool.idempotent(&call.arguments));
    let (call_id, name) = (call.call_id.clone(), call.name.clone());
    let requested = ToolRequested { call_id, name, effect, idempotent };
    walk.record_agent(requested.clone())?;
    if effect == EffectClass::World {
        walk.settle().await?;
        walk.pass(Failpoint::ToolIntentDurable).await?;
    }
    Ok(requested)
}

/// Runs the tool within its time, unless the epoch is told to end.
async fn run(
    walk: &mut Walk<'_>,
    call: &VoiceCall,
    effect: EffectClass,
) -> Result<CallResult, EpochError> {
    let (services, agent) = (walk.services, walk.agent);
    let tools = Arc::clone(&walk.tools);
    let tool = match tools.get(&call.name) {
        Ok(tool) => tool,
        // The configuration changed while the epoch was cut.
        Err(unknown) => return Ok(CallResult::at_once(Outcome::Error, unknown.to_string())),
    };
    let limit = tool.time_limit(&call.arguments).unwrap_or(services.settings.limits.tool);
    let limit = limit.min(walk.time_left()?);
    let started = walk.services.clock.monotonic();
    let (epoch, stimulus) = (walk.record.id, walk.record.stimulus.clone());
    let zone = sender_zone(&walk.record).unwrap_or_else(|| services.settings.time_zone.clone());
    let memory = agent.memory().with_identity(identity_of(services, &agent.id));
    if tool.writes_at_once() {
        // What it writes must not be in the ledger without what led to it.
        walk.flush().await?;
    }
    let commands = MindCommands::new(services, &walk.record, &call.call_id);
    let (offered, shown) = (walk.offer.all(), walk.shown.clone());
    let progress = CallProgress::default();
    let state = ToolState { kept: kept(walk), decks: decks(walk) };
    let asked = Call {
        agent: &agent.id,
        epoch,
        call_id: &call.call_id,
        arguments: &call.arguments,
        sender: &stimulus.sender,
        said: &stimulus.content,
        listener: listener_of(services.settings.sharing, &stimulus),
        administrator: stimulus.administrator,
        untrusted: walk.holds_untrusted(),
        zone: &zone,
        now: walk.now(),
        ids: &*services.ids,
        memory: &memory,
        state: &state,
        commands: &commands,
        inner: &NoInnerCalls,
        offered: &offered,
        shown: &shown,
        progress: &progress,
    };
    let inner = EpochInnerCalls::new((services, agent), Arc::clone(&tools), (asked, effect));
    let request = Call { inner: &inner, ..asked };
    let _wait = services.activities.wait(&agent.id, WaitReason::Tool, limit);
    let running = tokio::time::timeout(limit, tool.run(request));
    let result = follow(walk, (call, effect), (running, &progress)).await?;
    let duration = walk.services.clock.monotonic().saturating_sub(started);
    let result = result.map(|result| inner.complete(result));
    Ok(match result {
        Ok(Ok(output)) => {
            let outcome = if output.is_cut { Outcome::Error } else { Outcome::Ok };
            CallResult { outcome, output, duration }
        }
        Ok(Err(error)) => {
            CallResult { duration, ..CallResult::at_once(outcome_of(&error), error.to_text()) }
        }
        Err(_) => CallResult { duration, ..timed_out(effect, limit) },
    })
}

/// Waits until a call has ended or the epoch is told to end. Meanwhile the call is made visible, and what it says is handed on.
async fn follow<T>(
    walk: &mut Walk<'_>,
    (call, effect): (&VoiceCall, EffectClass),
    (running, said): (impl Future<Output = T>, &CallProgress),
) -> Result<T, EpochError> {
    let reports = CallReports::new(walk, &call.call_id, said);
    let (mut running, mut reporting) = (pin!(running), pin!(reports.hand_on()));
    let mut visible = pin!(tokio::time::sleep(VISIBLE_AFTER));
    let mut is_hidden = true;
    loop {
        tokio::select! {
            biased;
            error = walk.controls.interrupt.stopped() => {
                cancelled(walk, call, effect)?;
                return Err(error);
            }
            result = &mut running => {
                if !is_hidden {
                    reports.hand_on_last();
                }
                return Ok(result);
            }
            () = &mut visible, if is_hidden => {
                is_hidden = false;
                walk.flush().await?;
            }
            // Nobody hears of a call that the ledger does not show.
            () = &mut reporting, if !is_hidden => {}
        }
    }
}

fn outcome_of(error: &ToolError) -> Outcome {
    match error.kind {
        ToolErrorKind::Unknown => Outcome::Unknown,
        _ => Outcome::Error,
    }
}

/// A call that an abort cut off: of a world tool it is unknown how far it came.
fn cancelled(walk: &mut Walk<'_>, call: &VoiceCall, effect: EffectClass) -> Result<(), EpochError> {
    let (outcome, content) = match effect {
        EffectClass::World => {
            (Outcome::Unknown, "outcome unknown: the epoch was ended while this call ran")
        }
        EffectClass::Read | EffectClass::State => {
            (Outcome::Error, "the epoch was ended while this call ran")
        }
    };
    walk.record_agent(ToolFinished {
        call_id: call.call_id.clone(),
        outcome,
        content: content.into(),
        ethereal: None,
        duration_ms: 0,
    })
}

/// Records that the outcome of a world tool is unknown that was begun and that this epoch will not come back to.
pub(super) fn leave_unknown(walk: &mut Walk<'_>) -> Result<(), EpochError> {
    let Some(call_id) = walk.record.next_call() else { return Ok(()) };
    let begun = look_up(&walk.record, &call_id).and_then(|(_, requested)| requested);
    if begun.is_none_or(|requested| requested.effect != EffectClass::World) {
        return Ok(());
    }
    let content = "outcome unknown: the epoch ended after this call was begun and before its result was recorded";
    let (outcome, content) = (Outcome::Unknown, content.to_owned());
    leave_inner_unknown(walk, &call_id)?;
    walk.record_keeper(ToolFinished { call_id, outcome, content, ethereal: None, duration_ms: 0 })
}

/// The same of what a tool of the agent's own asked for, where the call will not run again.
fn leave_inner_unknown(walk: &mut Walk<'_>, call_id: &CallId) -> Result<(), EpochError> {
    let call = walk.record.turns.last().and_then(|turn| turn.call(call_id));
    let inner = call.map(|call| call.inner.clone()).unwrap_or_default();
    for begun in inner.into_iter().filter(|inner| inner.finished.is_none()) {
        walk.record_keeper(InnerToolFinished {
            call_id: call_id.clone(),
            n: begun.requested.n,
            outcome: Outcome::Unknown,
            content: UNKNOWN_AFTER_CRASH.to_owned(),
            note: None,
            duration_ms: 0,
        })?;
    }
    Ok(())
}

fn timed_out(effect: EffectClass, limit: Duration) -> CallResult {
    let seconds = limit.as_secs_f64();
    match effect {
        EffectClass::World => CallResult::at_once(
            Outcome::Unknown,
            format!(
                "outcome unknown: no result within {seconds} s. It may or may not have taken effect."
            ),
        ),
        EffectClass::Read | EffectClass::State => {
            CallResult::at_once(Outcome::Error, format!("no result within {seconds} s"))
        }
    }
}

/// What tools keep for the agent, with what this epoch has staged.
fn kept(walk: &Walk<'_>) -> KeptValues {
    let state = walk.services.view.read();
    let agent = state.agents.get(&walk.agent.id);
    let mut values = agent.map(|agent| agent.kept.clone()).unwrap_or_default();
    drop(state);
    walk.record.kept.iter().for_each(|kept| values.apply(kept));
    values
}

/// All decks, with what this epoch has staged.
fn decks(walk: &Walk<'_>) -> AgentDecks {
    let mut decks = walk.services.view.read().decks.for_agent(&walk.agent.id);
    for staged in &walk.record.decks {
        // What does not follow any more, because a person was faster, will not count either.
        drop(decks.take(staged));
    }
    decks
}

/// Records the outcome and what the tool staged. What is large or ethereal goes to a blob, synced first.
async fn finish(
    walk: &mut Walk<'_>,
    call_id: &CallId,
    ended: CallResult,
) -> Result<(), EpochError> {
    let CallResult { mut outcome, output, duration } = ended;
    let Output { mut content, ethereal, mut staged, .. } = output;
    if let Err(error) = kept(walk).stage(&staged) {
        (outcome, content) = (outcome_of(&error), error.to_text());
        staged.clear();
    }
    if content.len() > TOOL_RESULT_BYTES_MAX {
        outcome = Outcome::Error;
        content =
            format!("the result has {} bytes; at most {TOOL_RESULT_BYTES_MAX}", content.len());
    }
    let note = match ethereal {
        None if content.len() > ETHEREAL_BYTES_MIN => {
            Some(format!("a result of {} bytes", content.len()))
        }
        note => note,
    };
    let ethereal = match note {
        None => None,
        Some(note) => Some(store_ethereal(walk, call_id, &content, note).await?),
    };
    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let content = if ethereal.is_some() { String::new() } else { content };
    walk.record_agent(ToolFinished {
        call_id: call_id.clone(),
        outcome,
        content,
        ethereal,
        duration_ms,
    })?;
    staged.into_iter().try_for_each(|event| walk.record_agent(event))
}

async fn store_ethereal(
    walk: &mut Walk<'_>,
    call_id: &CallId,
    content: &str,
    note: String,
) -> Result<Ethereal, EpochError> {
    let stored = walk.services.blobs.put(walk.record.id, call_id, content).await;
    if let Err(error) = stored {
        // The mind still sees the result until the keeper stops; a resumed epoch sees the note.
        let (agent, epoch) = (&walk.agent.id, walk.record.id);
        tracing::warn!(%agent, %epoch, %call_id, event = "blob_not_stored", %error,
            "an ethereal result could not be stored; a resumed epoch will see only its note");
    }
    walk.blobs.insert(call_id.clone(), content.into());
    let sha256 = blobs::digest(content.as_bytes());
    Ok(Ethereal { bytes: content.len() as u64, sha256, note })
}

/// Stops an epoch in which the same call gives the same result again and again.
fn check_breaker(record: &EpochRecord) -> Result<(), EpochError> {
    let mut seen: HashMap<(&str, String, &str), u32> = HashMap::new();
    for turn in &record.turns {
        for (call, done) in turn.voice.tool_calls.iter().zip(&turn.calls) {
            let Some(finished) = &done.finished else { continue };
            let result =
                finished.ethereal.as_ref().map_or(finished.content.as_str(), |e| &e.sha256);
            let times = seen.entry((&call.name, call.arguments.to_string(), result)).or_default();
            *times += 1;
            if *times >= IDENTICAL_CALLS_MAX {
                let message = format!(
                    "`{}` gave the same result {times} times for the same arguments; the epoch was stopped",
                    call.name
                );
                return Err(EpochError::abort(AbortCode::Breaker, message));
            }
        }
    }
    Ok(())
}

/// The identity in force and the number of its next version.
fn identity_of(services: &Services, agent: &AgentId) -> Option<(u64, Arc<str>)> {
    let state = services.view.read();
    let identity = &state.agents.get(agent)?.identity;
    Some((identity.next_version(), identity.current()?.content.clone()))
}
