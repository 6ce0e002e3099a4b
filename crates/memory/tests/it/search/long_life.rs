//! A memory of ten thousand passages, in which every word of a question is a common one.

use abide_memory::{Document, Index, SpeakerRole};

use super::{found, noon, question};

/// Each of the question's words is held by thousands; only one old passage holds all of them.
const WORDS: [&str; 5] = ["harbour", "lantern", "violin", "orchard", "compass"];

#[test]
fn an_old_passage_with_all_the_common_words_is_found_before_thousands_with_one() {
    let mut index = Index::new();
    for id in 0..10_000_u64 {
        let (word, filler) = (WORDS[(id % 5) as usize], id % 97);
        let text = match id {
            77 => format!("the {} by the {} on my {}", WORDS[..3].join(" "), WORDS[3], WORDS[4]),
            _ => format!("the {word} again, entry number {filler}"),
        };
        // Each passage stands alone, so that none gains by its neighbours.
        let (thread, text) = (format!("talk-{id}"), text.as_str());
        let (at, speaker) = (noon("2026-03-02"), "nicolas");
        index.add(Document {
            id,
            thread: &thread,
            speaker,
            at,
            text,
            aside: "",
            message: id,
            role: SpeakerRole::Person,
        });
    }
    let hits = found(&index, &question(&WORDS.join(" ")));
    assert_eq!(hits.first(), Some(&77), "{hits:?}");
}

#[test]
fn words_of_everyday_do_not_hide_the_rare_one() {
    let mut index = Index::new();
    for id in 0..6_000_u64 {
        let text = match id {
            41 => "every day the same talk, but once about the heron".to_owned(),
            _ => format!("every day the same talk, number {}", id % 89),
        };
        let (thread, at, text) = (format!("talk-{id}"), noon("2026-03-02"), text.as_str());
        index.add(Document {
            id,
            thread: &thread,
            speaker: "nicolas",
            at,
            text,
            aside: "",
            message: id,
            role: SpeakerRole::Person,
        });
    }
    let asked = found(&index, &question("did we talk the same day about a heron"));
    assert_eq!(asked.first(), Some(&41), "{asked:?}");
}

#[test]
fn a_day_is_found_though_its_passages_share_no_word_with_the_question() {
    let mut index = Index::new();
    for id in 0..20_000_u64 {
        let (day, text) = match id {
            7_001..=7_003 => ("2024-05-12", format!("we planted tomatoes, row {id}")),
            _ => ("2026-03-02", format!("it happened again, number {}", id % 89)),
        };
        let (thread, at, text) = (format!("talk-{id}"), noon(day), text.as_str());
        index.add(Document {
            id,
            thread: &thread,
            speaker: "nicolas",
            at,
            text,
            aside: "",
            message: id,
            role: SpeakerRole::Person,
        });
    }
    let asked = question("What happened on 12 May 2024?");
    let first = |index: &Index| {
        let hits = index.nearest(&asked);
        let mut first: Vec<u64> = hits.iter().take(3).map(|hit| hit.id).collect();
        first.sort_unstable();
        first
    };
    assert_eq!(first(&index), [7_001, 7_002, 7_003]);
    // So many are removed that the places of the others move.
    for id in (0..20_000).filter(|id| id % 3 > 0 && !(7_001..=7_003).contains(id)) {
        index.remove(id);
    }
    for id in 20_000..30_000 {
        let (thread, at) = (format!("talk-{id}"), noon("2026-03-03"));
        let text = "it happened once more";
        index.add(Document {
            id,
            thread: &thread,
            speaker: "nicolas",
            at,
            text,
            aside: "",
            message: id,
            role: SpeakerRole::Person,
        });
    }
    assert_eq!(first(&index), [7_001, 7_002, 7_003]);
}
