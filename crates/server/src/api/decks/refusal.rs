//! Why a deck was not changed, as an answer: what changed meanwhile is said line by line.

use abide_deck::{DeckActor, DeckError, DeckRevision, DeckState, LineConflict, LineState};
use abide_engine::keeper::DeckOrderError;

use super::view::DeckConflictView;
use crate::api::error::ApiError;

impl From<DeckOrderError> for ApiError {
    fn from(error: DeckOrderError) -> Self {
        let message = error.to_string();
        match error {
            DeckOrderError::Order(error) => error.into(),
            DeckOrderError::Refused { error, state } => refused(&error, state.as_deref(), message),
            DeckOrderError::Line(_) => Self::invalid(message),
            DeckOrderError::TooMany => Self::conflict("too_many", message),
        }
    }
}

fn refused(error: &DeckError, state: Option<&DeckState>, message: String) -> ApiError {
    match error {
        DeckError::Conflict { lines, .. } => {
            let conflicts = lines.iter().map(|line| stale(state, line)).collect();
            ApiError::deck_conflict("stale", message, conflicts)
        }
        DeckError::LineAnswered(_) | DeckError::NothingOpen => {
            ApiError::conflict("answered", message)
        }
        DeckError::UnknownRevision(..) => ApiError::conflict("unknown_revision", message),
        DeckError::CannotUndo(_)
        | DeckError::AlreadyUndone(_)
        | DeckError::UndoConflict(..)
        | DeckError::LineRewritten(_) => ApiError::conflict("undo", message),
        DeckError::ProposalExists(_) | DeckError::RefusedBefore(_) => {
            ApiError::conflict("refused", message)
        }
        DeckError::UnknownProposal(_) => ApiError::missing(message),
        DeckError::UnknownLine(line) | DeckError::Line { line, .. } => {
            ApiError::invalid_at(&format!("ops[{}]", line + 1), "line", &message)
        }
        DeckError::PersonsOnly => ApiError::forbidden("persons_only", message),
        DeckError::Bounds(_) => ApiError::invalid(message),
    }
}

/// A line that does not mean any more what it meant, with the revision that changed it.
fn stale(state: Option<&DeckState>, conflict: &LineConflict) -> DeckConflictView {
    let revision = conflict.rev.and_then(|rev| state?.revision(rev));
    let by = conflict.by.as_ref().map_or("somebody", DeckActor::name);
    let what: Vec<_> = revision.iter().flat_map(|revision| &revision.changes).collect();
    let words: Vec<_> = what.iter().map(|change| change.words()).collect();
    let cause = match conflict.rev {
        Some(rev) => format!("{by} changed the deck in revision {rev}: {}", words.join("; ")),
        None => {
            "what it is about changed since; the revision that did it is not remembered".to_owned()
        }
    };
    DeckConflictView {
        id: conflict.line + 1,
        cause,
        rev: conflict.rev,
        by: conflict.by.clone(),
        changes: revision
            .map(|revision: &DeckRevision| revision.changes.clone())
            .unwrap_or_default(),
    }
}

/// Lines of a proposal that are answered already, each with its answer.
pub(super) fn answered(state: &DeckState, proposal_id: &str, ops: &[u32]) -> Vec<DeckConflictView> {
    let lines = state.proposal(proposal_id).map_or(&[] as &[_], |proposal| &proposal.lines);
    let answer = |id: &u32| {
        let index = usize::try_from(id.checked_sub(1)?).ok()?;
        let (cause, rev) = match &lines.get(index)?.state {
            LineState::Open => return None,
            LineState::Taken { rev } => {
                (format!("it was taken already, in revision {rev}"), Some(*rev))
            }
            LineState::Refused { reason } => (format!("it was refused already: {reason}"), None),
        };
        let revision = rev.and_then(|rev| state.revision(rev));
        Some(DeckConflictView {
            id: *id,
            cause,
            rev,
            by: revision.map(|revision| revision.by.clone()),
            changes: revision.map(|revision| revision.changes.clone()).unwrap_or_default(),
        })
    };
    ops.iter().filter_map(answer).collect()
}
