//! How late a page is: the threshold, and at most one scan.

use std::time::Duration;

use abide_domain::Timestamp;
use abide_watchdog::WatchdogTimings;

use crate::world::{Dice, World, id, rounds, seconds};

/// Lets one agent of each kind hang at some moment, and says how long after evidence and threshold each was paged.
async fn lateness(seed: u64, settings: WatchdogTimings) -> Vec<(bool, Duration)> {
    let world = World::new(seed);
    let mut dice = Dice(seed);
    let kinds = [("felix", false), ("ada", true)];
    for (name, has_process) in kinds {
        world.add(name);
        world.agent(name, |agent| agent.has_process = has_process);
    }
    let keeper = world.start(settings);
    let mut hung_at = Vec::new();
    for (name, _) in kinds {
        tokio::time::sleep(Duration::from_millis(dice.between(1, 300_000))).await;
        world.evidence(name);
        world.work(name);
        hung_at.push(world.now());
    }
    tokio::time::sleep(settings.threshold + settings.interval * 2 + seconds(60)).await;
    keeper.kill().await;
    let paged = |name: &str| -> Timestamp {
        let state = world.state();
        let mut pages = state.pages.iter();
        let page = pages.find(|(_, page)| page.lines.iter().any(|line| line.agent == id(name)));
        page.map(|(at, _)| *at).unwrap()
    };
    let late = |((name, has_process), hung): ((&str, bool), Timestamp)| {
        (has_process, paged(name).since(hung.plus(settings.threshold)))
    };
    kinds.into_iter().zip(hung_at).map(late).collect()
}

#[test]
fn a_page_comes_within_the_threshold_and_one_scan() {
    let mut most = Duration::ZERO;
    for seed in 0..u64::from(rounds(5_000)) {
        let mut dice = Dice(!seed);
        let settings = WatchdogTimings {
            interval: Duration::from_millis(dice.between(1_000, 120_000)),
            threshold: Duration::from_millis(dice.between(1_000, 600_000)),
            ..WatchdogTimings::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        for (has_process, late) in runtime.block_on(lateness(seed, settings)) {
            // Where there is a bell it has its window first.
            let bell = if has_process { settings.bell_window } else { Duration::ZERO };
            // The timers of the runtime count in milliseconds, and so does "strictly longer".
            let bound = settings.interval + bell + Duration::from_millis(5);
            assert!(late <= bound, "seed {seed}: {late:?} late, {bound:?} at most, {settings:?}");
            assert!(late >= bell, "seed {seed}: before the threshold or the bell");
            most = most.max((late.saturating_sub(bell)).div_f64(settings.interval.as_secs_f64()));
        }
    }
    assert!(most > Duration::from_millis(900), "no stall began right behind a scan: {most:?}");
}
