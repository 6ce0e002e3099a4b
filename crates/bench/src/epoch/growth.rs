//! One conversation over thousands of epochs: does the log grow by the same for each, and does an epoch take as long at
//! the end as at the beginning?
//!
//! The window of history is kept small enough to be full after the first hundred epochs, so that young and old prompts
//! are as long as each other: what then differs is the keeper's own. A young keeper and the old one alternate.

use super::{
    canned::Canned,
    keeper::{BenchKeeper, KeeperPlan},
    pace::TOKENS_MAX,
    plan::EpochBench,
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    spread::{Spread, float, median},
    system::Stopwatch,
};

/// `context.tokens_max` for the comparison.
const TOKENS_FEW: u64 = 8_000;
/// Epochs of the young keeper.
const YOUNG: u32 = 100;
/// Epochs of a slice.
const SLICE: usize = 40;

/// What a growing keeper measured in each tenth of its epochs.
#[derive(Default)]
struct Growth {
    bytes: Vec<f64>,
    rates: Vec<f64>,
}

/// Times of slices, and the history that their prompts carried.
#[derive(Default)]
struct Slices {
    p50s: Vec<f64>,
    tokens: Vec<f64>,
}

pub(super) fn measure(bench: &EpochBench<'_>, canned: &Canned) -> Result<Vec<Row>, BenchError> {
    bench.runtime.block_on(async {
        let mut rows = compare(bench, canned).await?;
        rows.push(wide(bench, canned).await?);
        Ok(rows)
    })
}

async fn compare(bench: &EpochBench<'_>, canned: &Canned) -> Result<Vec<Row>, BenchError> {
    let design = KeeperPlan { agents: 1, tokens_max: TOKENS_FEW };
    let old = BenchKeeper::open(&bench.scratch.join("old"), design, canned).await?;
    let growth = Growth::of(&old, bench.plan.epochs).await?;
    let young = BenchKeeper::open(&bench.scratch.join("young"), design, canned).await?;
    Growth::of(&young, YOUNG).await?;
    let (mut first, mut last) = (Slices::default(), Slices::default());
    for _ in 0..bench.plan.rounds {
        first.add(&young).await?;
        last.add(&old).await?;
    }
    young.close().await?;
    old.close().await?;
    let epochs = bench.plan.epochs;
    let title = format!("an epoch after {epochs} in one conversation, p50 of a slice");
    Ok(vec![
        growth.row(),
        Row::new("epoch_old", title, "ms", &last.p50s)
            .beside(format!("an epoch after {YOUNG}, alternating"), &last.p50s, &first.p50s)
            .held_to(Bar::at_most(BarSubject::Ratio, 1.1))
            .note(format!("tokens of history: young {}; old {}", first.history(), last.history())),
        Row::new("epochs_grown", "the rate while it grew", "epochs/s", &growth.rates),
    ])
}

/// How long an epoch takes once the default window is full.
async fn wide(bench: &EpochBench<'_>, canned: &Canned) -> Result<Row, BenchError> {
    let design = KeeperPlan { agents: 1, tokens_max: TOKENS_MAX };
    let keeper = BenchKeeper::open(&bench.scratch.join("wide"), design, canned).await?;
    Growth::of(&keeper, 3 * YOUNG).await?;
    let mut slices = Slices::default();
    for _ in 0..bench.plan.rounds {
        slices.add(&keeper).await?;
    }
    keeper.close().await?;
    let title = "an epoch with the default window of history full, p50 of a slice";
    let note = format!("tokens of history: {}", slices.history());
    Ok(Row::new("epoch_wide", title, "ms", &slices.p50s).note(note))
}

impl Growth {
    /// Lives through so many epochs.
    async fn of(keeper: &BenchKeeper, epochs: u32) -> Result<Self, BenchError> {
        let tenth = (epochs / 10).max(1);
        let mut growth = Self::default();
        for _ in 0..(epochs / tenth) {
            let (seq, watch) = (keeper.seq(), Stopwatch::start());
            for _ in 0..tenth {
                keeper.epoch(0).await?;
            }
            growth.rates.push(f64::from(tenth) / watch.seconds());
            growth.bytes.push(float(keeper.bytes_after(seq)?) / f64::from(tenth));
        }
        Ok(growth)
    }

    fn row(&self) -> Row {
        let end = |bytes: Option<&f64>| [bytes.copied().unwrap_or_default()];
        let (first, last) = (end(self.bytes.first()), end(self.bytes.last()));
        let title = "bytes of an epoch, last tenth of the conversation";
        Row::new("epoch_bytes_grown", title, "bytes/epoch", &last)
            .beside("its first tenth", &last, &first)
            .held_to(Bar::at_most(BarSubject::Ratio, 1.05))
    }
}

impl Slices {
    async fn add(&mut self, keeper: &BenchKeeper) -> Result<(), BenchError> {
        let seq = keeper.seq();
        let mut times = Vec::with_capacity(SLICE);
        for _ in 0..SLICE {
            times.push(keeper.epoch(0).await?);
        }
        self.p50s.push(median(&times));
        self.tokens.extend(keeper.history_after(seq)?);
        Ok(())
    }

    fn history(&self) -> String {
        let Spread { median, min, max, .. } = Spread::of(&self.tokens);
        format!("{median:.0} ({min:.0} - {max:.0})")
    }
}
