//! Long messages: found by their best passage, once, and not before a person's line because they say more.

use abide_memory::{Document, Index, SearchQuery, SpeakerRole, VectorKind, passages};

use super::{found, noon, passage, question};

/// Adds a message in its passages, numbered from a hundred times its number.
fn add(index: &mut Index, message: u64, (speaker, role): (&str, SpeakerRole), text: &str) {
    for (id, text) in (100 * message..).zip(passages(text, 99)) {
        let thread = (message / 8).to_string();
        index.add(Document { message, thread: &thread, role, ..passage(id, speaker, text) });
    }
}

const AGENT: (&str, SpeakerRole) = ("felix", SpeakerRole::Agent);
const PERSON: (&str, SpeakerRole) = ("rita", SpeakerRole::Person);

/// Some hundred words about a matter, of which one sentence of six says its name.
fn lecture(matter: &str) -> String {
    let filler = "Begin early, write down what you see, and go on with the next step after a rest. \
                  Others have done the same and were glad of a plan. Nothing has to be perfect. \
                  Ask somebody who knows it from their own days. Keep all the papers in one place. ";
    format!("{filler}The {matter} wants patience. ").repeat(8)
}

/// A person who says in a line what an assistant speaks of at length, among other matters.
fn talk() -> Index {
    let mut index = Index::new();
    let matters = ["violin", "balcony", "passport", "bicycle", "tax form", "sourdough", "rowing"];
    for (n, matter) in (0..).zip(matters.iter().cycle().take(42)) {
        let said = format!("I thought about the {matter} again today, entry {n} of my notes.");
        add(&mut index, 2 * n, PERSON, &said);
        add(&mut index, 2 * n + 1, AGENT, &lecture(matter));
    }
    add(&mut index, 90, PERSON, "My bicycle is kept in the cellar of the bakery.");
    add(&mut index, 91, AGENT, &lecture("bicycle kept in a cellar"));
    index
}

#[test]
fn a_message_is_found_once_by_its_best_passage() {
    let mut index = Index::new();
    let text = format!("{}The zeppelin lands on Monday. {}", lecture("garden"), lecture("garden"));
    add(&mut index, 1, AGENT, &text);
    add(&mut index, 2, PERSON, "A garden has no zeppelin.");
    let hits = index.nearest(&question("When does the zeppelin land?"));
    assert_eq!(hits.len(), 2);
    let place = usize::try_from(hits[0].id.max(hits[1].id) - 100).unwrap();
    let cut = passages(&text, 99);
    assert!(
        hits.iter().any(|hit| {
            let place = usize::try_from(hit.id).unwrap().checked_sub(100);
            place.and_then(|place| cut.get(place)).is_some_and(|cut| cut.contains("zeppelin"))
        }),
        "{place} {hits:?}"
    );
    assert!(cut.len() > 8, "{}", cut.len());
}

#[test]
fn what_a_person_said_in_a_line_comes_before_the_pages_about_it() {
    let index = talk();
    let asked = |asker| SearchQuery { asker, ..question("Where do I keep my bicycle?") };
    assert_eq!(found(&index, &asked(Some("rita")))[0], 9_000);
    assert!(found(&index, &asked(None))[..2].contains(&9_000));
}

#[test]
fn how_somebody_wants_things_done_is_found_where_only_they_ask() {
    let mut index = talk();
    add(&mut index, 92, PERSON, "From now on, measures in metric units, please.");
    add(&mut index, 93, ("tom", SpeakerRole::Person), "From now on, measures in inches, please.");
    let asks =
        |asker| SearchQuery { asker: Some(asker), ..question("Which measures has a violin?") };
    let place = |asker, id| found(&index, &asks(asker)).iter().position(|hit| *hit == id);
    let (own, other) = (place("rita", 9_200), place("tom", 9_200));
    assert!(own.is_some() && other.is_none_or(|other| own < Some(other)), "{own:?} {other:?}");
}

#[test]
fn words_about_the_talk_are_not_looked_for() {
    let mut index = talk();
    add(&mut index, 94, PERSON, "In our conversations you mentioned a summary, in order.");
    let asked =
        "In what order did I mention the cellar throughout our conversations? Summarise it.";
    assert_eq!(found(&index, &question(asked))[0], 9_000);
    assert_eq!(index.embeddable("Please summarise the cellar I mentioned"), "Please the cellar I");
}

#[test]
fn latin_words_beside_writing_without_spaces_are_found() {
    let mut index = Index::new();
    index.add(passage(1, "rita", "部署到staging服务器"));
    index.add(passage(2, "rita", "我们去吃饭吧"));
    assert_eq!(found(&index, &question("staging"))[0], 1);
    assert_eq!(found(&index, &question("服务器"))[0], 1);
    assert_eq!(found(&index, &question("production")), [0_u64; 0]);
}

#[test]
fn the_meaning_of_a_whole_message_is_that_of_its_passages_together() {
    let mut index = Index::new();
    index.clear_vectors(VectorKind::Static);
    let words = "word ".repeat(150);
    for (id, message, thread) in [(1, 1, "a"), (2, 1, "b"), (3, 2, "c"), (4, 2, "d")] {
        let role = SpeakerRole::Agent;
        let at = noon("2026-03-02");
        index.add(Document { message, thread, role, at, ..passage(id, "felix", &words) });
    }
    // Equal passages, of which one message has another one that is near the question too.
    for (id, vector) in [(1, [1.0, 0.0]), (2, [0.8, 0.6]), (3, [1.0, 0.0]), (4, [-0.8, 0.6])] {
        assert!(index.set_vector(id, &vector));
    }
    let query = SearchQuery { vector: Some(&[1.0, 0.0]), ..question("something else") };
    let hits = index.nearest(&query);
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [1, 3]);
    assert!(hits[0].score > hits[1].score + 0.5, "{hits:?}");
    index.remove(4);
    assert_eq!(index.nearest(&query).iter().map(|hit| hit.id).collect::<Vec<_>>(), [3, 1]);
}
