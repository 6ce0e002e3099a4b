//! The rules on plain statements, on what only looks like one, and on a log that is mostly junk (BC-29).

use std::collections::BTreeSet;

use abide_domain::{EpochId, Timestamp, envelope::Channel};
use uuid::Uuid;

use super::{FactCategory, Passage, facts};

fn passage(number: u128, sender: &str, channel: Channel, stimulus: &str, reply: &str) -> Passage {
    Passage {
        epoch: EpochId::from_uuid(Uuid::from_u128(number)),
        session: format!("{channel}:{sender}").into(),
        sender: sender.to_owned(),
        channel,
        sent_at: Timestamp::from_micros(i64::try_from(number).unwrap() * 60_000_000),
        stimulus: stimulus.into(),
        reply: reply.into(),
        untrusted: false,
        from_agent: false,
    }
}

fn said(stimulus: &str) -> Vec<String> {
    let found = facts(&[passage(1, "nicolas", Channel::Direct, stimulus, "ok")]);
    found.into_iter().map(|fact| fact.content).collect()
}

#[test]
fn plain_statements_become_facts_about_their_sender_or_their_work() {
    let cases = [
        ("My name is Nicolas Weber.", "nicolas's name is Nicolas Weber"),
        ("Hi, I live in Berlin, Germany.", "nicolas lives in Berlin"),
        ("I've moved to Lisbon because of the sun", "nicolas lives in Lisbon"),
        ("By the way, I prefer short answers.", "nicolas prefers short answers"),
        ("I prefer tabs over spaces.", "nicolas prefers tabs over spaces"),
        ("I work at Initech", "nicolas works at Initech"),
        ("My birthday is 3 May.", "nicolas's birthday is 3 May"),
        ("My favourite colour is green.", "nicolas's favourite colour is green"),
        ("I'm allergic to peanuts.", "nicolas is allergic to peanuts"),
        ("I\u{2019}m vegetarian.", "nicolas is vegetarian"),
        ("We use Postgres for billing.", "We use Postgres for billing"),
        ("we switched from Jenkins to Woodpecker", "We switched from Jenkins to Woodpecker"),
        ("We decided to drop support for Windows 7.", "We decided to drop support for Windows 7"),
        ("The deadline is Friday.", "The deadline is Friday"),
        (
            "The deadline for the launch is 25 November.",
            "The deadline for the launch is 25 November",
        ),
        (
            "The deadline for the launch moved to 2 December.",
            "The deadline for the launch moved to 2 December",
        ),
        ("The staging server is down since Monday.", "The staging server is down since Monday"),
        ("libfoo is deprecated in favour of libbar", "Libfoo is deprecated in favour of libbar"),
        (
            "Our staging server is staging-3.example.com.",
            "Our staging server is staging-3.example.com",
        ),
        ("Remember that the gate code is 4711.", "The gate code is 4711"),
        ("Please remember that I live in Oslo", "nicolas lives in Oslo"),
    ];
    for (text, fact) in cases {
        assert_eq!(said(text), [fact], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_statement_gives_nothing() {
    let cases = [
        "Do you know that my name is Nicolas?",
        "My name is not Bob.",
        "If I live in Berlin, what should I wear?",
        "In the story, my name is Bob.",
        "Imagine I live in Rome.",
        "Bob says: I live in Rome.",
        "Bob said \"I live in Rome and work there\".",
        "> I live in Rome.",
        "I prefer that.",
        "I prefer it this way.",
        "I think the deadline is Friday.",
        "The deadline is unreasonable.",
        "It is down.",
        "He is broken.",
        "Maybe the server is down.",
        "We use it for that.",
        "My boss is angry.",
        "I live in hope.",
        "Call me later.",
        "Is the build broken?",
        "The server is not down.",
        "I would prefer tea if there were any.",
        "You work in the archive.",
        "Remember that?",
        "Recalled memories:\nMy name is Bob.\nI live in Rome.",
    ];
    for text in cases {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_subject_is_whoever_speaks() {
    let passages = [
        passage(1, "ada", Channel::Direct, "I live in Paris.", "noted"),
        passage(2, "bob", Channel::Irc, "I live in Oslo.", "noted"),
    ];
    let found = facts(&passages);
    let told: Vec<_> =
        found.iter().map(|f| (f.told_by.as_str(), f.content.as_str(), f.slot.as_deref())).collect();
    let expected = [
        ("ada", "ada lives in Paris", Some("ada/home")),
        ("bob", "bob lives in Oslo", Some("bob/home")),
    ];
    assert_eq!(told, expected);
    assert_eq!(found[0].category, FactCategory::User);
    assert_eq!(found[1].sources, [passages[1].epoch]);
}

/// Twenty true facts of two people, as they were said.
const TRUE: [(&str, &str, &str); 20] = [
    ("nicolas", "My name is Nicolas Weber.", "nicolas's name is Nicolas Weber"),
    ("nicolas", "I live in Berlin.", "nicolas lives in Berlin"),
    ("nicolas", "Just so you know, I prefer short answers.", "nicolas prefers short answers"),
    ("nicolas", "My birthday is 3 May.", "nicolas's birthday is 3 May"),
    ("nicolas", "I'm allergic to peanuts.", "nicolas is allergic to peanuts"),
    ("nicolas", "I work at Initech.", "nicolas works at Initech"),
    ("nicolas", "We use Postgres for billing.", "We use Postgres for billing"),
    (
        "nicolas",
        "The deadline for the launch is 25 November.",
        "The deadline for the launch is 25 November",
    ),
    (
        "nicolas",
        "The staging server is down since Monday.",
        "The staging server is down since Monday",
    ),
    ("nicolas", "libfoo is deprecated.", "Libfoo is deprecated"),
    ("ada", "My name is Ada Byron.", "ada's name is Ada Byron"),
    ("ada", "I live in Paris.", "ada lives in Paris"),
    ("ada", "I prefer tea over coffee.", "ada prefers tea over coffee"),
    ("ada", "My timezone is Europe/Paris.", "ada's timezone is Europe/Paris"),
    ("ada", "We use Woodpecker for builds.", "We use Woodpecker for builds"),
    (
        "ada",
        "We decided to drop support for Windows 7.",
        "We decided to drop support for Windows 7",
    ),
    (
        "ada",
        "The deadline for the audit is next Friday.",
        "The deadline for the audit is next Friday",
    ),
    ("ada", "The old API is retired.", "The old API is retired"),
    ("ada", "Please remember that the gate code is 4711.", "The gate code is 4711"),
    ("ada", "My favourite editor is Helix.", "ada's favourite editor is Helix"),
];

const BOOT: &str = "Good morning. My name is Felix. I work in the hall of records. I prefer long answers.\n\
     We use SQLite for everything. The deadline for waking is 7:00. The old memory is deprecated.";
const SMALL_TALK: [&str; 6] = [
    "How are you today?",
    "I love that you remembered it.",
    "Could you look at the race condition again? I think the lock is wrong.",
    "That is great, thanks!",
    "The tests are green on my machine, are they on yours?",
    "Let's go on tomorrow.",
];

/// 500 exchanges: the facts, the same boot text every day, recalled memories quoted back, reports of timers and of the watchdog.
fn junk_log() -> Vec<Passage> {
    let mut log: Vec<Passage> = Vec::new();
    for number in 0..500u128 {
        let (sender, channel, stimulus): (&str, Channel, String) = match number % 25 {
            0 => ("nicolas", Channel::Api, BOOT.to_owned()),
            5 => (
                "system",
                Channel::System,
                format!(
                    "Cron report {number}: the backup is broken. My name is Cron. I live in Timerland."
                ),
            ),
            8 => (
                "cron",
                Channel::Api,
                format!(
                    "Run {number}: the deadline for rotation is {number}. We use Cron for rotation."
                ),
            ),
            11 => (
                "watchdog",
                Channel::System,
                format!("@tickle paging felix: the agent is down. scan {number}"),
            ),
            13 => (
                "nicolas",
                Channel::Direct,
                format!(
                    "Recalled memories:\n- I live in Rome\n- My name is Rex\n- We use MySQL for billing\n\nIs any of this right ({number})?"
                ),
            ),
            16 => (
                "ada",
                Channel::Direct,
                format!(
                    "You told me: \"the deadline for the audit is in {number} days\". Really?\n> I prefer dark rooms."
                ),
            ),
            19 => (
                "ada",
                Channel::Direct,
                format!("```\nERROR {number}: the old server is down\n```\nWhat does it mean?"),
            ),
            3 if number / 25 < 20 => {
                let (sender, text, _) = TRUE[usize::try_from(number / 25).unwrap()];
                (sender, Channel::Direct, text.to_owned())
            }
            other => {
                let text = SMALL_TALK[usize::try_from(other).unwrap() % SMALL_TALK.len()];
                ("nicolas", Channel::Direct, format!("{text} ({number})"))
            }
        };
        let reply = format!(
            "I recall: my name is Rex, I live in Rome, and we use MySQL for billing ({number})."
        );
        log.push(passage(number + 1, sender, channel, &stimulus, &reply));
    }
    log
}

#[test]
fn bc_29_junk_and_echo_give_no_fact() {
    let log = junk_log();
    let found = facts(&log);
    let known: BTreeSet<&str> = TRUE.iter().map(|(_, _, fact)| *fact).collect();
    let got: BTreeSet<&str> = found.iter().map(|fact| fact.content.as_str()).collect();
    let right = got.intersection(&known).count();
    assert!(
        right * 100 >= got.len() * 95,
        "precision {right}/{}: {:?}",
        got.len(),
        got.difference(&known)
    );
    assert!(right >= 19, "recall {right}/20: {:?}", known.difference(&got));
    let own: BTreeSet<EpochId> = log
        .iter()
        .filter(|p| !p.is_of_person() || p.stimulus.contains("Recalled") || *p.stimulus == *BOOT)
        .map(|p| p.epoch)
        .collect();
    assert!(found.iter().all(|fact| fact.sources.iter().all(|source| !own.contains(source))));
    assert!(found.iter().all(|fact| fact.sources.len() == 1));
}

#[test]
fn what_an_agent_says_is_no_fact_and_no_source_when_it_is_said_back() {
    let passages = [
        passage(1, "nicolas", Channel::Direct, "Who am I?", "I live in Rome. My name is Rex."),
        passage(2, "nicolas", Channel::Direct, "I live in Rome. Is that what you said?", "Yes."),
    ];
    assert_eq!(facts(&passages), []);
    let other =
        Passage { from_agent: true, ..passage(3, "rex", Channel::Direct, "I live in Rome.", "ok") };
    assert_eq!(facts(&[other]), []);
}
