//! The measuring functions run, on few rounds; what they measure is judged elsewhere.

use std::{sync::Arc, time::Instant};

use abide_domain::{Clock, Timestamp, event::KeeperStopped};
use abide_ledger::{
    Draft, LedgerOptions,
    bench::{Bench, replay},
};

#[derive(Debug)]
struct RunningClock(Instant);

impl Clock for RunningClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_795_817_403_000_000).plus(self.monotonic())
    }

    fn monotonic(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}

#[test]
fn each_measurement_does_the_same_work_raw_and_through_the_ledger() {
    #[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
    let clock = Arc::new(RunningClock(Instant::now()));
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let options = LedgerOptions::new(Arc::<RunningClock>::clone(&clock));
        let draft = Draft::of_keeper(KeeperStopped { reason: "x".repeat(40) });
        let mut bench = Bench::open(folder.path(), options, draft).await.unwrap();
        for round in [
            bench.lone().await.unwrap(),
            bench.concurrent(4, 5).await.unwrap(),
            bench.pipelined(8, 5).await.unwrap(),
        ] {
            assert!(!round.raw.is_zero() && !round.ledger.is_zero());
        }
        bench.close().await;
    });
    let replay = replay(&folder.path().join("ledger"), &*clock).unwrap();
    assert_eq!(replay.events, 2 + 1 + 4 * 5 + 8 * 5);
    let raw = std::fs::metadata(folder.path().join("raw")).unwrap().len();
    assert!(raw.abs_diff(replay.bytes) < replay.bytes, "{raw} and {} bytes", replay.bytes);
    assert!(!replay.records.is_zero() && !replay.read.is_zero() && !replay.parse.is_zero());
}
