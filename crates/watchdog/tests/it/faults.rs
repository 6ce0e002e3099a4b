//! What must never page anybody: a keeper that was down, slow, blind or mute, and a clock that was set.

use abide_domain::event::watchdog::{BlindCause, RebaseCause, WatchdogEvent};
use abide_watchdog::{NoticeKind, WatchdogState, WatchdogTimings};

use crate::world::{Mode, World, pass, seconds};

fn stalled(name: &str, seed: u64) -> World {
    let world = World::new(seed);
    world.add(name);
    world.work(name);
    world
}

/// Folds the ledger as a start does.
fn fold(world: &World) -> WatchdogState {
    let mut watch = WatchdogState::default();
    world.state().ledger.iter().for_each(|entry| watch.apply_entry(entry));
    watch
}

/// Until something more is written, or for a while.
async fn next_line(world: &World) {
    let before = world.state().ledger.len();
    for _ in 0..200 {
        pass(1).await;
        if world.state().ledger.len() > before {
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_at_any_line_forgets_nothing_and_pages_nobody_twice() {
    // The undisturbed life has this many appends from the stall on; a restart falls behind each of them in turn.
    for dies_behind in 0..14 {
        let world = stalled("felix", 1);
        let mut keeper = world.start(WatchdogTimings::default());
        pass(359).await;
        let mut lives = 1;
        for append in 0..14 {
            world.state().dies_behind_append = append == dies_behind;
            next_line(&world).await;
            if append == dies_behind && !world.state().dies_behind_append {
                keeper.kill().await;
                pass(20).await;
                keeper = world.start(WatchdogTimings::default());
                lives += 1;
            }
        }
        pass(2000).await;
        keeper.kill().await;
        let count = |kind: &str| world.all(&format!("watchdog.{kind}")).len();
        assert_eq!(lives, 2, "behind {dies_behind}");
        assert_eq!(count("stall_opened"), 1, "behind {dies_behind}: {:?}", world.story());
        assert_eq!(count("paged"), 1, "behind {dies_behind}: {:?}", world.story());
        assert_eq!(count("escalated"), 1, "behind {dies_behind}: {:?}", world.story());
        assert_eq!(count("notified"), 1, "behind {dies_behind}: {:?}", world.story());
        let state = world.state();
        assert!(state.pages.len() <= 1, "behind {dies_behind}: never sent twice");
        let ids: std::collections::HashSet<_> = state.notices.iter().map(|(_, n)| n.id).collect();
        assert_eq!(ids.len(), 1, "behind {dies_behind}: a repetition can be told by its id");
    }
}

#[tokio::test(start_paused = true)]
async fn episodes_after_a_restart_are_those_before_it() {
    let world = stalled("felix", 1);
    world.add("ada");
    world.work("ada");
    let keeper = world.start(WatchdogTimings::default());
    for _ in 0..60 {
        pass(13).await;
        let before = keeper.handle.status().episodes;
        let after: Vec<_> = fold(&world).episodes().cloned().collect();
        assert_eq!(before, after);
    }
    assert_eq!(keeper.handle.status().episodes.len(), 2);
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn down_time_is_nobody_s_silence() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(290).await;
    keeper.kill().await;
    pass(8 * 3600).await;
    let keeper = world.start(WatchdogTimings::default());
    pass(290).await;
    assert_eq!(world.story(), Vec::<String>::new(), "its work was cut and is asked for again");
    pass(120).await;
    assert_eq!(world.first("watchdog.stall_opened").map(|at| at - 290 - 8 * 3600), Some(360));
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_keeper_that_starts_over_and_over_still_finds_a_stall() {
    let world = stalled("felix", 1);
    for _ in 0..8 {
        let keeper = world.start(WatchdogTimings::default());
        pass(100).await;
        keeper.kill().await;
        pass(5).await;
    }
    assert!(world.first("watchdog.stall_opened").is_some());
    assert!(!world.state().pages.is_empty(), "the ladder goes on from life to life");
    assert_eq!(world.all("watchdog.paged").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_window_does_not_run_out_while_the_keeper_is_down() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(400).await;
    assert_eq!(world.first("watchdog.paged"), Some(390));
    keeper.kill().await;
    pass(3600).await;
    let keeper = world.start(WatchdogTimings::default());
    pass(290).await;
    assert_eq!(world.first("watchdog.escalated"), None, "it has begun anew");
    pass(200).await;
    keeper.kill().await;
    assert_eq!(world.all("watchdog.escalated").len(), 1);
    assert_eq!(world.state().pages.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_slept_wakes_up_to_no_stall() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(250).await;
    world.state().shift += 3600 * 1_000_000;
    pass(80).await;
    assert_eq!(world.story(), Vec::<String>::new());
    pass(60).await;
    keeper.kill().await;
    assert_eq!(world.first("watchdog.stall_opened").map(|at| at - 3600), Some(360));
    let clock = |event: &WatchdogEvent| matches!(event, WatchdogEvent::Rebased(rebased) if rebased.cause == RebaseCause::Clock);
    assert!(world.lines().iter().any(|(_, _, event)| clock(event)));
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_stood_still_counts_the_time_as_lost() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(250).await;
    tokio::time::advance(seconds(1000)).await;
    pass(40).await;
    assert_eq!(world.story(), Vec::<String>::new());
    pass(80).await;
    keeper.kill().await;
    assert!(world.first("watchdog.stall_opened").is_some());
    let late = |event: &WatchdogEvent| matches!(event, WatchdogEvent::Rebased(rebased) if rebased.cause == RebaseCause::Late);
    assert!(world.lines().iter().any(|(_, _, event)| late(event)));
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_makes_nobody_stall_and_hides_nobody() {
    let world = stalled("felix", 1);
    world.add("busy");
    world.work("busy");
    let keeper = world.start(WatchdogTimings::default());
    pass(100).await;
    world.evidence("busy");
    world.state().shift -= 3600 * 1_000_000;
    for _ in 0..12 {
        pass(100).await;
        world.evidence("busy");
    }
    keeper.kill().await;
    let opened: Vec<_> = world
        .lines()
        .into_iter()
        .filter(|(_, _, event)| matches!(event, WatchdogEvent::StallOpened(_)))
        .collect();
    assert_eq!(opened.len(), 1);
    assert_eq!(opened[0].1.as_str(), "@felix");
    let kinds = [
        "stall_opened",
        "bell_rung",
        "bell_answered",
        "paged",
        "page_delivered",
        "escalated",
        "notified",
    ];
    assert_eq!(world.story(), kinds, "and its ladder keeps its time");
    let paged = world.state().pages[0].0;
    let told = world.state().notices[0].0;
    assert_eq!(told.since(paged), seconds(120));
}

#[tokio::test(start_paused = true)]
async fn a_scan_that_could_not_look_says_so_and_pages_nobody() {
    for mode in [Mode::Fails, Mode::Hangs] {
        let world = stalled("felix", 1);
        let keeper = world.start(WatchdogTimings::default());
        pass(170).await;
        world.state().observer = mode;
        let pings = world.good_pulses();
        pass(280).await;
        let blind = |world: &World| {
            let lines = world.lines();
            lines.iter().filter(|(_, _, event)| matches!(event, WatchdogEvent::Scanned(scan) if scan.blind == Some(BlindCause::Evidence))).count()
        };
        assert!(blind(&world) >= 4, "{mode:?}: each scan says so");
        assert_eq!(world.story(), ["blinded"], "{mode:?}");
        assert_eq!(world.good_pulses(), pings, "{mode:?}: no good scan, no ping");
        pass(200).await;
        assert_eq!(world.story(), ["blinded", "alarmed", "notified"], "{mode:?}: it has lasted");
        world.state().observer = Mode::Works;
        pass(65).await;
        let story = world.story();
        assert_eq!(story[3], "sighted", "{mode:?}: {story:?}");
        let kinds: Vec<_> = world.state().notices.iter().map(|(_, n)| n.kind.clone()).collect();
        assert!(matches!(kinds[0], NoticeKind::Blind(_)) && kinds[1] == NoticeKind::Sighted);
        keeper.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_hides_the_stalls_of_agents_and_is_told_of_instead() {
    for cause in [BlindCause::Keeper, BlindCause::Network] {
        let world = stalled("felix", 1);
        let keeper = world.start(WatchdogTimings::default());
        pass(170).await;
        world.state().outage = Some(cause);
        pass(1000).await;
        assert_eq!(world.story(), ["blinded", "alarmed", "notified"], "{cause:?}");
        world.state().outage = None;
        pass(130).await;
        assert_eq!(
            world.story()[3..],
            ["sighted", "closed"],
            "{cause:?}: the outage counts as nobody's silence"
        );
        pass(130).await;
        keeper.kill().await;
        assert!(world.first("watchdog.stall_opened").is_some(), "{cause:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_in_the_midst_of_an_episode_holds_its_ladder() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(400).await;
    world.state().outage = Some(BlindCause::Network);
    pass(290).await;
    let story = world.story();
    assert!(!story.contains(&"escalated".to_owned()), "{story:?}");
    world.state().outage = None;
    pass(180).await;
    keeper.kill().await;
    assert_eq!(world.all("watchdog.escalated").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_takes_nothing_pages_nobody_and_a_person_hears_of_it() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(290).await;
    world.state().record = Mode::Fails;
    pass(280).await;
    assert!(
        world.state().pages.is_empty()
            && world.state().rings == 0
            && world.state().notices.is_empty()
    );
    assert_eq!(keeper.handle.status().write_error.as_deref(), Some("no space left"));
    pass(100).await;
    let kinds: Vec<_> =
        world.state().notices.iter().map(|(_, notice)| notice.kind.clone()).collect();
    assert_eq!(
        kinds,
        [NoticeKind::Blind("no space left".into())],
        "once, though it cannot be written"
    );
    pass(600).await;
    assert_eq!(world.state().notices.len(), 1);
    world.state().record = Mode::Works;
    pass(5).await;
    assert_eq!(keeper.handle.status().write_error, None);
    assert!(world.first("watchdog.stall_opened").is_none(), "agents could not write either");
    pass(120).await;
    keeper.kill().await;
    assert!(world.first("watchdog.stall_opened").is_some());
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_has_just_been_registered_cannot_stall() {
    let world = World::new(1);
    let settings = WatchdogTimings {
        threshold: seconds(10),
        interval: seconds(5),
        ..WatchdogTimings::default()
    };
    let now = world.now();
    world.add_registered("felix", now);
    world.work("felix");
    let keeper = world.start(settings);
    pass(64).await;
    assert_eq!(world.story(), Vec::<String>::new());
    pass(10).await;
    keeper.kill().await;
    assert_eq!(world.first("watchdog.stall_opened"), Some(65));
}

#[tokio::test(start_paused = true)]
async fn scans_that_are_missed_are_counted() {
    let world = stalled("felix", 1);
    let keeper = world.start(WatchdogTimings::default());
    pass(61).await;
    let status = keeper.handle.status();
    assert_eq!(status.scans_missed(world.now()), 0);
    let later = world.now().plus(seconds(600));
    assert_eq!(status.scans_missed(later), 9);
    keeper.kill().await;
}
