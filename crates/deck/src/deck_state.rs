//! The state of a deck as it follows from its events: the deck itself, its revisions, its proposals, and what agents are to hear.

use serde::{Deserialize, Serialize};

use crate::{
    deck::Deck,
    deck_change::DeckChange,
    deck_event::{DeckActor, DeckEvent, ForkSource},
    deck_op::{DeckOp, Footprint},
    limits::{HISTORY_REVISIONS_MAX, PROPOSALS_KEPT_MAX, REVIEW_NOTES_MAX},
};

/// What came of a line of a proposal so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LineState {
    /// Nobody has answered it.
    Open,
    /// It is done, in a revision.
    Taken {
        /// The revision.
        rev: u64,
    },
    /// It is not wanted.
    Refused {
        /// Why.
        reason: String,
    },
}

/// A line of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalLine {
    /// What is proposed.
    pub op: DeckOp,
    /// What the proposer wrote, where a person rewrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<DeckOp>,
    /// What came of it.
    pub state: LineState,
    /// What it depended on when it was written or last looked after.
    pub(crate) seen: Footprint,
}

/// Changes that wait for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckProposal {
    /// Names it.
    pub id: String,
    /// Who proposed it.
    pub by: DeckActor,
    /// The revision that the proposer saw.
    pub deck_rev: u64,
    /// Why.
    pub reason: String,
    /// Its lines.
    pub lines: Vec<ProposalLine>,
}

/// Why there is a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum RevisionCause {
    /// The deck began.
    Created,
    /// A person changed it.
    Edited,
    /// A person took lines of a proposal.
    Taken {
        /// The proposal.
        proposal_id: String,
        /// The lines, from 0.
        lines: Vec<u32>,
    },
    /// A person took a revision back.
    Undone {
        /// The revision that is taken back; the one that does it has another number.
        undone: u64,
    },
}

/// A revision of a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckRevision {
    /// Its number, from 1.
    pub rev: u64,
    /// Who made it.
    pub by: DeckActor,
    /// Why there is one.
    #[serde(flatten)]
    pub cause: RevisionCause,
    /// What changed.
    pub changes: Vec<DeckChange>,
    /// Whether it was taken back since.
    pub is_undone: bool,
    /// Lines of its proposal that would be stale by its changes alone, with what they depended on before and after.
    looked_after: Vec<(u32, Footprint, Footprint)>,
}

/// What a review did with lines, as the proposer is to hear it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ReviewOutcome {
    /// They are done.
    Taken,
    /// They are not wanted.
    Refused {
        /// Why.
        reason: String,
    },
    /// They are open again.
    Reopened,
    /// One was rewritten.
    Edited {
        /// What it says now.
        op: DeckOp,
    },
}

/// A note to a proposer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewNote {
    /// Its number, from 1; later ones are larger.
    pub number: u64,
    /// Whom it is for.
    pub to: DeckActor,
    /// Who reviewed.
    pub by: DeckActor,
    /// Of which proposal.
    pub proposal_id: String,
    /// Which lines, from 0.
    pub lines: Vec<u32>,
    /// What was done.
    pub outcome: ReviewOutcome,
}

/// Why an event does not follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the event does not follow from those before it: {0}")]
pub struct DeckReplayError(pub(crate) String);

/// The state of a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckState {
    /// Names the deck.
    pub id: String,
    /// Where a fork comes from.
    pub forked_from: Option<ForkSource>,
    /// The deck at its newest revision.
    pub deck: Deck,
    /// The newest revision.
    pub rev: u64,
    /// What a person says of its bracket; the estimate stands beside it.
    pub bracket: Option<u8>,
    /// The newest revisions, the oldest first; at most 1 000.
    pub history: Vec<DeckRevision>,
    /// Proposals, the oldest first; answered ones go when there are more than 500.
    pub proposals: Vec<DeckProposal>,
    /// Notes to proposers, the oldest first; at most 1 000.
    pub notes: Vec<ReviewNote>,
    note_count: u64,
}

impl DeckState {
    /// Folds events, of which the first makes the deck.
    ///
    /// # Errors
    /// An event does not follow from those before it.
    pub fn fold<'a>(
        events: impl IntoIterator<Item = &'a DeckEvent>,
    ) -> Result<Self, DeckReplayError> {
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| DeckReplayError("there is none".to_owned()))?;
        let mut state = Self::begin(first)?;
        for event in events {
            state.apply(event)?;
        }
        Ok(state)
    }

    /// The state after the event that makes a deck.
    ///
    /// # Errors
    /// It is another event.
    pub fn begin(event: &DeckEvent) -> Result<Self, DeckReplayError> {
        let DeckEvent::Created { deck_id, by, deck, forked_from } = event else {
            return Err(DeckReplayError("a deck begins with `deck.created`".to_owned()));
        };
        let begun = DeckRevision {
            rev: 1,
            by: by.clone(),
            cause: RevisionCause::Created,
            changes: Vec::new(),
            is_undone: false,
            looked_after: Vec::new(),
        };
        Ok(Self {
            id: deck_id.clone(),
            forked_from: forked_from.clone(),
            deck: deck.clone(),
            rev: 1,
            bracket: None,
            history: vec![begun],
            proposals: Vec::new(),
            notes: Vec::new(),
            note_count: 0,
        })
    }

    /// Applies the next event.
    ///
    /// # Errors
    /// It does not follow from those before it; the state is as before.
    pub fn apply(&mut self, event: &DeckEvent) -> Result<(), DeckReplayError> {
        let mut next = self.clone();
        next.step(event)?;
        *self = next;
        Ok(())
    }

    fn step(&mut self, event: &DeckEvent) -> Result<(), DeckReplayError> {
        match event {
            DeckEvent::Created { .. } => {
                return Err(DeckReplayError("the deck is there already".to_owned()));
            }
            DeckEvent::Edited { rev, by, changes, .. } => {
                self.revise(*rev, by, RevisionCause::Edited, changes)?;
            }
            DeckEvent::Proposed { proposal_id, by, deck_rev, reason, ops } => {
                self.propose(proposal_id, by, *deck_rev, (reason, ops))?;
            }
            DeckEvent::LinesTaken { rev, by, proposal_id, lines, changes } => {
                let fresh = self.fresh_lines(proposal_id);
                let cause =
                    RevisionCause::Taken { proposal_id: proposal_id.clone(), lines: lines.clone() };
                self.revise(*rev, by, cause, changes)?;
                self.set_lines(proposal_id, lines, &LineState::Taken { rev: *rev })?;
                let lines_after = self.dependencies(proposal_id, &fresh);
                self.look_after(proposal_id, lines_after);
                self.note(by, proposal_id, lines, ReviewOutcome::Taken);
            }
            DeckEvent::LinesRefused { by, proposal_id, lines, reason } => {
                let state = LineState::Refused { reason: reason.clone() };
                self.set_lines(proposal_id, lines, &state)?;
                let outcome = ReviewOutcome::Refused { reason: reason.clone() };
                self.note(by, proposal_id, lines, outcome);
            }
            DeckEvent::LinesReopened { by, proposal_id, lines } => {
                self.set_lines(proposal_id, lines, &LineState::Open)?;
                self.note(by, proposal_id, lines, ReviewOutcome::Reopened);
            }
            DeckEvent::LineEdited { by, proposal_id, line, op } => {
                self.edit_line(proposal_id, *line, op)?;
                self.note(by, proposal_id, &[*line], ReviewOutcome::Edited { op: op.clone() });
            }
            DeckEvent::Undone { rev, by, undone, changes } => {
                self.undo(*rev, by, *undone, changes)?;
            }
            DeckEvent::BracketSet { bracket, .. } => self.bracket = *bracket,
        }
        Ok(())
    }

    fn revise(
        &mut self,
        rev: u64,
        by: &DeckActor,
        cause: RevisionCause,
        changes: &[DeckChange],
    ) -> Result<(), DeckReplayError> {
        if rev != self.rev + 1 {
            return Err(DeckReplayError(format!("revision {rev} after {}", self.rev)));
        }
        for change in changes {
            change.apply(&mut self.deck);
        }
        self.rev = rev;
        let changes = changes.to_vec();
        self.history.push(DeckRevision {
            rev,
            by: by.clone(),
            cause,
            changes,
            is_undone: false,
            looked_after: Vec::new(),
        });
        drop_oldest(&mut self.history, HISTORY_REVISIONS_MAX);
        Ok(())
    }

    fn propose(
        &mut self,
        id: &str,
        by: &DeckActor,
        deck_rev: u64,
        (reason, ops): (&str, &[DeckOp]),
    ) -> Result<(), DeckReplayError> {
        if self.proposal(id).is_some() {
            return Err(DeckReplayError(format!("proposal {id} is there already")));
        }
        let seen = self.deck_at(deck_rev);
        let seen = seen.ok_or_else(|| DeckReplayError(format!("no revision {deck_rev}")))?;
        let lines = ops.iter().map(|op| ProposalLine {
            op: op.clone(),
            original: None,
            state: LineState::Open,
            seen: op.footprint(&seen),
        });
        self.proposals.push(DeckProposal {
            id: id.to_owned(),
            by: by.clone(),
            deck_rev,
            reason: reason.to_owned(),
            lines: lines.collect(),
        });
        let is_open = |proposal: &DeckProposal| {
            proposal.lines.iter().any(|line| line.state == LineState::Open)
        };
        while self.proposals.len() > PROPOSALS_KEPT_MAX {
            let oldest = self.proposals.iter().position(|proposal| !is_open(proposal));
            self.proposals.remove(oldest.unwrap_or_default());
        }
        Ok(())
    }

    fn edit_line(&mut self, id: &str, line: u32, op: &DeckOp) -> Result<(), DeckReplayError> {
        let seen = op.footprint(&self.deck);
        let line = self.line_mut(id, line)?;
        if line.state != LineState::Open {
            return Err(DeckReplayError("the line is answered".to_owned()));
        }
        let was = std::mem::replace(&mut line.op, op.clone());
        line.original.get_or_insert(was);
        line.seen = seen;
        Ok(())
    }

    fn set_lines(
        &mut self,
        id: &str,
        lines: &[u32],
        state: &LineState,
    ) -> Result<(), DeckReplayError> {
        for line in lines {
            let line = self.line_mut(id, *line)?;
            if (line.state == LineState::Open) == (*state == LineState::Open) {
                return Err(DeckReplayError("the line is not in such a state".to_owned()));
            }
            line.state = state.clone();
        }
        Ok(())
    }

    fn undo(
        &mut self,
        rev: u64,
        by: &DeckActor,
        undone: u64,
        changes: &[DeckChange],
    ) -> Result<(), DeckReplayError> {
        let found = self.revision(undone).cloned();
        let found = found.ok_or_else(|| DeckReplayError(format!("no revision {undone}")))?;
        let effect = self.lines_of(&found);
        self.revise(rev, by, RevisionCause::Undone { undone }, changes)?;
        self.turn(undone);
        // A proposal that was forgotten meanwhile has no lines to answer for.
        let Some((id, lines, is_taken)) = effect.filter(|(id, ..)| self.proposal(id).is_some())
        else {
            return Ok(());
        };
        let state = if is_taken { LineState::Open } else { LineState::Taken { rev } };
        self.set_lines(&id, &lines, &state)?;
        let back =
            found.looked_after.into_iter().map(|(line, before, after)| (line, after, before));
        self.look_after(&id, back.collect());
        let outcome = if is_taken { ReviewOutcome::Reopened } else { ReviewOutcome::Taken };
        self.note(by, &id, &lines, outcome);
        Ok(())
    }

    /// Marks a revision as taken back; where it took back another itself, that one is in force again, and so on.
    fn turn(&mut self, undone: u64) {
        let (mut next, mut is_undone) = (Some(undone), true);
        while let Some(rev) = next {
            let found = self.history.iter_mut().find(|revision| revision.rev == rev);
            let Some(revision) = found else { return };
            revision.is_undone = is_undone;
            is_undone = !is_undone;
            next = match &revision.cause {
                RevisionCause::Undone { undone } => Some(*undone),
                _ => None,
            };
        }
    }

    /// The lines whose state a revision changed, and whether it took them (or opened them again).
    pub(crate) fn lines_of(&self, revision: &DeckRevision) -> Option<(String, Vec<u32>, bool)> {
        let (mut revision, mut is_taken) = (revision, true);
        loop {
            match &revision.cause {
                RevisionCause::Created | RevisionCause::Edited => return None,
                RevisionCause::Taken { proposal_id, lines } => {
                    return Some((proposal_id.clone(), lines.clone(), is_taken));
                }
                RevisionCause::Undone { undone } => {
                    is_taken = !is_taken;
                    revision = self.revision(*undone)?;
                }
            }
        }
    }

    /// The open lines of a proposal that are not stale.
    fn fresh_lines(&self, id: &str) -> Vec<u32> {
        let lines = self.proposal(id).map_or(&[] as &[_], |proposal| proposal.lines.as_slice());
        let is_fresh = |line: &ProposalLine| line.state == LineState::Open && !self.is_stale(line);
        (0..).zip(lines).filter(|(_, line)| is_fresh(line)).map(|(index, _)| index).collect()
    }

    /// What lines that were not stale depend on now: what a proposal's own lines change makes none of its others stale.
    fn dependencies(&self, id: &str, fresh: &[u32]) -> Vec<(u32, Footprint, Footprint)> {
        let lines = self.proposal(id).map_or(&[] as &[_], |proposal| proposal.lines.as_slice());
        let looked_at = (0..)
            .zip(lines)
            .filter(|(index, line)| fresh.contains(index) && line.state == LineState::Open);
        looked_at
            .map(|(index, line)| (index, line.seen.clone(), line.op.footprint(&self.deck)))
            .filter(|(_, before, after)| before != after)
            .collect()
    }

    /// Sets what lines depend on, where that is what it was before, and notes it in the newest revision.
    fn look_after(&mut self, id: &str, lines: Vec<(u32, Footprint, Footprint)>) {
        let mut done = Vec::new();
        for (index, before, after) in lines {
            let Ok(line) = self.line_mut(id, index) else { continue };
            if line.seen == before {
                line.seen = after.clone();
                done.push((index, before, after));
            }
        }
        if let Some(revision) = self.history.last_mut() {
            revision.looked_after = done;
        }
    }

    fn note(&mut self, by: &DeckActor, id: &str, lines: &[u32], outcome: ReviewOutcome) {
        let Some(to) = self.proposal(id).map(|proposal| proposal.by.clone()) else { return };
        self.note_count += 1;
        self.notes.push(ReviewNote {
            number: self.note_count,
            to,
            by: by.clone(),
            proposal_id: id.to_owned(),
            lines: lines.to_vec(),
            outcome,
        });
        drop_oldest(&mut self.notes, REVIEW_NOTES_MAX);
    }

    fn line_mut(&mut self, id: &str, line: u32) -> Result<&mut ProposalLine, DeckReplayError> {
        let missing = || DeckReplayError(format!("no line {line} of proposal {id}"));
        let proposal = self.proposals.iter_mut().find(|proposal| proposal.id == id);
        let index = usize::try_from(line).map_err(|_| missing())?;
        proposal.and_then(|proposal| proposal.lines.get_mut(index)).ok_or_else(missing)
    }

    /// A proposal.
    pub fn proposal(&self, id: &str) -> Option<&DeckProposal> {
        self.proposals.iter().find(|proposal| proposal.id == id)
    }

    /// A revision that is still remembered.
    pub fn revision(&self, rev: u64) -> Option<&DeckRevision> {
        self.history.iter().find(|revision| revision.rev == rev)
    }

    /// The deck at a revision; none where it is not remembered any more, or not there yet.
    pub fn deck_at(&self, rev: u64) -> Option<Deck> {
        let oldest = self.history.first()?.rev;
        if rev > self.rev || rev < oldest {
            return None;
        }
        let mut deck = self.deck.clone();
        for revision in self.history.iter().rev().take_while(|revision| revision.rev > rev) {
            for change in revision.changes.iter().rev() {
                change.inverse().apply(&mut deck);
            }
        }
        Some(deck)
    }

    /// Whether what an open line depends on changed since.
    pub fn is_stale(&self, line: &ProposalLine) -> bool {
        line.state == LineState::Open && line.op.footprint(&self.deck) != line.seen
    }

    /// The newest revision that changed what a line is about: who made it stale.
    pub fn stale_cause(&self, op: &DeckOp) -> Option<&DeckRevision> {
        let cards = op.cards();
        self.history.iter().rev().find(|revision| {
            revision.changes.iter().any(|change| match change.card() {
                Some(card) => cards.contains(&card) || matches!(op, DeckOp::SetCommanders { .. }),
                None => matches!(op, DeckOp::Rename { .. }),
            })
        })
    }

    /// What a proposer has not heard yet: notes above a number.
    pub fn notes_for<'a>(
        &'a self,
        proposer: &'a DeckActor,
        after: u64,
    ) -> impl Iterator<Item = &'a ReviewNote> {
        self.notes.iter().filter(move |note| note.to == *proposer && note.number > after)
    }
}

fn drop_oldest<T>(kept: &mut Vec<T>, most: usize) {
    let surplus = kept.len().saturating_sub(most);
    kept.drain(..surplus);
}
