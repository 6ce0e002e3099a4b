//! Which events a command makes, or why it makes none. A person edits, takes, refuses and undoes; an agent proposes. Whoever acts
//! on an older revision is merged where what they act on is as they saw it, and answered with a conflict where it is not.

use std::collections::BTreeSet;

use crate::{
    deck::Deck,
    deck_change::{DeckChange, changes_between},
    deck_event::{DeckActor, DeckEvent, ForkSource},
    deck_op::{DeckOp, OpError},
    deck_state::{DeckProposal, DeckState, LineState, ProposalLine, RevisionCause},
    limits::{
        DECK_ENTRIES_MAX, EDIT_OPS_MAX, PROPOSAL_LINES_MAX, PROPOSALS_OPEN_MAX, REASON_CHARS_MAX,
    },
};

/// Which lines of a proposal are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineChoice {
    /// All that are open; of stale ones nothing is taken.
    AllOpen,
    /// These, from 0.
    Lines(Vec<u32>),
}

/// What somebody wants of a deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeckCommand {
    /// Change the deck at once; a person alone may.
    Edit {
        /// The revision that the person saw.
        deck_rev: u64,
        /// What to do.
        ops: Vec<DeckOp>,
    },
    /// Propose changes.
    Propose {
        /// Names the proposal.
        proposal_id: String,
        /// The revision that the proposer saw.
        deck_rev: u64,
        /// Why.
        reason: String,
        /// The lines.
        ops: Vec<DeckOp>,
    },
    /// Take lines of a proposal: all at once or none.
    Take {
        /// The proposal.
        proposal_id: String,
        /// The revision that the person saw.
        deck_rev: u64,
        /// Which lines.
        lines: LineChoice,
        /// In a conflict, the proposal's side: stale lines are taken as they are, where they can be done.
        despite_conflict: bool,
    },
    /// Refuse lines of a proposal.
    Refuse {
        /// The proposal.
        proposal_id: String,
        /// Which lines.
        lines: LineChoice,
        /// Why, for the proposer.
        reason: String,
    },
    /// Take a refusal back.
    Reopen {
        /// The proposal.
        proposal_id: String,
        /// Which lines, from 0.
        lines: Vec<u32>,
    },
    /// Rewrite an open line.
    EditLine {
        /// The proposal.
        proposal_id: String,
        /// Which line, from 0.
        line: u32,
        /// What it is to say.
        op: DeckOp,
    },
    /// Take a revision back, also one that took back another.
    Undo {
        /// The revision.
        rev: u64,
    },
    /// Say which bracket the deck is of.
    SetBracket {
        /// 1 to 5; none leaves it to the estimate.
        bracket: Option<u8>,
    },
}

/// A line that does not mean any more what it meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineConflict {
    /// Which line of the command or the proposal, from 0.
    pub line: u32,
    /// The revision that changed what it is about, where it is remembered.
    pub rev: Option<u64>,
    /// Who made that revision.
    pub by: Option<DeckActor>,
}

/// Why a command makes no events.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeckError {
    /// Agents propose; they change nothing themselves.
    #[error("only a person may do this; propose it instead")]
    PersonsOnly,
    /// The revision is not remembered, or there is none such yet.
    #[error("revision {0} is not known; the newest is {1}")]
    UnknownRevision(u64, u64),
    /// The deck moved on, and what these lines are about changed.
    #[error("the deck is at revision {rev} now, and {count} of the lines are stale", count = .lines.len())]
    Conflict {
        /// The newest revision.
        rev: u64,
        /// The lines.
        lines: Vec<LineConflict>,
    },
    /// A line cannot be done.
    #[error("line {line}: {source}", line = .line + 1)]
    Line {
        /// Which, from 0.
        line: u32,
        /// Why.
        source: OpError,
    },
    /// There is no such proposal.
    #[error("there is no proposal {0}")]
    UnknownProposal(String),
    /// The name is in use.
    #[error("there is a proposal {0} already")]
    ProposalExists(String),
    /// There is no such line.
    #[error("the proposal has no line {}", .0 + 1)]
    UnknownLine(u32),
    /// The line is not in the state that the command needs.
    #[error("line {} was answered already, or was not", .0 + 1)]
    LineAnswered(u32),
    /// No line is left to answer.
    #[error("no line is open")]
    NothingOpen,
    /// Lines repeat what a person refused.
    #[error("{} of the lines were refused before: {}", .0.len(), .0.iter().map(|(line, reason)| format!("line {}: {reason}", line + 1)).collect::<Vec<_>>().join("; "))]
    RefusedBefore(Vec<(u32, String)>),
    /// The revision cannot be taken back.
    #[error("revision {0} cannot be taken back: it began the deck")]
    CannotUndo(u64),
    /// It is taken back already.
    #[error("revision {0} is taken back already")]
    AlreadyUndone(u64),
    /// Something that it changed was changed again since.
    #[error("revision {0} cannot be taken back: revision {1} changed the same cards")]
    UndoConflict(u64, u64),
    /// Lines that would be taken again say something else by now.
    #[error("a line that revision {0} stands for was rewritten since: take the line instead")]
    LineRewritten(u64),
    /// A text, a number or a list is out of its bounds.
    #[error("{0}")]
    Bounds(&'static str),
}

/// The event that makes a deck. An agent may: it changes no deck that there is.
///
/// # Errors
/// The deck has too many entries.
pub fn create_deck(by: &DeckActor, deck_id: &str, deck: Deck) -> Result<DeckEvent, DeckError> {
    if deck_id.is_empty() || deck.entries().len() > DECK_ENTRIES_MAX {
        return Err(DeckError::Bounds("a deck has an id and at most 2000 entries"));
    }
    let deck_id = deck_id.to_owned();
    Ok(DeckEvent::Created { deck_id, by: by.clone(), deck, forked_from: None })
}

/// The event that makes a deck out of a revision of another one.
///
/// # Errors
/// An agent asks, or the revision is not known.
pub fn fork_deck(
    state: &DeckState,
    by: &DeckActor,
    rev: u64,
    deck_id: &str,
) -> Result<DeckEvent, DeckError> {
    person(by)?;
    let deck = deck_at(state, rev)?;
    let DeckEvent::Created { deck_id, by, deck, .. } = create_deck(by, deck_id, deck)? else {
        return Err(DeckError::UnknownRevision(rev, state.rev));
    };
    let forked_from = Some(ForkSource { deck_id: state.id.clone(), rev });
    Ok(DeckEvent::Created { deck_id, by, deck, forked_from })
}

/// The event that a command makes.
///
/// # Errors
/// The command makes none: see [`DeckError`].
pub fn decide(
    state: &DeckState,
    by: &DeckActor,
    command: &DeckCommand,
) -> Result<DeckEvent, DeckError> {
    if !matches!(command, DeckCommand::Propose { .. }) {
        person(by)?;
    }
    let by = by.clone();
    match command {
        DeckCommand::Edit { deck_rev, ops } => edit(state, by, *deck_rev, ops),
        DeckCommand::Propose { proposal_id, deck_rev, reason, ops } => {
            check_proposal(state, proposal_id, *deck_rev, reason, ops)?;
            Ok(DeckEvent::Proposed {
                proposal_id: proposal_id.clone(),
                by,
                deck_rev: *deck_rev,
                reason: reason.clone(),
                ops: ops.clone(),
            })
        }
        DeckCommand::Take { proposal_id, deck_rev, lines, despite_conflict } => {
            let proposal = proposal(state, proposal_id)?;
            let lines = lines_to_take(state, proposal, *deck_rev, lines, *despite_conflict)?;
            let changed = with_lines(state, proposal, &lines)?;
            Ok(DeckEvent::LinesTaken {
                rev: state.rev + 1,
                by,
                proposal_id: proposal_id.clone(),
                lines,
                changes: changes_between(&state.deck, &changed),
            })
        }
        DeckCommand::Refuse { proposal_id, lines, reason } => {
            check_reason(reason)?;
            let lines = chosen(proposal(state, proposal_id)?, lines)?;
            let (proposal_id, reason) = (proposal_id.clone(), reason.clone());
            Ok(DeckEvent::LinesRefused { by, proposal_id, lines, reason })
        }
        DeckCommand::Reopen { proposal_id, lines } => {
            let proposal = proposal(state, proposal_id)?;
            for index in lines {
                let line = line(proposal, *index)?;
                if !matches!(line.state, LineState::Refused { .. }) {
                    return Err(DeckError::LineAnswered(*index));
                }
            }
            let lines = distinct(lines)?;
            Ok(DeckEvent::LinesReopened { by, proposal_id: proposal_id.clone(), lines })
        }
        DeckCommand::EditLine { proposal_id, line: index, op } => {
            if line(proposal(state, proposal_id)?, *index)?.state != LineState::Open {
                return Err(DeckError::LineAnswered(*index));
            }
            let mut deck = state.deck.clone();
            op.apply(&mut deck).map_err(|source| DeckError::Line { line: *index, source })?;
            let (proposal_id, op) = (proposal_id.clone(), op.clone());
            Ok(DeckEvent::LineEdited { by, proposal_id, line: *index, op })
        }
        DeckCommand::Undo { rev } => undo(state, by, *rev),
        DeckCommand::SetBracket { bracket } => {
            if bracket.is_some_and(|bracket| !(1..=5).contains(&bracket)) {
                return Err(DeckError::Bounds("a bracket is from 1 to 5"));
            }
            Ok(DeckEvent::BracketSet { by, bracket: *bracket })
        }
    }
}

fn person(by: &DeckActor) -> Result<(), DeckError> {
    matches!(by, DeckActor::Person(_)).then_some(()).ok_or(DeckError::PersonsOnly)
}

fn deck_at(state: &DeckState, rev: u64) -> Result<Deck, DeckError> {
    state.deck_at(rev).ok_or(DeckError::UnknownRevision(rev, state.rev))
}

fn proposal<'a>(state: &'a DeckState, id: &str) -> Result<&'a DeckProposal, DeckError> {
    state.proposal(id).ok_or_else(|| DeckError::UnknownProposal(id.to_owned()))
}

fn line(proposal: &DeckProposal, index: u32) -> Result<&ProposalLine, DeckError> {
    let at = usize::try_from(index).unwrap_or(usize::MAX);
    proposal.lines.get(at).ok_or(DeckError::UnknownLine(index))
}

fn distinct(lines: &[u32]) -> Result<Vec<u32>, DeckError> {
    let lines: BTreeSet<u32> = lines.iter().copied().collect();
    if lines.is_empty() { Err(DeckError::NothingOpen) } else { Ok(lines.into_iter().collect()) }
}

fn check_reason(reason: &str) -> Result<(), DeckError> {
    let is_fine = !reason.trim().is_empty() && reason.chars().nth(REASON_CHARS_MAX).is_none();
    is_fine.then_some(()).ok_or(DeckError::Bounds("a reason has 1 to 2000 characters"))
}

/// Does lines one after the other.
fn done<'a>(
    deck: &Deck,
    ops: impl IntoIterator<Item = (u32, &'a DeckOp)>,
) -> Result<Deck, DeckError> {
    let mut deck = deck.clone();
    for (line, op) in ops {
        op.apply(&mut deck).map_err(|source| DeckError::Line { line, source })?;
    }
    Ok(deck)
}

fn conflict(state: &DeckState, line: u32, op: &DeckOp) -> LineConflict {
    let cause = state.stale_cause(op);
    LineConflict {
        line,
        rev: cause.map(|revision| revision.rev),
        by: cause.map(|revision| revision.by.clone()),
    }
}

fn edit(
    state: &DeckState,
    by: DeckActor,
    deck_rev: u64,
    ops: &[DeckOp],
) -> Result<DeckEvent, DeckError> {
    if ops.is_empty() || ops.len() > EDIT_OPS_MAX {
        return Err(DeckError::Bounds("an edit has 1 to 500 lines"));
    }
    let seen = deck_at(state, deck_rev)?;
    let moved = |(_, op): &(u32, &DeckOp)| op.footprint(&seen) != op.footprint(&state.deck);
    let lines: Vec<_> =
        (0..).zip(ops).filter(moved).map(|(line, op)| conflict(state, line, op)).collect();
    if !lines.is_empty() {
        return Err(DeckError::Conflict { rev: state.rev, lines });
    }
    let changed = done(&state.deck, (0..).zip(ops))?;
    let changes = changes_between(&state.deck, &changed);
    Ok(DeckEvent::Edited { rev: state.rev + 1, by, ops: ops.to_vec(), changes })
}

fn check_proposal(
    state: &DeckState,
    id: &str,
    deck_rev: u64,
    reason: &str,
    ops: &[DeckOp],
) -> Result<(), DeckError> {
    check_reason(reason)?;
    if id.is_empty() || ops.is_empty() || ops.len() > PROPOSAL_LINES_MAX {
        return Err(DeckError::Bounds("a proposal has an id and 1 to 200 lines"));
    }
    if state.proposal(id).is_some() {
        return Err(DeckError::ProposalExists(id.to_owned()));
    }
    let lines =
        |proposal: &DeckProposal| proposal.lines.iter().any(|line| line.state == LineState::Open);
    if state.proposals.iter().filter(|proposal| lines(proposal)).count() >= PROPOSALS_OPEN_MAX {
        return Err(DeckError::Bounds("50 proposals are open; a person must answer some first"));
    }
    // What cannot be done at the revision that was seen can never be done.
    done(&deck_at(state, deck_rev)?, (0..).zip(ops))?;
    let refused: Vec<_> = (0..)
        .zip(ops)
        .filter_map(|(line, op)| refusal(state, op).map(|reason| (line, reason)))
        .collect();
    if refused.is_empty() { Ok(()) } else { Err(DeckError::RefusedBefore(refused)) }
}

/// Why a person refused such a line before.
fn refusal(state: &DeckState, op: &DeckOp) -> Option<String> {
    let lines = state.proposals.iter().flat_map(|proposal| &proposal.lines);
    lines.rev().find_map(|line| match &line.state {
        LineState::Refused { reason } if line.op == *op || line.original.as_ref() == Some(op) => {
            Some(reason.clone())
        }
        _ => None,
    })
}

/// Open lines that are meant.
fn chosen(proposal: &DeckProposal, choice: &LineChoice) -> Result<Vec<u32>, DeckError> {
    match choice {
        LineChoice::AllOpen => {
            let open = (0..).zip(&proposal.lines).filter(|(_, line)| line.state == LineState::Open);
            distinct(&open.map(|(index, _)| index).collect::<Vec<u32>>())
        }
        LineChoice::Lines(lines) => {
            for index in lines {
                if line(proposal, *index)?.state != LineState::Open {
                    return Err(DeckError::LineAnswered(*index));
                }
            }
            distinct(lines)
        }
    }
}

fn lines_to_take(
    state: &DeckState,
    proposal: &DeckProposal,
    deck_rev: u64,
    choice: &LineChoice,
    despite_conflict: bool,
) -> Result<Vec<u32>, DeckError> {
    let seen = deck_at(state, deck_rev)?;
    let lines = chosen(proposal, choice)?;
    if despite_conflict {
        return Ok(lines);
    }
    let mut conflicts = Vec::new();
    let mut fresh = Vec::new();
    for index in lines {
        let line = line(proposal, index)?;
        let is_moved = line.op.footprint(&seen) != line.op.footprint(&state.deck);
        if is_moved || state.is_stale(line) {
            conflicts.push(conflict(state, index, &line.op));
        } else {
            fresh.push(index);
        }
    }
    // Whoever takes all takes what can be taken; whoever names lines is answered about each of them.
    let is_partial = *choice == LineChoice::AllOpen && !fresh.is_empty();
    if conflicts.is_empty() || is_partial {
        Ok(fresh)
    } else {
        Err(DeckError::Conflict { rev: state.rev, lines: conflicts })
    }
}

/// The deck with lines of a proposal done, in their order.
pub(crate) fn with_lines(
    state: &DeckState,
    proposal: &DeckProposal,
    lines: &[u32],
) -> Result<Deck, DeckError> {
    let ops: Result<Vec<_>, _> =
        lines.iter().map(|index| Ok((*index, &line(proposal, *index)?.op))).collect();
    done(&state.deck, ops?)
}

fn undo(state: &DeckState, by: DeckActor, rev: u64) -> Result<DeckEvent, DeckError> {
    let revision = state.revision(rev).ok_or(DeckError::UnknownRevision(rev, state.rev))?;
    if revision.cause == RevisionCause::Created {
        return Err(DeckError::CannotUndo(rev));
    }
    if revision.is_undone {
        return Err(DeckError::AlreadyUndone(rev));
    }
    if let Some(changed) = revision.changes.iter().find(|change| !change.is_in_force(&state.deck)) {
        let later = state
            .history
            .iter()
            .rev()
            .find(|later| later.changes.iter().any(|other| other.card() == changed.card()));
        return Err(DeckError::UndoConflict(rev, later.map_or(state.rev, |later| later.rev)));
    }
    let changes: Vec<DeckChange> = revision.changes.iter().rev().map(DeckChange::inverse).collect();
    // Taking lines again needs them open still, and to say what they said.
    if let Some((id, lines, false)) = state.lines_of(revision)
        && let Some(proposal) = state.proposal(&id)
    {
        let lines = chosen(proposal, &LineChoice::Lines(lines))?;
        let mut deck = state.deck.clone();
        for change in &changes {
            change.apply(&mut deck);
        }
        if with_lines(state, proposal, &lines).ok().as_ref() != Some(&deck) {
            return Err(DeckError::LineRewritten(rev));
        }
    }
    Ok(DeckEvent::Undone { rev: state.rev + 1, by, undone: rev, changes })
}
