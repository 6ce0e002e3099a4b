//! Pages: a mind that hangs is paged where people are, and comes back.

use abide_testkit::{ModelServer, Reply, ReplyHold};

use super::{FELIX, address, enter, home_for, person::Person};

const FAST: &str = "[watchdog]\ninterval = \"100ms\"\nthreshold = \"300ms\"\nbell_window = \"100ms\"\n\
                    channel_window = \"1h\"\ncooldown = \"1s\"\ngrace = \"0s\"\n";

#[test]
fn a_mind_that_hangs_is_paged_on_irc_asked_again_and_its_answer_comes_to_who_asked() {
    let model = ModelServer::start().unwrap();
    let never = ReplyHold::closed();
    model.script([Reply::text("never").held_by(&never), Reply::text("I am back.")]);
    let home = home_for(&model, &format!("{FAST}{FELIX}"));
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "@felix are you there?");
    let page = ann.hear("tickle-1");
    assert!(
        page.starts_with("@felix tickle paging felix: no recent activity observed (silent "),
        "{page}"
    );
    assert_eq!(ann.hear("felix"), "ann: I am back.");
    let seen = events.until("par.written");
    let has = |kind: &str| seen.iter().any(|event| event.kind == kind);
    assert!(has("watchdog.page_delivered") && has("watchdog.resolved"), "{seen:?}");
    assert!(!has("watchdog.escalated"), "the page did it");
    let ledger = home.ledger();
    let failed: Vec<_> = ledger.iter().filter(|line| line["kind"] == "turn.failed").collect();
    assert_eq!(failed.len(), 1, "one page interrupts once");
    assert_eq!(failed[0]["data"]["code"], "paged");
    let stimuli = ledger.iter().filter(|line| line["kind"] == "stimulus.accepted").count();
    assert_eq!(stimuli, 1, "a page is no prompt");
    model.assert_clean();
}

#[test]
fn where_nobody_is_on_irc_a_page_has_failed_and_a_page_that_a_person_types_is_a_prompt() {
    let model = ModelServer::start().unwrap();
    let home = home_for(&model, &format!("{FAST}{FELIX}"));
    let keeper = home.up();
    let test_page = || {
        let output = home.run(["watchdog", "test-page"]);
        String::from_utf8(output.stdout).unwrap()
    };
    let words = test_page();
    assert!(words.contains("nobody is connected to irc"), "{words}");
    let mut ann = enter(&home, &keeper, "ann");
    let words = test_page();
    assert!(!words.contains("nobody is connected to irc"), "{words}");
    assert!(ann.hear("tickle-1").starts_with("tickle test page: nobody is stalled"));
    model.script([Reply::text("I am awake.")]);
    ann.say(
        "#abide",
        "@felix tickle paging felix: no recent activity observed (silent 9 s) [page 7f3a]",
    );
    assert_eq!(ann.hear("felix"), "ann: I am awake.");
    let mut watchdog = Person::connect(&address(&keeper));
    watchdog.introduce("tickle-2", &format!("tickle-1:{}", home.token()));
    watchdog.until(" 464 ");
}
