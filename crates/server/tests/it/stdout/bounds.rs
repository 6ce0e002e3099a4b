//! Conditions that ask for too much work: they end with an error that says what was too much, and nobody else waits.

use std::thread;

use serde_json::json;

use super::{refusal, run, still_home};

/// Notes of a log, and bytes of each.
const NOTES: usize = 100;
const NOTE_BYTES: usize = 9_000;

#[test]
fn a_pattern_that_would_take_long_to_compile_is_refused_with_its_place() {
    let home = still_home();
    let keeper = home.up();
    for (pattern, at) in [("(?:){999999999}", 1), ("ab[a-z]{1,600}b", 3), ("x(a{900}){900}", 2)] {
        for command in ["stdout query:", "wake"] {
            let text = format!(r"\{command} ?(tick > 1 and content matches '{pattern}') x ---");
            let error = refusal(&keeper.client, "ada", &text);
            let place = format!("at character {at} of the pattern");
            assert!(error.contains("needs too much work") && error.contains(&place), "{error}");
        }
    }
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn a_search_that_needs_too_much_work_ends_with_the_entry_and_nobody_waits_for_it() {
    let home = still_home();
    let keeper = home.up();
    let note = "a".repeat(NOTE_BYTES);
    for _ in 0..NOTES {
        run(&keeper.client, "ada", &format!(r"\stdout write: {note} ---"));
    }
    let part = "content matches '[a-z]{1,400}b'";
    let command = format!(r"\stdout query: ?({}) ---", [part; 8].join(" or "));
    let body = json!({"as": "ada", "command": command});
    let search = || keeper.client.post("/stdout", &body);
    thread::scope(|scope| {
        let searches: Vec<_> = (0..8).map(|_| scope.spawn(search)).collect();
        // The keeper has two threads or more; eight searches would hold them all.
        while !searches.iter().all(thread::ScopedJoinHandle::is_finished) {
            assert_eq!(keeper.client.get("/health").status, 200);
        }
        for search in searches {
            // A machine that is fast enough finds within its time that there is nothing.
            let answer = search.join().unwrap();
            if answer.status != 200 {
                assert_eq!(answer.status, 422, "{answer:?}");
                let error = answer.json()["error"]["message"].as_str().unwrap().to_owned();
                assert!(error.contains("At the entry of tick"), "{error}");
                assert!(error.contains("the search was stopped after 2 s"), "{error}");
            }
        }
    });
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn who_grants_again_and_again_is_told_when_it_may_go_on() {
    let home = still_home();
    let keeper = home.up();
    let grants = r"\grant @bob --- \revoke @bob --- ".repeat(300);
    let mut refused = None;
    for _ in 0..4 {
        let answer =
            keeper.client.post("/stdout", &json!({"as": "felix", "command": grants.clone()}));
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a refusal");
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!(seconds >= 1);
    let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("ERROR: Too many changes: that is too often; try again in"),
        "{message}"
    );
    let ledger = home.ledger();
    let changes = ledger.iter().filter(|line| {
        let kind = line["kind"].as_str().unwrap();
        kind == "stdout.granted" || kind == "stdout.revoked"
    });
    assert!(changes.count() <= 520);
    assert!(run(&keeper.client, "felix", "read:").contains("No stdout entries"), "reading goes on");
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn names_that_nobody_knows_get_only_so_many_logs() {
    let home = still_home();
    let keeper = home.up();
    let mut refused = 0;
    for n in 0..200 {
        assert!(run(&keeper.client, &format!("nobody-{n}"), "read:").contains("No stdout entries"));
        let body = json!({"as": format!("nobody-{n}"), "command": "here I am"});
        let answer = keeper.client.post("/stdout", &body);
        if answer.status == 422 {
            let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
            assert!(message.starts_with(&format!("ERROR: Nobody here is called @nobody-{n}")));
            refused += 1;
        }
    }
    assert_eq!(refused, 200 - 64);
    let files = std::fs::read_dir(home.path().join("memory").join("stdout")).unwrap();
    assert_eq!(files.count(), 64);
    run(&keeper.client, "felix", "an agent has its log all the same");
    run(&keeper.client, "nobody-0", "and who has one goes on");
    assert_eq!(keeper.stop(), Some(0));
}
