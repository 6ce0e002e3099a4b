//! A ledger that somebody has changed: each start ends, in a keeper that runs or in a refusal that names the place.

use std::fs;

use abide_testkit::SplitMix64;

use super::foreign_files::end_of_start;
use crate::home::Home;

const SEGMENT: &str = "ledger/0000000001.jsonl";

/// Changes the bytes of a segment in one of many ways.
fn mutate(random: &mut SplitMix64, bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let mut at = |length: usize| usize::try_from(random.below(length as u64)).unwrap();
    let line = at(lines.len());
    match at(10) {
        0 => {
            let byte = at(lines[line].len());
            lines[line][byte] ^= 1 << at(8);
        }
        1 => drop(lines.remove(line)),
        2 => lines.insert(line, lines[line].clone()),
        3 => {
            let other = at(lines.len());
            lines.swap(line, other);
        }
        4 => {
            let from = at(lines[line].len());
            lines[line].drain(..from);
        }
        5 => lines.truncate(line),
        6 => lines.insert(line, b"{\"seq\":1}\n".to_vec()),
        7 => lines.insert(line, [vec![b'x'; 300_000], b"\n".to_vec()].concat()),
        8 => {
            let text = String::from_utf8_lossy(&lines[line]).replace("\"data\":{", "\"data\":[{");
            lines[line] = text.into_bytes();
        }
        _ => {
            let zeros = at(lines[line].len());
            lines[line][zeros..].fill(0);
        }
    }
    lines.concat()
}

#[test]
fn every_start_on_a_mutated_ledger_comes_to_an_end_that_says_what_it_is() {
    let home = Home::new("");
    let keeper = home.up();
    for number in 0..5 {
        keeper.client.say(&format!("remember that thing {number} is green"));
    }
    assert_eq!(keeper.stop(), Some(0));
    let path = home.path().join(SEGMENT);
    let whole = fs::read(&path).unwrap();
    let kept: Vec<_> = fs::read_dir(home.path().join("ledger"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    let mut random = SplitMix64::new(11);
    for round in 0..abide_testkit::rounds(400) {
        fs::write(&path, mutate(&mut random, &whole)).unwrap();
        let said = end_of_start(&home);
        assert!(!said.contains("panicked"), "round {round}: {said}");
        let is_named = said.contains("ledger") || said.contains("line") || said.starts_with("ran");
        assert!(is_named, "round {round}: {said}");
        for entry in fs::read_dir(home.path().join("ledger")).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (path, bytes) in &kept {
            fs::write(path, bytes).unwrap();
        }
        home.forget_projections();
    }
    let keeper = home.up();
    assert!(keeper.client.say("what is green?").to_string().contains("green"));
}
