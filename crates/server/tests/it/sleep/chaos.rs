//! BC-27 on the real binary: the keeper dies at every step of a sleep, and what is left is what an undisturbed one leaves.

use abide_testkit::{SplitMix64, rounds};
use serde_json::json;

use super::night::{config, credulous, dream_files, facts, named, say, sleep, wait_for_end};
use crate::{
    home::{Home, Keeper},
    process::scene::{assert_verified, of_kind},
};

/// Deaths in `make soak`.
const ROUNDS: u32 = 50;
/// Every point of a sleep.
const POINTS: [&str; 10] = [
    "start_before",
    "start_after",
    "facts_before",
    "facts_after",
    "identity_before",
    "identity_after",
    "dream_before",
    "dream_after",
    "end_before",
    "end_after",
];
const SAID: [(&str, &str); 4] = [
    ("nicolas", "I live in Berlin."),
    ("nicolas", "We use Postgres for billing."),
    ("nicolas", "What do you think about it?"),
    ("nicolas", "The deadline for the launch is 25 November."),
];

#[test]
fn no_point_of_a_sleep_is_left_out() {
    let listed = String::from_utf8(Home::new("").run(["test", "failpoints"]).stdout).unwrap();
    let listed: Vec<_> = listed.lines().filter_map(|point| point.strip_prefix("sleep.")).collect();
    assert_eq!(listed, POINTS);
}

#[test]
fn a_keeper_that_dies_at_any_step_of_a_sleep_leaves_what_an_undisturbed_one_does() {
    let mut dice = SplitMix64::new(27);
    let first = usize::try_from(dice.below(POINTS.len() as u64)).unwrap();
    for round in 0..rounds(ROUNDS) as usize {
        let point = POINTS[(first + round) % POINTS.len()];
        // Each further turn through the points dies once more on the way, at another one.
        let again = (round / POINTS.len() > 0).then(|| POINTS[(first + round * 3) % POINTS.len()]);
        round_of(round, point, again);
    }
}

fn round_of(round: usize, point: &str, again: Option<&str>) {
    let server = credulous();
    let home = Home::new(&config(&server));
    let keeper = home.up();
    let committed: Vec<String> =
        SAID.iter().map(|(sender, text)| say(&keeper.client, sender, text)).collect();
    assert_eq!(keeper.stop(), Some(0));
    for point in [Some(point), again].into_iter().flatten() {
        let failpoints = [("ABIDE_TEST_FAILPOINTS", format!("sleep.{point}=exit"))];
        // One that goes on with a sleep may die before it has said that it is ready.
        die_or_end(home.begin(&failpoints));
    }
    let keeper = home.up();
    let ledger = home.ledger();
    let has_begun = !of_kind(&ledger, "sleep.started").is_empty();
    let ended = if has_begun { wait_for_end(&keeper.client, 0) } else { sleep(&keeper.client) };
    let what = format!("round {round}, {point}, {again:?}");
    assert_eq!(ended["status"], "ok", "{what}: {ended}");
    let ledger = home.ledger();
    let once: std::collections::BTreeMap<String, usize> =
        committed.iter().map(|epoch| (epoch.clone(), 1)).collect();
    assert_eq!(named(&ledger), once, "{what}: each epoch once");
    let expected = [
        "nicolas: I live in Berlin",
        "nicolas: The deadline for the launch is 25 November",
        "nicolas: We use Postgres for billing",
    ];
    assert_eq!(facts(&keeper.client), expected, "{what}");
    for (kind, times) in [
        ("memory.fact_remembered", 3),
        ("memory.identity_changed", 2),
        ("memory.dream_written", 1),
        ("memory.reset", 1),
        ("sleep.ended", 1),
    ] {
        assert_eq!(of_kind(&ledger, kind).len(), times, "{what}: {kind}");
    }
    let seq = |kind: &str| of_kind(&ledger, kind).last().unwrap()["seq"].as_u64().unwrap();
    let last_finding = seq("memory.fact_remembered")
        .max(seq("memory.identity_changed"))
        .max(seq("memory.dream_written"));
    assert!(seq("memory.reset") > last_finding, "{what}: only what is durable is forgotten");
    let dreams = keeper.client.read("/dreams");
    let name = dreams["items"][0]["filename"].as_str().unwrap().to_owned();
    let content =
        keeper.client.read(&format!("/dreams/{name}"))["content"].as_str().unwrap().to_owned();
    assert_eq!(
        dream_files(&home).get(&name).map(Vec::as_slice),
        Some(content.as_bytes()),
        "{what}"
    );
    let answer = keeper.client.post("/management/sleep", &json!({}));
    assert_eq!(
        (answer.status, answer.json()["status"].as_str().unwrap().to_owned()),
        (200, "nothing".to_owned()),
        "{what}"
    );
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
}

/// Lets the agent sleep until the keeper dies at its failpoint, or the sleep ends: where it stands behind the point already,
/// that is not passed again.
fn die_or_end(mut keeper: Keeper) {
    let headers = [("content-type", "application/json")];
    while !keeper.is_gone() {
        let asked = keeper.client.attempt("POST", "/management/sleep", &headers, "{}");
        let is_loading = asked.is_some_and(|answer| answer.status == 503);
        if is_loading {
            continue;
        }
        let events = keeper.client.try_events("/events?after=0&kinds=sleep.ended", &[]);
        if events.is_some_and(|mut events| events.next().is_some()) {
            return keeper.kill();
        }
    }
}
