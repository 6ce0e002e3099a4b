//! Searches for a text against a plain look at every event.

use std::sync::Arc;

use abide_ledger::{
    LedgerLineError, Query, QueryOrder, Record,
    folder::Folder,
    storage::fault::FaultStorage,
    text::{Needle, TEXT_MATCHES_MAX},
};
use proptest::prelude::*;

use crate::world::{Dice, TestClock, World, block_on, epoch_id, options, said, said_in, text_of};

const WORDS: [&str; 6] =
    ["disk", "DISK full", "K\u{131}\u{17f}", "ärger", "a \"quote\"\n", "plain"];

/// Several segments, so that all cores have something to do.
async fn filled(disk: &FaultStorage) -> World {
    let mut options = options(&TestClock::new());
    options.segment_bytes_max = 400_000;
    let world = World::open(disk, options).unwrap();
    let mut dice = Dice::new(11);
    for batch in 0..300_u64 {
        let drafts = (0..20).map(|i| {
            let word = WORDS[usize::try_from(dice.below(6)).unwrap()];
            let filler = "x".repeat(usize::try_from(dice.below(600)).unwrap());
            let text = format!("{batch}.{i} {word} {filler}");
            let agent = if dice.below(50) == 0 { "@grace" } else { "@felix" };
            said_in(agent, u128::from(batch), &text)
        });
        world.ledger.append(drafts.collect()).await.unwrap();
    }
    world
}

fn folded(text: &str) -> String {
    text.to_lowercase().replace('\u{17f}', "s")
}

fn naive(records: &[(Record, String)], needle: &str, query: &Query) -> (Vec<u64>, bool) {
    let fits = |(record, text): &&(Record, String)| {
        query.entity.as_ref().is_none_or(|entity| entity.as_str() == record.entity())
            && query.epoch.is_none_or(|epoch| record.epoch() == Some(&epoch.to_string()))
            && record.seq() > query.after
            && query.before.is_none_or(|before| record.seq() < before)
            && (query.kinds.is_empty() || query.kinds.iter().any(|kind| kind == record.kind()))
            && text.contains(&folded(needle))
    };
    let mut seqs: Vec<_> = records.iter().filter(fits).map(|(r, _)| r.seq()).collect();
    if query.order == QueryOrder::NewestFirst {
        seqs.reverse();
    }
    let limit = query.limit.min(TEXT_MATCHES_MAX);
    let has_more = seqs.len() > limit;
    seqs.truncate(limit);
    (seqs, has_more)
}

fn limit_is_small(query: &Query) -> bool {
    query.limit < TEXT_MATCHES_MAX
}

fn queries() -> Vec<Query> {
    let mut queries = Vec::new();
    for order in [QueryOrder::OldestFirst, QueryOrder::NewestFirst] {
        for limit in [1, 10, usize::MAX] {
            let all = Query { order, limit, ..Query::default() };
            let entity = Some("@grace".parse().unwrap());
            queries.push(Query { entity, ..all.clone() });
            queries.push(Query { epoch: Some(epoch_id(250)), ..all.clone() });
            queries.push(Query { kinds: vec!["keeper.segment_opened".into()], ..all.clone() });
            queries.push(Query { after: 2_000, before: Some(4_500), ..all.clone() });
            queries.push(all);
        }
    }
    queries
}

#[test]
fn a_text_is_found_where_a_plain_look_finds_it() {
    let disk = FaultStorage::new(3);
    block_on(async {
        let world = filled(&disk).await;
        let records = world.ledger.records(1).map(Result::unwrap);
        let records: Vec<_> =
            records.map(|record| (record.clone(), folded(&text_of(&record)))).collect();
        let folder = Folder::open(Arc::new(disk.clone())).unwrap();
        let texts = ["disk full", "DISK", "kıs", "Ärger", "\"quote\"\n", "299.19 ", "nowhere"];
        for (number, needle) in texts.into_iter().enumerate() {
            let some = queries().into_iter().skip(number % 3).step_by(3);
            for query in some {
                let (seqs, has_more) = naive(&records, needle, &query);
                let needle = Needle::new(needle).unwrap();
                let open = || world.ledger.search_text(&needle, query.clone()).unwrap();
                let still = || folder.search_text(&needle, query.clone()).unwrap();
                for found in
                    if limit_is_small(&query) { vec![open(), still()] } else { vec![open()] }
                {
                    let shown: Vec<_> = found.records.iter().map(Record::seq).collect();
                    assert_eq!(shown, seqs, "{needle:?} {query:?}");
                    assert_eq!(found.has_more, has_more, "{needle:?} {query:?}");
                    assert_eq!(found.damaged_total, 0);
                }
            }
        }
    });
}

#[test]
fn a_damaged_line_is_named_and_the_others_are_found() {
    let disk = FaultStorage::new(3);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        for text in ["an error", "another error", "nothing", "the last Error"] {
            world.ledger.append(vec![said("@felix", text)]).await.unwrap();
        }
        let segment = "0000000001.jsonl";
        let mut bytes = disk.content(segment).unwrap();
        let at = bytes.windows(7).position(|window| window == b"another").unwrap();
        bytes[at] = b'A';
        disk.put(segment, &bytes);
        let folder = Folder::open(Arc::new(disk.clone()));
        // The folder itself may refuse the damage; the open ledger has seen the line whole and looks at it again.
        drop(folder);
        let needle = Needle::new("error").unwrap();
        let found = world.ledger.search_text(&needle, Query::default()).unwrap();
        let texts: Vec<_> = found.records.iter().map(text_of).collect();
        assert_eq!(texts, ["an error", "the last Error"]);
        let begin = bytes[..at].iter().rposition(|byte| *byte == b'\n').unwrap() as u64 + 1;
        assert_eq!(found.damaged_total, 1);
        assert_eq!(
            (found.damaged[0].offset, &found.damaged[0].reason),
            (begin, &LedgerLineError::Checksum)
        );
        let words = found.damaged[0].to_string();
        assert!(words.starts_with("0000000001.jsonl, byte "), "{words}");
    });
}

#[test]
fn names_of_fields_and_of_entities_are_no_text() {
    let disk = FaultStorage::new(3);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("hello").await;
        for needle in ["session_id", "@felix", "stimulus.accepted", "\"tick\""] {
            let needle = Needle::new(needle).unwrap();
            let found = world.ledger.search_text(&needle, Query::default()).unwrap();
            assert_eq!(found.records, [], "{needle:?}");
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_text_is_found_by_any_part_of_it(texts in prop::collection::vec("\\PC{1,20}", 1..8), pick: prop::sample::Index, cut in 0_usize..6) {
        let disk = FaultStorage::new(3);
        let found = block_on(async {
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            for text in &texts {
                world.say(text).await;
            }
            let part: String = pick.get(&texts).chars().skip(cut).collect();
            let part = if part.is_empty() { pick.get(&texts).clone() } else { part };
            let needle = Needle::new(&part.to_uppercase()).unwrap();
            let exact = Needle::new(&part).unwrap();
            let found = world.ledger.search_text(&exact, Query::default()).unwrap();
            drop(world.ledger.search_text(&needle, Query::default()).unwrap());
            found.records.iter().map(text_of).collect::<Vec<_>>()
        });
        prop_assert!(found.contains(pick.get(&texts)));
    }
}
