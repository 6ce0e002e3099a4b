//! What a scan costs: 1,000 agents, a tenth of them stalled, from standings to the lines to write. Prints medians; asserts no
//! time.
//!
//! The scan reads standings, never the ledger, so that its cost does not grow with the number of events.
#![expect(clippy::print_stdout, reason = "it is here to print")]
#![expect(clippy::disallowed_methods, reason = "it measures")]
#![expect(clippy::unwrap_used, reason = "an example may fail loudly")]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use abide_domain::{IdSource, Timestamp, event::Event};
use abide_watchdog::{
    Awake, Condition, Present, Settings, Sight, Sightings, Sign, Standing, Trigger, Watch, scan,
};
use uuid::{Builder, Uuid};

const AGENTS: i64 = 1_000;
const ROUNDS: usize = 200;
const START: Timestamp = Timestamp::from_micros(1_795_824_000_000_000);

#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let mut tail = [0; 10];
        tail[2..].copy_from_slice(&self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        let millis = u64::try_from(now.as_micros() / 1000).unwrap();
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

fn standings() -> Vec<Standing> {
    let of = |n: i64| {
        let is_stalled = n % 10 == 0;
        let silent = Duration::from_secs(if is_stalled { 0 } else { 900 });
        Standing {
            agent: format!("agent-{n:04}").parse().unwrap(),
            nick: format!("agent-{n:04}"),
            registered_at: Timestamp::from_micros(START.as_micros() - 86_400_000_000),
            last_evidence: Some(Sign { seq: n.unsigned_abs() + 1, at: START.plus(silent) }),
            work_since: Some(START),
            always_active: false,
            condition: Condition::Awake,
            has_process: n % 20 == 0,
            fatigue: (n % 3 == 0).then_some(0.3),
            confidence: None,
        }
    };
    (0..AGENTS).map(of).collect()
}

/// The median of many runs.
fn median(mut run: impl FnMut() -> usize) -> (Duration, usize) {
    let mut took = Vec::with_capacity(ROUNDS);
    let mut found = 0;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        found = run();
        took.push(began.elapsed());
    }
    took.sort_unstable();
    (took.get(ROUNDS / 2).copied().unwrap_or_default(), found)
}

fn main() {
    let (settings, ids) = (Settings::default(), Counted::default());
    let now = START.plus(Duration::from_secs(1000));
    let present = Present { now, settings: &settings, ids: &ids };
    let trigger = Trigger::Scan { is_asked: false };
    let standings = standings();
    let sight = Sight { standings: standings.clone(), outage: None };

    let (took, stalled) = median(|| {
        let verdicts = scan(now, &settings, &Awake::default(), &standings);
        verdicts.iter().filter(|(_, verdict)| verdict.is_stalled()).count()
    });
    println!("verdicts of {AGENTS} agents, {stalled} of them stalled: {took:?}");

    let quiet = Watch::default();
    let (took, lines) = median(|| {
        let mut sight = sight.clone();
        Sightings::default().date(now, &mut sight);
        quiet.plan(trigger, Ok(&sight), present).drafts.len()
    });
    println!("a first scan, dates and {lines} lines included: {took:?}");

    let mut busy = Watch::default();
    for draft in quiet.plan(trigger, Ok(&sight), present).drafts {
        if let Event::Watchdog(event) = &draft.event {
            busy.apply(now, &draft.entity, &draft.author, event);
        }
    }
    let later = Present { now: now.plus(Duration::from_secs(200)), ..present };
    let (took, lines) = median(|| busy.plan(trigger, Ok(&sight), later).drafts.len());
    println!("a scan amid {stalled} episodes that all climb, {lines} lines: {took:?}");
}
