//! Agents: nicks without a connection, set through the handle.

use super::{Rig, presence};
use crate::irc::{
    server::{SpeakError, Speech, state::Effect},
    spoken::{Speaker, SpokenKind, Target},
};

fn speech(from: &str, target: &str, text: &str) -> Speech {
    Speech { from: from.into(), target: target.into(), text: text.into(), kind: SpokenKind::Speech }
}

#[test]
fn agents_come_go_and_change() {
    let mut rig = Rig::new();
    rig.enter(1, "ann", "away-notify");
    rig.feed(1, &["JOIN #abide"]);
    rig.effects.clear();
    rig.agents(&["felix", "tickle-1"]);
    let told = rig.lines_to(1);
    assert_eq!(told[0], ":felix!agent@agents.abide JOIN #abide");
    assert_eq!(told[1], ":abide.local MODE #abide +v felix");
    let mut away = presence("felix");
    away.away = Some("parked".into());
    away.nick = "Felix2".into();
    let effects = rig.state.set_agents(rig.now, vec![away]);
    rig.effects.extend(effects);
    assert_eq!(
        rig.lines_to(1),
        [
            ":tickle-1!agent@agents.abide QUIT :The agent was removed",
            ":felix!agent@agents.abide AWAY parked",
            ":felix!agent@agents.abide NICK Felix2",
        ]
    );
    rig.feed(1, &["PRIVMSG felix2 :hi"]);
    assert_eq!(rig.lines_to(1), [":abide.local 301 ann Felix2 parked"]);
}

#[test]
fn a_person_gives_way_to_an_agent_of_the_same_name() {
    let mut rig = Rig::new();
    rig.enter(1, "felix", "");
    rig.agents(&["felix"]);
    let told = rig.lines_to(1);
    assert!(told[0].contains("your nick is felix_1"), "{told:?}");
    assert_eq!(told[1], ":felix!felix@people.abide NICK felix_1");
    rig.feed(1, &["NICK felix"]);
    assert!(rig.lines_to(1)[0].contains(" 433 "));
}

#[test]
fn two_agents_never_share_a_nick() {
    let mut rig = Rig::new();
    let mut twin = presence("twin");
    twin.nick = "FELIX".into();
    let effects = rig.state.set_agents(rig.now, vec![presence("felix"), twin]);
    rig.effects.extend(effects);
    let census = rig.state.census();
    assert_eq!(census.channels[0].agents, ["felix", "FELIX1"]);
}

#[test]
fn an_agent_speaks_where_it_is_and_the_sink_gets_it() {
    let mut rig = Rig::new();
    rig.agents(&["felix", "tickle-1"]);
    rig.enter(1, "ann", "");
    rig.feed(1, &["JOIN #abide"]);
    rig.effects.clear();
    let (delivery, effects) = rig.state.say(rig.now, &speech("FELIX", "#ABIDE", "one\ntwo"));
    rig.effects.extend(effects);
    let delivery = delivery.unwrap();
    assert_eq!((delivery.msgids.len(), delivery.people), (2, 1));
    assert_eq!(
        rig.lines_to(1),
        [
            ":felix!agent@agents.abide PRIVMSG #abide :one",
            ":felix!agent@agents.abide PRIVMSG #abide :two",
        ]
    );
    let said = rig.said();
    assert_eq!(said[0].speaker, Speaker::Agent("felix".parse().unwrap()));
    assert_eq!(said[0].agents.len(), 2);
    let (delivery, effects) = rig.state.say(rig.now, &speech("felix", "ann", "psst"));
    rig.effects.extend(effects);
    assert_eq!(delivery.unwrap().people, 1);
    let said = rig.said().remove(0);
    assert_eq!(said.target, Target::Agent("felix".parse().unwrap()));
    assert_eq!(said.partner.as_deref(), Some("ann"));
}

#[test]
fn a_page_that_nobody_hears_is_known_to_be_unheard() {
    let mut rig = Rig::new();
    rig.agents(&["tickle-1"]);
    let (delivery, _) = rig.state.say(rig.now, &speech("tickle-1", "#abide", "page"));
    assert_eq!(delivery.unwrap().people, 0);
    let cases = [
        (speech("nobody", "#abide", "x"), SpeakError::NoSuchAgent("nobody".into())),
        (speech("tickle-1", "#work", "x"), SpeakError::NoSuchTarget("#work".into())),
        (speech("tickle-1", "ann", "x"), SpeakError::NoSuchTarget("ann".into())),
        (speech("tickle-1", "#abide", " \n"), SpeakError::Empty),
        (speech("tickle-1", "#abide", &"x\n".repeat(51)), SpeakError::TooLong),
    ];
    for (speech, error) in cases {
        assert_eq!(rig.state.say(rig.now, &speech).0, Err(error));
    }
}

#[test]
fn agents_are_moved_but_never_out_of_the_home_channel() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    assert_eq!(rig.state.agent_joins(rig.now, "felix", "#work").0, Ok(()));
    assert_eq!(rig.state.agent_joins(rig.now, "felix", "#work").0, Ok(()));
    assert!(rig.state.agent_joins(rig.now, "felix", "no channel").0.is_err());
    let (done, effects) = rig.state.topic(rig.now, "#work", "what we do");
    assert_eq!((done, effects.len()), (Ok(()), 0));
    rig.enter(1, "ann", "");
    rig.feed(1, &["JOIN #work"]);
    assert!(rig.lines_to(1)[1].ends_with(" 332 ann #work :what we do"));
    assert_eq!(rig.state.agent_parts(rig.now, "felix", "#work").0, Ok(()));
    assert!(rig.state.agent_parts(rig.now, "felix", "#work").0.is_err());
    assert!(rig.state.agent_parts(rig.now, "felix", "#abide").0.is_err());
}

#[test]
fn no_line_of_an_agent_is_cut_on_its_way() {
    let mut rig = Rig::new();
    let nick = "n".repeat(64);
    rig.agents(&[&nick]);
    rig.enter(1, "ann", "server-time message-tags");
    rig.feed(1, &["JOIN #abide"]);
    rig.effects.clear();
    let text = "Wörter ".repeat(200);
    let (_, effects) = rig.state.say(rig.now, &speech(&nick, "#abide", &text));
    let lines = effects.iter().filter_map(|effect| match effect {
        Effect::Send { line, .. } => Some(String::from_utf8(line.to_vec()).unwrap()),
        _ => None,
    });
    let words: usize = lines.map(|line| line.matches("Wörter").count()).sum();
    assert_eq!(words, 200);
}

#[test]
fn an_agent_finds_an_account_under_whatever_nicks_it_is_there() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", "");
    rig.connect(2);
    rig.feed(2, &["PASS ann:secret", "NICK ann-phone", "USER a 0 * :a"]);
    rig.admit(2, Some("ann"));
    rig.enter(3, "bob", "");
    // Not in yet: it has proved who it is and has no nick.
    rig.connect(4);
    rig.feed(4, &["PASS ann:secret"]);
    rig.effects.clear();
    let (delivery, effects) = rig.state.say(rig.now, &speech("felix", "@ann", "psst"));
    rig.effects.extend(effects);
    let delivery = delivery.unwrap();
    assert_eq!((delivery.msgids.len(), delivery.people), (1, 2));
    assert_eq!(rig.lines_to(1), [":felix!agent@agents.abide PRIVMSG ann :psst"]);
    assert_eq!(rig.lines_to(2), [":felix!agent@agents.abide PRIVMSG ann-phone :psst"]);
    assert_eq!((rig.lines_to(3), rig.lines_to(4)), (Vec::new(), Vec::new()));
    let said = rig.said();
    assert_eq!((said.len(), said[0].partner.as_deref()), (1, Some("ann")));
    let nobody = rig.state.say(rig.now, &speech("felix", "@eve", "psst")).0;
    assert_eq!(nobody, Err(SpeakError::NoSuchTarget("@eve".into())));
}
