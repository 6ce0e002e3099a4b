//! What programs of today ask for: messages of several lines, who comes and goes, read markers, names, places with a past.

use abide_domain::Timestamp;

use super::{Rig, commands};
use crate::irc::{
    limits::{MULTILINE_LINES_MAX, SEND_QUEUE_BYTES_MAX},
    server::{
        HistoryTarget, ReadMarker, TargetsQuery, TopicChange,
        state::{ClientId, Effect, Input},
    },
    spoken::{Speaker, SpokenKind, Target},
};

const LINES: &str = "batch message-tags draft/multiline echo-message";

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_message_of_several_lines_is_one_for_agents_and_for_who_can_read_it_so() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", LINES);
    rig.enter(2, "bob", "batch message-tags draft/multiline");
    rig.enter(3, "eve", "");
    for id in 1..=3 {
        rig.feed(id, &["JOIN #abide"]);
    }
    rig.effects.clear();
    rig.feed(
        1,
        &[
            "@+tag=1 BATCH +x draft/multiline #abide",
            "@batch=x PRIVMSG #abide :@felix fn main() {",
            "@batch=x PRIVMSG #abide :",
            "@batch=x PRIVMSG #abide :    a very long",
            "@batch=x;draft/multiline-concat PRIVMSG #abide : line",
            "@batch=x PRIVMSG #abide :}",
        ],
    );
    assert_eq!(rig.effects.len(), 0, "nothing before its end");
    rig.feed(1, &["BATCH -x"]);
    let said = rig.said();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].text, "@felix fn main() {\n\n    a very long line\n}");
    assert!(said[0].is_whole && said[0].kind == SpokenKind::Speech);
    assert_eq!(said[0].speaker, Speaker::Person(Some("ann".into())));
    for (id, nick) in [(1, "ann"), (2, "bob")] {
        let told = rig.lines_to(id);
        let expected = ["BATCH", "PRIVMSG", "PRIVMSG", "PRIVMSG", "PRIVMSG", "PRIVMSG", "BATCH"];
        assert_eq!(commands(&told), expected, "{nick}: {told:#?}");
        assert!(told[0].contains("msgid=") && told[0].contains("+tag=1"), "{}", told[0]);
        assert!(told[4].contains("draft/multiline-concat"), "{}", told[4]);
    }
    let told = rig.lines_to(3);
    assert_eq!(commands(&told), ["PRIVMSG"; 4], "{told:#?}");
}

#[test]
fn a_long_message_with_long_tags_overflows_nobody_who_gets_it_line_by_line() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", LINES);
    rig.enter(2, "bob", "message-tags");
    for id in 1..=2 {
        rig.feed(id, &["JOIN #abide"]);
    }
    rig.effects.clear();
    rig.feed(1, &[&format!("@+tag={} BATCH +x draft/multiline #abide", "x".repeat(4_000))]);
    for _ in 0..MULTILINE_LINES_MAX {
        rig.feed(1, &["@batch=x PRIVMSG #abide :line"]);
    }
    rig.feed(1, &["BATCH -x"]);
    let told = rig.lines_to(2);
    assert_eq!(told.len(), MULTILINE_LINES_MAX);
    assert!(told[0].contains("+tag=x") && !told[1].contains("+tag"), "{}", told[1]);
    let bytes: usize = told.iter().map(String::len).sum();
    assert!(bytes < SEND_QUEUE_BYTES_MAX / 2, "{bytes}");
}

#[test]
fn a_message_of_several_lines_that_is_none_says_why_and_nothing_of_it_is_said() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", LINES);
    rig.enter(2, "bob", "");
    let mut failure = |lines: &[String]| {
        rig.feed(1, &["BATCH +x draft/multiline felix"]);
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        rig.feed(1, &lines);
        rig.feed(1, &["BATCH -x"]);
        assert_eq!(rig.said(), []);
        rig.lines_to(1).pop().unwrap()
    };
    let line = |target: &str, text: &str| format!("@batch=x PRIVMSG {target} :{text}");
    assert!(failure(&[]).contains("FAIL BATCH MULTILINE_INVALID"));
    assert!(failure(&[line("felix", " ")]).contains("MULTILINE_INVALID"));
    assert!(failure(&[line("bob", "x")]).contains("MULTILINE_INVALID_TARGET"));
    assert!(failure(&vec![line("felix", "x"); 201]).contains("MULTILINE_MAX_LINES 200"));
    assert!(failure(&vec![line("felix", &"x".repeat(400)); 101]).contains("MULTILINE_MAX_BYTES"));
    rig.feed(1, &["BATCH -y", "BATCH +y netsplit a b", "BATCH + draft/multiline felix"]);
    assert_eq!(commands(&rig.lines_to(1)), ["FAIL"; 3]);
    rig.feed(2, &["BATCH +x draft/multiline felix"]);
    assert!(rig.lines_to(2)[0].contains("FAIL BATCH"), "who did not ask for it");
}

#[test]
fn who_is_watched_is_told_of_when_coming_going_and_changing_a_name() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    rig.agents(&["felix"]);
    rig.feed(1, &["MONITOR + felix,Bob,bob-phone,1bad"]);
    let told = rig.lines_to(1);
    assert_eq!(commands(&told), ["730", "731"]);
    assert!(
        told[0].ends_with(":felix!agent@agents.abide") || told[0].contains("felix!agent"),
        "{told:?}"
    );
    assert!(told[1].contains("Bob,bob-phone"), "{told:?}");
    rig.enter(2, "bob", "");
    rig.feed(2, &["NICK bob-phone"]);
    rig.feed(2, &["QUIT"]);
    rig.agents(&[]);
    rig.feed(1, &["MONITOR L", "MONITOR S", "MONITOR - bob", "MONITOR C", "MONITOR L"]);
    let told = rig.lines_to(1);
    let numerics: Vec<_> = commands(&told).into_iter().filter(|c| c.starts_with('7')).collect();
    // enter() forgets what was told meanwhile; then bob is gone, his phone comes and goes, and the agent goes.
    assert_eq!(numerics, ["731", "730", "731", "731", "732", "733", "731", "733"], "{told:#?}");
    let many: Vec<_> = (0..120).map(|n| format!("n{n}")).collect();
    for some in many.chunks(40) {
        rig.feed(1, &[&format!("MONITOR + {}", some.join(","))]);
    }
    let told = rig.lines_to(1);
    assert!(told.iter().any(|line| line.contains(" 734 ann 100 n100,")), "{told:#?}");
}

#[test]
fn what_one_connection_says_the_others_of_its_account_see_as_their_own_words() {
    let mut rig = Rig::with(|settings| settings.clients_per_account_max = 4);
    rig.agents(&["felix"]);
    rig.enter(1, "ann", "echo-message");
    rig.enter(2, "bob", "echo-message");
    let more = [
        ("ann_", "echo-message"),
        ("ann_2", "znc.in/self-message batch message-tags draft/multiline"),
        ("ann_3", ""),
    ];
    for (id, (nick, caps)) in (3..).zip(more) {
        rig.connect(id);
        if !caps.is_empty() {
            rig.feed(id, &[&format!("CAP REQ :{caps}"), "CAP END"]);
        }
        rig.feed(id, &["PASS ann:secret", &format!("NICK {nick}"), "USER ann 0 * :ann"]);
        rig.admit(id, Some("ann"));
    }
    rig.effects.clear();
    rig.feed(1, &["PRIVMSG felix :hello"]);
    assert_eq!(rig.lines_to(1), [":ann!ann@people.abide PRIVMSG felix :hello"]);
    assert_eq!(rig.lines_to(3), [":ann_!ann@people.abide PRIVMSG felix :hello"]);
    let copy = rig.lines_to(4);
    assert!(copy[0].ends_with(":ann_2!ann@people.abide PRIVMSG felix :hello"), "{copy:?}");
    assert_eq!((copy.len(), rig.lines_to(5), rig.lines_to(2)), (1, vec![], vec![]));
    assert_eq!(rig.said().len(), 1, "the agent hears it once");

    rig.feed(1, &["PRIVMSG bob :psst"]);
    assert_eq!(rig.lines_to(2), [":ann!ann@people.abide PRIVMSG bob :psst"]);
    assert_eq!(rig.lines_to(3), [":ann_!ann@people.abide PRIVMSG bob :psst"]);
    rig.feed(1, &["PRIVMSG ann_ :note to self"]);
    assert_eq!(rig.lines_to(3), [":ann!ann@people.abide PRIVMSG ann_ :note to self"], "once");

    rig.feed(1, &["JOIN #abide"]);
    rig.feed(3, &["JOIN #abide"]);
    rig.effects.clear();
    rig.feed(1, &["PRIVMSG #abide :hi"]);
    assert_eq!(rig.lines_to(3), [":ann!ann@people.abide PRIVMSG #abide :hi"], "as all there");
    let copy = rig.lines_to(4);
    assert!(copy[0].ends_with(":ann_2!ann@people.abide PRIVMSG #abide :hi"), "{copy:?}");

    rig.effects.clear();
    rig.feed(
        4,
        &[
            "BATCH +x draft/multiline felix",
            "@batch=x PRIVMSG felix :one",
            "@batch=x PRIVMSG felix :two",
            "BATCH -x",
        ],
    );
    let copy = rig.lines_to(1);
    assert_eq!(copy.len(), 2, "{copy:?}");
    assert_eq!(copy[1], ":ann!ann@people.abide PRIVMSG felix :two");
    assert!(rig.lines_to(4).is_empty(), "it did not ask for its own words");
}

#[test]
fn how_far_somebody_has_read_is_the_same_on_all_programs_and_only_goes_forward() {
    let mut rig = Rig::new();
    let marker = ReadMarker {
        account: "ann".into(),
        target: "felix".into(),
        at: moment("2026-11-01T00:00:00Z"),
    };
    rig.state.restore_read_markers(&[marker]);
    rig.enter(1, "ann", "draft/read-marker");
    rig.enter(2, "ann", "draft/read-marker");
    rig.feed(1, &["MARKREAD felix"]);
    assert!(rig.lines_to(1)[0].contains("MARKREAD felix timestamp=2026-11-01T00:00:00.000Z"));
    rig.feed(1, &["JOIN #abide"]);
    let told = commands(&rig.lines_to(1));
    let end = told.iter().position(|command| command == "366").unwrap();
    assert!(told[..end].contains(&"MARKREAD".to_owned()), "before the end of NAMES: {told:?}");
    rig.effects.clear();
    rig.feed(1, &["MARKREAD #Abide timestamp=2026-11-27T22:00:00.000Z"]);
    for id in [1, 2] {
        assert!(rig.lines_to(id)[0].contains("timestamp=2026-11-27T22:00:00.000Z"));
    }
    let kept = Effect::ReadMarked {
        marker: ReadMarker {
            account: "ann".into(),
            target: "#abide".into(),
            at: moment("2026-11-27T22:00:00Z"),
        },
    };
    assert!(rig.effects.contains(&kept), "{:?}", rig.effects);
    rig.effects.clear();
    rig.feed(2, &["MARKREAD #abide timestamp=2026-11-20T00:00:00.000Z"]);
    assert!(rig.lines_to(2)[0].contains("timestamp=2026-11-27T22:00:00.000Z"), "never back");
    assert_eq!(rig.effects, []);
    rig.feed(1, &["MARKREAD", "MARKREAD #abide timestamp=soon", "MARKREAD a,b"]);
    assert_eq!(commands(&rig.lines_to(1)), ["FAIL"; 3]);
}

#[test]
fn a_real_name_may_change_and_programs_that_ask_for_it_are_told() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "setname");
    rig.enter(2, "bob", "setname account-notify standard-replies");
    rig.enter(3, "eve", "");
    for id in 1..=3 {
        rig.feed(id, &["JOIN #abide"]);
    }
    rig.effects.clear();
    rig.feed(1, &["SETNAME :Ann of the hills"]);
    for id in [1, 2] {
        assert!(rig.lines_to(id)[0].contains("SETNAME :Ann of the hills"));
    }
    assert!(rig.lines_to(3).is_empty());
    rig.feed(3, &["WHOIS ann"]);
    assert!(rig.lines_to(3)[0].ends_with(":Ann of the hills"));
    rig.feed(1, &["SETNAME :", &format!("SETNAME :{}", "x".repeat(101))]);
    assert!(rig.lines_to(1).iter().all(|line| line.contains("FAIL SETNAME INVALID_REALNAME")));
}

#[test]
fn a_topic_outlives_its_channel_and_is_put_back_after_a_restart() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "");
    rig.feed(1, &["JOIN #den", "TOPIC #den :tea at five"]);
    let topic = TopicChange {
        channel: "#den".into(),
        topic: "tea at five".into(),
        nick: "ann".into(),
        account: "ann".into(),
    };
    assert!(rig.effects.contains(&Effect::TopicSet { topic }));
    rig.feed(1, &["PART #den", "JOIN #den"]);
    assert!(rig.lines_to(1).iter().any(|line| line.ends_with(" 332 ann #den :tea at five")));
    rig.feed(1, &["TOPIC #den :", "PART #den", "JOIN #den"]);
    assert!(!rig.lines_to(1).iter().any(|line| line.contains(" 332 ")));

    let mut rig = Rig::new();
    let at = moment("2026-11-01T00:00:00Z");
    rig.state.restore_topic("#Den", "tea at five".into(), "ann".into(), at);
    rig.state.restore_topic("#abide", "the house".into(), "ann".into(), at);
    rig.enter(1, "bob", "");
    rig.feed(1, &["JOIN #den,#abide"]);
    let told = rig.lines_to(1);
    assert!(told.iter().any(|line| line.ends_with(":tea at five")), "{told:#?}");
    assert!(told.iter().any(|line| line.ends_with(":the house")), "{told:#?}");
    assert!(told.iter().any(|line| line.contains(" 333 bob #den ann 1793491200")), "{told:#?}");
}

#[test]
fn places_with_a_past_are_asked_for_and_named() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", "batch labeled-response");
    rig.feed(1, &["JOIN #abide"]);
    rig.effects.clear();
    rig.feed(
        1,
        &["@label=l CHATHISTORY TARGETS timestamp=2026-11-02T00:00:00.000Z timestamp=2026-11-01T00:00:00.000Z 5"],
    );
    let Some(Effect::LoadTargets { id, request }) = rig.effects.pop() else { panic!() };
    let query = TargetsQuery {
        account: Some("ann".into()),
        channels: vec!["#abide".into()],
        after: moment("2026-11-01T00:00:00Z"),
        before: moment("2026-11-02T00:00:00Z"),
        limit: 5,
    };
    assert_eq!((id, &request.query), (ClientId(1), &query));
    let at = moment("2026-11-01T12:00:00Z");
    let place = |target| HistoryTarget { target, at };
    let gone = Target::Agent("gone".parse().unwrap());
    let felix = Target::Agent("felix".parse().unwrap());
    let found = vec![place(felix), place(gone), place(Target::Channel("#abide".into()))];
    rig.step(Input::Targets { id, request, found: Ok(found) });
    let told = rig.lines_to(1);
    assert_eq!(commands(&told), ["BATCH", "CHATHISTORY", "CHATHISTORY", "BATCH"], "{told:#?}");
    assert!(told[0].starts_with("@label=l ") && told[0].contains("chathistory-targets"));
    assert!(told[1].contains("CHATHISTORY TARGETS felix 2026-11-01T12:00:00.000Z"), "{told:#?}");
    rig.feed(1, &["CHATHISTORY TARGETS * * 5"]);
    assert!(rig.lines_to(1)[0].contains("FAIL CHATHISTORY INVALID_PARAMS TARGETS"));
}
