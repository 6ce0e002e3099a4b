//! Bi-temporal history: nothing is overwritten, what was known is still known, references mean the same for ever.

use abide_domain::{
    Timestamp,
    event::{FactRemembered, MemoryRef},
    graph::{EdgeKind, Node, NodeId, TechnicalContext},
};
use abide_memory::{EdgeFilter, Knowledge, KnowledgeHandle, NodeFilter, NodeState, ReferencedItem};
use proptest::prelude::*;

use crate::world::{START, World, epoch, fact_id, felix, remembered, search};

fn knowing(world: &World) -> KnowledgeHandle {
    let mut knowledge = Knowledge::in_memory(&felix()).unwrap();
    knowledge.apply(&world.applied()).unwrap();
    KnowledgeHandle::new(knowledge).unwrap()
}

fn bug(status: &str) -> Node {
    Node::Technical(TechnicalContext {
        component: "sleep".into(),
        status: status.into(),
        ..TechnicalContext::default()
    })
}

fn status(state: Option<&NodeState>) -> Option<String> {
    state.map(|state| match &*state.version.node {
        Node::Technical(technical) => technical.status.clone(),
        other => panic!("{other:?}"),
    })
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_micros(START + seconds * 1_000_000)
}

fn id(text: &str) -> NodeId {
    text.parse().unwrap()
}

#[test]
fn a_new_version_closes_the_old_one_and_both_stay() {
    let mut world = World::default();
    let first = world.node("felix", None, ("bug", Some(time(-100))), bug("open"));
    let second = world.node("felix", None, ("bug", Some(time(-40))), bug("fixed"));
    world.close_node("felix", None, "bug");
    let memory = knowing(&world);

    assert_eq!(memory.node(&id("bug")).unwrap(), None);
    let history = memory.node_history(&id("bug")).unwrap();
    let [one, two] = history.as_slice() else { panic!("{history:?}") };
    assert_eq!(
        (one.version.seq, one.valid_to, one.closed_seq),
        (first, Some(time(-40)), Some(second))
    );
    assert_eq!((two.version.seq, two.valid_to, two.closed_seq), (second, Some(time(3)), Some(3)));
    assert_eq!(one.version.valid_from, time(-100));
    assert_eq!(one.version.recorded_at, time(1));

    let as_of = |at, known| memory.node_as_of(&id("bug"), at, known).unwrap();
    assert_eq!(status(as_of(time(-200), None).as_ref()), None, "before it was so");
    assert_eq!(status(as_of(time(-70), None).as_ref()), Some("open".into()));
    assert_eq!(status(as_of(time(0), None).as_ref()), Some("fixed".into()));
    assert_eq!(status(as_of(time(10), None).as_ref()), None, "closed since");
    let then = as_of(time(0), Some(first)).unwrap();
    assert_eq!(status(Some(&then)), Some("open".into()), "as it was known before the second");
    assert_eq!((then.valid_to, then.closed_seq), (None, None));
    assert_eq!(status(as_of(time(10), Some(second)).as_ref()), Some("fixed".into()));

    let open = memory.nodes(NodeFilter::default(), None, 9).unwrap();
    assert_eq!(open.items, []);
    let all = NodeFilter { with_closed: true, ..NodeFilter::default() };
    let page = memory.nodes(all, None, 1).unwrap();
    assert_eq!((page.items[0].version.seq, page.next), (second, Some(second)));
    let page = memory.nodes(all, page.next, 1).unwrap();
    assert_eq!((page.items[0].version.seq, page.next), (first, None));
}

#[test]
fn a_late_note_of_an_earlier_time_ends_the_version_in_force_without_turning_time_around() {
    let mut world = World::default();
    world.node("felix", None, ("bug", Some(time(50))), bug("open"));
    world.node("felix", None, ("bug", Some(time(20))), bug("known earlier"));
    let memory = knowing(&world);
    let history = memory.node_history(&id("bug")).unwrap();
    assert!(history.iter().all(|s| s.valid_to.is_none_or(|to| to >= s.version.valid_from)));
    let as_of = |at| memory.node_as_of(&id("bug"), at, None).unwrap();
    assert_eq!(status(as_of(time(60)).as_ref()), Some("known earlier".into()));
    assert_eq!(status(as_of(time(30)).as_ref()), Some("known earlier".into()));
}

#[test]
fn edges_are_there_once_and_end_with_their_nodes() {
    let mut world = World::default();
    for name in ["felix", "bug", "other"] {
        world.node("felix", None, (name, None), bug(name));
    }
    world.link("felix", ("felix", EdgeKind::HasTechnicalContext, "bug"));
    world.link("felix", ("felix", EdgeKind::HasTechnicalContext, "bug"));
    world.link("felix", ("felix", EdgeKind::HasTechnicalContext, "other"));
    let memory = knowing(&world);
    let edges = |memory: &KnowledgeHandle, with_closed| {
        let filter = EdgeFilter { with_closed, ..EdgeFilter::default() };
        let page = memory.edges(filter, None, 9).unwrap();
        page.items.iter().map(|edge| edge.to.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(edges(&memory, false), ["other", "bug"]);
    let (from, to) = (id("felix"), id("bug"));
    assert!(memory.is_edge_known(&from, EdgeKind::HasTechnicalContext, &to, None).unwrap());
    assert!(!memory.is_edge_known(&to, EdgeKind::HasTechnicalContext, &from, None).unwrap());

    world.close_node("felix", None, "bug");
    memory.apply(&world.applied()).unwrap();
    assert_eq!(edges(&memory, false), ["other"]);
    assert_eq!(edges(&memory, true), ["other", "bug"]);
    world.node("felix", None, ("bug", None), bug("back"));
    memory.apply(&world.applied()).unwrap();
    assert_eq!(edges(&memory, false), ["other"], "a node that comes back has no old edges");
}

#[test]
fn nodes_of_an_open_epoch_are_known_to_it_alone_and_gone_when_it_aborts() {
    let mut world = World::default();
    world.node("felix", None, ("old", None), bug("open"));
    world.node("felix", Some(epoch(1)), ("new", None), bug("open"));
    world.close_node("felix", Some(epoch(1)), "old");
    let memory = knowing(&world);
    let kind = |name: &str, n: Option<u64>| memory.known_node(&id(name), n.map(epoch)).unwrap();
    assert!(kind("new", Some(1)).is_some() && kind("new", None).is_none());
    assert!(kind("old", Some(1)).is_none() && kind("old", Some(2)).is_some());
    assert_eq!(memory.node(&id("new")).unwrap(), None);

    let mut aborted = world.clone();
    aborted.abort(epoch(1));
    memory.apply(&aborted.applied()).unwrap();
    assert_eq!(memory.node(&id("new")).unwrap(), None);
    assert!(memory.node(&id("old")).unwrap().is_some());

    let memory = knowing(&world);
    world.commit(epoch(1));
    memory.apply(&world.applied()).unwrap();
    let new = memory.node(&id("new")).unwrap().unwrap();
    assert_eq!((new.version.seq, new.known_seq), (2, 4), "it counts from the commit on");
    assert_eq!(new.version.sources, [epoch(1)]);
    assert_eq!(memory.node(&id("old")).unwrap(), None);
    assert_eq!(memory.node_as_of(&id("new"), time(99), Some(3)).unwrap(), None);
}

#[test]
fn a_fact_that_supersedes_another_closes_it_from_when_it_holds() {
    let mut world = World::default();
    world.remember(None, fact_id(1), "the server is called heron");
    let newer = FactRemembered {
        supersedes: Some(fact_id(1)),
        valid_from: Some(time(-5)),
        sources: vec![epoch(7), epoch(8)],
        ..remembered(fact_id(2), "the server is called stork")
    };
    world.push("felix", None, newer.clone());
    let memory = knowing(&world);
    let old = memory.get(fact_id(1)).unwrap().unwrap();
    assert_eq!(old.valid_to, Some(old.valid_from), "never before it began");
    let new = memory.get(fact_id(2)).unwrap().unwrap();
    assert_eq!((new.valid_from, new.supersedes), (time(-5), Some(fact_id(1))));
    assert_eq!(new.sources, [epoch(7), epoch(8)]);
    assert_eq!(new.told_by, None, "distilled: its author told nothing");
    let found = search(&memory, "server called", 9);
    assert_eq!(found.facts().iter().map(|fact| fact.seq).collect::<Vec<_>>(), [2]);
    let all = memory.fact_history(None, 9).unwrap().items;
    assert_eq!(all.iter().map(|fact| fact.seq).collect::<Vec<_>>(), [2, 1]);

    // The same id again changes nothing, not even what it would supersede.
    world.remember(None, fact_id(3), "the heron is a bird");
    world.push("felix", None, FactRemembered { supersedes: Some(fact_id(3)), ..newer });
    memory.apply(&world.applied()).unwrap();
    assert_eq!(memory.get(fact_id(3)).unwrap().unwrap().valid_to, None);
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Record { node: u8, status: u8, from: i8, staged: bool },
    Close { node: u8, staged: bool },
    Fact { content: u8, staged: bool },
    Supersede { content: u8 },
    End { commits: bool },
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = prop_oneof![
        5 => (0u8..3, 0u8..9, -9i8..9, any::<bool>()).prop_map(|(node, status, from, staged)| {
            Move::Record { node, status, from, staged }
        }),
        2 => (0u8..3, any::<bool>()).prop_map(|(node, staged)| Move::Close { node, staged }),
        2 => (0u8..4, any::<bool>()).prop_map(|(content, staged)| Move::Fact { content, staged }),
        1 => (0u8..4).prop_map(|content| Move::Supersede { content }),
        2 => any::<bool>().prop_map(|commits| Move::End { commits }),
    ];
    prop::collection::vec(step, 1..40)
}

const CONTENTS: [&str; 4] = ["tea", "Tea", "the sky is blue", "rain"];

fn play(moves: &[Move]) -> World {
    let (mut world, mut n, mut facts) = (World::default(), 0, 0);
    for step in moves {
        let of = |staged: bool| staged.then(|| epoch(n));
        match *step {
            Move::Record { node, status, from, staged } => {
                let at = Some(time(i64::from(from) * 3)).filter(|_| from % 2 == 0);
                let node_id = format!("n{node}");
                world.node("felix", of(staged), (&node_id, at), bug(&status.to_string()));
            }
            Move::Close { node, staged } => {
                world.close_node("felix", of(staged), &format!("n{node}"));
            }
            Move::Fact { content, staged } => {
                facts += 1;
                world.remember(of(staged), fact_id(facts), CONTENTS[usize::from(content)]);
            }
            Move::Supersede { content } => {
                facts += 1;
                let supersedes = Some(fact_id(facts - 1));
                let fact = remembered(fact_id(facts), CONTENTS[usize::from(content)]);
                world.push("felix", None, FactRemembered { supersedes, ..fact });
            }
            Move::End { commits } => {
                if commits {
                    world.accept(epoch(n), "s", "what?");
                    world.answer(epoch(n), 1, 1, Some("that"));
                    world.commit(epoch(n));
                } else {
                    world.abort(epoch(n));
                }
                n += 1;
            }
        }
    }
    world
}

/// Everything that a ledger of that length can name.
fn references(head: u64) -> impl Iterator<Item = MemoryRef> {
    (1..=head).flat_map(|seq| {
        [
            MemoryRef::Node { seq },
            MemoryRef::Fact { seq },
            MemoryRef::Passage { seq, part: 0 },
            MemoryRef::Passage { seq, part: 1 },
        ]
    })
}

fn resolved(memory: &KnowledgeHandle, head: u64) -> Vec<(MemoryRef, ReferencedItem)> {
    references(head)
        .filter_map(|reference| Some((reference, memory.resolve(reference).unwrap()?)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.div_ceil(4),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn references_and_the_past_stay_as_they_were(moves in moves()) {
        let world = play(&moves);
        let all = world.applied();
        let memory = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
        let ids = ["n0", "n1", "n2"].map(id);
        let times: Vec<_> = (-30i64..45).step_by(5).map(time).collect();
        let at_all = |node| times.iter().map(move |at| (node, at));
        let mut before: Vec<(MemoryRef, ReferencedItem)> = Vec::new();
        let mut views = Vec::new();
        for (seq, applied) in (1u64..).zip(&all) {
            memory.apply(std::slice::from_ref(applied)).unwrap();
            for (reference, what) in &before {
                prop_assert_eq!(&memory.resolve(*reference).unwrap(), &Some(what.clone()));
            }
            before = resolved(&memory, seq);
            for (node, at) in ids.iter().flat_map(at_all) {
                views.push((node, at, seq, memory.node_as_of(node, *at, None).unwrap()));
            }
        }
        // What was known then is told now as it was told then.
        for (node, at, seq, then) in views {
            prop_assert_eq!(memory.node_as_of(node, *at, Some(seq)).unwrap(), then);
        }
        // At most one version of a node is in force, and every version has a time that runs forward.
        for node in &ids {
            let history = memory.node_history(node).unwrap();
            prop_assert!(history.iter().filter(|state| state.closed_seq.is_none()).count() <= 1);
            for state in &history {
                prop_assert!(state.valid_to.is_none_or(|to| to >= state.version.valid_from));
            }
        }
    }

    #[test]
    fn the_indexes_that_follow_are_those_that_are_loaded(moves in moves(), warm in 0usize..20) {
        let world = play(&moves);
        let all = world.applied();
        let followed = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
        let (first, rest) = all.split_at(warm.min(all.len()));
        followed.apply(first).unwrap();
        followed.warm().unwrap();
        for applied in rest {
            followed.apply(std::slice::from_ref(applied)).unwrap();
        }
        let loaded = knowing(&world);
        prop_assert_eq!(followed.index_size().unwrap().1, loaded.index_size().unwrap().1);
        for words in ["tea", "sky blue", "what", "sleep"] {
            let lead = abide_memory::Lead::at(time(0));
            prop_assert_eq!(
                followed.search_facts(words, &lead, 9), loaded.search_facts(words, &lead, 9)
            );
            for query in crate::graph_queries::all(words) {
                let (one, two) = (followed.ask(&query, &lead), loaded.ask(&query, &lead));
                prop_assert_eq!((one.status, one.data), (two.status, two.data));
            }
        }
        prop_assert_eq!(followed.dump().unwrap(), loaded.dump().unwrap());
        prop_assert_eq!(followed.state_parts().unwrap(), loaded.state_parts().unwrap());
    }
}
