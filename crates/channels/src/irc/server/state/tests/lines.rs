//! Whatever clients send: no panic, every line a line, the world stays whole.

use proptest::prelude::*;

use super::Rig;
use crate::irc::{
    limits::{REST_BYTES_MAX, TAGS_BYTES_MAX},
    line::IrcMessage,
    server::state::{ClientId, Effect, Input},
};

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("ann".to_owned()),
        Just("bob".to_owned()),
        Just("felix".to_owned()),
        Just("#abide".to_owned()),
        Just("#x".to_owned()),
        Just("*".to_owned()),
        Just("302".to_owned()),
        Just("+b".to_owned()),
        Just(":sasl message-tags echo-message labeled-response batch server-time".to_owned()),
        Just("PLAIN".to_owned()),
        "[ -~]{0,12}",
        "[a-z#]{60,200}",
        ".{0,6}",
    ]
}

fn line() -> impl Strategy<Value = String> {
    let commands = [
        "CAP LS",
        "CAP REQ",
        "CAP END",
        "CAP LIST",
        "NICK",
        "USER a 0 * ",
        "PASS",
        "AUTHENTICATE",
        "JOIN",
        "PART",
        "PRIVMSG",
        "NOTICE",
        "TAGMSG",
        "TOPIC",
        "NAMES",
        "LIST",
        "INVITE",
        "KICK",
        "MODE",
        "AWAY",
        "WHO",
        "WHOIS",
        "USERHOST",
        "ISON",
        "CHATHISTORY LATEST",
        "PING",
        "LUSERS",
        "MOTD",
        "QUIT",
        "",
    ];
    let tags = prop_oneof![Just(""), Just("@label=x "), Just("@+a=b;label=y ")];
    (tags, proptest::sample::select(commands.to_vec()), word(), word(), word())
        .prop_map(|(tags, command, a, b, c)| format!("{tags}{command} {a} {b} :{c}"))
}

fn check(rig: &Rig) {
    for effect in &rig.effects {
        let Effect::Send { line, .. } = effect else { continue };
        let text = std::str::from_utf8(line).unwrap();
        assert!(text.ends_with("\r\n") && line.len() <= TAGS_BYTES_MAX + REST_BYTES_MAX);
        assert_eq!(text.matches(['\r', '\n']).count(), 2, "{text:?}");
        assert!(IrcMessage::parse(line).is_ok(), "{text:?}");
    }
    for (name, channel) in &rig.state.channels {
        for id in &channel.people {
            assert!(rig.state.clients[id].channels.contains(name));
        }
        for id in &channel.agents {
            assert!(rig.state.agents[id].channels.contains(name));
        }
    }
    let clients = rig.state.clients.values().filter(|client| client.registration.is_none()).count();
    assert_eq!(rig.state.nicks.len(), clients + rig.state.agents.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_lines_leave_the_state_consistent(lines in proptest::collection::vec((1_u64..5, line(), 0_u8..20), 1..60)) {
        let mut rig = Rig::open();
        rig.agents(&["felix", "claude-2"]);
        for id in 1..5 {
            rig.connect(id);
        }
        for (id, line, turn) in lines {
            rig.feed(id, &[&line]);
            match turn {
                0 => rig.admit(id, Some("ann")),
                1 => rig.pass(40),
                2 => rig.agents(&["ann", "felix"]),
                3 => rig.step(Input::Closed { id: ClientId(id), reason: "gone".into() }),
                4 => rig.connect(id + 10),
                _ => {}
            }
            check(&rig);
            rig.effects.clear();
        }
    }
}
