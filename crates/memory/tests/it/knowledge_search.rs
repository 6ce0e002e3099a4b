//! Search: what a person asks is found, and nothing that is asked can be syntax.

use abide_memory::{Knowledge, KnowledgeHandle, Lookup};
use proptest::prelude::*;

use crate::world::{World, fact_id, felix, search};

fn knowing(contents: &[&str]) -> KnowledgeHandle {
    let mut world = World::default();
    for (n, content) in (1..).zip(contents) {
        world.remember(None, fact_id(n), content);
    }
    let knowledge = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
    knowledge.apply(&world.applied()).unwrap();
    knowledge
}

const FACTS: &[&str] = &[
    "the staging server is called heron",
    "the production server is called stork",
    "Nicolas prefers tea over coffee",
    "deploys run on Fridays at noon",
    "the crab 🦀 is our mascot",
    "naïve Bayes was Ada's idea",
    "サーバーの名前は鷺です",
    "what is it to be or not to be",
];

#[test]
fn questions_find_their_facts() {
    let knowledge = knowing(FACTS);
    let cases = [
        ("what is the staging server called?", Some(FACTS[0])),
        ("STAGING", Some(FACTS[0])),
        ("Which name does the production machine have?", Some(FACTS[1])),
        ("does nicolas like tea?", Some(FACTS[2])),
        ("when do we deploy", Some(FACTS[3])),
        ("🦀", Some(FACTS[4])),
        ("naive bayes", Some(FACTS[5])),
        ("サーバー", Some(FACTS[6])),
        ("what is it", Some(FACTS[7])),
        ("\"staging server\"", Some(FACTS[0])),
        ("zebra", None),
        ("🦓", None),
        ("\"\" OR *", None),
    ];
    for (words, expected) in cases {
        let found = search(&knowledge, words, 5);
        assert_eq!(found.facts().first().map(|fact| fact.content.as_str()), expected, "{words}");
        assert_eq!(found.status(), if expected.is_some() { "found" } else { "empty" }, "{words}");
    }
}

#[test]
fn a_blank_query_is_no_absence() {
    let knowledge = knowing(FACTS);
    for words in ["", " \n\t"] {
        assert!(matches!(search(&knowledge, words, 5), Lookup::Failed(_)), "{words:?}");
    }
    assert_eq!(search(&knowing(&[]), "heron", 5), Lookup::Empty);
}

#[test]
fn syntax_finds_words_only() {
    let knowledge = knowing(FACTS);
    for words in [
        "\" OR *",
        "content:*",
        "zebra\" OR \"heron",
        "zebra NEAR(heron, 9)",
        "-zebra",
        "^zebra",
        "{content tags}: zebra",
        "zebra; DROP TABLE facts; --",
        "')) UNION SELECT 1 --",
        "AND AND",
        "zebra*",
        "her*",
        "\0",
        "\"\"\"\"",
        "%",
        "_",
        "\u{202e}zebra",
    ] {
        let found = search(&knowledge, words, 9);
        assert_ne!(found.status(), "failed", "{words:?}: {found:?}");
        let may_match = words.contains("heron");
        assert_eq!(!found.facts().is_empty(), may_match, "{words:?}: {found:?}");
    }
    let long = "zebra ".repeat(2_000);
    assert_eq!(search(&knowledge, &long, 9), Lookup::Empty);
    assert_eq!(search(&knowledge, &"x".repeat(1_000_000), 9), Lookup::Empty);
    assert_eq!(search(&knowledge, "server", 0).facts().len(), 1, "a limit of none means one");
    assert_eq!(search(&knowledge, "server", usize::MAX).facts().len(), 2);
}

#[test]
fn facts_may_hold_anything() {
    for content in ["\" OR *", "'; DROP TABLE facts; --", "NEAR(a b)", "{\"a\":1}", "a\u{0}b"] {
        let knowledge = knowing(&[content, "the heron"]);
        let facts = knowledge.list(None, 9, None).unwrap().items;
        assert_eq!(facts.len(), 2, "{content:?}");
        assert_eq!(facts[1].content, content);
        assert_eq!(search(&knowledge, "heron", 9).facts().len(), 1);
    }
}

#[test]
fn the_better_match_stands_first() {
    let knowledge = knowing(&[
        "the server room is cold, and so is the hall and the cellar and the roof",
        "server",
        "the server of the staging site is heron",
    ]);
    let order = |words: &str| -> Vec<u64> {
        search(&knowledge, words, 9).facts().iter().map(|fact| fact.seq).collect()
    };
    assert_eq!(order("server"), [2, 3, 1]);
    assert_eq!(order("staging server"), [3], "facts with all words, where there are any");
    assert_eq!(order("staging cellar zebra").len(), 2, "else those with any of them");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_search_fail(words in "[\\PC\"'*:^(){}\\-+ ]{0,60}") {
        let knowledge = knowing(FACTS);
        let found = search(&knowledge, &words, 9);
        prop_assert_eq!(matches!(found, Lookup::Failed(_)), words.trim().is_empty(), "{:?}", found);
        prop_assert!(knowledge.list(None, 9, Some(&words)).is_ok());
    }

    #[test]
    fn every_fact_is_found_by_its_own_words(content in "[a-zA-Z0-9é漢🦀 .,'\"-]{1,60}") {
        prop_assume!(!content.trim().is_empty());
        let knowledge = knowing(&[&content, "the heron stands still"]);
        let found = search(&knowledge, &content, 9);
        prop_assert!(found.facts().iter().any(|fact| fact.content == content), "{:?}", found);
    }
}
