//! Proposals and their reviews (DM-14, DM-19, DM-20): case by case.

use std::collections::BTreeMap;

use abide_deck::{
    CardRef, Colour, Currency, Deck, DeckActor, DeckChange, DeckCommand, DeckError, DeckEvent,
    DeckOp, DeckState, DeckZone, EntryTarget, LegalityCode, LineChoice, LineState, OpError,
    ReviewOutcome, create_deck, decide, fork_deck, proposal_effect,
};

use crate::{
    fixture::{card, table, tags},
    legality::deck_of,
};

pub(crate) fn person(name: &str) -> DeckActor {
    DeckActor::Person(name.to_owned())
}

pub(crate) fn agent() -> DeckActor {
    DeckActor::Agent("steve".to_owned())
}

pub(crate) fn named(name: &str) -> CardRef {
    let card = card(name);
    CardRef { id: card.id.clone(), name: card.name.clone() }
}

pub(crate) fn at(name: &str, zone: DeckZone) -> EntryTarget {
    EntryTarget { card: named(name), zone, printing: None, finish: None }
}

pub(crate) fn main(name: &str) -> EntryTarget {
    at(name, DeckZone::Main)
}

fn add(name: &str, count: u32) -> DeckOp {
    DeckOp::Add { entry: main(name), count }
}

fn remove(name: &str, count: u32) -> DeckOp {
    DeckOp::Remove { entry: main(name), count }
}

fn swap(out: &str, into: &str) -> DeckOp {
    DeckOp::Swap { out: main(out), into: named(into), count: 1 }
}

/// A deck with its events, which are folded anew at each step.
pub(crate) struct Bench {
    pub(crate) events: Vec<DeckEvent>,
    pub(crate) state: DeckState,
}

impl Bench {
    pub(crate) fn new(deck: Deck) -> Self {
        let created = create_deck(&person("ada"), "d1", deck).unwrap();
        let state = DeckState::begin(&created).unwrap();
        Self { events: vec![created], state }
    }

    pub(crate) fn run(&mut self, by: &DeckActor, command: &DeckCommand) -> Result<(), DeckError> {
        let event = decide(&self.state, by, command)?;
        let line = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<DeckEvent>(&line).unwrap(), event, "{line}");
        self.state.apply(&event).unwrap();
        self.events.push(event);
        let state = serde_json::to_string(&self.state).unwrap();
        assert_eq!(
            serde_json::from_str::<DeckState>(&state).as_ref().ok(),
            Some(&self.state),
            "{state}"
        );
        assert_eq!(
            DeckState::fold(&self.events).as_ref(),
            Ok(&self.state),
            "the fold says the same"
        );
        Ok(())
    }

    fn edit(&mut self, ops: &[DeckOp]) {
        let command = DeckCommand::Edit { deck_rev: self.state.rev, ops: ops.to_vec() };
        self.run(&person("ada"), &command).unwrap();
    }

    fn propose(&mut self, id: &str, ops: &[DeckOp]) {
        self.run(&agent(), &proposed(id, self.state.rev, ops)).unwrap();
    }

    fn take(&mut self, id: &str, lines: &[u32]) -> Result<(), DeckError> {
        let command = taken(id, self.state.rev, LineChoice::Lines(lines.to_vec()));
        self.run(&person("ada"), &command)
    }

    fn undo(&mut self, rev: u64) -> Result<(), DeckError> {
        self.run(&person("ada"), &DeckCommand::Undo { rev })
    }

    /// `open`, `taken`, `refused` or `stale` for each line.
    pub(crate) fn lines(&self, id: &str) -> Vec<&'static str> {
        let lines = &self.state.proposal(id).unwrap().lines;
        lines
            .iter()
            .map(|line| match line.state {
                LineState::Open if self.state.is_stale(line) => "stale",
                LineState::Open => "open",
                LineState::Taken { .. } => "taken",
                LineState::Refused { .. } => "refused",
            })
            .collect()
    }

    fn count(&self, name: &str, zone: DeckZone) -> u32 {
        let id = &card(name).id;
        self.state
            .deck
            .in_zone(zone)
            .filter(|entry| entry.key.card == *id)
            .map(|entry| entry.content.count)
            .sum()
    }
}

fn proposed(id: &str, deck_rev: u64, ops: &[DeckOp]) -> DeckCommand {
    DeckCommand::Propose {
        proposal_id: id.into(),
        deck_rev,
        reason: "it draws cards".into(),
        ops: ops.to_vec(),
    }
}

fn taken(id: &str, deck_rev: u64, lines: LineChoice) -> DeckCommand {
    DeckCommand::Take { proposal_id: id.into(), deck_rev, lines, despite_conflict: false }
}

fn refused(id: &str, lines: LineChoice, reason: &str) -> DeckCommand {
    DeckCommand::Refuse { proposal_id: id.into(), lines, reason: reason.into() }
}

fn brago() -> Bench {
    Bench::new(deck_of(
        "C: Brago, King Eternal; Sol Ring; Counterspell; Path to Exile; M: Rhystic Study; *Island",
    ))
}

#[test]
fn lines_do_what_they_say() {
    use DeckZone::{Commander, Main, Maybeboard, Sideboard};
    let cases: Vec<(&str, DeckOp, &str, DeckZone, u32)> = vec![
        ("add a new card", add("Arcane Signet", 1), "Arcane Signet", Main, 1),
        ("add to what is there", add("Island", 2), "Island", Main, 98),
        ("remove all of a card", remove("Sol Ring", 1), "Sol Ring", Main, 0),
        ("remove some", remove("Island", 6), "Island", Main, 90),
        ("set a count", DeckOp::SetCount { entry: main("Island"), count: 30 }, "Island", Main, 30),
        (
            "set a count of nothing",
            DeckOp::SetCount { entry: main("Plains"), count: 3 },
            "Plains",
            Main,
            3,
        ),
        ("set to none", DeckOp::SetCount { entry: main("Island"), count: 0 }, "Island", Main, 0),
        (
            "move all",
            DeckOp::Move { entry: main("Sol Ring"), to: Maybeboard, count: 1 },
            "Sol Ring",
            Maybeboard,
            1,
        ),
        (
            "move some",
            DeckOp::Move { entry: main("Island"), to: Sideboard, count: 5 },
            "Island",
            Sideboard,
            5,
        ),
        (
            "move into the deck",
            DeckOp::Move { entry: at("Rhystic Study", Maybeboard), to: Main, count: 1 },
            "Rhystic Study",
            Main,
            1,
        ),
        ("swap takes out", swap("Path to Exile", "Swords to Plowshares"), "Path to Exile", Main, 0),
        (
            "swap puts in",
            swap("Path to Exile", "Swords to Plowshares"),
            "Swords to Plowshares",
            Main,
            1,
        ),
        (
            "DM-14 a new commander",
            DeckOp::SetCommanders { cards: vec![named("Talrand, Sky Summoner")] },
            "Talrand, Sky Summoner",
            Commander,
            1,
        ),
        (
            "DM-14 the old one stays in the deck",
            DeckOp::SetCommanders { cards: vec![named("Talrand, Sky Summoner")] },
            "Brago, King Eternal",
            Main,
            1,
        ),
        (
            "DM-14 out of the deck",
            DeckOp::SetCommanders { cards: vec![named("Sol Ring")] },
            "Sol Ring",
            Main,
            0,
        ),
        (
            "DM-14 out of the maybeboard",
            DeckOp::SetCommanders { cards: vec![named("Rhystic Study")] },
            "Rhystic Study",
            Maybeboard,
            0,
        ),
        (
            "DM-14 a pair",
            DeckOp::SetCommanders {
                cards: vec![named("Thrasios, Triton Hero"), named("Tymna the Weaver")],
            },
            "Tymna the Weaver",
            Commander,
            1,
        ),
    ];
    for (id, op, name, zone, count) in cases {
        let mut bench = brago();
        bench.edit(&[op]);
        assert_eq!(bench.count(name, zone), count, "{id}");
        assert_eq!(bench.state.rev, 2, "{id}");
        bench.undo(2).unwrap();
        assert_eq!(bench.state.deck, brago().state.deck, "{id}: undone");
    }
}

#[test]
fn lines_that_cannot_be_done_say_why() {
    let name = |name: &str| name.to_owned();
    let not_there = |name: &str, has, wanted| OpError::NotThere {
        name: name.to_owned(),
        zone: DeckZone::Main,
        has,
        wanted,
    };
    let cases = [
        ("remove what is not there", remove("Plains", 1), not_there("Plains", 0, 1)),
        ("remove too many", remove("Sol Ring", 2), not_there("Sol Ring", 1, 2)),
        ("remove none", remove("Sol Ring", 0), OpError::Count(name("Sol Ring"))),
        ("add none", add("Sol Ring", 0), OpError::Count(name("Sol Ring"))),
        ("add too many", add("Island", 1_000), OpError::Count(name("Island"))),
        ("add up to too many", add("Island", 950), OpError::Count(name("Island"))),
        (
            "set too many",
            DeckOp::SetCount { entry: main("Island"), count: 1_000 },
            OpError::Count(name("Island")),
        ),
        (
            "set what is",
            DeckOp::SetCount { entry: main("Sol Ring"), count: 1 },
            OpError::NoChange(name("Sol Ring")),
        ),
        (
            "set nothing to none",
            DeckOp::SetCount { entry: main("Plains"), count: 0 },
            OpError::NoChange(name("Plains")),
        ),
        (
            "move to where it is",
            DeckOp::Move { entry: main("Sol Ring"), to: DeckZone::Main, count: 1 },
            OpError::NoChange(name("Sol Ring")),
        ),
        ("swap with itself", swap("Sol Ring", "Sol Ring"), OpError::NoChange(name("Sol Ring"))),
        ("swap what is not there", swap("Plains", "Sol Ring"), not_there("Plains", 0, 1)),
        ("no commander", DeckOp::SetCommanders { cards: Vec::new() }, OpError::CommanderCount(0)),
        (
            "the same commander",
            DeckOp::SetCommanders { cards: vec![named("Brago, King Eternal")] },
            OpError::NoChange(name("Brago, King Eternal")),
        ),
        (
            "a colour of who does not lead",
            DeckOp::ChooseColour { card: named("Sol Ring"), colour: Some(Colour::Red) },
            OpError::NotACommander(name("Sol Ring")),
        ),
        (
            "tags of nothing",
            DeckOp::SetTags { entry: main("Plains"), tags: Vec::new() },
            not_there("Plains", 0, 1),
        ),
        (
            "no tag",
            DeckOp::SetTags { entry: main("Sol Ring"), tags: vec![name(" ")] },
            OpError::Text(name("Sol Ring")),
        ),
        (
            "the same tags",
            DeckOp::SetTags { entry: main("Sol Ring"), tags: Vec::new() },
            OpError::NoChange(name("Sol Ring")),
        ),
        ("no name", DeckOp::Rename { name: name("") }, OpError::Text(name("the deck's name"))),
    ];
    for (id, op, source) in cases {
        let mut bench = brago();
        let wanted = DeckError::Line { line: 0, source };
        let edit = DeckCommand::Edit { deck_rev: 1, ops: vec![op.clone()] };
        assert_eq!(bench.run(&person("ada"), &edit), Err(wanted.clone()), "{id}");
        assert_eq!(bench.run(&agent(), &proposed("p", 1, &[op])), Err(wanted), "{id}, proposed");
        assert_eq!(bench.events.len(), 1, "{id}");
    }
}

#[test]
fn a_change_of_commander_takes_the_partner_along_and_judges_all_anew() {
    let mut bench = Bench::new(deck_of(
        "C: The Prismatic Piper; C: Thrasios, Triton Hero; =The Prismatic Piper: W; Path to Exile; *Island",
    ));
    bench.edit(&[DeckOp::SetCommanders { cards: vec![named("Talrand, Sky Summoner")] }]);
    assert_eq!(
        bench.count("Thrasios, Triton Hero", DeckZone::Main),
        1,
        "DM-14: the partner goes too"
    );
    assert_eq!(bench.count("The Prismatic Piper", DeckZone::Main), 1, "DM-14: none vanishes");
    assert!(bench.state.deck.chosen_colours.is_empty());
    let report = abide_deck::judge_deck(&bench.state.deck, table());
    let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(
        codes,
        [LegalityCode::Size, LegalityCode::Identity, LegalityCode::Identity],
        "DM-14: judged anew"
    );
    bench.undo(2).unwrap();
    assert_eq!(bench.state.deck.chosen_colours.len(), 1, "the chosen colour comes back");
}

#[test]
fn only_persons_change_a_deck() {
    let mut bench = brago();
    bench.propose("p1", &[add("Arcane Signet", 1)]);
    let commands = [
        DeckCommand::Edit { deck_rev: 1, ops: vec![add("Arcane Signet", 1)] },
        taken("p1", 1, LineChoice::AllOpen),
        refused("p1", LineChoice::AllOpen, "no"),
        DeckCommand::Reopen { proposal_id: "p1".into(), lines: vec![0] },
        DeckCommand::EditLine { proposal_id: "p1".into(), line: 0, op: add("Sol Ring", 1) },
        DeckCommand::Undo { rev: 1 },
        DeckCommand::SetBracket { bracket: Some(3) },
    ];
    for command in commands {
        assert_eq!(bench.run(&agent(), &command), Err(DeckError::PersonsOnly), "{command:?}");
    }
    assert!(create_deck(&agent(), "d2", Deck::default()).is_ok(), "no deck that there is changes");
    assert_eq!(fork_deck(&bench.state, &agent(), 1, "d2"), Err(DeckError::PersonsOnly));
    assert_eq!(bench.state.rev, 1, "a proposal changes nothing");
}

#[test]
fn lines_are_taken_one_by_one_or_all_at_once() {
    let mut bench = brago();
    bench.propose(
        "p1",
        &[
            add("Arcane Signet", 1),
            remove("Island", 1),
            swap("Path to Exile", "Swords to Plowshares"),
            add("Island", 1),
        ],
    );
    assert_eq!(bench.lines("p1"), ["open"; 4]);
    bench.take("p1", &[1]).unwrap();
    assert_eq!(
        bench.lines("p1"),
        ["open", "taken", "open", "open"],
        "a proposal's own lines make none of its others stale"
    );
    assert_eq!(bench.take("p1", &[1]), Err(DeckError::LineAnswered(1)));
    assert_eq!(bench.take("p1", &[9]), Err(DeckError::UnknownLine(9)));
    assert_eq!(bench.take("p1", &[]), Err(DeckError::NothingOpen));
    bench.run(&person("ada"), &taken("p1", 2, LineChoice::AllOpen)).unwrap();
    assert_eq!((bench.lines("p1"), bench.state.rev), (vec!["taken"; 4], 3), "a batch is one event");
    assert_eq!(
        bench.run(&person("ada"), &taken("p1", 3, LineChoice::AllOpen)),
        Err(DeckError::NothingOpen)
    );
    assert_eq!(
        bench.run(&person("ada"), &taken("p9", 3, LineChoice::AllOpen)),
        Err(DeckError::UnknownProposal("p9".into()))
    );
    bench.undo(3).unwrap();
    assert_eq!(
        bench.lines("p1"),
        ["open", "taken", "open", "open"],
        "one undo reopens the whole batch"
    );
}

#[test]
fn a_refusal_reaches_the_agent_and_the_same_line_is_not_proposed_again() {
    let mut bench = brago();
    bench.propose("p1", &[add("Arcane Signet", 1), add("Tundra", 1)]);
    bench.propose("p2", &[add("Golden Egg", 1)]);
    let reason = "no mana rocks, please";
    assert!(matches!(
        bench.run(&person("ada"), &refused("p1", LineChoice::Lines(vec![0]), " ")),
        Err(DeckError::Bounds(_))
    ));
    bench.run(&person("ada"), &refused("p1", LineChoice::Lines(vec![0]), reason)).unwrap();
    assert_eq!((bench.lines("p1"), bench.lines("p2")), (vec!["refused", "open"], vec!["open"]));
    let steve = agent();
    let notes: Vec<_> = bench.state.notes_for(&steve, 0).collect();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].outcome, ReviewOutcome::Refused { reason: reason.into() });
    assert_eq!((notes[0].lines.as_slice(), notes[0].by.name()), ([0].as_slice(), "ada"));
    assert_eq!(bench.state.notes_for(&steve, 1).count(), 0, "heard once");
    assert_eq!(bench.state.notes_for(&DeckActor::Agent("bob".into()), 0).count(), 0);
    let again =
        bench.run(&agent(), &proposed("p3", 1, &[add("Sol Ring", 1), add("Arcane Signet", 1)]));
    assert_eq!(again, Err(DeckError::RefusedBefore(vec![(1, reason.into())])));
    assert_eq!(
        again.unwrap_err().to_string(),
        "1 of the lines were refused before: line 2: no mana rocks, please"
    );
    let reopen =
        |lines: &[u32]| DeckCommand::Reopen { proposal_id: "p1".into(), lines: lines.to_vec() };
    assert_eq!(bench.run(&person("ada"), &reopen(&[1])), Err(DeckError::LineAnswered(1)));
    bench.run(&person("ada"), &reopen(&[0])).unwrap();
    assert_eq!(bench.lines("p1"), ["open", "open"], "a refusal can be taken back");
    bench.run(&person("ada"), &refused("p1", LineChoice::AllOpen, "not now")).unwrap();
    assert_eq!(
        (bench.lines("p1"), bench.lines("p2")),
        (vec!["refused"; 2], vec!["open"]),
        "reject-all is of this proposal only"
    );
}

#[test]
fn a_line_is_stale_where_what_it_is_about_changed_and_the_rest_is_merged() {
    let mut bench = brago();
    bench.propose("p1", &[remove("Sol Ring", 1), add("Tundra", 1), remove("Counterspell", 1)]);
    bench
        .run(&person("bob"), &DeckCommand::Edit { deck_rev: 1, ops: vec![remove("Sol Ring", 1)] })
        .unwrap();
    assert_eq!(bench.lines("p1"), ["stale", "open", "open"]);
    let Err(DeckError::Conflict { rev, lines }) = bench.take("p1", &[0, 1]) else {
        panic!("no conflict")
    };
    assert_eq!((rev, lines.len(), lines[0].line, lines[0].rev), (2, 1, 0, Some(2)));
    assert_eq!(lines[0].by, Some(person("bob")), "DM-20: who changed it is said");
    assert_eq!(bench.state.rev, 2, "all or none");
    bench.run(&person("ada"), &taken("p1", 1, LineChoice::AllOpen)).unwrap();
    assert_eq!(
        bench.lines("p1"),
        ["stale", "taken", "taken"],
        "the rest is merged, also from an older revision"
    );
    let despite = DeckCommand::Take {
        proposal_id: "p1".into(),
        deck_rev: 3,
        lines: LineChoice::Lines(vec![0]),
        despite_conflict: true,
    };
    assert!(
        matches!(bench.run(&person("ada"), &despite), Err(DeckError::Line { line: 0, .. })),
        "there is nothing to remove"
    );
    bench.edit(&[add("Sol Ring", 2)]);
    let despite = DeckCommand::Take {
        proposal_id: "p1".into(),
        deck_rev: 4,
        lines: LineChoice::Lines(vec![0]),
        despite_conflict: true,
    };
    bench.run(&person("ada"), &despite).unwrap();
    assert_eq!(bench.count("Sol Ring", DeckZone::Main), 1, "the proposal's side was chosen");
}

#[test]
fn a_line_is_fresh_again_when_what_it_is_about_is_as_it_was() {
    let mut bench = brago();
    bench.propose("p1", &[add("Arcane Signet", 1)]);
    bench.edit(&[add("Arcane Signet", 1)]);
    assert_eq!(bench.lines("p1"), ["stale"]);
    let all = taken("p1", 2, LineChoice::AllOpen);
    assert!(matches!(bench.run(&person("ada"), &all), Err(DeckError::Conflict { .. })));
    bench.undo(2).unwrap();
    assert_eq!(bench.lines("p1"), ["open"]);
    bench.take("p1", &[0]).unwrap();
}

#[test]
fn each_kind_of_line_knows_what_it_is_about() {
    let cases: Vec<(&str, DeckOp, DeckOp, &str)> = vec![
        ("add, same card", add("Tundra", 1), add("Tundra", 2), "stale"),
        (
            "add, same card elsewhere",
            add("Tundra", 1),
            DeckOp::Add { entry: at("Tundra", DeckZone::Maybeboard), count: 1 },
            "open",
        ),
        ("add, other card", add("Tundra", 1), add("Badlands", 1), "open"),
        (
            "set, same card",
            DeckOp::SetCount { entry: main("Island"), count: 30 },
            remove("Island", 1),
            "stale",
        ),
        (
            "move, at its end",
            DeckOp::Move { entry: main("Sol Ring"), to: DeckZone::Maybeboard, count: 1 },
            DeckOp::Add { entry: at("Sol Ring", DeckZone::Maybeboard), count: 1 },
            "stale",
        ),
        ("swap, what comes", swap("Sol Ring", "Tundra"), add("Tundra", 1), "stale"),
        ("swap, what goes", swap("Sol Ring", "Tundra"), add("Sol Ring", 1), "stale"),
        ("swap, neither", swap("Sol Ring", "Tundra"), remove("Island", 1), "open"),
        (
            "commanders",
            DeckOp::SetCommanders { cards: vec![named("Talrand, Sky Summoner")] },
            DeckOp::SetCommanders { cards: vec![named("Kozilek, Butcher of Truth")] },
            "stale",
        ),
        (
            "commanders, a card of the deck",
            DeckOp::SetCommanders { cards: vec![named("Talrand, Sky Summoner")] },
            remove("Island", 1),
            "open",
        ),
        (
            "tags, a count",
            DeckOp::SetTags { entry: main("Island"), tags: vec!["land".into()] },
            remove("Island", 1),
            "open",
        ),
        (
            "tags, tags",
            DeckOp::SetTags { entry: main("Island"), tags: vec!["land".into()] },
            DeckOp::SetTags { entry: main("Island"), tags: vec!["blue".into()] },
            "stale",
        ),
        (
            "count, tags",
            remove("Island", 1),
            DeckOp::SetTags { entry: main("Island"), tags: vec!["blue".into()] },
            "open",
        ),
        (
            "name, name",
            DeckOp::Rename { name: "Blink".into() },
            DeckOp::Rename { name: "Flicker".into() },
            "stale",
        ),
        ("name, card", DeckOp::Rename { name: "Blink".into() }, add("Tundra", 1), "open"),
    ];
    for (id, line, edit, wanted) in cases {
        let mut bench = brago();
        bench.propose("p1", &[line]);
        bench.edit(std::slice::from_ref(&edit));
        assert_eq!(bench.lines("p1"), [wanted], "{id}");
        let mut other = brago();
        other.edit(std::slice::from_ref(&edit));
        let late = DeckCommand::Edit { deck_rev: 1, ops: vec![edit] };
        let second = other.run(&person("bob"), &late);
        assert!(
            matches!(second, Err(DeckError::Conflict { .. } | DeckError::Line { .. })),
            "{id}: two editors, {second:?}"
        );
    }
}

#[test]
fn two_editors_are_merged_or_hear_of_each_other() {
    let mut bench = brago();
    bench
        .run(&person("ada"), &DeckCommand::Edit { deck_rev: 1, ops: vec![remove("Island", 1)] })
        .unwrap();
    bench
        .run(&person("bob"), &DeckCommand::Edit { deck_rev: 1, ops: vec![add("Tundra", 1)] })
        .unwrap();
    assert_eq!(bench.state.rev, 3, "DM-20: what does not touch is merged");
    let late =
        DeckCommand::Edit { deck_rev: 1, ops: vec![add("Badlands", 1), remove("Island", 5)] };
    let Err(DeckError::Conflict { rev: 3, lines }) = bench.run(&person("bob"), &late) else {
        panic!("no conflict")
    };
    assert_eq!(
        (lines.len(), lines[0].line, lines[0].by.clone()),
        (1, 1, Some(person("ada"))),
        "DM-20"
    );
    let early = DeckCommand::Edit { deck_rev: 9, ops: vec![add("Badlands", 1)] };
    assert_eq!(bench.run(&person("bob"), &early), Err(DeckError::UnknownRevision(9, 3)));
}

#[test]
fn revisions_are_taken_back_and_taken_back_again() {
    let mut bench = brago();
    let begin = bench.state.deck.clone();
    bench.edit(&[remove("Island", 1)]);
    bench.edit(&[add("Tundra", 1)]);
    bench.undo(2).unwrap();
    assert_eq!(bench.count("Island", DeckZone::Main), 96, "DM-20: an older revision alone");
    assert_eq!(bench.undo(2), Err(DeckError::AlreadyUndone(2)));
    bench.undo(4).unwrap();
    assert_eq!(bench.count("Island", DeckZone::Main), 95, "an undo is undone");
    bench.undo(2).unwrap();
    bench.undo(3).unwrap();
    assert_eq!(bench.state.deck, begin);
    assert_eq!(bench.undo(1), Err(DeckError::CannotUndo(1)));
    assert_eq!(bench.undo(99), Err(DeckError::UnknownRevision(99, 7)));
    bench.edit(&[remove("Island", 1)]);
    bench.edit(&[remove("Island", 1)]);
    assert_eq!(bench.undo(8), Err(DeckError::UndoConflict(8, 9)));
    assert_eq!(bench.state.deck_at(1), Some(begin));
    assert_eq!(bench.state.deck_at(10), None);
}

#[test]
fn a_slip_on_minus_is_undone_with_everything_that_the_entry_had() {
    let mut bench = brago();
    bench.edit(&[DeckOp::SetTags { entry: main("Sol Ring"), tags: vec!["ramp".into()] }]);
    bench.edit(&[DeckOp::SetCount { entry: main("Sol Ring"), count: 0 }]);
    bench.undo(3).unwrap();
    let ring = bench
        .state
        .deck
        .in_zone(DeckZone::Main)
        .find(|entry| entry.content.name == "Sol Ring")
        .unwrap();
    assert_eq!(ring.content.tags, ["ramp"], "DM-20");
}

#[test]
fn an_undo_of_a_taking_needs_its_lines_open_to_be_taken_back() {
    let mut bench = brago();
    bench.propose("p1", &[add("Tundra", 1)]);
    bench.take("p1", &[0]).unwrap();
    bench.undo(2).unwrap();
    assert_eq!(bench.lines("p1"), ["open"]);
    bench.undo(3).unwrap();
    assert_eq!((bench.lines("p1"), bench.count("Tundra", DeckZone::Main)), (vec!["taken"], 1));
    bench.undo(4).unwrap();
    assert_eq!(bench.lines("p1"), ["open"]);
    bench.run(&person("ada"), &refused("p1", LineChoice::AllOpen, "after all not")).unwrap();
    assert_eq!(
        bench.undo(5),
        Err(DeckError::LineAnswered(0)),
        "a refused line is not taken by an undo"
    );
    let outcomes: Vec<_> =
        bench.state.notes.iter().map(|note| std::mem::discriminant(&note.outcome)).collect();
    assert_eq!(outcomes.len(), 5, "taken, reopened, taken, reopened, refused");
}

#[test]
fn a_person_rewrites_a_line_and_the_agent_hears_it() {
    let mut bench = brago();
    bench.propose("p1", &[add("Arcane Signet", 1)]);
    bench.edit(&[add("Arcane Signet", 1)]);
    let better = add("Tundra", 1);
    let rewrite =
        |op: &DeckOp| DeckCommand::EditLine { proposal_id: "p1".into(), line: 0, op: op.clone() };
    assert!(matches!(
        bench.run(&person("ada"), &rewrite(&remove("Plains", 1))),
        Err(DeckError::Line { .. })
    ));
    bench.run(&person("ada"), &rewrite(&better)).unwrap();
    assert_eq!(bench.lines("p1"), ["open"], "it is about what the person sees now");
    assert_eq!(bench.state.proposals[0].lines[0].original, Some(add("Arcane Signet", 1)));
    assert_eq!(
        bench.state.notes.last().unwrap().outcome,
        ReviewOutcome::Edited { op: better.clone() }
    );
    bench.run(&person("ada"), &rewrite(&add("Tundra", 2))).unwrap();
    assert_eq!(
        bench.state.proposals[0].lines[0].original,
        Some(add("Arcane Signet", 1)),
        "the first words stay"
    );
    bench.take("p1", &[0]).unwrap();
    assert_eq!(bench.run(&person("ada"), &rewrite(&better)), Err(DeckError::LineAnswered(0)));
}

#[test]
fn a_line_that_was_rewritten_is_not_taken_again_with_its_old_words() {
    let mut bench = brago();
    bench.propose("p1", &[add("Arcane Signet", 1)]);
    bench.take("p1", &[0]).unwrap();
    bench.undo(2).unwrap();
    let better = add("Tundra", 1);
    let rewrite = DeckCommand::EditLine { proposal_id: "p1".into(), line: 0, op: better };
    bench.run(&person("ada"), &rewrite).unwrap();
    assert_eq!(bench.undo(3), Err(DeckError::LineRewritten(3)));
    bench.take("p1", &[0]).unwrap();
    assert_eq!(bench.count("Tundra", DeckZone::Main), 1);
    assert_eq!(bench.count("Arcane Signet", DeckZone::Main), 0);
}

#[test]
fn the_effect_is_that_of_what_is_ticked() {
    let mut bench = brago();
    let ops = [
        add("Tundra", 1),
        add("Arcane Signet", 1),
        remove("Island", 1),
        remove("Island", 1),
        add("Lightning Bolt", 1),
        swap("Path to Exile", "Swords to Plowshares"),
    ];
    bench.propose("p1", &ops);
    let effect = |lines: &[u32]| {
        proposal_effect(&bench.state, ("p1", lines), (table(), Some(tags())), Currency::Usd)
            .unwrap()
    };
    let cases: [(&str, &[u32], u32, bool); 6] = [
        ("nothing", &[], 100, true),
        ("one more", &[0], 101, false),
        ("one in, one out", &[0, 2], 100, true),
        ("all but the bolt", &[0, 1, 2, 3, 5], 100, true),
        ("a card of another colour", &[4, 2], 100, false),
        ("a swap", &[5], 100, true),
    ];
    for (id, lines, size, is_legal) in cases {
        let effect = effect(lines);
        assert_eq!(
            (effect.after.legality.size, effect.after.legality.is_legal),
            (size, is_legal),
            "{id}"
        );
        assert_eq!(
            (effect.before.legality.size, effect.before.legality.is_legal),
            (100, true),
            "{id}"
        );
        assert_eq!(effect.differences.is_empty(), lines.is_empty(), "{id}");
    }
    let swapped = effect(&[5]);
    assert_eq!(
        swapped.after.price.total + 100,
        swapped.before.price.total,
        "Swords cost a dollar less"
    );
    assert!(proposal_effect(&bench.state, ("p1", &[9]), (table(), None), Currency::Usd).is_err());
    assert!(proposal_effect(&bench.state, ("p9", &[]), (table(), None), Currency::Usd).is_err());
}

#[test]
fn a_proposal_waits_and_a_fork_goes_its_own_way() {
    let mut bench = brago();
    bench.propose("later", &[swap("Path to Exile", "Swords to Plowshares")]);
    bench.edit(&[remove("Island", 1)]);
    bench.edit(&[add("Tundra", 1)]);
    assert_eq!(bench.lines("later"), ["open"], "DM-19: it waits");
    let forked = fork_deck(&bench.state, &person("bob"), 2, "d2").unwrap();
    let mut other = DeckState::begin(&forked).unwrap();
    assert_eq!(
        (other.id.as_str(), other.rev, other.forked_from.as_ref().unwrap().rev),
        ("d2", 1, 2)
    );
    assert_eq!(other.deck, bench.state.deck_at(2).unwrap(), "DM-19");
    let edit = DeckCommand::Edit { deck_rev: 1, ops: vec![remove("Sol Ring", 1)] };
    other.apply(&decide(&other, &person("bob"), &edit).unwrap()).unwrap();
    assert_eq!(bench.count("Sol Ring", DeckZone::Main), 1);
    assert_eq!(
        fork_deck(&bench.state, &person("bob"), 9, "d3"),
        Err(DeckError::UnknownRevision(9, 3))
    );
}

#[test]
fn events_that_do_not_follow_are_refused_and_change_nothing() {
    let bench = {
        let mut bench = brago();
        bench.propose("p1", &[add("Tundra", 1)]);
        bench
    };
    let by = person("ada");
    let taken = |rev, proposal_id: &str, lines: Vec<u32>| DeckEvent::LinesTaken {
        rev,
        by: by.clone(),
        proposal_id: proposal_id.into(),
        lines,
        changes: Vec::new(),
    };
    let cases = [
        ("a second beginning", bench.events[0].clone()),
        (
            "a revision twice",
            DeckEvent::Edited { rev: 1, by: by.clone(), ops: Vec::new(), changes: Vec::new() },
        ),
        (
            "a revision left out",
            DeckEvent::Edited { rev: 3, by: by.clone(), ops: Vec::new(), changes: Vec::new() },
        ),
        ("a proposal twice", bench.events[1].clone()),
        ("an unknown proposal", taken(2, "p9", vec![0])),
        ("an unknown line", taken(2, "p1", vec![7])),
        ("a line twice", taken(2, "p1", vec![0, 0])),
        (
            "an open line opened",
            DeckEvent::LinesReopened { by: by.clone(), proposal_id: "p1".into(), lines: vec![0] },
        ),
        (
            "an unknown revision undone",
            DeckEvent::Undone { rev: 2, by: by.clone(), undone: 9, changes: Vec::new() },
        ),
        (
            "a proposal from the future",
            DeckEvent::Proposed {
                proposal_id: "p2".into(),
                by: by.clone(),
                deck_rev: 9,
                reason: "r".into(),
                ops: Vec::new(),
            },
        ),
    ];
    for (id, event) in cases {
        let mut state = bench.state.clone();
        assert!(state.apply(&event).is_err(), "{id}");
        assert_eq!(state, bench.state, "{id}");
    }
    assert!(DeckState::fold([]).is_err());
    assert!(DeckState::fold(&bench.events[1..]).is_err());
}

#[test]
fn what_is_kept_has_bounds() {
    let mut bench = brago();
    let many: Vec<DeckOp> = (0..201).map(|_| add("Island", 1)).collect();
    assert!(matches!(bench.run(&agent(), &proposed("p", 1, &many)), Err(DeckError::Bounds(_))));
    assert!(matches!(bench.run(&agent(), &proposed("p", 1, &[])), Err(DeckError::Bounds(_))));
    assert!(matches!(
        bench.run(&agent(), &proposed("", 1, &[add("Tundra", 1)])),
        Err(DeckError::Bounds(_))
    ));
    let long = DeckCommand::Propose {
        proposal_id: "p".into(),
        deck_rev: 1,
        reason: "x".repeat(2_001),
        ops: vec![add("Tundra", 1)],
    };
    assert!(matches!(bench.run(&agent(), &long), Err(DeckError::Bounds(_))));
    assert!(matches!(
        bench.run(&person("ada"), &DeckCommand::SetBracket { bracket: Some(6) }),
        Err(DeckError::Bounds(_))
    ));
    bench.run(&person("ada"), &DeckCommand::SetBracket { bracket: Some(1) }).unwrap();
    assert_eq!(bench.state.bracket, Some(1), "a person's value stands beside the estimate");
    for number in 0..50 {
        bench.propose(&format!("p{number}"), &[add("Tundra", 1)]);
    }
    assert!(matches!(
        bench.run(&agent(), &proposed("p50", 1, &[add("Tundra", 1)])),
        Err(DeckError::Bounds(_))
    ));
    assert_eq!(
        bench.run(&agent(), &proposed("p1", 1, &[add("Tundra", 1)])),
        Err(DeckError::ProposalExists("p1".into()))
    );
    let mut state = bench.state.clone();
    for rev in 2..=1_100 {
        let event = DeckEvent::Edited {
            rev,
            by: person("ada"),
            ops: Vec::new(),
            changes: vec![DeckChange::Name {
                before: format!("{}", rev - 1),
                after: rev.to_string(),
            }],
        };
        state.apply(&event).unwrap();
    }
    assert_eq!((state.history.len(), state.history[0].rev), (1_000, 101));
    assert_eq!(
        (state.deck_at(50), state.deck_at(500).map(|deck| deck.name)),
        (None, Some("500".to_owned()))
    );
}

#[test]
fn events_are_named_as_the_ledger_names_them() {
    let mut bench = brago();
    bench.propose("p1", &[add("Tundra", 1), add("Badlands", 1)]);
    bench.take("p1", &[0]).unwrap();
    bench.run(&person("ada"), &refused("p1", LineChoice::AllOpen, "no")).unwrap();
    bench.undo(2).unwrap();
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for event in &bench.events {
        let value = serde_json::to_value(event).unwrap();
        *kinds.entry(value["kind"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let kinds: Vec<_> = kinds.into_keys().collect();
    assert_eq!(
        kinds,
        ["deck.created", "deck.lines_refused", "deck.lines_taken", "deck.proposed", "deck.undone"]
    );
}
