//! Queries against a plain filter over everything.

use std::sync::Arc;

use abide_ledger::{Query, QueryOrder, Record, folder::Folder, storage::fault::FaultStorage};
use proptest::prelude::*;

use crate::world::{Dice, TestClock, World, block_on, epoch_id, keeper, options, said, said_in};

const AGENTS: [&str; 3] = ["@felix", "@grace", "@ada"];

/// A ledger of several segments with three agents and a hundred epochs, some blocks full.
async fn filled(disk: &FaultStorage) -> World {
    let mut options = options(&TestClock::new());
    options.segment_bytes_max = 90_000;
    let world = World::open(disk, options).unwrap();
    let mut dice = Dice::new(7);
    for i in 0..1_500_u64 {
        let entity = AGENTS[usize::try_from(dice.below(30).saturating_sub(27)).unwrap()];
        let text = format!("event {i}");
        let draft = match dice.below(3) {
            0 => said(entity, &text),
            _ => said_in(entity, u128::from(i / 15), &text),
        };
        drop(world.ledger.submit(vec![draft]).await.unwrap());
    }
    world.say("end").await;
    world
}

fn naive(records: &[Record], query: &Query) -> Vec<u64> {
    let fits = |record: &&Record| {
        query.entity.as_ref().is_none_or(|entity| entity.as_str() == record.entity())
            && query.author.as_ref().is_none_or(|author| author.as_str() == record.author())
            && query.epoch.is_none_or(|epoch| record.epoch() == Some(&epoch.to_string()))
            && record.seq() > query.after
            && query.before.is_none_or(|before| record.seq() < before)
            && (query.kinds.is_empty()
                || query.kinds.iter().any(|kind| match kind.strip_suffix('*') {
                    Some(group) => record.kind().starts_with(group),
                    None => kind == record.kind(),
                }))
    };
    let mut seqs: Vec<_> = records.iter().filter(fits).map(Record::seq).collect();
    if query.order == QueryOrder::NewestFirst {
        seqs.reverse();
    }
    seqs.truncate(query.limit);
    seqs
}

fn queries() -> Vec<Query> {
    let mut queries = vec![Query::default()];
    let kinds = ["stimulus.accepted", "keeper.*", "keeper.segment_opened", "memory.reset"];
    for order in [QueryOrder::OldestFirst, QueryOrder::NewestFirst] {
        for agent in AGENTS {
            let entity = Some(agent.parse().unwrap());
            for limit in [1, 10, usize::MAX] {
                queries.push(Query { entity: entity.clone(), limit, order, ..Query::default() });
            }
        }
        for kind in kinds {
            queries.push(Query { kinds: vec![kind.into()], order, ..Query::default() });
        }
        for epoch in [0, 42, 99, 100_000] {
            queries.push(Query { epoch: Some(epoch_id(epoch)), order, ..Query::default() });
        }
        queries.push(Query { author: Some(keeper()), order, ..Query::default() });
        queries.push(Query { after: 300, before: Some(420), order, ..Query::default() });
        queries.push(Query { after: 10_000, order, ..Query::default() });
    }
    queries
}

#[test]
fn queries_find_what_a_filter_over_everything_finds_with_and_without_index_files() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = filled(&disk).await;
        let records: Vec<_> = world.ledger.records(1).map(Result::unwrap).collect();
        assert!(world.ledger.head().segment > 3);
        let check = |find: &dyn Fn(Query) -> Vec<Record>| {
            for query in queries() {
                let found: Vec<_> = find(query.clone()).iter().map(Record::seq).collect();
                assert_eq!(found, naive(&records, &query), "{query:?}");
            }
        };
        check(&|query| world.ledger.query(query).map(Result::unwrap).collect());
        let folder = Folder::open(Arc::new(disk.fork())).unwrap();
        check(&|query| folder.query(query).map(Result::unwrap).collect());
        world.close().await;
        assert!(disk.content("0000000002.index").is_some());
        for number in 1..10 {
            disk.take(&format!("{number:010}.index"));
        }
        let without = disk.fork();
        let folder = Folder::open(Arc::new(without.clone())).unwrap();
        check(&|query| folder.query(query).map(Result::unwrap).collect());
        assert_eq!(without.content("0000000002.index"), None, "a reader writes nothing");
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        check(&|query| world.ledger.query(query).map(Result::unwrap).collect());
        assert!(disk.content("0000000002.index").is_some(), "a keeper rebuilds them");
    });
}

#[test]
fn an_epoch_and_the_newest_of_a_kind_are_found_by_name() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let drafts =
            vec![said_in("@felix", 1, "a"), said("@felix", "b"), said_in("@felix", 1, "c")];
        world.ledger.append(drafts).await.unwrap();
        let epoch: Vec<_> =
            world.ledger.epoch_records(epoch_id(1)).map(|r| r.unwrap().seq()).collect();
        assert_eq!(epoch, [2, 4]);
        let kinds = vec!["keeper.*".to_owned()];
        let newest = world.ledger.newest(Query { kinds, ..Query::default() }).unwrap();
        assert_eq!(newest.map(|record| record.seq()), Some(1));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn records_from_any_number_are_the_rest_of_the_ledger(from in 0..1_600_u64) {
        thread_local! {
            static FILLED: FaultStorage = {
                let disk = FaultStorage::new(1);
                block_on(async { filled(&disk).await.close().await });
                disk
            };
        }
        let folder = FILLED.with(|disk| Folder::open(Arc::new(disk.clone())).unwrap());
        let last = folder.head().seq;
        let read: Vec<_> = folder.records(from).map(|record| record.unwrap().seq()).collect();
        assert_eq!(read, (from.max(1)..=last).collect::<Vec<_>>());
    }
}
