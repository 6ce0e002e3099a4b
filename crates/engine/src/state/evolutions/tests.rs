//! Lines of changes, folded: which code is in force after each, and what is remembered.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId, CheckpointId, EntityName, EpochId, EvolutionId, Timestamp,
    event::{
        ComparedLeg, ComparedPair, EvolutionBackedUp, EvolutionCheckpointed, EvolutionCompared,
        EvolutionDecided, EvolutionDecision, EvolutionEvent, EvolutionKept, EvolutionProposed,
        EvolutionReloaded, EvolutionRolledBack, EvolutionShadowStarted, EvolutionStageBegun,
        EvolutionValidated,
    },
    evolution::{EvolutionState, EvolutionTarget},
    limits::{EVOLUTIONS_KEPT_MAX, EVOLUTIONS_WAITING_MAX},
};
use abide_ledger::Entry;
use uuid::Uuid;

use super::{CodeInForce, EvolutionRecord, Evolutions};

fn id(number: u128) -> EvolutionId {
    EvolutionId::from_uuid(Uuid::from_u128(number))
}

fn felix() -> AgentId {
    "felix".parse().unwrap()
}

#[derive(Default)]
struct Fold {
    evolutions: Evolutions,
    seq: u64,
}

impl Fold {
    fn apply(&mut self, event: impl Into<EvolutionEvent>) {
        self.apply_in(None, event);
    }

    fn apply_in(&mut self, epoch: Option<EpochId>, event: impl Into<EvolutionEvent>) {
        self.seq += 1;
        self.evolutions.apply(
            &felix(),
            &Entry {
                seq: self.seq,
                tick: 1,
                timestamp: Timestamp::from_micros(i64::try_from(self.seq).unwrap()),
                entity: felix().entity(),
                author: EntityName::keeper(),
                epoch,
                event: event.into().into(),
            },
        );
    }

    fn propose(&mut self, evolution_id: EvolutionId) {
        self.propose_in(None, evolution_id);
    }

    fn propose_in(&mut self, epoch: Option<EpochId>, evolution_id: EvolutionId) {
        self.apply_in(
            epoch,
            EvolutionEvent::Proposed(EvolutionProposed {
                evolution_id,
                run: None,
                reason: "because".into(),
                target: "memory_system".into(),
                code: "(define x 1)".into(),
                change: BTreeMap::default(),
                expected: BTreeMap::default(),
                trial: None,
            }),
        );
    }

    fn try_out(&mut self, evolution_id: EvolutionId) {
        self.try_out_from(evolution_id, None);
    }

    fn try_out_from(&mut self, evolution_id: EvolutionId, checkpoint_id: Option<CheckpointId>) {
        self.propose(evolution_id);
        self.apply(EvolutionEvent::Validated(EvolutionValidated {
            evolution_id,
            adds: vec![],
            code_sha256: "ab".into(),
            notes: vec![],
        }));
        self.apply(EvolutionEvent::Checkpointed(EvolutionCheckpointed {
            evolution_id,
            record_seq: 9,
            checkpoint_id,
        }));
        self.apply(EvolutionEvent::ShadowStarted(EvolutionShadowStarted {
            evolution_id,
            seed: 7,
            requests: 100,
            attempt: 1,
        }));
        let pair = ComparedPair {
            request: "r".into(),
            candidate_first: false,
            main: ComparedLeg::default(),
            candidate: ComparedLeg::default(),
            agrees: Some(true),
            divergence: None,
            judge: None,
        };
        self.apply(EvolutionEvent::Compared(EvolutionCompared {
            evolution_id,
            pairs: vec![pair; 2],
        }));
    }

    fn decide(&mut self, evolution_id: EvolutionId, decision: EvolutionDecision) {
        self.apply(EvolutionEvent::Decided(EvolutionDecided {
            evolution_id,
            decision,
            reason: "measured".into(),
            measured: BTreeMap::default(),
            needs_person: false,
        }));
    }

    fn load(&mut self, evolution_id: EvolutionId) {
        let is_of_program = self.evolutions.get(evolution_id).unwrap().is_of_program();
        let previous = self.code().current.filter(|_| !is_of_program);
        self.apply(EvolutionEvent::BackedUp(EvolutionBackedUp {
            evolution_id,
            previous,
            checkpoint_id: None,
        }));
        self.apply(EvolutionEvent::Reloaded(EvolutionReloaded {
            evolution_id,
            code_sha256: "ab".into(),
            percent: 10,
        }));
    }

    fn keep(&mut self, evolution_id: EvolutionId) {
        self.apply(EvolutionEvent::StageBegun(EvolutionStageBegun { evolution_id, percent: 100 }));
        let reason = "it held".into();
        self.apply(EvolutionEvent::Kept(EvolutionKept { evolution_id, reason }));
    }

    fn roll_back(&mut self, evolution_id: EvolutionId) {
        let reason = "worse".into();
        let restored = None;
        self.apply(EvolutionEvent::RolledBack(EvolutionRolledBack {
            evolution_id,
            restored,
            reason,
        }));
    }

    fn code(&self) -> CodeInForce {
        self.evolutions.in_force(&felix(), EvolutionTarget::MemorySystem)
    }

    fn put_in_force(&mut self, evolution_id: EvolutionId) {
        self.try_out(evolution_id);
        self.decide(evolution_id, EvolutionDecision::Promoted);
        self.load(evolution_id);
        self.keep(evolution_id);
    }
}

#[test]
fn which_code_runs_follows_from_the_lines_alone() {
    let mut fold = Fold::default();
    fold.try_out(id(1));
    assert_eq!(fold.code(), CodeInForce::default(), "a trial changes nothing");
    fold.decide(id(1), EvolutionDecision::Promoted);
    fold.load(id(1));
    assert_eq!(fold.code(), CodeInForce { current: None, canary: Some((id(1), 10)) });
    fold.keep(id(1));
    assert_eq!(fold.code(), CodeInForce { current: Some(id(1)), canary: None });
    fold.try_out(id(2));
    fold.decide(id(2), EvolutionDecision::Promoted);
    fold.load(id(2));
    fold.roll_back(id(2));
    assert_eq!(fold.code(), CodeInForce { current: Some(id(1)), canary: None });
    fold.put_in_force(id(3));
    fold.roll_back(id(3));
    assert_eq!(fold.code().current, Some(id(1)), "the one before is in force again");
    fold.roll_back(id(1));
    assert_eq!(fold.code(), CodeInForce::default(), "and the base module before that");
}

#[test]
fn a_rollback_never_brings_back_what_was_taken_back_itself() {
    let mut fold = Fold::default();
    fold.put_in_force(id(1));
    // The second is on its way when the first is taken back, and is kept.
    fold.try_out(id(2));
    fold.decide(id(2), EvolutionDecision::Promoted);
    fold.load(id(2));
    fold.roll_back(id(1));
    assert_eq!(fold.code().canary, Some((id(2), 10)), "what is watched goes on");
    fold.keep(id(2));
    fold.roll_back(id(2));
    assert_eq!(fold.code(), CodeInForce::default(), "the base module, not the first");
}

#[test]
fn a_line_that_the_machine_does_not_allow_changes_nothing() {
    let mut fold = Fold::default();
    fold.propose(id(1));
    fold.load(id(1));
    fold.keep(id(1));
    fold.roll_back(id(1));
    assert_eq!(fold.code(), CodeInForce::default());
    let record = fold.evolutions.get(id(1)).unwrap();
    assert_eq!((record.state, record.events.len()), (EvolutionState::Proposed, 1));
}

#[test]
fn one_after_the_other_is_worked_at_and_later_attempts_are_counted_until_one_is_kept() {
    let mut fold = Fold::default();
    for number in 1..=3 {
        fold.propose(id(number));
    }
    let current =
        |fold: &Fold| fold.evolutions.of(&felix()).unwrap().current().map(|record| record.id);
    assert_eq!(current(&fold), Some(id(1)));
    fold.decide(id(1), EvolutionDecision::Rejected);
    assert_eq!(current(&fold), Some(id(2)));
    let attempts = |fold: &Fold| {
        fold.evolutions.of(&felix()).unwrap().next_attempt(EvolutionTarget::MemorySystem)
    };
    assert_eq!(attempts(&fold), 1, "one that was never tried counts nothing");
    fold.try_out(id(4));
    fold.decide(id(4), EvolutionDecision::Rejected);
    assert_eq!(attempts(&fold), 2);
    fold.put_in_force(id(5));
    assert_eq!(attempts(&fold), 1);
}

#[test]
fn what_ended_long_ago_is_let_go_but_never_what_runs_or_what_a_rollback_needs() {
    let mut fold = Fold::default();
    fold.put_in_force(id(1));
    fold.put_in_force(id(2));
    for number in 0..2 * EVOLUTIONS_KEPT_MAX as u128 {
        fold.propose(id(100 + number));
        fold.decide(id(100 + number), EvolutionDecision::Rejected);
    }
    let evolutions = fold.evolutions.of(&felix()).unwrap();
    assert_eq!(evolutions.records().count(), EVOLUTIONS_KEPT_MAX);
    assert!(evolutions.get(id(1)).is_some() && evolutions.get(id(2)).is_some());
}

#[test]
fn what_an_epoch_proposes_counts_when_it_commits_and_never_beyond_what_may_wait() {
    let mut fold = Fold::default();
    let epoch = |number: u128| EpochId::from_uuid(Uuid::from_u128(number));
    fold.propose_in(Some(epoch(1)), id(1));
    assert_eq!(fold.evolutions.get(id(1)), None, "its epoch is open");
    fold.evolutions.ended(epoch(1), &felix(), false);
    assert_eq!(fold.evolutions.get(id(1)), None, "its epoch was aborted");

    fold.propose_in(Some(epoch(2)), id(2));
    fold.evolutions.ended(epoch(2), &felix(), true);
    let seq = fold.evolutions.get(id(2)).and_then(EvolutionRecord::proposed_seq);
    assert_eq!(seq, Some(2), "the line that holds its code");

    for number in 3..=u128::try_from(EVOLUTIONS_WAITING_MAX).unwrap() + 3 {
        fold.propose_in(Some(epoch(3)), id(number));
    }
    fold.evolutions.ended(epoch(3), &felix(), true);
    let of = fold.evolutions.of(&felix()).unwrap();
    assert_eq!(of.records().count(), EVOLUTIONS_WAITING_MAX);
}

/// A program's change and a module's of the same target do not push each other out of force.
#[test]
fn code_of_a_program_and_code_of_a_module_are_in_force_beside_each_other() {
    let mut fold = Fold::default();
    fold.put_in_force(id(1));
    let checkpoint_id = Some(CheckpointId::from_uuid(Uuid::from_u128(9)));
    fold.try_out_from(id(2), checkpoint_id);
    fold.decide(id(2), EvolutionDecision::Promoted);
    fold.load(id(2));
    let target = EvolutionTarget::MemorySystem;
    let programs =
        |fold: &Fold| fold.evolutions.of(&felix()).unwrap().program_codes().collect::<Vec<_>>();
    assert_eq!(programs(&fold), [(target, id(2))]);
    fold.keep(id(2));
    assert_eq!(fold.code().current, Some(id(1)));
    let of = fold.evolutions.of(&felix()).unwrap();
    assert_eq!(of.program_in_force(target).current, Some(id(2)));
    assert!(of.is_in_force(id(1)) && of.is_in_force(id(2)));
    fold.roll_back(id(2));
    assert_eq!(programs(&fold), []);
    assert_eq!(fold.code().current, Some(id(1)));
}
