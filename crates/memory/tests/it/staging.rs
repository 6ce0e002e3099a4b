//! Staged memory against a naive model: random interleavings of epochs, batches and restarts.

use std::collections::BTreeMap;

use abide_domain::{EntityName, EpochId, FactId};
use abide_memory::{Identity, Knowledge, KnowledgeHandle, ShortTerm, normalise};
use proptest::prelude::*;

use crate::world::{World, entity, epoch, fact_id, felix, remembered, search};

#[derive(Clone, Copy, Debug)]
enum Move {
    Remember { slot: Option<u8>, content: u8 },
    Forget { slot: Option<u8>, nth: u8 },
    Identity { slot: Option<u8> },
    Reset { slot: Option<u8> },
    OfAnother { content: u8, ends: bool },
    Commit { slot: u8 },
    Abort { slot: u8 },
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let slot = || prop_oneof![2 => (0u8..3).prop_map(Some), 1 => Just(None)];
    let step = prop_oneof![
        6 => (slot(), 0u8..6).prop_map(|(slot, content)| Move::Remember { slot, content }),
        3 => (slot(), 0u8..20).prop_map(|(slot, nth)| Move::Forget { slot, nth }),
        1 => slot().prop_map(|slot| Move::Identity { slot }),
        1 => slot().prop_map(|slot| Move::Reset { slot }),
        1 => (0u8..6, any::<bool>())
            .prop_map(|(content, ends)| Move::OfAnother { content, ends }),
        3 => (0u8..3).prop_map(|slot| Move::Commit { slot }),
        1 => (0u8..3).prop_map(|slot| Move::Abort { slot }),
    ];
    prop::collection::vec(step, 1..60)
}

const CONTENTS: [&str; 6] =
    ["the sky is blue", "The  Sky is BLUE ", "heron", "grass grows", "Heron", "it rains"];

/// What happens in an epoch, or at once.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Remember(FactId, &'static str, Option<EpochId>),
    Forget(FactId),
    Identity(u64),
    Reset(u64),
}

#[derive(Debug, Default)]
struct Model {
    facts: Vec<(FactId, &'static str, Vec<EpochId>, bool)>,
    aliases: BTreeMap<FactId, FactId>,
    staged: BTreeMap<EpochId, Vec<Effect>>,
    identity: u64,
    exchanges: Vec<(EpochId, u64)>,
}

impl Model {
    fn note(&mut self, epoch: Option<EpochId>, effect: Effect) {
        match epoch {
            Some(epoch) => self.staged.entry(epoch).or_default().push(effect),
            None => self.run(effect),
        }
    }

    fn run(&mut self, effect: Effect) {
        match effect {
            Effect::Remember(id, content, source) => {
                let same = |c: &str| normalise(c) == normalise(content);
                match self.facts.iter_mut().find(|(_, c, _, valid)| *valid && same(c)) {
                    None => {
                        self.facts.push((id, content, source.into_iter().collect(), true));
                    }
                    Some((first, _, sources, _)) => {
                        if let Some(source) = source.filter(|source| !sources.contains(source)) {
                            sources.push(source);
                        }
                        self.aliases.insert(id, *first);
                    }
                }
            }
            Effect::Forget(id) => {
                let id = self.aliases.get(&id).copied().unwrap_or(id);
                if let Some(fact) = self.facts.iter_mut().find(|fact| fact.0 == id) {
                    fact.3 = false;
                }
            }
            Effect::Identity(version) => self.identity = version,
            Effect::Reset(through) => self.exchanges.retain(|(_, seq)| *seq > through),
        }
    }
}

/// Writes the moves into a ledger and runs the model beside it.
fn play(moves: &[Move]) -> (World, Model) {
    let (mut world, mut model) = (World::default(), Model::default());
    // Slots stand for open epochs: an ended one is followed by another.
    let mut slots = [0u64, 1, 2];
    let (mut next_epoch, mut facts) = (3u64, 0u64);
    for slot in slots {
        open(&mut world, slot);
    }
    for step in moves {
        let of = |slot: Option<u8>| slot.map(|slot| epoch(slots[usize::from(slot)]));
        match *step {
            Move::Remember { slot, content } => {
                let (slot, content) = (of(slot), CONTENTS[usize::from(content)]);
                facts += 1;
                world.remember(slot, fact_id(facts), content);
                model.note(slot, Effect::Remember(fact_id(facts), content, slot));
            }
            Move::Forget { slot, nth } => {
                let id = fact_id(u64::from(nth) % (facts + 1) + 1);
                world.forget(of(slot), id);
                model.note(of(slot), Effect::Forget(id));
            }
            Move::Identity { slot } => {
                let version = world.head();
                world.identity(of(slot), version, "# I am\n");
                model.note(of(slot), Effect::Identity(version));
            }
            Move::Reset { slot } => {
                let through = world.head();
                world.reset(of(slot), through);
                model.note(of(slot), Effect::Reset(through));
            }
            Move::OfAnother { content, ends } => {
                let content = CONTENTS[usize::from(content)];
                let epoch_of_another = Some(epoch(1_000_000)).filter(|_| ends);
                world.push("other", epoch_of_another, remembered(fact_id(1_000_000), content));
            }
            Move::Commit { slot } => {
                let ended = epoch(slots[usize::from(slot)]);
                world.answer(ended, 1, 1, Some("done"));
                world.commit(ended);
                model.exchanges.push((ended, world.head()));
                for effect in model.staged.remove(&ended).unwrap_or_default() {
                    model.run(effect);
                }
                slots[usize::from(slot)] = next_epoch;
                open(&mut world, next_epoch);
                next_epoch += 1;
            }
            Move::Abort { slot } => {
                let ended = epoch(slots[usize::from(slot)]);
                world.abort(ended);
                model.staged.remove(&ended);
                slots[usize::from(slot)] = next_epoch;
                open(&mut world, next_epoch);
                next_epoch += 1;
            }
        }
    }
    (world, model)
}

fn open(world: &mut World, n: u64) {
    world.accept(epoch(n), "s", "hello");
}

fn in_memory(agent: &EntityName) -> KnowledgeHandle {
    KnowledgeHandle::new(Knowledge::in_memory(agent).unwrap()).unwrap()
}

/// Order by effect in the model, by ledger in the database: compared without order.
fn in_force(knowledge: &KnowledgeHandle) -> Vec<(FactId, String, Vec<EpochId>)> {
    let page = knowledge.list(None, 500, None).unwrap();
    assert_eq!(page.next, None);
    let mut facts: Vec<_> =
        page.items.into_iter().map(|fact| (fact.fact_id, fact.content, fact.sources)).collect();
    facts.sort();
    facts
}

/// A quarter of the usual rounds (`PROPTEST_CASES`): each opens files.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.div_ceil(4), failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn facts_are_those_of_a_naive_model(moves in moves()) {
        let (world, model) = play(&moves);
        let knowledge = in_memory(&felix());
        knowledge.apply(&world.applied()).unwrap();
        let mut expected: Vec<_> = model
            .facts
            .iter()
            .filter(|fact| fact.3)
            .map(|(id, content, sources, _)| (*id, (*content).to_owned(), sources.clone()))
            .collect();
        expected.sort();
        prop_assert_eq!(in_force(&knowledge), expected);
    }

    #[test]
    fn batches_repetitions_and_restarts_change_nothing(
        moves in moves(),
        cuts in prop::collection::vec((1usize..9, 0usize..4, any::<bool>()), 1..20),
    ) {
        let (world, _) = play(&moves);
        let all = world.applied();
        let whole = in_memory(&felix());
        whole.apply(&all).unwrap();

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge.db");
        let mut opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
        let (mut done, mut turn) = (0, 0);
        while done < all.len() {
            let (length, again, restart) = cuts[turn % cuts.len()];
            turn += 1;
            let end = (done + length).min(all.len());
            opened.knowledge.apply(&all[done.saturating_sub(again)..end]).unwrap();
            done = end;
            if restart {
                drop(opened);
                opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
                prop_assert_eq!(&opened.rebuilt, &None);
                prop_assert!(opened.replay_from <= done as u64 + 1);
                // What open epochs have said is read again from the oldest stimulus on.
                let from = usize::try_from(opened.replay_from).unwrap() - 1;
                opened.knowledge.apply(&all[from..done]).unwrap();
            }
        }
        let restarted = KnowledgeHandle::new(opened.knowledge).unwrap();
        prop_assert_eq!(restarted.dump().unwrap(), whole.dump().unwrap());
        prop_assert_eq!(restarted.state_parts().unwrap(), whole.state_parts().unwrap());
        for words in ["sky", "what about the heron?", "blue grass", "rain"] {
            prop_assert_eq!(search(&restarted, words, 9), search(&whole, words, 9));
        }
    }

    #[test]
    fn identity_and_exchanges_are_those_of_a_naive_model(moves in moves()) {
        let (world, model) = play(&moves);
        let (mut identity, mut short_term) = (Identity::new(felix()), ShortTerm::new(felix()));
        for applied in world.applied() {
            identity.apply(&applied);
            short_term.apply(&applied);
        }
        prop_assert_eq!(identity.current().map_or(0, |version| version.version), model.identity);
        let held: Vec<_> = short_term.exchanges().map(|exchange| exchange.epoch).collect();
        let expected: Vec<_> = model.exchanges.iter().map(|(epoch, _)| *epoch).collect();
        prop_assert_eq!(held, expected);
    }
}

#[test]
fn another_agents_events_are_invisible() {
    let mut world = World::default();
    world.remember(None, fact_id(1), "ours");
    world.push("other", None, remembered(fact_id(2), "theirs"));
    // Another's end with the id of our epoch must not commit what we staged.
    world.remember(Some(epoch(1)), fact_id(3), "ours, staged");
    let end = abide_domain::event::EpochCommitted { turn: 1 };
    world.push("other", Some(epoch(1)), end);

    let ours = in_memory(&felix());
    let theirs = in_memory(&entity("other"));
    ours.apply(&world.applied()).unwrap();
    theirs.apply(&world.applied()).unwrap();
    let contents = |knowledge: &KnowledgeHandle| -> Vec<_> {
        in_force(knowledge).into_iter().map(|(_, content, _)| content).collect()
    };
    assert_eq!(contents(&ours), ["ours"]);
    assert_eq!(contents(&theirs), ["theirs"]);
    assert_eq!(search(&theirs, "ours", 9).status(), "empty");
    assert_eq!(theirs.get(fact_id(1)).unwrap(), None);
}
