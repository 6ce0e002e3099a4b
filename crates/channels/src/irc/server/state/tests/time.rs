//! What time does: half-open clients, slow registrations, clients that do not read, the end.

use super::{Rig, commands};
use crate::irc::server::state::{ClientId, Input};

#[test]
fn a_half_open_client_is_pinged_and_dropped() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    rig.enter(2, "bob", "");
    rig.feed(1, &["JOIN #abide"]);
    rig.feed(2, &["JOIN #abide"]);
    rig.effects.clear();
    rig.pass(90);
    assert!(rig.lines_to(1).is_empty());
    rig.pass(1);
    assert_eq!(rig.lines_to(1), ["PING abide.local"]);
    rig.pass(1);
    assert!(rig.lines_to(1).is_empty(), "it is asked once");
    rig.feed(2, &["PONG abide.local"]);
    rig.pass(59);
    assert_eq!(rig.lines_to(1), ["ERROR :Closing link: ann (Ping timeout: 151 seconds)"]);
    assert!(rig.is_closed(1) && !rig.is_closed(2));
    assert_eq!(
        rig.lines_to(2).last().unwrap(),
        ":ann!ann@people.abide QUIT :Ping timeout: 151 seconds"
    );
    rig.pass(32);
    assert_eq!(rig.lines_to(2), ["PING abide.local"], "counted from its last sign");
}

#[test]
fn a_registration_that_is_never_finished_ends() {
    let mut rig = Rig::new();
    rig.connect(1);
    rig.feed(1, &["NICK ann"]);
    rig.pass(30);
    assert!(!rig.is_closed(1));
    rig.pass(1);
    assert!(rig.is_closed(1));
    assert!(rig.state.clients.is_empty());
}

#[test]
fn a_client_that_does_not_read_is_told_and_gone() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    rig.step(Input::Overflowed { id: ClientId(1) });
    assert_eq!(rig.lines_to(1), ["ERROR :Closing link: ann (Send queue exceeded)"]);
    assert!(rig.is_closed(1));
    rig.step(Input::Overflowed { id: ClientId(1) });
    rig.feed(1, &["PING x"]);
    rig.admit(1, Some("ann"));
    assert!(rig.lines_to(1).is_empty(), "whoever is gone is told nothing");
}

#[test]
fn everybody_is_told_of_the_end() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    rig.connect(2);
    rig.step(Input::Stop);
    for id in [1, 2] {
        assert_eq!(commands(&rig.lines_to(id)), ["ERROR"]);
        assert!(rig.is_closed(id));
    }
}
