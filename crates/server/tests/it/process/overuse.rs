//! Models that ask for too much, and conversations that grow too long: the keeper ends or shortens it by itself, within
//! small bounds, and answers the next (BC-22, BC-23).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use abide_testkit::{ModelServer, Reply, SeenRequest, rounds};
use serde_json::{Value, json};

use super::scene::{all_epochs, assert_verified, thinking_with};
use crate::home::{Home, Keeper};

/// Rounds of all kinds of repetition in `make soak`.
const ROUNDS: u32 = 20;
/// Calls in one answer that asks for everything.
const FLOOD: u32 = 10_000;
/// Turns of an epoch.
const TURNS: usize = 6;
/// How much a keeper may grow over all rounds: what is kept of each epoch, and what the allocator keeps.
const GROWTH_KIB_MAX: u64 = 48 * 1024;

/// A way of asking again and again: what the person says, the code of the end, and how often the model is asked.
const REPETITIONS: [(&str, &str, usize); 5] = [
    ("the same", "breaker", 3),
    ("in turns", "breaker", 5),
    ("at once", "breaker", 1),
    ("with effects", "turns_spent", TURNS),
    ("everything", "bad_voice", 2),
];

/// Never comes to an end.
fn never_done(request: &SeenRequest) -> Reply {
    let text = request.user_text();
    let search = |query: &str| (request.spelling("memory.search_facts"), json!({"query": query}));
    let append = |line: String| (request.spelling("probe.append"), json!({"line": line}));
    let asked = request.messages.iter().filter(|message| !message.calls.is_empty()).count();
    if text.contains("the same") {
        Reply::calls([search("heron")])
    } else if text.contains("in turns") {
        Reply::calls([search(if asked.is_multiple_of(2) { "heron" } else { "crane" })])
    } else if text.contains("at once") {
        Reply::calls((0..20).map(|_| search("heron")))
    } else if text.contains("with effects") {
        Reply::calls([append("again".to_owned())])
    } else if text.contains("everything") {
        Reply::calls((0..FLOOD).map(|n| append(format!("flood {n}"))))
    } else {
        Reply::text("Here I am.")
    }
}

/// Memory of a keeper and of all processes below it.
fn resident_kib(keeper: &Keeper) -> u64 {
    let mut processes = vec![keeper.pid()];
    let mut sum_kib = 0;
    while let Some(pid) = processes.pop() {
        // A process may end while it is looked at.
        let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { continue };
        let resident = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        sum_kib += resident.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
        processes.extend(children(pid));
    }
    sum_kib
}

fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn bc_22_a_model_that_repeats_itself_is_stopped_within_a_few_calls_and_memory_stays_flat() {
    let server = ModelServer::builder().rule(never_done).journal_max(8).start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let probe = folder.path().join("probe");
    let home = Home::new(&format!(
        "{}[limits]\nturns = {TURNS}\n[test]\nprobe_file = {:?}\n",
        thinking_with(&server, &["ada"]),
        probe.to_str().unwrap()
    ));
    let keeper = home.up();
    let mut settled_kib = 0;
    for round in 0..=rounds(ROUNDS) {
        for (what, code, asked) in REPETITIONS {
            let before = server.count();
            let epoch = keeper.client.say(&format!("do it: {what}"));
            assert_eq!(epoch["state"], "aborted", "{what}: {epoch}");
            assert_eq!(epoch["abort"]["code"], code, "{what}: {}", epoch["abort"]);
            assert_eq!(server.count() - before, asked, "{what}: how often the model was asked");
        }
        // The first round fills what is filled once.
        if round == 0 {
            settled_kib = resident_kib(&keeper);
        }
    }
    let lines = std::fs::read_to_string(&probe).unwrap();
    assert_eq!(lines.lines().count(), TURNS * (rounds(ROUNDS) as usize + 1), "each turn once");
    assert!(!lines.contains("flood"), "more calls than a turn may have: none of them runs");
    let growth_kib = resident_kib(&keeper).saturating_sub(settled_kib);
    assert!(growth_kib <= GROWTH_KIB_MAX, "it grew by {growth_kib} KiB");
    assert_eq!(keeper.client.say("hello")["final_response"], "Here I am.", "the next is answered");
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
    server.assert_clean();
}

/// What the model takes, at four bytes a token.
const TOKENS_MAX: usize = 8_000;
/// Messages of the long conversation, a thousand tokens each.
const MESSAGES: usize = 100;
const MESSAGE_CHARS: usize = 4_000;
/// Prompts that may be rejected until the keeper has learnt what fits.
const REJECTIONS_MAX: usize = 6;

/// Tells something long that can be told from the others.
fn story(n: usize) -> String {
    let word = format!("story{n} ");
    word.repeat(MESSAGE_CHARS / word.len())
}

#[test]
fn bc_23_a_conversation_longer_than_the_model_takes_goes_on_without_anybodys_help() {
    let rejected = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&rejected);
    let short_of_room = move |request: &SeenRequest| {
        if request.body.to_string().len() / 4 > TOKENS_MAX {
            count.fetch_add(1, Ordering::Relaxed);
            return Reply::context_too_long();
        }
        // Providers that count nothing say that everything cost nothing.
        Reply::text("I see.").usage(0, 0)
    };
    let server = ModelServer::builder().rule(short_of_room).journal_max(1_000).start().unwrap();
    let home = Home::new(&thinking_with(&server, &["ada"]));
    let mut keeper = home.up();
    for n in 0..MESSAGES {
        let epoch = keeper.client.say(&story(n));
        assert_eq!(epoch["state"], "committed", "{n}: {}", epoch["abort"]);
        if n == MESSAGES / 2 {
            keeper.kill();
            keeper = home.up();
        }
    }
    let rejections = rejected.load(Ordering::Relaxed);
    assert!((1..=REJECTIONS_MAX).contains(&rejections), "{rejections} prompts did not fit");

    // What failed added nothing to what is shown, and nothing that was said is lost.
    let requests = server.requests();
    for request in &requests {
        let users: Vec<&str> = request
            .messages
            .iter()
            .map(|message| &*message.text)
            .filter(|text| text.contains("story"))
            .collect();
        let mut distinct = users.clone();
        distinct.dedup();
        assert_eq!(users, distinct, "a stimulus is shown twice");
        assert!(!request.body.to_string().contains("context_length"), "an error is in a prompt");
    }
    let shown = requests.last().unwrap().messages.len();
    assert!(shown >= 3, "some of the past is still shown: {shown} messages");
    let epochs = all_epochs(&keeper.client);
    let told: Vec<Value> = (0..MESSAGES).rev().map(|n| story(n).trim_end().into()).collect();
    assert_eq!(epochs.iter().map(content).collect::<Vec<_>>(), told);
    keeper.kill();
    let keeper = home.up();
    assert_eq!(all_epochs(&keeper.client), epochs, "the past is untouched");
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
    server.assert_clean();
}

fn content(epoch: &Value) -> Value {
    epoch["stimulus"]["content"].as_str().unwrap().trim_end().into()
}
