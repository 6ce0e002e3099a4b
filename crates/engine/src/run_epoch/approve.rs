//! May a call run? By its arguments, by the policy, and where the policy says so, by a person.
//!
//! A request for approval and its deadline stand in the ledger before anybody is asked, so that a restart goes on
//! waiting for the same deadline; silence is a no (decision 21).

use abide_domain::{
    ApprovalId,
    event::{ApprovalDecided, ApprovalRequested, DecidedBy, Decision, VoiceCall},
    tool::Outcome,
};
use abide_tools::Permission;

use super::{
    Stop,
    walk::{DecideError, DecisionOrder, Walk},
};

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
pub(super) async fn permit(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<Permit, Stop> {
    // A tool that nobody may use is not even said to exist or to want other arguments.
    let permission = walk.agent.policy.decide(&call.name);
    if let Permission::Deny { reason } = permission {
        return Ok(Permit::Refused { outcome: Outcome::Denied, reason });
    }
    if let Err(problem) = walk.agent.tools.validate(&call.name, &call.arguments) {
        return Ok(Permit::Refused { outcome: Outcome::Error, reason: problem.to_string() });
    }
    match permission {
        Permission::Ask => ask_person(walk, call).await,
        _ => Ok(Permit::Run),
    }
}

async fn ask_person(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<Permit, Stop> {
    if walk.record.approval_of(&call.call_id).is_none() {
        let is_anybody_there =
            walk.record.stimulus.interactive || walk.services.attached.is_any(walk.now());
        if !is_anybody_there {
            let reason =
                format!("`{}` needs a person's approval and nobody is there to give it", call.name);
            return Ok(Permit::Refused { outcome: Outcome::Denied, reason });
        }
        let deadline = walk.now().plus(walk.services.settings.limits.approval);
        let approval_id = ApprovalId::new(&*walk.services.ids, walk.now());
        walk.record_keeper(ApprovalRequested {
            approval_id,
            call_id: call.call_id.clone(),
            deadline,
        })?;
        walk.settle().await?;
    }
    await_decision(walk, call).await?;
    let approval = walk.record.approval_of(&call.call_id);
    if approval.is_some_and(crate::state::ApprovalRecord::is_approved) {
        return Ok(Permit::Run);
    }
    let decided = approval.and_then(|approval| approval.decided.as_ref());
    let reason = match decided.map(|(decided, _)| (decided.by, decided.reason.as_deref())) {
        Some((DecidedBy::Timeout, _)) => "nobody decided in time".to_owned(),
        Some((_, Some(reason))) => format!("a person said no: {reason}"),
        _ => "a person said no".to_owned(),
    };
    Ok(Permit::Refused { outcome: Outcome::Denied, reason })
}

/// Waits until the pending approval is decided, by a person or by its deadline, durably.
async fn await_decision(walk: &mut Walk<'_>, call: &VoiceCall) -> Result<(), Stop> {
    while let Some(pending) = walk.record.approval_of(&call.call_id).filter(|a| a.decided.is_none())
    {
        let (approval_id, deadline) = (pending.requested.approval_id, pending.requested.deadline);
        let left = deadline.since(walk.now());
        let order = tokio::select! {
            biased;
            stop = walk.controls.interrupt.stopped() => return Err(stop),
            Some(order) = walk.controls.decisions.recv() => Some(order),
            () = tokio::time::sleep(left) => None,
        };
        match order {
            Some(order) if order.approval_id != approval_id => {
                _ = order.reply.send(Err(DecideError::AlreadyDecided));
            }
            Some(order) => decide(walk, order).await?,
            None => {
                let (decision, by) = (Decision::Deny, DecidedBy::Timeout);
                walk.record_keeper(ApprovalDecided { approval_id, decision, by, reason: None })?;
                walk.settle().await?;
            }
        }
    }
    Ok(())
}

async fn decide(walk: &mut Walk<'_>, order: DecisionOrder) -> Result<(), Stop> {
    let DecisionOrder { approval_id, decision, reason, by, reply } = order;
    let decided = ApprovalDecided { approval_id, decision, by: DecidedBy::Person, reason };
    walk.record(decided.into(), by)?;
    let settled = walk.settle().await;
    // Whoever decided may be gone by now; the decision stands all the same.
    _ = reply.send(settled.as_ref().map(|_| ()).map_err(|_| DecideError::Unavailable));
    settled.map(|_| ())
}
