//! Forgetting: what was taken back is found by no search, in no window and by no sleep, also after a rebuild.

use abide_domain::{
    EpochId, FactId, SleepId, Timestamp,
    event::{DreamWritten, Event, FactRemembered, SleepStarted, SleepTrigger},
    graph::{Node, TechnicalContext},
};
use abide_memory::{
    Dreams, ForgetAuthority, ForgetError, ForgetPlan, ForgetRequest, ForgetTarget, HistoryScope,
    Knowledge, KnowledgeHandle, Lead, ShortTerm,
};
use uuid::Uuid;

use crate::world::{START, World, epoch, fact_id, felix, remembered};

fn memory(world: &World) -> KnowledgeHandle {
    let memory = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
    memory.apply(&world.applied()).unwrap();
    memory
}

fn plan(
    world: &World,
    target: ForgetTarget<'_>,
    authority: ForgetAuthority<'_>,
) -> Result<ForgetPlan, ForgetError> {
    memory(world).plan_forgetting(ForgetRequest { target, authority })
}

fn mine(words: &str) -> (ForgetTarget<'_>, ForgetAuthority<'static>) {
    (ForgetTarget::Words(words), ForgetAuthority::Owner("nicolas"))
}

/// Writes a plan's events outside any epoch.
fn carry_out(world: &mut World, plan: &ForgetPlan) {
    for event in plan.events(&"@nicolas".parse().unwrap(), None) {
        world.push("felix", None, event);
    }
}

/// Where a text is still found: by recall, in the facts, in the window.
fn traces(world: &World, words: &str) -> Vec<String> {
    let memory = memory(world);
    let lead = Lead::at(Timestamp::from_micros(START));
    let mut found: Vec<String> =
        memory.recall(words, &lead, 50).items().iter().map(|item| item.text.clone()).collect();
    let facts = memory.search_facts(words, &lead, 50);
    found.extend(facts.facts().iter().map(|fact| fact.content.clone()));
    let mut short_term = ShortTerm::new(felix());
    for applied in world.applied() {
        short_term.apply(&applied);
    }
    let window = short_term.window(HistoryScope::Agent, 100_000);
    found.extend(window.exchanges.iter().map(|exchange| exchange.stimulus.to_string()));
    let last = short_term.last_reply("direct:nicolas");
    found.extend(last.map(|(_, output)| output.content.to_string()));
    found.retain(|text| text.contains(words));
    found
}

fn learn(world: &mut World, epochs: &[u64], n: u64, content: &str) {
    let sources = epochs.iter().map(|n| epoch(*n)).collect();
    let told_by = Some("@nicolas".parse().unwrap());
    let fact = FactRemembered { sources, told_by, ..remembered(fact_id(n), content) };
    world.push("felix", None, fact);
}

#[test]
fn what_was_said_is_forgotten_before_any_fact_was_made_of_it() {
    let mut world = World::default();
    world.talk(("felix", 1), "nicolas", ("I live in Lyon.", "Noted: Lyon."), "neutral");
    world.talk(("felix", 2), "nicolas", ("I like tea.", "Good."), "neutral");
    let (target, authority) = mine("that I live in Lyon");
    let plan = plan(&world, target, authority).unwrap();
    assert_eq!(plan.epochs.iter().copied().collect::<Vec<_>>(), [epoch(1)]);
    carry_out(&mut world, &plan);
    assert_eq!(traces(&world, "Lyon"), Vec::<String>::new());
    assert_eq!(traces(&world, "tea").len(), 2, "another matter stays, by recall and in the window");
    let memory = memory(&world);
    let bound = memory.bound_among(&[epoch(1), epoch(2)]).unwrap();
    assert_eq!(bound.into_iter().collect::<Vec<EpochId>>(), [epoch(1)]);
    let (target, authority) = mine("that I live in Lyon");
    assert!(self::plan(&world, target, authority).unwrap().is_empty(), "it is gone already");
}

#[test]
fn every_rewording_goes_with_it_and_the_epoch_that_asked_too() {
    let mut world = World::default();
    let said = ("remember that my phone number is 0612345678", "I will.");
    world.talk(("felix", 1), "nicolas", said, "neutral");
    world.talk(("felix", 2), "nicolas", ("Call +33 6 12 34 56 78 today.", "I cannot."), "neutral");
    world.talk(("felix", 3), "nicolas", ("The weather is fine.", "It is."), "neutral");
    learn(&mut world, &[1], 1, "nicolas's phone number is 0612345678");
    learn(&mut world, &[2], 2, "nicolas can be reached at 06 12 34 56 78");
    learn(&mut world, &[3], 3, "the weather is fine");
    let (target, authority) = mine("my phone number");
    let plan = plan(&world, target, authority).unwrap();
    assert_eq!(
        plan.facts.iter().copied().collect::<std::collections::BTreeSet<FactId>>(),
        [fact_id(1), fact_id(2)].into()
    );
    // A mind forgets in the epoch in which it is asked.
    let asking = epoch(4);
    world.accept(asking, "direct:nicolas", "forget my phone number, 0612345678");
    for event in plan.events(&"@nicolas".parse().unwrap(), Some("asked")) {
        world.push("felix", Some(asking), event);
    }
    assert!(!traces(&world, "061234").is_empty(), "staged, it does not count yet");
    world.answer(asking, 1, 1, Some("Forgotten: 0612345678."));
    world.commit(asking);
    for words in ["0612345678", "06 12", "6 12 34"] {
        assert_eq!(traces(&world, words), Vec::<String>::new());
    }
    assert_eq!(traces(&world, "weather").len(), 3);
}

#[test]
fn a_fact_goes_with_what_it_took_the_place_of() {
    let mut world = World::default();
    world.talk(("felix", 1), "nicolas", ("My office is in Lyon.", "Ok."), "neutral");
    world.talk(("felix", 2), "nicolas", ("My office is in Nantes.", "Ok."), "neutral");
    learn(&mut world, &[1], 1, "the office is in Lyon");
    let newer = FactRemembered {
        supersedes: Some(fact_id(1)),
        sources: vec![epoch(2)],
        told_by: Some("@nicolas".parse().unwrap()),
        ..remembered(fact_id(2), "the office is in Nantes")
    };
    world.push("felix", None, newer);
    let who = ForgetAuthority::Owner("nicolas");
    // The superseded one can be forgotten by itself; both go with the newer one.
    let older = plan(&world, ForgetTarget::Fact(fact_id(1)), who).unwrap();
    assert_eq!((older.facts.len(), older.closed_facts.len()), (0, 1));
    let both = plan(&world, ForgetTarget::Fact(fact_id(2)), who).unwrap();
    assert_eq!((&both.facts[..], &both.closed_facts[..]), (&[fact_id(2)][..], &[fact_id(1)][..]));
    carry_out(&mut world, &both);
    for words in ["Lyon", "Nantes"] {
        assert_eq!(traces(&world, words), Vec::<String>::new());
    }
    let again = plan(&world, ForgetTarget::Fact(fact_id(2)), who);
    assert!(matches!(again, Err(ForgetError::NoFact(_))), "{again:?}");
}

#[test]
fn nobody_forgets_for_another_but_an_administrator() {
    let mut world = World::default();
    world.talk(("felix", 1), "ann", ("My bank is Crest.", "Ok."), "neutral");
    let fact = FactRemembered {
        sources: vec![epoch(1)],
        told_by: Some("@ann".parse().unwrap()),
        ..remembered(fact_id(1), "ann's bank is Crest")
    };
    world.push("felix", None, fact);
    let mallory = ForgetAuthority::Owner("mallory");
    let refused = plan(&world, ForgetTarget::Fact(fact_id(1)), mallory);
    assert!(matches!(refused, Err(ForgetError::NotYours(_))), "{refused:?}");
    let nothing = plan(&world, ForgetTarget::Words("ann's bank is Crest"), mallory).unwrap();
    assert!(nothing.is_empty(), "{nothing:?}");
    assert_eq!(nothing.of_others, 1);
    assert!(plan(&world, ForgetTarget::Epoch(epoch(1)), mallory).unwrap().is_empty());
    let person = plan(&world, ForgetTarget::Person("ann"), mallory);
    assert!(matches!(person, Err(ForgetError::NotYours(_))), "{person:?}");
    let admin = ForgetAuthority::Administrator;
    for target in [
        ForgetTarget::Fact(fact_id(1)),
        ForgetTarget::Words("the bank Crest"),
        ForgetTarget::Epoch(epoch(1)),
        ForgetTarget::Person("ann"),
    ] {
        let plan = plan(&world, target, admin).unwrap();
        assert_eq!((plan.facts.len(), plan.epochs.len()), (1, 1), "{target:?}");
    }
}

#[test]
fn nodes_and_dreams_that_rest_on_it_go_too() {
    let mut world = World::default();
    world.talk(("felix", 1), "nicolas", ("The heron server runs on Debian.", "Ok."), "neutral");
    let technical = TechnicalContext {
        component: "heron".into(),
        description: "the heron server runs on Debian".into(),
        ..TechnicalContext::default()
    };
    world.node("felix", None, ("heron", None), Node::Technical(technical));
    let sleep_id = SleepId::from_uuid(Uuid::from_u128(1));
    let started = SleepStarted {
        sleep_id,
        trigger: SleepTrigger::Person,
        epochs: vec![epoch(1)],
        through_seq: world.head(),
        distiller: "rules".into(),
        run_key: None,
    };
    world.push("felix", None, started);
    let dream = DreamWritten {
        filename: "2026-11-29-a.md".into(),
        title: "A".into(),
        content: "A bird runs on something.".into(),
        sleep_id,
    };
    world.push("felix", None, dream);
    let plan = plan(
        &world,
        ForgetTarget::Words("the heron server runs on Debian"),
        ForgetAuthority::Administrator,
    )
    .unwrap();
    assert_eq!(plan.nodes.len(), 1);
    carry_out(&mut world, &plan);
    let mut dreams = Dreams::new(felix());
    for applied in world.applied() {
        dreams.apply(&applied);
    }
    assert_eq!((dreams.list().count(), dreams.gone().len()), (0, 1));
    assert_eq!(memory(&world).node(&"heron".parse().unwrap()).unwrap(), None);
}

#[test]
fn words_that_name_nothing_are_refused() {
    let mut world = World::default();
    world.talk(("felix", 1), "nicolas", ("I like tea.", "Good."), "neutral");
    for words in ["", "it", "what I said", "forget everything"] {
        let (target, authority) = mine(words);
        let refused = plan(&world, target, authority);
        assert!(matches!(refused, Err(ForgetError::NothingNamed)), "{words}: {refused:?}");
    }
}

#[test]
fn a_file_that_is_built_again_forgets_the_same() {
    let mut world = World::default();
    world.talk(("felix", 1), "nicolas", ("I live in Lyon.", "Noted."), "neutral");
    learn(&mut world, &[1], 1, "nicolas lives in Lyon");
    let (target, authority) = mine("I live in Lyon");
    let plan = plan(&world, target, authority).unwrap();
    carry_out(&mut world, &plan);
    // What is said anew is told anew.
    world.talk(("felix", 9), "nicolas", ("I live in Lyon after all.", "Noted."), "neutral");
    let step_by_step = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
    for applied in world.applied() {
        step_by_step.apply(&[applied]).unwrap();
    }
    assert_eq!(step_by_step.dump().unwrap(), memory(&world).dump().unwrap());
    assert_eq!(traces(&world, "Lyon").len(), 2);
}

#[test]
fn a_long_list_of_epochs_stands_in_several_lines() {
    let plan = ForgetPlan {
        epochs: (1..=2_500).map(epoch).collect(),
        slots: ["nicolas/home".to_owned()].into(),
        ..ForgetPlan::default()
    };
    let events = plan.events(&"@nicolas".parse().unwrap(), None);
    let sizes: Vec<(usize, usize)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Memory(abide_domain::event::MemoryEvent::Forgotten(line)) => {
                Some((line.epochs.len(), line.slots.len()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [(1_000, 1), (1_000, 0), (500, 0)]);
}
