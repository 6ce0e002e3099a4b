//! Time and ids that tests control.

use std::time::Duration;

use abide_domain::{Clock as _, Timestamp};
use abide_testkit::{FakeClock, TokioClock};

#[test]
fn a_wall_clock_set_back_does_not_turn_monotonic_time_back() {
    let clock = FakeClock::default();
    let start = clock.now();
    clock.advance(Duration::from_secs(5));
    clock.set(Timestamp::from_micros(0));
    assert_eq!(clock.now(), Timestamp::from_micros(0));
    assert_eq!(clock.clone().monotonic(), Duration::from_secs(5));
    assert_eq!(start.to_string(), "2026-11-27T22:10:03.000000Z");
}

#[tokio::test(start_paused = true)]
async fn the_tokio_clock_follows_paused_time() {
    let start = Timestamp::from_micros(1_000_000);
    let clock = TokioClock::new(start);
    tokio::time::sleep(Duration::from_hours(2)).await;
    assert!(clock.monotonic() >= Duration::from_hours(2));
    assert_eq!(clock.now(), start.plus(clock.monotonic()));
}
