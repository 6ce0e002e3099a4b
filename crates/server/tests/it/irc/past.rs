//! What was said is in the ledger, and is shown from there.

use abide_testkit::{ModelServer, Reply};

use super::{FELIX, enter, home_for};

fn words(lines: &[(String, String)]) -> Vec<&str> {
    lines.iter().map(|(words, _)| words.as_str()).collect()
}

#[test]
fn the_past_is_shown_after_a_restart_around_any_point_and_to_those_alone_who_were_there() {
    let model = ModelServer::start().unwrap();
    model.script([Reply::text("Here."), Reply::text("A secret.")]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    for number in 1..=5 {
        ann.say("#abide", &format!("line {number}"));
    }
    ann.say("#abide", "@felix where are you?");
    ann.until("ann: Here.");
    ann.say("felix", "tell me");
    ann.until("A secret.");
    // What was heard is on the disk a moment later.
    keeper.client.events("/events", &[("Last-Event-ID", "0")]).until("channel.answered");
    assert_eq!(keeper.stop(), Some(0));

    let keeper = home.up();
    let mut bob = enter(&home, &keeper, "bob");
    let all = bob.past("LATEST #abide * 50");
    assert_eq!(
        words(&all),
        ["line 1", "line 2", "line 3", "line 4", "line 5", "@felix where are you?", "ann: Here."]
    );
    let id = |index: usize| format!("msgid={}", all[index].1);
    let mut ask = |question: String| {
        let lines = bob.past(&question);
        words(&lines).join(", ")
    };
    assert_eq!(ask("LATEST #abide * 2".into()), "@felix where are you?, ann: Here.");
    assert_eq!(ask(format!("LATEST #abide {} 50", id(5))), "ann: Here.");
    assert_eq!(ask(format!("BEFORE #abide {} 2", id(3))), "line 2, line 3");
    assert_eq!(ask(format!("AFTER #abide {} 2", id(0))), "line 2, line 3");
    assert_eq!(ask(format!("AROUND #abide {} 3", id(2))), "line 2, line 3, line 4");
    assert_eq!(ask(format!("BETWEEN #abide {} {} 9", id(0), id(4))), "line 2, line 3, line 4");
    assert_eq!(ask(format!("BETWEEN #abide {} {} 2", id(4), id(0))), "line 3, line 4");
    assert_eq!(ask("AFTER #abide timestamp=2020-01-01T00:00:00.000Z 2".into()), "line 1, line 2");
    assert_eq!(ask("LATEST felix * 50".into()), "", "what was said to ann alone");
    let mut ann = enter(&home, &keeper, "ann");
    assert_eq!(words(&ann.past("LATEST felix * 50")), ["tell me", "A secret."]);
    let mut places = |question: &str| {
        ann.send(&format!("CHATHISTORY TARGETS {question}"));
        let lines = ann.until("BATCH -");
        let named = lines.iter().filter_map(|line| line.split_once(" CHATHISTORY TARGETS "));
        named.map(|(_, place)| place.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (past, future) =
        ("timestamp=2020-01-01T00:00:00.000Z", "timestamp=2100-01-01T00:00:00.000Z");
    assert_eq!(places(&format!("{past} {future} 50")), ["#abide", "felix"]);
    assert_eq!(places(&format!("{future} {past} 1")), ["felix"], "the newest");
    assert_eq!(places(&format!("{past} timestamp=2020-01-02T00:00:00.000Z 50")), [""; 0]);
    bob.send("CHATHISTORY TARGETS timestamp=2020-01-01T00:00:00.000Z timestamp=2100-01-01T00:00:00.000Z 50");
    let lines = bob.until("BATCH -");
    assert!(!lines.iter().any(|line| line.contains("TARGETS felix")), "{lines:#?}");
    bob.send("CHATHISTORY BEFORE #abide msgid=nonsense 5");
    bob.until("FAIL CHATHISTORY");
}
