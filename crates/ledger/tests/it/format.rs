//! The form of a line and the page that describes it.

use proptest::prelude::*;

use abide_ledger::storage::fault::FaultStorage;

use crate::world::{TestClock, World, block_on, options, said};

#[test]
fn the_page_about_the_format_is_what_the_code_says() {
    let page = include_str!("../../../../docs/ledger-format.md");
    assert!(
        page == abide_ledger::docs().unwrap(),
        "docs/ledger-format.md is not up to date: cargo run -p abide-ledger --example format-docs"
    );
}

/// A second implementation of the page's rules, bit by bit and from the page alone.
#[test]
fn the_three_lines_on_the_page_have_the_values_that_stand_beside_them() {
    use sha2::{Digest as _, Sha256};
    let page = abide_ledger::docs().unwrap();
    let lines: Vec<_> = page.lines().filter(|line| line.starts_with("{\"seq\":")).collect();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let (covered, tail) = line.split_at(line.len() - 18);
        let crc = covered.bytes().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| {
                (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg())
            })
        });
        assert_eq!(tail, format!(",\"crc\":\"{:08x}\"}}", !crc));
        assert!(page.contains(&format!("| `{:08x}` | {} bytes |", !crc, covered.len())));
        let keys: Vec<_> = serde_json::from_str::<serde_json::Map<_, _>>(line)
            .unwrap()
            .keys()
            .filter(|key| *key != "chain")
            .cloned()
            .collect();
        let expected =
            ["seq", "tick", "timestamp", "entity", "author", "epoch", "kind", "v", "data", "crc"];
        assert_eq!(keys, expected);
    }
    let mut chain = [0_u8; 32];
    for batch in [lines[0].to_owned(), format!("{}\n{}", lines[1], lines[2])] {
        let (covered, tail) = batch.split_at(batch.rfind(",\"chain\"").unwrap());
        chain = Sha256::new().chain_update(chain).chain_update(covered).finalize().into();
        let value = hex::encode(chain);
        assert!(tail.starts_with(&format!(",\"chain\":\"{value}\",\"crc\"")));
        assert!(page.contains(&format!("| `{value}` |")));
    }
}

#[test]
fn control_characters_never_reach_the_log_raw() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("a\r\nb\u{2028}\u{0}\u{85}").await;
        assert_eq!(world.texts(), ["a\r\nb\u{2028}\u{0}\u{85}"]);
        let lines = world.lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[1].bytes().all(|byte| byte >= b' '));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_comes_back_as_it_went_in(texts in prop::collection::vec(any::<String>(), 1..20)) {
        block_on(async {
            let disk = FaultStorage::new(1);
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            for batch in texts.chunks(3) {
                let drafts = batch.iter().map(|text| said("@felix", text)).collect();
                world.ledger.append(drafts).await.unwrap();
            }
            assert_eq!(world.texts(), texts);
            let lines = world.lines();
            world.close().await;
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.lines(), lines);
        });
    }
}
