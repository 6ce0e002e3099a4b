//! Sessions of real clients, recorded: what they sent is sent again, and what they need to be answered must come.

use super::{Rig, commands};

/// Feeds a recording and gives the commands of our answers to each line of the client.
fn replay(recording: &str, account: &str) -> Vec<(String, Vec<String>)> {
    let mut rig = Rig::new();
    rig.agents(&["tickle-1"]);
    rig.connect(1);
    if !recording.contains("AUTHENTICATE") {
        rig.feed(1, &[&format!("PASS {account}:pw")]);
    }
    let mut answers = Vec::new();
    for line in recording.lines().filter_map(|line| line.strip_prefix("C: ")) {
        rig.feed(1, &[line]);
        let is_asked =
            rig.effects.iter().any(|effect| matches!(effect, super::Effect::Admit { .. }));
        if is_asked {
            rig.admit(1, Some(account));
        }
        let told = rig.lines_to(1);
        rig.effects.clear();
        answers.push((line.to_owned(), commands(&told)));
    }
    answers
}

/// What the recorded server answered to each line of the client.
fn recorded(recording: &str) -> Vec<(String, Vec<String>)> {
    let mut answers: Vec<(String, Vec<String>)> = Vec::new();
    for line in recording.lines() {
        if let Some(line) = line.strip_prefix("C: ") {
            answers.push((line.to_owned(), Vec::new()));
        } else if let Some(line) = line.strip_prefix("  S: ") {
            let message = crate::irc::line::IrcMessage::parse(line.as_bytes()).unwrap();
            answers.last_mut().unwrap().1.push(message.command);
        }
    }
    answers
}

#[test]
fn recorded_clients_get_all_that_they_got_then() {
    let recordings = [
        ("ii", include_str!("../../../../../tests/fixtures/irc/ii.log")),
        ("irssi", include_str!("../../../../../tests/fixtures/irc/irssi.log")),
        ("weechat", include_str!("../../../../../tests/fixtures/irc/weechat.log")),
        ("weechat with SASL", include_str!("../../../../../tests/fixtures/irc/weechat-sasl.log")),
    ];
    for (client, recording) in recordings {
        let ours = replay(recording, "acct");
        let theirs = recorded(recording);
        assert_eq!(ours.len(), theirs.len());
        for ((line, ours), (_, theirs)) in ours.iter().zip(&theirs) {
            // Before registration there is no channel to join, whatever a recorder says; and no topic is set here.
            if line == "JOIN :" {
                assert_eq!(ours, &["451"], "{client}");
                continue;
            }
            let needed = theirs
                .iter()
                .filter(|command| !["332", "333", "PRIVMSG"].contains(&command.as_str()));
            for command in needed {
                assert!(
                    ours.contains(command),
                    "{client}: {line} is not answered with {command}: {ours:?}"
                );
            }
        }
        let joined = ours.iter().find(|(line, _)| line == "JOIN #futon").unwrap();
        assert_eq!(joined.1, ["JOIN", "353", "366"], "{client}");
    }
}
