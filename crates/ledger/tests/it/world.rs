//! What all tests need: a clock that is moved by hand, drafts, an open ledger on one thread.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use abide_domain::{
    Clock, EntityName, EpochId, Timestamp, envelope::Channel, event::StimulusAccepted,
};
use abide_ledger::{
    Draft, Ledger, LedgerOptions, OpenError, Record, Storage, storage::fault::FaultStorage,
};
use tokio::task::JoinSet;

/// A clock that is moved by hand.
#[derive(Debug)]
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_795_817_403_000_000)))
    }

    pub(crate) fn advance(&self, duration: Duration) {
        self.0.fetch_add(i64::try_from(duration.as_micros()).unwrap(), Ordering::Relaxed);
    }

    pub(crate) fn go_back(&self, duration: Duration) {
        self.0.fetch_sub(i64::try_from(duration.as_micros()).unwrap(), Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(0))
    }
}

/// Numbers that follow from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// The rounds of a test that has `full` of them in `make soak`: a tenth, unless `ABIDE_TEST_ROUNDS` says another
/// percentage; at least one.
pub(crate) fn rounds(full: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the one switch that tests read from outside")]
    let percent = std::env::var("ABIDE_TEST_ROUNDS").ok();
    let percent: u64 = percent.and_then(|text| text.parse().ok()).unwrap_or(10);
    (full * percent / 100).max(1)
}

/// Options with small segments and padding, so that tests meet their ends.
pub(crate) fn options(clock: &Arc<TestClock>) -> LedgerOptions {
    let clock: Arc<dyn Clock> = Arc::<TestClock>::clone(clock);
    LedgerOptions { segment_bytes_max: 1 << 20, pad_bytes: 2048, ..LedgerOptions::new(clock) }
}

/// An event that carries a text.
pub(crate) fn said(entity: &str, text: &str) -> Draft {
    let event = StimulusAccepted {
        content: text.into(),
        sender: "ada".into(),
        channel: Channel::Api,
        sent_at: Timestamp::from_micros(1_795_817_400_000_000),
        sender_zone: None,
        session_id: "api:ada".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    };
    Draft {
        entity: entity.parse().unwrap(),
        author: "@ada".parse().unwrap(),
        epoch: None,
        event: event.into(),
    }
}

/// The same, in an epoch.
pub(crate) fn said_in(entity: &str, epoch: u128, text: &str) -> Draft {
    Draft { epoch: Some(epoch_id(epoch)), ..said(entity, text) }
}

pub(crate) fn epoch_id(number: u128) -> EpochId {
    let text = format!("01930000-0000-7000-8000-{number:012x}");
    text.parse().unwrap()
}

pub(crate) fn keeper() -> EntityName {
    EntityName::keeper()
}

/// The text that a record of [`said`] carries.
pub(crate) fn text_of(record: &Record) -> String {
    let data: serde_json::Value = serde_json::from_str(record.data()).unwrap();
    data["content"].as_str().unwrap_or_default().to_owned()
}

/// Runs a test on one thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// An open ledger whose committer is a task; dropping it is a kill.
pub(crate) struct World {
    pub(crate) ledger: Ledger,
    _tasks: JoinSet<()>,
}

impl World {
    pub(crate) fn open(storage: &FaultStorage, options: LedgerOptions) -> Result<Self, OpenError> {
        Self::open_on(Arc::new(storage.clone()), options)
    }

    pub(crate) fn open_on(
        storage: Arc<dyn Storage>,
        options: LedgerOptions,
    ) -> Result<Self, OpenError> {
        let (ledger, committer) = Ledger::open(storage, options)?;
        let mut tasks = JoinSet::new();
        tasks.spawn(committer.run());
        Ok(Self { ledger, _tasks: tasks })
    }

    pub(crate) async fn say(&self, text: &str) -> u64 {
        self.ledger.append(vec![said("@felix", text)]).await.unwrap().last_seq
    }

    pub(crate) async fn close(self) {
        self.ledger.close().await;
    }

    /// All lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.ledger.records(1).map(|record| record.unwrap().line().to_owned()).collect()
    }

    /// All texts of [`said`], in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        let records = self.ledger.records(1).map(Result::unwrap);
        records.filter(|r| r.kind() == "stimulus.accepted").map(|r| text_of(&r)).collect()
    }

    /// How many events of a kind stand in the ledger.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.ledger.records(1).map(Result::unwrap).filter(|r| r.kind() == kind).count()
    }
}
