//! Thousands of crashes, each from a seed, against the promises of the ledger.
//!
//! After every restart: what was acknowledged is there, byte for byte; what is there is a beginning of what was
//! submitted, in its order, batches whole; recovering again changes nothing; a feed never showed what is not there.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_ledger::{
    AppendError, FeedError, Ledger, LedgerOptions, folder, storage::fault::FaultStorage,
};

use crate::world::{Dice, TestClock, World, block_on, options, rounds, said, text_of};

/// Seeds in each of the two halves of a soak.
const SEEDS: u64 = 6_000;

/// What must be true of the disk.
#[derive(Default)]
struct Model {
    /// Batches in the order in which they were submitted, by their texts; refused ones removed.
    submitted: Vec<Vec<String>>,
    /// How many of them are acknowledged.
    acknowledged: usize,
    /// Lines that a feed showed or an acknowledgement covered.
    shown: BTreeMap<u64, String>,
    counter: u64,
}

impl Model {
    fn check(&mut self, ledger: &Ledger, seed: u64) {
        let records: Vec<_> = ledger.records(1).map(Result::unwrap).collect();
        for (record, seq) in records.iter().zip(1..) {
            assert_eq!(record.seq(), seq, "seed {seed}");
        }
        let by_seq: BTreeMap<_, _> = records.iter().map(|r| (r.seq(), r.line())).collect();
        for (seq, line) in &self.shown {
            let there = by_seq.get(seq);
            assert_eq!(there, Some(&line.as_str()), "seed {seed}: seq {seq} was shown");
        }
        let texts: Vec<_> =
            records.iter().filter(|r| r.kind() == "stimulus.accepted").map(text_of).collect();
        let mut rest = texts.as_slice();
        let mut whole = 0;
        for batch in &self.submitted {
            if rest.is_empty() {
                break;
            }
            assert!(rest.starts_with(batch), "seed {seed}: {rest:?} does not go on with {batch:?}");
            rest = &rest[batch.len()..];
            whole += 1;
        }
        assert!(rest.is_empty(), "seed {seed}: {rest:?} was never submitted here");
        assert!(whole >= self.acknowledged, "seed {seed}: acknowledged batches are gone");
        self.submitted.truncate(whole);
        self.acknowledged = whole;
        self.shown = records.iter().map(|r| (r.seq(), r.line().to_owned())).collect();
    }
}

fn inject(disk: &FaultStorage, dice: &mut Dice) {
    match dice.below(8) {
        0..=3 => disk.fail_power_at(1 + dice.below(60)),
        4 => disk.fail_sync_at(1 + dice.below(20)),
        5 => disk.set_capacity(Some(disk.used_bytes() + dice.below(12_000))),
        6 => disk.fail_write_at(1 + dice.below(40)),
        _ => {}
    }
}

/// Appends until something fails or the life is over.
async fn live(world: &World, model: &mut Model, dice: &mut Dice, clock: &TestClock) {
    let mut feed = world.ledger.feed(model.shown.len() as u64);
    let mut poisoned = false;
    for _ in 0..=dice.below(12) {
        clock.advance(Duration::from_millis(dice.below(900)));
        let mut pending = Vec::new();
        for _ in 0..=dice.below(4) {
            let texts: Vec<_> = (0..=dice.below(4))
                .map(|_| {
                    model.counter += 1;
                    let length =
                        if dice.below(6) == 0 { dice.below(3_000) } else { dice.below(90) };
                    let length = usize::try_from(length).unwrap();
                    format!("{}:{}", model.counter, "x".repeat(length))
                })
                .collect();
            let drafts = texts.iter().map(|text| said("@felix", text)).collect();
            match world.ledger.submit(drafts).await {
                Ok(submitted) => {
                    assert!(!poisoned, "nothing is taken after a failed sync");
                    pending.push((model.submitted.len(), submitted));
                    model.submitted.push(texts);
                }
                Err(AppendError::Poisoned { .. }) => poisoned = true,
                Err(error) => panic!("{error}"),
            }
        }
        let mut refused = Vec::new();
        for (position, submitted) in pending {
            match submitted.durable().await {
                Ok(_) => {
                    assert!(!poisoned, "nothing is acknowledged after a failed sync");
                    model.acknowledged = position + 1 - refused.len();
                }
                Err(AppendError::Degraded { .. }) => refused.push(position),
                Err(AppendError::Poisoned { .. }) => poisoned = true,
                Err(error) => panic!("{error}"),
            }
        }
        for position in refused.into_iter().rev() {
            model.submitted.remove(position);
        }
        if dice.below(9) == 0 && world.ledger.seal().await.is_err() {
            poisoned |=
                matches!(world.ledger.status(), abide_ledger::LedgerStatus::Poisoned { .. });
        }
        let head = world.ledger.head().seq;
        while feed.next_seq() <= head && dice.below(4) > 0 {
            match feed.next().await {
                Ok(record) => {
                    assert_eq!(model.shown.insert(record.seq(), record.line().to_owned()), None);
                }
                Err(FeedError::Read(_)) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// One disk through several lives; says how many crashes it went through.
fn run(seed: u64) -> u64 {
    let mut dice = Dice::new(seed);
    let (disk, clock) = (FaultStorage::new(seed), TestClock::new());
    let mut options = options(&clock);
    options.segment_bytes_max = 1_000 + dice.below(20_000);
    options.pad_bytes = usize::try_from(dice.below(3) * 1_500).unwrap();
    options.recent_bytes_max = usize::try_from(dice.below(3) * 1_000).unwrap();
    let mut model = Model::default();
    let mut crashes = 0;
    for _ in 0..6 {
        inject(&disk, &mut dice);
        block_on(async {
            match World::open(&disk, options.clone()) {
                Ok(world) => {
                    if !disk.is_off() {
                        model.check(&world.ledger, seed);
                    }
                    live(&world, &mut model, &mut dice, &clock).await;
                    if dice.below(5) == 0 {
                        world.close().await;
                    }
                }
                Err(error) => {
                    let by_fault = matches!(
                        error,
                        abide_ledger::OpenError::Failed(_) | abide_ledger::OpenError::Io { .. }
                    );
                    assert!(by_fault, "seed {seed}: {error}");
                }
            }
        });
        disk.set_capacity(None);
        if disk.is_off() || dice.below(2) == 0 {
            disk.power_cycle();
        } else {
            disk.kill();
        }
        crashes += 1;
    }
    let calm = disk.fork();
    calm.power_cycle();
    block_on(async {
        let world =
            World::open(&calm, options.clone()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        model.check(&world.ledger, seed);
        let once = world.lines();
        drop(world);
        calm.kill();
        let world = World::open(&calm, options.clone()).unwrap();
        assert_eq!(world.lines(), once, "seed {seed}: recovering twice is recovering once");
        world.say("on").await;
        world.close().await;
    });
    let report = folder::verify(Arc::new(calm)).unwrap();
    assert!(report.ok, "seed {seed}: {report:?}");
    crashes
}

/// Half of the seeds each, so that both cores have some; six crashes a seed.
fn run_all(first: u64) {
    let crashes: u64 = (0..rounds(SEEDS)).map(|seed| run(seed * 2 + first)).sum();
    assert!(crashes >= rounds(SEEDS) * 6);
}

#[test]
fn even_seeds_lose_nothing_acknowledged() {
    run_all(0);
}

#[test]
fn odd_seeds_lose_nothing_acknowledged() {
    run_all(1);
}

/// Appends fourteen pairs and says which texts were acknowledged.
async fn fixed_life(disk: &FaultStorage, options: LedgerOptions) -> Vec<String> {
    let Ok(world) = World::open(disk, options) else { return Vec::new() };
    let mut acknowledged = Vec::new();
    for i in 0..14 {
        let texts = [format!("{i}a"), format!("{i}b")];
        let drafts = texts.iter().map(|text| said("@felix", text)).collect();
        if world.ledger.append(drafts).await.is_ok() {
            acknowledged.extend(texts);
        }
    }
    world.close().await;
    acknowledged
}

#[test]
fn a_power_cut_at_every_operation_of_a_fixed_life_loses_nothing_acknowledged() {
    for seed in 0..6 {
        for step in 1..90 {
            let (disk, clock) = (FaultStorage::new(seed * 1_000 + step), TestClock::new());
            let mut options = options(&clock);
            options.segment_bytes_max = 2_500;
            options.pad_bytes = 700;
            disk.fail_power_at(step);
            let acknowledged = block_on(fixed_life(&disk, options.clone()));
            disk.power_cycle();
            block_on(async {
                let world = World::open(&disk, options).unwrap();
                let texts = world.texts();
                assert!(texts.starts_with(&acknowledged), "step {step}: {texts:?}");
                assert!(texts.len() <= acknowledged.len() + 2 && texts.len().is_multiple_of(2));
            });
        }
    }
}
