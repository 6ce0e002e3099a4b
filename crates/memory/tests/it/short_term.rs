//! Short-term memory: exchanges, conversational time, resets, and windows that are a function of the ledger.

use abide_domain::{Timestamp, envelope::Channel, turn::Exchange};
use abide_memory::{
    EXCHANGES_KEPT_MAX, HistoryScope, SESSIONS_MAX, ShortTerm, TOKENS_KEPT_MAX, Window,
};
use proptest::prelude::*;

use crate::world::{START, World, epoch, felix};

fn folded(world: &World) -> ShortTerm {
    let mut short_term = ShortTerm::new(felix());
    for applied in world.applied() {
        short_term.apply(&applied);
    }
    short_term
}

fn epochs(window: &Window) -> Vec<u128> {
    window.exchanges.iter().map(|exchange| exchange.epoch.uuid().as_u64_pair().1.into()).collect()
}

#[test]
fn an_exchange_is_what_was_said_and_what_was_committed() {
    let mut world = World::default();
    world.accept(epoch(1), "direct:nicolas", "hello");
    world.answer(epoch(1), 1, 1, Some("interim"));
    world.answer(epoch(1), 2, 1, Some("a first try"));
    world.answer(epoch(1), 2, 2, Some("good day"));
    world.push("felix", Some(epoch(1)), abide_domain::event::EpochCommitted { turn: 2 });
    let short_term = folded(&world);
    let sent_at = Timestamp::from_micros(START - 3_600_000_000);
    let replied_at = Timestamp::from_micros(START - 3_600_000_000 + 4_000_000);
    let expected = Exchange {
        epoch: epoch(1),
        sender: "nicolas".into(),
        channel: Channel::Direct,
        sent_at,
        stimulus: "hello".into(),
        reply: "good day".into(),
        replied_at,
    };
    let held: Vec<_> = short_term.exchanges().map(|exchange| (**exchange).clone()).collect();
    assert_eq!(held, [expected]);
    let (of, output) = short_term.last_reply("direct:nicolas").unwrap();
    assert_eq!((of, &*output.content, output.timestamp), (epoch(1), "good day", replied_at));
    assert_eq!(short_term.last_reply("direct:ada"), None);
}

#[test]
fn an_aborted_epoch_leaves_nothing() {
    let mut world = World::default();
    world.accept(epoch(1), "s", "hello");
    world.answer(epoch(1), 1, 1, Some("never sent"));
    let empty = folded(&World::default()).state_parts();
    world.abort(epoch(1));
    let short_term = folded(&world);
    assert!(short_term.is_empty());
    assert_eq!(short_term.last_reply("s"), None);
    assert_eq!(short_term.state_parts(), empty);
}

#[test]
fn a_reset_takes_what_was_committed_before_it_and_keeps_the_last_replies() {
    let mut world = World::default();
    world.exchange(1, "a", "one", "1");
    world.exchange(2, "b", "two", "2");
    let through = world.head();
    world.exchange(3, "a", "three", "3");
    world.reset(None, through);
    let short_term = folded(&world);
    assert_eq!(epochs(&short_term.window(HistoryScope::Agent, 1000)), [3]);
    assert_eq!(epochs(&short_term.window(HistoryScope::Session("a"), 1000)), [3]);
    assert_eq!(epochs(&short_term.window(HistoryScope::Session("b"), 1000)), [0u128; 0]);
    assert_eq!(short_term.last_reply("b").unwrap().0, epoch(2));
    assert_eq!(short_term.last_reply("a").unwrap().0, epoch(3));

    let mut before = world.clone();
    before.lines.pop();
    assert_eq!(folded(&before).count_through(through), 2);
    assert_ne!(folded(&before).state_parts(), short_term.state_parts());
}

#[test]
fn an_epoch_open_across_a_reset_stays() {
    let mut world = World::default();
    world.accept(epoch(1), "s", "hello");
    let head = world.head();
    world.reset(None, head + 1);
    world.answer(epoch(1), 1, 1, Some("hi"));
    world.commit(epoch(1));
    assert_eq!(folded(&world).len(), 1);
}

#[test]
fn sessions_are_windows_of_their_own() {
    let mut world = World::default();
    for n in 1..=20 {
        world.exchange(n, if n % 2 == 0 { "even" } else { "odd" }, "said", "told");
    }
    let short_term = folded(&world);
    let window = short_term.window(HistoryScope::Session("even"), 10_000);
    assert_eq!(epochs(&window), (1..=10).map(|n| 2 * n).collect::<Vec<_>>());
    assert_eq!((window.omitted, window.tokens), (0, 180));
    let all = short_term.window(HistoryScope::Agent, 10_000);
    assert_eq!((all.exchanges.len(), all.tokens), (20, short_term.tokens()));
}

#[test]
fn the_start_of_the_window_moves_in_big_steps() {
    let mut world = World::default();
    let mut short_term = ShortTerm::new(felix());
    let (mut starts, mut applied) = (Vec::new(), 0);
    for n in 1..=1_000 {
        world.exchange(n, "s", "what was said, in some words", "what was told, in some words");
        for line in &world.lines[applied..] {
            short_term.apply(&line.applied());
        }
        applied = world.lines.len();
        let window = short_term.window(HistoryScope::Agent, 3_200);
        assert!(window.tokens <= 3_200);
        assert!(n < 110 || window.tokens >= 1_800, "{n}: {}", window.tokens);
        assert_eq!(window.exchanges.last().unwrap().epoch, epoch(n), "the newest is shown");
        assert_eq!(window.omitted + window.exchanges.len() as u64, n);
        starts.push(epochs(&window)[0]);
    }
    assert!(starts.is_sorted(), "the start never goes back");
    starts.dedup();
    assert!(starts.len() < 30, "{} starts in 1000 epochs", starts.len());
}

#[test]
fn an_exchange_is_whole_or_absent() {
    let mut world = World::default();
    world.exchange(1, "s", "small", "small");
    world.exchange(2, "s", &"x".repeat(360), "y");
    let short_term = folded(&world);
    // 20 tokens, then 16 + 90 + 1.
    let cases = [(127, vec![1, 2], 0), (126, vec![2], 1), (107, vec![2], 1), (106, vec![], 2)];
    for (tokens_max, shown, omitted) in cases {
        let window = short_term.window(HistoryScope::Agent, tokens_max);
        assert_eq!((epochs(&window), window.omitted), (shown, omitted), "{tokens_max}");
    }
    assert_eq!(short_term.window(HistoryScope::Agent, 0).tokens, 0);
    assert_eq!(folded(&World::default()).window(HistoryScope::Agent, 0).omitted, 0);
}

#[test]
fn ten_thousand_exchanges_cost_a_window_only_its_own_size() {
    let mut short_term = ShortTerm::new(felix());
    let mut seen = 0;
    for n in 1..=10_000u64 {
        let mut world = World::default();
        world.exchange(n, "s", "hello there", "hello yourself");
        for line in &world.lines {
            let mut applied = line.applied();
            seen += 1;
            applied.seq = seen;
            short_term.apply(&applied);
        }
    }
    assert_eq!(short_term.len(), 10_000);
    let window = short_term.window(HistoryScope::Agent, 32_000);
    assert_eq!(window.omitted + window.exchanges.len() as u64, 10_000);
    assert!(window.exchanges.len() < 1_500, "{}", window.exchanges.len());
    // Texts are shared with what is held, not copied.
    let newest = short_term.exchanges().next_back().unwrap();
    assert!(std::sync::Arc::ptr_eq(&newest.reply, &window.exchanges.last().unwrap().reply));
}

#[test]
fn far_behind_texts_are_let_go_and_still_counted() {
    let mut world = World::default();
    let long = "x".repeat(40_000);
    for n in 1..=150 {
        world.exchange(n, "s", "hello", &long);
    }
    let short_term = folded(&world);
    let held = short_term.exchanges().count();
    assert!(held < 100, "{held} of at most {TOKENS_KEPT_MAX} tokens");
    assert_eq!(short_term.len(), 150);
    for scope in [HistoryScope::Agent, HistoryScope::Session("s")] {
        let window = short_term.window(scope, u64::MAX);
        assert_eq!((window.exchanges.len(), window.omitted), (held, 150 - held as u64));
        assert!(window.tokens <= TOKENS_KEPT_MAX);
    }
    const { assert!(EXCHANGES_KEPT_MAX >= 10_000) };
}

#[test]
fn the_replies_of_the_longest_silent_sessions_are_forgotten() {
    let mut world = World::default();
    let sessions = SESSIONS_MAX as u64 + 10;
    world.exchange(0, "loyal", "hi", "hi");
    for n in 1..=sessions {
        world.exchange(n, &format!("s{n}"), "hi", "hi");
        if n % 1000 == 0 {
            world.exchange(1_000_000 + n, "loyal", "hi", "hi");
        }
    }
    let short_term = folded(&world);
    assert_eq!(short_term.last_reply("s1"), None);
    assert!(short_term.last_reply("loyal").is_some());
    assert!(short_term.last_reply(&format!("s{sessions}")).is_some());
}

/// The rule of the window, the slow way: over plain lists.
fn naive(costs: &[u64], tokens_max: u64) -> usize {
    let total: u64 = costs.iter().sum();
    if total <= tokens_max {
        return 0;
    }
    let grain = (tokens_max.next_power_of_two() / 32).max(1);
    let cap = tokens_max / grain * grain;
    let step = (cap * 2 / 5).max(1);
    let mut edge = 0;
    while total - edge.min(total) > cap {
        edge += step;
    }
    let begins = |index: usize| costs[..index].iter().sum::<u64>();
    (0..costs.len())
        .find(|index| begins(*index) >= edge)
        .or_else(|| (0..costs.len()).find(|index| total - begins(*index) <= tokens_max))
        .unwrap_or(costs.len())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_window_is_a_function_of_the_ledger(
        lives in prop::collection::vec((0u8..3, 0usize..400, any::<bool>(), 0u8..12), 1..60),
        tokens_max in 0u64..600,
    ) {
        let mut world = World::default();
        let mut short_term = ShortTerm::new(felix());
        let mut applied = 0;
        for (n, (session, length, aborts, reset)) in (1..).zip(&lives) {
            let session = format!("s{session}");
            if *aborts {
                world.accept(epoch(n), &session, "lost");
                world.abort(epoch(n));
            } else {
                world.exchange(n, &session, &"x".repeat(*length), "ok");
            }
            if *reset == 0 {
                let through = world.head() / 2;
                world.reset(None, through);
            }
            for line in &world.lines[applied..] {
                short_term.apply(&line.applied());
                short_term.apply(&line.applied());
            }
            applied = world.lines.len();
            // Rendering on the way must leave no trace.
            short_term.window(HistoryScope::Agent, tokens_max / 2);
        }
        let again = folded(&world);
        for scope in [HistoryScope::Agent, HistoryScope::Session("s0"), HistoryScope::Session("s1")] {
            let window = short_term.window(scope, tokens_max);
            prop_assert_eq!(&window, &again.window(scope, tokens_max));
            prop_assert!(window.tokens <= tokens_max);
        }
        prop_assert_eq!(short_term.state_parts(), again.state_parts());

        let costs: Vec<u64> = short_term
            .exchanges()
            .map(|exchange| exchange.stimulus.len().div_ceil(4) as u64 + 1 + 16)
            .collect();
        let window = short_term.window(HistoryScope::Agent, tokens_max);
        prop_assert_eq!(window.omitted, naive(&costs, tokens_max) as u64);
    }
}
