//! Whatever two persons and an agent do, in whatever order: the fold says what was applied step by step, every undo restores, and
//! no line is done twice.

use abide_deck::{
    DeckCommand, DeckError, DeckOp, DeckRevision, DeckState, DeckZone, LineChoice, RevisionCause,
    decide, list_of, parse_list, print_list, resolve,
};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::{
    fixture::table,
    legality::deck_of,
    review::{Bench, agent, at, named, person},
};

const NAMES: [&str; 6] =
    ["Island", "Sol Ring", "Counterspell", "Tundra", "Talrand, Sky Summoner", "Fire // Ice"];

fn any_zone() -> impl Strategy<Value = DeckZone> {
    select(vec![DeckZone::Main, DeckZone::Maybeboard, DeckZone::Sideboard])
}

fn any_op() -> impl Strategy<Value = DeckOp> {
    let name = || select(NAMES.to_vec());
    prop_oneof![
        (name(), any_zone(), 1_u32..3)
            .prop_map(|(name, zone, count)| DeckOp::Add { entry: at(name, zone), count }),
        (name(), any_zone(), 1_u32..3)
            .prop_map(|(name, zone, count)| DeckOp::Remove { entry: at(name, zone), count }),
        (name(), any_zone(), 0_u32..4)
            .prop_map(|(name, zone, count)| DeckOp::SetCount { entry: at(name, zone), count }),
        (name(), any_zone(), any_zone()).prop_map(|(name, from, to)| DeckOp::Move {
            entry: at(name, from),
            to,
            count: 1
        }),
        (name(), name()).prop_map(|(out, into)| DeckOp::Swap {
            out: at(out, DeckZone::Main),
            into: named(into),
            count: 1
        }),
        name().prop_map(|name| DeckOp::SetCommanders { cards: vec![named(name)] }),
        (name(), "[a-c]").prop_map(|(name, tag)| DeckOp::SetTags {
            entry: at(name, DeckZone::Main),
            tags: vec![tag]
        }),
        "[a-c]".prop_map(|name| DeckOp::Rename { name }),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    /// By which person, how many revisions behind.
    Edit(bool, u64, Vec<DeckOp>),
    Propose(u64, Vec<DeckOp>),
    Take(bool, usize, u64, Option<Vec<u32>>, bool),
    Refuse(usize, Option<Vec<u32>>),
    Reopen(usize, Vec<u32>),
    EditLine(usize, u32, DeckOp),
    Undo(bool, u64),
}

fn any_step() -> impl Strategy<Value = Step> {
    let lines = || vec(0_u32..4, 1..4);
    let some_lines = || proptest::option::of(vec(0_u32..4, 1..4));
    prop_oneof![
        3 => (any::<bool>(), 0_u64..3, vec(any_op(), 1..3)).prop_map(|(who, behind, ops)| Step::Edit(who, behind, ops)),
        4 => (0_u64..3, vec(any_op(), 1..5)).prop_map(|(behind, ops)| Step::Propose(behind, ops)),
        4 => (any::<bool>(), 0_usize..4, 0_u64..3, some_lines(), any::<bool>())
            .prop_map(|(who, at, behind, lines, force)| Step::Take(who, at, behind, lines, force)),
        1 => (0_usize..4, some_lines()).prop_map(|(at, lines)| Step::Refuse(at, lines)),
        1 => (0_usize..4, lines()).prop_map(|(at, lines)| Step::Reopen(at, lines)),
        1 => (0_usize..4, 0_u32..4, any_op()).prop_map(|(at, line, op)| Step::EditLine(at, line, op)),
        3 => (any::<bool>(), 0_u64..5).prop_map(|(who, back)| Step::Undo(who, back)),
    ]
}

fn command(step: &Step, state: &DeckState) -> (abide_deck::DeckActor, DeckCommand) {
    let who = |first: bool| person(if first { "ada" } else { "bob" });
    let behind = |count: u64| state.rev.saturating_sub(count).max(1);
    let id = |at: usize| {
        state.proposals.iter().rev().nth(at).map_or_else(|| "none".to_owned(), |at| at.id.clone())
    };
    let choice =
        |lines: &Option<Vec<u32>>| lines.clone().map_or(LineChoice::AllOpen, LineChoice::Lines);
    match step.clone() {
        Step::Edit(first, count, ops) => {
            (who(first), DeckCommand::Edit { deck_rev: behind(count), ops })
        }
        Step::Propose(count, ops) => {
            let proposal_id = format!("p{}", state.proposals.len());
            (
                agent(),
                DeckCommand::Propose {
                    proposal_id,
                    deck_rev: behind(count),
                    reason: "r".into(),
                    ops,
                },
            )
        }
        Step::Take(first, at, count, lines, despite_conflict) => {
            let (proposal_id, lines) = (id(at), choice(&lines));
            (
                who(first),
                DeckCommand::Take { proposal_id, deck_rev: behind(count), lines, despite_conflict },
            )
        }
        Step::Refuse(at, lines) => (
            who(true),
            DeckCommand::Refuse { proposal_id: id(at), lines: choice(&lines), reason: "no".into() },
        ),
        Step::Reopen(at, lines) => (who(false), DeckCommand::Reopen { proposal_id: id(at), lines }),
        Step::EditLine(at, line, op) => {
            (who(true), DeckCommand::EditLine { proposal_id: id(at), line, op })
        }
        Step::Undo(first, back) => (who(first), DeckCommand::Undo { rev: behind(back) }),
    }
}

/// Every revision is the one before it with its changes, and every taken line is in a revision that is in force.
fn holds(state: &DeckState) -> Result<(), TestCaseError> {
    for revision in state.history.iter().filter(|revision| revision.rev > 1) {
        let before = state.deck_at(revision.rev - 1).unwrap();
        let after = state.deck_at(revision.rev).unwrap();
        let is_new = revision
            .changes
            .iter()
            .all(|change| change.is_in_force(&after) && change.inverse().is_in_force(&before));
        prop_assert!(is_new, "revision {}", revision.rev);
    }
    let mut rows: Vec<(&str, u32)> = Vec::new();
    let in_force = |revision: &&DeckRevision| !revision.is_undone;
    for revision in state.history.iter().filter(in_force) {
        if let RevisionCause::Taken { proposal_id, lines } = &revision.cause {
            rows.extend(lines.iter().map(|line| (proposal_id.as_str(), *line)));
        }
    }
    let count = rows.len();
    rows.sort_unstable();
    rows.dedup();
    prop_assert_eq!(rows.len(), count, "no line is done twice");
    let taken = state
        .proposals
        .iter()
        .flat_map(|at| &at.lines)
        .filter(|line| matches!(line.state, abide_deck::LineState::Taken { .. }));
    prop_assert_eq!(taken.count(), count, "what is taken is in force, and nothing else");
    prop_assert!(
        state.deck.entries().windows(2).all(|pair| pair[0].key < pair[1].key),
        "entries are in order, each once"
    );
    prop_assert!(state.deck.entries().iter().all(|entry| entry.content.count > 0));
    Ok(())
}

proptest! {
    #[test]
    fn two_persons_and_an_agent_leave_a_state_that_follows(steps in vec(any_step(), 1..40)) {
        let mut bench = Bench::new(deck_of("C: Brago, King Eternal; Sol Ring; Counterspell; 5 Island; M: Tundra"));
        for step in &steps {
            let (by, command) = command(step, &bench.state);
            let before = bench.state.clone();
            match bench.run(&by, &command) {
                Ok(()) => {}
                Err(DeckError::Conflict { rev, lines }) => {
                    prop_assert!(rev == before.rev && !lines.is_empty());
                    prop_assert_eq!(&bench.state, &before);
                }
                Err(_) => prop_assert_eq!(&bench.state, &before, "what is refused changes nothing"),
            }
            holds(&bench.state)?;
        }
    }

    #[test]
    fn an_undo_restores_deck_and_lines(steps in vec(any_step(), 1..25)) {
        let mut bench = Bench::new(deck_of("C: Brago, King Eternal; Sol Ring; Counterspell; 5 Island; M: Tundra"));
        for step in &steps {
            let (by, command) = command(step, &bench.state);
            let before = bench.state.clone();
            let Ok(event) = decide(&before, &by, &command) else { continue };
            let mut tried = before.clone();
            tried.apply(&event).unwrap();
            if tried.rev > before.rev {
                let undo = decide(&tried, &person("bob"), &DeckCommand::Undo { rev: tried.rev }).unwrap();
                tried.apply(&undo).unwrap();
                prop_assert_eq!(&tried.deck, &before.deck);
                let lines = |state: &DeckState| -> Vec<(bool, bool)> {
                    let all = state.proposals.iter().flat_map(|at| &at.lines);
                    all.map(|line| (state.is_stale(line), line.state == abide_deck::LineState::Open)).collect()
                };
                prop_assert_eq!(lines(&tried), lines(&before), "lines are as they were");
            }
            bench.run(&by, &command).unwrap();
        }
        let list = list_of(&bench.state.deck, table(), abide_deck::ListFormat::Moxfield);
        let printed = print_list(&list, abide_deck::ListFormat::Moxfield).unwrap();
        let again = resolve(&parse_list(&printed.text, table()).unwrap(), table()).deck;
        prop_assert_eq!(again.entries(), bench.state.deck.entries(), "a deck comes back from a list");
    }
}
