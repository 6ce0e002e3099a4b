//! Channels and talk: who hears what, with which tags, and what is refused.

use super::{Rig, commands};
use crate::irc::{
    limits::HISTORY_BYTES_MAX,
    server::{
        HistoryError, HistoryLine, HistoryRange,
        state::{ClientId, Effect, Input},
    },
    spoken::{Speaker, SpokenKind, Target},
};

/// Ann with every tag and bob with none, both in `#abide`, with felix.
fn two(caps: &str) -> Rig {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", caps);
    rig.enter(2, "bob", "");
    rig.feed(1, &["JOIN #Abide"]);
    rig.feed(2, &["JOIN #abide"]);
    rig.effects.clear();
    rig
}

#[test]
fn joining_shows_the_channel_and_the_newcomer() {
    let mut rig = Rig::new();
    rig.agents(&["felix"]);
    rig.enter(1, "ann", "extended-join userhost-in-names");
    rig.enter(2, "bob", "");
    rig.feed(1, &["JOIN #abide,#new", "TOPIC #new :what is new"]);
    let told = rig.lines_to(1);
    assert_eq!(told[0], ":ann!ann@people.abide JOIN #abide ann ann");
    assert!(told[1].ends_with("353 ann = #abide :ann!ann@people.abide +felix!agent@agents.abide"));
    assert!(told[2].contains(" 366 ann #abide "));
    rig.feed(2, &["JOIN #NEW", "JOIN #new", "JOIN new", "JOIN"]);
    let told = rig.lines_to(2);
    assert_eq!(commands(&told), ["JOIN", "332", "333", "353", "366", "403", "461"]);
    assert_eq!(told[0], ":bob!bob@people.abide JOIN #new");
    assert_eq!(told[3], ":abide.local 353 bob = #new :ann bob");
    assert_eq!(rig.lines_to(1).last().unwrap(), ":bob!bob@people.abide JOIN #new bob bob");
}

#[test]
fn what_is_said_reaches_the_others_and_the_sink() {
    let mut rig = two("");
    rig.feed(1, &["PRIVMSG #abide :@felix \u{2}hello\u{2}"]);
    assert_eq!(rig.lines_to(2), [":ann!ann@people.abide PRIVMSG #abide :@felix \u{2}hello\u{2}"]);
    assert!(rig.lines_to(1).is_empty(), "no echo was asked for");
    let said = rig.said().remove(0);
    assert_eq!(said.speaker, Speaker::Person(Some("ann".into())));
    assert_eq!(said.target, Target::Channel("#abide".into()));
    assert_eq!((said.text.as_str(), said.kind), ("@felix hello", SpokenKind::Speech));
    assert_eq!(said.agents[0].nick, "felix");
    rig.feed(
        1,
        &[
            "PRIVMSG felix :psst",
            "PRIVMSG bob :psst",
            "NOTICE #abide :n",
            "PRIVMSG #abide :\u{1}VERSION\u{1}",
        ],
    );
    let said: Vec<_> = rig.said().into_iter().map(|said| (said.target, said.kind)).collect();
    let felix = Target::Agent("felix".parse().unwrap());
    assert_eq!(
        said,
        [(felix, SpokenKind::Speech), (Target::Channel("#abide".into()), SpokenKind::Notice)]
    );
    assert_eq!(rig.lines_to(2).len(), 3, "what people say to each other is theirs");
}

#[test]
fn each_client_gets_the_tags_that_it_asked_for() {
    let caps = "server-time message-tags account-tag echo-message";
    let mut rig = two(caps);
    rig.feed(1, &["@+x=1;y=2 PRIVMSG #abide :hi"]);
    let echo = rig.lines_to(1).remove(0);
    assert_eq!(
        echo,
        "@time=2026-11-27T22:10:03.123Z;msgid=00000000000000000000000000000000;account=ann;+x=1 \
         :ann!ann@people.abide PRIVMSG #abide :hi"
    );
    assert_eq!(rig.lines_to(2), [":ann!ann@people.abide PRIVMSG #abide :hi"]);
    rig.feed(1, &["@+typing=active TAGMSG #abide"]);
    assert!(rig.lines_to(1)[0].contains("+typing=active"));
    assert!(rig.lines_to(2).is_empty() && rig.said().len() == 1);
}

#[test]
fn a_label_comes_back_once_however_long_the_answer_is() {
    let mut rig = two("labeled-response batch message-tags echo-message");
    rig.feed(1, &["@label=a PRIVMSG #abide :hi"]);
    let told = rig.lines_to(1);
    assert!(told.len() == 1 && told[0].starts_with("@label=a;msgid="), "{told:?}");
    rig.feed(
        1,
        &["@label=b PING x", "@label=c PONG x", "@label=d WHO #abide", "@label=e NONSENSE"],
    );
    let told = rig.lines_to(1);
    assert_eq!(told[0], "@label=b :abide.local PONG abide.local x");
    assert_eq!(told[1], "@label=c :abide.local ACK");
    assert_eq!(told[2], "@label=d :abide.local BATCH +b1 labeled-response");
    assert!(told[3].starts_with("@batch=b1 :abide.local 352 ") && told[6].ends_with("WHO list."));
    assert_eq!(told[7], ":abide.local BATCH -b1");
    assert!(told[8].starts_with("@label=e :abide.local 421 "));
    rig.feed(1, &["@label=f QUIT :bye"]);
    assert_eq!(rig.lines_to(1), ["ERROR :Closing link: ann (Quit: bye)"]);
    assert_eq!(rig.lines_to(2).last().unwrap(), ":ann!ann@people.abide QUIT :Quit: bye");
}

#[test]
fn what_cannot_be_done_says_why() {
    let mut rig = two("");
    let cases = [
        ("PRIVMSG", "411"),
        ("PRIVMSG #abide", "412"),
        ("PRIVMSG nobody :x", "401"),
        ("PRIVMSG #nowhere :x", "403"),
        ("PRIVMSG bob,bob,bob,bob,bob :x", "407"),
        ("PART #nowhere", "442"),
        ("PART", "461"),
        ("TOPIC #nowhere :x", "442"),
        ("TOPIC #abide", "331"),
        ("INVITE felix #abide", "443"),
        ("INVITE nobody #abide", "401"),
        ("INVITE felix #nowhere", "442"),
        ("INVITE felix", "461"),
        ("KICK #abide bob :out", "482"),
        ("KICK #nowhere bob", "442"),
        ("MODE #abide +o ann", "482"),
        ("MODE #abide +b", "368"),
        ("MODE #abide b", "368"),
        ("MODE #nowhere", "403"),
        ("MODE bob +i", "502"),
        ("MODE ann", "221"),
        ("MODE ann +i", "MODE"),
        ("MODE ann +x", "501"),
        ("USER a 0 * :A", "462"),
        ("PASS x", "462"),
        ("AUTHENTICATE PLAIN", "907"),
        ("PING", "409"),
        ("FLY away", "421"),
        ("WHOIS nobody", "401"),
        ("WHOWAS ann", "406"),
        ("CHATHISTORY LATEST bob * 10", "FAIL"),
        ("CHATHISTORY LATEST #nowhere * 10", "FAIL"),
        ("CHATHISTORY SIDEWAYS #abide * 10", "FAIL"),
    ];
    for (line, expected) in cases {
        rig.feed(1, &[line]);
        assert!(commands(&rig.lines_to(1)).contains(&expected.to_owned()), "{line}");
    }
    rig.feed(1, &["NOTICE nobody :x", "NOTICE #nowhere :x", "NOTICE", "NOTICE #abide"]);
    assert!(rig.lines_to(1).is_empty(), "a notice is never answered");
    let long = format!("PRIVMSG #abide :{}", "x".repeat(600));
    rig.feed(1, &[&long]);
    assert_eq!(commands(&rig.lines_to(1)), ["417"]);
}

#[test]
fn questions_about_people_and_agents_are_answered() {
    let mut rig = two("");
    rig.feed(
        1,
        &[
            "WHO #abide",
            "WHO felix",
            "WHO #abide %tcuhnfar,42",
            "USERHOST ann felix x",
            "ISON :ann x felix",
        ],
    );
    let told = rig.lines_to(1);
    let expected = [
        ":abide.local 352 ann #abide ann people.abide abide.local ann H :0 ann",
        ":abide.local 352 ann #abide bob people.abide abide.local bob H :0 bob",
        ":abide.local 352 ann #abide agent agents.abide abide.local felix H+ :0 felix, an assistant",
        ":abide.local 315 ann #abide :End of /WHO list.",
        ":abide.local 352 ann * agent agents.abide abide.local felix H :0 felix, an assistant",
        ":abide.local 315 ann felix :End of /WHO list.",
        ":abide.local 354 ann 42 #abide ann people.abide ann H ann ann",
        ":abide.local 354 ann 42 #abide bob people.abide bob H bob bob",
        ":abide.local 354 ann 42 #abide agent agents.abide felix H+ 0 :felix, an assistant",
        ":abide.local 315 ann #abide :End of /WHO list.",
        ":abide.local 302 ann :ann=+ann@people.abide felix=+agent@agents.abide",
        ":abide.local 303 ann :ann felix",
    ];
    assert_eq!(told, expected);
    rig.feed(1, &["WHOIS bob", "WHOIS felix felix", "LIST", "NAMES #abide", "MODE #abide"]);
    let told = rig.lines_to(1);
    assert_eq!(
        commands(&told),
        [
            "311", "319", "312", "330", "317", "318", "311", "319", "312", "335", "318", "321",
            "322", "323", "353", "366", "324", "329"
        ]
    );
}

#[test]
fn who_is_away_says_so() {
    let mut rig = two("away-notify");
    rig.feed(2, &["AWAY :lunch"]);
    assert_eq!(rig.lines_to(1), [":bob!bob@people.abide AWAY lunch"]);
    assert_eq!(commands(&rig.lines_to(2)), ["306"]);
    rig.feed(1, &["PRIVMSG bob :hi", "WHO bob"]);
    let told = rig.lines_to(1);
    assert_eq!(told[0], ":abide.local 301 ann bob lunch");
    assert!(told[1].contains(" bob G "));
    rig.feed(2, &["AWAY"]);
    assert_eq!(rig.lines_to(1), [":bob!bob@people.abide AWAY"]);
}

#[test]
fn an_invited_agent_joins_and_the_sink_is_told() {
    let mut rig = two("");
    rig.feed(1, &["JOIN #work"]);
    rig.effects.clear();
    rig.feed(1, &["INVITE Felix #work"]);
    let invited = Effect::AgentInvited { agent: "felix".parse().unwrap(), channel: "#work".into() };
    assert!(rig.effects.contains(&invited));
    let told = rig.lines_to(1);
    assert_eq!(
        told,
        [
            ":abide.local 341 ann felix :#work".replace(" :#", " #"),
            ":felix!agent@agents.abide JOIN #work".to_owned(),
            ":abide.local MODE #work +v felix".to_owned(),
        ]
    );
    rig.feed(1, &["INVITE bob #work", "PRIVMSG #work :hello"]);
    assert_eq!(rig.lines_to(2), [":ann!ann@people.abide INVITE bob #work"]);
    assert_eq!(rig.said()[0].agents.len(), 1);
}

#[test]
fn an_agent_is_sent_away_from_where_it_was_invited_and_nobody_else_is() {
    let mut rig = two("");
    rig.feed(1, &["JOIN #work", "INVITE felix #work"]);
    rig.feed(2, &["JOIN #work"]);
    rig.effects.clear();
    rig.feed(2, &["KICK #work Felix :enough"]);
    let dismissed =
        Effect::AgentDismissed { agent: "felix".parse().unwrap(), channel: "#work".into() };
    assert!(rig.effects.contains(&dismissed));
    assert_eq!(rig.lines_to(1), [":bob!bob@people.abide KICK #work felix :enough"]);
    rig.lines_to(2);
    for line in ["KICK #work felix", "KICK #work ann", "KICK #abide felix", "KICK #work nobody"] {
        rig.feed(2, &[line]);
        assert_eq!(commands(&rig.lines_to(2)), ["482"], "{line}");
    }
    rig.feed(1, &["PRIVMSG #work :hello"]);
    assert!(rig.said()[0].agents.is_empty());
}

#[test]
fn the_past_comes_as_a_batch_with_its_own_times() {
    let mut rig = two("batch server-time message-tags labeled-response draft/chathistory");
    rig.feed(1, &["@label=h CHATHISTORY LATEST #abide * 2"]);
    assert!(rig.lines_to(1).is_empty(), "no ACK: the answer comes later");
    let look = rig.effects.iter().find_map(|effect| match effect {
        Effect::LoadHistory { request, .. } => Some(request.clone()),
        _ => None,
    });
    let request = look.unwrap();
    assert_eq!(request.query.account.as_deref(), Some("ann"));
    assert_eq!(
        (request.query.window.clone(), request.query.limit),
        (HistoryRange::Latest(None), 2)
    );
    let line = |speaker, nick: &str, kind, msgid: &str| HistoryLine {
        speaker,
        nick: nick.into(),
        text: "hi".into(),
        kind,
        msgid: msgid.into(),
        at: "2026-11-27T20:00:00Z".parse().unwrap(),
    };
    let found = vec![
        line(Speaker::Person(Some("bob".into())), "bob", SpokenKind::Speech, "m1"),
        line(Speaker::Agent("felix".parse().unwrap()), "felix", SpokenKind::Action, "m2"),
    ];
    rig.step(Input::History { id: ClientId(1), request: request.clone(), found: Ok(found) });
    let told = rig.lines_to(1);
    let time = "time=2026-11-27T20:00:00.000Z";
    assert_eq!(told.len(), 4);
    assert!(
        told[0].starts_with("@label=h;time=") && told[0].ends_with("BATCH +b1 chathistory #abide")
    );
    assert_eq!(
        told[1],
        format!("@batch=b1;{time};msgid=m1 :bob!bob@people.abide PRIVMSG #abide :hi")
    );
    assert_eq!(
        told[2],
        format!(
            "@batch=b1;{time};msgid=m2 :felix!agent@agents.abide PRIVMSG #abide :\u{1}ACTION hi\u{1}"
        )
    );
    rig.step(Input::History { id: ClientId(1), request, found: Err(HistoryError::UnknownPoint) });
    assert!(
        rig.lines_to(1)[0].contains("FAIL CHATHISTORY MESSAGE_ERROR LATEST #abide :no message")
    );
}

#[test]
fn a_line_that_the_sink_refuses_is_reported_to_its_speaker() {
    let mut rig = two("");
    rig.step(Input::LineRefused {
        id: ClientId(1),
        target: "felix".into(),
        reason: "queue full".into(),
    });
    assert_eq!(rig.lines_to(1), [":abide.local NOTICE ann :felix did not accept that: queue full"]);
}

#[test]
fn empty_channels_are_forgotten_and_too_many_are_not_made() {
    let mut rig = two("");
    rig.feed(1, &["JOIN #x", "TOPIC #x :old", "PART #x :bye", "JOIN #x"]);
    let told = rig.lines_to(1);
    assert!(told.contains(&":ann!ann@people.abide PART #x :bye".to_owned()));
    assert!(commands(&told).contains(&"332".to_owned()), "its topic is kept");
    for number in 0..100 {
        rig.feed(1, &[&format!("JOIN #c{number}")]);
    }
    assert!(commands(&rig.lines_to(1)).contains(&"405".to_owned()));
    rig.feed(1, &["JOIN 0"]);
    assert_eq!(rig.state.channels.len(), 1, "the home channel stays");
}

#[test]
fn a_past_that_is_too_long_to_be_sent_at_once_is_cut_at_the_far_end_of_the_question() {
    let mut rig = two("message-tags draft/chathistory");
    let long = |number: usize| HistoryLine {
        speaker: Speaker::Person(Some("bob".into())),
        nick: "bob".into(),
        text: vec!["x".repeat(199); 200].join("\n"),
        kind: SpokenKind::Speech,
        msgid: format!("m{number}"),
        at: "2026-11-27T20:00:00Z".parse().unwrap(),
    };
    let mut short = long(0);
    short.text = "hi".to_owned();
    let all: Vec<_> = (1..=98).map(long).collect();
    let all = [vec![short.clone()], all, vec![short]].concat();
    for (question, is_latest) in [("LATEST #abide *", true), ("AFTER #abide msgid=m", false)] {
        rig.feed(1, &[&format!("CHATHISTORY {question} 100")]);
        let Some(Effect::LoadHistory { id, request }) = rig.effects.pop() else { panic!() };
        rig.step(Input::History { id, request, found: Ok(all.clone()) });
        let told = rig.lines_to(1);
        assert_eq!(told.len(), 201, "{question}: one short and one long message");
        let bytes: usize = told.iter().map(String::len).sum();
        assert!(bytes < HISTORY_BYTES_MAX, "{bytes}");
        let ids: Vec<_> = told.iter().filter(|line| line.contains("msgid=")).collect();
        let wanted = if is_latest { ["msgid=m98", "msgid=m0"] } else { ["msgid=m0", "msgid=m1"] };
        assert!(ids.iter().zip(wanted).all(|(line, id)| line.contains(id)), "{ids:?}");
    }
    rig.feed(1, &["CHATHISTORY LATEST #abide * 100"]);
    let Some(Effect::LoadHistory { id, request }) = rig.effects.pop() else { panic!() };
    let mut huge = long(1);
    huge.text = "x\n".repeat(1_000);
    rig.step(Input::History { id, request, found: Ok(vec![huge]) });
    assert_eq!(rig.lines_to(1).len(), 1_000, "at least one message");
}
