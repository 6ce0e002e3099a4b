//! Questions and their answers.

use abide_testkit::{ModelServer, Reply, ReplyHold, SeenRequest};
use serde_json::json;

use super::{ADA, FELIX, OPEN, address, enter, home_for, park, until_in};
use crate::{home::Home, irc::person::Person};

/// An agent without a model, which carries out commands that it is told.
const REFLEX: &str = "[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n\
                      partners = [{ id = \"ann\", name = \"Ann\", role = \"friend\" }]\n";

fn asked(home: &Home) -> Vec<serde_json::Value> {
    let ledger = home.ledger();
    let is_irc = |line: &&serde_json::Value| line["data"]["channel"] == "irc";
    let stimuli = ledger.iter().filter(|line| line["kind"] == "stimulus.accepted");
    stimuli.filter(is_irc).map(|line| line["data"].clone()).collect()
}

#[test]
fn a_mention_and_a_query_are_answered_where_they_were_asked() {
    let model = ModelServer::start().unwrap();
    model.script([Reply::text("Hello, Ann.\n\nIt rains."), Reply::text("Just between us.")]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    let mut bob = enter(&home, &keeper, "bob");
    ann.say("#abide", "is anybody there?");
    ann.say("#abide", "@felix how is the weather?");
    assert_eq!(bob.hear("felix"), "ann: Hello, Ann.");
    assert_eq!(bob.hear("felix"), "It rains.");
    ann.until("It rains.");
    ann.say("felix", "and between us?");
    let last = ann.until("Just between us.").pop().unwrap();
    assert!(last.contains(" PRIVMSG ann :"), "{last}");
    let asked = asked(&home);
    let is = |index: usize, content: &str, session: &str| {
        let stimulus = &asked[index];
        assert_eq!(
            (&stimulus["content"], &stimulus["sender"], &stimulus["session_id"]),
            (&json!(content), &json!("ann"), &json!(session))
        );
    };
    assert_eq!(asked.len(), 2, "what mentions nobody asks nobody");
    is(0, "how is the weather?", "irc:#abide");
    is(1, "and between us?", "irc:ann");
    model.assert_clean();
}

#[test]
fn an_agent_that_cannot_answer_says_why() {
    let model = ModelServer::start().unwrap();
    let never = ReplyHold::closed();
    model.script([Reply::text("never").held_by(&never)]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    let mut events = keeper.client.events("/events", &[]);
    ann.say("felix", "take your time");
    events.until("turn.started");
    ann.say("#abide", "!abort felix it has gone home");
    assert!(ann.hear("abide").starts_with("Aborted epoch "));
    ann.say("felix", "!status");
    let words = ann.hear("felix");
    assert!(words.contains("it has gone home (@ann on irc)"), "{words}");
}

#[test]
fn a_long_answer_is_read_to_its_end_without_a_shell_by_those_who_were_there() {
    let model = ModelServer::start().unwrap();
    let lines: Vec<_> = (1..=40).map(|n| format!("line {n}.")).collect();
    model.script([Reply::text(lines.join("\n"))]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("felix", "count to forty");
    let said = |heard: &[String]| heard.iter().filter(|l| l.contains(" PRIVMSG ann ")).count();
    let heard = ann.until("more lines: !more");
    assert_eq!(said(&heard), 15, "{heard:#?}");
    assert!(heard.last().unwrap().contains("… (26 more lines: !more)"), "{heard:#?}");
    let mut bob = enter(&home, &keeper, "bob");
    bob.say("felix", "!more");
    assert_eq!(bob.hear("felix"), "There is no more to show here.");
    ann.say("felix", "!more");
    let heard = ann.until("line 40.");
    assert_eq!(said(&heard), 26, "{heard:#?}");
    assert!(heard.iter().any(|line| line.contains(":line 15.")), "{heard:#?}");
    ann.say("felix", "!more");
    assert_eq!(ann.hear("felix"), "There is no more to show here.");
}

/// The lines of the ledger of a kind.
fn kinds(home: &Home, kind: &str) -> usize {
    home.ledger().iter().filter(|line| line["kind"] == kind).count()
}

#[test]
fn an_answer_that_may_have_been_said_before_a_death_is_not_said_again_and_its_asker_is_told() {
    for (point, may_be_heard) in [("answer.sending", 0), ("answer.sent", 1)] {
        let model = ModelServer::start().unwrap();
        model.script([Reply::text("forty-two")]);
        let home = home_for(&model, FELIX);
        let failpoint = format!("{point}=exit");
        let keeper = home.up_with(&[("ABIDE_TEST_FAILPOINTS", &failpoint)]);
        let mut ann = enter(&home, &keeper, "ann");
        ann.say("felix", "what is it?");
        let mut heard = 0;
        while let Some(line) = ann.next_or_end() {
            heard += usize::from(line.contains("forty-two"));
        }
        keeper.wait();
        assert!(heard <= may_be_heard, "{point}: {heard}");

        let keeper = home.up();
        let mut ann = Person::connect(&address(&keeper));
        ann.introduce("ann", &format!("ann:{}", home.token()));
        let words = ann.hear("felix");
        assert!(words.contains("may have been said") && words.contains("!more felix"), "{words}");
        ann.say("felix", "!more felix");
        assert_eq!(ann.hear("felix"), "forty-two", "who asks for it is shown it");
        assert_eq!(kinds(&home, "channel.maybe_sent"), 1);
        let ledger = home.ledger();
        let answered = ledger.iter().find(|line| line["kind"] == "channel.answered").unwrap();
        assert_eq!(answered["data"]["maybe_sent"], true);
        keeper.kill();

        let keeper = home.up();
        let mut ann = Person::connect(&address(&keeper));
        ann.introduce("ann", &format!("ann:{}", home.token()));
        ann.until(" 001 ");
        // Whatever is owed is said before the next look at questions is over.
        ann.say("abide", "!status");
        let lines = ann.until("watchdog");
        assert!(!lines.iter().any(|line| line.contains(":felix!")), "{lines:#?}");
    }
}

#[test]
fn what_is_pasted_is_one_question_whether_the_program_can_send_it_as_one_or_not() {
    let answer = |_: &SeenRequest| Reply::text("I see");
    let model = ModelServer::builder().rule(answer).start().unwrap();
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "@felix fn main() {");
    ann.say("#abide", "    hello();");
    ann.say("#abide", "}");
    ann.until("ann: I see");
    ann.say("felix", "one");
    ann.say("felix", "two");
    ann.until(" PRIVMSG ann :I see");
    let mut bob = Person::connect(&address(&keeper));
    bob.send("CAP REQ :batch message-tags draft/multiline");
    bob.introduce("bob", &format!("bob:{}", home.token()));
    bob.send("CAP END");
    bob.until(" 001 ");
    bob.send("BATCH +m draft/multiline felix");
    bob.send("@batch=m PRIVMSG felix :first");
    bob.send("@batch=m PRIVMSG felix :");
    bob.send("@batch=m PRIVMSG felix :third");
    bob.send("BATCH -m");
    bob.until(" PRIVMSG bob :I see");
    ann.say("felix", &"word ".repeat(90));
    for _ in 0..25 {
        ann.say("felix", &"word ".repeat(90));
    }
    ann.until("was not asked: that has more than 10000 characters");
    let asked = asked(&home);
    let contents: Vec<_> = asked.iter().map(|asked| asked["content"].as_str().unwrap()).collect();
    assert_eq!(contents, ["fn main() {\n    hello();\n}", "one\ntwo", "first\n\nthird"]);
}

#[test]
fn a_line_that_comes_after_its_question_was_asked_is_told_so_once_and_pasting_again_helps() {
    let answer = |_: &SeenRequest| Reply::text("I see");
    let model = ModelServer::builder().rule(answer).start().unwrap();
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "@felix one.");
    ann.until("ann: I see");
    ann.say("#abide", "  two.");
    ann.until("ann: this line came too late");
    ann.say("#abide", "@felix one.");
    ann.say("#abide", "  two.");
    let heard = ann.until("ann: I see");
    assert!(!heard.iter().any(|line| line.contains("too late")), "{heard:#?}");
    ann.say("felix", "  one");
    ann.say("felix", "\ttwo");
    ann.until(" PRIVMSG ann :I see");
    let asked = asked(&home);
    let contents: Vec<_> = asked.iter().map(|asked| asked["content"].as_str().unwrap()).collect();
    assert_eq!(contents, ["one.", "one.\n  two.", "  one\n\ttwo"], "indents are kept");
}

#[test]
fn a_question_that_a_death_kept_from_being_asked_is_asked_once_after_a_restart() {
    let model = ModelServer::start().unwrap();
    model.script([Reply::text("forty-two"), Reply::text("forty-three")]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "@felix what is");
    ann.say("#abide", "the answer?");
    events.until("channel.said");
    events.until("channel.said");
    keeper.kill();
    drop(ann);
    let was_asked = asked(&home).len();

    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    let mut ann = enter(&home, &keeper, "ann");
    assert_eq!(ann.hear("felix"), "ann: forty-two");
    events.until("channel.answered");
    ann.say("felix", "and the next?");
    assert_eq!(ann.hear("felix"), "forty-three");
    keeper.kill();
    assert_eq!(was_asked, 0, "it was killed within the second");

    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    // Whatever is owed is asked before anything that is said is heard.
    ann.say("abide", "!status");
    ann.until("watchdog");
    let asked = asked(&home);
    let contents: Vec<_> = asked.iter().map(|asked| asked["content"].as_str().unwrap()).collect();
    assert_eq!((contents, model.count()), (vec!["what is\nthe answer?", "and the next?"], 2));
}

#[test]
fn a_question_that_a_stop_kept_from_being_asked_is_asked_after_a_restart_and_one_refused_is_not() {
    let model = ModelServer::start().unwrap();
    model.script([Reply::text("forty-two")]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    for _ in 0..25 {
        ann.say("felix", &"word ".repeat(90));
    }
    ann.until("was not asked: that has more than 10000 characters");
    ann.say("#abide", "@felix what is the answer,");
    // What is answered was heard after all that was said before.
    ann.say("abide", "!status");
    ann.until("watchdog");
    assert_eq!(keeper.stop(), Some(0));
    drop(ann);
    assert_eq!(asked(&home).len(), 0, "it was stopped within the second");

    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    assert_eq!(ann.hear("felix"), "ann: forty-two");
    let asked = asked(&home);
    let contents: Vec<_> = asked.iter().map(|asked| asked["content"].as_str().unwrap()).collect();
    assert_eq!((contents, model.count()), (vec!["what is the answer,"], 1));
}

#[test]
fn gates_topics_and_how_far_somebody_read_are_the_same_after_a_restart() {
    let answer = |_: &SeenRequest| Reply::text("I hear everything");
    let model = ModelServer::builder().rule(answer).start().unwrap();
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.send("TOPIC #abide :the build");
    ann.until("TOPIC #abide");
    ann.say("#abide", "!ungate felix");
    assert!(ann.hear("abide").contains("now gets every line"));
    ann.send("CAP REQ :draft/read-marker");
    ann.send("MARKREAD #abide timestamp=2026-01-01T00:00:00.000Z");
    ann.until("MARKREAD #abide timestamp=2026-01-01");
    keeper.client.events("/events", &[("Last-Event-ID", "0")]).until("channel.read_marked");
    keeper.kill();

    let keeper = home.up();
    let mut ann = Person::connect(&address(&keeper));
    ann.log_in("ann", &home.token());
    ann.send("CAP REQ :draft/read-marker");
    loop {
        // The keeper puts things back a moment after it takes people in.
        ann.send("TOPIC #abide");
        ann.send("JOIN #abide");
        if ann
            .until_any(&[" 442 ", " 331 ", " 332 ", " 366 "])
            .last()
            .unwrap()
            .contains("the build")
        {
            break;
        }
    }
    ann.send("MARKREAD #abide");
    ann.until("MARKREAD #abide timestamp=2026-01-01T00:00:00.000Z");
    ann.say("#abide", "nobody is named here");
    ann.until("ann: I hear everything");
    ann.say("#abide", "!gate felix");
    assert!(ann.hear("abide").contains("only mentions"));
}

#[test]
fn an_answer_that_is_owed_is_said_once_when_its_asker_is_there_again() {
    let model = ModelServer::start().unwrap();
    let gate = ReplyHold::closed();
    model.script([Reply::text("late").held_by(&gate), Reply::text("better late than never")]);
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("felix", "answer me");
    events.until("turn.started");
    // The turn is on the record before the model is asked, and the second asking is to get the second reply.
    while model.count() == 0 {
        std::thread::yield_now();
    }
    keeper.kill();
    drop(ann);

    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    events.until("epoch.committed");
    // Somebody else under a nick that is free now gets nothing of it.
    let mut eve = Person::connect(&address(&keeper));
    eve.introduce("ann", &format!("eve:{}", home.token()));
    eve.until(" 001 ");
    eve.join("#abide");
    let mut ann = Person::connect(&address(&keeper));
    ann.introduce("ann-phone", &format!("ann:{}", home.token()));
    assert_eq!(ann.hear("felix"), "better late than never");
    events.until("channel.answered");
    eve.say("#abide", "hello?");
    keeper.kill();

    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "!status");
    let lines = ann.until("watchdog");
    assert!(!lines.iter().any(|line| line.contains("better late")), "{lines:#?}");
    let said =
        |text: &str| home.ledger().iter().filter(|line| line["data"]["text"] == text).count();
    assert_eq!((said("better late than never"), said("late")), (1, 0));
}

#[test]
fn agents_are_shown_with_what_keeps_them_and_join_where_they_are_invited_for_good() {
    let model = ModelServer::start().unwrap();
    let home = home_for(&model, &format!("{FELIX}{ADA}"));
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    for nick in ["abide", "ada", "felix", "tickle-1"] {
        until_in(&mut ann, "#abide", nick);
    }
    park(&keeper, "ada");
    loop {
        ann.send("WHOIS ada");
        if ann.until(" 318 ").iter().any(|line| line.contains(" 301 ") && line.contains("parked")) {
            break;
        }
    }
    ann.join("#den");
    ann.send("INVITE felix #den");
    ann.until("JOIN #den");
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    events.until("channel.joined");
    keeper.kill();

    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.join("#den");
    let names = until_in(&mut ann, "#den", "felix");
    assert!(!names.contains("ada"), "{names}");
    ann.send("KICK #den felix :thank you");
    ann.until("KICK #den felix");
    let mut events = keeper.client.events("/events", &[("Last-Event-ID", "0")]);
    events.until("channel.parted");
    keeper.kill();

    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    until_in(&mut ann, "#abide", "felix");
    ann.join("#den");
    // Whoever is put back is so before anything that is said is heard.
    ann.say("#abide", "!help");
    ann.until("!status: ");
    let names = until_in(&mut ann, "#den", "ann");
    assert!(!names.contains("felix"), "{names}");
}

#[test]
fn what_an_agent_says_to_a_person_by_command_reaches_it_on_irc() {
    let home = Home::new(&format!("{OPEN}{REFLEX}"));
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    keeper.client.say(r"\say @ann the build is green ---");
    assert_eq!(ann.hear("felix"), "the build is green");
}

#[test]
fn one_line_may_ask_several_and_what_agents_say_asks_nobody() {
    let answer = |_: &SeenRequest| Reply::text("@felix, @ada: and what do you think?");
    let model = ModelServer::builder().rule(answer).start().unwrap();
    let home = home_for(&model, &format!("{FELIX}{ADA}"));
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "@felix @ada shall we?");
    ann.until("ann: @felix, @ada: and what");
    ann.until("ann: @felix, @ada: and what");
    // What is said later is heard later: by then it would have been asked.
    ann.say("#abide", "!agents");
    ann.until("felix: idle");
    assert_eq!((asked(&home).len(), model.count()), (2, 2));
}

#[test]
fn what_an_agent_says_in_a_space_is_said_in_the_room_of_its_name() {
    let home = Home::new(&format!("{OPEN}{REFLEX}"));
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.join("#lab");
    keeper.client.say(r"\name #lab @(felix, ann) ---");
    keeper.client.say(r"\say #lab the samples are in ---");
    assert_eq!(ann.hear("felix"), "the samples are in");
    until_in(&mut ann, "#lab", "felix");
}
