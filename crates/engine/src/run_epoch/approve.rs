//! May a call run? By its arguments, by the policy, and where the policy says so, by a person.
//!
//! A request for approval and its deadline stand in the ledger before anybody is asked, so that a restart goes on
//! waiting for the same deadline; silence is a no (decision 21).

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, ApprovalId, CallId,
    event::{ApprovalDecided, ApprovalRequested, ApprovedCall, DecidedBy, Decision, VoiceCall},
    limits::APPROVAL_PREVIEW_CHARS_MAX,
    text::shortened,
    tool::Outcome,
};
use abide_tools::{Permission, Tool, ToolError, UnknownToolError, judge_call};
use serde_json::Value;

use super::{
    controls::{DecideError, DecisionOrder},
    error::EpochError,
    walk::Walk,
};

/// How long a tool may take to say what a call would change.
const PREVIEW_WITHIN: Duration = Duration::from_secs(5);

/// Whether a call may run.
pub(super) enum Permit {
    /// It may.
    Run,
    /// It may not; the reason is data for the mind.
    Refused {
        /// `error` for a call that cannot run, `denied` for one that must not.
        outcome: Outcome,
        /// Why, and what would be right.
        reason: String,
    },
}

/// Decides on a call, waiting for a person where the policy asks for one.
pub(super) async fn permit(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<Permit, EpochError> {
    let permit = judge(walk, call).await?;
    if let Some(approval_id) = undecided(walk, call) {
        let decision = match permit {
            Permit::Run => Decision::Approve,
            Permit::Refused { .. } => Decision::Deny,
        };
        decide_by(walk, approval_id, decision, DecidedBy::Configuration)?;
    }
    Ok(permit)
}

async fn judge(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<Permit, EpochError> {
    // Of a tool that the agent may not use it is not said whether it exists or wants other arguments.
    let policy = walk.services.policy_of(walk.agent);
    if let Permission::Deny { reason } = policy.decide(&call.name) {
        let is_named = policy.is_named(&call.name);
        let reason = if is_named { reason } else { with_hint(walk, &call.name, reason) };
        return Ok(Permit::Refused { outcome: Outcome::Denied, reason });
    }
    let tools = Arc::clone(&walk.tools);
    let Ok(tool) = tools.get(&call.name) else {
        let reason = UnknownToolError::among(&walk.offer.all(), &call.name).to_string();
        return Ok(Permit::Refused { outcome: Outcome::Error, reason });
    };
    if let Err(problem) = tools.validate(&call.name, &call.arguments) {
        return Ok(Permit::Refused { outcome: Outcome::Error, reason: problem.to_string() });
    }
    if tool.needs_trusted_text() && walk.holds_untrusted() {
        let reason = format!(
            "`{}` may not be called here: this epoch holds text that no person vouches for",
            call.name
        );
        return Ok(Permit::Refused { outcome: Outcome::Denied, reason });
    }
    match judged(walk, call, &**tool) {
        Permission::Deny { reason } => Ok(Permit::Refused { outcome: Outcome::Denied, reason }),
        Permission::Ask => ask_person(walk, call, &**tool).await,
        Permission::Allow => Ok(Permit::Run),
    }
}

/// Why a tool may not run that nobody named, with those that may and whose names are like its own: most often one of them was meant.
fn with_hint(walk: &Walk<'_>, name: &str, reason: String) -> String {
    match UnknownToolError::among(&walk.offer.all(), name).hint() {
        hint if hint.is_empty() => reason,
        hint => format!("{reason}; {hint}"),
    }
}

/// What holds of the call at this moment.
fn judged(walk: &Walk<'_>, call: &VoiceCall, tool: &dyn Tool) -> Permission {
    let policy = walk.services.policy_of(walk.agent);
    let knows = |name: &str| walk.services.knows(name);
    judge_call(&policy, tool, &walk.agent.id, &call.arguments, &knows)
}

async fn ask_person(
    walk: &mut Walk<'_>,
    call: &VoiceCall,
    tool: &dyn Tool,
) -> Result<Permit, EpochError> {
    if walk.record.approval_of(&call.call_id).is_none() {
        let preview = preview(&walk.agent.id, tool, &call.arguments).await;
        if let Err(error) = &preview
            && may_hear_unasked(walk, tool, error)
        {
            // A yes would change nothing about it, so nobody is bothered.
            return Ok(Permit::Refused { outcome: Outcome::Error, reason: error.to_text() });
        }
        request(walk, (call.call_id.clone(), None, preview_words(preview))).await?;
    }
    await_decision(walk, call).await?;
    if let Err(reason) = verdict(walk, &call.call_id, &call.name) {
        return Ok(Permit::Refused { outcome: Outcome::Denied, reason });
    }
    // Whoever approved may do less than whoever denied the tool meanwhile.
    Ok(match judged(walk, call, tool) {
        Permission::Deny { reason } => Permit::Refused { outcome: Outcome::Denied, reason },
        Permission::Ask | Permission::Allow => Permit::Run,
    })
}

/// Whether the mind is told without a person's yes that a call must fail: of what it may not look at by itself, not.
fn may_hear_unasked(walk: &Walk<'_>, tool: &dyn Tool, error: &ToolError) -> bool {
    let policy = walk.services.policy_of(walk.agent);
    let may_look = |reader| policy.decide(reader) == Permission::Allow;
    !error.may_pass() && tool.preview_reads_as().is_none_or(may_look)
}

/// What a call would change, as far as its tool can say so in time, or the error with which it would fail.
pub(crate) async fn preview(
    agent: &AgentId,
    tool: &dyn Tool,
    arguments: &Value,
) -> Result<Option<String>, ToolError> {
    let preview = tool.preview(agent, arguments);
    tokio::time::timeout(PREVIEW_WITHIN, preview).await.unwrap_or(Ok(None))
}

/// What a person is shown of it.
pub(crate) fn preview_words(preview: Result<Option<String>, ToolError>) -> Option<String> {
    let words = preview.unwrap_or_else(|error| Some(format!("it would fail: {error}")))?;
    Some(shortened(&words, APPROVAL_PREVIEW_CHARS_MAX))
}

/// What was decided about a call; a no with its reason.
pub(super) fn verdict(walk: &Walk<'_>, call: &CallId, tool: &str) -> Result<(), String> {
    let approval = walk.record.approval_of(call);
    if approval.is_some_and(crate::state::ApprovalRecord::is_approved) {
        return Ok(());
    }
    let decided = approval.and_then(|approval| approval.decided.as_ref());
    Err(match decided.map(|(decided, _)| (decided.by, decided.reason.as_deref())) {
        Some((DecidedBy::Headless, _)) => {
            format!("`{tool}` needs a person's approval and nobody is there to give it")
        }
        Some((DecidedBy::Timeout, _)) => "nobody decided in time".to_owned(),
        Some((_, Some(reason))) => format!("a person said no: {reason}"),
        _ => "a person said no".to_owned(),
    })
}

/// Asks for approval, durably; where nobody is there to be asked, the denial is recorded with the request.
/// The call with its id, itself where it is not one of the voice but one that the mind makes by itself, and what it would change.
pub(super) async fn request(
    walk: &mut Walk<'_>,
    (call_id, own, preview): (CallId, Option<ApprovedCall>, Option<String>),
) -> Result<ApprovalId, EpochError> {
    let now = walk.now();
    let approval_id = ApprovalId::new(&*walk.services.ids, now);
    let is_anybody_there = walk.record.stimulus.interactive || walk.services.attached.is_any(now);
    let time =
        if is_anybody_there { walk.services.settings.limits.approval } else { Duration::ZERO };
    let deadline = now.plus(time);
    walk.record_keeper(ApprovalRequested { approval_id, call_id, deadline, own, preview })?;
    if is_anybody_there {
        walk.settle().await?;
    } else {
        decide_by(walk, approval_id, Decision::Deny, DecidedBy::Headless)?;
    }
    Ok(approval_id)
}

/// Denies, at the end of an epoch or of an attempt, what nobody will decide on any more.
pub(super) fn deny_undecided(walk: &mut Walk<'_>, by: DecidedBy) -> Result<(), EpochError> {
    while let Some(pending) = walk.record.pending_approval() {
        let approval_id = pending.requested.approval_id;
        decide_by(walk, approval_id, Decision::Deny, by)?;
    }
    Ok(())
}

/// The request that a call waits for.
fn undecided(walk: &Walk<'_>, call: &VoiceCall) -> Option<ApprovalId> {
    let approval = walk.record.approval_of(&call.call_id)?;
    approval.decided.is_none().then_some(approval.requested.approval_id)
}

/// Records a decision that no person made.
pub(super) fn decide_by(
    walk: &mut Walk<'_>,
    approval_id: ApprovalId,
    decision: Decision,
    by: DecidedBy,
) -> Result<(), EpochError> {
    walk.record_keeper(ApprovalDecided { approval_id, decision, by, reason: None })
}

/// Waits until the pending approval is decided, by a person or by its deadline, durably.
async fn await_decision(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<(), EpochError> {
    while let Some(pending) = walk.record.approval_of(&call.call_id).filter(|a| a.decided.is_none())
    {
        let (approval_id, deadline) = (pending.requested.approval_id, pending.requested.deadline);
        let left = deadline.since(walk.now());
        let order = tokio::select! {
            biased;
            error = walk.controls.interrupt.stopped() => return Err(error),
            Some(order) = walk.controls.decisions.recv() => Some(order),
            () = tokio::time::sleep(left) => None,
        };
        match order {
            Some(order) if order.approval_id != approval_id => {
                _ = order.reply.send(Err(DecideError::AlreadyDecided));
            }
            Some(order) => decide(walk, order).await?,
            None => {
                decide_by(walk, approval_id, Decision::Deny, DecidedBy::Timeout)?;
                walk.settle().await?;
            }
        }
    }
    Ok(())
}

/// Records what a person decided, and replies once it is durable.
pub(super) async fn decide(walk: &mut Walk<'_>, order: DecisionOrder) -> Result<(), EpochError> {
    let DecisionOrder { approval_id, decision, reason, by, reply } = order;
    let decided = ApprovalDecided { approval_id, decision, by: DecidedBy::Person, reason };
    walk.record(decided.into(), by)?;
    let settled = walk.settle().await;
    // The caller may be gone by now; the decision stands all the same.
    _ = reply.send(settled.as_ref().map(|_| ()).map_err(|_| DecideError::Unavailable));
    settled.map(|_| ())
}
