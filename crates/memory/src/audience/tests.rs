//! Tests of who may be told what: groups and private channels, shared matters, questions about oneself.

use abide_domain::{Sharing, envelope::Channel};
use proptest::prelude::*;

use super::{GroupMembers, Listener, Origin, is_about_oneself, is_shared_matter};

fn at<'a>(channel: Channel, session: &'a str, sender: &'a str) -> Origin<'a> {
    Origin { channel, session, sender }
}

#[test]
fn rooms_and_group_chats_are_groups_and_all_else_is_private() {
    for (channel, session, is_group) in [
        (Channel::Irc, "irc:#ops", true),
        (Channel::Irc, "irc:libera/#ops", true),
        (Channel::Irc, "irc:kim", false),
        (Channel::Irc, "irc:libera/kim", false),
        (Channel::Telegram, "telegram:-1001", true),
        (Channel::Telegram, "telegram:1001", false),
        (Channel::Direct, "direct:kim", false),
        (Channel::Direct, "#lab", true),
        (Channel::System, "#lab", true),
        (Channel::System, "@bob+@felix", false),
        (Channel::Api, "api:kim", false),
        (Channel::Api, "irc:#ops", false),
        (Channel::Direct, "telegram:-1001", false),
        (Channel::System, "telegram:-1001", true),
        (Channel::System, "telegram:1001", false),
    ] {
        assert_eq!(at(channel, session, "kim").group().is_some(), is_group, "{channel} {session}");
    }
}

#[test]
fn what_was_told_in_private_is_for_that_person_alone_on_whatever_private_channel() {
    let members = GroupMembers::default();
    let told = at(Channel::Direct, "direct:kim", "kim");
    let hears = |here| Listener::of(Sharing::Person, here).hears(&told, &members);
    assert!(hears(at(Channel::Api, "api:kim", "kim")));
    assert!(hears(at(Channel::Irc, "irc:kim", "kim")));
    assert!(!hears(at(Channel::Direct, "direct:lee", "lee")));
    assert!(!hears(at(Channel::Irc, "irc:#ops", "kim")), "others read along");
    assert!(!hears(at(Channel::System, "wake", "system")));
    assert!(!hears(at(Channel::System, "@felix+@kim", "kim")), "an agent of that name is nobody");
}

#[test]
fn a_name_that_somebody_chose_at_telegram_is_not_the_person_of_that_name_here() {
    let members = GroupMembers::default();
    let told = at(Channel::Direct, "direct:kim", "kim");
    let chat = at(Channel::Telegram, "telegram:77", "kim");
    assert!(!Listener::of(Sharing::Person, chat).hears(&told, &members));
    let renamed = at(Channel::Telegram, "telegram:77", "kimberly");
    assert!(Listener::of(Sharing::Person, renamed).hears(&chat, &members), "the chat is the same");
}

#[test]
fn what_the_clock_brings_up_in_a_chat_is_heard_by_those_of_the_chat_and_by_nobody_else() {
    let members = GroupMembers::default();
    let (told, reminder) =
        (at(Channel::Telegram, "telegram:77", "kim"), at(Channel::System, "telegram:77", "system"));
    let hears = |said, here| Listener::of(Sharing::Person, here).hears(&said, &members);
    assert!(hears(told, reminder) && hears(reminder, told));
    let group = at(Channel::System, "telegram:-1001", "system");
    assert!(!hears(told, group), "what was told in private is not for a group");
    assert!(hears(at(Channel::Telegram, "telegram:-1001", "kim"), group));
    assert!(!hears(reminder, at(Channel::Telegram, "telegram:78", "lee")));
    assert!(!hears(reminder, at(Channel::System, "wake", "system")));
}

#[test]
fn what_was_said_in_a_group_is_told_there_and_to_who_spoke_there() {
    let mut members = GroupMembers::default();
    let said = at(Channel::Irc, "irc:#ops", "kim");
    members.note(&said);
    members.note(&at(Channel::Irc, "irc:#ops", "ann"));
    let hears = |here| Listener::of(Sharing::Person, here).hears(&said, &members);
    assert!(hears(at(Channel::Irc, "irc:#ops", "new")));
    assert!(hears(at(Channel::Direct, "direct:ann", "ann")));
    assert!(!hears(at(Channel::Direct, "direct:lee", "lee")));
    assert!(!hears(at(Channel::Irc, "irc:#lobby", "ann")));
    assert_eq!(members.of("ann").collect::<Vec<_>>(), ["irc:#ops"]);
}

#[test]
fn what_is_shared_is_of_the_project_and_the_world_and_of_nobody_s_life() {
    for text in [
        "The launch is on 3 March.",
        "The launch moved to 17 March.",
        "No discount above 5 percent.",
        "Kein Rabatt über 5 Prozent.",
        "Le lancement est reporté au 17 mars.",
        "El lanzamiento se cambió al 17 de marzo.",
        "We ship on Monday.",
        "the staging server is called heron",
        "The demo is in room 4.12 at 10:30 on 2026-03-24.",
    ] {
        assert!(is_shared_matter(text, true), "{text}");
    }
    for text in [
        "My birthday is on 3 March.",
        "I live in Lyon.",
        "J'habite à Lyon.",
        "Vivo en Lyon desde mayo.",
        "Ich wohne in Lyon.",
        "Ann's bank is ING.",
        "Lee is the brother of Ann.",
        "The wifi password is tulip-42.",
        "The door code is 4711.",
        "The deal with Acme is confidential.",
        "The launch moved to 17 March, don't tell anyone.",
        "Der Start ist am 17. März, sag es niemandem.",
        "The number of Lee is 06 12 34 56 78.",
        "Should we let Lee go?",
        "Always answer you in French.",
        "発売日は三月三日です",
        "launch 3 March",
        "",
    ] {
        assert!(!is_shared_matter(text, true), "{text}");
    }
    assert!(is_shared_matter("I have finished the build of the site.", false));
    assert!(!is_shared_matter("I was told that the bank of Ann is ING.", false));
}

#[test]
fn a_question_about_oneself_is_known_in_four_languages() {
    for text in [
        "When is my birthday?",
        "Wann ist mein Geburtstag?",
        "Quand est mon anniversaire ?",
        "¿Cuándo es mi cumpleaños?",
        "Where do I live?",
    ] {
        assert!(is_about_oneself(text), "{text}");
    }
    for text in ["When is the launch?", "Tell me the time", "I wonder when the launch is"] {
        assert!(!is_about_oneself(text), "{text}");
    }
}

fn origins() -> impl Strategy<Value = (Channel, &'static str, &'static str)> {
    (
        prop::sample::select(Channel::ALL.to_vec()),
        prop::sample::select(vec![
            "irc:#ops",
            "irc:kim",
            "telegram:-1",
            "telegram:7",
            "direct:kim",
            "direct:lee",
            "#lab",
            "s",
        ]),
        prop::sample::select(vec!["kim", "lee", "system"]),
    )
}

proptest! {
    #[test]
    fn a_stricter_setting_never_tells_more_and_the_owner_is_told_all(
        said in origins(), here in origins(), noted in prop::collection::vec(origins(), 0..6)
    ) {
        let mut members = GroupMembers::default();
        for (channel, session, sender) in &noted {
            members.note(&at(*channel, session, sender));
        }
        let (said, here) = (at(said.0, said.1, said.2), at(here.0, here.1, here.2));
        let hears = |sharing| Listener::of(sharing, here).hears(&said, &members);
        prop_assert!(Listener::OWNER.hears(&said, &members) && hears(Sharing::Agent));
        // A group's words reach all who are in it; private words reach one person, and never a group.
        if hears(Sharing::Person) && said.group().is_none() {
            prop_assert!(here.group().is_none() && said.person() == here.person());
        }
        if hears(Sharing::Channel) {
            prop_assert!(said.session == here.session);
        }
    }

    #[test]
    fn a_text_with_a_word_of_oneself_is_never_shared(words in "[a-z ]{0,40}", own in prop::sample::select(vec!["I", "my", "ich", "mein", "je", "mon", "mi", "tengo"])) {
        let text = format!("the {words} {own} is on Monday");
        prop_assert!(!is_shared_matter(&text, true));
    }
}
