//! Cases of the session, without sockets: a rig that plays the network.

use std::{sync::Arc, time::Duration};

use super::Session;
use crate::irc::{
    client::event::{ClientState, SessionAction, SessionEvent},
    client::{ClientConfig, Jitter, Sasl, SayError, Security, SendCertainty, SiblingAgent},
    clock_reading::ClockReading,
    line::IrcMessage,
    spoken::{Speaker, SpokenKind, SpokenLine, Target},
};

#[derive(Debug)]
struct Whole;

impl Jitter for Whole {
    fn fraction(&self) -> f64 {
        1.0
    }
}

fn config() -> ClientConfig {
    ClientConfig {
        network: "net".into(),
        host: "localhost".into(),
        port: 6667,
        security: Security::Plain,
        agent: "felix".parse().unwrap(),
        nick: "felix".into(),
        alternates: vec!["felix2".into()],
        real_name: "Felix, an assistant".into(),
        server_password: None,
        sasl: None,
        channels: vec!["#Abide".into()],
        follows_invitations: false,
        siblings: Vec::new(),
    }
}

fn with_sasl() -> ClientConfig {
    let sasl = Sasl { account: "felix".into(), password: abide_http::Secret::new("pw") };
    ClientConfig { sasl: Some(sasl), ..config() }
}

struct Rig {
    session: Session,
    now: ClockReading,
}

impl Rig {
    fn new(config: ClientConfig) -> Self {
        let now = ClockReading {
            wall: "2026-11-27T22:10:03Z".parse().unwrap(),
            monotonic: Duration::from_secs(1_000),
        };
        Self { session: Session::new(config, Arc::new(Whole)), now }
    }

    /// A session whose connection has come up; what it says at once is forgotten.
    fn connected(config: ClientConfig) -> Self {
        let mut rig = Self::new(config);
        assert_eq!(
            rig.step(SessionEvent::Wake),
            [SessionAction::StateChanged, SessionAction::Dial]
        );
        rig.step(SessionEvent::Connected);
        rig
    }

    /// A session that is on the network and in its channel, with these capabilities.
    fn online(config: ClientConfig, caps: &str) -> Self {
        let mut rig = Self::connected(config);
        rig.hear(&[
            &format!(":s CAP * LS :{caps}"),
            &format!(":s CAP * ACK :{caps}"),
            ":s 001 felix :Welcome",
            ":s 005 felix NICKLEN=20 :are supported",
            ":s 376 felix :End",
            ":felix!f@h JOIN #Abide",
        ]);
        rig
    }

    fn step(&mut self, event: SessionEvent) -> Vec<SessionAction> {
        self.session.step(self.now, event)
    }

    /// Lines from the server; gives what is sent in answer.
    fn hear(&mut self, lines: &[&str]) -> Vec<String> {
        let mut sent = Vec::new();
        for line in lines {
            let message = IrcMessage::parse(line.as_bytes()).unwrap();
            sent.extend(lines_of(self.step(SessionEvent::Line(message))));
        }
        sent
    }

    fn heard(&mut self, line: &str) -> Option<SpokenLine> {
        let message = IrcMessage::parse(line.as_bytes()).unwrap();
        let actions = self.step(SessionEvent::Line(message));
        actions.into_iter().find_map(|action| match action {
            SessionAction::Deliver(line) => Some(*line),
            _ => None,
        })
    }

    fn say(&mut self, ticket: u64, target: &str, text: &str) -> Vec<SessionAction> {
        let (target, text) = (target.to_owned(), text.to_owned());
        self.step(SessionEvent::Say { ticket, target, text, kind: SpokenKind::Speech })
    }

    /// Time passes; gives what is done when it has.
    fn pass(&mut self, seconds: u64) -> Vec<SessionAction> {
        self.now.monotonic += Duration::from_secs(seconds);
        self.step(SessionEvent::Wake)
    }

    fn rests_for(&self) -> u64 {
        self.session.wake_at().saturating_sub(self.now.monotonic).as_secs()
    }
}

fn lines_of(actions: Vec<SessionAction>) -> Vec<String> {
    let lines = actions.into_iter().filter_map(|action| match action {
        SessionAction::Send(line) => Some(line.trim_end().to_owned()),
        _ => None,
    });
    lines.collect()
}

fn outcomes(actions: Vec<SessionAction>) -> Vec<(u64, Result<SendCertainty, SayError>)> {
    let outcomes = actions.into_iter().filter_map(|action| match action {
        SessionAction::Settle { ticket, outcome } => Some((ticket, outcome)),
        _ => None,
    });
    outcomes.collect()
}

#[test]
fn a_network_is_joined_step_by_step() {
    let mut rig = Rig::new(ClientConfig {
        server_password: Some(abide_http::Secret::new("serverpw")),
        ..with_sasl()
    });
    rig.step(SessionEvent::Wake);
    let actions = rig.step(SessionEvent::Connected);
    assert_eq!(
        lines_of(actions),
        ["CAP LS 302", "PASS serverpw", "NICK felix", "USER felix 0 * :Felix, an assistant",]
    );
    assert_eq!(rig.session.state(), ClientState::Connecting);
    let sent = rig.hear(&[
        ":s CAP * LS * :server-time away-notify",
        ":s CAP * LS :sasl=PLAIN,EXTERNAL batch",
    ]);
    assert_eq!(sent, ["CAP REQ :server-time batch sasl"]);
    assert_eq!(rig.hear(&[":s CAP felix ACK :server-time batch sasl"]), ["AUTHENTICATE PLAIN"]);
    assert_eq!(rig.hear(&["AUTHENTICATE +"]), ["AUTHENTICATE ZmVsaXgAZmVsaXgAcHc="]);
    assert_eq!(rig.hear(&[":s 900 felix f!f@h felix :in", ":s 903 felix :ok"]), ["CAP END"]);
    assert_eq!(
        rig.hear(&[":s 001 felix :Welcome", "PING :x y", ":s 376 felix :End"]),
        ["PONG :x y", "JOIN #abide",]
    );
    rig.hear(&[":felix!f@h JOIN #Abide"]);
    let state = ClientState::Online { nick: "felix".into(), channels: vec!["#Abide".into()] };
    assert_eq!(rig.session.state(), state);
}

#[test]
fn nothing_is_said_without_the_account() {
    for lines in [
        vec![":s CAP * LS :server-time", ":s CAP * ACK server-time"],
        vec![":s CAP * LS :sasl", ":s CAP * ACK sasl", ":s 904 felix :no"],
        vec![":s CAP * LS :sasl", ":s CAP * NAK sasl"],
        vec![":s 001 felix :Welcome"],
    ] {
        let mut rig = Rig::connected(with_sasl());
        rig.hear(&lines);
        assert!(matches!(rig.session.state(), ClientState::Waiting { .. }), "{lines:?}");
        assert_eq!(rig.rests_for(), 300, "a quick return would only repeat it");
        assert_eq!(rig.hear(&[":s 001 felix :Welcome"]), [""; 0], "what comes later is ignored");
    }
}

#[test]
fn an_old_server_without_capabilities_will_do() {
    let mut rig = Rig::connected(config());
    let sent =
        rig.hear(&[":s 421 felix CAP :Unknown", ":s 001 felix :hi", ":s 422 felix :no motd"]);
    assert_eq!(sent, ["JOIN #abide"]);
}

#[test]
fn another_nick_is_taken_and_the_wanted_one_got_back() {
    let mut rig = Rig::connected(with_sasl());
    rig.hear(&[":s CAP * LS :sasl", ":s CAP * ACK sasl", ":s 903 * :ok"]);
    let refused = ":s 433 * felix :in use";
    assert_eq!(rig.hear(&[refused]), ["NICK felix2"]);
    assert_eq!(rig.hear(&[refused]), ["NICK felix_"]);
    assert_eq!(rig.hear(&[refused]), ["NICK felix_1"]);
    rig.hear(&[":s 001 felix_1 :hi", ":s 376 felix_1 :End", ":felix_1!f@h JOIN #abide"]);
    assert_eq!(lines_of(rig.pass(5)), ["PRIVMSG NickServ :REGAIN felix", "NICK felix"]);
    assert_eq!(rig.hear(&[":s 433 felix_1 felix :in use"]), [""; 0]);
    assert_eq!(lines_of(rig.pass(59)), [""; 0]);
    assert_eq!(lines_of(rig.pass(1)), ["PRIVMSG NickServ :GHOST felix", "NICK felix"]);
    assert_eq!(lines_of(rig.pass(60)), ["NICK felix"]);
    assert_eq!(rig.hear(&[":felix!x@y QUIT :gone"]), ["NICK felix"], "at once when it is free");
    rig.hear(&[":felix_1!f@h NICK felix"]);
    assert!(matches!(rig.session.state(), ClientState::Online { nick, .. } if nick == "felix"));
    assert_eq!(lines_of(rig.pass(60)), [""; 0]);
}

#[test]
fn a_nick_that_is_too_long_is_cut_as_the_server_wants_it() {
    let long = ClientConfig { nick: "felix-the-cat".into(), alternates: Vec::new(), ..config() };
    let mut rig = Rig::connected(long);
    assert_eq!(rig.hear(&[":s 432 * felix-the-cat :too long"]), ["NICK felix-th_"]);
    assert_eq!(rig.hear(&[":s 433 * felix-th_ :in use"]), ["NICK felix-t_1"]);
    rig.hear(&[":s 001 felix-t_1 :hi", ":s 005 felix-t_1 NICKLEN=9 :are"]);
    assert_eq!(lines_of(rig.pass(5)), ["NICK felix-the"]);
    rig.hear(&[":felix-t_1!f@h NICK felix-the"]);
    assert_eq!(lines_of(rig.pass(60)), [""; 0], "the cut nick is what can be had");
}

#[test]
fn a_network_that_takes_no_nick_is_left_alone_for_a_while() {
    let mut rig = Rig::connected(config());
    for _ in 0..=20 {
        rig.hear(&[":s 433 * x :in use"]);
    }
    assert_eq!(rig.rests_for(), 300);
}

#[test]
fn a_broken_connection_is_made_again_with_longer_pauses() {
    let mut rig = Rig::new(config());
    assert_eq!(rig.step(SessionEvent::Wake), [SessionAction::StateChanged, SessionAction::Dial]);
    for pause in [2, 4, 8, 16] {
        // Whether it never came up or broke early makes no difference.
        if pause > 4 {
            rig.step(SessionEvent::Connected);
        }
        assert_eq!(
            rig.step(SessionEvent::Lost { reason: "reset".into() }),
            [SessionAction::StateChanged]
        );
        assert_eq!(rig.rests_for(), pause);
        assert_eq!(rig.pass(pause - 1), []);
        assert_eq!(rig.pass(1), [SessionAction::StateChanged, SessionAction::Dial]);
    }
    let mut rig = Rig::online(config(), "batch");
    rig.now.monotonic += Duration::from_mins(2);
    rig.hear(&["ERROR :Closing link"]);
    assert_eq!(rig.rests_for(), 2, "it had been proven");
}

#[test]
fn a_silent_server_is_pinged_and_given_up() {
    let mut rig = Rig::online(config(), "batch");
    assert_eq!(lines_of(rig.pass(120)), [""; 0]);
    assert_eq!(lines_of(rig.pass(1)), ["PING abide"]);
    assert_eq!(lines_of(rig.pass(5)), [""; 0]);
    rig.hear(&[":s PONG s abide"]);
    assert_eq!(lines_of(rig.pass(121)), ["PING abide"]);
    assert!(rig.pass(60).contains(&SessionAction::HangUp));
    let mut rig = Rig::connected(config());
    assert!(!rig.pass(60).contains(&SessionAction::HangUp));
    assert!(rig.pass(1).contains(&SessionAction::HangUp), "a registration has its time, too");
}

#[test]
fn channels_are_joined_again() {
    let mut rig = Rig::online(config(), "batch");
    rig.hear(&[":op!o@h KICK #abide felix :out"]);
    assert_eq!(
        outcomes(rig.say(1, "#abide", "hi")),
        [(1, Err(SayError::NotJoined("#abide".into())))]
    );
    assert_eq!(lines_of(rig.pass(59)), [""; 0]);
    assert_eq!(lines_of(rig.pass(1)), ["JOIN #abide"]);
    rig.hear(&[":s 474 felix #abide :banned"]);
    assert_eq!(lines_of(rig.pass(60)), ["JOIN #abide"]);
    rig.hear(&[":felix!f@h JOIN #abide"]);
    assert_eq!(lines_of(rig.pass(60)), [""; 0]);
    assert_eq!(rig.hear(&[":op!o@h INVITE felix #other"]), [""; 0]);
    let mut rig = Rig::online(ClientConfig { follows_invitations: true, ..config() }, "batch");
    assert_eq!(rig.hear(&[":op!o@h INVITE felix #Other"]), ["JOIN #other"]);
    assert_eq!(rig.hear(&[":op!o@h INVITE bob #third"]), [""; 0]);
}

#[test]
fn speech_is_no_faster_than_networks_allow() {
    let mut rig = Rig::online(config(), "batch");
    let text = ["a", "b", "c", "d", "e", "f"].join("\n");
    let actions = rig.say(7, "#ABIDE", &text);
    // One token of the burst went to the JOIN.
    let sent = lines_of(actions.clone());
    assert_eq!(sent, ["a", "b", "c", "d"].map(|word| format!("PRIVMSG #Abide :{word}")));
    assert_eq!(outcomes(actions), []);
    assert_eq!(rig.rests_for(), 2);
    assert_eq!(lines_of(rig.pass(2)), ["PRIVMSG #Abide :e"]);
    let actions = rig.pass(2);
    assert_eq!(outcomes(actions), [(7, Ok(SendCertainty::Written))]);
    for ticket in 8..12 {
        rig.say(ticket, "#abide", &"x\n".repeat(50));
    }
    assert_eq!(outcomes(rig.say(12, "#abide", &"x\n".repeat(50))), [(12, Err(SayError::Full))]);
    let broken = outcomes(rig.step(SessionEvent::Lost { reason: "reset".into() }));
    assert_eq!(broken.len(), 4, "whoever waits is told");
    assert_eq!(outcomes(rig.say(13, "#abide", "x")), [(13, Err(SayError::NotConnected))]);
}

#[test]
fn an_echo_proves_that_something_was_said() {
    let mut rig = Rig::online(config(), "echo-message labeled-response batch message-tags");
    let actions = rig.say(1, "#abide", "one\ntwo");
    assert_eq!(lines_of(actions.clone()), ["PRIVMSG #Abide :one", "@label=t1 PRIVMSG #Abide :two"]);
    assert_eq!(outcomes(actions), []);
    let echo = |line: &str| SessionEvent::Line(IrcMessage::parse(line.as_bytes()).unwrap());
    assert_eq!(outcomes(rig.step(echo(":felix!f@h PRIVMSG #Abide :one"))), []);
    let actions = rig.step(echo("@label=t1;msgid=m9 :felix!f@h PRIVMSG #Abide :two"));
    assert_eq!(outcomes(actions), [(1, Ok(SendCertainty::Confirmed(Some("m9".into()))))]);
    rig.say(2, "bob", "psst");
    let actions = rig.step(echo("@label=t2 :s 401 felix bob :No such nick"));
    assert_eq!(outcomes(actions), [(2, Err(SayError::Refused("No such nick".into())))]);
    rig.pass(10);
    rig.say(3, "#abide", "lost");
    let actions = rig.pass(30);
    assert_eq!(outcomes(actions), [(3, Ok(SendCertainty::Written))], "an echo that never comes");
    let mut rig = Rig::online(config(), "echo-message");
    rig.say(4, "#abide", "same");
    let actions = rig.step(echo(":felix!f@h PRIVMSG #Abide :same"));
    assert_eq!(
        outcomes(actions),
        [(4, Ok(SendCertainty::Confirmed(None)))],
        "told by its text without labels"
    );
}

#[test]
fn what_is_heard_carries_no_more_trust_than_it_has() {
    let kin = |account: Option<&str>| SiblingAgent {
        agent: "tickle-1".parse().unwrap(),
        nick: "tickle-1".into(),
        account: account.map(str::to_owned),
    };
    let config = ClientConfig { siblings: vec![kin(Some("tickle"))], ..config() };
    let mut rig = Rig::online(config.clone(), "account-tag message-tags server-time");
    let said = rig
        .heard(
            "@account=ann;msgid=m;time=2026-11-27T20:00:00.000Z :Ann!a@h PRIVMSG #abide :felix: hi",
        )
        .unwrap();
    assert_eq!(said.speaker, Speaker::Person(Some("ann@net".into())));
    assert_eq!((said.target, said.msgid.as_str()), (Target::Channel("#Abide".into()), "m"));
    assert_eq!(said.at.to_string(), "2026-11-27T20:00:00.000000Z");
    assert_eq!(said.agents[0].nick, "felix");
    let said = rig.heard(":bob!b@h PRIVMSG felix :hi").unwrap();
    assert_eq!(said.speaker, Speaker::Person(None));
    assert_eq!(said.target, Target::Agent("felix".parse().unwrap()));
    let said = rig.heard("@account=tickle :other!t@h PRIVMSG #abide :page").unwrap();
    assert_eq!(said.speaker, Speaker::Agent("tickle-1".parse().unwrap()));
    let said = rig.heard(":tickle-1!t@h PRIVMSG #abide :page").unwrap();
    assert_eq!(said.speaker, Speaker::Person(None));
    assert!(said.relay.is_some(), "a nick alone proves nothing, and is not answered either");
    let said = rig.heard("@bot :robot!r@h PRIVMSG #abide :hi").unwrap();
    assert_eq!(said.relay.as_deref(), Some("bot"));
    for line in [
        ":s NOTICE felix :server words",
        ":felix!f@h PRIVMSG #abide :own echo",
        ":bob!b@h PRIVMSG #elsewhere :hi",
        ":bob!b@h PRIVMSG felix :\u{1}VERSION\u{1}",
    ] {
        assert_eq!(rig.heard(line), None, "{line}");
    }
    let mut rig = Rig::online(config, "server-time");
    let said = rig.heard("@account=ann :Ann!a@h PRIVMSG #abide :hi").unwrap();
    assert_eq!(said.speaker, Speaker::Person(None), "a tag that was not asked for proves nothing");
}

#[test]
fn the_end_is_said_and_final() {
    let mut rig = Rig::online(config(), "batch");
    let actions = rig.step(SessionEvent::Stop);
    assert_eq!(actions[0], SessionAction::Send("QUIT :good-bye\r\n".into()));
    assert!(actions.contains(&SessionAction::HangUp));
    assert_eq!(rig.session.state(), ClientState::Stopped);
    assert_eq!(rig.pass(1_000), []);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn any_server_is_survived(lines in proptest::collection::vec("(:[a-z]{1,6}(!u@h)? )?(CAP|AUTHENTICATE|001|005|376|43[2367]|90[0-8]|JOIN|PART|KICK|NICK|QUIT|INVITE|PRIVMSG|ERROR|PING|ACK|401|474)( [#a-z=*+]{1,8}){0,3}( :[ -~]{0,20})?", 0..60)) {
        let mut rig = Rig::connected(with_sasl());
        for line in &lines {
            rig.hear(&[line]);
            rig.say(1, "#abide", "x");
            rig.pass(7);
            if matches!(rig.session.phase, super::Phase::Dialing) {
                rig.step(SessionEvent::Connected);
            }
        }
    }
}
