//! Getting in: passwords, SASL, nicks, ghosts, capabilities.

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{Rig, commands};
use crate::irc::server::state::{ClientId, Effect};

fn asked(rig: &Rig) -> Vec<(String, String)> {
    let request = rig.effects.iter().filter_map(|effect| match effect {
        Effect::Admit { account, password, .. } => {
            Some((account.clone(), password.expose().to_owned()))
        }
        _ => None,
    });
    request.collect()
}

#[test]
fn a_password_lets_in_under_the_account_that_it_proves() {
    for (pass, account) in [("PASS s3cret", "ann"), ("PASS ann:s3cret", "ann")] {
        let mut rig = Rig::new();
        rig.connect(1);
        rig.feed(1, &[pass, "NICK Ann", "USER a 0 * :Ann"]);
        let expected = if pass.contains("ann:") { "ann" } else { "Ann" };
        assert_eq!(asked(&rig), [(expected.to_owned(), "s3cret".to_owned())]);
        assert!(rig.lines_to(1).is_empty(), "nothing before the admission has answered");
        rig.admit(1, Some(account));
        let told = rig.lines_to(1);
        assert_eq!(
            commands(&told),
            ["900", "001", "002", "003", "004", "005", "005", "251", "254", "255", "265", "422"]
        );
        assert!(told[1].ends_with("Ann!ann@people.abide"), "{}", told[1]);
        assert!(told[5].contains("CASEMAPPING=ascii") && told[6].contains("CHATHISTORY=100"));
    }
}

#[test]
fn a_client_that_does_not_wait_for_the_door_is_understood() {
    let mut rig = Rig::new();
    rig.connect(1);
    rig.feed(
        1,
        &["PASS s3cret", "NICK ann", "USER a 0 * :Ann", "JOIN #abide", "PRIVMSG #abide :hi"],
    );
    assert!(rig.lines_to(1).is_empty());
    rig.admit(1, Some("ann"));
    assert_eq!(commands(&rig.lines_to(1)).last().unwrap(), "366");
    assert_eq!(rig.said()[0].text, "hi");
    rig.connect(2);
    rig.feed(2, &["PASS s3cret", "NICK bob", "USER b 0 * :Bob"]);
    let floods = [&["PING x"][..]; 50].concat();
    rig.feed(2, &floods);
    rig.admit(2, None);
    assert_eq!(
        rig.lines_to(2).iter().filter(|line| line.contains("PONG")).count(),
        18,
        "the rest was held, and dropped"
    );
}

#[test]
fn nobody_gets_in_without_a_password() {
    let mut rig = Rig::new();
    rig.connect(1);
    rig.feed(1, &["NICK ann", "USER a 0 * :Ann"]);
    assert_eq!(commands(&rig.lines_to(1)), ["464", "ERROR"]);
    assert!(rig.is_closed(1));
    rig.connect(2);
    rig.feed(2, &["PASS wrong", "NICK ann", "USER a 0 * :Ann"]);
    rig.admit(2, None);
    assert_eq!(commands(&rig.lines_to(2)), ["464", "ERROR"]);
    assert!(rig.is_closed(2));
    // A person that an agent's command would reach is not in either.
    rig.connect(3);
    rig.feed(3, &["PRIVMSG #abide :hi", "JOIN #abide", "CAP END"]);
    assert_eq!(commands(&rig.lines_to(3)), ["451", "451"]);
}

#[test]
fn a_server_without_authentication_has_guests() {
    let mut rig = Rig::open();
    rig.agents(&["felix"]);
    rig.connect(1);
    rig.feed(1, &["NICK ann", "USER root 0 * :Ann", "JOIN #abide", "PRIVMSG #abide :@felix hi"]);
    assert_eq!(rig.lines_to(1)[0], ":abide.local 001 ann :Welcome to Abide, ann!root@guest.abide");
    let said = rig.said();
    assert_eq!(said[0].speaker, crate::irc::spoken::Speaker::Person(None));
}

#[test]
fn sasl_plain_is_followed_step_by_step() {
    let mut rig = Rig::new();
    rig.connect(1);
    rig.feed(1, &["CAP LS 302", "NICK ann", "USER a 0 * :Ann", "CAP REQ :sasl server-time"]);
    let told = rig.lines_to(1);
    assert!(told[0].contains("sasl=PLAIN") && told[0].contains("draft/chathistory"), "{told:?}");
    assert!(told[1].ends_with(":abide.local CAP * ACK :sasl server-time"), "{told:?}");
    let answer = BASE64_STANDARD.encode("ann\0ann\0pw");
    rig.feed(1, &["AUTHENTICATE PLAIN", &format!("AUTHENTICATE {answer}")]);
    assert_eq!(asked(&rig), [("ann".to_owned(), "pw".to_owned())]);
    assert!(rig.lines_to(1)[0].ends_with("AUTHENTICATE +"));
    rig.admit(1, Some("ann"));
    assert_eq!(commands(&rig.lines_to(1)), ["900", "903"]);
    rig.feed(1, &["CAP END"]);
    assert_eq!(rig.lines_to(1)[0].split(' ').nth(2), Some("001"));
}

#[test]
fn sasl_that_fails_says_so_and_ends_after_three_times() {
    let mut rig = Rig::new();
    rig.connect(1);
    rig.feed(1, &["CAP REQ :sasl", "AUTHENTICATE SCRAM-SHA-256"]);
    assert_eq!(commands(&rig.lines_to(1)), ["CAP", "908", "904"]);
    for bad in
        ["not base64!", &BASE64_STANDARD.encode("a\0b"), &BASE64_STANDARD.encode("root\0ann\0pw")]
    {
        rig.feed(1, &["AUTHENTICATE PLAIN", &format!("AUTHENTICATE {bad}")]);
        assert_eq!(commands(&rig.lines_to(1)), ["AUTHENTICATE", "904"], "{bad}");
    }
    assert_eq!(asked(&rig), []);
    rig.feed(1, &["AUTHENTICATE PLAIN", "AUTHENTICATE *"]);
    assert_eq!(commands(&rig.lines_to(1)), ["AUTHENTICATE", "906"]);
    let answer = format!("AUTHENTICATE {}", BASE64_STANDARD.encode("\0ann\0guess"));
    for round in 1..=3 {
        rig.feed(1, &["AUTHENTICATE PLAIN", &answer]);
        rig.admit(1, None);
        assert_eq!(rig.is_closed(1), round == 3);
    }
    assert_eq!(rig.lines_to(1).last().unwrap(), "ERROR :Closing link: * (Wrong password)");
}

#[test]
fn a_long_sasl_answer_comes_in_pieces_and_an_endless_one_is_refused() {
    let mut rig = Rig::new();
    rig.connect(1);
    let password = "p".repeat(500);
    let answer = BASE64_STANDARD.encode(format!("\0ann\0{password}"));
    let (head, tail) = answer.split_at(400);
    rig.feed(1, &["CAP REQ :sasl", "AUTHENTICATE PLAIN"]);
    rig.feed(1, &[&format!("AUTHENTICATE {head}"), &format!("AUTHENTICATE {tail}")]);
    assert_eq!(asked(&rig), [("ann".to_owned(), password)]);
    rig.connect(2);
    rig.feed(2, &["CAP REQ :sasl", "AUTHENTICATE PLAIN"]);
    for _ in 0..100 {
        rig.feed(2, &[&format!("AUTHENTICATE {head}")]);
    }
    assert!(commands(&rig.lines_to(2)).contains(&"905".to_owned()));
}

/// A second connection of ann's account, under the same nick.
fn second_session(rig: &mut Rig, id: u64) {
    rig.connect(id);
    rig.feed(id, &["PASS ann:s3cret", "NICK ann", "USER a 0 * :Ann"]);
    rig.admit(id, Some("ann"));
}

#[test]
fn two_connections_of_one_account_get_along() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    second_session(&mut rig, 2);
    assert!(!rig.is_closed(1), "nobody is thrown out");
    let told = rig.lines_to(2);
    assert!(told.iter().any(|line| line.contains(" 001 ann_ ")), "{told:?}");
    assert_eq!(rig.lines_to(1), ["PING abide.local"]);
    rig.feed(1, &["PONG abide.local"]);
    for _ in 0..30 {
        rig.pass(1);
    }
    assert!(!rig.is_closed(1) && !rig.is_closed(2));
    rig.feed(2, &["NICK ann", "ISON ann ann_"]);
    let told = rig.lines_to(2);
    assert_eq!(commands(&told), ["433", "303"], "asking again takes nothing either");
    assert!(told[1].ends_with("ann ann_"), "{told:?}");
}

#[test]
fn a_person_takes_its_nick_back_from_its_ghost() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    second_session(&mut rig, 2);
    rig.effects.clear();
    rig.pass(5);
    assert!(!rig.is_closed(1));
    rig.pass(6);
    assert!(rig.is_closed(1), "it did not answer");
    assert!(rig.lines_to(1)[0].contains("took this nickname"));
    assert_eq!(rig.lines_to(2), [":ann_!ann@people.abide NICK ann"]);
    // What the older connection's end says about itself changes nothing any more.
    rig.step(super::Input::Closed { id: ClientId(1), reason: "late".into() });
    rig.feed(2, &["ISON ann"]);
    assert_eq!(rig.lines_to(2), [":abide.local 303 ann ann"]);
}

#[test]
fn a_nick_of_somebody_else_is_not_given() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", "");
    rig.connect(2);
    rig.feed(2, &["PASS bob:s3cret", "NICK ANN", "USER b 0 * :Bob"]);
    rig.admit(2, Some("bob"));
    let told = rig.lines_to(2);
    assert_eq!(commands(&told)[..2], ["900", "001"]);
    assert!(
        told.iter()
            .any(|line| line.contains("ANN is not the name of your account; here you are bob")),
        "{told:?}"
    );
    rig.feed(2, &["NICK felix", "NICK 9lives", "NICK", "NICK bob", "NICK vic"]);
    assert_eq!(commands(&rig.lines_to(2)), ["433", "432", "431", "433"]);
    rig.feed(2, &["NICK Ann", "NICK Bob_", "NICK Bob_"]);
    assert_eq!(
        rig.lines_to(2),
        [
            ":abide.local 433 bob Ann :You are bob here; use that, or bob-phone and the like",
            ":bob!bob@people.abide NICK Bob_",
        ]
    );
    // Whoever comes later finds the own name free, whatever others asked for.
    rig.enter(3, "vic", "");
    assert!(rig.lines_to(3).iter().all(|line| !line.contains(" 433 ")));
}

#[test]
fn capabilities_are_taken_and_given_back_whole() {
    let mut rig = Rig::new();
    rig.connect(1);
    let lines = [
        "CAP LS",
        "CAP REQ :server-time nonsense",
        "CAP REQ :server-time echo-message",
        "CAP REQ :-server-time",
        "CAP LIST",
        "CAP WHAT",
    ];
    rig.feed(1, &lines);
    let told = rig.lines_to(1);
    assert!(told[0].contains(" sasl ") || told[0].contains(":sasl "), "{}", told[0]);
    assert_eq!(told[1], ":abide.local CAP * NAK :server-time nonsense");
    assert!(told[2].ends_with("CAP * ACK :server-time echo-message"), "{}", told[2]);
    assert!(told[3].ends_with("CAP * ACK -server-time"), "{}", told[3]);
    assert!(told[4].ends_with("CAP * LIST echo-message"), "{}", told[4]);
    assert!(told[5].contains(" 410 "));
    rig.feed(1, &["PASS p", "NICK ann", "USER a 0 * :A"]);
    assert_eq!(asked(&rig), [], "the negotiation is open");
}

#[test]
fn the_server_limits_connections_of_all_of_an_address_and_of_an_account() {
    let refused = |change: fn(&mut super::ServerSettings), accounts: [&str; 3]| {
        let mut rig = Rig::with(change);
        for (id, account) in (1..).zip(accounts) {
            rig.connect(id);
            let nick = format!("NICK n{id}");
            rig.feed(id, &["PASS s3cret", &nick, "USER a 0 * :A"]);
            rig.admit(id, Some(account));
        }
        assert!(!rig.is_closed(1) && !rig.is_closed(2) && rig.is_closed(3));
        rig.lines_to(3).pop().unwrap()
    };
    let three = ["ann", "bob", "cid"];
    assert!(refused(|s| s.clients_max = 2, three).contains("The server is full"));
    assert!(refused(|s| s.clients_per_address_max = 2, three).contains("from your address"));
    assert!(refused(|s| s.clients_per_account_max = 2, ["ann"; 3]).contains("of your account"));
}

#[test]
fn silent_connections_give_way_and_hold_no_place_of_others() {
    let mut rig = Rig::with(|settings| settings.clients_max = 2);
    for id in 1..=5 {
        rig.connect(id);
    }
    rig.now.monotonic += std::time::Duration::from_secs(1);
    rig.feed(1, &["NICK slow"]);
    for id in 6..=100 {
        rig.connect(id);
        assert!(!rig.is_closed(id), "a newcomer has its turn");
    }
    assert!(!rig.is_closed(1), "one that has said something stays longer");
    assert!(rig.is_closed(2) && rig.is_closed(95) && !rig.is_closed(97));
    assert!(rig.lines_to(2)[0].contains("have not logged in"));
    rig.enter(101, "ann", "");
    assert!(!rig.is_closed(101));
}

#[test]
fn wrong_passwords_are_answered_later_and_later_and_the_right_one_at_once() {
    let mut rig = Rig::new();
    let guess = |rig: &mut Rig, id: u64| {
        rig.connect(id);
        rig.feed(id, &["PASS ann:wrong", "NICK ann", "USER a 0 * :Ann"]);
        rig.admit(id, None);
    };
    for id in 1..=3 {
        guess(&mut rig, id);
        assert!(rig.is_closed(id), "the first few are answered at once");
    }
    let reports = |rig: &Rig| {
        rig.effects.iter().filter(|effect| matches!(effect, Effect::LoginRefused { .. })).count()
    };
    assert_eq!(reports(&rig), 0);
    guess(&mut rig, 4);
    guess(&mut rig, 5);
    assert!(!rig.is_closed(4) && rig.lines_to(4).is_empty());
    assert_eq!(reports(&rig), 2, "once by address and once by account");
    rig.pass(1);
    assert!(rig.is_closed(4) && !rig.is_closed(5));
    rig.pass(1);
    assert!(rig.is_closed(5));
    // Whoever knows is let in at once, whatever others guess.
    guess(&mut rig, 6);
    rig.connect(7);
    rig.feed(7, &["PASS ann:s3cret", "NICK ann", "USER a 0 * :Ann"]);
    rig.admit(7, Some("ann"));
    assert!(commands(&rig.lines_to(7)).contains(&"001".to_owned()));
    assert_eq!(reports(&rig), 2);
}

#[test]
fn a_guess_counts_though_its_connection_is_closed_before_the_answer() {
    let mut rig = Rig::new();
    for id in 1..=3 {
        rig.connect(id);
        rig.feed(id, &["PASS ann:wrong", "NICK ann", "USER a 0 * :Ann"]);
        rig.step(super::Input::Closed { id: ClientId(id), reason: "gone".into() });
        rig.admit(id, None);
    }
    rig.connect(9);
    rig.feed(9, &["PASS ann:wrong", "NICK ann", "USER a 0 * :Ann"]);
    rig.admit(9, None);
    assert!(rig.lines_to(9).is_empty(), "it waits");
}
